"""Runs an action in the evaluator: the way to run a main of type IO where there is no C compiler.

It does what runtime_effects.c does. An action is a stuck call of one of Base's effects; its arguments are evaluated
here.
"""

from __future__ import annotations

import os
import sys
from codecs import getincrementaldecoder
from collections.abc import Callable
from typing import Any, BinaryIO, Final, cast

from . import values as v
from .errors import stopped
from .evaluate import Machine
from .values import Node

UNIT: Final = v.VCtr("Unit", ())
NIL: Final = v.VCtr("Nil", ())


class Exit(Exception):
    """IO.die: the process's status."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Runner:
    """Runs actions of one machine; ``arguments`` are IO.args."""

    def __init__(self, machine: Machine, arguments: list[str]) -> None:
        self.machine = machine
        self.arguments = arguments
        self.files: list[BinaryIO | None] = []
        self._pending: dict[int, bytes] = {}
        self._effects: dict[str, Callable[..., Node]] = {
            "IO.print": lambda text: self._put(sys.stdout, text, "\n"),
            "IO.write": lambda text: self._put(sys.stdout, text, ""),
            "IO.print_err": lambda text: self._put(sys.stderr, text, "\n"),
            "IO.args": lambda: self._list([_text(a) for a in self.arguments]),
            "IO.get_env": self._get_env,
            "IO.die": self._die,
            "File.open": self._open,
            "File.read": self._read,
            "File.read_bytes": self._read_bytes,
            "File.size": self._size,
            "File.write": self._write,
            "File.close": self._close,
        }

    def run(self, action: Node) -> None:
        """Does an action and all that it is bound to. Raises Exit for IO.die."""
        try:
            self._run(action)
        finally:
            for file in self.files:
                if file is not None:
                    file.close()

    def _run(self, action: Node) -> None:
        waiting: list[Node] = []
        while True:
            step: Any = self.machine.whnf(action)
            if type(step) is not v.VCall:
                raise stopped("an action that is stuck")
            name, args = step.fun.name, step.args
            if name == "IO.bind":
                waiting.append(args[3])
                action = args[2]
                continue
            if name == "IO.pure":
                value = args[1]
            elif name in self._effects:
                live = args[1:] if name == "IO.die" else args
                value = self._effects[name](*live)
            else:
                raise stopped(f"{name} is no effect that can be run")
            if not waiting:
                sys.stdout.flush()
                return
            action = self.machine.apply_lazy(waiting.pop(), (value,))

    # Values

    def text(self, node: Node) -> str:
        """A string in full."""
        parts: list[str] = []
        while True:
            value: Any = self.machine.whnf(node)
            if type(value) is v.VText:
                parts.append(value.text[value.at :])
                return _whole("".join(parts))
            view = self.machine.view(value)
            if view is None:
                raise stopped("a string that is stuck")
            con, fields = view
            if con == "SNil":
                return _whole("".join(parts))
            head: Any = self.machine.whnf(fields[0])
            code = head.code if type(head) is v.VChar else self.number(self._field(head))
            parts.append(chr(code) if code < 0x110000 else "\ufffd")
            node = fields[1]

    def number(self, node: Node) -> int:
        """A machine word."""
        value: Any = self.machine.whnf(node)
        if type(value) is v.VU32:
            return int(value.value)
        total, place, bits = 0, 0, self._field(value)
        while True:
            view = self.machine.view(self.machine.whnf(bits))
            if view is None:
                raise stopped("a machine word that is stuck")
            if view[0] == "WNil":
                return total
            bit: Any = self.machine.whnf(view[1][0])
            total |= (bit.con == "True") << place
            place, bits = place + 1, view[1][1]

    def _field(self, value: Node) -> Node:
        view = self.machine.view(value)
        if view is None or len(view[1]) != 1:
            raise stopped("a value that is stuck")
        return view[1][0]

    def _list(self, items: list[Node]) -> Node:
        result: Node = NIL
        for item in reversed(items):
            result = v.VCtr("Con", (item, result))
        return result

    # Effects

    def _put(self, target: Any, text: Node, end: str) -> Node:
        target.write(self.text(text) + end)
        return UNIT

    def _get_env(self, name: Node) -> Node:
        value = os.environ.get(self.text(name))
        return _fail(2, "no such variable") if value is None else _done(_text(value))

    def _die(self, code: Node, message: Node) -> Node:
        sys.stdout.flush()
        status = self.number(code) & 255
        print(self.text(message), file=sys.stderr)
        raise Exit(status)

    def _open(self, path: Node, mode: Node) -> Node:
        kind = self.text(mode).replace("b", "")
        try:
            file = cast(BinaryIO, open(self.text(path), kind + "b"))  # noqa: SIM115
        except (OSError, ValueError) as error:
            return _failed(error)
        self.files.append(file)
        return _done(len(self.files) - 1)

    def _handle(self, file: Node) -> tuple[int, BinaryIO]:
        index: Any = self.machine.whnf(file)
        found = self.files[index]
        if found is None:
            raise stopped("a file that was closed")
        return index, found

    def _read(self, file: Node, most: Node) -> Node:
        index, handle = self._handle(file)
        size = self.number(most)
        try:
            data = self._pending.pop(index, b"") + handle.read(size)
        except OSError as error:
            return _pair(index, _failed(error))
        cut = _cut_off(data) if len(data) >= size else 0
        self._pending[index] = data[len(data) - cut :]
        return _pair(index, _done(_text(data[: len(data) - cut].decode("utf-8", "replace"))))

    def _read_bytes(self, file: Node, most: Node) -> Node:
        index, handle = self._handle(file)
        return _pair(index, _done(self._list([v.VU32(b) for b in handle.read(self.number(most))])))

    def _size(self, file: Node) -> Node:
        index, handle = self._handle(file)
        try:
            return _pair(index, _done(v.VU32(os.fstat(handle.fileno()).st_size)))
        except OSError as error:
            return _pair(index, _failed(error))

    def _write(self, file: Node, data: Node) -> Node:
        index, handle = self._handle(file)
        try:
            handle.write(self.text(data).encode("utf-8", "replace"))
        except OSError as error:
            return _pair(index, _failed(error))
        return _pair(index, _done(UNIT))

    def _close(self, file: Node) -> Node:
        index, handle = self._handle(file)
        handle.close()
        self.files[index] = None
        return UNIT


def _whole(text: str) -> str:
    """Codes that have no UTF-8 are shown as U+FFFD."""
    return "".join(["\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text])


def _text(text: str) -> Node:
    return v.VText(text, 0)


def _done(value: Node) -> Node:
    return v.VCtr("Done", (value,))


def _pair(first: Node, second: Node) -> Node:
    return v.VCtr("Tuple", (first, second))


def _fail(code: int, why: str) -> Node:
    return v.VCtr("Fail", (_pair(v.VU32(code), _text(why)),))


def _failed(error: OSError | ValueError) -> Node:
    if isinstance(error, OSError):
        return _fail(error.errno or 0, error.strerror or str(error))
    return _fail(22, str(error))


def _cut_off(data: bytes) -> int:
    """How many bytes at the end begin a character that is not whole."""
    decoder = getincrementaldecoder("utf-8")("replace")
    decoder.decode(data)
    return len(decoder.getstate()[0])
