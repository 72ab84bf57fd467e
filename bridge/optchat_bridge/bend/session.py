"""A whole check: every declaration in order, then the value of main."""

from __future__ import annotations

import re
import time
from bisect import bisect_left
from dataclasses import dataclass, field

from . import core as c
from . import surface as s
from . import values as v
from .check import Checker
from .context import Ctx
from .declare import Program
from .descent import start
from .errors import BendError, Place
from .evaluate import Machine
from .modules import Entry, Library, Module
from .show import Shower


@dataclass(slots=True)
class Item:
    """A def or a law of the checked files: its state, its place, and the seconds its check took.

    ``state`` is ``proven`` (a law that is filled), ``defined`` (a def), ``unsafe``, or ``open``.
    ``file`` and ``line`` are those of the def (of the law when it is open).
    """

    name: str
    state: str
    law: bool
    file: str
    line: int
    seconds: float


@dataclass(slots=True)
class Report:
    """The outcome of a check."""

    ok: bool
    error: BendError | None = None
    items: list[Item] = field(default_factory=list)
    main: str | None = None
    """The normal form of a pure main."""
    todos: int = 0
    unsafe: list[str] = field(default_factory=list)
    """Defs that skip the termination check."""
    steps: int = 0
    """Unfoldings of the evaluator."""
    sources: dict[str, str] = field(default_factory=dict)


_CHECKED_BASES: set[tuple[str, ...]] = set()
"""Texts of Base that this process has checked: they need not be checked again (0.05 s each)."""


class Session:
    """Checks one entry file."""

    def __init__(self) -> None:
        self.library = Library()
        self.report = Report(ok=False)
        self.module: Module | None = None
        self._breaks: dict[str, list[int]] = {}
        """Where the lines of each file end (100,000 defs, the breaks counted anew for each: 37 s)."""

    def load(self, path: str) -> None:
        """Reads the entry and its imports, and makes the machine for them."""
        try:
            self.module = self.library.load_entry(path)
        finally:
            self.report.sources = {each.path: each.text for each in self.library.modules.values()}
        self.program = Program(self.library)
        self.machine = Machine(self._definition, self._field_count, self.library.numerals is not None)
        self.checker = Checker(self.program, self.machine, Shower(self.machine, self._shown))

    def _definition(self, name: str) -> v.Def:
        if name.startswith(c.UNKNOWN):
            return v.Def(name, 0)
        signature = self.program.signature(name)
        found = v.Def(name, signature.arity)
        if name in self.checker.complete:
            found.body = self.program.body(name).body
        return found

    def _field_count(self, con: str) -> int:
        return len(self.program.constructor(con).fields)

    def _shown(self, name: str) -> str:
        """A full name as the current file writes it."""
        module = self.module
        if module is not None and not name.startswith(module.prefix or "\0"):
            for alias, target in module.aliases.items():
                if target.prefix and name.startswith(target.prefix):
                    return f"{alias}.{name[len(target.prefix) :]}"
        if module is not None and module.prefix and name.startswith(module.prefix):
            return name[len(module.prefix) :]
        return name

    def check(self) -> None:
        """Checks every declaration in order; the first error ends it."""
        base = tuple([each.text for each in self.library.modules.values() if each.base])
        left = sum(entry.module.base for entry, _ in self.library.order)
        for entry, filling in self.library.order:
            if entry.module.base:
                self._base_item(entry, base in _CHECKED_BASES)
                left -= 1
                if not left:
                    _CHECKED_BASES.add(base)
                continue
            begin = time.perf_counter()
            module = entry.fill_module if filling else entry.module
            assert module is not None
            self.module, self.checker.file = module, module.path
            self._item(entry, filling)
            self._record(entry, filling, time.perf_counter() - begin)
        laws = [each for each in self.report.items if each.state == "open"]
        self.report.todos = self.library.todos + len(laws)
        self.report.steps = self.machine.steps
        if self.report.todos:
            raise BendError(message=f"{self.report.todos} TODO found.", plain=True)
        self.report.ok = True

    def _base_item(self, entry: Entry, known: bool) -> None:
        """Checks a declaration of Base, or takes it as checked."""
        if not known:
            self.module, self.checker.file = entry.module, entry.module.path
            self._item(entry, False)
        if not isinstance(entry.decl, s.SType):
            self.checker.complete.add(entry.name)
            met = self.machine.defs.get(entry.name)
            if met is not None:
                met.body = self.program.body(entry.name).body

    def _record(self, entry: Entry, filling: bool, seconds: float) -> None:
        decl = entry.decl
        if isinstance(decl, s.SType):
            return
        if isinstance(decl, s.SLaw) and not filling:
            if entry.fill is None:
                self._add_item(entry.name, "open", True, Place(entry.module.path, decl.pos), seconds)
            return
        law = isinstance(decl, s.SLaw)
        signature = self.program.signature(entry.name)
        place = Place(entry.module.path, decl.pos)
        if law and entry.fill is not None and entry.fill_module is not None:
            place = Place(entry.fill_module.path, entry.fill.pos)
        if signature.unsafe:
            self.report.unsafe.append(entry.name)
        state = "unsafe" if signature.unsafe else "proven" if law else "defined"
        self._add_item(entry.name, state, law, place, seconds)

    def _add_item(self, name: str, state: str, law: bool, place: Place, seconds: float) -> None:
        breaks = self._breaks.get(place.file)
        if breaks is None:
            breaks = [found.start() for found in re.finditer("\n", self.report.sources[place.file])]
            self._breaks[place.file] = breaks
        self.report.items.append(Item(name, state, law, place.file, bisect_left(breaks, place.pos) + 1, seconds))

    def _item(self, entry: Entry, filling: bool) -> None:
        if isinstance(entry.decl, s.SType):
            self._type(self.program.type_decl(entry.name))
            return
        decl = self.program.signature(entry.name)
        if not filling:
            self._signature(decl)
            if isinstance(entry.decl, s.SLaw):
                return
        decl = self.program.body(entry.name)
        assert decl.body is not None
        skipped = tuple(
            index < decl.templates or (index < len(decl.params) and decl.params[index].mark == c.ERASED)
            for index in range(decl.arity)
        )
        ctx = Ctx(owner=decl.name, unsafe=decl.unsafe, shape=start(decl.arity), skipped=skipped)
        self.checker.check(decl.body, self.checker.def_type(decl), ctx, True)
        if not decl.templates:
            self.checker.instances.reach(decl.name)
        self.machine.definition(decl.name).body = decl.body
        self.checker.complete.add(decl.name)

    def _signature(self, decl: c.DefDecl) -> None:
        ctx = Ctx(owner=decl.name, unsafe=decl.unsafe)
        for index, param in enumerate(decl.params):
            kind = self.checker.check_type(param.type, ctx)
            if param.mark == c.MANY and index >= decl.templates:
                self.checker.need_data(kind, param.name, param.pos, ctx)
            ctx, _ = ctx.bind(param.name, param.mark, self.checker.inst(param.type, ctx))
        self.checker.check_type(decl.result, ctx)

    def _type(self, decl: c.TypeDecl) -> None:
        checker = self.checker
        ctx = Ctx()
        for param in decl.params:
            checker.check_type(param.type, ctx)
            ctx, _ = ctx.bind(param.name, param.mark, checker.inst(param.type, ctx))
        checker.check_type(decl.kind, ctx)
        declared = self.machine.whnf(checker.inst(decl.kind, ctx))
        assert isinstance(declared, v.VKind)
        for con in decl.constructors:
            inner = ctx
            for fld in con.fields:
                kind = checker.check_type(fld.type, inner)
                if fld.mark == c.MANY:
                    checker.need_data(kind, fld.name, fld.pos, inner)
                elif fld.mark == c.ONE and not checker.converter.at_most(declared.quantity, kind.quantity):
                    checker.fail(inner, fld.pos, declared, kind)
                inner, _ = inner.bind(fld.name, fld.mark, checker.inst(fld.type, inner))

    def value_of_main(self) -> str | None:
        """The normal form of main, if there is one and it is no effect."""
        entry = self.library.names.get("main")
        if entry is None or entry.module.base or isinstance(entry.decl, s.SType):
            return None
        decl = self.program.signature("main")
        if decl.params or decl.body is None:
            return None
        result = self.machine.whnf(self.machine.inst(decl.result, ()))
        if isinstance(result, v.VCall) and result.fun.name == "IO":
            return None
        shower = Shower(self.machine, lambda name: name)
        return shower.show(v.VCall(self.machine.definition("main"), ()))
