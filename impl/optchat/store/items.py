"""What may be appended to a chat: texts with their kinds, dates, keys and images."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from optchat.store.errors import StoreError
from optchat.store.records import NOT_THE_AGENT


class Item(NamedTuple):
    """A text to append. `date` has a zone; None is now."""

    kind: str
    text: str
    date: datetime | None = None
    key: str | None = None
    images: tuple[str, ...] = ()
    """Names that `save_image` gave; they go with the first message of a long text."""


class Appended(NamedTuple):
    """The ids of the messages that an item is logged as; `new` is False when all of them were there by its key."""

    ids: list[int]
    new: bool


class Line(NamedTuple):
    """A message that is to be logged, and its line."""

    kind: str
    text: str
    key: str | None
    line: bytes


def local_now() -> datetime:
    """The moment with this machine's offset, in milliseconds."""
    now = datetime.now().astimezone()
    return now.replace(microsecond=now.microsecond // 1000 * 1000)


def kind_of(kind: str, agent: str) -> str:
    """A kind as it is logged: the agent's is its name. Raises StoreError on what is none."""
    if kind in NOT_THE_AGENT:
        return kind
    if kind in ("unii", agent):
        return agent
    kinds = ", ".join(sorted({*NOT_THE_AGENT, agent}))
    raise StoreError(f"{kind!r} is no kind of message: it must be one of {kinds}")


def date_text(date: datetime) -> str:
    """A moment as it is logged, with its offset. Raises StoreError on one without a zone."""
    if date.tzinfo is None:
        raise StoreError(f"the date {date.isoformat()} has no zone: give it one")
    whole = date.microsecond % 1000 == 0
    return date.isoformat(timespec="milliseconds" if whole else "microseconds")
