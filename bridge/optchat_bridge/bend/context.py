"""What is in scope while a term is checked, and how often it was used."""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from . import core as c
from . import values as v
from .descent import Shape
from .values import Env, Node

TEMPLATE: Final = 3
"""The mark of a template parameter in its own def: a constant, used freely."""

Usage: TypeAlias = dict[int, int]
"""Live uses by level."""
NOTHING: Final[Usage] = {}


class Known(NamedTuple):
    """What is known of a variable; ``let`` is the term of a let's value."""

    name: str
    mark: int
    type: Node
    let: c.Term | None


class Ctx(NamedTuple):
    """Variables by level, their values as an environment of the machine, and the def being checked.

    ``owner`` is that def's full name ("" outside defs), ``shape`` its parameters as the case tree knows them.
    """

    env: Env = ()
    known: tuple[Known, ...] = ()
    owner: str = ""
    unsafe: bool = False
    shape: tuple[Shape, ...] = ()
    skipped: tuple[bool, ...] = ()

    @property
    def depth(self) -> int:
        """The level of the next binder."""
        return len(self.env)

    def bind(
        self, name: str, mark: int, type_: Node, value: Node | None = None, term: c.Term | None = None
    ) -> tuple[Ctx, Node]:
        """One more variable, and its value: itself unless ``value`` is given."""
        level = len(self.env)
        shown = v.VVar(level, name) if value is None else value
        inner = Ctx(
            (*self.env, shown),
            (*self.known, Known(name, mark, type_, term)),
            self.owner,
            self.unsafe,
            self.shape,
            self.skipped,
        )
        return inner, shown

    def strip(self, term: c.Term) -> c.Term:
        """A term without annotations and let names at its head."""
        while True:
            if isinstance(term, c.Ann):
                term = term.term
            elif isinstance(term, c.Var) and (value := self.known[term.level].let) is not None:
                term = value
            else:
                return term


def add(left: Usage, right: Usage) -> Usage:
    """Uses along a path."""
    if not left:
        return right
    if not right:
        return left
    out = dict(left)
    for level, count in right.items():
        out[level] = out.get(level, 0) + count
    return out


def join(left: Usage, right: Usage) -> Usage:
    """Uses of two branches."""
    if not left:
        return right
    if not right:
        return left
    out = dict(left)
    for level, count in right.items():
        if count > out.get(level, 0):
            out[level] = count
    return out
