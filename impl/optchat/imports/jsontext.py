"""JSON of other programs: lone surrogates in its texts; and the elements of a huge array, one at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from mmap import mmap
from typing import NamedTuple

TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|"|[\[\]{}]', re.DOTALL)
"""A string, the start of one that never ends, or a bracket."""


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
    """An element of an array as bytes: where it starts, and whether its end is there."""

    start: int
    data: bytes
    whole: bool


def elements(data: mmap | bytes, most: int) -> Iterator[Element]:
    """The objects and arrays that a top-level array holds; only one is in memory at a time, up to a byte past `most`.

    Any text before, between or after them comes as an element too, for it belongs nowhere.
    """
    depth = start = 0
    done = data.find(b"[") + 1
    for token in TOKEN.finditer(data):
        mark = data[token.start()]
        if mark in b"[{":
            depth += 1
            if depth == 2:
                start = token.start()
                yield from _stray(data, done, start, most)
        elif mark in b"]}":
            depth -= 1
            if depth == 1:
                done = token.end()
                yield _element(data, start, done, most)
            if depth < 1:
                yield from _stray(data, done, token.start(), most)
                yield from _stray(data, token.end(), len(data), most)
                return
        elif token.end() - token.start() == 1:
            break
    if depth > 1:
        yield _element(data, start, len(data), most, whole=False)
    elif depth:
        yield from _stray(data, done, len(data), most)
        yield Element(len(data), b"", False)


def _element(data: mmap | bytes, start: int, end: int, most: int, *, whole: bool = True) -> Element:
    return Element(start, bytes(data[start : min(end, start + most + 1)]), whole)


def _stray(data: mmap | bytes, start: int, end: int, most: int) -> Iterator[Element]:
    found = NO_GAP.search(data, start, end)
    if found is not None:
        element = _element(data, found.start(), end, most)
        yield element._replace(data=element.data.rstrip(b" \t\r\n,"))
