"""The laws of the merge order: the due order, with push's length as its budget, is Taelin's push.

The first four judge a function: `fit(lines, budget, total)` is one batch whose budget counts lines and whose parents
are all built, as an implementation does it; it returns the parents merged into, in order.
"""

from __future__ import annotations

from collections.abc import Callable

from optchat_spec.vocabulary import Lines, Order, Pushed, fit, merged, push, push_view, pushed

Fit = Callable[[Lines, int, int], Lines]

EXAMPLE: Lines = ((2, 0), (2, 1), (0, 8), (0, 9))
"""The view 0+4 4+4 8+1 9+1, at T = 10; its budget is 3 lines."""

PUBLISHED_STEPS = 20_001
"""The steps t = 0..20,000 of the published check."""

PUBLISHED_AGREEMENTS = 481
"""At how many of them due from first has the view of push."""


def due_fit(order: Order) -> Fit:
    """The merge order itself as a batch."""

    def batch(lines: Lines, budget: int, total: int) -> Lines:
        return fit(lines, budget, total, None, lambda _: 1, order)[1]

    return batch


def push_agrees(batch: Fit, steps: int) -> str | None:
    """At each of the steps t = 0..steps-1 the batch makes exactly push's merges."""
    entries: Pushed = ()
    for _ in range(steps):
        broken = push_agrees_always(batch, entries)
        if broken is not None:
            return broken
        entries = push(entries)[0]
    return None


def push_agrees_always(batch: Fit, entries: Pushed) -> str | None:
    """At the step that follows any number of pushes, which led to `entries`, the batch makes exactly push's merges."""
    total = sum(2 ** entry.line[0] for entry in entries)
    after, merges = push(entries)
    done = batch((*push_view(entries), (0, total)), len(after), total + 1)
    return None if done == merges else f"at step {total} push merges {merges} and the batch {done}"


def last_merges_8_9(batch: Fit) -> str | None:
    """In the example, due from last merges 8-9, as push does."""
    done = batch(EXAMPLE, 3, 10)
    return None if done == ((1, 4),) == push(pushed(9))[1] else f"the example merges into {done}, not into 8+2"


def first_merges_0_7(batch: Fit) -> str | None:
    """In the example, due from first merges 0-7."""
    done = batch(EXAMPLE, 3, 10)
    return None if done == ((3, 0),) else f"the example merges into {done}, not into 0+8"


def first_is_not_last(batch: Fit, other: Fit) -> str | None:
    """So the two orders differ: `batch` is due from last, `other` due from first."""
    return (
        None if batch(EXAMPLE, 3, 10) != other(EXAMPLE, 3, 10) else "the two orders merge the same pair in the example"
    )


def agreements(batch: Fit, steps: int) -> tuple[int, int | None]:
    """At how many of the steps the batch's own view, carried on, is push's; and the first step where it is not."""
    entries: Pushed = ()
    lines: Lines = ()
    same, left = 0, None
    for step in range(steps):
        entries = push(entries)[0]
        lines = (*lines, (0, step))
        for into in batch(lines, len(entries), step + 1):
            lines = merged(lines, into) or lines
        if lines == push_view(entries):
            same += 1
        elif left is None:
            left = step
    return same, left


def first_leaves_push(batch: Fit, steps: int = PUBLISHED_STEPS, published: int = PUBLISHED_AGREEMENTS) -> str | None:
    """Due from first leaves push within 11 steps; over t = 0..20,000 its view is push's at 481 of the 20,001."""
    same, left = agreements(batch, steps)
    if left is None or left > 10:
        return f"due from first stays with push until step {left}"
    return None if same == published else f"due from first agrees with push at {same} of {steps} steps, not {published}"


def push_is_short(entries: Pushed) -> str | None:
    """Push's view of T messages has at most 2 lines a level, so at most 2 * (log2 T + 1) lines."""
    total = sum(2 ** entry.line[0] for entry in entries)
    levels = [entry.line[0] for entry in entries]
    for level in set(levels):
        if levels.count(level) > 2:
            return f"{levels.count(level)} lines of level {level}"
    return None if len(entries) <= 2 * total.bit_length() else f"{len(entries)} lines for {total} messages"
