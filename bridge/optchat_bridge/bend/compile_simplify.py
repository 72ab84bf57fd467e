"""Makes lowered programs smaller and stricter without changing any value: inlining, known constructors, let placement.

The one thing that matters most: a helper def that branches on a test, ``f.go(test, a, b)``, is inlined, and then each
of a and b moves into the branch that uses it, where it is evaluated at once instead of being put off on the heap.
"""

from __future__ import annotations

from typing import Final

from .compile_fold import fold
from .compile_graph import call_order, occurrences, place, rename_var
from .compile_ir import (
    NONE,
    Alt,
    Apply,
    Call,
    Case,
    Con,
    Expr,
    Fail,
    Fun,
    Function,
    Imm,
    Let,
    Prim,
    Program,
    Str,
    V,
    rebuild,
    rename,
)
from .compile_literals import REBUILT, Fact, Facts, known, rebuilt

INLINE_SIZE: Final = 60
"""A def that does not call itself is copied into its callers up to this size (the model's helpers are below it)."""
GROWTH: Final = 6000
"""No function grows past this size by inlining."""
SINK_SIZE: Final = 16
"""A value is copied into several branches up to this size."""


class _Simplifier:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.order, self.recursive = call_order(program)
        self.grown = 0

    def fresh(self) -> int:
        return self.program.fresh()

    def run(self) -> None:
        for number in self.order:
            function = self.program.functions[number]
            self.grown = function.body.size
            body = self.go(function.body, {}, {})
            # A second round: the first has made constructors known and lets single.
            self.program.functions[number] = Function(function.name, function.params, self.go(body, {}, {}))

    # names: variables that stand for another expression (an atom, or anything that is used once).
    def go(self, e: Expr, names: dict[int, Expr], facts: Facts) -> Expr:
        match e:
            case V(var):
                found = names.get(var, e)
                return known(found, facts) if isinstance(found, V) else found
            case Let():
                return self.let(e, names, facts)
            case Case():
                return self.case(e, names, facts)
            case Call(fun, args):
                return self.call(fun, [self.go(a, names, facts) for a in args], facts)
            case Apply(head, args):
                return self.apply(self.go(head, names, facts), [self.go(a, names, facts) for a in args], facts)
            case Con(con, args):
                done = tuple([self.go(a, names, facts) for a in args])
                return rebuilt(con, done, facts) or Con(con, done)
            case Prim(op, args):
                return self.prim(op, tuple([self.go(a, names, facts) for a in args]), facts)
            case _:
                return rebuild(e, lambda part: self.go(part, names, facts))

    def prim(self, op: str, args: tuple[Expr, ...], facts: Facts) -> Expr:
        con = REBUILT.get(op)
        if con and (same := rebuilt(con, args, facts)):
            return same
        match op, args:
            case "nat_add", (Imm("nat", n), Prim("nat_add", (Imm("nat", m), rest))):
                return self.prim("nat_add", (Imm("nat", n + m), rest), facts)
            case "nat_add", (Imm("nat", n), rest) if n > 0:
                if same := rebuilt("Succ", (rest if n == 1 else Prim("nat_add", (Imm("nat", n - 1), rest)),), facts):
                    return same
            case "nat_add", (Imm("nat", 0), rest):
                return rest
        return fold(op, args) or Prim(op, args)

    def let(self, e: Let, names: dict[int, Expr], facts: Facts) -> Expr:
        value = self.go(e.value, names, facts)
        return self.bind(e.var, value, e.body, names, facts)

    def bind(self, var: int, value: Expr, body: Expr, names: dict[int, Expr], facts: Facts) -> Expr:
        """``var = value; body`` with ``value`` done and ``body`` still to do."""
        if isinstance(value, V | Imm | Str):
            return self.go(body, names | {var: value}, facts)
        if isinstance(value, Let):
            return Let(value.var, value.value, self.bind(var, value.body, body, names, facts))
        count = occurrences(body, var)
        if count == 0:
            return self.go(body, names, facts)
        if count == 1:
            return self.go(body, names | {var: value}, facts)
        if isinstance(value, Con):
            return self.bind_constructor(var, value, body, names, facts)
        return self.sink(var, value, self.go(body, names, facts))

    def bind_constructor(self, var: int, value: Con, body: Expr, names: dict[int, Expr], facts: Facts) -> Expr:
        """Its fields get names, so that a match on it finds them."""
        outer: list[tuple[int, Expr]] = []
        fields: list[Expr] = []
        for arg in value.args:
            if isinstance(arg, V | Imm | Str):
                fields.append(arg)
            else:
                outer.append((self.fresh(), arg))
                fields.append(V(outer[-1][0]))
        done = self.go(body, names, facts | {var: (value.con, tuple(fields))})
        result = self.sink(var, Con(value.con, tuple(fields)), done)
        for name, arg in reversed(outer):
            result = self.bind_done(name, arg, result)
        return result

    def bind_done(self, var: int, value: Expr, body: Expr) -> Expr:
        """``var = value; body`` with both done; a single use takes the value to its place."""
        count = occurrences(body, var)
        if count == 0:
            return body
        return place(body, var, value) if count == 1 else self.sink(var, value, body)

    def sink(self, var: int, value: Expr, body: Expr) -> Expr:
        """Moves a binding past lets and tests that do not need it, to the branches that do."""
        if var not in body.fv:
            return body
        if occurrences(body, var) == 1:
            return place(body, var, value)
        if isinstance(body, Case) and var not in body.scrut.fv:
            users = [a.body for a in body.alts if var in a.body.fv]
            if body.default is not None and var in body.default.fv:
                users.append(body.default)
            if len(users) == 1 or value.size <= SINK_SIZE:

                def into(branch: Expr) -> Expr:
                    if var not in branch.fv:
                        return branch
                    mine = self.fresh()
                    copy = rename(value, {}, self.fresh) if len(users) > 1 else value
                    return self.sink(mine, copy, rename_var(branch, var, mine))

                alts = tuple([Alt(a.con, a.fields, into(a.body)) for a in body.alts])
                return Case(body.scrut, body.var, alts, None if body.default is None else into(body.default))
        return Let(var, value, body)

    def case(self, e: Case, names: dict[int, Expr], facts: Facts) -> Expr:
        scrut = self.go(e.scrut, names, facts)
        return self.case_of(scrut, e, names, facts)

    def case_of(self, scrut: Expr, e: Case, names: dict[int, Expr], facts: Facts) -> Expr:
        """The case on an expression that is done."""
        match scrut:
            case Let(var, value, body):
                return Let(var, value, self.case_of(body, e, names, facts))
            case Fail():
                return scrut
            case Con(con, args):
                return self.arm_for(con, list(args), scrut, e, names, facts)
            case Imm("con", _, con):
                return self.arm_for(con, [], scrut, e, names, facts)
            case Imm("nat", n):
                return self.arm_for("Succ" if n else "Zero", [Imm("nat", n - 1)] if n else [], scrut, e, names, facts)
            case Imm("chr", code):
                return self.arm_for("Chr", [Imm("u32", code)], scrut, e, names, facts)
            case Prim("nat_add", (Imm("nat", n), rest)) if n > 0:
                pred = rest if n == 1 else Prim("nat_add", (Imm("nat", n - 1), rest))
                return self.arm_for("Succ", [pred], scrut, e, names, facts)
            case V(var) if var in facts:
                con, fields = facts[var]
                return self.arm_for(con, list(fields), scrut, e, names, facts)
        var = scrut.id if isinstance(scrut, V) else self.fresh()
        inner = names if var == e.var else names | {e.var: V(var)}
        alts: list[Alt] = []
        for alt in e.alts:
            fact: Fact = (alt.con, tuple([V(f) for f in alt.fields]))
            alts.append(Alt(alt.con, alt.fields, self.go(alt.body, inner, facts | {var: fact})))
        default = None if e.default is None else self.go(e.default, inner, facts)
        return Case(scrut, var, tuple(alts), default)

    def arm_for(self, con: str, args: list[Expr], scrut: Expr, e: Case, names: dict[int, Expr], facts: Facts) -> Expr:
        """The arm for a constructor that is known."""
        for alt in e.alts:
            if alt.con == con:
                if isinstance(scrut, V | Imm):
                    return self.binds(list(alt.fields), args, alt.body, names | {e.var: scrut}, facts)
                if not occurrences(alt.body, e.var):
                    return self.binds(list(alt.fields), args, alt.body, names, facts)
                return self.shared(con, args, alt, e, names, facts)
        if e.default is None:
            return Fail(f"no case for {con}")
        return self.bind(e.var, scrut, e.default, names, facts)

    def shared(self, con: str, args: list[Expr], alt: Alt, e: Case, names: dict[int, Expr], facts: Facts) -> Expr:
        """As known, where the arm mentions the whole value too."""
        whole: Expr = Con(con, tuple([V(f) for f in alt.fields]))
        if con == "Succ":
            whole = Prim("nat_add", (Imm("nat", 1), V(alt.fields[0])))
        return self.binds(list(alt.fields), args, Let(e.var, whole, alt.body), names, facts)

    def binds(self, variables: list[int], values: list[Expr], body: Expr, names: dict[int, Expr], facts: Facts) -> Expr:
        """Several bindings in front of a body that is still to do; the values are done."""
        if not variables:
            return self.go(body, names, facts)
        if len(variables) == 1:
            return self.bind(variables[0], values[0], body, names, facts)
        kept: list[tuple[int, Expr]] = []
        for var, value in zip(variables, values, strict=True):
            count = occurrences(body, var)
            if isinstance(value, V | Imm | Str) or count == 1:
                names = names | {var: value}
            elif count:
                kept.append((var, value))
                if isinstance(value, Con) and all(isinstance(a, V | Imm | Str) for a in value.args):
                    facts = facts | {var: (value.con, value.args)}
        result = self.go(body, names, facts)
        for var, value in reversed(kept):
            result = self.bind_done(var, value, result)
        return result

    def call(self, fun: int, args: list[Expr], facts: Facts) -> Expr:
        function = self.program.functions[fun]
        body = function.body
        small = body.size <= INLINE_SIZE and function.params
        if fun in self.recursive or not small or self.grown + body.size > GROWTH:
            return Call(fun, tuple(args))
        self.grown += body.size
        params = [self.fresh() for _ in function.params]
        copy = rename(body, {p: V(q) for p, q in zip(function.params, params, strict=True)}, self.fresh)
        return self.binds(params, args, copy, {}, facts)

    def apply(self, head: Expr, args: list[Expr], facts: Facts) -> Expr:
        match head:
            case Fun(params, body):
                count = min(len(params), len(args))
                inner = body if count == len(params) else Fun(params[count:], body)
                # A function that takes more arguments would do the work of the others each time: they are shared.
                result = self.binds(list(params[:count]), args[:count], inner, {}, facts)
                return self.apply(result, args[count:], facts) if len(args) > count else result
            case Apply(fun, first):
                return Apply(fun, (*first, *args))
            case Let(var, value, body):
                return Let(var, value, self.apply(body, args, facts))
            case Imm("none"):
                return NONE
            case _:
                return Apply(head, tuple(args))


def simplify(program: Program) -> None:
    """Replaces the bodies of all functions."""
    _Simplifier(program).run()
