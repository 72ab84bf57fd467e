"""What the store's tests share: small chats, a clock to set, and file layers that fail, tear or kill."""

from __future__ import annotations

import errno
import os
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import NoReturn

from optchat.core.config import Config
from optchat.core.node import Node
from optchat.core.planner import Planner
from optchat.core.view import Batch
from optchat.store.chat import Chat
from optchat.store.files import CREATE, OsFiles
from stateful_tests.core.memory import MemoryChat

SMALL = Config(node=24, ceiling=240, floor=120, cceiling=90, cfloor=45)
"""Numbers so small that a few dozen messages make batches and a deep tree."""

ZONE = timezone(timedelta(hours=2))
MEMORY = Path("/dev/shm")  # Not the disk, where there is one: an fsync costs nothing there.


@contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as name:
        yield Path(name)


class Clock:
    """The time of day of a test, which passes only when told to."""

    def __init__(self) -> None:
        self.now = datetime(2026, 10, 8, 12, 0, tzinfo=ZONE)

    def __call__(self) -> datetime:
        return self.now


def plan(planner: Planner) -> tuple[list[Node], list[int], bool, list[Node], list[Node]]:
    """What a restart must give back: the view, its sizes, the flag, and the work in its order."""
    state = planner.state()
    return state.lines, planner.chat.view.sizes, state.shrinking, state.leaves, state.ready


def settle(chat: Chat, limit: int = 10**9) -> None:
    """Build up to `limit` candidates, each from its cut source, as an offline compactor would."""
    for _ in range(limit):
        candidates = chat.planner.candidates()
        if not candidates:
            return
        node = candidates[0]
        chat.started(node)
        chat.built(node, summary(chat.planner, node))


def summary(planner: Planner, node: Node) -> str:
    return planner.source(node).encode()[: planner.config.node].decode(errors="ignore")


def snapshot(base: Path) -> dict[str, bytes]:
    """Every file of a chat, but for the lock, which holds a process id."""
    return {str(path): path.read_bytes() for path in sorted(base.rglob("*")) if path.is_file() and path.name != "lock"}


def crash(chat: Chat) -> None:
    """End a chat as a killed process does: nothing more is written, the lock and files go."""
    chat.contents.close()
    os.close(chat._lock._fd)


class NeverClosed:
    """The same messages and summaries in a planner that is never closed."""

    def __init__(self, config: Config) -> None:
        self.memory = MemoryChat(config)

    def message(self, kind: str, text: str) -> Batch | None:
        return self.memory.message(kind, text).batch

    def built(self, node: Node, text: str) -> None:
        self.memory.built(node, text)

    @property
    def plan(self) -> tuple[list[Node], list[int], bool, list[Node], list[Node]]:
        return plan(self.memory.planner)


class CountedFiles(OsFiles):
    """Calls `strike` at the n-th operation that changes something, counted from 0, in the operation's place.

    `strike(operation, do)` gets the operation's name and what it would do.
    """

    def __init__(self, at: int, strike: Callable[[str, Callable[[], int | None], bytes], int | None]) -> None:
        self.left = at
        self.strike = strike

    def _do(self, name: str, do: Callable[[], int | None], data: bytes = b"") -> int | None:
        self.left -= 1
        return self.strike(name, do, data) if self.left == -1 else do()

    def open(self, path: Path, flags: int) -> int:
        if not flags & os.O_CREAT:
            return super().open(path, flags)
        fd = self._do("open", lambda: OsFiles.open(self, path, flags))
        assert fd is not None
        return fd

    def write(self, fd: int, data: bytes) -> int:
        self.torn = fd
        written = self._do("write", lambda: OsFiles.write(self, fd, data), data)
        assert written is not None
        return written

    def sync(self, fd: int) -> None:
        self._do("sync", lambda: OsFiles.sync(self, fd))

    def truncate(self, fd: int, size: int) -> None:
        self._do("truncate", lambda: OsFiles.truncate(self, fd, size))

    def replace(self, source: Path, target: Path) -> None:
        self._do("replace", lambda: OsFiles.replace(self, source, target))

    def make_folder(self, path: Path) -> None:
        self._do("make_folder", lambda: OsFiles.make_folder(self, path))


def fails(code: int, at: int) -> CountedFiles:
    """Files whose n-th operation fails, as on a full or broken disk; of a write half was done."""
    files: CountedFiles

    def strike(name: str, _do: Callable[[], int | None], data: bytes) -> NoReturn:
        if name == "write":
            os.write(files.torn, data[: len(data) // 2])
        raise OSError(code, os.strerror(code))

    files = CountedFiles(at, strike)
    return files


def writes_short(at: int) -> CountedFiles:
    """Files whose n-th operation, if it is a write, writes half and says so."""
    files: CountedFiles

    def strike(name: str, do: Callable[[], int | None], data: bytes) -> int | None:
        return os.write(files.torn, data[: len(data) // 2]) if name == "write" else do()

    files = CountedFiles(at, strike)
    return files


def kills(at: int, torn: bool) -> CountedFiles:
    """Files that kill their process at the n-th operation: before it, or, when it is a torn write, amid it."""
    files: CountedFiles

    def strike(name: str, _do: Callable[[], int | None], data: bytes) -> NoReturn:
        if torn and name == "write":
            os.write(files.torn, data[: len(data) // 2])
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("a killed process goes on")

    files = CountedFiles(at, strike)
    return files


FULL, BROKEN = errno.ENOSPC, errno.EIO
__all__ = ["BROKEN", "CREATE", "FULL", "SMALL", "Clock", "NeverClosed", "crash", "folder", "plan", "settle", "summary"]
