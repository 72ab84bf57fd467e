"""The bidirectional checker: types, usage, coverage, rewrites, holes.

Every method takes ``live``: in a dead region (types, sides of equations, erased arguments) nothing counts as used
and erased variables may stand anywhere. ``infer`` gives a term's type and usage; ``check`` holds it to a type.
"""

from __future__ import annotations

from typing import NoReturn

from . import core as c
from . import values as v
from .context import NOTHING, TEMPLATE, Ctx, Usage, add, join
from .descent import decreases, part, passed
from .errors import Place, outside
from .judge import Judge, mentioned
from .specialize import specialize
from .templates import TemplateCall
from .values import Node

_CHECKED = (c.Lam, c.Match, c.NoMatch, c.Ctr, c.NatLit, c.Plus, c.U32Lit, c.CharLit, c.StrLit, c.F32Lit)
_INFERRED_TYPES = (c.Pi, c.Data, c.Kind, c.QuantType, c.Quantity, c.Eq)
_DECREASING = "a decreasing self-call (arguments are read left to right: each passed unchanged until one shrinks)"
_UNFILLED = "a filled definition (an unfilled law is a dead claim: live code cannot use it)"
_IGNORED = v.VVar(-1, "_")
_CLOSED = "a template applied to closed ~ arguments"


class Checker(Judge):
    """Checks terms of one program."""

    # Inference

    def infer(self, term: c.Term, ctx: Ctx, live: bool) -> tuple[Node, Usage]:
        """The type of a term, and its uses."""
        if isinstance(term, c.Var):
            return ctx.known[term.level].type, ({term.level: 1} if live else NOTHING)
        if isinstance(term, c.App):
            return self._call(term, ctx, live)
        if isinstance(term, c.Ref):
            return self._reference(term, (), ctx, live), NOTHING
        if isinstance(term, c.Ann):
            self.check_type(term.type, ctx)
            type_ = self.inst(term.type, ctx)
            return type_, self.check(term.term, type_, ctx, live)
        if isinstance(term, c.Meet):
            # values, not types: the digest does not say that they are dead
            left = self.check(term.left, v.QUANT, ctx, live)
            return v.QUANT, add(left, self.check(term.right, v.QUANT, ctx, live))
        if isinstance(term, _INFERRED_TYPES):
            return self._former(term, ctx), NOTHING
        raise self.mismatch(ctx, term.pos, "an annotated term (cannot infer)", self.inst(term, ctx))

    def _reference(self, term: c.Ref, args: tuple[c.Term, ...], ctx: Ctx, live: bool) -> Node:
        if term.name.startswith(c.UNKNOWN):
            name = term.name.removeprefix(c.UNKNOWN)
            if self.program.library.lacks(name):
                raise outside(f"{name}, a name of Bend's Base that ours lacks", Place(self.file, term.pos))
            self.fail(ctx, term.pos, "a defined name", name)
        decl = self.program.signature(term.name)
        if live and term.name not in self.complete and not (ctx.unsafe and self._may_look_ahead(decl, ctx)):
            if term.name != ctx.owner:
                self.fail(ctx, term.pos, _UNFILLED, self.shower.rename(term.name))
            if not decreases(ctx.shape, ctx.skipped, args, ctx.strip):
                self.fail(ctx, term.pos, _DECREASING, self.shower.rename(term.name))
        if decl.templates and len(args) < decl.templates:
            self.fail(ctx, term.pos, f"{_CLOSED} (a def parameter is not comptime)", self.shower.rename(term.name))
        return self.def_type(decl)

    def _may_look_ahead(self, decl: c.DefDecl, ctx: Ctx) -> bool:
        """An unsafe def calls what is below it, but no template other than in a template's text."""
        return not decl.templates or decl.name == ctx.owner or any(each.mark == TEMPLATE for each in ctx.known)

    def _call(self, term: c.App, ctx: Ctx, live: bool) -> tuple[Node, Usage]:
        if isinstance(term.fun, c.Ref):
            type_, usage = self._reference(term.fun, term.args, ctx, live), NOTHING
        else:
            type_, usage = self.infer(term.fun, ctx, live)
        for arg in term.args:
            pi = self.machine.whnf(type_)
            if not isinstance(pi, v.VPi):
                self.fail(ctx, term.pos, "a function type", pi)
            if pi.mark == TEMPLATE:
                self._template_argument(term, arg, pi.dom, ctx, live)
            else:
                usage = add(usage, self.check(arg, pi.dom, ctx, live and pi.mark != c.ERASED))
            # a nested argument is not looked at again for each call around it
            type_ = pi.cod(self.inst(arg, ctx) if pi.dependent else _IGNORED)
        if live and isinstance(term.fun, c.Ref):
            count = self.program.signature(term.fun.name).templates
            if count:
                call = TemplateCall(term.fun.name, term.args[:count], ctx.depth, Place(self.file, term.pos))
                self.instances.calls.setdefault(ctx.owner, []).append(call)
        return type_, usage

    def _template_argument(self, term: c.App, arg: c.Term, type_: Node, ctx: Ctx, live: bool) -> None:
        open_name = _open_variable(arg, ctx) if live else None
        if open_name is not None:
            assert isinstance(term.fun, c.Ref)
            why = f"({open_name} is a variable here, not comptime: pass it at run time)"
            self.fail(ctx, term.pos, f"{_CLOSED} {why}", self.shower.rename(term.fun.name))
        self.check(arg, type_, ctx, live)

    # Types

    def check_type(self, term: c.Term, ctx: Ctx) -> v.VKind:
        """Checks that a term is a type, in a dead region, and gives its kind."""
        if isinstance(term, (*_CHECKED, c.Let, c.Rewrite, c.Refl, c.Hole)):
            self.check(term, v.TYPE, ctx, False)
            return v.TYPE
        type_, _ = self.infer(term, ctx, False)
        kind = self.machine.whnf(type_)
        if not isinstance(kind, v.VKind):
            self.fail(ctx, term.pos, v.TYPE, type_)
        return kind

    def _former(self, term: c.Term, ctx: Ctx) -> Node:
        if isinstance(term, c.Pi):
            return self._function_type(term, ctx)
        if isinstance(term, c.Data):
            return self._family(term, ctx)
        if isinstance(term, c.Eq):
            self.check_type(term.type, ctx)
            type_ = self.inst(term.type, ctx)
            self.check(term.left, type_, ctx, False)
            self.check(term.right, type_, ctx, False)
            return v.DATA
        if isinstance(term, c.Kind):
            self.check(term.quantity, v.QUANT, ctx, False)
            return v.TYPE
        return v.QUANT if isinstance(term, c.Quantity) else v.TYPE

    def _function_type(self, term: c.Pi, ctx: Ctx) -> Node:
        kind = self.check_type(term.dom, ctx)
        if term.mark == c.MANY:
            self.need_data(kind, term.name, term.pos, ctx)
        inner, _ = ctx.bind(term.name, c.ERASED, self.inst(term.dom, ctx))
        self.check_type(term.cod, inner)
        return v.TYPE

    def _family(self, term: c.Data, ctx: Ctx) -> Node:
        decl = self.program.type_decl(term.name)
        env: v.Env = ()
        for param, arg in zip(decl.params, term.args, strict=True):
            self.check(arg, self.machine.inst(param.type, env), ctx, False)
            env = (*env, self.inst(arg, ctx))
        return self.machine.inst(decl.kind, env)

    # Checking

    def check_instance(self, name: str, args: tuple[c.Term, ...], label: str) -> None:
        """Checks a template at closed ``~`` arguments, as the def that ``label`` names."""
        decl = self.program.body(name)
        assert decl.body is not None
        type_ = self.def_type(decl, tuple([self.machine.inst(arg, ()) for arg in args]))
        outer, self.file = self.file, decl.fill_file or decl.file
        self.check(specialize(decl.body, args), type_, Ctx(owner=label, unsafe=decl.unsafe), True)
        self.file = outer

    def check(self, term: c.Term, type_: Node, ctx: Ctx, live: bool) -> Usage:
        """Holds a term to a type and gives its uses."""
        if isinstance(term, c.Lam):
            return self._lambda(term, type_, ctx, live)
        if isinstance(term, c.Match):
            return self._match(term, type_, ctx, live)
        if isinstance(term, c.NoMatch):
            return self._no_match(term, type_, ctx, live)
        if isinstance(term, c.Ctr):
            return self._constructor(term, type_, ctx, live)
        if isinstance(term, c.NatLit | c.Plus | c.U32Lit | c.CharLit | c.StrLit | c.F32Lit):
            return self._literal(term, type_, ctx, live)
        if isinstance(term, c.Rewrite):
            return self._rewrite(term, type_, ctx, live)
        if isinstance(term, c.Let):
            return self._let(term, type_, ctx, live)
        if isinstance(term, c.Refl):
            return self._reflexivity(term, type_, ctx)
        if isinstance(term, c.Hole):
            if term.name != "TODO":
                self.fail(ctx, term.pos, type_, f"?{term.name}")
            self.todos += 1
            return NOTHING
        got, usage = self.infer(term, ctx, live)
        if not self.converter.fits(got, type_):
            self.fail(ctx, term.pos, type_, got)
        return usage

    def _not_inferrable(self, term: c.Term, type_: Node, ctx: Ctx) -> NoReturn:
        self.fail(ctx, term.pos, type_, "non-inferrable term")

    def _lambda(self, term: c.Lam, type_: Node, ctx: Ctx, live: bool) -> Usage:
        pi = self.machine.whnf(type_)
        if not isinstance(pi, v.VPi):
            self._not_inferrable(term, type_, ctx)
        mark = pi.mark
        if term.mark == c.MANY and mark == c.ONE:
            mark = c.MANY
            self.need_data(self.kind_of(pi.dom, ctx), term.name, term.pos, ctx)
        inner, var = ctx.bind(term.name, mark, pi.dom)
        if ctx.shape:
            inner = inner._replace(shape=passed(ctx.shape, ctx.depth))
        usage = self.check(term.body, pi.cod(var), inner, live)
        return self.close(usage, ctx.depth, inner, term.pos)

    def close(self, usage: Usage, level: int, ctx: Ctx, pos: int) -> Usage:
        """Takes a variable out of the uses and refuses it if they exceed its mark."""
        count = usage.get(level)
        if count is None:
            return usage
        name, mark, _, _ = ctx.known[level]
        if mark == c.ERASED:
            self.fail(ctx, pos, f"-{name}", name)
        if mark == c.ONE and count > 1:
            self.fail(ctx, pos, name, f"{name} (consumed more than once)")
        usage = dict(usage)
        del usage[level]
        return usage

    def _datatype(self, pi: v.VPi, term: c.Term, ctx: Ctx, live: bool) -> v.VData:
        data = self.machine.whnf(pi.dom)
        if not isinstance(data, v.VData):
            self.fail(ctx, term.pos, "a datatype", pi.dom)
        if live and pi.mark == c.ERASED:
            self.message(ctx, term.pos, "a live scrutinee (a - scrutinee matches only in a dead region)")
        if pi.mark == TEMPLATE:
            self.message(ctx, term.pos, "a scrutinee that is no template parameter")
        return data

    def _match(self, term: c.Match, type_: Node, ctx: Ctx, live: bool) -> Usage:
        pi = self.machine.whnf(type_)
        if not isinstance(pi, v.VPi):
            self._not_inferrable(term, type_, ctx)
        data = self._datatype(pi, term, ctx, live)
        con, bit = self.program.constructor(term.con), self.program.bit(term.con)
        if con.type_name != data.name or data.gone & bit:
            wanted = f"a constructor of {self.shower.rename(data.name)} (missing, or already matched)"
            self.fail(ctx, term.pos, wanted, self.inst(term, ctx))
        inner = ctx
        if ctx.shape:
            inner = ctx._replace(shape=passed(ctx.shape, part(con.name, len(con.fields))))
        usage = self.check(term.arm, self._arm_type(con, data, pi), inner, live)
        left = v.VData(data.name, data.args, data.gone | bit)
        if left.gone == self.program.all_constructors(data.name) and not isinstance(term.rest, c.Match):
            return usage
        rest = self.check(term.rest, v.VPi(pi.mark, pi.name, left, pi.cod), ctx, live)
        return join(usage, rest)

    def _arm_type(self, con: c.Constructor, data: v.VData, pi: v.VPi) -> Node:
        """The type of an arm: the fields, then the goal at the constructor."""

        def chain(index: int, fields: v.Env) -> Node:
            if index == len(con.fields):
                return pi.cod(self.construct(con, fields))
            field = con.fields[index]
            mark = field.mark
            if mark != c.ERASED and pi.mark != c.ONE:
                mark = pi.mark
            dom = self.machine.inst(field.type, data.args + fields)
            return v.VPi(mark, field.name, dom, lambda arg: chain(index + 1, (*fields, arg)))

        return chain(0, ())

    def _no_match(self, term: c.NoMatch, type_: Node, ctx: Ctx, live: bool) -> Usage:
        pi = self.machine.whnf(type_)
        if not isinstance(pi, v.VPi):
            self._not_inferrable(term, type_, ctx)
        data = self._datatype(pi, term, ctx, live)
        constructors = self.program.type_decl(data.name).constructors
        missing = [each.name for each in constructors if not data.gone & self.program.bit(each.name)]
        if missing and not self.empty_in_scope(ctx):
            names = ", ".join([self.shower.rename(each) for each in missing])
            self.fail(ctx, term.pos, f"cases for {names}", "\\{}")
        return NOTHING

    def _constructor(self, term: c.Ctr, type_: Node, ctx: Ctx, live: bool) -> Usage:
        if term.con.startswith(c.UNKNOWN):
            note = f"{term.con.removeprefix(c.UNKNOWN)} is a datatype: write its arguments as <>"
            self.fail(ctx, term.pos, type_, "non-inferrable term", note)
        data = self.machine.whnf(type_)
        if not isinstance(data, v.VData):
            self._not_inferrable(term, type_, ctx)
        con = self.program.constructor(term.con)
        if con.type_name != data.name or data.gone:
            self.fail(ctx, term.pos, type_, self.shower.rename(con.type_name))
        usage: Usage = NOTHING
        env = data.args
        dependent = self.dependent_fields.get(con.name)
        if dependent is None:
            types = tuple(field.type for field in con.fields)
            dependent = self.dependent_fields[con.name] = mentioned(types, len(env), len(types))
        for index, (field, arg) in enumerate(zip(con.fields, term.args, strict=True)):
            dom = self.machine.inst(field.type, env)
            usage = add(usage, self.check(arg, dom, ctx, live and field.mark != c.ERASED))
            env = (*env, self.inst(arg, ctx) if dependent[index] else _IGNORED)
        return usage

    def _literal(self, term: c.Term, type_: Node, ctx: Ctx, live: bool) -> Usage:
        if isinstance(term, c.NatLit | c.Plus):
            name = self.program.library.numerals or ""
        elif isinstance(term, c.U32Lit):
            name = "U32"
        elif isinstance(term, c.CharLit):
            name = "Char"
        else:
            name = "String" if isinstance(term, c.StrLit) else "F32"
        data = self.machine.whnf(type_)
        if not isinstance(data, v.VData) or data.name != name or data.gone:
            self.fail(ctx, term.pos, type_, self.shower.rename(name))
        if isinstance(term, c.Plus):
            return self.check(term.term, data, ctx, live)
        return NOTHING

    def _reflexivity(self, term: c.Refl, type_: Node, ctx: Ctx) -> Usage:
        equation = self.machine.whnf(type_)
        if not isinstance(equation, v.VEq):
            self._not_inferrable(term, type_, ctx)
        if not self.converter.equal(equation.left, equation.right):
            self.fail(ctx, term.pos, equation.left, equation.right)
        return NOTHING

    def _rewrite(self, term: c.Rewrite, goal: Node, ctx: Ctx, live: bool) -> Usage:
        type_, usage = self.infer(term.evidence, ctx, live)
        equation = self.machine.whnf(type_)
        if not isinstance(equation, v.VEq):
            self.fail(ctx, term.pos, "an equation {a == b : T}", type_)
        inner, side = ctx.bind("_", c.ERASED, equation.type)
        named = v.VEq(equation.left, side, equation.type)
        inner, _ = inner.bind(term.name or "_", c.ERASED, named)
        self.check_type(term.motive, inner)
        evidence = self.inst(term.evidence, ctx)
        there = self.machine.motive(term, ctx.env, equation.right, evidence)
        if not self.converter.equal(goal, there):
            self.fail(ctx, term.pos, goal, there)
        here = self.machine.motive(term, ctx.env, equation.left, v.REFL)
        return add(usage, self.check(term.body, here, ctx, live))

    def _let(self, term: c.Let, type_: Node, ctx: Ctx, live: bool) -> Usage:
        usage: Usage = NOTHING
        inner = ctx
        for bind in term.binds:
            value_live = live and bind.mark != c.ERASED
            if bind.type is None:
                bound, used = self.infer(bind.value, ctx, value_live)
            else:
                self.check_type(bind.type, ctx)
                bound = self.inst(bind.type, ctx)
                used = self.check(bind.value, bound, ctx, value_live)
            if bind.mark == c.MANY:
                self.need_data(self.kind_of(bound, ctx), bind.name, bind.pos, ctx)
            usage = add(usage, used)
            inner, _ = inner.bind(bind.name, bind.mark, bound, self.inst(bind.value, ctx), bind.value)
        used = self.check(term.body, type_, inner, live)
        for level in range(ctx.depth, inner.depth):
            used = self.close(used, level, inner, term.pos)
        return add(usage, used)


def _open_variable(term: c.Term, ctx: Ctx) -> str | None:
    """The name of a variable of the context that a term mentions, template parameters aside."""
    stack: list[object] = [term]
    while stack:
        node = stack.pop()
        if isinstance(node, c.Var):
            if node.level < ctx.depth and ctx.known[node.level].mark != TEMPLATE:
                return node.name
        elif isinstance(node, tuple):
            stack.extend(node)
        elif hasattr(node, "__dataclass_fields__"):
            stack.extend(getattr(node, name) for name in node.__dataclass_fields__)
    return None
