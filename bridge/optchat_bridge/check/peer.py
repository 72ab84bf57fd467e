"""The other side of the conformance protocol: a process that answers one line for each line it is sent.

Whatever it does instead is a Fault, one line that says where and what was expected: nothing it does is our traceback.
"""

from __future__ import annotations

import os
import select
import subprocess
from time import monotonic
from typing import Self

from optchat_bridge.check.stopping import end_all, marked

LONGEST_ANSWER = 16 * 1024 * 1024
"""Bytes. A rendered view of 128,000 bytes, or a view of as many one-byte lines, is far below it."""

READ = 1 << 16
SHOWN = 120
"""How many characters of a wrong answer a fault shows."""


class Fault(Exception):
    """The other side could not be run or broke the protocol. One line: where, what was expected, what came."""


def printable(text: str) -> str:
    """Text that any output can hold and no terminal acts on."""
    return "".join(each if each.isprintable() else " " for each in text)


def shown(line: bytes) -> str:
    """The start of an answer, as it can be printed."""
    text = line.decode("utf-8", "backslashreplace").strip()
    return repr(text if len(text) <= SHOWN else text[:SHOWN] + f"... ({len(line):,} bytes)")


class Peer:
    """One process, started by the shell. `timeout` is in seconds, for each answer as a whole; a context manager."""

    def __init__(self, command: str, timeout: float) -> None:
        self.command = command
        self.timeout = timeout
        self.answers = 0
        """How many whole answers came: the lines of its standard output."""
        self._rest = b""
        environment, self._mark = marked(os.environ)
        # A group of its own, so that what the shell starts ends with it.
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            env=environment,
            bufsize=0,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in, self._out = self._process.stdin, self._process.stdout
        os.set_blocking(self._in.fileno(), False)
        os.set_blocking(self._out.fileno(), False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def ask(self, line: bytes) -> bytes:
        """Send a line, without its newline, and give the one line that answers it. Raises Fault."""
        self._nothing_more("before it was asked")
        deadline = monotonic() + self.timeout
        left = line + b"\n"
        answer = bytearray(self._rest)
        while b"\n" not in answer:
            readable, writable = self._wait(deadline, bool(left), bool(answer))
            if writable:
                left = self._write(left)
            if readable:
                chunk = self._read()
                if not chunk:
                    raise Fault(f"{self._next()}: a line was expected, and {self._ended()}")
                answer += chunk
            if len(answer) > LONGEST_ANSWER:
                raise Fault(f"{self._next()}: longer than {LONGEST_ANSWER:,} bytes, and no line end yet")
        if left:
            raise Fault(f"{self._next()}: it answered before it had read what it was asked")
        found, _, self._rest = bytes(answer).partition(b"\n")
        self.answers += 1
        return found

    def close(self) -> None:
        """After the answer to `bye`: nothing more comes, and the process ends. Raises Fault."""
        self._nothing_more("after bye")
        self._in.close()
        deadline = monotonic() + self.timeout
        while True:
            readable, _ = self._wait(deadline, False, False, "after bye its output was to end, and is still open")
            if readable:
                chunk = self._read()
                if not chunk:
                    break
                raise Fault(f"{self._next()}: no more lines were expected after bye, and {shown(chunk)} came")
        try:
            status = self._process.wait(max(0.1, deadline - monotonic()))
        except subprocess.TimeoutExpired:
            raise Fault(f"after bye it was to exit, and it still runs {self.timeout:g} s later") from None
        if status != 0:
            raise Fault(f"after bye it was to exit with status 0, and {self._status(status)}")

    def kill(self) -> None:
        """End the process and what it started."""
        end_all(self._process, self._mark)
        self._in.close()
        self._out.close()

    def _nothing_more(self, when: str) -> None:
        ready, _, _ = select.select([self._out], [], [], 0)
        if ready and not self._rest:
            self._rest = self._read()
        if self._rest:
            raise Fault(f"{self._next()}: one line an answer was expected, and {shown(self._rest)} came {when}")

    def _wait(self, deadline: float, write: bool, begun: bool, what: str = "") -> tuple[bool, bool]:
        left = deadline - monotonic()
        ready = select.select([self._out], [self._in] if write else [], [], max(0.0, left))
        if not ready[0] and not ready[1] and monotonic() >= deadline:
            half = "half a line" if begun else "nothing"
            what = what or f"a line was expected within {self.timeout:g} s, and {half} came"
            raise Fault(f"{self._next()}: {what}")
        return bool(ready[0]), bool(ready[1])

    def _read(self) -> bytes:
        try:
            return os.read(self._out.fileno(), READ)
        except BlockingIOError:
            return b""

    def _write(self, data: bytes) -> bytes:
        try:
            return data[os.write(self._in.fileno(), data) :]
        except BlockingIOError:
            return data
        except BrokenPipeError:
            # It reads no more; what it said before, or how it ended, is the fault to tell.
            return b""

    def _next(self) -> str:
        return f"line {self.answers + 1} of its output"

    def _ended(self) -> str:
        try:
            status = self._process.wait(1)
        except subprocess.TimeoutExpired:
            return "it closed its output"
        return self._status(status)

    def _status(self, status: int) -> str:
        if status in (126, 127) and self.answers == 0:
            return f"the command could not be run (status {status}): {self.command}"
        if status < 0 or status > 128:
            # The shell gives 128 and the signal's number for what it started.
            return f"it was ended by signal {-status if status < 0 else status - 128}"
        return f"it ended with status {status}"
