"""JSON of other programs: lone surrogates in its texts; and the elements of a huge array, one at a time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|"|[\[\]{}]', re.DOTALL)
"""A string, the start of one whose end is not there, or a bracket."""

INSIDE = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
"""What a string holds, up to its end or to a backslash whose next byte is not there."""

NO_GAP = re.compile(rb"[^\s,]")
"""What does not belong between the elements of an array."""


def has_surrogate(text: str) -> bool:
    """Whether a text holds a lone surrogate, so that it has no UTF-8 form."""
    if text.isascii():
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def repaired(text: str) -> str:
    """The text with each lone surrogate replaced visibly, by U+FFFD; those that pair up become their character."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace") if has_surrogate(text) else text


class Element(NamedTuple):
    """An element of an array as bytes: the line where it starts, and whether its end is there."""

    line: int
    data: bytes
    whole: bool


def elements(chunks: Iterable[bytes], most: int) -> Iterator[Element]:
    """The objects and arrays that a top-level array holds; only one is in memory at a time, up to a byte past `most`.

    Any text before, between or after them comes as an element too, for it belongs nowhere.
    """
    reader = _Elements(most)
    for chunk in chunks:
        yield from reader.feed(chunk)
    yield from reader.end()


@dataclass(slots=True)
class _Elements:
    """The array as far as it was read."""

    most: int
    depth: int = 0
    ended: bool = False
    """Whether the array's own end was read."""
    string: bool = False
    """Whether the next byte is within a string."""
    carry: bytes = b""
    """A backslash whose next byte is not read yet."""
    line: int = 1
    start: int = 1
    """The line where what is held starts."""
    held: bytearray = field(default_factory=bytearray)
    """The element that is being read, or what stands between two."""

    def feed(self, chunk: bytes) -> Iterator[Element]:
        data, self.carry = self.carry + chunk, b""
        taken = 0
        for token in () if self.ended else TOKEN.finditer(data, self._string(data, 0)):
            at, end = token.span()
            mark = data[at]
            if mark in b"[{":
                if self.depth < 2:
                    self._take(data[taken:at])
                    yield from self._stray()
                    taken, self.start = at if self.depth else end, self.line
                self.depth += 1
            elif mark in b"]}":
                if self.depth == 2:
                    self._take(data[taken:end])
                    yield Element(self.start, bytes(self.held), True)
                    self.held.clear()
                    taken = end
                elif self.depth < 2:
                    self._take(data[taken:at])
                    yield from self._stray()
                    taken, self.ended = end, True
                self.depth -= 1
                if self.ended:
                    break
            elif end - at == 1:
                self.string = True
                self._string(data, end)
                break
        self._take(data[taken : len(data) - len(self.carry)])

    def end(self) -> Iterator[Element]:
        self._take(self.carry)
        if self.depth > 1:
            yield Element(self.start, bytes(self.held), False)
            return
        yield from self._stray()
        if not self.ended:
            yield Element(self.line, b"", False)

    def _string(self, data: bytes, at: int) -> int:
        """Where the string ends that the place `at` is in, if it is in one."""
        if not self.string:
            return at
        end = INSIDE.match(data, at).end()  # type: ignore[union-attr]  # It matches anything.
        if data[end : end + 1] == b'"':
            self.string = False
            return end + 1
        self.carry = data[end:]
        return len(data)

    def _take(self, data: bytes) -> None:
        if self.depth < 2 and not self.held:
            # What stands before the array is at most a byte order mark.
            found = NO_GAP.search(data) if self.depth or self.ended else None
            at = found.start() if found else len(data)
            self.line += data.count(b"\n", 0, at)
            self.start, data = self.line, data[at:]
        self.line += data.count(b"\n")
        self.held += data[: max(0, self.most + 1 - len(self.held))]

    def _stray(self) -> Iterator[Element]:
        if self.held:
            yield Element(self.start, bytes(self.held).rstrip(b" \t\r\n,"), True)
        self.held.clear()
