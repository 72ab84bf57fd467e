"""Contracts of the merge order: `View.fit` with a budget in lines is Taelin's push."""

from __future__ import annotations

from optchat.core.node import Node
from optchat.core.view import View
from optchat_spec import order_laws
from optchat_spec.order_laws import due_fit
from optchat_spec.vocabulary import Entry, Lines, merged, push, push_view, pushed
from stateful_tests.contracts.contract import contract

FIRST = due_fit("first")
"""The order that first_merges_0_7 and first_leaves_push are about: no function of the implementation has it."""

AGREEMENTS_OF_31 = 25
"""At how many of the steps t = 0..30 due from first has the view of push, as the spec's own fit counts."""


def view_fit(lines: Lines, budget: int, total: int) -> Lines:
    """A batch of the real code whose budget counts lines, with all parents built."""
    view = View([Node(*line) for line in lines], [1] * len(lines), len(lines))
    return tuple((node.level, node.i) for node in view.fit(budget, total, lambda _: 1))


@contract("push_agrees", "view.View.fit", "the steps t = 0..39", quick=True)
def push_agrees(steps: int) -> None:
    assert steps == 40
    assert order_laws.push_agrees(view_fit, 40) is None


@contract("push_agrees_always", "view.View.fit", "every step t = 0..63, each from its own counter")
def push_agrees_always(step: int) -> None:
    assert 0 <= step < 64
    assert order_laws.push_agrees_always(view_fit, pushed(int(step))) is None


@contract("last_merges_8_9", "view.View.fit", "the example", quick=True)
def last_merges_8_9(total: int) -> None:
    assert total == 10
    assert order_laws.last_merges_8_9(view_fit) is None


@contract("first_merges_0_7", "optchat_spec.vocabulary.fit", "the example", quick=True)
def first_merges_0_7(total: int) -> None:
    assert total == 10
    assert order_laws.first_merges_0_7(FIRST) is None


@contract("first_is_not_last", "view.View.fit", "the example", quick=True)
def first_is_not_last(total: int) -> None:
    assert total == 10
    assert order_laws.first_is_not_last(view_fit, FIRST) is None


@contract("first_leaves_push", "optchat_spec.vocabulary.fit", "the steps t = 0..30", quick=True)
def first_leaves_push(steps: int) -> None:
    assert steps == 31
    assert order_laws.first_leaves_push(FIRST, 31, AGREEMENTS_OF_31) is None


@contract("push_is_short", "view.View.fit", "the view of the batch after every step t = 0..63")
def push_is_short(step: int) -> None:
    assert 0 <= step < 64
    entries = pushed(int(step))
    lines: Lines = (*push_view(entries), (0, int(step)))
    for into in view_fit(lines, len(push(entries)[0]), int(step) + 1):
        lines = merged(lines, into) or lines
    newest_first = enumerate(reversed(lines))
    assert order_laws.push_is_short(tuple(Entry(line[0] - at, line) for at, line in newest_first)) is None
