"""What a run started ends with it, also when the run is told to stop."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

STOPS = (signal.SIGTERM, signal.SIGHUP)


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


def end_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that leads a group, and all that is left of the group."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.kill()
    process.wait()


def output_of(command: Sequence[str], folder: Path, env: Mapping[str, str]) -> tuple[int, bytes]:
    """A command's status and all that it printed; nothing that it started outlives this call."""
    with subprocess.Popen(
        command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    ) as process:
        try:
            output, _ = process.communicate()
        finally:
            end_group(process)
    return process.returncode, output
