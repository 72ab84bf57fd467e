"""What the rules of the checker share: errors, kinds, the types of defs, the values of constructors."""

from __future__ import annotations

from typing import NoReturn

from . import core as c
from . import values as v
from .context import TEMPLATE, Ctx
from .convert import Converter
from .declare import Program
from .errors import BendError, Place
from .evaluate import Machine
from .show import Shower
from .templates import Instances
from .values import Node, plus


class Judge:
    """One program, its machine, and the state of its check."""

    def __init__(self, program: Program, machine: Machine, shower: Shower) -> None:
        self.program = program
        self.machine = machine
        self.converter = Converter(machine)
        self.shower = shower
        self.file = ""
        self.todos = 0
        self._dependent: dict[str, list[bool]] = {}
        self.dependent_fields: dict[str, list[bool]] = {}
        self.complete: set[str] = set()
        """Defs that live code may use: checked, or opaque names of Base."""
        self.instances = Instances(self.check_instance)

    def check_instance(self, name: str, args: tuple[c.Term, ...], label: str) -> None:
        """Checks a template at closed ``~`` arguments, as the def that ``label`` names."""
        raise NotImplementedError

    # Errors

    def fail(self, ctx: Ctx, pos: int, expected: str | Node, observed: str | Node, note: str = "") -> NoReturn:
        """Raises a mismatch."""
        raise self.mismatch(ctx, pos, expected, observed, note)

    def mismatch(self, ctx: Ctx, pos: int, expected: str | Node, observed: str | Node, note: str = "") -> BendError:
        """A mismatch; nodes are shown in normal form."""
        return BendError(
            expected=expected if isinstance(expected, str) else self.shower.show(expected),
            observed=observed if isinstance(observed, str) else self.shower.show(observed),
            place=Place(self.file, pos),
            context=self._context(ctx),
            note=note,
        )

    def message(self, ctx: Ctx, pos: int, text: str) -> NoReturn:
        """Raises a message in a context."""
        error = BendError(message=text, place=Place(self.file, pos))
        error.context = self._context(ctx)
        raise error

    def _context(self, ctx: Ctx) -> list[tuple[str, str]]:
        return [(each.name, self.shower.show(each.type)) for each in ctx.known]

    def inst(self, term: c.Term, ctx: Ctx) -> Node:
        """The graph of a term in a context."""
        return self.machine.inst(term, ctx.env)

    # Types and kinds

    def def_type(self, decl: c.DefDecl, given: v.Env = ()) -> Node:
        """The type of a def as a chain of function types, from the parameter behind those that are given."""
        params, result = decl.params, decl.result
        dependent = self._dependent.get(decl.name)
        if dependent is None:
            types = (*(param.type for param in params), result)
            dependent = self._dependent[decl.name] = mentioned(types, 0, len(params))

        def chain(index: int, env: v.Env) -> Node:
            if index == len(params):
                return self.machine.inst(result, env)
            param = params[index]
            mark = TEMPLATE if index < decl.templates else param.mark
            dom = self.machine.inst(param.type, env)
            return v.VPi(mark, param.name, dom, lambda arg: chain(index + 1, (*env, arg)), dependent[index])

        return chain(len(given), given)

    def need_data(self, kind: Node, name: str, pos: int, ctx: Ctx) -> None:
        """Refuses the mark + on a type that is not Data, unless the def is unsafe."""
        if not ctx.unsafe and not self.converter.is_data(kind):
            note = f"+{name} can be used many times, so its type must be Data."
            self.fail(ctx, pos, v.DATA, kind, note)

    def kind_of(self, type_: Node, ctx: Ctx) -> Node:
        """The kind of a type that is known to be one; Type when in doubt.

        A call has the kind that its def says: a type that is Data by another name may be a Type.
        """
        while isinstance(type_, v.VApp) and isinstance(fun := self.machine.whnf(type_.fun), v.VLam):
            type_ = self.machine.apply_lazy(self.machine.inst(fun.term.body, (*fun.env, type_.args[0])), type_.args[1:])
        if isinstance(type_, v.VCall):
            kind = self._neutral_type(type_, ctx)
            return v.TYPE if kind is None else kind
        value = self.machine.whnf(type_)
        if isinstance(value, v.VData):
            return self.machine.inst(self.program.type_decl(value.name).kind, value.args)
        if isinstance(value, v.VEq):
            return v.DATA
        kind = self._neutral_type(value, ctx)
        return v.TYPE if kind is None else kind

    def _neutral_type(self, value: Node, ctx: Ctx) -> Node | None:
        """The type of a variable, or of a stuck call or application; None where that is not plain."""
        if isinstance(value, v.VVar):
            return ctx.known[value.level].type if value.level < ctx.depth else None
        if isinstance(value, v.VCall):
            type_: Node | None = self.def_type(self.program.signature(value.fun.name))
        elif isinstance(value, v.VApp):
            type_ = self._neutral_type(self.machine.whnf(value.fun), ctx)
        else:
            return None
        for arg in value.args:
            pi = None if type_ is None else self.machine.whnf(type_)
            if not isinstance(pi, v.VPi):
                return None
            type_ = pi.cod(arg)
        return None if type_ is None else self.machine.whnf(type_)

    # Values and coverage

    def construct(self, con: c.Constructor, fields: v.Env) -> Node:
        """A constructor's value, in numeral form if it is a numeral."""
        if con.type_name == self.program.library.numerals:
            return plus(1, fields[0]) if fields else 0
        return v.VCtr(con.name, fields)

    def empty_in_scope(self, ctx: Ctx) -> bool:
        """Whether a live variable has a type without constructors."""
        for each in ctx.known:
            if each.mark in (c.ERASED, TEMPLATE):
                continue
            data = self.machine.whnf(each.type)
            if isinstance(data, v.VData) and data.gone == self.program.all_constructors(data.name):
                return True
        return False


def mentioned(types: tuple[c.Term, ...], first: int, count: int) -> list[bool]:
    """For each of ``count`` levels from ``first``, whether one of the types may mention it."""
    found: set[int] = set()
    stack: list[object] = [types]
    while stack:
        node = stack.pop()
        if isinstance(node, c.Var):
            found.add(node.level)
        elif isinstance(node, tuple):
            stack.extend(node)
        elif hasattr(node, "__dataclass_fields__"):
            stack.extend(getattr(node, name) for name in node.__dataclass_fields__)
    return [level in found for level in range(first, first + count)]
