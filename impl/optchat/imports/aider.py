"""aider's Markdown history.

What the program writes, and so what is read here, line by line:

    # aider chat started at 2024-08-05 19:33:02     a session begins, between two empty lines
    #### text··                                     a line of the user's message (two spaces end it)
    > text··                                        a line of the program's output
    anything else                                   the assistant's reply, as it came

- A user's message is a run of its lines; an output (kind echo) is a run of output lines. Of each line, the mark and the
  two spaces at its end are dropped, and nothing else.
- An output of several lines can be written with the mark on its first line and the two spaces on its last alone. A
  `>` line without the two spaces begins such a block when that end comes before the next marked line, and when the
  line follows a marked line or block (no reply stands between them) or else no empty line is within. If not, it is
  a quotation in a reply, as a `####` line without the two spaces is a heading in one.
- An editor can have stripped all lines, and aider gone on: up to the first message that has the two spaces, a mark is
  enough. The lines before the first header are read like the first message after it.
- A reply is what stands between these, without the empty lines around it.

Every message of a session has the session's date, which is local and has no zone. The lines before the first header
are the end of an older session: they get the date of the first header, and come before it.

The last message of a history can grow: more output joins the run that was its end. So a message's name begins with
that of its start (`start_of`), by which `optchat.imports.grown` knows it again. A start is a whole first line: a
message of a file that was cut within that line is another one, and is logged again when the file is whole. (By less
than the line, messages that only begin alike would be taken for one, and lost.)

All that names a session is its second. Of two histories with sessions of one second, messages that are alike are one
as far as the other has as many of them; so is the same of two sessions of one second that a cut separates.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from optchat.imports.dates import BadDate, local_date
from optchat.imports.files import Advance, lines_of, too_long
from optchat.imports.record import Damage, ImportFailed, Record, Stream, digest_of, key_of
from optchat.store.prepare import clean

HEADER = "# aider chat started at "
IS_HEADER = re.compile(re.escape(HEADER.encode()) + rb"\d", re.ASCII)
FORM = "%Y-%m-%d %H:%M:%S"
SOURCE = "aider"
LIMIT = 256 << 20
"""The most bytes of one session: it is in memory at once."""

MARKED = re.compile(rb"^(#### |> ).*$", re.MULTILINE)
BARE_MARKED = re.compile(rb"^(####|>)(?: .*)?$", re.MULTILINE)
KINDS = {b"#": "user", b">": "echo"}
MARKS = {"user": b"#### ", "echo": b"> "}

TOO_LONG = b"\xff a line that is too long for a text"
"""What stands for such a line. As it is no UTF-8, its message cannot be read."""


class Session(NamedTuple):
    """A header (`started` is what it says; "" before the first), its line, and what stands from there to the next.

    `data` are whole lines, the first of them at line `first`; `before` is what the next header says. `whole` is false
    of a session that is too long.
    """

    started: str
    line: int
    first: int
    data: bytes
    before: str
    whole: bool


class Block(NamedTuple):
    """A message of a session before it has a date."""

    kind: str
    line: int
    text: str
    bad: tuple[int, str] | None
    """The first of its lines that cannot be read, and why."""


class Span(NamedTuple):
    """Bytes of a session: a marked line, or an output that has its mark on the first line alone."""

    kind: str
    start: int
    end: int


class Run(NamedTuple):
    """Bytes of a session that are one message, and its text, which may be empty."""

    kind: str
    start: int
    end: int
    text: bytes


def parse(path: Path, advance: Advance) -> Stream:
    """The messages of a history. Raises ImportFailed on a file without a header: nothing in it has a date."""
    starts = Counter[bytes]()
    stripped = is_stripped(path)
    for session in sessions(path, advance):
        if not session.started and not session.before:
            raise ImportFailed(
                f"{path}: no line says '{HEADER}...': this is no aider history, or a part without a date"
            )
        if not session.whole:
            yield Damage(path, session.line, f"a session of more than {LIMIT:,} bytes: split it with another header")
            continue
        try:
            date = local_date(session.started or session.before, FORM)
        except BadDate as error:
            count = sum(1 for _ in blocks(session, stripped))
            yield Damage(path, session.line, f"{error}; {count} messages of this session are left out")
        else:
            yield from dated(path, session, date, starts, stripped)
        stripped = stripped and (not session.started or first_span(session.data) is None)


def is_stripped(path: Path) -> bool:
    """Whether a file's first message with a mark after a header lacks the two spaces.

    What stands before the first header decides nothing: it can be any part of a reply.
    """
    for session in sessions(path, lambda _: None):
        if session.started and (mark := BARE_MARKED.search(session.data)):
            span = first_span(session.data)
            return span is None or span.start > mark.start()
    return False


def first_span(data: bytes) -> Span | None:
    """The first message of a session that has a mark and the two spaces."""
    return next(outputs(data), None)


def dated(path: Path, session: Session, date: datetime, starts: Counter[bytes], stripped: bool) -> Stream:
    """The records of a session.

    A message has a name by its session (`key`) and one by the header after it (`twin`), counted from the session's
    end: the part of a session that a cut file begins with has only the second.
    """
    found = list(blocks(session, stripped))
    digests = [digest_of(SOURCE, "before", session.before, block.kind, block.text) for block in found]
    left = Counter(digests)
    for block, digest in zip(found, digests, strict=True):
        left[digest] -= 1
        twin = key_of(f"{SOURCE}-before", digest, left[digest]) if session.before else ""
        names = (name_of(session.started, block, starts), twin) if session.started else (twin, "")
        if block.bad:
            number, why = block.bad
            yield Damage(path, number, f"{why}; its message is left out")
        else:
            yield Record(block.kind, block.text, date, *names, path, block.line)


HALF = 16
"""The hexadecimal digits of a half of a name."""


def name_of(started: str, block: Block, starts: Counter[bytes]) -> str:
    """A message's name: of its start (the session, the kind, the first line, how many began like it), then its text."""
    start = digest_of(SOURCE, started, block.kind, block.text.partition("\n")[0])
    number = starts[start]
    starts[start] += 1
    return f"{SOURCE}-{digest_of(start.hex(), str(number)).hex()[:HALF]}{half_of(block.text)}"


def half_of(text: str) -> str:
    """The second half of a message's name: its text's, as the log has it."""
    return digest_of(clean(text)).hex()[:HALF]


def start_of(name: str) -> str:
    """The first half of a message's name, that of its start; "" of another name."""
    known = IS_NAME.match(name)
    return known[1] if known else ""


IS_NAME = re.compile(rf"{SOURCE}-([0-9a-f]{{{HALF}}})")


def sessions(path: Path, advance: Advance) -> Iterator[Session]:
    """The sessions of a history; one is in memory at a time."""
    started, line, first = "", 1, 1
    data = bytearray()
    returns, empty, whole = False, True, True
    for each in lines_of(path, advance):
        if each.number == 1:
            returns = each.data.endswith(b"\r")
        text = each.data.removesuffix(b"\r") if returns else each.data
        if empty and IS_HEADER.match(text):
            header = text.decode(errors="replace").removeprefix(HEADER).rstrip()
            if data or started:
                yield Session(started, line, first, bytes(data), header, whole)
            started, line, first = header, each.number, each.number + 1
            data, whole = bytearray(), True
            continue
        empty = not text
        whole = whole and len(data) + len(text) < LIMIT
        if whole:
            data += TOO_LONG if too_long(each) else text
            data += b"\n"
    yield Session(started, line, first, bytes(data), "", whole)


def blocks(session: Session, stripped: bool) -> Iterator[Block]:
    """The messages of a session, in order. `stripped`: a mark is enough, up to the first with the two spaces."""
    data = session.data
    line, at = session.first, 0
    for kind, start, end, text in runs(data, stripped):
        if text:
            line += data.count(b"\n", at, start)
            at = start
            yield Block(kind, line, *_decoded(text, data[start:end], line))


def runs(data: bytes, stripped: bool) -> Iterator[Run]:
    """A session in messages: the spans of one kind in a row, or what stands between them."""
    kind, start, end = "", 0, 0
    text = bytearray()
    for span in spans(data) if stripped else outputs(data):
        if span.start > end or span.kind != kind:
            if kind:
                yield Run(kind, start, end, bytes(text))
            if span.start > end:
                yield _reply(data, end, span.start)
            kind, start = span.kind, span.start
            text.clear()
        else:
            text += b"\n"
        text += _bare(data[span.start : span.end - 1], MARKS[kind])
        end = span.end
    if kind:
        yield Run(kind, start, end, bytes(text))
    if end < len(data):
        yield _reply(data, end, len(data))


def _reply(data: bytes, start: int, end: int) -> Run:
    text = data[start:end].lstrip(b"\n")
    return Run("unii", end - len(text), end, text.rstrip(b"\n"))


def spans(data: bytes) -> Iterator[Span]:
    """Of a session whose first lines may be stripped: those with a mark, and then those with the two spaces too."""
    first = first_span(data)
    for found in BARE_MARKED.finditer(data, 0, first.start if first else len(data)):
        yield Span(KINDS[found[1][:1]], found.start(), found.end() + 1)
    if first:
        yield from outputs(data)


def outputs(data: bytes) -> Iterator[Span]:
    """The lines with a mark and the two spaces, and the outputs with a mark on their first line alone."""
    end = hole = 0
    closing: Span | None = Span("", 0, 0)
    for found in MARKED.finditer(data):
        start = found.start()
        if start < end:
            continue
        kind, after = KINDS[found[1][:1]], found.end() + 1
        if not found[0].endswith(b"  "):
            if kind == "user":
                continue
            if closing is not None and closing.start < after:
                closing = _closing(data, after)
            if hole < start:
                hole = data.find(b"\n\n", start) % (len(data) + 1)
            # Only what follows a marked line can have an empty line within.
            if closing is None or closing.kind or (start > end and hole + 2 <= closing.end):
                continue
            after = closing.end
        yield Span(kind, start, after)
        end = after


def _closing(data: bytes, start: int) -> Span | None:
    """The next line that ends a message with two spaces: one with a mark, by its kind, or one of an output ("")."""
    while (at := data.find(b"  \n", start)) >= 0:
        first, end = data.rfind(b"\n", start, at) + 1 or start, at + 3
        if data.startswith((b"#### ", b"> "), first):
            return Span(KINDS[data[first : first + 1]], first, end)
        # aider strips an output's end before it adds the two spaces.
        before = data[max(first, at - 4) : at].decode(errors="replace")
        if before and not before[-1].isspace():
            return Span("", first, end)
        start = end
    return None


def _bare(text: bytes, mark: bytes) -> bytes:
    """A message's line, or block of lines, without its mark and without the two spaces at its end."""
    # An empty line is written without the space between its mark and the two spaces.
    return text[len(mark) :].removesuffix(b"  ") if len(text) >= len(mark) + 2 else text[len(mark) :].rstrip(b" ")


def _decoded(text: bytes, raw: bytes, line: int) -> tuple[str, tuple[int, str] | None]:
    """A message's text, and the first of its lines, `raw` from `line` on, that cannot be read."""
    try:
        return text.decode(), None
    except UnicodeDecodeError:
        for number, each in enumerate(raw.split(b"\n"), line):
            try:
                each.decode()
            except UnicodeDecodeError as error:
                why = f"not UTF-8 at byte {error.start} of the line" if each != TOO_LONG else TOO_LONG[2:].decode()
                return text.decode(errors="replace"), (number, why)
        raise
