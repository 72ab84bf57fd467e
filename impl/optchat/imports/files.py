"""Files as they are given: opened, checked for what is no text, and read line by line."""

from __future__ import annotations

import lzma
import os
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from optchat.imports.record import ImportFailed

LINE_LIMIT = 64 << 20
"""The most bytes of one line: a longer one is no record, and would only fill the memory."""

CHUNK = 1 << 20
"""Bytes read at once of a file that has no lines."""

SHORTER = "it became shorter while it was read: import it again"

HEAD = 64 << 10
"""How much of a file's start is looked at to tell what it is."""

BOMB_SIZE = 1 << 30
BOMB_RATIO = 200
"""A member of a zip file that is larger, in bytes, and so much larger than its packed form, is no chat."""

ZIP_ERRORS = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(EOFError, NotImplementedError, OSError, RuntimeError, ValueError),
)
"""What zipfile raises on files that are damaged, or of a kind that it cannot read."""

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
    if head.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        raise ImportFailed(f"{path}: this text is UTF-32: convert it to UTF-8 first (iconv -f utf-32 -t utf-8)")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ImportFailed(f"{path}: this text is UTF-16: convert it to UTF-8 first (iconv -f utf-16 -t utf-8)")
    if b"\0" in head:
        raise ImportFailed(f"{path}: this file is binary, no text")


def lines_of(path: Path, advance: Advance) -> Iterator[Line]:
    """The lines of a text file, without a byte order mark. A line past LINE_LIMIT comes as its start, not `ended`.

    Raises ImportFailed when the file became shorter meanwhile: what was cut away would be left out in silence.
    """
    with path.open("rb") as file:
        number, size = 0, os.fstat(file.fileno()).st_size
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
        if file.tell() < size:
            raise ImportFailed(f"{path}: {SHORTER}")


def too_long(line: Line) -> bool:
    return len(line.data) >= LINE_LIMIT - 3 and not line.ended


def chunks_of(path: Path, advance: Advance, member: zipfile.ZipInfo | None = None) -> Iterator[bytes]:
    """The bytes of a file, or of a member of a zip file, in pieces.

    They are read, not mapped: a mapped file that is cut by another process would end this one. Raises ImportFailed
    when the file became shorter meanwhile, and on a member that is damaged or empty.
    """
    if member is not None:
        yield from _unpacked(path, advance, member)
        return
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        while data := file.read(CHUNK):
            advance(len(data))
            yield data
        if file.tell() < size:
            raise ImportFailed(f"{path}: {SHORTER}")


def members_of(path: Path, name: str) -> list[zipfile.ZipInfo]:
    """The members of a zip file with this file name, in any folder. Raises ImportFailed, also on a zip bomb."""
    try:
        with zipfile.ZipFile(path) as archive:
            found = [each for each in archive.infolist() if each.filename.rsplit("/", 1)[-1] == name]
    except ZIP_ERRORS as error:
        raise ImportFailed(f"{path}: this zip file is damaged: {error}") from None
    if not found:
        raise ImportFailed(f"{path}: there is no {name} in this zip file")
    for member in found:
        if member.file_size > max(BOMB_SIZE, BOMB_RATIO * member.compress_size):
            raise ImportFailed(
                f"{path}: {member.filename} in this zip file would unpack to {member.file_size:,} bytes, far more than "
                f"a chat does: if it is one, unpack it and import {name}"
            )
    return found


def _unpacked(path: Path, advance: Advance, member: zipfile.ZipInfo) -> Iterator[bytes]:
    empty = True
    try:
        with zipfile.ZipFile(path) as archive, archive.open(member) as source:
            while data := source.read(CHUNK):
                empty = False
                advance(len(data))
                yield data
    except ZIP_ERRORS as error:
        raise ImportFailed(f"{path}: {member.filename} in this zip file cannot be read: {error}") from None
    if empty:
        raise ImportFailed(f"{path}: {member.filename} in this zip file is empty")


@contextmanager
def in_temporary() -> Iterator[None]:
    """Around the use of a temporary file, which has no name: an error says where it is, and the way out."""
    try:
        yield
    except OSError as error:
        if error.filename is not None:
            raise
        way = f"{error.strerror}: make room there, or set TMPDIR to a folder with more"
        raise OSError(error.errno, way, tempfile.gettempdir()) from error
