"""Run the real code on z3's numbers: every path of it, for every integer.

`Num` has the operators that `optchat.core` uses on message counts and node indices. A comparison forks: `explore` runs
the code once for each way that its comparisons can come out together, and hands the path's conditions to z3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

import z3  # type: ignore[import-untyped]


class Undecided(Exception):
    """z3 gave up on a question: the proof is open, not done."""


@dataclass
class Path:
    """One run of the code: the ways its forks went, and what is known on it."""

    solver: z3.Solver
    turns: list[bool] = field(default_factory=list)
    taken: int = 0

    def possible(self, fact: z3.BoolRef) -> bool:
        answer = self.solver.check(fact)
        if answer == z3.unknown:
            raise Undecided(f"z3 cannot tell whether {fact} is possible: {self.solver.reason_unknown()}")
        return bool(answer == z3.sat)

    def decide(self, fact: z3.BoolRef) -> bool:
        known = z3.simplify(fact)
        if z3.is_true(known) or z3.is_false(known):
            return bool(z3.is_true(known))
        if self.taken == len(self.turns):
            can, cannot = self.possible(fact), self.possible(z3.Not(fact))
            if not (can and cannot):
                return can
            self.turns.append(True)
        turn = self.turns[self.taken]
        self.taken += 1
        self.solver.add(fact if turn else z3.Not(fact))
        return turn


_path: list[Path] = []
"""The run under way: what a comparison asks."""


@dataclass(frozen=True, eq=False)
class Num:
    """A number that z3 holds, of the sort Int or Real."""

    z: z3.ArithRef

    def __add__(self, other: Num | int) -> Num:
        return Num(self.z + term(other))

    def __sub__(self, other: Num | int) -> Num:
        return Num(self.z - term(other))

    def __mul__(self, other: Num | int) -> Num:
        return Num(self.z * term(other))

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: int) -> Num:
        return Num(other - self.z)

    def __neg__(self) -> Num:
        return Num(-self.z)

    def __lshift__(self, by: int | Scale) -> Num:
        return Num(self.z * (by.power if isinstance(by, Scale) else z3.IntVal(1 << by)))

    def __rshift__(self, by: int) -> Num:
        return Num(self.z / z3.IntVal(1 << by))

    def __floordiv__(self, by: int) -> Num:
        return Num(self.z / z3.IntVal(by))

    def __mod__(self, by: int) -> Num:
        return Num(self.z % z3.IntVal(by))

    def __and__(self, one: int) -> Num:
        only(one)
        return Num(self.z % 2)

    def __xor__(self, one: int) -> Num:
        only(one)
        return Num(self.z + 1 - 2 * (self.z % 2))

    def bit_length(self) -> Scale:
        """A power of two that is large enough: whichever it is, the code's answers must not depend on it."""
        power = z3.Real("top")
        _path[-1].solver.add(power > 0)
        return Scale(power)

    def __bool__(self) -> bool:
        return _path[-1].decide(self.z != 0)

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Num | int) and _path[-1].decide(self.z == term(other))

    def __lt__(self, other: Num | int) -> bool:
        return _path[-1].decide(self.z < term(other))

    def __le__(self, other: Num | int) -> bool:
        return _path[-1].decide(self.z <= term(other))

    def __gt__(self, other: Num | int) -> bool:
        return _path[-1].decide(self.z > term(other))

    def __ge__(self, other: Num | int) -> bool:
        return _path[-1].decide(self.z >= term(other))


@dataclass(frozen=True)
class Scale:
    """The exponent `e` of some power of two, known only by that power."""

    power: z3.ArithRef

    def __sub__(self, level: int) -> Scale:
        return Scale(self.power / (1 << level))


def only(one: int) -> None:
    if one != 1:
        raise NotImplementedError("of the bits of a number only the lowest one is modelled")


def number(z: z3.ArithRef) -> int:
    """What the code is given for a number, for all that its types know of it."""
    return cast(int, Num(z))


def z3_of(value: int) -> z3.ArithRef:
    """What z3 calls a number that the code computed from `number`s."""
    assert isinstance(value, Num), f"{value} depends on no symbolic number"
    return value.z


def term(value: Num | int) -> Any:
    return value.z if isinstance(value, Num) else value


def holds(fact: z3.BoolRef | bool) -> bool:
    """Whether a fact is true wherever the run under way can be."""
    return not _path[-1].possible(z3.Not(fact)) if isinstance(fact, z3.BoolRef) else fact


def explore(code: Callable[[], bool], *assumed: z3.BoolRef, at_most: int = 1000) -> int:
    """Run `code` along every path under the assumptions; how many there were.

    Raises AssertionError with z3's example when it returns false on one, Undecided when z3 or `at_most` gives up.
    """
    turns: list[bool] = []
    for count in range(1, at_most + 1):
        path = Path(z3.Solver(), turns)
        path.solver.set("timeout", 20_000)
        path.solver.add(*assumed)
        _path.append(path)
        try:
            true = code()
        finally:
            _path.pop()
        if not true:
            path.solver.check()
            raise AssertionError(f"false on a path of the code, with {path.solver.model()}")
        turns = path.turns
        while turns and not turns[-1]:
            turns.pop()
        if not turns:
            return count
        turns[-1] = False
    raise Undecided(f"the code has more than {at_most} paths")
