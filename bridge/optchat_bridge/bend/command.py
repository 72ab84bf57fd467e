"""`optchat bend`: check or run one Bend file."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from optchat_bridge.bend.__main__ import main


class Action(StrEnum):
    check = "check"
    run = "run"


def bend(
    action: Annotated[Action, typer.Argument(help="check the proofs of FILE, or run its main", metavar="check|run")],
    file: Annotated[str, typer.Argument(help="a Bend file", metavar="FILE")],
    arguments: Annotated[list[str] | None, typer.Argument(help="what main is given", metavar="ARGUMENT")] = None,
) -> None:
    """Check or run a Bend file with our own small Bend.

    All files that it imports are checked too. A main that is an effect is run, another one is evaluated and printed;
    both are compiled to C where there is a C compiler. Exits with 0 when all proofs check, else with 1; a main that is
    an effect may end with another status. What takes more than 600 seconds of the processor or 4096 MB is stopped;
    OPTCHAT_BEND_SECONDS and OPTCHAT_BEND_MB set other limits.

    Example:

        optchat bend check PROOF.bend
    """
    if action is Action.check and arguments:
        raise typer.BadParameter("check takes one FILE")
    raise typer.Exit(main([action.value, file, *(arguments or [])]))
