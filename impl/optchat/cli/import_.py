"""`optchat import`: the sessions of other agents, taken in once."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from optchat.cli.common import Dir, Json, Set, count, folder, print_json, progress
from optchat.cli.status import Failure, Status, complain
from optchat.imports.detect import Format

if TYPE_CHECKING:
    from optchat.imports.gather import Gathered
    from optchat.imports.ingest import Taken

SHOWN = 10
"""How many damaged records are named."""


class Kinds(StrEnum):
    NOTE = "note"
    OWN = "own"


class Branches(StrEnum):
    LABEL = "label"
    DROP = "drop"


def import_(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", readable=False, help="Files, or folders of other chats.")
    ],
    at: Dir = None,
    format: Annotated[  # noqa: A002
        Format | None, typer.Option("--format", "-f", help="What the files are. By default told from what they hold.")
    ] = None,
    kinds: Annotated[
        Kinds, typer.Option("--kinds", help="As notes, 'user: text', or as user, unii, tool and echo of their own.")
    ] = Kinds.NOTE,
    branches: Annotated[
        Branches,
        typer.Option("--branches", help="Take what was edited or made again in ChatGPT, marked '(given up)', or not."),
    ] = Branches.LABEL,
    strict: Annotated[bool, typer.Option("--strict", help="Import nothing when a record is damaged.")] = False,
    json: Json = False,
    changes: Set = None,
) -> None:
    """Take in the sessions of other agents, oldest first, each message once.

    Reads aider's history, Claude Code's session files, a ChatGPT export (conversations.json or its zip), JSON lines
    {"kind", "text", "date"}, and the folder of another chat. All files are read and checked before the first message
    is logged. A damaged record is named and left out, and the status is 1. Files can be given again, in parts or
    longer: what is there already stays as it is.

    Example: optchat import .aider.chat.history.md ~/.claude/projects/*/*.jsonl
    """
    from optchat.imports import ImportFailed, gather
    from optchat.settings import load

    place = folder(at)
    settings = load(place, changes or ())
    config, agent = settings.config(), settings.agent
    try:
        with progress("reading") as advance:
            found = gather(files, format=format, branches=branches is Branches.LABEL, strict=strict, progress=advance)
        with found:
            taken, view = _take(place, found, kinds, config, agent)
    except ImportFailed as error:
        raise Failure(str(error), Status.WRONG if error.damaged else Status.USAGE) from None
    if json:
        print_json(_facts(found, taken, view))
    else:
        for line in _summary(found, taken, view, config.ceiling, kinds):
            sys.stdout.write(line + "\n")
        for damage in found.damages[:SHOWN]:
            complain(f"left out: {damage}")
        if found.damaged > SHOWN:
            complain(f"left out: {found.damaged - SHOWN} more damaged records")
    if found.damaged:
        raise typer.Exit(Status.WRONG)


def _take(place: Path, found: Gathered, kinds: Kinds, config: Any, agent: str) -> tuple[Taken, dict[str, int]]:
    """Log what is new, when there is anything at all; what was taken, and the view after it."""
    from optchat.agent.settle import offline
    from optchat.imports.ingest import Taken, ingest
    from optchat.store import Chat

    if not len(found):
        return Taken(), {}
    with Chat.open(place, config, agent=agent) as chat:
        for note in chat.notes:
            complain(note)
        with progress("importing") as advance:
            taken = ingest(chat, found, offline(chat), notes=kinds is Kinds.NOTE, progress=advance)
        view = chat.planner.chat.view
        return taken, {"messages": chat.planner.total, "view_lines": len(view.nodes), "view_bytes": view.bytes}


def _facts(found: Gathered, taken: Taken, view: dict[str, int]) -> dict[str, Any]:
    return {
        "files": {str(path): each.value for path, each in found.formats.items()},
        "found": found.found,
        "imported": taken.messages,
        "kinds": dict(taken.kinds),
        "log_lines": taken.lines,
        "clipped": taken.clipped,
        "there": found.there,
        "again": found.again,
        "left_out": dict(found.left_out),
        "damaged": found.damaged,
        "damages": [{"file": str(each.path), "line": each.line, "why": each.why} for each in found.damages],
        "view": view,
    }


def _summary(found: Gathered, taken: Taken, view: dict[str, int], ceiling: int, kinds: Kinds) -> Iterator[str]:
    formats = ", ".join(sorted({each.value for each in found.formats.values()}))
    form = "as notes" if kinds is Kinds.NOTE else "with their own kinds"
    yield f"{count(taken.messages, 'message')} imported {form} from {count(len(found.paths), 'file')} ({formats})"
    if taken.messages:
        yield f"  taken: {_listed(taken.kinds)}"
    if taken.lines > taken.messages:
        yield f"  in {taken.lines:,} messages of the chat: a long text is logged in parts, without loss"
    if taken.clipped:
        yield f"  clipped to their start and end: {count(taken.clipped, 'tool message')}"
    if found.there:
        yield f"  there already: {found.there:,}"
    if found.again:
        yield f"  more than once in the files: {found.again:,}"
    if found.left_out:
        yield f"  left out: {_listed(found.left_out)}"
    if found.damaged:
        yield f"  left out as damaged: {found.damaged:,}"
    if view:
        yield (
            f"the chat has {count(view['messages'], 'message')}; "
            f"its view {count(view['view_lines'], 'line')}, {view['view_bytes']:,} of {ceiling:,} bytes"
        )


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{number:,} {name}" for name, number in counts.most_common())
