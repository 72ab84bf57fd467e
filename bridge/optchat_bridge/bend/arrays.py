"""Array sugar: ``[x : T*4n]``, ``a[2] <- x`` and ``a[2]``, for arrays whose size and element type stand in the text.

A read or a write needs the element type, which sugar cannot infer: it is known for a name that a let binds to a fill
or to a write. Sizes are powers of two and indices are literals within them; anything else is refused.
"""

from __future__ import annotations

from typing import NamedTuple

from . import core as c


class ArrayType(NamedTuple):
    """The element type of an array and the depth of its tree: 2 ** depth slots."""

    element: c.Term
    depth: int


def depth_of(size: c.Term) -> int | None:
    """The depth of a tree with that many slots; None unless it is a literal power of two."""
    if not isinstance(size, c.NatLit) or size.value < 1 or size.value & (size.value - 1):
        return None
    return size.value.bit_length() - 1


def path_to(index: c.Term, depth: int, pos: int) -> c.Term | None:
    """The path to a slot as a list of booleans; None unless the index is a literal within the array."""
    if not isinstance(index, c.U32Lit) or index.value >> depth:
        return None
    path: c.Term = c.Ctr("Nil", (), pos)
    for place in range(depth):
        bit = c.Ctr("True" if index.value >> place & 1 else "False", (), pos)
        path = c.Ctr("Con", (bit, path), pos)
    return path


def fill(array: ArrayType, value: c.Term, pos: int) -> c.Term:
    """A fresh array."""
    return c.App(c.Ref("Base.array.fill", pos), (array.element, c.NatLit(array.depth, pos), value), pos)


def read(array: ArrayType, name: c.Term, path: c.Term, pos: int) -> c.Term:
    """The array and a slot's value."""
    return c.App(c.Ref("Base.array.get", pos), (array.element, name, path), pos)


def write(array: ArrayType, name: c.Term, path: c.Term, value: c.Term, pos: int) -> c.Term:
    """The array with a slot written."""
    return c.App(c.Ref("Base.array.set", pos), (array.element, name, path, value), pos)
