"""What a parser yields: messages, what it left out, and what is damaged. And the keys that make a message one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple


class ImportFailed(Exception):
    """An import that cannot be done. `str()` is one line: what, where, the way out. Nothing was logged.

    `damaged` says that records in the file are at fault, not what was asked for.
    """

    def __init__(self, message: str, *, damaged: bool = False) -> None:
        super().__init__(message)
        self.damaged = damaged


class Record(NamedTuple):
    """One message of a source.

    `kind` is one of user, unii, tool, echo, work, note; `text` is the message word for word, never empty; `date` is
    aware. `key` names the message wherever it is found again: it depends on the date and the content alone, never on
    the file or a place in it. `twin` is a second name of the same message, "" when it has none. `line` counts from 1.
    """

    kind: str
    text: str
    date: datetime
    key: str
    twin: str
    path: Path
    line: int
    alternate: bool = False
    """Whether it lies on a branch of its conversation that was given up."""


class Damage(NamedTuple):
    """A record that cannot be read, in one line: where, and why."""

    path: Path
    line: int
    why: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.why}"


class LeftOut(NamedTuple):
    """A record that is no message of the conversation, by reason."""

    reason: str


Parsed = Record | Damage | LeftOut
Stream = Iterator[Parsed]


@dataclass(slots=True)
class Keys:
    """The keys of one file's messages.

    A key is a hash of what the message says and when, and of how many just like it came before it. So the same
    message has the same key in another file, in a longer copy of the file, or in a part of it; and two messages that
    are alike to the second stay two.
    """

    source: str
    seen: Counter[bytes] = field(default_factory=Counter)

    def key(self, date: str, kind: str, text: str, own: str = "") -> str:
        """The next key. `date` as one form writes it; `own` is an id that the source gives the message, if any."""
        digest = digest_of(self.source, date, kind, own, text)
        count = self.seen[digest]
        self.seen[digest] += 1
        return key_of(self.source, digest, count)


def digest_of(*parts: str) -> bytes:
    """A 16-byte hash of the parts: no two lists of parts share one but by accident."""
    hashed = blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        hashed.update(len(data).to_bytes(8, "little"))
        hashed.update(data)
    return hashed.digest()


def key_of(source: str, digest: bytes, count: int) -> str:
    """The name of the message that is the `count`-th (from 0) of those with one digest."""
    return f"{source}-{digest.hex()}" + (f"-{count}" if count else "")


def utc(date: datetime) -> str:
    """A moment in one form, whatever its zone."""
    return date.astimezone(UTC).isoformat(timespec="microseconds")
