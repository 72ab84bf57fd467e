"""`python -m optchat_bridge.check`: `optchat check` where there is no command `optchat`."""

from __future__ import annotations

import sys

import typer

from optchat.cli.status import Failure, complain
from optchat_bridge.check.command import check_command


def main() -> None:
    try:
        typer.run(check_command)
    except Failure as failure:
        complain(str(failure))
        sys.exit(failure.status)


if __name__ == "__main__":
    main()
