"""What a run started ends with it, also when the run is told to stop."""

from __future__ import annotations

import os
import select
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from time import monotonic, sleep
from typing import NamedTuple, NoReturn

STOPS = (signal.SIGTERM, signal.SIGHUP)
MARK = "OPTCHAT_CHECK_STARTED_IT"
"""The variable by which a run knows what it started, also what left its process group."""


KEPT = 1 << 20
"""How many bytes of a command's output are kept: the last ones."""

READ = 1 << 16


@contextmanager
def unwound() -> Iterator[None]:
    """In here SIGTERM and SIGHUP end the run as Ctrl-C does: every `finally` is reached. Of the main thread alone."""

    def stop(number: int, _frame: object) -> NoReturn:
        raise SystemExit(128 + number)

    # What was told to ignore them (nohup) goes on ignoring them.
    before = {each: signal.signal(each, stop) for each in STOPS if signal.getsignal(each) is not signal.SIG_IGN}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def marked(environment: Mapping[str, str]) -> tuple[dict[str, str], str]:
    """An environment by which all is known that is started in it, and the mark; marks of runs around it stay."""
    mark = token_hex(16)
    return {**environment, MARK: f"{environment.get(MARK, '')}:{mark}"}, mark


def end_all(process: subprocess.Popen[bytes], mark: str) -> None:
    """Kill a process that leads a group, all that is left of the group, and all that was started in its environment.

    The latter where there is a /proc, and but for what threw its environment away.
    """
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.kill()
    process.wait()
    # What starts more while it is looked for is found the next time.
    while bearing(mark):
        for pid in bearing(mark):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        sleep(0.01)


def bearing(mark: str) -> list[int]:
    """The processes of this user whose environment bears a mark."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        # It may have ended by now, or be another user's.
        with suppress(OSError):
            if mark.encode() in path.read_bytes():
                found.append(int(path.parent.name))
    return found


class Ended(NamedTuple):
    """How a command ended: its status, None when it was ended at its time limit; and the last of what it printed."""

    status: int | None
    output: bytes


def output_of(
    command: Sequence[str], folder: Path, env: Mapping[str, str], seconds: float = 3600.0, most: int = KEPT
) -> Ended:
    """Run a command for so long, and keep so many bytes of its output; nothing that it started outlives this call."""
    here, mark = marked(env)
    deadline, kept = monotonic() + seconds, bytearray()
    with subprocess.Popen(
        command, cwd=folder, env=here, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    ) as process:
        assert process.stdout is not None
        try:
            while select.select([process.stdout], [], [], max(0.0, deadline - monotonic()))[0]:
                chunk = os.read(process.stdout.fileno(), READ)
                if not chunk:
                    process.wait(max(0.0, deadline - monotonic()))
                    return Ended(process.returncode, bytes(kept[-most:]))
                kept += chunk
                if len(kept) > 2 * most:
                    del kept[:-most]
                if monotonic() > deadline:
                    break
        except subprocess.TimeoutExpired:
            # It said its last word, and goes on.
            pass
        finally:
            end_all(process, mark)
            del kept[:-most]
    return Ended(None, bytes(kept))
