"""``python -m optchat_bridge.bend check FILE`` and ``run FILE ARGUMENT..``."""

from __future__ import annotations

import os
import sys

from .errors import STOPPED, BendError
from .execute import run_file
from .report import check_file, render, render_error

USAGE = "usage: python -m optchat_bridge.bend check FILE | run FILE ARGUMENT.."


def main(arguments: list[str]) -> int:
    """0 when all proofs check; 1 when not. `run` ends with the status of the file's main."""
    match arguments:
        case ["check", path]:
            report = check_file(path)
            return say(render(report), 0 if report.ok else 1)
        case ["run", path, *rest]:
            try:
                return run_file(path, rest)
            except BendError as error:
                return refused(error)
    print(USAGE, file=sys.stderr)
    return 1


def refused(error: BendError) -> int:
    """A program that was not run, or not to its end: a limit says nothing about its proofs."""
    if error.message.startswith(STOPPED):
        print(f"error: {error.message}", file=sys.stderr)
        return 1
    return say("SOME PROOFS FAIL\n" + render_error(error, {}), 1)


def say(text: str, status: int) -> int:
    try:
        print(text.encode(errors="replace").decode(), flush=True)
    except BrokenPipeError:
        # the reader has gone; nothing is left to tell it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return status


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
