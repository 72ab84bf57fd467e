"""The view, the merge order, and the sawtooth that decides when a batch runs."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from optchat.core.node import Node

ParentSize = Callable[[Node], int | None]
"""The size of a parent's line in the budget's unit, or None while it is not built (so its pair cannot merge)."""


@dataclass(slots=True)
class View:
    """A list of lines that tiles `[0, T)`, oldest first (law view_covers), and the size of each.

    `sizes[k]` is the size of line k and `bytes` their sum (law view_bytes).
    """

    nodes: list[Node] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    bytes: int = 0

    def copy(self) -> View:
        return View(self.nodes.copy(), self.sizes.copy(), self.bytes)

    def append(self, leaf: Node, size: int) -> None:
        """Add the newest message's own line (law message_appends)."""
        self.nodes.append(leaf)
        self.sizes.append(size)
        self.bytes += size

    def find(self, node: Node) -> int | None:
        """The position of a node's line, or None when the view has no such line. O(log view)."""
        at = bisect_left(self.nodes, node.first, key=lambda line: line.first)
        return at if at < len(self.nodes) and self.nodes[at] == node else None

    def resize(self, node: Node, size: int) -> None:
        """A line's text changed because its node was built; the list never does."""
        at = self.find(node)
        if at is not None:
            self.bytes += size - self.sizes[at]
            self.sizes[at] = size

    def fit(self, budget: int, total: int, parent_size: ParentSize) -> list[Node]:
        """Merge most due pairs until the view is at most `budget` or no pair can merge; the parents, in order.

        `total` is T, the number of messages. The due of siblings `(l, i)`, `(l, i+1)` is `(T - last) / 2**l`, with
        `last` the pair's last message; among equal ones the oldest goes first. Exact: dues are compared as integers,
        scaled by the same power of two. O(view + merges * log view).
        Laws: fit_reaches_budget, fit_merges_built, fit_most_due, merge_is_one_pair, merge_covers.
        """
        if self.bytes <= budget:
            return []
        nodes, sizes = self.nodes, self.sizes
        count = len(nodes)
        top = total.bit_length()
        after = list(range(1, count + 1))
        before = list(range(-1, count - 1))
        gone = bytearray(count)
        heap: list[tuple[int, int, int]] = []

        def entry(left: int, right: int) -> tuple[int, int, int] | None:
            """The heap entry `(-scaled due, left position, parent's size)` of two neighbours, if they can merge."""
            level, index = nodes[left]
            if index & 1 or nodes[right] != (level, index + 1):
                return None
            size = parent_size(Node(level + 1, index >> 1))
            if size is None:
                return None
            last = ((index + 2) << level) - 1
            return -((total - last) << (top - level)), left, size

        for left in range(count - 1):
            pair = entry(left, left + 1)
            if pair is not None:
                heap.append(pair)
        heapify(heap)
        merged: list[Node] = []
        # A pair leaves the heap only by merging: its two lines have no other sibling to merge with.
        while self.bytes > budget and heap:
            _, left, size = heappop(heap)
            right = after[left]
            parent = nodes[left].parent
            self.bytes += size - sizes[left] - sizes[right]
            nodes[left], sizes[left] = parent, size
            gone[right] = 1
            after[left] = after[right]
            if after[left] < count:
                before[after[left]] = left
            merged.append(parent)
            neighbours = (before[left], left) if parent.i & 1 else (left, after[left])
            if neighbours[0] >= 0 and neighbours[1] < count:
                pair = entry(*neighbours)
                if pair is not None:
                    heappush(heap, pair)
        if merged:
            self.nodes = [node for node, dead in zip(nodes, gone, strict=True) if not dead]
            self.sizes = [size for size, dead in zip(sizes, gone, strict=True) if not dead]
        return merged


class Batch(NamedTuple):
    """One batch, as it is recorded: the parents merged into, in order; the flag after it; T."""

    merged: tuple[Node, ...]
    shrinking: bool
    total: int


@dataclass(slots=True)
class Sawtooth:
    """A view with a ceiling and a floor, in bytes. Nothing but `grow` and `batch` ever merges lines."""

    ceiling: int
    floor: int
    view: View = field(default_factory=View)
    shrinking: bool = False

    def grow(self, leaf: Node, size: int, total: int, parent_size: ParentSize) -> Batch | None:
        """Append a message's line; past the ceiling, or while shrinking, run one batch.

        Laws: message_appends, message_merges_nothing, batch_only_past_ceiling.
        """
        self.view.append(leaf, size)
        if self.view.bytes > self.ceiling or self.shrinking:
            return self.batch(total, parent_size)
        return None

    def batch(self, total: int, parent_size: ParentSize) -> Batch:
        """Fit the view to the floor; it goes on shrinking at the next message when the floor was not reached."""
        merged = self.view.fit(self.floor, total, parent_size)
        self.shrinking = self.view.bytes > self.floor
        return Batch(tuple(merged), self.shrinking, total)
