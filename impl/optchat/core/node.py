"""Tree nodes: the names of runs of messages."""

from __future__ import annotations

from typing import NamedTuple


class Node(NamedTuple):
    """The tree node `(level, i)`: it covers the messages `[i * 2**level, (i + 1) * 2**level)`.

    A leaf `(0, i)` is message i. Plain data: a Node equals the tuple `(level, i)`.
    """

    level: int
    i: int

    @property
    def first(self) -> int:
        """The id of the first message covered."""
        return self.i << self.level

    @property
    def end(self) -> int:
        """The id after the last message covered."""
        return (self.i + 1) << self.level

    @property
    def n(self) -> int:
        """How many messages are covered: `2**level`."""
        return 1 << self.level

    @property
    def parent(self) -> Node:
        return Node(self.level + 1, self.i >> 1)

    @property
    def sibling(self) -> Node:
        return Node(self.level, self.i ^ 1)

    @property
    def children(self) -> tuple[Node, Node]:
        """The two halves, older first: they tile this node (law zoom_partitions). A leaf has none: ValueError."""
        if self.level == 0:
            raise ValueError(f"{self.name} is one message: it has no halves")
        return Node(self.level - 1, 2 * self.i), Node(self.level - 1, 2 * self.i + 1)

    @property
    def name(self) -> str:
        """The node as people and models write it: `id+n`, its first message and how many it covers."""
        return f"{self.first}+{self.n}"


def node_at(first: int, n: int) -> Node:
    """The node that covers the `n` messages from `first`.

    Raises ValueError, one line, when n is no power of two, first is no multiple of it, or first is negative.
    """
    if n < 1 or n & (n - 1):
        raise ValueError(f"n must be a power of two (1, 2, 4, ...), not {n}")
    if first < 0:
        raise ValueError(f"id must be 0 or more, not {first}")
    if first % n:
        raise ValueError(f"id must be a multiple of n, and {first} is no multiple of {n}: try {first - first % n}")
    return Node(n.bit_length() - 1, first // n)
