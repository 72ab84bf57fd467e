"""A verdict for people (a table) and for programs (JSON)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from optchat_bridge.check.judge import Report, Row
from optchat_bridge.check.remote import KNOWN

EXIT_HELD, EXIT_BROKEN, EXIT_FAULT = 0, 1, 2
COLOURS = {"held": "green", "broken": "bold red", "not judged": "dim"}
"""The verdicts on a law."""

OF_CHANGES = {"broken before": "yellow", "not touched": "dim"}
"""The further verdicts on a step of the change gate."""


FILE_WIDTH = 200


def console() -> Console:
    """Standard output. A table in a file or a pipe is not squeezed into 80 columns."""
    return Console(width=None if sys.stdout.isatty() else FILE_WIDTH)


class Case(NamedTuple):
    """One row of any verdict: its name, its word (a verdict, or "fault"), and what is to be said."""

    name: str
    word: str
    says: str = ""
    group: str = "optchat.laws"


def says(row: Row, kept: Path | None) -> str:
    """A verdict in a few words that claim no more than it."""
    if row.finding is not None:
        where = f" ({len(row.finding.events)} events: {kept})" if kept is not None else ""
        return row.finding.reason + where
    if row.missing:
        unspoken = sorted(row.missing - KNOWN)
        if unspoken:
            return f"the protocol has no words for {', '.join(unspoken)}"
        return f"it does not show {', '.join(sorted(row.missing))}"
    return f"{row.spoke:,} times" if row.spoke else "nothing happened that it speaks of"


def cases(report: Report, kept: dict[str, Path | None]) -> list[Case]:
    return [Case(row.law.name, row.word, says(row, kept.get(row.law.name))) for row in report.rows]


def print_table(console: Console, report: Report, rows: list[Case]) -> None:
    """The table, and one line that sums it up."""
    table = Table("law", "verdict", "", box=None, pad_edge=False)
    for case in rows:
        table.add_row(case.name, worded(case.word), Text(case.says))
    console.print(table)
    counts = [f"{sum(1 for case in rows if case.word == word)} {word}" for word in COLOURS]
    console.print(
        f"{report.name}: {', '.join(counts)}; {report.events:,} events in {report.chats:,} chats",
        markup=False,
        highlight=False,
    )
    for case in rows:
        if case.word == "broken":
            console.print(f"broken: {case.name}: {case.says}", style="red", markup=False, highlight=False)


def worded(word: str) -> Text:
    """A verdict in its colour."""
    return Text(word, {**COLOURS, **OF_CHANGES}.get(word, ""))


def as_json(report: Report, kept: dict[str, Path | None], seed: int) -> dict[str, Any]:
    """The verdict for programs."""
    return {
        "name": report.name,
        "seed": seed,
        "events": report.events,
        "chats": report.chats,
        "broken": len(report.broken),
        "fault": None,
        "laws": [
            {
                "law": row.law.name,
                "says": row.law.sentence,
                "verdict": row.word,
                "events": row.spoke,
                "missing": sorted(row.missing),
                "reason": row.finding.reason if row.finding else None,
                "scenario": str(path) if (path := kept.get(row.law.name)) else None,
            }
            for row in report.rows
        ],
    }
