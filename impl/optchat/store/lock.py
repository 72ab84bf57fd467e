"""The lock of the one process that writes."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from optchat.store.errors import Locked, Poisoned
from optchat.store.files import is_removed


class Lock:
    """An exclusive lock on `chat/lock`, which holds the holder's process id as text.

    The system drops it when the process ends in any way, so a crash leaves nothing to clear. Raises Locked.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pid = self._read_pid()
            os.close(self._fd)
            raise Locked(path, pid) from None
        os.ftruncate(self._fd, 0)
        os.pwrite(self._fd, b"%d\n" % os.getpid(), 0)

    def check(self) -> None:
        """Raise Poisoned when the file is gone: the next one who makes it has the lock too, and both would write."""
        if is_removed(self._fd):
            raise Poisoned(f"{self.path}: it was removed while this chat was open: end any other writer, open it again")

    def _read_pid(self) -> int | None:
        text = os.pread(self._fd, 32, 0).strip()
        return int(text) if text.isdigit() else None

    def release(self) -> None:
        """Let the next writer in. Once."""
        os.ftruncate(self._fd, 0)
        os.close(self._fd)
