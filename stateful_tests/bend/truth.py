"""Whether what was accepted is true: every accepted claim is tried on all small closed values.

A def or law of the checked file is a claim when its parameters are data, equations, types or quantities and its
result is an equation or a datatype without values. The values are enumerated by their types' constructors, an
equation has its value when its sides convert, and then the claim must hold. This uses evaluation and conversion
alone, none of the proof: an accepted false claim is a fault of the checker.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from optchat_bridge.bend import core as c
from optchat_bridge.bend import values as v
from optchat_bridge.bend.session import Session

DEPTH = 3
VALUES = 6
TRIES = 60


class Counterexample(NamedTuple):
    """A claim that was accepted and fails."""

    name: str
    arguments: str
    claim: str


class Claims:
    """Tries the claims of a session that has checked its file."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.machine = session.machine
        self.converter = session.checker.converter
        self.tried = 0

    def counterexample(self) -> Counterexample | None:
        """The first claim that fails on small values."""
        for entry in self.session.library.names.values():
            if entry.module.base or entry.name in self.session.program.book.types:
                continue
            decl = self.session.program.book.defs.get(entry.name)
            if decl is None or decl.body is None or decl.unsafe:
                continue
            for env in islice(self._arguments(decl.params, ()), TRIES):
                found = self._fails(decl, env)
                if found is not None:
                    return found
        return None

    def _fails(self, decl: c.DefDecl, env: v.Env) -> Counterexample | None:
        result = self.machine.whnf(self.machine.inst(decl.result, env))
        if isinstance(result, v.VEq):
            self.tried += 1
            if self.converter.equal(result.left, result.right):
                return None
        elif not isinstance(result, v.VData) or self.session.program.type_decl(result.name).constructors:
            return None
        show = self.session.checker.shower.show
        return Counterexample(decl.name, ", ".join([show(each) for each in env]), show(result))

    def _arguments(self, params: tuple[c.Param, ...], env: v.Env) -> Iterator[v.Env]:
        if len(env) == len(params):
            yield env
            return
        type_ = self.machine.inst(params[len(env)].type, env)
        for value in islice(self._values(type_, DEPTH), VALUES):
            yield from self._arguments(params, (*env, value))

    def _values(self, type_: v.Node, depth: int) -> Iterator[v.Node]:
        kind = self.machine.whnf(type_)
        if isinstance(kind, v.VData):
            yield from self._data(kind, depth)
        elif isinstance(kind, v.VEq):
            if self.converter.equal(kind.left, kind.right):
                yield v.REFL
        elif isinstance(kind, v.VQuantType):
            yield from v.QUANTITIES[1:]
        elif isinstance(kind, v.VKind):
            for name in ("Nat", "Bool"):
                if name in self.session.library.names:
                    yield v.VData(name, ())

    def _data(self, data: v.VData, depth: int) -> Iterator[v.Node]:
        if depth == 0:
            return
        if data.name == "U32":
            yield from (v.VU32(0), v.VU32(7))
            return
        for con in self.session.program.type_decl(data.name).constructors:
            for fields in self._fields(con, data.args, (), depth - 1):
                yield self.session.checker.construct(con, fields)

    def _fields(self, con: c.Constructor, args: v.Env, fields: v.Env, depth: int) -> Iterator[v.Env]:
        if len(fields) == len(con.fields):
            yield fields
            return
        type_ = self.machine.inst(con.fields[len(fields)].type, args + fields)
        for value in islice(self._values(type_, depth), 3):
            yield from self._fields(con, args, (*fields, value), depth)
