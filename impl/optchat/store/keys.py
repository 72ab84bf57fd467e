"""Keys of messages: what makes an append happen once."""

from __future__ import annotations

from optchat.store.contents import Contents
from optchat.store.errors import StoreError

PART = "\x1f"
"""Between a key and the number of a part after the first, of a text that was logged as several messages."""


def part_key(key: str, part: int) -> str:
    """The key of a part of a text, counted from 0. Raises StoreError on a key that cannot be."""
    if not key or not key.isprintable():
        raise StoreError(f"{key!r} is no key: it must be some printable characters")
    return key if part == 0 else f"{key}{PART}{part}"


class Keys:
    """The ids of the messages that have a key. Nothing is read before the first question."""

    def __init__(self, contents: Contents) -> None:
        self._contents = contents
        self._ids: dict[str, int] | None = None

    def find(self, key: str) -> int | None:
        """The id of the message with a key."""
        if self._ids is None:
            self._ids = {
                message.key: message.i
                for message in self._contents.run(0, len(self._contents.messages))
                if message.key is not None
            }
        return self._ids.get(key)

    def add(self, key: str, index: int) -> None:
        if self._ids is not None:
            self._ids[key] = index
