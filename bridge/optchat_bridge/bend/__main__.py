"""``python -m optchat_bridge.bend check FILE`` and ``run FILE``."""

from __future__ import annotations

import sys

from .report import check_file, render


def main(arguments: list[str]) -> int:
    """Exit status 0 when all proofs check, 1 otherwise."""
    if len(arguments) != 2 or arguments[0] not in ("check", "run"):
        print("usage: python -m optchat_bridge.bend check|run FILE", file=sys.stderr)
        return 1
    report = check_file(arguments[1])
    if report.ok and arguments[0] == "run" and report.main is not None:
        print(report.main)
    else:
        print(render(report))
    return 0 if report.ok else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
