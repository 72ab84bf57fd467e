"""`optchat bend`: check or run one Bend file."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from optchat_bridge.bend.__main__ import main


class Action(StrEnum):
    check = "check"
    run = "run"


def bend(
    action: Annotated[Action, typer.Argument(help="check the proofs of FILE, or run its main", metavar="check|run")],
    file: Annotated[Path, typer.Argument(help="a Bend file", metavar="FILE")],
) -> None:
    """Check or run a Bend file with our own small Bend.

    All files that it imports are checked too. A main that is an effect is run, another one is evaluated and printed.
    Exits with 0 when all proofs check, else with 1.

    Example:

        optchat bend check PROOF.bend
    """
    raise typer.Exit(main([action.value, str(file)]))
