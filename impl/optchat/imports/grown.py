"""What is new of a message that was the end of its file, and has grown since the chat took it.

More output joins the run of output that an aider history ended with. The log is only appended to, so the chat keeps
the beginning as it is, and takes the rest as a message of its own. A message whose beginning alone comes, from an
older copy of the file, is there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from optchat.imports.aider import half_of, start_of
from optchat.imports.record import Record
from optchat.store import Chat
from optchat.store.keys import PART
from optchat.store.prepare import clean

HEAD = re.compile(r"(?:user|assistant|echo): ")
"""What a note of a history's message begins with."""


@dataclass(slots=True)
class Piece:
    """A message of the chat, by the names in its key; `whole` is false when a crash left parts of it out."""

    names: list[str]
    text: str
    whole: bool


Pieces = dict[str, list[Piece]]
"""What the chat has of the messages with one start, in the order of the log."""


def pieces_of(chat: Chat, names: Iterable[str], keys: Iterable[str]) -> Pieces:
    """What a chat whose messages have these names has of the messages with these keys: what starts alike."""
    starts = {start_of(key) for key in keys} - {""}
    starts = {start for start in map(start_of, names) if start in starts} if starts else starts
    found: Pieces = {}
    if not starts:
        return found
    for message in chat.contents.run(0, len(chat.contents.messages)):
        key, part, _ = (message.key or "").partition(PART)
        start = start_of(key)
        if start not in starts:
            continue
        pieces = found.setdefault(start, [])
        names_of = key.split(" ")
        if pieces and not pieces[-1].whole and pieces[-1].names == names_of:
            pieces[-1].text += message.text
            pieces[-1].whole = not part
        else:
            pieces.append(Piece(names_of, bare(message.kind, message.text)[1], not part))
    return found


def bare(kind: str, text: str) -> tuple[str, str]:
    """What a note says of whose words it holds, and the words; other kinds say nothing."""
    head = HEAD.match(text) if kind == "note" else None
    return (head[0], text[head.end() :]) if head else ("", text)


def rest_of(record: Record, pieces: Pieces) -> str:
    """The text of a record without what the chat has of it; "" when it has all."""
    known = pieces.get(start_of(record.key), [])
    head, text = bare(record.kind, record.text)
    if not known or not record.key.endswith(half_of(text)):
        return record.text  # New, or a rest already, from another chat.
    text = clean(text)
    for piece in known:
        if record.key in piece.names:
            continue  # An interrupted import logged parts of this one: the store goes on with them.
        if text.startswith(piece.text):
            text = text.removeprefix(piece.text)
            text = text.removeprefix("\n") if piece.whole else text
        elif piece.text.startswith(text):
            return ""
    return head + text if text else ""
