"""Template instances: a template is checked once with its ~ parameters opaque, which covers every closed argument;
what is left to refuse is a recursion whose ~ arguments grow for ever, since each would be a def of its own.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from . import core as c
from . import values as v
from .errors import BendError, Place
from .evaluate import Machine
from .values import Node

INSTANCE_LIMIT: Final = 2_000
TEXT_LIMIT: Final = 20_000
"""Characters of one ~ argument, written without unfolding."""


class TemplateCall(NamedTuple):
    """A live call of a template: its ~ arguments, and the depth and place at which it stands."""

    name: str
    args: tuple[c.Term, ...]
    depth: int
    place: Place


class Instances:
    """The template calls of each def, and the instances that were reached."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.calls: dict[str, list[TemplateCall]] = {}
        self._seen: set[tuple[str, str]] = set()

    def reach(self, owner: str, templates: int) -> None:
        """Follows the calls of a def that is no template to all instances; refuses growth."""
        if templates:
            return
        before = len(self._seen)
        work: list[tuple[TemplateCall, tuple[Node, ...]]] = [(call, ()) for call in self.calls.get(owner, [])]
        while work:
            call, given = work.pop()
            unknown = tuple([v.VVar(level, "_") for level in range(len(given), call.depth)])
            args = tuple([self.machine.inst(arg, given + unknown) for arg in call.args])
            text = "".join(_text(args, self.machine))
            if (call.name, text) in self._seen:
                continue
            self._seen.add((call.name, text))
            if len(text) > TEXT_LIMIT or len(self._seen) - before > INSTANCE_LIMIT:
                raise BendError(expected="a ~ argument that stops growing", observed=call.name, place=call.place)
            work.extend((inner, args) for inner in self.calls.get(call.name, []))


def _text(node: Any, machine: Machine) -> list[str]:
    """A node written out without unfolding, up to the limit."""
    out: list[str] = []
    size = 0
    stack: list[Any] = [node]
    while stack and size <= TEXT_LIMIT:
        one = stack.pop()
        if isinstance(one, tuple):
            stack.append(")")
            for each in reversed(one):
                stack.extend((each, ","))
            piece = "("
        elif one is None or isinstance(one, str | int | frozenset):
            piece = str(one)
        elif isinstance(one, v.VLam | v.VPi):
            arg = machine.fresh("x")
            arg.level = len(stack)
            if isinstance(one, v.VLam):
                stack.append(machine.inst(one.term.body, (*one.env, arg)))
            else:
                stack.extend((one.cod(arg), one.dom))
            piece = type(one).__name__
        elif isinstance(one, v.VMatch | v.VRewrite):
            piece = f"{id(one.term)}"
            stack.append(one.env)
        elif isinstance(one, v.Def):
            piece = one.name
        else:
            piece = type(one).__name__
            stack.append(tuple(getattr(one, slot) for slot in one.__slots__ if slot != "val"))
        size += len(piece)
        out.append(piece)
    return out
