"""Declarations to the core Book, each one when it is first asked for."""

from __future__ import annotations

from . import core as c
from . import surface as s
from .desugar import Desugarer
from .errors import Place, outside, parse_error
from .modules import Entry, Library
from .pattern import show_surface
from .patterns import Closed, Scope


class Program:
    """The declarations of a library in core form, in a Book that fills as it is asked."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.book = c.Book()
        for module in library.modules.values():
            self.book.sources[module.path] = module.text
        self._bodies: set[str] = set()

    def entry(self, name: str) -> Entry:
        """The entry of a full name."""
        return self.library.names[name]

    def type_decl(self, name: str) -> c.TypeDecl:
        """A type with its constructors."""
        found = self.book.types.get(name)
        if found is None:
            entry = self.entry(name)
            assert isinstance(entry.decl, s.SType)
            found = self.book.types[name] = self._type(entry, entry.decl)
            for con in found.constructors:
                self.book.constructors[con.name] = con
        return found

    def constructor(self, name: str) -> c.Constructor:
        """A constructor by its full name."""
        if name not in self.book.constructors:
            self.type_decl(self.library.constructors[name].type_name)
        return self.book.constructors[name]

    def bit(self, con: str) -> int:
        """The bit that stands for a constructor among those of its type."""
        return 1 << self.library.constructors[con].index

    def all_constructors(self, name: str) -> int:
        """The bits of all constructors of a type."""
        return (1 << len(self.type_decl(name).constructors)) - 1

    def signature(self, name: str) -> c.DefDecl:
        """A def or law; its body may not be there yet."""
        found = self.book.defs.get(name)
        if found is None:
            entry = self.entry(name)
            found = self.book.defs[name] = self._signature(entry)
        return found

    def body(self, name: str) -> c.DefDecl:
        """A def with its body; an open law has none."""
        decl = self.signature(name)
        if name not in self._bodies:
            self._bodies.add(name)
            self._fill(self.entry(name), decl)
        return decl

    def full_book(self) -> c.Book:
        """Everything, for the compiler."""
        self.book.order = []
        for entry, filling in self.library.order:
            if isinstance(entry.decl, s.SType):
                self.book.order.append(self.type_decl(entry.name))
            else:
                decl = self.body(entry.name)
                decl.order = entry.fill_order if filling else entry.order
                self.book.order.append(decl)
        return self.book

    # Types

    def _type(self, entry: Entry, decl: s.SType) -> c.TypeDecl:
        sugar = Desugarer(self.library, entry.module, entry.order)
        for each in decl.params:
            if each.template or (each.mark != c.ERASED and each.type is not None):
                raise outside("a type's parameter without the mark -", Place(entry.module.path, each.pos))
        params, scope = self._telescope(sugar, decl.params, {}, 0)
        kind = sugar.term(decl.kind, scope, len(params))
        if not isinstance(kind, c.Kind):
            place = Place(entry.module.path, decl.kind.pos)
            if isinstance(kind, c.Ref | c.App | c.Ann | c.Let | c.Rewrite):
                raise outside("a kind that is computed (write Type, Data or Kind(..))", place)
            raise parse_error(f"a kind (type {decl.name}<..> is Kind(g))", show_surface(decl.kind), place)
        constructors = []
        for con in decl.constructors:
            fields, _ = self._telescope(sugar, con.fields, scope, len(params))
            constructors.append(c.Constructor(entry.module.prefix + con.name, entry.name, fields, con.pos))
        quantities = self.library.quantities(decl)
        path, pos = entry.module.path, decl.pos
        return c.TypeDecl(entry.name, params, kind, tuple(constructors), quantities, path, pos, entry.order)

    def _telescope(
        self, sugar: Desugarer, params: list[s.SParam], outer: Scope, depth: int, shown: str = ""
    ) -> tuple[tuple[c.Param, ...], Scope]:
        """Parameters, each type in the scope of those before; ``shown`` names the def of template parameters."""
        scope = dict(outer)
        out: list[c.Param] = []
        for index, each in enumerate(params):
            mark = c.ERASED if each.type is None else each.mark
            term: c.Term = c.QuantType(each.pos)
            if each.type is not None:
                term = sugar.term(each.type, scope, depth + index)
            if each.where is not None:
                inner = dict(scope)
                inner[each.name] = Closed(c.Var(depth + index, each.name), "param")
                condition = sugar.term(each.where, inner, depth + index + 1)
                term = sugar.sigma(each.name, term, condition, each.pos)
            name = f"{shown}~{each.name}" if each.template else each.name
            out.append(c.Param(mark, name, term, each.pos))
            if each.name != "_":
                scope[each.name] = Closed(c.Var(depth + index, name), "param")
        return tuple(out), scope

    # Defs and laws

    def _signature(self, entry: Entry) -> c.DefDecl:
        decl, module = entry.decl, entry.module
        sugar = Desugarer(self.library, module, entry.order)
        place = (module.path, decl.pos)
        if isinstance(decl, s.SDef):
            assert decl.result is not None
            params, scope = self._telescope(sugar, decl.params, {}, 0, decl.name)
            result = sugar.term(decl.result, scope, len(params))
            templates = sum(each.template for each in decl.params)
            return c.DefDecl(
                entry.name, params, result, None, len(params), templates, *place, entry.order, unsafe=decl.unsafe
            )
        assert isinstance(decl, s.SLaw)
        leading = 0
        while leading < len(decl.clauses) and not decl.clauses[leading].exists:
            leading += 1
        params, scope = self._telescope(sugar, decl.clauses[:leading], {}, 0, decl.name)
        result = self._claim(sugar, decl.clauses[leading:], decl.claim, scope, leading)
        templates = sum(each.template for each in decl.clauses)
        arity = leading if entry.fill is None else len(entry.fill.params)
        law = c.DefDecl(entry.name, params, result, None, arity, templates, *place, entry.order, law=True)
        law.opaque = module.base and entry.fill is None
        if entry.fill is not None and entry.fill_module is not None:
            law.unsafe = entry.fill.unsafe
            law.fill_file, law.fill_pos = entry.fill_module.path, entry.fill.pos
        return law

    def _claim(self, sugar: Desugarer, clauses: list[s.SParam], claim: s.Surface, scope: Scope, depth: int) -> c.Term:
        """The clauses from the first ``exs`` on, as pairs and function types."""
        if not clauses:
            return sugar.term(claim, scope, depth)
        each = clauses[0]
        params, inner = self._telescope(sugar, [each], scope, depth)
        rest = self._claim(sugar, clauses[1:], claim, inner, depth + 1)
        if each.exists:
            return sugar.sigma(each.name, params[0].type, rest, each.pos)
        return c.Pi(each.mark, each.name, params[0].type, rest, each.pos)

    def _fill(self, entry: Entry, decl: c.DefDecl) -> None:
        if isinstance(entry.decl, s.SDef):
            sugar = Desugarer(self.library, entry.module, entry.order)
            params = [(each.name, each.template) for each in entry.decl.params]
            decl.body = sugar.tree(params, entry.decl.body, entry.decl.name)
        elif entry.fill is not None and entry.fill_module is not None:
            sugar = Desugarer(self.library, entry.fill_module, entry.fill_order)
            params = [(each.name, index < decl.templates) for index, each in enumerate(entry.fill.params)]
            decl.body = sugar.tree(params, entry.fill.body, entry.fill.name)
