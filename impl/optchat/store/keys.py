"""Keys of messages: what makes an append happen once."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path

import msgspec
from msgspec import Struct

from optchat.store.contents import Contents
from optchat.store.errors import StoreError
from optchat.store.files import Files, make_folders, seal, unseal, write_atomic

PART = "\x1f"
"""Between a key and the number of a part, of a text that was logged as several messages."""

MAGIC = b"OPTCHAT-KEYS-1\n"
WORTH = 1_000
"""Messages not covered by the file, read in some 10 ms, from which on it is worth writing anew."""


def check_key(key: str) -> None:
    """Raise StoreError on a key that cannot be."""
    if not key or not key.isprintable():
        raise StoreError(f"{key!r} is no key: it must be some printable characters")


def part_key(key: str, part: int, parts: int) -> str:
    """The key of a part of a text, counted from 0. The last has the key itself: with it, the whole text is there."""
    return key if part == parts - 1 else f"{key}{PART}{part}"


class Head(Struct, frozen=True):
    byteorder: str
    stamp: str
    """The stamp of the index that the file belongs to: the keys of a replaced log are dropped with its index."""
    messages: int
    """The keys are those of the messages before this one."""
    keys: int


class Keys:
    """The ids of the messages that have a key.

    Nothing is read before the first question. Then 100 bytes a key are held: a hash of it and the id, and an answer is
    checked against the message itself.
    """

    def __init__(self, contents: Contents, path: Path, hash_of: Callable[[str], int] | None = None) -> None:
        self._contents = contents
        self._path = path
        self._hash = hash_of or hash_key
        self._ids: dict[int, int] | None = None
        self._saved = 0

    def find(self, key: str) -> int | None:
        """The id of the message with a key, None without one."""
        if self._ids is None:
            self._ids = self._load()
            self._take(self._ids, self._saved)
        index = self._ids.get(self._hash(key))
        if index is None or self._contents.record(index).key == key:
            return index
        # Two keys of one hash: only the log itself knows.
        return next((each.i for each in self._contents.run(0, len(self._contents.messages)) if each.key == key), None)

    def whole(self, key: str) -> list[int] | None:
        """The ids of the messages of a text that was logged whole under a key, None without one."""
        last = self.find(key)
        if last is None:
            return None
        ids: list[int] = []
        while (part := self.find(f"{key}{PART}{len(ids)}")) is not None:
            ids.append(part)
        return [*ids, last]

    def add(self, key: str, index: int) -> None:
        """A message with a new key was logged."""
        if self._ids is not None:
            self._ids.setdefault(self._hash(key), index)

    def save(self, files: Files) -> None:
        """Write the keys for the next open, when they were asked for and it is worth it. Not durable: see `_load`."""
        total = len(self._contents.messages)
        if self._ids is None or total - self._saved < WORTH:
            return
        hashes, ids = array("Q", self._ids.keys()), array("Q", self._ids.values())
        head = Head(sys.byteorder, self._contents.indexed.stamp, total, len(ids))
        body = msgspec.json.encode(head) + b"\n" + hashes.tobytes() + ids.tobytes()
        make_folders(files, self._path.parent)
        write_atomic(files, self._path, seal(MAGIC, body), durable=False)
        self._saved = total

    def _load(self) -> dict[int, int]:
        """The keys of the file, when it is whole and of this log; else none, and all messages are to be read."""
        self._saved = 0
        try:
            data = self._path.read_bytes()
        except OSError:  # As with the index: what cannot be read is not there, and the messages are.
            return {}
        body = unseal(MAGIC, data)
        if isinstance(body, str):
            return {}
        start = len(data) - len(body)
        end = data.index(b"\n", start) + 1
        head = msgspec.json.decode(data[start:end], type=Head)
        mine = (sys.byteorder, self._contents.indexed.stamp)
        if (head.byteorder, head.stamp) != mine or head.messages > len(self._contents.messages):
            return {}
        hashes, ids = array("Q"), array("Q")
        middle = end + head.keys * hashes.itemsize
        hashes.frombytes(data[end:middle])
        ids.frombytes(data[middle:])
        self._saved = head.messages
        return dict(zip(hashes, ids, strict=True))

    def _take(self, ids: dict[int, int], start: int) -> None:
        """Add the keys of the messages from `start` on."""
        contents = self._contents
        if start == len(contents.messages):
            return
        index = start
        for block in contents.main.scan(contents.messages[start]):
            for line in block.lines:
                # Most lines have none, and need not be decoded; within a text the second quote is escaped.
                if b'"key"' in line:
                    key = contents.record(index).key
                    if key is not None:
                        ids.setdefault(self._hash(key), index)
                index += 1


def hash_key(key: str) -> int:
    return int.from_bytes(blake2b(key.encode(), digest_size=8).digest(), "little")
