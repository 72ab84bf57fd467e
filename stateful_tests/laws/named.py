"""What docs/laws.md names, read off the page: so that `make contracts` and `make breaks` see that one is gone."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "laws.md"


def contracts_gone(there: Collection[str]) -> list[str]:
    """The contracts and the facts of arithmetic that the page names and that are not there."""
    return [name for name in named("contract") + named("arithmetic, by z3") if name not in there]


def breaks_gone(there: Collection[str]) -> list[str]:
    """The breaks of the planner, of the files and of the model that the page names and that are not there."""
    return [name for name in named("breaks it catches") + named("break") if name not in there]


def named(what: str) -> list[str]:
    """The names in the page's lines of a kind, each once. A contract's line goes on with what it is on."""
    lines = re.findall(rf"^- {what}: (`\w+`(?:, `\w+`)*)", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return list(dict.fromkeys(name for line in lines for name in re.findall(r"\w+", line)))
