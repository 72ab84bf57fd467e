"""What a run started ends with it, also when the run is told to stop."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from time import sleep
from typing import NoReturn

STOPS = (signal.SIGTERM, signal.SIGHUP)
MARK = "OPTCHAT_CHECK_STARTED_IT"
"""The variable by which a run knows what it started, also what left its process group."""


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


def output_of(command: Sequence[str], folder: Path, env: Mapping[str, str]) -> tuple[int, bytes]:
    """A command's status and all that it printed; nothing that it started outlives this call."""
    here, mark = marked(env)
    with subprocess.Popen(
        command, cwd=folder, env=here, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    ) as process:
        try:
            output, _ = process.communicate()
        finally:
            end_all(process, mark)
    return process.returncode, output
