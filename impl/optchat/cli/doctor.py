"""`optchat doctor`: every line of every file held against every rule."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from optchat.cli.common import Dir, Json, Set, count, folder, print_json, progress
from optchat.cli.status import Status

if TYPE_CHECKING:
    from optchat.store import Report


def doctor(
    mend: Annotated[bool, typer.Option("--mend", help="Mend what can be mended without losing a byte.")] = False,
    at: Dir = None,
    json: Json = False,
    changes: Set = None,
) -> None:
    """Check every file of the chat, and mend what can be mended.

    Without --mend it writes nothing and needs no lock. With it, half a line at the end of a file is moved aside, and
    what can be computed from the log is written anew; while anything is wrong that cannot be mended, nothing is
    changed. Status 1 says that something is wrong still.

    Example: optchat doctor --mend
    """
    from optchat import store
    from optchat.settings import load

    place = folder(at)
    settings = load(place, changes or ())
    with progress("checking"):
        act = store.mend if mend else store.doctor
        report = act(place, settings.config(), agent=settings.agent)
    if json:
        print_json(as_json(report))
    else:
        sys.stdout.write("\n".join(told(report)) + "\n")
    if not report.clean:
        raise typer.Exit(Status.WRONG)


def told(report: Report) -> list[str]:
    """A report for people: what was mended, what is wrong, and the sum."""
    held = ", ".join(
        [
            count(report.messages, "message"),
            count(report.nodes, "summary", "summaries"),
            count(report.batches, "recorded batch", "recorded batches"),
            count(report.bytes, "byte"),
        ]
    )
    lines = [f"mended: {each}" for each in report.mended] + [f"wrong: {problem}" for problem in report.problems]
    if report.clean:
        return [*lines, f"every line is in order: {held}"]
    wrong = count(len(report.problems) + report.untold, "thing is", "things are")
    return [*lines, f"{wrong} wrong, in {held}"]


def as_json(report: Report) -> dict[str, Any]:
    return {
        "clean": report.clean,
        "messages": report.messages,
        "nodes": report.nodes,
        "batches": report.batches,
        "bytes": report.bytes,
        "problems": [problem._asdict() for problem in report.problems],
        "untold": report.untold,
        "mended": report.mended,
    }
