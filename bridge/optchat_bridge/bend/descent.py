"""Termination: the rule for live self-calls.

The arguments are read from left to right against the parameters in their current shape. Erased and template
parameters are skipped; the same term passes on to the next; a smaller one settles the call; anything else, or the
end, refuses it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from . import core as c


class Part(NamedTuple):
    """A constructor in a parameter's shape."""

    con: str
    fields: tuple[Shape, ...]
    open: bool
    """Whether a place inside is open: a part without one is not searched (a match of 1,000 strings: 13 s, not 65)."""


class _Open:
    """A place of the shape that the case tree has not passed yet."""


OPEN: Final = _Open()
Shape: TypeAlias = "int | Part | _Open"
"""A level, a constructor of shapes, or a place that is still to be passed."""


def start(arity: int) -> tuple[Shape, ...]:
    """The shape of the parameters before the first is passed."""
    return (OPEN,) * arity


def part(con: str, fields: int) -> Part:
    """A constructor whose fields are all still to be passed."""
    return Part(con, (OPEN,) * fields, fields > 0)


def passed(shape: tuple[Shape, ...], item: Shape) -> tuple[Shape, ...]:
    """The shape with its leftmost open place filled; a shape without one is fixed and stays."""
    done, out = _fill(shape, item)
    return out if done else shape


def _fill(shapes: tuple[Shape, ...], item: Shape) -> tuple[bool, tuple[Shape, ...]]:
    for index, each in enumerate(shapes):
        new: Shape
        if each is OPEN:
            new = item
        elif isinstance(each, Part) and each.open:
            _, fields = _fill(each.fields, item)
            new = Part(each.con, fields, any(one is OPEN or (isinstance(one, Part) and one.open) for one in fields))
        else:
            continue
        return True, (*shapes[:index], new, *shapes[index + 1 :])
    return False, shapes


Strip: TypeAlias = "Callable[[c.Term], c.Term]"
"""A term without annotations, and with let names replaced by what they name, at its head."""


def decreases(shape: tuple[Shape, ...], skipped: tuple[bool, ...], args: tuple[c.Term, ...], strip: Strip) -> bool:
    """Whether a self-call with these arguments is allowed."""
    for index, each in enumerate(shape):
        if skipped[index]:
            continue
        if index >= len(args):
            return False
        if _same(args[index], each, strip):
            continue
        return _smaller(args[index], each, strip)
    return False


def _layer(term: c.Term) -> tuple[str, tuple[c.Term, ...]] | None:
    """A term's outermost constructor, one layer of a numeral included."""
    if isinstance(term, c.Ctr):
        return term.con, term.args
    if isinstance(term, c.NatLit):
        return ("Succ", (c.NatLit(term.value - 1),)) if term.value else ("Zero", ())
    if isinstance(term, c.Plus):
        return "Succ", (c.Plus(term.count - 1, term.term) if term.count > 1 else term.term,)
    return None


def _same(term: c.Term, shape: Shape, strip: Strip) -> bool:
    term = strip(term)
    if isinstance(shape, int):
        return isinstance(term, c.Var) and term.level == shape
    if not isinstance(shape, Part):
        return False
    layer = _layer(term)
    if layer is None or layer[0] != shape.con:
        return False
    for one, other in zip(layer[1], shape.fields, strict=True):
        if not _same(one, other, strip):
            return False
    return True


def _smaller(term: c.Term, shape: Shape, strip: Strip) -> bool:
    if not isinstance(shape, Part):
        return False
    for each in shape.fields:
        if _same(term, each, strip) or _smaller(term, each, strip):
            return True
    layer = _layer(strip(term))
    if layer is None or layer[0] != shape.con:
        return False
    smaller = False
    for one, other in zip(layer[1], shape.fields, strict=True):
        if _smaller(one, other, strip):
            smaller = True
        elif not _same(one, other, strip):
            return False
    return smaller
