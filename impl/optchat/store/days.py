"""Day files: an append-only run of whole lines, kept as one file a day, addressed as one run of bytes."""

from __future__ import annotations

import errno
import os
import re
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import NamedTuple

from optchat.store.errors import Damaged, Poisoned, Unusable
from optchat.store.files import APPEND, CREATE, Files, is_removed, make_folders, sync_folder, write_whole

NAME = re.compile(r"\d{4}-\d{2}-\d{2}\.jsonl")
BLOCK = 1 << 20
"""Bytes read at once by a scan."""
GUESS = 1 << 12
"""Bytes read at once for one line of unknown length; most lines are shorter."""
OPEN_FILES = 16
"""The most files kept open for reading."""


@dataclass(slots=True)
class Day:
    """One file: its whole lines are the bytes `[start, start + size)` of the run. `lines` counts them once scanned."""

    name: str
    start: int
    size: int
    lines: int = 0


class Block(NamedTuple):
    """Whole lines of one file, in a row: the first one's number in it, from 1, and its place in the run."""

    day: Day
    number: int
    at: int
    lines: list[bytes]

    def placed(self) -> Iterator[tuple[int, bytes]]:
        """Each line with its own place."""
        place = self.at
        for line in self.lines:
            yield place, line
            place += len(line) + 1


class DayFiles:
    """The files of one folder, oldest first; a place `at` counts the bytes of all files before it and in its own.

    Half a line at the end of the newest file is never part of the run: `torn` holds it. Anywhere else it is Damaged.
    """

    def __init__(self, files: Files, folder: Path) -> None:
        self._files = files
        self.folder = folder
        self.days: list[Day] = []
        self._starts: list[int] = []
        self._readers: OrderedDict[str, int] = OrderedDict()
        self._writer: tuple[str, int] | None = None
        self._unsynced = False
        self.failure: str | None = None
        self.torn = b""
        names = self._names()
        for name in names:
            size = (folder / name).stat().st_size
            torn = self._unterminated(name, size)
            if torn and name != names[-1]:
                raise Damaged(folder / name, None, "its last line has no end, and a newer file follows it")
            self._add(name, size - len(torn))
            self.torn = torn

    @property
    def end(self) -> int:
        """The bytes of all whole lines."""
        return self.days[-1].start + self.days[-1].size if self.days else 0

    def path(self, day: Day) -> Path:
        return self.folder / day.name

    def read(self, day: Day, count: int, offset: int) -> bytes:
        """Up to `count` bytes of one file."""
        return self._read(day.name, count, offset)

    def line_at(self, at: int) -> bytes:
        """The line that begins at a place, without its newline."""
        day = self._day(at)
        offset, left = at - day.start, day.size - (at - day.start)
        found = b""
        while True:
            # Twice as much each time, so that a long line is not put together from many pieces.
            count = min(left, max(GUESS, len(found)))
            part = self._read(day.name, count, offset + len(found))
            end = part.find(b"\n")
            if end >= 0:
                return found + part[:end]
            if len(part) < count or not part:
                raise Damaged(self.path(day), None, "it became shorter while it was open")
            found += part
            left -= len(part)

    def where(self, at: int) -> tuple[Path, int]:
        """The file and line number of a place, for an error."""
        day = self._day(at)
        before = 0
        offset = 0
        while offset < at - day.start:
            part = self._read(day.name, min(BLOCK, at - day.start - offset), offset)
            if not part:
                break
            before += part.count(b"\n")
            offset += len(part)
        return self.path(day), before + 1

    def scan(self, start: int = 0, stop: int | None = None) -> Iterator[Block]:
        """The whole lines of `[start, stop)`, oldest first, in blocks; a file's count of lines grows as they pass.

        `start` and `stop` are the beginnings of lines.
        """
        stop = self.end if stop is None else stop
        for day in self.days:
            at = max(start, day.start)
            end = min(stop, day.start + day.size)
            place = at
            held: list[bytes] = []
            while at < end:
                part = self._read(day.name, min(BLOCK, end - at), at - day.start)
                if not part:
                    raise Damaged(self.path(day), None, "it became shorter while it was open")
                at += len(part)
                held.append(part)
                if b"\n" in part:
                    *lines, rest = b"".join(held).split(b"\n")
                    yield Block(day, day.lines + 1, place, lines)
                    place, held = at - len(rest), [rest]

    def append(self, data: bytes, lines: int, today: date, *, sync: bool) -> int:
        """Write whole lines to the day's file in one write; with `sync`, durable on return. The place of the first.

        A day before the newest file's goes into the newest file, so that the order of the files stays the order of
        the lines when the clock goes back. After a failure every append is refused.
        """
        self.check_writable()
        at = self.end
        try:
            day, fd = self._open_for(today)
            write_whole(self._files, fd, data)
            if sync:
                self._files.sync(fd)
            if is_removed(fd):
                raise OSError(errno.ESTALE, f"{day.name} was removed while it was open")
        except OSError as error:
            raise self._poison(error) from error
        # An fsync covers the earlier writes to the file too.
        self._unsynced = not sync
        day.size += len(data)
        day.lines += lines
        return at

    def sync(self) -> None:
        """Make what was appended without `sync` durable."""
        self.check_writable()
        if not self._unsynced or self._writer is None:
            return
        try:
            self._files.sync(self._writer[1])
        except OSError as error:
            raise self._poison(error) from error
        self._unsynced = False

    def check_writable(self) -> None:
        """Raise Poisoned after a failed write."""
        if self.failure is not None:
            raise Poisoned(f"{self.folder}: an earlier write failed ({self.failure}): open the chat again")

    def _poison(self, error: OSError) -> Poisoned:
        self.failure = error.strerror or str(error)
        return Poisoned(
            f"{self.folder}: a write failed ({self.failure}): nothing more is written: make room, or see to the disk, "
            "then open the chat again"
        )

    def drop_torn(self, aside: Path) -> Path | None:
        """Move half a line at the end into a file of the folder `aside`, durably; that file, or None without one."""
        if not self.torn:
            return None
        day = self.days[-1]
        kept = keep_aside(self._files, aside, f"{self.folder.name}-{day.name}.{day.size}", self.torn)
        fd = self._files.open(self.path(day), os.O_WRONLY)
        try:
            self._files.truncate(fd, day.size)
            self._files.sync(fd)
        finally:
            self._files.close(fd)
        self.torn = b""
        return kept

    def close(self) -> None:
        for fd in self._readers.values():
            self._files.close(fd)
        self._readers.clear()
        if self._writer is not None:
            self._files.close(self._writer[1])
            self._writer = None

    def _names(self) -> list[str]:
        if not self.folder.exists():
            return []
        names = sorted(entry.name for entry in os.scandir(self.folder) if entry.name.endswith(".jsonl"))
        for name in names:
            if not NAME.fullmatch(name):
                raise Damaged(self.folder / name, None, "not a day file: its name must be YYYY-MM-DD.jsonl")
        return names

    def _add(self, name: str, size: int) -> Day:
        day = Day(name, self.end, size)
        self.days.append(day)
        self._starts.append(day.start)
        return day

    def _day(self, at: int) -> Day:
        # Of files that begin at one place all but the last are empty.
        return self.days[bisect_right(self._starts, at) - 1]

    def _unterminated(self, name: str, size: int) -> bytes:
        """What follows the last newline of a file."""
        at = size
        parts: list[bytes] = []
        while at > 0:
            # Nearly always the last byte is a newline.
            count = min(at, BLOCK if parts else 1)
            at -= count
            part = self._read(name, count, at)
            if len(part) < count:
                raise Damaged(self.folder / name, None, "it became shorter while it was read")
            end = part.rfind(b"\n")
            parts.append(part[end + 1 :])
            if end >= 0:
                break
        return b"".join(reversed(parts))

    def _read(self, name: str, count: int, offset: int) -> bytes:
        fd = self._readers.get(name)
        try:
            if fd is None:
                if len(self._readers) >= OPEN_FILES:
                    self._files.close(self._readers.popitem(last=False)[1])
                fd = self._readers[name] = self._files.open(self.folder / name, os.O_RDONLY)
            return self._files.read(fd, count, offset)
        except OSError as error:
            where = self.folder / name
            raise Unusable(f"{where}: cannot be read ({error.strerror}): check its rights and the disk") from error

    def _open_for(self, today: date) -> tuple[Day, int]:
        name = f"{today.isoformat()}.jsonl"
        if self.days and self.days[-1].name >= name:
            name = self.days[-1].name
        if self._writer is not None and self._writer[0] == name:
            return self.days[-1], self._writer[1]
        if self._writer is not None:
            # A newer file must never outlive lines of this one.
            self._files.sync(self._writer[1])
            self._files.close(self._writer[1])
            self._writer = None
        new = not self.days or self.days[-1].name != name
        fd = self._files.open(self.folder / name, APPEND)
        self._writer = name, fd
        if new:
            sync_folder(self._files, self.folder)
            self._add(name, 0)
        return self.days[-1], fd


def keep_aside(files: Files, folder: Path, name: str, data: bytes) -> Path:
    """Keep bytes that leave a day file, durably, under a name that overwrites nothing; the file they are in."""
    make_folders(files, folder)
    path = _free_name(folder, name, data)
    fd = files.open(path, CREATE)
    try:
        write_whole(files, fd, data)
        files.sync(fd)
    finally:
        files.close(fd)
    sync_folder(files, folder)
    return path


def _free_name(folder: Path, name: str, content: bytes) -> Path:
    """A path for content that overwrites nothing but the same, or the beginning of the same."""
    path = folder / name
    number = 1
    while path.exists() and not content.startswith(path.read_bytes()):
        number += 1
        path = folder / f"{name}.{number}"
    return path
