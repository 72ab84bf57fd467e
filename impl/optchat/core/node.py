"""Tree nodes: the names of runs of messages."""

from __future__ import annotations

from typing import NamedTuple


class Node(NamedTuple):
    """The tree node `(level, index)`: it covers the messages `[index * 2**level, (index + 1) * 2**level)`.

    A leaf `(0, i)` is message i. Plain data: a Node equals the tuple `(level, index)`.
    """

    level: int
    index: int

    @property
    def first(self) -> int:
        """The id of the first message covered."""
        return self.index << self.level

    @property
    def end(self) -> int:
        """The id after the last message covered."""
        return (self.index + 1) << self.level

    @property
    def count(self) -> int:
        """How many messages are covered: `2**level`."""
        return 1 << self.level

    @property
    def parent(self) -> Node:
        return Node(self.level + 1, self.index >> 1)

    @property
    def sibling(self) -> Node:
        return Node(self.level, self.index ^ 1)

    @property
    def children(self) -> tuple[Node, Node]:
        """The two halves, older first: they tile this node (law zoom_partitions). A leaf has none: ValueError."""
        if self.level == 0:
            raise ValueError(f"{self.name} is one message: it has no halves")
        return Node(self.level - 1, 2 * self.index), Node(self.level - 1, 2 * self.index + 1)

    @property
    def name(self) -> str:
        """The node as people and models write it: `id+n`, its first message and how many it covers."""
        return f"{self.first}+{self.count}"


def node_at(first: int, count: int) -> Node:
    """The node that covers the `count` messages from `first`.

    Raises ValueError, one line, when count is no power of two, first is no multiple of it, or first is negative.
    """
    if count < 1 or count & (count - 1):
        raise ValueError(f"n must be a power of two (1, 2, 4, ...), not {count}")
    if first < 0:
        raise ValueError(f"id must be 0 or more, not {first}")
    if first % count:
        raise ValueError(
            f"id must be a multiple of n, and {first} is no multiple of {count}: try {first - first % count}"
        )
    return Node(count.bit_length() - 1, first // count)
