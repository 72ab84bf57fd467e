"""What desugaring shares: names of the place, constructors, scopes, and array sugar."""

from __future__ import annotations

from typing import Final

from . import arrays
from . import core as c
from . import surface as s
from .errors import BendError, Place, outside, parse_error
from .modules import ConEntry, Entry, Library, Module
from .patterns import Binder, Closed, Later, Local, Scope

FLOAT_DIGITS: Final = 6
FLOAT_WIDTH: Final = 36
"""Decimals of up to six digits between 1e-36 and 1e36 are as many different floats, rounded one way or the other."""


class Sugar:
    """The place of one declaration, which stands at ``order`` in ``module``."""

    def __init__(self, library: Library, module: Module, order: int) -> None:
        self.library = library
        self.module = module
        self.order = order
        self.arrays: dict[int, arrays.ArrayType] = {}
        """Levels that lets bind to arrays. A stale one can only lead to a term that does not type."""

    def term(self, term: s.Surface, scope: Scope, depth: int) -> c.Term:
        """A term in a scope without pending binders, under ``depth`` levels."""
        raise NotImplementedError

    def place(self, pos: int) -> Place:
        """A place in this declaration's file."""
        return Place(self.module.path, pos)

    # Names and constructors

    def global_(self, name: str, pos: int) -> Entry:
        entry = self.library.resolve(name, self.module, self.place(pos))
        if entry is None:
            raise parse_error("a defined name", name, self.place(pos))
        return entry

    def base_type(self, name: str, pos: int) -> None:
        entry = self.library.names.get(name)
        if entry is None or not entry.module.base:
            raise parse_error("a defined name", name, self.place(pos))

    def constructor(self, name: str, above: bool) -> ConEntry | None:
        return self.library.constructor(name, self.module, self.order if above else None)

    def field_names(self, con: ConEntry) -> list[str]:
        decl = self.library.names[con.type_name].decl
        assert isinstance(decl, s.SType)
        return [each.name for each in decl.constructors[con.index].fields]

    def make(self, con: ConEntry, args: tuple[c.Term, ...], pos: int) -> c.Term:
        """A saturated constructor, in numeral form if it is one of the numerals' type."""
        if con.type_name == self.library.numerals:
            if not args:
                return c.NatLit(0, pos)
            inner = args[0]
            if isinstance(inner, c.NatLit):
                return c.NatLit(inner.value + 1, pos)
            if isinstance(inner, c.Plus):
                return c.Plus(inner.count + 1, inner.term, pos)
            return c.Plus(1, inner, pos)
        return c.Ctr(con.name, args, pos)

    def con(self, name: str, args: tuple[c.Term, ...], pos: int) -> c.Term:
        con = self.constructor(name, False)
        if con is None:
            entry = self.library.resolve(name, self.module, self.place(pos))
            if entry is not None and isinstance(entry.decl, s.SType):
                # the checker refuses it and says how to write a type
                return c.Ctr(c.UNKNOWN + name, args, pos)
            raise BendError(message=f"a declared constructor (unknown: {name})", place=self.place(pos))
        count = len(self.field_names(con))
        if len(args) != count:
            fields = f"{name} with {count} field{'s' if count != 1 else ''}"
            raise parse_error(fields, f"{name} with {len(args)}", self.place(pos))
        return self.make(con, args, pos)

    def float_literal(self, text: str, pos: int) -> c.F32Lit:
        found = float_text(text)
        if found is None:
            what = f"a float of more than {FLOAT_DIGITS} digits, or {FLOAT_WIDTH} with its zeros"
            raise outside(what, self.place(pos))
        return c.F32Lit(found, pos)

    def base_family(self, name: str, args: tuple[c.Term, c.Term], pos: int) -> c.Term:
        self.base_type(name, pos)
        return c.Data(name, (c.Quantity(1, pos), c.Quantity(1, pos), *args), pos)

    def sigma(self, name: str, fst: c.Term, snd: c.Term, pos: int) -> c.Term:
        """``&name: fst -> snd``; ``snd`` is under one more level."""
        return self.base_family("Sigma", (fst, c.Lam(c.ONE, name, snd, pos)), pos)

    def bound(self, scope: Scope, depth: int, *names: str, kind: str = "lambda") -> Scope:
        inner = dict(scope)
        for index, name in enumerate(names):
            if name != "_":
                inner[name] = Closed(c.Var(depth + index, name), kind)
        return inner

    # Arrays

    def fill(self, term: s.SFill, scope: Scope, depth: int) -> c.Term:
        self.base_type("Array", term.pos)
        levels = arrays.depth_of(self.term(term.depth, scope, depth))
        if levels is None:
            raise outside("an array whose size is no literal power of two", self.place(term.pos))
        array = arrays.ArrayType(self.term(term.type, scope, depth), levels)
        return arrays.fill(array, self.term(term.value, scope, depth), term.pos)

    def _array(self, name: s.Surface, scope: Scope) -> tuple[arrays.ArrayType, c.Var]:
        """What is known of a named array."""
        if isinstance(name, s.SName) and name.name in scope:
            var = local_term(scope[name.name])
            if isinstance(var, c.Var) and var.level in self.arrays:
                return self.arrays[var.level], c.Var(var.level, var.name, name.pos)
        raise outside("an array that is not bound to a fill or a write in the same body", self.place(name.pos))

    def _path(self, index: s.Surface, array: arrays.ArrayType, scope: Scope, depth: int) -> c.Term:
        path = arrays.path_to(self.term(index, scope, depth), array.depth, index.pos)
        if path is None:
            raise outside("an index that is no literal within the array", self.place(index.pos))
        return path

    def index(self, term: s.SIndex, scope: Scope, depth: int) -> c.Term:
        array, name = self._array(term.array, scope)
        return arrays.read(array, name, self._path(term.index, array, scope, depth), term.pos)

    def store(self, term: s.SStore, scope: Scope, depth: int) -> c.Term:
        array, name = self._array(s.SName(term.array, term.pos), scope)
        path = self._path(term.index, array, scope, depth)
        value = arrays.write(array, name, path, self.term(term.value, scope, depth), term.pos)
        self.arrays[depth] = array
        body = self.term(term.body, self.bound(scope, depth, term.array, kind="let"), depth + 1)
        return c.Let((c.Bind(c.ONE, term.array, None, value, term.pos),), body, term.pos)


def local_term(local: Local) -> c.Term:
    """The term of a local name outside the head of a case tree."""
    assert not isinstance(local, Binder)
    return local.get().term if isinstance(local, Later) else local.term


def float_text(text: str) -> str | None:
    """The one text of a float, so that floats are equal when their texts are; None when the text may not tell."""
    whole, _, part = text.partition(".")
    whole, part = whole.lstrip("0"), part.rstrip("0")
    if len((whole + part).strip("0")) > FLOAT_DIGITS or len(whole + part) > FLOAT_WIDTH:
        return None
    return f"{whole or '0'}.{part or '0'}"
