"""Which nodes are built, in two bits a message."""

from __future__ import annotations

from collections.abc import Iterable

from optchat.core.node import Node


class BuiltNodes:
    """The set of built nodes: one bitmap a level, bit i of level l for node `(l, i)`; about 2 bits a message.

    `levels` are the bitmaps themselves (little-endian bits); the store saves them in its index as they are.
    """

    __slots__ = ("levels",)

    def __init__(self, nodes: Iterable[Node] = ()) -> None:
        self.levels: list[bytearray] = []
        for node in nodes:
            self.add(node)

    def __contains__(self, node: Node) -> bool:
        level, index = node
        if level >= len(self.levels):
            return False
        bits = self.levels[level]
        byte = index >> 3
        return byte < len(bits) and bits[byte] >> (index & 7) & 1 == 1

    def add(self, node: Node) -> None:
        level, index = node
        while level >= len(self.levels):
            self.levels.append(bytearray())
        bits = self.levels[level]
        byte = index >> 3
        if byte >= len(bits):
            # Room for half as much again: growing costs O(1) a node, amortized.
            bits.extend(bytes(byte + 1 - len(bits) + (len(bits) >> 1)))
        bits[byte] |= 1 << (index & 7)
