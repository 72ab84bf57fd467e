"""What the laws rest on that is arithmetic, proven by z3: for every level to 64, every T, every node index.

The facts about code run the code itself (`symbolic.explore`): a wrong shift in `core` is a wrong fact here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import z3  # type: ignore[import-untyped]

from optchat.core.node import Node, node_at
from optchat.core.view import View
from stateful_tests.contracts.symbolic import Undecided, explore, holds, number, z3_of

LEVELS = range(65)
FEW_LEVELS = (0, 1, 2, 3, 7, 8, 31, 32, 33, 62, 63, 64)
"""For the quick run of the one fact that takes every pair of levels."""


class Fact(NamedTuple):
    """`prove` answers with the number of cases and paths it proved, or raises AssertionError or Undecided."""

    name: str
    laws: tuple[str, ...]
    function: str
    """What carries it: a function of `impl`, or the words "the design" for a fact between two formulas."""
    says: str
    prove: Callable[[Iterable[int]], int]
    pairs_levels: bool = False
    """Whether it takes every pair of levels, not every level."""


def always(claim: z3.BoolRef, *assumed: z3.BoolRef) -> int:
    solver = z3.Solver()
    solver.set("timeout", 20_000)
    solver.add(*assumed, z3.Not(claim))
    answer = solver.check()
    if answer == z3.unknown:
        raise Undecided(f"z3 gave up on {claim}: {solver.reason_unknown()}")
    if answer == z3.sat:
        raise AssertionError(f"false with {solver.model()}")
    return 1


def cross_multiplied(_: Iterable[int]) -> int:
    """Two dues compared without a division, whatever the powers of two are; also in the form without a subtraction."""
    total, last_a, last_b, power_a, power_b = z3.Reals("total last_a last_b power_a power_b")
    due_a, due_b = (total - last_a) / power_a, (total - last_b) / power_b
    cross_a, cross_b = (total - last_a) * power_b, (total - last_b) * power_a
    natural_a = (total + 1) * power_b + (last_b + 1) * power_a
    natural_b = (total + 1) * power_a + (last_a + 1) * power_b
    powers = (power_a > 0, power_b > 0)
    return (
        always((due_a > due_b) == (cross_a > cross_b), *powers)
        + always((due_a == due_b) == (cross_a == cross_b), *powers)
        + always((due_a > due_b) == (natural_a > natural_b), *powers)
    )


def two_forms(levels: Iterable[int]) -> int:
    """`(T + 1 - first) / 2**l` is the due of the design and two more, for any pair: so both make one order."""
    total, index = z3.Ints("total index")
    count = 0
    for level in levels:

        def same(level: int = level) -> bool:
            left = Node(level, number(2 * index))
            right = left.sibling
            by_last = z3.ToReal(total - (z3_of(right.end) - 1)) / 2**level
            by_first = z3.ToReal(total + 1 - z3_of(left.first)) / 2**level
            return holds(by_first == by_last + 2)

        count += explore(same, index >= 0)
    return count


def from_first_differs(_: Iterable[int]) -> int:
    """`(T - first) / 2**l` makes another order: z3 finds two pairs side by side that it swaps."""
    total, first_a, first_b, power_a, power_b = z3.Ints("total first_a first_b power_a power_b")
    solver = z3.Solver()
    solver.add(power_a == 4, power_b == 1, first_a == 0, first_b == first_a + 2 * power_a, total == first_b + 2)
    last_a, last_b = first_a + 2 * power_a - 1, first_b + 2 * power_b - 1
    solver.add((total - last_a) * power_b < (total - last_b) * power_a)
    solver.add((total - first_a) * power_b > (total - first_b) * power_a)
    if solver.check() != z3.sat:
        raise AssertionError("due from first orders the example as due from last does")
    return 1


def node_arithmetic(levels: Iterable[int]) -> int:
    """A node, its sibling, parent, halves and name, as intervals of messages."""
    index = z3.Int("index")
    count = 0
    for level in levels:

        def true(level: int = level) -> bool:
            node = Node(level, number(index))
            parent, sibling = node.parent, node.sibling
            older, newer = parent.children
            facts = [
                z3_of(node.first) == index * 2**level,
                z3_of(node.end) == z3_of(node.first) + 2**level,
                z3_of(sibling.sibling.i) == index,
                z3_of(sibling.parent.i) == z3_of(parent.i),
                z3_of(parent.first) == z3_of(older.first),
                z3_of(older.end) == z3_of(newer.first),
                z3_of(newer.end) == z3_of(parent.end),
                z3.Or(z3_of(older.i) == index, z3_of(newer.i) == index),
                z3.Or(z3_of(older.i) == z3_of(sibling.i), z3_of(newer.i) == z3_of(sibling.i)),
                z3_of(sibling.i) != index,
            ]
            levels_fit = node.n == 2**level and parent.level == level + 1 and sibling.level == older.level == level
            return levels_fit and all(holds(fact) for fact in facts)

        count += explore(true, index >= 0)
    return count


def names(levels: Iterable[int]) -> int:
    """`node_at` takes back every `id+n`, and refuses an id that is no multiple of n."""
    first = z3.Int("first")
    count = 0
    for level in levels:

        def back(level: int = level) -> bool:
            node = Node(level, number(first))
            again = node_at(node.first, node.n)
            return again.level == level and holds(z3_of(again.i) == first)

        def refused(level: int = level) -> bool:
            try:
                node_at(number(first), 2**level)
            except ValueError:
                return holds(z3.Or(first < 0, first % 2**level != 0))
            return holds(z3.And(first >= 0, first % 2**level == 0))

        count += explore(back, first >= 0) + explore(refused)
    return count


def heap_keys(levels: Iterable[int]) -> int:
    """`View.fit`, run on two pairs of any two levels at any T: the first merge is of the larger due, else the older."""
    a, b, total = z3.Ints("a b total")
    count = 0
    levels = tuple(levels)
    for la in levels:
        for lb in levels:

            def most_due(la: int = la, lb: int = lb) -> bool:
                nodes = [(la, 2 * a), (la, 2 * a + 1), (lb, 2 * b), (lb, 2 * b + 1)]
                view = View([Node(level, number(index)) for level, index in nodes], [2] * 4, 8)
                merged = view.fit(7, number(total), lambda _: 1)
                last_a, last_b = (2 * a + 2) * 2**la - 1, (2 * b + 2) * 2**lb - 1
                older_wins = (total - last_a) * 2**lb >= (total - last_b) * 2**la
                took_older = z3_of(merged[0].first) == 2 * a * 2**la
                return len(merged) == 1 and holds(older_wins == took_older)

            count += explore(most_due, a >= 0, (2 * a + 2) * 2**la <= 2 * b * 2**lb, total >= (2 * b + 2) * 2**lb)
    return count


FACTS = (
    Fact("cross_multiplied", ("fit_most_due",), "the design", "dues compare as cross products", cross_multiplied),
    Fact("two_forms", ("fit_most_due", "push_agrees_always"), "node.Node", "both forms of due order alike", two_forms),
    Fact("from_first_differs", ("first_is_not_last",), "the design", "due from first orders else", from_first_differs),
    Fact("node_arithmetic", ("zoom_partitions",), "node.Node", "halves tile their parent", node_arithmetic),
    Fact("names", ("zoom_partitions",), "node.node_at", "a name has one node, or is refused", names),
    Fact("heap_keys", ("fit_most_due",), "view.View.fit", "heap keys order like the fractions", heap_keys, True),
)
