"""Messages that were the end of their file, and have grown: their beginnings, their rests, and the two joined.

More output joins the run of output that an aider history ended with. The log is only appended to, so a chat keeps the
beginning as it is, and takes the rest as a message of its own, under the name of the whole. That name has a hash of
the whole text: by it a rest is told from a beginning, and is joined to the right one when the chat is read again.

What is read is whole before it is compared: a rest from another chat is joined to its beginning, or, where that is not
there, named as a message of its own. So all that is left to see is whether one text begins another. A message with a
second name is followed by another session: it has its end, and begins nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from optchat.imports.aider import HALF, half_of, start_of
from optchat.imports.record import Record, digest_of, key_of
from optchat.store import Chat
from optchat.store.keys import PART
from optchat.store.prepare import clean

HEAD = re.compile(r"(?:user|assistant|echo): ")
"""What a note of a history's message begins with."""

ORPHANS = "optchat"
"""The source in the name of a rest whose beginning is not there."""


class Known(NamedTuple):
    """What is known of a message from its start on.

    `open`: it can go on. `names` are those of a text of which a crash left the last parts out, else none: what follows
    them goes on within a line.
    """

    text: str
    open: bool
    names: tuple[str, ...] = ()


KnownByStart = dict[str, list[Known]]


def bare(kind: str, text: str) -> tuple[str, str]:
    """What a note says of whose words it holds, and the words; other kinds say nothing."""
    head = HEAD.match(text) if kind == "note" else None
    return (head[0], text[head.end() :]) if head else ("", text)


def is_rest(record: Record) -> bool:
    """Whether a record of another chat holds the rest of a grown message alone."""
    return start_of(record.key) != "" and not record.key.endswith(half_of(bare(record.kind, record.text)[1]))


def joined(beginnings: Iterable[str], rest: str, key: str) -> tuple[int, str] | None:
    """The whole text that a key names, of a beginning and its rest, and which beginning it has; None without one."""
    half = key[-HALF:]
    for number, beginning in enumerate(beginnings):
        for text in (f"{beginning}\n{rest}", beginning + rest):
            if half_of(text) == half:
                return number, text
    return None


def completed(records: Iterable[Record]) -> list[tuple[int, Record]]:
    """The records of one file that start alike, as whole messages, each with the number of its beginning's."""
    whole: list[tuple[int, Record]] = []
    for number, record in enumerate(records):
        if not is_rest(record):
            whole.append((number, record))
        # Most often, the last one has grown.
        elif (found := joined((_words(each) for _, each in reversed(whole)), _words(record), record.key)) is not None:
            first, beginning = whole[-1 - found[0]]
            text = bare(beginning.kind, beginning.text)[0] + found[1]
            whole.append((first, beginning._replace(text=text, key=record.key, twin=record.twin)))
        else:
            whole.append((number, orphan(record)))
    return whole


def orphan(record: Record) -> Record:
    """A rest without its beginning, as a message of its own: by the name of the whole, the beginning would be lost."""
    return record._replace(key=key_of(ORPHANS, digest_of(record.key, record.text), 0), twin="")


def beginnings(records: Iterable[Record]) -> set[str]:
    """The keys of the records, of those that start alike, of which another one has all and more."""
    words = [(_words(record), record) for record in records]
    texts = sorted({text for text, _ in words})
    # In this order, what a text begins comes right after it.
    begun = {text for text, after in pairwise(texts) if after.startswith(text)}
    return {record.key for text, record in words if text in begun and not record.twin}


def _words(record: Record) -> str:
    return clean(bare(record.kind, record.text)[1])


class _Piece(NamedTuple):
    """A message of the chat: its key, its text without a note's head, and whether it is there to its end."""

    key: str
    text: str
    whole: bool


def known_of(chat: Chat, names: Iterable[str], keys: Iterable[str]) -> KnownByStart:
    """What a chat whose messages have these names has of the messages with these keys: what starts alike."""
    starts = {start_of(key) for key in keys} - {""}
    if starts:
        starts &= set(map(start_of, names))
    found: dict[str, list[_Piece]] = {}
    for message in chat.contents.run(0, len(chat.contents.messages)) if starts else ():
        key, part, _ = (message.key or "").partition(PART)
        start = start_of(key)
        if start not in starts:
            continue
        pieces = found.setdefault(start, [])
        if pieces and not pieces[-1].whole and pieces[-1].key == key:
            pieces[-1] = _Piece(key, pieces[-1].text + message.text, not part)
        else:
            pieces.append(_Piece(key, bare(message.kind, message.text)[1], not part))
    return {start: _known(pieces) for start, pieces in found.items()}


def _known(pieces: Iterable[_Piece]) -> list[Known]:
    """The texts that pieces of the log make, each from the start on."""
    known: list[Known] = []
    for piece in pieces:
        name, _, twin = piece.key.partition(" ")
        if not piece.whole:
            # Nothing says what it goes on with: it can be any of these.
            texts = [piece.text, *(f"{each.text}\n{piece.text}" for each in known if not each.names)]
            known += [Known(text, True, tuple(piece.key.split(" "))) for text in texts]
        elif half_of(piece.text) == name[-HALF:]:
            known.append(Known(piece.text, not twin))
        elif (found := joined((each.text for each in reversed(known)), piece.text, name)) is not None:
            known.append(Known(found[1], not twin))
    return known


def rest_of(record: Record, known: KnownByStart) -> str:
    """The text of a record without what the chat has of it; "" when it has all."""
    head, _ = bare(record.kind, record.text)
    text = _words(record)
    best = Known("", True)
    for each in known.get(start_of(record.key), ()):
        if record.key in each.names:
            continue  # An interrupted import logged parts of this one: the store goes on with them.
        if not record.twin and each.text.startswith(text):
            return ""
        if each.open and len(each.text) > len(best.text) and text.startswith(each.text):
            best = each
    if not best.text:
        return record.text
    text = text[len(best.text) :]
    text = text if best.names else text.removeprefix("\n")
    return head + text if text else ""
