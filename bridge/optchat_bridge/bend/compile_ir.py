"""The compiler's intermediate language: first-order code with explicit sharing, erased of types and proofs.

A program is a set of functions by number. Every expression denotes a value by need: a ``Let`` shares, a ``Case``
forces its scrutinee, a ``Prim`` forces all its arguments, a ``Call`` passes its arguments unevaluated (which of
them may be evaluated first is found out later), a ``Con`` keeps its fields unevaluated.
Nodes carry their free variables and a size, computed once; equality is identity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

NO_VARS: Final[frozenset[int]] = frozenset()


def _union(parts: Iterable[Expr]) -> frozenset[int]:
    found = NO_VARS
    for part in parts:
        if part.fv:
            found = found | part.fv if found else part.fv
    return found


@dataclass(slots=True, eq=False)
class V:
    """A variable by its number; numbers are unique in a function."""

    id: int
    fv: frozenset[int] = field(init=False)
    size: int = 1

    def __post_init__(self) -> None:
        self.fv = frozenset((self.id,))


@dataclass(slots=True, eq=False)
class Imm:
    """A value in one machine word. ``kind`` is nat, u32, chr, con (a constructor without fields), word or none.

    A word's value holds its bits times 64, plus their number; none stands for what was erased.
    """

    kind: str
    value: int
    name: str = ""
    fv: frozenset[int] = NO_VARS
    size: int = 0


@dataclass(slots=True, eq=False)
class Str:
    """A string literal, never empty."""

    text: str
    fv: frozenset[int] = NO_VARS
    size: int = 1


@dataclass(slots=True, eq=False)
class Con:
    """A constructor with at least one field."""

    con: str
    args: tuple[Expr, ...]
    fv: frozenset[int] = field(init=False)
    size: int = field(init=False)

    def __post_init__(self) -> None:
        self.fv = _union(self.args)
        self.size = 1 + sum(a.size for a in self.args)


@dataclass(slots=True, eq=False)
class Prim:
    """An operation of the machine on evaluated arguments."""

    op: str
    args: tuple[Expr, ...]
    fv: frozenset[int] = field(init=False)
    size: int = field(init=False)

    def __post_init__(self) -> None:
        self.fv = _union(self.args)
        self.size = 1 + sum(a.size for a in self.args)


@dataclass(slots=True, eq=False)
class Call:
    """A call of function ``fun`` with exactly as many arguments as it has parameters."""

    fun: int
    args: tuple[Expr, ...]
    fv: frozenset[int] = field(init=False)
    size: int = field(init=False)

    def __post_init__(self) -> None:
        self.fv = _union(self.args)
        self.size = 2 + sum(a.size for a in self.args)


@dataclass(slots=True, eq=False)
class Apply:
    """A call of a function value."""

    fun: Expr
    args: tuple[Expr, ...]
    fv: frozenset[int] = field(init=False)
    size: int = field(init=False)

    def __post_init__(self) -> None:
        self.fv = _union((self.fun, *self.args))
        self.size = 2 + self.fun.size + sum(a.size for a in self.args)


@dataclass(slots=True, eq=False)
class Fun:
    """A function value with its parameters."""

    params: tuple[int, ...]
    body: Expr
    fv: frozenset[int] = field(init=False)
    size: int = field(init=False)

    def __post_init__(self) -> None:
        self.fv = self.body.fv.difference(self.params)
        self.size = 2 + self.body.size


@dataclass(slots=True, eq=False)
class Let:
    """``var = value; body``."""

    var: int
    value: Expr
    body: Expr
    fv: frozenset[int] = field(init=False)
    size: int = field(init=False)

    def __post_init__(self) -> None:
        self.fv = self.value.fv | (self.body.fv - {self.var})
        self.size = 1 + self.value.size + self.body.size


@dataclass(slots=True, eq=False)
class Alt:
    """One arm: constructor, the variables for its fields, body."""

    con: str
    fields: tuple[int, ...]
    body: Expr


@dataclass(slots=True, eq=False)
class Case:
    """Evaluates ``scrut``, calls the value ``var`` (``scrut`` itself may be that variable), goes on by constructor."""

    scrut: Expr
    var: int
    alts: tuple[Alt, ...]
    default: Expr | None
    fv: frozenset[int] = field(init=False)
    size: int = field(init=False)

    def __post_init__(self) -> None:
        inner = NO_VARS
        size = 1 + self.scrut.size
        for alt in self.alts:
            inner = inner | alt.body.fv.difference(alt.fields)
            size += 1 + alt.body.size
        if self.default is not None:
            inner = inner | self.default.fv
            size += self.default.size
        self.fv = self.scrut.fv | (inner - {self.var})
        self.size = size


@dataclass(slots=True, eq=False)
class Fail:
    """What cannot be reached, or not be run; stops the program with the text."""

    why: str
    fv: frozenset[int] = NO_VARS
    size: int = 1


Expr: TypeAlias = V | Imm | Str | Con | Prim | Call | Apply | Fun | Let | Case | Fail


@dataclass(slots=True)
class Function:
    """``name`` is for people. A function without parameters is evaluated at most once."""

    name: str
    params: tuple[int, ...]
    body: Expr


@dataclass(slots=True)
class Program:
    """Functions by number, where to start, the next free variable and what constructors look like.

    ``effect`` says that the start's value is an IO action to run, not a value to show.
    """

    functions: dict[int, Function]
    main: int
    effect: bool
    next_var: int
    constructors: dict[str, int]
    """The number of fields by name; a constructor's place in this table is its number."""
    families: dict[str, int]
    """By name of a constructor, how many constructors its type has."""

    def fresh(self) -> int:
        """A variable that is used nowhere yet."""
        self.next_var += 1
        return self.next_var


NONE: Final = Imm("none", 0)


def rebuild(e: Expr, go: Callable[[Expr], Expr]) -> Expr:
    """The same node with ``go`` done to its parts (lists, not generators: those would use the machine's stack)."""
    match e:
        case Con(con, args):
            return Con(con, tuple([go(a) for a in args]))
        case Prim(op, args):
            return Prim(op, tuple([go(a) for a in args]))
        case Call(fun, args):
            return Call(fun, tuple([go(a) for a in args]))
        case Apply(head, args):
            return Apply(go(head), tuple([go(a) for a in args]))
        case Fun(params, body):
            return Fun(params, go(body))
        case Let(var, value, body):
            return Let(var, go(value), go(body))
        case Case(scrut, var, alts, default):
            done = tuple([Alt(a.con, a.fields, go(a.body)) for a in alts])
            return Case(go(scrut), var, done, None if default is None else go(default))
        case _:
            return e


def rename(e: Expr, names: dict[int, Expr], fresh: Callable[[], int]) -> Expr:
    """A copy with its own binders; ``names`` maps free variables to atoms (variables or immediate values)."""

    def go(e: Expr, names: dict[int, Expr]) -> Expr:
        match e:
            case V(var):
                return names.get(var, e)
            case Fun(params, body):
                new = {p: fresh() for p in params}
                return Fun(tuple(new.values()), go(body, names | {p: V(q) for p, q in new.items()}))
            case Let(var, value, body):
                mine = fresh()
                return Let(mine, go(value, names), go(body, names | {var: V(mine)}))
            case Case(scrut, var, alts, default):
                return _rename_case(scrut, var, alts, default, names)
            case _:
                return rebuild(e, lambda part: go(part, names))

    def _rename_case(
        scrut: Expr, var: int, alts: tuple[Alt, ...], default: Expr | None, names: dict[int, Expr]
    ) -> Expr:
        head = go(scrut, names)
        if isinstance(head, V) and isinstance(scrut, V) and scrut.id == var:
            mine, inner = head.id, names
        else:
            mine = fresh()
            inner = names | {var: V(mine)}
        done = []
        for alt in alts:
            new = {f: fresh() for f in alt.fields}
            done.append(Alt(alt.con, tuple(new.values()), go(alt.body, inner | {f: V(g) for f, g in new.items()})))
        return Case(head, mine, tuple(done), None if default is None else go(default, inner))

    return go(e, names)
