"""The words the laws are made of: nodes, lines, dues, batches, push, and texts. Plain data and plain loops.

A node is the pair `(l, i)`: it covers the messages `[i * 2**l, (i + 1) * 2**l)`. A view is a tuple of nodes, oldest
first. All sizes are UTF-8 bytes. Nothing here is fast; everything here is meant to be read beside design/planner.md,
and nothing of the implementation is imported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

Node = tuple[int, int]
Lines = tuple[Node, ...]
Order = Literal["last", "first"]

PLACEHOLDER = "(not summarized yet: zoom it)"
"""The text of a line whose node is not built."""

HEAD = re.compile(r"[0-9]+\+[0-9]+\|")
SPACE = " \t\n\v\f\r"
"""White space around a reply: the blank, and the codes 9 to 13."""


class Config(NamedTuple):
    """The numbers of the design: sizes in bytes, the rest in counts."""

    node: int = 512
    ceiling: int = 128_000
    floor: int = 64_000
    cceiling: int = 32_000
    cfloor: int = 16_000
    jobs: int = 8
    lookahead: int = 8
    failures: int = 3
    tries: int = 5


class Batch(NamedTuple):
    """A batch as it is recorded: the parents merged into, in order; whether the view is still shrinking; T."""

    merged: Lines
    shrinking: bool
    total: int


# Nodes.


def first(node: Node) -> int:
    """The first message that a node covers."""
    return node[1] << node[0]


def end(node: Node) -> int:
    """The message after the last one that a node covers."""
    return (node[1] + 1) << node[0]


def parent(node: Node) -> Node:
    return node[0] + 1, node[1] // 2


def sibling(node: Node) -> Node:
    return node[0], node[1] + 1 if node[1] % 2 == 0 else node[1] - 1


def children(node: Node) -> tuple[Node, Node]:
    """The two halves of a merge, the older one first."""
    return (node[0] - 1, 2 * node[1]), (node[0] - 1, 2 * node[1] + 1)


def is_node(node: Node, total: int) -> bool:
    """Whether the pair names messages `0..total-1` alone."""
    level, index = node
    return level >= 0 and index >= 0 and (level == 0 or 2**level <= total) and end(node) <= total


def has_source(node: Node, built: Collection[Node]) -> bool:
    """A leaf always has its message; a merge has its source once both halves are built."""
    return node[0] == 0 or all(half in built for half in children(node))


# Lines.


def tiles(lines: Sequence[Node], start: int, stop: int) -> bool:
    """Whether the lines cover `[start, stop)`: each message once, without a gap, oldest first."""
    at = start
    for line in lines:
        if line[0] < 0 or line[1] < 0 or first(line) != at:
            return False
        at = end(line)
    return at == stop


def merged(lines: Sequence[Node], into: Node) -> Lines | None:
    """The lines after the halves of `into` merged, or None where the two are not neighbouring lines."""
    if into[0] < 1:
        return None
    older, newer = children(into)
    for at in range(len(lines) - 1):
        if lines[at] == older and lines[at + 1] == newer:
            return (*lines[:at], into, *lines[at + 2 :])
    return None


def summarized(lines: Iterable[Node], built: Collection[Node]) -> bool:
    """Whether every merged line is built: only a message's own line may wait for its summary."""
    return all(line[0] == 0 or line in built for line in lines)


def before(lines: Sequence[Node], stop: int) -> Lines:
    """The start of the lines, up to the last one that ends at or before message `stop`."""
    count = 0
    while count < len(lines) and end(lines[count]) <= stop:
        count += 1
    return tuple(lines[:count])


def is_prefix(lines: Sequence[Node], of: Sequence[Node]) -> bool:
    return tuple(of[: len(lines)]) == tuple(lines)


def unbuilt(lines: Iterable[Node], built: Collection[Node]) -> Lines:
    return tuple(line for line in lines if line not in built)


# The merge order.


def due(pair: Node, total: int, order: Order = "last") -> tuple[int, int]:
    """How due the siblings `pair` = (l, i), (l, i+1) are, as an exact fraction: `(T - last, 2**l)`.

    `last` is the pair's last message; the order "first" measures from its first one, which is the mistake that the laws
    first_merges_0_7 and first_leaves_push tell apart.
    """
    level, index = pair
    return total - ((index + 2) * 2**level - 1 if order == "last" else index * 2**level), 2**level


def more_due(one: Node, other: Node, total: int, order: Order = "last") -> bool:
    """Whether a pair is more due than another: the two fractions multiplied crosswise, without division."""
    (above, below), (other_above, other_below) = due(one, total, order), due(other, total, order)
    return above * other_below > other_above * below


def pairs(lines: Sequence[Node], built: Collection[Node] | None) -> Lines:
    """The older halves of all pairs that can merge, oldest first; with `built` None every parent counts as built."""
    return tuple(
        line
        for line, follower in pairwise(lines)
        if line[1] % 2 == 0 and follower == sibling(line) and (built is None or parent(line) in built)
    )


def most_due(lines: Sequence[Node], total: int, built: Collection[Node] | None, order: Order = "last") -> Node | None:
    """The parent of the pair that is to merge next: the most due, the oldest of equal ones; None where none can."""
    best: Node | None = None
    for pair in pairs(lines, built):
        if best is None or more_due(pair, best, total, order):
            best = pair
    return None if best is None else parent(best)


def fit(
    lines: Sequence[Node],
    budget: int,
    total: int,
    built: Collection[Node] | None,
    size: Callable[[Node], int],
    order: Order = "last",
) -> tuple[Lines, Lines]:
    """One batch: merge the most due pair until the lines' sizes are at most `budget`; the lines, and what merged."""
    now, done = tuple(lines), []
    while sum(size(line) for line in now) > budget:
        into = most_due(now, total, built, order)
        after = None if into is None else merged(now, into)
        if into is None or after is None:
            break
        now = after
        done.append(into)
    return now, tuple(done)


def replay(total: int, batches: Iterable[Batch]) -> tuple[Lines, bool] | None:
    """The view and its flag from the recorded batches over the messages; None when one of them cannot have happened."""
    lines: Lines = ()
    shrinking, known = False, 0
    for batch in batches:
        if not known <= batch.total <= total:
            return None
        lines += tuple((0, index) for index in range(known, batch.total))
        known, shrinking = batch.total, batch.shrinking
        for into in batch.merged:
            after = merged(lines, into)
            if after is None:
                return None
            lines = after
    return lines + tuple((0, index) for index in range(known, total)), shrinking


# Push: the rollback list, a bijective binary counter.


class Entry(NamedTuple):
    """One entry of push's list: whether it is full (its keep bit), and its one line. Entry j has level `j + keep`."""

    keep: int
    line: Node


Pushed = tuple[Entry, ...]
"""Push's list, the newest entry first: T messages are `sum((1 + keep_j) * 2**j)`."""


def push(entries: Pushed) -> tuple[Pushed, Lines]:
    """One more message: the list after it, and the merges made (one at most).

    The new line goes to entry 0. An entry with keep bit 0 absorbs what comes (the two lines merge, the bit becomes 1);
    one with keep bit 1 takes what comes in its place and carries its own line on. A line carried past the end is a new
    entry.
    """
    carried: Node = (0, sum(2 ** entry.line[0] for entry in entries))
    after: list[Entry] = []
    for at, entry in enumerate(entries):
        if entry.keep == 0:
            into = parent(entry.line)
            return (*after, Entry(1, into), *entries[at + 1 :]), (into,)
        after.append(Entry(0, carried))
        carried = entry.line
    return (*after, Entry(0, carried)), ()


def pushed(total: int) -> Pushed:
    """Push's list after `total` messages at once, from the digits of the counter: any T, however large."""
    entries: list[Entry] = []
    left = stop = total
    while left > 0:
        keep = 1 - left % 2
        level = len(entries) + keep
        entries.append(Entry(keep, (level, (stop >> level) - 1)))
        stop -= 2**level
        left = (left - 1 - keep) // 2
    return tuple(entries)


def push_view(entries: Pushed) -> Lines:
    """The view that push's list holds, oldest line first."""
    return tuple(entry.line for entry in reversed(entries))


# Texts.


def size(text: str) -> int:
    """The UTF-8 length of a text, in bytes."""
    return len(text.encode())


def flatten(text: str) -> str:
    """A text on one line: each of CR LF, LF and CR is one space."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", " ")


def cut(text: str, limit: int) -> str:
    """The longest start of a text that has at most `limit` bytes; no character is cut in two."""
    return text.encode()[:limit].decode(errors="ignore")


def clip(text: str, limit: int, mark: Callable[[int], str]) -> str:
    """Head and tail of a text with a mark between, `limit` characters in all; `mark` is given the characters gone."""
    if len(text) <= limit:
        return text
    gone = len(text) - limit
    while len(text) - gone + len(mark(gone)) > limit:
        gone += 1
    kept = len(text) - gone
    head = (kept + 1) // 2
    return text[:head] + mark(gone) + text[len(text) - (kept - head) :]


def leaf_source(kind: str, text: str) -> str:
    return f"{kind}: {text}"


def source(node: Node, sources: Mapping[int, str], texts: Mapping[Node, str]) -> str | None:
    """What a node's summary is made of: its message, or its halves' texts joined by one newline; None before both are
    built.
    """
    if node[0] == 0:
        return sources.get(node[1])
    older, newer = children(node)
    return f"{texts[older]}\n{texts[newer]}" if older in texts and newer in texts else None


def line_text(node: Node, texts: Mapping[Node, str]) -> str:
    return flatten(texts[node]) if node in texts else PLACEHOLDER


def rendered(lines: Iterable[Node], texts: Mapping[Node, str]) -> str:
    """The view as the model reads it: `<chat>`, one `id+n|text` a line, `</chat>`."""
    body = "".join(f"{first(line)}+{2 ** line[0]}|{line_text(line, texts)}\n" for line in lines)
    return f"<chat>\n{body}</chat>"


def clean(reply: str) -> str:
    """A reply as a line: without outer white space and a leading `id+n|` head, its inner newlines as spaces."""
    text = reply.strip(SPACE)
    head = HEAD.match(text)
    return flatten(text[head.end() :].strip(SPACE) if head else text)


# The queue.


def candidates(
    lines: Sequence[Node],
    built: Collection[Node],
    ready: Sequence[Node],
    running: Collection[Node],
    resting: Collection[Node],
    jobs: int,
    lookahead: int,
    waiting: bool,
) -> Lines:
    """What may start now: the leaves within the look-ahead, then the ready merges, as far as there are places.

    `lines` is the view; `ready` the unbuilt merges with built halves, in the order in which they became so. While a
    turn waits, only unbuilt lines of the view start, and running calls for anything else are cancelled, so they hold no
    place.
    """
    waits = unbuilt(lines, built)
    leaves = [node for node in waits[:lookahead] if node not in running and node not in resting]
    if waiting:
        return tuple(leaves[: max(0, jobs - sum(1 for node in running if node in waits))])
    merges = [node for node in ready if node not in running and node not in resting]
    running_merges = sum(1 for node in running if node[0] > 0)
    places = max(0, jobs - len(running))
    for_leaves = jobs - min(running_merges + len(merges), jobs // 2) - (len(running) - running_merges)
    chosen = leaves[: max(0, min(places, for_leaves))]
    return (*chosen, *merges[: places - len(chosen)])
