"""Case trees to Python functions: a def that is called often gets a step function of its own.

The step does exactly what ``Machine._walk`` does for the def's tree (tests compare the two): it brings the inspected
arguments to weak head normal form and gives the graph of the leaf, or None where it is stuck. A self-call at the
leaf loops inside. perf/counter_100000: 1.9 s walked, see docs/bend.md for the compiled figures.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from . import core as c
from . import values as v
from .limits import Exceeded
from .values import Node

if TYPE_CHECKING:
    from .evaluate import Machine

Step = Callable[[tuple[Node, ...]], "Node | None"]
LOOP: Final = 1_000
"""Turns of a loop before the machine counts steps again."""
_INDENT_LIMIT: Final = 60
"""Python refuses deeper blocks; such a def stays with the walk."""
_DEPTH_LIMIT: Final = 30


class _TooDeepError(Exception):
    """The tree nests deeper than Python allows."""


class _Writer:
    """Writes one step function."""

    def __init__(self, machine: Machine, fun: v.Def, numerals: bool) -> None:
        self.machine = machine
        self.fun = fun
        self.numerals = numerals
        self.lines: list[str] = []
        self.space: dict[str, Any] = {
            "LAZY": v.LAZY,
            "VCall": v.VCall,
            "VApp": v.VApp,
            "VCtr": v.VCtr,
            "VPlus": v.VPlus,
            "VLam": v.VLam,
            "VMatch": v.VMatch,
            "force": machine.force,
            "inst": machine.inst,
            "apply_lazy": machine.apply_lazy,
            "plus": v.plus,
            "literal_view": v.literal_view,
            "M": machine,
            "SELF": fun,
        }
        self._names = 0
        self._constants: dict[int, str] = {}

    def name(self, prefix: str) -> str:
        """A new local name."""
        self._names += 1
        return f"{prefix}{self._names}"

    def constant(self, value: Any, prefix: str = "k") -> str:
        """A name for an object that the code mentions."""
        known = self._constants.get(id(value))
        if known is None:
            known = self._constants[id(value)] = self.name(prefix)
            self.space[known] = value
        return known

    def put(self, indent: int, line: str) -> None:
        """One line of code."""
        if indent > _INDENT_LIMIT:
            raise _TooDeepError
        self.lines.append(" " * indent + line)

    def write(self) -> Step:
        """The finished function."""
        params = [f"a{index}" for index in range(self.fun.arity)]
        self.put(0, "def step(args):")
        if params:
            self.put(1, f"{', '.join(params)}{',' if len(params) == 1 else ''} = args")
        self.put(1, f"turns = {LOOP}")
        self.put(1, "while True:")
        assert self.fun.body is not None
        self.tree(2, self.fun.body, params, [])
        exec(compile("\n".join(self.lines), f"<{self.fun.name}>", "exec"), self.space)
        return self.space["step"]  # type: ignore[no-any-return]

    def stuck(self, indent: int) -> None:
        """Ends at a stuck argument: the call itself, with the arguments of this turn."""
        self.put(indent, f"if turns == {LOOP}: return None")
        self.put(indent, f"return VCall(SELF, {_tuple([f'a{index}' for index in range(self.fun.arity)])})")

    # Trees

    def tree(self, indent: int, term: c.Term, queue: list[str], levels: list[str]) -> None:
        """Code for a case tree; ``queue`` and ``levels`` are the locals that hold them."""
        while queue and isinstance(term, c.Lam):
            levels = [*levels, queue[0]]
            queue = queue[1:]
            term = term.body
        if queue and isinstance(term, c.NoMatch):
            self.stuck(indent)
        elif queue and isinstance(term, c.Match):
            self.split(indent, term, queue, levels)
        else:
            self.leaf(indent, term, queue, levels)

    def force(self, indent: int, source: str) -> str:
        """A local with the weak head normal form of another."""
        local = self.name("x")
        self.put(indent, f"{local} = {source}")
        self.put(indent, f"if {local}.__class__ in LAZY:")
        self.put(indent + 1, f"y = {local}.val")
        self.put(indent + 1, f"{local} = force({local}) if y is None else y")
        return local

    def split(self, indent: int, term: c.Match, queue: list[str], levels: list[str]) -> None:
        """Code for a match and its further cases."""
        value = self.force(indent, queue[0])
        arms: list[c.Match] = []
        rest: c.Term = term
        while isinstance(rest, c.Match):
            if all(rest.con != each.con for each in arms):
                arms.append(rest)
            rest = rest.rest
        if self.numerals and term.con in ("Zero", "Succ"):
            self.numeral(indent, value, arms, rest, queue[1:], levels)
            return
        con, fields = self.name("c"), self.name("f")
        self.put(indent, f"if {value}.__class__ is VCtr:")
        self.put(indent + 1, f"{con} = {value}.con")
        self.put(indent + 1, f"{fields} = {value}.args")
        self.put(indent, "else:")
        self.put(indent + 1, f"w = literal_view({value})")
        self.put(indent + 1, "if w is None:")
        self.stuck(indent + 2)
        self.put(indent + 1, f"{con}, {fields} = w")
        for each in arms:
            self.put(indent, f"if {con} == {each.con!r}:")
            self.arm(indent + 1, each.arm, fields, self.field_count(each.con), queue[1:], levels)
        self.tree(indent, rest, [value, *queue[1:]], levels)

    def field_count(self, con: str) -> int:
        """How many fields a constructor has."""
        return self.machine.field_count(con)

    def arm(self, indent: int, term: c.Term, fields: str, count: int, queue: list[str], levels: list[str]) -> None:
        """Code for an arm: its used fields, without the lazy nodes in front of their values."""
        used = _used_fields(term, count, len(levels))
        locals_ = []
        for index in range(count):
            local = self.name("v")
            locals_.append(local)
            if index in used:
                self.put(indent, f"{local} = {fields}[{index}]")
                self.put(indent, f"if {local}.__class__ in LAZY and {local}.val is not None: {local} = {local}.val")
            else:
                self.put(indent, f"{local} = None")
        self.tree(indent, term, locals_ + queue, levels)

    def numeral(
        self, indent: int, value: str, arms: list[c.Match], rest: c.Term, queue: list[str], levels: list[str]
    ) -> None:
        """Code for a match on a numeral."""
        zero = next((each for each in arms if each.con == "Zero"), None)
        succ = next((each for each in arms if each.con == "Succ"), None)
        pred = self.name("v")
        self.put(indent, f"if {value}.__class__ is int:")
        self.put(indent + 1, f"if not {value}:")
        self.tree(indent + 2, rest if zero is None else zero.arm, queue if zero else [value, *queue], levels)
        self.put(indent + 1, f"{pred} = {value} - 1")
        self.put(indent, f"elif {value}.__class__ is VPlus:")
        self.put(indent + 1, f"{pred} = {value}.tail if {value}.count == 1 else VPlus({value}.count - 1, {value}.tail)")
        self.put(indent, "else:")
        self.stuck(indent + 1)
        self.tree(indent, rest if succ is None else succ.arm, [pred, *queue] if succ else [value, *queue], levels)

    # Leaves

    def leaf(self, indent: int, term: c.Term, queue: list[str], levels: list[str]) -> None:
        """Code that returns the graph of a leaf, or goes round for a self-call."""
        while isinstance(term, c.Ann):
            term = term.term
        if isinstance(term, c.Let):
            values = []
            for bind in term.binds:
                local = self.name("l")
                self.put(indent, f"{local} = {self.graph(bind.value, levels)}")
                values.append(local)
            self.leaf(indent, term.body, queue, levels + values)
            return
        if queue:
            self.put(indent, f"return apply_lazy({self.graph(term, levels)}, {_tuple(queue)})")
            return
        if isinstance(term, c.App) and isinstance(term.fun, c.Ref):
            if term.fun.name == self.fun.name and len(term.args) == self.fun.arity:
                self.again(indent, term, levels)
                return
            self.put(indent, "M.fresh_leaf = True")
        self.put(indent, f"return {self.graph(term, levels)}")

    def again(self, indent: int, term: c.App, levels: list[str]) -> None:
        """Code for a self-call in tail position."""
        args = [self.graph(each, levels) for each in term.args]
        params = [f"a{index}" for index in range(self.fun.arity)]
        pairs = [(param, arg) for param, arg in zip(params, args, strict=True) if param != arg]
        if pairs:
            self.put(indent, f"{', '.join(one for one, _ in pairs)} = {', '.join(other for _, other in pairs)}")
        self.put(indent, "turns -= 1")
        self.put(indent, "if not turns:")
        self.put(indent + 1, f"M.count({LOOP})")
        self.put(indent + 1, f"return VCall(SELF, {_tuple(params)})")
        self.put(indent, "continue")

    def graph(self, term: c.Term, levels: list[str], depth: int = 0) -> str:
        """An expression for the graph of a term; a deep one is left to the machine, Python's parser recurses."""
        if depth > _DEPTH_LIMIT:
            return f"inst({self.constant(term)}, {_tuple(levels)})"
        if isinstance(term, c.Var):
            return levels[term.level]
        if isinstance(term, c.Ann):
            return self.graph(term.term, levels, depth + 1)
        if isinstance(term, c.NatLit):
            return str(term.value)
        if isinstance(term, c.Plus):
            return f"plus({term.count}, {self.graph(term.term, levels, depth + 1)})"
        if isinstance(term, c.Ctr):
            if not term.args:
                return self.constant(self.machine.nullary(term.con), "n")
            return f"VCtr({term.con!r}, {self.graphs(term.args, levels, depth + 1)})"
        if isinstance(term, c.App):
            if isinstance(term.fun, c.Ref):
                fun = self.constant(self.machine.definition(term.fun.name), "d")
                return f"VCall({fun}, {self.graphs(term.args, levels, depth + 1)})"
            return f"VApp({self.graph(term.fun, levels, depth + 1)}, {self.graphs(term.args, levels, depth + 1)})"
        if isinstance(term, c.Ref):
            return f"VCall({self.constant(self.machine.definition(term.name), 'd')}, ())"
        if isinstance(term, c.Lam):
            return f"VLam({self.constant(term)}, {_tuple(levels)})"
        if isinstance(term, c.Match | c.NoMatch):
            return f"VMatch({self.constant(term)}, {_tuple(levels)})"
        return f"inst({self.constant(term)}, {_tuple(levels)})"

    def graphs(self, terms: tuple[c.Term, ...], levels: list[str], depth: int) -> str:
        """A tuple of graphs."""
        return _tuple([self.graph(each, levels, depth) for each in terms])


def _tuple(items: list[str]) -> str:
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


def _used_fields(term: c.Term, count: int, level: int) -> set[int]:
    """Which of the next ``count`` arguments a tree inspects, or mentions somewhere."""
    used: set[int] = set()
    for index in range(count):
        if not isinstance(term, c.Lam):
            return used | set(range(index, count))
        term = term.body
        if _mentions(term, level + index):
            used.add(index)
    return used


def _mentions(term: c.Term, level: int) -> bool:
    stack: list[object] = [term]
    while stack:
        node = stack.pop()
        if isinstance(node, c.Var):
            if node.level == level:
                return True
        elif isinstance(node, c.Lam | c.Match | c.NoMatch | c.App | c.Ctr | c.Plus | c.Ann):
            stack.extend(getattr(node, name) for name in _CHILDREN[type(node)])
        elif isinstance(node, tuple):
            stack.extend(node)
        elif isinstance(node, c.NatLit | c.Ref | c.U32Lit | c.CharLit | c.StrLit | c.F32Lit | str | int):
            continue
        else:
            return True
    return False


_CHILDREN: Final[dict[type, tuple[str, ...]]] = {
    c.Lam: ("body",),
    c.Match: ("arm", "rest"),
    c.NoMatch: (),
    c.App: ("fun", "args"),
    c.Ctr: ("args",),
    c.Plus: ("term",),
    c.Ann: ("term",),
}


def compile_step(machine: Machine, fun: v.Def, numerals: bool) -> Step | None:
    """A step function for a def, or None where the walk has to do."""
    try:
        return _Writer(machine, fun, numerals).write()
    except Exceeded:
        raise
    except (_TooDeepError, RecursionError, SyntaxError, MemoryError):
        return None
