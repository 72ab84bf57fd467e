"""Surface terms to core terms: names resolved, sugar gone, matches compiled.

Locals carry their core terms, so a scope needs no renaming: levels mean the same under further binders.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from . import arrays
from . import core as c
from . import surface as s
from .errors import BendError, outside, parse_error, quoted
from .modules import Library, Module
from .pattern import braced, show_surface
from .patterns import Binder, Closed, Local, MatchCompiler, Names, Scope, State
from .sugar import Sugar, local_term

_SPACED: Final = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "div",
    "%": "mod",
    "<": "is_lt",
    "<=": "is_le",
    ">": "is_gt",
    ">=": "is_ge",
    ".&.": "and",
    ".|.": "or",
    ".^.": "xor",
}
_FIXED: Final = {"&&": "Bool.and", "||": "Bool.or", "++": "String.append"}
_TYPE: Final = c.Kind(c.Quantity(1))
_DATA: Final = c.Kind(c.Quantity(2))
_NUMERAL_CHAIN_LIMIT: Final = 4_096
_INNER: Final = (s.SLet, s.SStore, s.SOpen, s.SMatch, s.SRewrite, s.SLam)
"""Bodies in parentheses whose operators are not those of the parentheses."""


class Desugarer(Sugar):
    """Desugars one declaration, which stands at ``order`` in ``module``."""

    def __init__(self, library: Library, module: Module, order: int) -> None:
        super().__init__(library, module, order)
        names = Names(module.path, self.constructor, self.field_names, self.make, self._is_global, self._leaf)
        self.matches = MatchCompiler(names)
        self._behind = False
        self._forms: dict[type, Callable[..., c.Term]] = {
            s.SName: self._name,
            s.SMarked: self._marked,
            s.SLit: self._literal,
            s.SPlus: self._plus,
            s.SCtr: self._ctr,
            s.SCall: self._call,
            s.SIndex: self.index,
            s.SList: self._list,
            s.SFill: self.fill,
            s.STuple: self._tuple,
            s.SSpace: self._space,
            s.SAnn: self._ann,
            s.SEq: self._eq,
            s.SRefl: lambda t, _s, _d: c.Refl(t.pos),
            s.SLam: self._lam,
            s.SRewrite: self._rewrite,
            s.SCases: self._cases,
            s.SHole: lambda t, _s, _d: c.Hole(t.name, t.pos),
            s.SFamily: self._family,
            s.SArrow: self._arrow,
            s.SSigma: self._sigma,
            s.SKind: lambda t, scope, depth: c.Kind(self.term(t.quantity, scope, depth), t.pos),
            s.SQuantity: lambda t, _s, _d: c.Quantity(t.value, t.pos),
            s.SBin: self._bin,
            s.SMatch: self._closed_match,
            s.SOpen: self._closed_match,
            s.SLet: self._let,
            s.SStore: self.store,
            s.SDo: self._do,
        }

    def term(self, term: s.Surface, scope: Scope, depth: int) -> c.Term:
        """A term in a scope without pending binders, under ``depth`` levels."""
        return self._forms[type(term)](term, scope, depth)

    def tree(self, params: list[tuple[str, bool]], body: s.Surface, tilde: str) -> c.Term:
        """A def's case tree; a parameter is its name and whether it is a template one, shown as ``tilde~name``."""
        scope: Scope = {}
        queue: list[Binder] = []
        fixed: list[str] = []
        for name, template in params:
            local: Local
            if template:
                shown = f"{tilde}~{name}"
                local = Closed(c.Var(len(fixed), shown), "tilde")
                fixed.append(shown)
            else:
                local = Binder(name)
                queue.append(local)
            if name != "_":
                scope[name] = local
        state = State(tuple(queue), {}, {}, len(fixed))
        if not self.module.base:
            self.matches.read.read_all(body)
        term = self.matches.body(body, scope, state)
        for name in reversed(fixed):
            term = c.Lam(c.ONE, name, term, body.pos)
        return term

    # What match compilation asks

    def _is_global(self, name: str, pos: int) -> bool:
        return self.library.resolve(name, self.module, self.place(pos)) is not None

    def _leaf(self, body: s.Surface, scope: Scope, depth: int) -> c.Term:
        return self.term(body, scope, depth)

    # Names, calls, literals

    def _name(self, term: s.SName, scope: Scope, _depth: int) -> c.Term:
        local = scope.get(term.name)
        if local is not None:
            found = local_term(local)
            return c.Var(found.level, found.name, term.pos) if isinstance(found, c.Var) else found
        if term.name == "Type":
            return c.Kind(_TYPE.quantity, term.pos)
        if term.name == "Data":
            return c.Kind(_DATA.quantity, term.pos)
        if term.name == "Quant":
            return c.QuantType(term.pos)
        entry = self.library.resolve(term.name, self.module, self.place(term.pos))
        if entry is None:
            # the checker refuses it, unless it stands in a row that cannot be reached
            return c.Ref(c.UNKNOWN + term.name, term.pos)
        if not isinstance(entry.decl, s.SType):
            return c.Ref(entry.name, term.pos)
        if entry.decl.params:
            raise parse_error(f"a family instance (write {term.name}<..>)", term.name, self.place(term.pos))
        return c.Data(entry.name, (), term.pos)

    def _marked(self, term: s.SMarked, _scope: Scope, _depth: int) -> c.Term:
        if term.mark == c.MANY:
            wanted = "a quantified datatype after + (+D<..> sets D's leading quantities to &2)"
            raise parse_error(wanted, term.name, self.place(term.pos))
        raise parse_error("a term", "'-'", self.place(term.pos))

    def _literal(self, term: s.SLit, _scope: Scope, _depth: int) -> c.Term:
        if term.kind == "nat":
            return self._numeral(int(term.value), term.pos)
        if term.kind == "u32":
            self.base_type("U32", term.pos)
            return c.U32Lit(int(term.value), term.pos)
        if term.kind == "char":
            self.base_type("Char", term.pos)
            return c.CharLit(ord(term.value), term.pos)
        if term.kind == "string":
            self.base_type("String", term.pos)
            return c.StrLit(term.value, term.pos)
        self.base_type("F32", term.pos)
        return self.float_literal(term.value, term.pos)

    def _numeral(self, value: int, pos: int) -> c.Term:
        con = self.constructor("Zero", False)
        if con is not None and con.type_name == self.library.numerals:
            return c.NatLit(value, pos)
        if value > _NUMERAL_CHAIN_LIMIT:
            raise outside(f"a numeral above {_NUMERAL_CHAIN_LIMIT}n of an own type", self.place(pos))
        term = self.con("Zero", (), pos)
        for _ in range(value):
            term = self.con("Succ", (term,), pos)
        return term

    def _plus(self, term: s.SPlus, scope: Scope, depth: int) -> c.Term:
        inner = self.term(term.term, scope, depth)
        for _ in range(term.count):
            inner = self.con("Succ", (inner,), term.pos)
        return inner

    def _ctr(self, term: s.SCtr, scope: Scope, depth: int) -> c.Term:
        return self.con(term.name, tuple([self.term(each, scope, depth) for each in term.args]), term.pos)

    def _call(self, term: s.SCall, scope: Scope, depth: int) -> c.Term:
        fun = self.term(term.fun, scope, depth)
        if term.bang and not isinstance(fun, c.Ref):
            raise parse_error("a named def before ! (only f!(..) offloads)", quoted("!"), self.place(term.pos))
        if isinstance(term.fun, s.SLam) and term.args:
            raise outside("a call of a lambda (write {x => .. : A -> B}(..))", self.place(term.pos))
        if term.tildes:
            self._check_tildes(term, fun)
        args = tuple([self.term(each, scope, depth) for each in term.args])
        if not args:
            return fun
        if isinstance(fun, c.App):
            return c.App(fun.fun, fun.args + args, term.pos)
        return c.App(fun, args, term.pos)

    def _check_tildes(self, term: s.SCall, fun: c.Term) -> None:
        entry = self.library.names.get(fun.name) if isinstance(fun, c.Ref) else None
        count = 0
        if entry is not None and entry.order <= self.order:
            decl = entry.decl
            params = decl.params if isinstance(decl, s.SDef) else decl.clauses if isinstance(decl, s.SLaw) else []
            count = sum(each.template for each in params)
        if term.tildes > count:
            wanted = f"a term ({show_surface(term.fun)} takes {count} ~)" if count else "a term"
            raise parse_error(wanted, "'~'", self.place(term.pos))

    def _list(self, term: s.SList, scope: Scope, depth: int) -> c.Term:
        chain = self.con("Nil", (), term.pos)
        for each in reversed(term.items):
            chain = self.con("Con", (self.term(each, scope, depth), chain), each.pos)
        return chain

    def _tuple(self, term: s.STuple, scope: Scope, depth: int) -> c.Term:
        pair = self.term(term.items[-1], scope, depth)
        for each in reversed(term.items[:-1]):
            pair = self.con("Tuple", (self.term(each, scope, depth), pair), each.pos)
        return pair

    # Operators

    def _space(self, term: s.SSpace, scope: Scope, depth: int) -> c.Term:
        if not isinstance(term.term, _INNER):
            return self._operators(term.term, term.name, scope, depth)
        outer, self._behind = self._behind, bool(term.name)
        found = self.term(term.term, scope, depth)
        self._behind = outer
        return found

    def _bin(self, term: s.SBin, scope: Scope, depth: int) -> c.Term:
        return self._operators(term, None, scope, depth)

    def _operators(self, term: s.Surface, space: str | None, scope: Scope, depth: int) -> c.Term:
        if not isinstance(term, s.SBin):
            return self.term(term, scope, depth)
        pos = term.pos
        if term.op not in _SPACED and term.op not in _FIXED and term.op not in ("<>", "<&>", "|"):
            raise outside(f"the operator {term.op}", self.place(pos))
        if term.op in _SPACED and space is None:
            if self._behind:
                raise outside("operators behind a let, match or lambda in parentheses", self.place(pos))
            raise BendError(message="a type for this operator (write (a + b : Nat))", place=self.place(pos))
        if term.op not in _SPACED and term.op not in _FIXED:
            space = None
        left = self._operators(term.left, space, scope, depth)
        right = self._operators(term.right, space, scope, depth)
        if term.op == "<>":
            return self.con("Con", (left, right), pos)
        if term.op == "<&>":
            return c.Meet(left, right, pos)
        if term.op == "|":
            return self.base_family("Either", (left, right), pos)
        name = _FIXED.get(term.op) or f"{space}.{_SPACED[term.op]}"
        entry = self.global_(name, pos)
        if isinstance(entry.decl, s.SType):
            raise parse_error("a defined name", name, self.place(pos))
        return c.App(c.Ref(entry.name, pos), (left, right), pos)

    # Functions, lets, rewrites

    def _lam(self, term: s.SLam, scope: Scope, depth: int) -> c.Term:
        body = self.term(term.body, self.bound(scope, depth, term.name), depth + 1)
        return c.Lam(term.mark, term.name, body, term.pos)

    def _let(self, term: s.SLet, scope: Scope, depth: int) -> c.Term:
        binds: list[c.Bind] = []
        for each in term.binds:
            if self.constructor(each.name, True) is not None:
                raise braced(each.name, self.place(each.pos))
            type_ = None if each.type is None else self.term(each.type, scope, depth)
            value = self.term(each.value, scope, depth)
            if isinstance(each.value, s.SFill) and isinstance(value, c.App):
                levels = value.args[1]
                assert isinstance(levels, c.NatLit)
                self.arrays[depth + len(binds)] = arrays.ArrayType(value.args[0], levels.value)
            binds.append(c.Bind(each.mark, each.name, type_, value, each.pos))
        inner = self.bound(scope, depth, *(each.name for each in binds), kind="let")
        return c.Let(tuple(binds), self.term(term.body, inner, depth + len(binds)), term.pos)

    def _closed_match(self, term: s.SMatch | s.SOpen, scope: Scope, depth: int) -> c.Term:
        return self.matches.body(term, scope, State((), {}, {}, depth))

    def _rewrite(self, term: s.SRewrite, scope: Scope, depth: int) -> c.Term:
        evidence = self.term(term.evidence, scope, depth)
        inner = dict(scope)
        inner["_"] = Closed(c.Var(depth, "_"), "lambda")
        if term.name is not None and term.name != "_":
            inner[term.name] = Closed(c.Var(depth + 1, term.name), "lambda")
        motive = self.term(term.motive, inner, depth + 2)
        return c.Rewrite(evidence, term.name, motive, self.term(term.rest, scope, depth), term.pos)

    def _cases(self, term: s.SCases, scope: Scope, depth: int) -> c.Term:
        rest: c.Term = c.NoMatch(term.pos) if term.default is None else self.term(term.default, scope, depth)
        for name, arm, pos in reversed(term.arms):
            con = self.constructor(name, True)
            if con is None:
                if self.constructor(name, False) is not None:
                    raise outside(f"a lambda-match above the type of its constructor {name}", self.place(pos))
                raise BendError(message=f"a declared constructor (unknown: {name})", place=self.place(pos))
            rest = c.Match(con.name, self.term(arm, scope, depth), rest, pos)
        return rest

    def _ann(self, term: s.SAnn, scope: Scope, depth: int) -> c.Term:
        return c.Ann(self.term(term.term, scope, depth), self.term(term.type, scope, depth), term.pos)

    # Types

    def _eq(self, term: s.SEq, scope: Scope, depth: int) -> c.Term:
        left, right = self.term(term.left, scope, depth), self.term(term.right, scope, depth)
        equation = c.Eq(left, right, self.term(term.type, scope, depth), term.pos)
        if not term.negated:
            return equation
        self.base_type("Empty", term.pos)
        return c.Pi(c.ONE, "_", equation, c.Data("Empty", (), term.pos), term.pos)

    def _arrow(self, term: s.SArrow, scope: Scope, depth: int) -> c.Term:
        dom = self.term(term.dom, scope, depth)
        cod = self.term(term.cod, self.bound(scope, depth, term.name), depth + 1)
        return c.Pi(term.mark, term.name, dom, cod, term.pos)

    def _sigma(self, term: s.SSigma, scope: Scope, depth: int) -> c.Term:
        fst = self.term(term.fst, scope, depth)
        snd = self.term(term.snd, self.bound(scope, depth, term.name), depth + 1)
        return self.sigma(term.name, fst, snd, term.pos)

    def _family(self, term: s.SFamily, scope: Scope, depth: int) -> c.Term:
        if term.name in scope:
            raise parse_error("a datatype before <", term.name, self.place(term.pos))
        entry = self.global_(term.name, term.pos)
        args = tuple([self.term(each, scope, depth) for each in term.args])
        decl = entry.decl
        if not isinstance(decl, s.SType):
            raise parse_error("a datatype before <", term.name, self.place(term.pos))
        total, quantities = len(decl.params), self.library.quantities(decl)
        if term.plus and not quantities:
            wanted = "a quantified datatype after + (+D<..> sets D's leading quantities to &2)"
            raise parse_error(wanted, term.name, self.place(term.pos))
        above = entry.order <= self.order
        if quantities and above and len(args) == total - quantities:
            args = (c.Quantity(2 if term.plus else 1, term.pos),) * quantities + args
        elif len(args) != total or term.plus:
            count = f"{term.name} with {total} parameter{'s' if total != 1 else ''}"
            raise parse_error(count, _show_family(term), self.place(term.pos))
        return c.Data(entry.name, args, term.pos)

    # Do blocks

    def _do(self, term: s.SDo, scope: Scope, depth: int) -> c.Term:
        args = [self.term(each, scope, depth) for each in term.args]
        entry = self.global_(term.monad, term.pos)
        if isinstance(entry.decl, s.SType):
            quantities = self.library.quantities(entry.decl)
            if quantities and len(args) == len(entry.decl.params) - quantities:
                args = [c.Quantity(1, term.pos)] * quantities + args
        if not args:
            wanted = f"a monad with its result type (write {term.monad}<..>)"
            raise parse_error(wanted, term.monad, self.place(term.pos))
        return self._steps(term, 0, tuple(args[:-1]), args[-1], scope, depth)

    def _monad(self, term: s.SDo, args: tuple[c.Term, ...]) -> c.Term:
        """The type of the whole block."""
        entry = self.global_(term.monad, term.pos)
        if not isinstance(entry.decl, s.SType):
            return c.App(c.Ref(entry.name, term.pos), args, term.pos)
        total = len(entry.decl.params)
        if len(args) != total:
            count = f"{term.monad} with {total} parameter{'s' if total != 1 else ''}"
            raise parse_error(count, term.monad, self.place(term.pos))
        return c.Data(entry.name, args, term.pos)

    def _steps(
        self, term: s.SDo, at: int, lead: tuple[c.Term, ...], result: c.Term, scope: Scope, depth: int
    ) -> c.Term:
        if at == len(term.steps):
            last = self.term(term.last, scope, depth)
            if not term.returns:
                return c.Ann(last, self._monad(term, (*lead, result)), term.last.pos)
            pure = self.global_(f"{term.monad}.pure", term.pos)
            return c.App(c.Ref(pure.name, term.pos), (*lead, result, last), term.last.pos)
        step = term.steps[at]
        value = self.term(step.value, scope, depth)
        if step.type is None:
            self.base_type("Unit", step.pos)
            type_: c.Term = c.Data("Unit", (), step.pos)
        else:
            type_ = self.term(step.type, scope, depth)
        name = step.name or "_"
        inner = self.bound(scope, depth, name, kind="let" if not step.bind and step.name else "lambda")
        rest = self._steps(term, at + 1, lead, result, inner, depth + 1)
        if step.name is not None and not step.bind:
            return c.Let((c.Bind(step.mark, name, type_, value, step.pos),), rest, step.pos)
        if step.mark != c.ONE:
            raise outside("a marked bind in a do block", self.place(step.pos))
        bind = c.Ref(self.global_(f"{term.monad}.bind", term.pos).name, step.pos)
        return c.App(bind, (*lead, type_, result, value, c.Lam(step.mark, name, rest, step.pos)), step.pos)


def _show_family(term: s.SFamily) -> str:
    return f"{term.name}<{', '.join([show_surface(each) for each in term.args])}>"
