"""`optchat export`: the whole chat in a form that needs no OptChat."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from optchat.cli.common import Advance, Dir, count, open_reader, progress
from optchat.cli.status import Failure, Status

if TYPE_CHECKING:
    from optchat.store import Reader


class Format(StrEnum):
    JSONL = "jsonl"
    MARKDOWN = "markdown"
    HTML = "html"


def export(
    form: Annotated[Format, typer.Option("--format", "-f", help="What to write.")] = Format.JSONL,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", readable=False, help="Where to; standard output without it."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE when it is there.")] = False,
    at: Dir = None,
) -> None:
    """Write the chat as JSON lines, Markdown or one HTML page.

    JSON lines hold a message each and can be imported again. The HTML page needs no network and no other file; its
    lines open down to the messages.

    Example: optchat export --format html --out chat.html
    """
    with open_reader(at) as reader, destination(out, force) as to, progress("writing") as advance:
        for piece in pieces(reader, form, advance):
            to.write(piece)


def pieces(reader: Reader, form: Format, advance: Advance) -> Iterator[str]:
    """The text of an export, a piece a message or so: a chat larger than the memory can be exported."""
    match form:
        case Format.JSONL:
            return json_lines(reader, advance)
        case Format.MARKDOWN:
            return markdown(reader, advance)
        case Format.HTML:
            from optchat.cli.page import page

            return page(reader, advance)


def json_lines(reader: Reader, advance: Advance) -> Iterator[str]:
    """A line a message: `{"kind", "text", "date"}`, as `optchat import` reads it.

    An imported message has its `key` too, so that it stays one message wherever the export is imported.
    """
    import msgspec

    for message in reader.messages():
        line = {"kind": message.kind, "text": message.text, "date": message.date}
        if message.key is not None:
            line["key"] = message.key
        yield msgspec.json.encode(line).decode() + "\n"
        advance(message.i + 1, len(reader))


def markdown(reader: Reader, advance: Advance) -> Iterator[str]:
    """A heading a message, and its text as a quotation, so that no text can pass for a heading of ours."""
    yield f"# A chat of {count(len(reader), 'message')}\n"
    for message in reader.messages():
        quoted = re.sub(r"\r\n|\n|\r", lambda found: f"{found.group()}> ", message.text)
        yield f"\n## {message.i} {message.kind} {message.date}\n\n> {quoted}\n"
        advance(message.i + 1, len(reader))


@contextmanager
def destination(out: Path | None, force: bool) -> Iterator[TextIO]:
    """Where an export goes: standard output; a pipe or a device; or a file that is there whole or not at all."""
    if out is None:
        yield sys.stdout
        return
    there = out.exists()
    if out.is_dir():
        raise Failure(f"{out}: a folder: give a file as --out", Status.SYSTEM)
    if there and not out.is_file():
        # It holds nothing that could be lost, and must stay what it is.
        with written(out, out), out.open("w", encoding="utf-8", newline="\n") as to:
            yield to
        return
    if there and not force:
        raise Failure(f"{out}: is there already: give another --out, or --force to replace it")
    # A link stays one: what it points to is replaced.
    place = Path(os.path.realpath(out))
    beside = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        with written(out, beside):
            with beside.open("x", encoding="utf-8", newline="\n") as to:
                yield to
            beside.replace(place)
    finally:
        if beside.exists():
            beside.unlink()


@contextmanager
def written(out: Path, place: Path) -> Iterator[None]:
    """Around the writing to `place`: what the system refuses is a Failure that names `out`. A closed pipe is none."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename not in (None, str(place)):
            raise
        raise Failure(f"{out}: cannot be written: {error.strerror}", Status.SYSTEM) from error
