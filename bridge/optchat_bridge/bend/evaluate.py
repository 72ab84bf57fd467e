"""Evaluation by need: terms to graphs, graphs to weak head normal form.

Python calls among Python functions do not use the machine stack (from CPython 3.11 on), so depth costs memory only.
For that reason no function here recurses through a generator or another C function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from . import core as c
from . import values as v
from .codegen import compile_step
from .errors import stopped
from .limits import STEP_LIMIT, memory_limit, memory_used, over_memory
from .values import Env, Node

FRESH: Final = 1 << 40
"""Levels from here on are fresh variables of conversion and showing, never of a context."""
COMPILE_AFTER: Final = 64
"""Calls of a def before it gets a step function of its own."""
_LOOK: Final = 50_000
"""Steps between two looks at the limits."""
_TURNS: Final = 1_000
"""Turns of the evaluation loop before it counts them."""
ZERO: Final = "Zero"
SUCC: Final = "Succ"


class Machine:
    """The evaluator of one book. ``defs`` holds every def that was met, complete or not.

    ``field_count`` gives a constructor's number of fields; ``numerals`` says that Zero and Succ are numerals.
    """

    def __init__(self, find: Callable[[str], v.Def], field_count: Callable[[str], int], numerals: bool) -> None:
        self._find = find
        self.field_count = field_count
        self._numerals = numerals
        self._nullary: dict[str, v.VCtr] = {}
        self.defs: dict[str, v.Def] = {}
        self.steps = 0
        self.step_limit = STEP_LIMIT
        self.force = _forcer(self)
        """The weak head normal form of a lazy node that has none yet, kept in the node."""
        self._next_look = _LOOK
        self._memory_limit = memory_limit()
        self._fresh = FRESH
        self.fresh_leaf = False
        self._inst: dict[type, Callable[[Any, Env], Node]] = {
            c.Var: lambda term, env: env[term.level],
            c.Ref: lambda term, _env: v.VCall(self.definition(term.name), ()),
            c.App: self._app,
            c.Lam: v.VLam,
            c.Match: v.VMatch,
            c.NoMatch: v.VMatch,
            c.Ctr: lambda term, env: v.VCtr(term.con, self._args(term.args, env)),
            c.NatLit: lambda term, _env: term.value,
            c.Plus: lambda term, env: v.plus(term.count, self.inst(term.term, env)),
            c.U32Lit: lambda term, _env: v.VU32(term.value),
            c.CharLit: lambda term, _env: v.VChar(term.code),
            c.StrLit: lambda term, _env: v.VText(term.text, 0),
            c.F32Lit: lambda term, _env: v.VF32(term.text),
            c.Pi: self._pi,
            c.Data: lambda term, env: v.VData(term.name, self._args(term.args, env)),
            c.Kind: lambda term, env: v.VKind(self.inst(term.quantity, env)),
            c.QuantType: lambda _term, _env: v.QUANT,
            c.Quantity: lambda term, _env: v.QUANTITIES[term.value],
            c.Meet: lambda term, env: v.VMeet(self.inst(term.left, env), self.inst(term.right, env)),
            c.Eq: self._eq,
            c.Refl: lambda _term, _env: v.REFL,
            c.Rewrite: self._rewrite,
            c.Ann: lambda term, env: self.inst(term.term, env),
            c.Let: self._let,
            c.Hole: lambda term, _env: v.VHole(term.name),
        }

    def definition(self, name: str) -> v.Def:
        """The def of that name at run time."""
        found = self.defs.get(name)
        if found is None:
            found = self.defs[name] = self._find(name)
        return found

    def nullary(self, con: str) -> v.VCtr:
        """The value of a constructor without fields, one for all."""
        found = self._nullary.get(con)
        if found is None:
            found = self._nullary[con] = v.VCtr(con, ())
        return found

    def fresh(self, name: str) -> v.VVar:
        """A variable that is in no context."""
        self._fresh += 1
        return v.VVar(self._fresh, name)

    # Terms to graphs

    def inst(self, term: c.Term, env: Env) -> Node:
        """The graph of a term; nothing is unfolded."""
        return self._inst[type(term)](term, env)

    def _args(self, terms: tuple[c.Term, ...], env: Env) -> tuple[Node, ...]:
        table = self._inst
        return tuple([table[type(each)](each, env) for each in terms])

    def _app(self, term: c.App, env: Env) -> Node:
        fun = term.fun
        args = self._args(term.args, env)
        if type(fun) is c.Ref:
            return v.VCall(self.definition(fun.name), args)
        return v.VApp(self.inst(fun, env), args)

    def _eq(self, term: c.Eq, env: Env) -> Node:
        return v.VEq(self.inst(term.left, env), self.inst(term.right, env), self.inst(term.type, env))

    def _rewrite(self, term: c.Rewrite, env: Env) -> Node:
        return v.VRewrite(term, env, self.inst(term.evidence, env), self.inst(term.body, env))

    def _let(self, term: c.Let, env: Env) -> Node:
        values = tuple([self.inst(each.value, env) for each in term.binds])
        return self.inst(term.body, env + values)

    def _pi(self, term: c.Pi, env: Env) -> Node:
        cod = term.cod
        return v.VPi(term.mark, term.name, self.inst(term.dom, env), lambda arg: self.inst(cod, (*env, arg)))

    def motive(self, rewrite: c.Rewrite, env: Env, side: Node, equation: Node) -> Node:
        """A rewrite's motive at a side and an equation."""
        return self.inst(rewrite.motive, (*env, side, equation))

    # Graphs to weak head normal form

    def whnf(self, node: Node) -> Node:
        """The weak head normal form, kept in the node."""
        if type(node) not in v.LAZY:
            return node
        lazy: Any = node
        value: Node | None = lazy.val
        return self.force(lazy) if value is None else value

    def step(self, node: Any) -> Node | None:
        """One unfolding at the head; None when stuck."""
        if isinstance(node, v.VCall):
            return self._call(node.fun, node.args)
        if isinstance(node, v.VApp):
            return self.apply(self.whnf(node.fun), node.args)
        if isinstance(node, v.VRewrite):
            return node.body if self.whnf(node.evidence) is v.REFL else None
        return self._meet(self.whnf(node.left), self.whnf(node.right))

    def count(self, steps: int) -> None:
        """Counts steps, and looks at the limits now and then."""
        self.steps += steps
        if self.steps < self._next_look:
            return
        self._next_look = self.steps + _LOOK
        if self.steps > self.step_limit:
            raise stopped(f"more than {self.step_limit} steps of evaluation")
        if memory_used() > self._memory_limit:
            raise stopped(over_memory(self._memory_limit))

    def _meet(self, left: Node, right: Node) -> Node | None:
        if isinstance(left, v.VQuantity) and isinstance(right, v.VQuantity):
            return left if left.value < right.value else right
        for one, other in ((left, right), (right, left)):
            if isinstance(one, v.VQuantity):
                if one.value == 2:
                    return other
                if one.value == 0:
                    return one
        return None

    def _call(self, fun: v.Def, args: tuple[Node, ...]) -> Node | None:
        arity = fun.arity
        if fun.body is None or len(args) < arity:
            return None
        if fun.native is not None:
            result = fun.native(self, args)
            if result is not None:
                return result
        if fun.step is None and fun.calls < COMPILE_AFTER:
            fun.calls += 1
            if fun.calls == COMPILE_AFTER:
                fun.step = compile_step(self, fun, self._numerals)
        if fun.step is not None:
            result = fun.step(args if len(args) == arity else args[:arity])
        else:
            result = self._walk(fun.body, (), args[:arity])
        if result is not None and len(args) > arity:
            return v.VApp(result, args[arity:])
        return result

    def _walk(self, term: c.Term, env: Env, args: tuple[Node, ...]) -> Node | None:
        """Runs a case tree on its arguments; None when an inspected one is stuck."""
        queue = list(args)
        queue.reverse()
        while queue:
            if isinstance(term, c.Lam):
                env = (*env, queue.pop())
                term = term.body
            elif isinstance(term, c.Match):
                found = self.view(self.whnf(queue[-1]))
                if found is None:
                    return None
                con, fields = found
                while isinstance(term, c.Match) and term.con != con:
                    term = term.rest
                if isinstance(term, c.Match):
                    queue.pop()
                    queue.extend(reversed(fields))
                    term = term.arm
            elif isinstance(term, c.NoMatch):
                return None
            else:
                queue.reverse()
                return self.apply_lazy(self.inst(term, env), tuple(queue))
        # a call made just now is known to nobody else: its value need not be kept (perf/counter_1000000)
        self.fresh_leaf = type(term) is c.App
        return self.inst(term, env)

    def _select(self, fun: v.VMatch, args: tuple[Node, ...]) -> Node | None:
        """Applies a lambda-match: the arm to the fields of its first argument, or the default to the argument."""
        found = self.view(self.whnf(args[0]))
        if found is None:
            return None
        con, fields = found
        term: c.Term = fun.term
        while isinstance(term, c.Match) and term.con != con:
            term = term.rest
        if isinstance(term, c.NoMatch):
            return None
        if isinstance(term, c.Match):
            return self.apply_lazy(self.inst(term.arm, fun.env), fields + args[1:])
        return self.apply_lazy(self.inst(term, fun.env), args)

    def view(self, value: Node) -> tuple[str, tuple[Node, ...]] | None:
        """A value as a constructor and its fields, literals taken apart by one layer; None when it is stuck."""
        if isinstance(value, v.VCtr):
            return value.con, tuple([_known(each) for each in value.args])
        if isinstance(value, int):
            return (SUCC, (value - 1,)) if value else (ZERO, ())
        if isinstance(value, v.VPlus):
            return SUCC, (v.VPlus(value.count - 1, value.tail) if value.count > 1 else value.tail,)
        return v.literal_view(value)

    def apply_lazy(self, fun: Node, args: tuple[Node, ...]) -> Node:
        """An application that is not evaluated yet."""
        if not args:
            return fun
        if isinstance(fun, v.VCall):
            return v.VCall(fun.fun, fun.args + args)
        return v.VApp(fun, args)

    def apply(self, fun: Node, args: tuple[Node, ...]) -> Node | None:
        """Applies a value; None when the value is a variable, or a lambda-match on a stuck argument."""
        if isinstance(fun, v.VLam):
            return self.apply_lazy(self.inst(fun.term.body, (*fun.env, args[0])), args[1:])
        if isinstance(fun, v.VMatch):
            return self._select(fun, args)
        if isinstance(fun, v.VCall):
            return v.VCall(fun.fun, fun.args + args)
        if isinstance(fun, v.VApp) and not isinstance(fun.fun, v.VMatch):
            joined = v.VApp(fun.fun, fun.args + args)
            joined.val = joined
            return joined
        return None


def _forcer(machine: Machine) -> Callable[[Any], Node]:
    """The loop that everything runs in, with its names at hand (perf/counter_1000000, PROOF.bend)."""
    lazies, call, step, count = v.LAZY, v.VCall, machine.step, machine.count

    def force(first: Any) -> Node:
        lazy = first
        trail: list[Any] | None = None
        # counted on the way in: a recursion that never comes back must meet the limits too
        count(1)
        turns = 0
        value: Node
        while True:
            turns += 1
            machine.fresh_leaf = False
            result: Any
            # the common case without calls in between: a compiled def with all its arguments
            if type(lazy) is call:
                fun = lazy.fun
                compiled, args = fun.step, lazy.args
                result = compiled(args) if compiled is not None and len(args) == fun.arity else step(lazy)
            else:
                result = step(lazy)
            if result is None:
                value = lazy
                break
            if type(result) not in lazies:
                value = result
                break
            if result.val is not None:
                value = result.val
                break
            lazy = result
            if not machine.fresh_leaf:
                if trail is None:
                    trail = []
                trail.append(lazy)
            if turns == _TURNS:
                count(turns)
                turns = 0
        first.val = lazy.val = value
        if trail is not None:
            for each in trail:
                each.val = value
        return value

    return force


def _known(node: Node) -> Node:
    """A node without the lazy node in front of its value, so that the latter can be forgotten."""
    lazy: Any = node
    if type(node) in v.LAZY and lazy.val is not None:
        node = lazy.val
    return node
