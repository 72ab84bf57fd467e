"""The store's errors: one line each, with what is wrong, where, and the way out."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

READABLE = "give a --dir that can be read"


class StoreError(Exception):
    """A chat that cannot be opened, read or written. `str()` is one line for the user."""


class Unusable(StoreError):
    """The folder is no place for a chat: a file, read-only, missing, or of an unknown kind."""


@contextmanager
def usable(folder: Path, way: str) -> Iterator[None]:
    """Around the opening of a chat: what the system refuses is Unusable, with the path, the reason and the way out."""
    try:
        yield
    except OSError as error:
        way = f"make room, or {way}" if error.errno in (errno.ENOSPC, errno.EDQUOT) else way
        raise Unusable(f"{error.filename or folder}: {error.strerror or error}: {way}") from error


class Locked(StoreError):
    """Another process writes this chat. `pid` is its process id, None when it has not told."""

    def __init__(self, path: Path, pid: int | None) -> None:
        self.pid = pid
        holder = "another process" if pid is None else f"process {pid}"
        super().__init__(f"{path}: {holder} has this chat open for writing: end it first, or only read")


class Poisoned(StoreError):
    """A write failed, so the end of a file is not known: nothing more is written until a new open repairs it."""


class Damaged(StoreError):
    """A line, or a whole file (`line` None), that no append of ours can have left."""

    def __init__(self, path: Path, line: int | None, what: str, way: str | None = None) -> None:
        self.path, self.line, self.what = path, line, what
        where = f"{path}:{line}" if line is not None else f"{path}"
        super().__init__(f"{where}: {what}: {way or 'nothing was written; see `optchat doctor`'}")
