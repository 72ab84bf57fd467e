"""Template instances: a live call of a template at closed ``~`` arguments is a def of its own, and is checked as one.

The check of the template with its ``~`` parameters opaque is not enough for that: an argument stands in their place as
it is written, and a lambda-match or a literal cannot stand wherever a name can.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final, NamedTuple

from . import core as c
from .errors import BendError, Place
from .specialize import closed

DEPTH_LIMIT: Final = 64
"""Instances that are checked within one another."""
KEY_LIMIT: Final = 32_768
"""Characters of a call's ``~`` arguments as JSON, every node an object: the measure of the real Bend."""
INSTANCE_LIMIT: Final = 2_000
"""Instances that one def may reach."""
_DECREASING: Final = (
    "a decreasing self-call (arguments are read left to right: each passed unchanged until one shrinks)"
)


class TemplateCall(NamedTuple):
    """A live call of a template: its ``~`` arguments, and the depth and place at which it stands."""

    name: str
    args: tuple[c.Term, ...]
    depth: int
    place: Place


Key = tuple[str, tuple[c.Term, ...]]


class Instances:
    """The template calls of each def, and the instances that were checked.

    ``check`` holds a template at closed arguments to its type; the calls on the way are those of the given label.
    """

    def __init__(self, check: Callable[[str, tuple[c.Term, ...], str], None]) -> None:
        self.check = check
        self.calls: dict[str, list[TemplateCall]] = {}
        self._done: dict[Key, bool] = {}

    def reach(self, owner: str) -> None:
        """Checks the instances that a def calls, that is no template, and those that they call."""
        self._follow(owner, None, 1, len(self._done) + INSTANCE_LIMIT)

    def _follow(self, label: str, inside: Key | None, depth: int, most: int) -> None:
        for call in self.calls.pop(label, []):
            args = tuple([closed(arg, call.depth) for arg in call.args])
            key = (call.name, args)
            done = self._done.get(key)
            if done is False and key != inside:
                raise BendError(expected=_DECREASING, observed=call.name, place=call.place)
            if done is not None:
                continue
            if sum(map(_weight, args)) > KEY_LIMIT or len(self._done) > most:
                raise BendError(expected="a ~ argument that stops growing", observed=call.name, place=call.place)
            if depth > DEPTH_LIMIT:
                wanted = f"a template that stops instantiating itself ({DEPTH_LIMIT} levels at most)"
                raise BendError(expected=wanted, observed=call.name, place=call.place)
            self._done[key] = False
            inner = f"{call.name}~{len(self._done)}"
            self.check(call.name, args, inner)
            self._follow(inner, key, depth + 1, most)
            self._done[key] = True


_NODE: Final = len('{"$":"Name","k":,"x":[]}')
_LINK: Final = len('{"$":"App","f":,"x":}')


def _weight(term: object) -> int:
    """About the characters of a term as JSON."""
    total = 0
    stack: list[object] = [term]
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):
            stack.extend(node)
        elif isinstance(node, c.App):
            total += _LINK * len(node.args)
            stack.extend((node.fun, node.args))
        elif isinstance(node, c.Plus):
            total += _NODE * node.count
            stack.append(node.term)
        elif hasattr(node, "__dataclass_fields__"):
            total += _NODE
            stack.extend(getattr(node, name) for name in node.__dataclass_fields__ if name != "pos")
        elif isinstance(node, str):
            total += len(json.dumps(node))
        elif isinstance(node, int):
            total += _NODE
    return total
