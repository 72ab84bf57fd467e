"""A verdict for people (a table), for programs (JSON) and for gates (JUnit)."""

from __future__ import annotations

import sys
from pathlib import Path
from secrets import token_hex
from typing import Any, NamedTuple
from xml.etree import ElementTree

from rich.console import Console
from rich.table import Table
from rich.text import Text

from optchat.cli.status import Status, complain
from optchat_bridge.check.judge import Finding, Report, Row
from optchat_bridge.check.peer import printable
from optchat_bridge.check.remote import KNOWN
from optchat_spec import scenario

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


class NotWritten(Exception):
    """A file of the verdict could not be written; one line: which, and why."""


def write_whole(path: Path, data: bytes, said: Path) -> None:
    """Write a file as a whole or not at all. Raises NotWritten, which says `said`."""
    # What is no regular file (/dev/stdout) cannot be put in place.
    there = path.exists() and not path.is_file()
    aside = path if there else path.with_name(f"{path.name}.{token_hex(4)}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            aside.write_bytes(data)
            if not there:
                aside.replace(path)
        finally:
            if not there:
                aside.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise NotWritten(f"{printable(str(said))} cannot be written: {reason_of(error)}") from None


def reason_of(error: Exception) -> str:
    if isinstance(error, FileExistsError):
        return "a file is where its folder would be"
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


class Writing:
    """The files of a verdict. One that cannot be written keeps nobody from the verdict: it is told when that is out."""

    def __init__(self) -> None:
        self.failed: dict[str, None] = {}

    def keep(self, folder: Path, law: str, finding: Finding | None) -> Path | None:
        """Write the history that breaks a law; where it is, None when there is none or it could not be written."""
        if finding is None:
            return None
        try:
            return keep(folder, law, finding)
        except NotWritten as why:
            self.failed[str(why)] = None
            return None

    def junit(self, path: Path | None, name: str, rows: list[Case]) -> None:
        """Write a JUnit file, where one is asked for."""
        if path is not None:
            try:
                write_junit(path, name, rows)
            except NotWritten as why:
                self.failed[str(why)] = None

    def status(self, verdict: int) -> int:
        """Tell what could not be written; the status to exit with, the verdict's own where it is not good already."""
        for line in self.failed:
            complain(line)
        return verdict or (Status.SYSTEM if self.failed else verdict)


def keep(folder: Path, law: str, finding: Finding) -> Path | None:
    """Write the history that breaks a law, where it has one. Raises NotWritten."""
    if not finding.events:
        return None
    path = folder / f"{law}.jsonl"
    write_whole(path, scenario.write(finding.config, finding.events).encode(), folder)
    return path


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


def write_junit(path: Path, name: str, rows: list[Case]) -> None:
    """The rows as a JUnit file: broken is a failure, a fault an error, not judged is skipped. Raises NotWritten."""
    tags = {"broken": "failure", "fault": "error", "not judged": "skipped"} | dict.fromkeys(OF_CHANGES, "skipped")
    count = {tag: str(sum(1 for case in rows if tags.get(case.word) == tag)) for tag in set(tags.values())}
    suite = ElementTree.Element(
        "testsuite",
        name=name,
        tests=str(len(rows)),
        failures=count["failure"],
        errors=count["error"],
        skipped=count["skipped"],
    )
    for case in rows:
        node = ElementTree.SubElement(suite, "testcase", classname=case.group, name=case.name)
        tag = tags.get(case.word)
        if tag is not None:
            ElementTree.SubElement(node, tag, message=printable(case.says))
    root = ElementTree.Element("testsuites")
    root.append(suite)
    write_whole(path, ElementTree.tostring(root, encoding="utf-8", xml_declaration=True), path)
