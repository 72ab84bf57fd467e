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
- In a file whose marked lines all lack the two spaces (an editor has stripped them, or a person wrote it), a mark is
  enough.
- A reply is what stands between these, without the empty lines around it.

Every message of a session has the session's date, which is local and has no zone. The lines before the first header
are the end of an older session: they get the date of the first header, and come before it.
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
from optchat.imports.record import Damage, ImportFailed, Keys, Record, Stream, digest_of, key_of

HEADER = "# aider chat started at "
IS_HEADER = re.compile(re.escape(HEADER.encode()) + rb"\d", re.ASCII)
FORM = "%Y-%m-%d %H:%M:%S"
SOURCE = "aider"


class Text(NamedTuple):
    """A line of a session; `bad` says why it cannot be read."""

    number: int
    text: str
    bad: str = ""


class Block(NamedTuple):
    """A message of a session before it has a date."""

    kind: str
    line: int
    text: str
    bad: Text | None
    """The first of its lines that cannot be read."""


class Session(NamedTuple):
    """The lines from one header (`started` is what it says; "" before the first) to the next (`before`)."""

    started: str
    line: int
    lines: list[Text]
    before: str


def parse(path: Path, advance: Advance) -> Stream:
    """The messages of a history. Raises ImportFailed on a file without a header: nothing in it has a date."""
    keys = Keys(SOURCE)
    strict = is_strict(path)
    for session in sessions(path, advance):
        if not session.started and not session.before:
            raise ImportFailed(
                f"{path}: no line says '{HEADER}...': this is no aider history, or a part without a date"
            )
        try:
            date = local_date(session.started or session.before, FORM)
        except BadDate as error:
            count = sum(1 for _ in blocks(session.lines, strict))
            yield Damage(path, session.line, f"{error}; {count} messages of this session are left out")
            continue
        yield from dated(path, session, date, keys, strict)


def is_strict(path: Path) -> bool:
    """Whether a file's marked lines have the two spaces: one of them is enough, which a real file has near its start.

    What stands before the first header decides nothing: it can be any part of a reply.
    """
    headed = bare = False
    for line in lines_of(path, lambda _: None):
        data = line.data.removesuffix(b"\r")
        if data.startswith((b"#### ", b"> ")):
            if data.endswith(b"  "):
                return True
            bare = bare or headed
        headed = headed or IS_HEADER.match(data) is not None
    return not bare


def dated(path: Path, session: Session, date: datetime, keys: Keys, strict: bool) -> Stream:
    """The records of a session.

    A message has a name by its session (`key`) and one by the header after it (`twin`), counted from the session's
    end: the part of a session that a cut file begins with has only the second.
    """
    found = list(blocks(session.lines, strict))
    behind: Counter[bytes] = Counter()
    twins = []
    for block in reversed(found):
        digest = digest_of(SOURCE, "before", session.before, block.kind, block.text)
        twins.append(key_of(f"{SOURCE}-before", digest, behind[digest]) if session.before else "")
        behind[digest] += 1
    for block, twin in zip(found, reversed(twins), strict=True):
        names = (keys.key(session.started, block.kind, block.text), twin) if session.started else (twin, "")
        if block.bad:
            yield Damage(path, block.bad.number, f"{block.bad.bad}; its message is left out")
        else:
            yield Record(block.kind, block.text, date, *names, path, block.line)


def sessions(path: Path, advance: Advance) -> Iterator[Session]:
    """The sessions of a history; one is in memory at a time."""
    started, start, lines = "", 1, list[Text]()
    returns = False
    for line in lines_of(path, advance):
        if line.number == 1:
            returns = line.data.endswith(b"\r")
        data = line.data.removesuffix(b"\r") if returns else line.data
        if IS_HEADER.match(data) and (not lines or not lines[-1].text):
            header = data.decode(errors="replace").removeprefix(HEADER).rstrip()
            if lines or started:
                yield Session(started, start, lines, header)
            started, start, lines = header, line.number, []
            continue
        try:
            text = Text(line.number, data.decode())
        except UnicodeDecodeError as error:
            text = Text(line.number, data.decode(errors="replace"), f"not UTF-8 at byte {error.start} of the line")
        if too_long(line):
            text = Text(line.number, "(too long)", "a line that is too long for a text")
        lines.append(text)
    yield Session(started, start, lines, "")


def blocks(lines: list[Text], strict: bool) -> Iterator[Block]:
    """The messages of a session's lines, in order. `strict`: a mark needs the two spaces at its line's end."""
    marks = marks_of(lines, strict)
    at = 0
    while at < len(lines):
        start, kind = at, marks[at].kind
        texts = []
        while at < len(lines) and marks[at].kind == kind:
            end = marks[at].end
            texts.append(_bare("\n".join(each.text for each in lines[at:end]), MARKS[kind]))
            at = end
        yield from _block(kind, lines[start:at], texts)


class Mark(NamedTuple):
    """What a line begins: something of a kind, up to before the line at `end`."""

    kind: str
    end: int


MARKS = {"user": "#### ", "echo": "> ", "unii": ""}


def marks_of(lines: list[Text], strict: bool) -> list[Mark]:
    """What each line begins. A line within an output of several lines counts for nothing."""
    marks = [_mark(at, each.text, strict) for at, each in enumerate(lines)]
    return _with_outputs(lines, marks) if strict else marks


def _closes(text: str) -> bool:
    """Whether an output can end with this line: aider strips its end before it adds the two spaces."""
    return len(text) > 2 and text.endswith("  ") and not text[-3].isspace()


def _mark(at: int, text: str, strict: bool) -> Mark:
    if strict and not text.endswith("  "):
        return Mark("unii", at + 1)
    if text.startswith("#### ") or (text == "####" and not strict):
        return Mark("user", at + 1)
    if text.startswith("> ") or (text == ">" and not strict):
        return Mark("echo", at + 1)
    return Mark("unii", at + 1)


def _with_outputs(lines: list[Text], marks: list[Mark]) -> list[Mark]:
    """The marks with those of outputs that have a mark on their first line and two spaces on their last alone."""
    closings, empties = [0] * len(lines), [len(lines)] * len(lines)
    """By line: the index after the one that ends the output which goes on there (0: none); the next empty line."""
    closing, empty = 0, len(lines)
    for at in range(len(lines) - 1, -1, -1):
        text = lines[at].text
        closings[at] = closing
        if marks[at].kind != "unii":
            closing = 0
        elif _closes(text):
            closing = at + 1
        if not text:
            empty = at
        empties[at] = empty
    at, after = 0, True
    while at < len(lines):
        end = closings[at]
        if marks[at].kind == "unii" and lines[at].text.startswith("> ") and end and (after or empties[at] >= end):
            marks[at] = Mark("echo", end)
        after = marks[at].kind != "unii"
        at = marks[at].end
    return marks


def _block(kind: str, lines: list[Text], texts: list[str]) -> Iterator[Block]:
    text = "\n".join(texts)
    if kind == "unii":
        text = text.strip("\n")
    if text:
        line = lines[0].number + (next(at for at, each in enumerate(lines) if each.text) if kind == "unii" else 0)
        bad = next((each for each in lines if each.bad), None)
        yield Block(kind, line, text, bad)


def _bare(text: str, mark: str) -> str:
    """A message's line, or block of lines, without its mark and without the two spaces at its end."""
    if not mark:
        return text
    # An empty line is written without the space between its mark and the two spaces.
    return text[len(mark) :].removesuffix("  ") if len(text) >= len(mark) + 2 else text[len(mark) :].rstrip(" ")
