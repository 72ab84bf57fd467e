"""What becomes of a text before it is logged: made valid, a tool's clipped, any other split without loss."""

from __future__ import annotations

import unicodedata

LIMIT = 30_000
"""The most characters of one message."""


def clean(text: str) -> str:
    """The text with NUL and lone surrogates replaced visibly; surrogates that pair up become their character."""
    if "\0" in text:
        text = text.replace("\0", "\N{SYMBOL FOR NULL}")
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def clip(text: str, limit: int = LIMIT) -> str:
    """A tool's output in at most `limit` characters: its head and tail, and between them how much is gone."""
    if len(text) <= limit:
        return text
    gone = len(text) - limit
    while True:
        mark = f"\n[... {gone} characters left out ...]\n"
        room = limit - len(mark)
        if len(text) - room <= gone:
            break
        gone = len(text) - room
    head = (room + 1) // 2
    return text[:head] + mark + text[len(text) - (room - head) :]


def split(text: str, limit: int = LIMIT) -> list[str]:
    """The text as pieces of at most `limit` characters; joined, they are the text again. Never an empty list.

    A piece ends after a line, or else a word, of its last fifth, and else where no combining mark follows.
    """
    pieces = []
    start = 0
    while len(text) - start > limit:
        end = _end(text, start, limit)
        pieces.append(text[start:end])
        start = end
    pieces.append(text[start:])
    return pieces


def _end(text: str, start: int, limit: int) -> int:
    hard = start + limit
    soft = hard - limit // 5
    for separator in ("\n", " "):
        at = text.rfind(separator, soft, hard)
        if at >= 0:
            return at + 1
    at = hard
    while at > soft and _joined(text, at):
        at -= 1
    return at if at > soft else hard


def _joined(text: str, at: int) -> bool:
    """Whether the characters before and at a place show as one: a mark or a joiner follows, or a joiner goes before."""
    joiner = "\N{ZERO WIDTH JOINER}"
    return unicodedata.category(text[at]) in {"Mn", "Mc", "Me"} or joiner in text[at - 1 : at + 1]


def prepare(kind: str, text: str) -> list[str]:
    """The texts of the messages that a text is logged as."""
    text = clean(text)
    return [clip(text)] if kind == "tool" else split(text)
