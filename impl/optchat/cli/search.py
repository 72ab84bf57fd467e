"""`optchat search`: for people; a model zooms instead."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from optchat.cli.common import Advance, Dir, Json, count, open_reader, print_json, progress
from optchat.cli.find import around, find
from optchat.cli.memory import line_json
from optchat.cli.status import Failure, Status
from optchat.cli.streams import write_line
from optchat.cli.visible import visible

if TYPE_CHECKING:
    from optchat.store import Message, Reader

ROOM = 100
"""Characters shown around a hit."""


class Hit(NamedTuple):
    """A message that holds the text, and the place of the first one in it, in characters."""

    message: Message
    start: int
    end: int


def search(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to find, literally; case makes no difference.")],
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="Show at most so many; 0 shows all.")] = 20,
    at: Dir = None,
    json: Json = False,
) -> None:
    """Find messages that hold a text, newest first.

    Under each is the line of the view that covers it: what the agent sees of it.

    Example: optchat search "connection refused" -n 5
    """
    text = typed(text)
    if not text:
        raise Failure("there is nothing to find in an empty text")
    with open_reader(at) as reader:
        with progress("searching") as advance:
            found = list(hits(reader, text, advance))
        shown = found if limit == 0 else found[:limit]
        for hit in shown:
            if json:
                print_json(hit_json(reader, hit))
            else:
                show(reader, hit)
    if not found:
        raise Failure(f"no message holds {text!r}", Status.NOTHING)
    if len(shown) < len(found) and not json:
        sys.stderr.write(f"{count(len(found) - len(shown), 'older message')} more: -n 0 shows all\n")


def typed(word: str) -> str:
    """A word of the command line as its writer meant it: UTF-8, also where the locale cannot read it."""
    try:
        return word if word.isascii() else os.fsencode(word).decode()
    except UnicodeDecodeError:
        return word


def hits(reader: Reader, text: str, advance: Advance) -> Iterator[Hit]:
    """Every message whose text holds `text`, newest first."""
    wanted = text.casefold()
    total = len(reader)
    for message in reader.messages(newest_first=True):
        place = find(message.text, wanted)
        if place is not None:
            yield Hit(message, *place)
        if message.i % 256 == 0:
            advance(total - message.i, total)


def show(reader: Reader, hit: Hit) -> None:
    from rich.console import Console
    from rich.text import Text

    from optchat.core.render import render_line

    message = hit.message
    before, place, after = (visible(part) for part in around(message.text, hit.start, hit.end, ROOM))
    head = f"{message.i}+1 {message.date[:16].replace('T', ' ')} {message.kind}: "
    covering = reader.covering(message.i)
    if sys.stdout.isatty():
        Console(soft_wrap=True, highlight=False).print(Text.assemble((head, "dim"), before, (place, "bold"), after))
    else:
        sys.stdout.write(head + before + place + after + "\n")
    write_line("    in " + render_line(covering, reader.line(covering)))


def hit_json(reader: Reader, hit: Hit) -> dict[str, object]:
    message, covering = hit.message, reader.covering(hit.message.i)
    return {
        "id": message.i,
        "kind": message.kind,
        "date": message.date,
        "start": hit.start,
        "end": hit.end,
        "text": message.text,
        "line": line_json(reader, covering),
    }
