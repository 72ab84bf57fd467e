"""Files as they are given: opened, checked for what is no text, and read line by line."""

from __future__ import annotations

import mmap
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

from optchat.imports.record import ImportFailed

LINE_LIMIT = 64 << 20
"""The most bytes of one line: a longer one is no record, and would only fill the memory."""

HEAD = 64 << 10
"""How much of a file's start is looked at to tell what it is."""

Advance = Callable[[int], None]
"""Called with how many more bytes were read."""


class Line(NamedTuple):
    """A line without its end. `number` counts from 1; `ended` says whether a newline ended it."""

    number: int
    data: bytes
    ended: bool


def head_of(path: Path) -> bytes:
    """The first bytes of a file. Raises ImportFailed, one line, on what is missing, no file or empty; OSError."""
    if not path.exists():
        raise ImportFailed(f"{path}: there is no such file")
    if not path.is_file():
        raise ImportFailed(f"{path}: this is no file, and no folder of a chat: save what it gives to a file first")
    with path.open("rb") as file:
        head = file.read(HEAD)
    if not head:
        raise ImportFailed(f"{path}: this file is empty")
    return head


def check_text(path: Path, head: bytes) -> None:
    """Raises ImportFailed when a file's start is that of a compressed, UTF-16 or binary file."""
    if head.startswith(b"\x1f\x8b"):
        raise ImportFailed(f"{path}: this file is compressed: unpack it first (gunzip)")
    if head.startswith((b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"7z\xbc\xaf")):
        raise ImportFailed(f"{path}: this file is compressed: unpack it first")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ImportFailed(f"{path}: this text is UTF-16: convert it to UTF-8 first (iconv -f utf-16 -t utf-8)")
    if b"\0" in head:
        raise ImportFailed(f"{path}: this file is binary, no text")


def lines_of(path: Path, advance: Advance) -> Iterator[Line]:
    """The lines of a text file, without a byte order mark. A line past LINE_LIMIT comes as its start, not `ended`."""
    with path.open("rb") as file:
        number = 0
        while data := file.readline(LINE_LIMIT):
            number += 1
            advance(len(data))
            if number == 1:
                data = data.removeprefix(b"\xef\xbb\xbf")
            ended = data.endswith(b"\n")
            yield Line(number, data[:-1] if ended else data, ended)
            while not ended and len(data) == LINE_LIMIT and (rest := file.readline(LINE_LIMIT)):
                advance(len(rest))
                ended = rest.endswith(b"\n")


def too_long(line: Line) -> bool:
    return len(line.data) >= LINE_LIMIT - 3 and not line.ended


@contextmanager
def mapped(path: Path, member: str | None = None) -> Iterator[mmap.mmap]:
    """A file's bytes, or those of a member of a zip file, without holding them in memory. Raises ImportFailed."""
    if member is None:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            yield data
        return
    with tempfile.TemporaryFile() as unpacked:
        _unpack(path, member, unpacked)
        with mmap.mmap(unpacked.fileno(), 0, access=mmap.ACCESS_READ) as data:
            yield data


def member_of(path: Path, name: str) -> str:
    """The path within a zip file of the member with this file name. Raises ImportFailed."""
    try:
        with zipfile.ZipFile(path) as archive:
            found = [each for each in archive.namelist() if each.rsplit("/", 1)[-1] == name]
    except (zipfile.BadZipFile, OSError) as error:
        raise ImportFailed(f"{path}: this zip file is damaged: {error}") from None
    if not found:
        raise ImportFailed(f"{path}: there is no {name} in this zip file")
    return min(found, key=len)


def _unpack(path: Path, member: str, file: IO[bytes]) -> None:
    try:
        with zipfile.ZipFile(path) as archive, archive.open(member) as source:
            while data := source.read(1 << 20):
                file.write(data)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error) as error:
        raise ImportFailed(f"{path}: {member} in this zip file cannot be read: {error}") from None
    if not file.tell():
        raise ImportFailed(f"{path}: {member} in this zip file is empty")
    file.flush()
