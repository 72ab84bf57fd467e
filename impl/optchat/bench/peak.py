"""The peak of this process's memory."""

from __future__ import annotations

import re
import sys
from pathlib import Path

if sys.platform != "win32":
    import resource


def peak_megabytes() -> float:
    """The largest resident set of this process so far, in megabytes (2^20 bytes); 0 where the system does not tell.

    Linux's getrusage counts the process that started this one, too, up to the moment of the start: it is the figure of
    other systems alone.
    """
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
        return int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0]) / 1024
    except (OSError, IndexError):
        pass
    if sys.platform == "win32":
        return 0.0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
