"""The operations on files that the store makes, behind a protocol: tests put faults and kills in their place."""

from __future__ import annotations

import errno
import os
import zlib
from pathlib import Path
from typing import Protocol

APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT
CREATE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC


class Files(Protocol):
    """What a chat does to files. Each raises OSError; `write` may write less than asked, as the system's does."""

    def open(self, path: Path, flags: int) -> int: ...
    def read(self, fd: int, count: int, offset: int) -> bytes: ...
    def write(self, fd: int, data: bytes) -> int: ...
    def sync(self, fd: int) -> None: ...
    def truncate(self, fd: int, size: int) -> None: ...
    def close(self, fd: int) -> None: ...
    def replace(self, source: Path, target: Path) -> None: ...
    def make_folder(self, path: Path) -> None: ...


class OsFiles:
    """The real ones."""

    def open(self, path: Path, flags: int) -> int:
        return os.open(path, flags | os.O_CLOEXEC, 0o666)

    def read(self, fd: int, count: int, offset: int) -> bytes:
        return os.pread(fd, count, offset)

    def write(self, fd: int, data: bytes) -> int:
        return os.write(fd, data)

    def sync(self, fd: int) -> None:
        os.fsync(fd)

    def truncate(self, fd: int, size: int) -> None:
        os.ftruncate(fd, size)

    def close(self, fd: int) -> None:
        os.close(fd)

    def replace(self, source: Path, target: Path) -> None:
        os.replace(source, target)

    def make_folder(self, path: Path) -> None:
        path.mkdir(exist_ok=True)


OS_FILES = OsFiles()


def write_whole(files: Files, fd: int, data: bytes) -> None:
    """Write all of data in one call. A short write is an OSError: what the file's end holds is not known then."""
    written = files.write(fd, data)
    if written != len(data):
        raise OSError(errno.EIO, f"only {written} of {len(data)} bytes were written")


def is_removed(fd: int) -> bool:
    """Whether an open file has no name any more: what is written to it is gone when it is closed."""
    return os.fstat(fd).st_nlink == 0


def sync_folder(files: Files, folder: Path) -> None:
    """Make the names of a folder's new files durable."""
    fd = files.open(folder, os.O_RDONLY)
    try:
        files.sync(fd)
    finally:
        files.close(fd)


def make_folders(files: Files, path: Path) -> None:
    """Make a folder, and those above it, durably. An existing one is fine."""
    if path.is_dir():
        return
    if not path.parent.is_dir():
        make_folders(files, path.parent)
    files.make_folder(path)
    sync_folder(files, path.parent)


def write_atomic(files: Files, path: Path, data: bytes, *, durable: bool) -> None:
    """Put data in the place of a file, whole or not at all. `durable` says that it must outlive a power cut."""
    aside = path.with_name(f"{path.name}.new")
    fd = files.open(aside, CREATE)
    try:
        write_whole(files, fd, data)
        if durable:
            files.sync(fd)
    finally:
        files.close(fd)
    files.replace(aside, path)
    if durable:
        sync_folder(files, path.parent)


def seal(magic: bytes, body: bytes) -> bytes:
    """A cache's bytes with what tells later that they are whole: its magic and a checksum."""
    return magic + zlib.crc32(body).to_bytes(4, "little") + body


def unseal(magic: bytes, data: bytes) -> memoryview | str:
    """The body of a sealed cache, or in a few words what is wrong with it."""
    if not data.startswith(magic):
        return "not of this version"
    start = len(magic) + 4
    body = memoryview(data)[start:]
    # The checksum of nothing is 0, as is that of bytes which never came.
    if not body or zlib.crc32(body) != int.from_bytes(data[len(magic) : start], "little"):
        return "its checksum does not match"
    return body
