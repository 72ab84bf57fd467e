"""Adapters that break the protocol: `python -m stateful_tests.conformance.liar KIND`; else they are our planner."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any, BinaryIO

from optchat.protocol import Session

AT = 7
"""The answer that is spoilt: the seventh, well into the first chat."""

HUGE = 100 * 1024 * 1024


class Side:
    """What a liar has at hand: where it writes, and the answer that it had to give."""

    def __init__(self, out: BinaryIO) -> None:
        self.out = out
        self.held = b""

    def say(self, line: bytes) -> None:
        try:
            self.out.write(line)
            self.out.flush()
        except BrokenPipeError:
            os._exit(0)

    def changed(self, line: bytes, **fields: Any) -> None:
        """The answer with other fields; None leaves one out."""
        answer = {**json.loads(line), **fields}
        kept = {key: value for key, value in answer.items() if value is not None}
        self.say(json.dumps(kept).encode() + b"\n")

    def say_later(self, seconds: float, start: bytes, rest: bytes) -> None:
        self.say(start)
        time.sleep(seconds)
        self.say(rest)


Lie = Callable[[Side, bytes], None]


def end(status: int) -> None:
    os._exit(status)


def huge(side: Side, start: bytes, stop: bytes) -> None:
    side.say(start)
    for _ in range(HUGE >> 20):
        side.say(b" " * (1 << 20))
    side.say(stop)


ONCE: dict[str, Lie] = {
    "late": lambda side, line: side.say_later(5, b"", line),
    "hangs": lambda _side, _line: time.sleep(600),
    "half a line": lambda side, line: side.say_later(600, line[:-5], line[-5:]),
    "out of order": lambda side, _line: side.say(side.held),
    "wrong t": lambda side, line: side.changed(line, t=json.loads(line)["t"] + 1),
    "t is true": lambda side, line: side.changed(line, t=True),
    "no view": lambda side, line: side.changed(line, view=None),
    "no queue": lambda side, line: side.changed(line, queue=None),
    "no ok": lambda side, line: side.changed(line, ok=None),
    "ok twice": lambda side, line: side.say(b'{"ok":false,' + line[1:]),
    "t twice": lambda side, line: side.say(
        line.rstrip()[:-1] + b',"t":' + str(json.loads(line)["t"]).encode() + b"}\n"
    ),
    "bytes as text": lambda side, line: side.changed(line, bytes="12"),
    "shrinking as 0": lambda side, line: side.changed(line, shrinking=0),
    "a node of three": lambda side, line: side.changed(line, view=[[0, 0, 0]]),
    "a node below": lambda side, line: side.changed(line, cview=[[0, -1]]),
    "a node of floats": lambda side, line: side.changed(line, merged=[[0.0, 1.0]]),
    "a level of a million": lambda side, line: side.changed(line, view=[[1_000_000, 0]]),
    "an index of 4,299 digits": lambda side, line: side.changed(line, view=[[64, int("9" * 4299)]]),
    "a million lines": lambda side, line: side.changed(line, view=[[0, at] for at in range(1_000_000)]),
    "a refusal without a reason": lambda side, _line: side.say(b'{"ok":false}\n'),
    "extra line": lambda side, line: side.say(line + line),
    "extra half line": lambda side, line: side.say(line + b"{"),
    "another encoding": lambda side, line: side.say(line.decode().strip().encode("utf-16") + b"\n"),
    "garbage": lambda side, _line: side.say(b"\xff\xfe hello?\n"),
    "a traceback": lambda side, _line: side.say(b"Traceback (most recent call last):\n"),
    "an empty line": lambda side, _line: side.say(b"\n"),
    "a list": lambda side, _line: side.say(b"[]\n"),
    "nested": lambda side, _line: side.say(b"[" * 200_000 + b"\n"),
    "closes early": lambda _side, _line: end(0),
    "crashes": lambda _side, _line: end(3),
    "is killed": lambda _side, _line: os.kill(os.getpid(), signal.SIGKILL),
    "100 MB and no line end": lambda side, _line: huge(side, b'{"ok":true,"pad":"', b""),
    "100 MB": lambda side, line: huge(side, line[:-2] + b',"pad":"', b'"}\n'),
}
"""Lies that are told once, in the AT-th answer."""

HELLO: dict[str, dict[str, Any]] = {
    "refuses hello": {"ok": False, "error": "no"},
    "speaks protocol 2": {"protocol": 2},
    "speaks protocol true": {"protocol": True},
    "has no name": {"name": None},
    "supports a text": {"supports": "view"},
    "supports what nobody knows": {"supports": ["view", "telepathy"]},
}
NAMES = {
    "\ud800 half a pair": "  half a pair",
    "\x1b[31m\nred\\[/nothing]": " [31m red\\[/nothing]",
    "n" * 9999: "n" * 120,
}
"""Names that no output may be hurt by, and what is printed of them."""
AFTER_BYE = ("talks after bye", "stays after bye", "fails after bye", "refuses bye")


def serve(kind: str) -> None:
    session, side = Session(), Side(sys.stdout.buffer)
    for count, request in enumerate(sys.stdin.buffer, 1):
        line = session.line(request)
        if kind in ONCE and count == AT:
            ONCE[kind](side, line)
        elif kind in HELLO and count == 1:
            side.changed(line, **HELLO[kind])
        elif kind.startswith("name ") and count == 1:
            side.changed(line, name=list(NAMES)[int(kind[5:])])
        elif kind == "refuses bye" and session.ended:
            side.say(b'{"ok":false,"error":"not yet"}\n')
        else:
            side.say(line)
        side.held = line
        if session.ended:
            break
    if kind == "talks after bye":
        time.sleep(0.2)
        side.say(b"goodbye\n")
    if kind == "stays after bye":
        time.sleep(600)
    if kind == "fails after bye":
        end(4)


if __name__ == "__main__":
    if sys.argv[1] == "reads nothing":
        time.sleep(600)
    if sys.argv[1] == "reads half":
        sys.stdin.buffer.read(1)
        Side(sys.stdout.buffer).say(b"{}\n")
        time.sleep(600)
    serve(sys.argv[1])
