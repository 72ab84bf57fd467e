"""``python -m optchat_bridge.bend check FILE`` and ``run FILE``."""

from __future__ import annotations

import os
import sys

from .report import check_file, render


def main(arguments: list[str]) -> int:
    """Exit status 0 when all proofs check, 1 otherwise."""
    if len(arguments) != 2 or arguments[0] not in ("check", "run"):
        print("usage: python -m optchat_bridge.bend check|run FILE", file=sys.stderr)
        return 1
    report = check_file(arguments[1])
    shown = report.main if report.ok and arguments[0] == "run" and report.main is not None else render(report)
    try:
        print(shown, flush=True)
    except BrokenPipeError:
        # the reader has gone; nothing is left to tell it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0 if report.ok else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
