"""Where the harness prints its tables: as wide as the terminal, or wide enough for a file."""

from __future__ import annotations

import sys

from rich.console import Console

FILE_WIDTH = 200


def console() -> Console:
    """Standard output. A table in a file or a pipe is not squeezed into 80 columns."""
    return Console(width=None if sys.stdout.isatty() else FILE_WIDTH)
