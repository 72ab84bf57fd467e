"""Nodes of the evaluation graph.

A term is instantiated to a graph without unfolding anything; a call, an application and a rewrite are lazy nodes
that are evaluated at most once and keep what they stand for beside their value, so that two calls can be compared
as texts before either is unfolded. A numeral is a Python int.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from . import core as c

if TYPE_CHECKING:
    from collections.abc import Callable

Env: TypeAlias = tuple["Node", ...]


class Def:
    """A def at run time. ``body`` is None while it is opaque: open, not yet reached, or an effect."""

    __slots__ = ("arity", "body", "calls", "name", "native", "step")

    def __init__(self, name: str, arity: int) -> None:
        self.name = name
        self.arity = arity
        self.body: c.Term | None = None
        self.native: Callable[..., Node | None] | None = None
        self.step: Callable[..., Any] | None = None
        self.calls = 0


class VVar:
    """A variable that is not known; levels of a context count from 0, fresh ones are far above."""

    __slots__ = ("level", "name")

    def __init__(self, level: int, name: str) -> None:
        self.level = level
        self.name = name


class VCall:
    """A call of a def. ``val`` is its weak head normal form once known, itself when it is stuck."""

    __slots__ = ("args", "fun", "val")

    def __init__(self, fun: Def, args: tuple[Node, ...]) -> None:
        self.fun = fun
        self.args = args
        self.val: Node | None = None


class VApp:
    """Any other application."""

    __slots__ = ("args", "fun", "val")

    def __init__(self, fun: Node, args: tuple[Node, ...]) -> None:
        self.fun = fun
        self.args = args
        self.val: Node | None = None


class VRewrite:
    """A rewrite: its body, once the evidence is {==}."""

    __slots__ = ("body", "env", "evidence", "term", "val")

    def __init__(self, term: c.Rewrite, env: Env, evidence: Node, body: Node) -> None:
        self.term = term
        self.env = env
        self.evidence = evidence
        self.body = body
        self.val: Node | None = None


class VMeet:
    """``left <&> right``."""

    __slots__ = ("left", "right", "val")

    def __init__(self, left: Node, right: Node) -> None:
        self.left = left
        self.right = right
        self.val: Node | None = None


class VCtr:
    """A constructor that is no literal."""

    __slots__ = ("args", "con")

    def __init__(self, con: str, args: tuple[Node, ...]) -> None:
        self.con = con
        self.args = args


class VPlus:
    """``count`` successors of a node that is not known to be a numeral."""

    __slots__ = ("count", "tail")

    def __init__(self, count: int, tail: Node) -> None:
        self.count = count
        self.tail = tail


class VWord:
    """The lowest ``bits`` bits of ``value``, a chain of WCon."""

    __slots__ = ("bits", "value")

    def __init__(self, value: int, bits: int) -> None:
        self.value = value
        self.bits = bits


class VU32:
    """A machine word literal."""

    __slots__ = ("value",)

    def __init__(self, value: int) -> None:
        self.value = value


class VChar:
    """A character literal."""

    __slots__ = ("code",)

    def __init__(self, code: int) -> None:
        self.code = code


class VText:
    """The rest of a string literal from ``at``."""

    __slots__ = ("at", "text")

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at


class VF32:
    """A float literal, as written."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class VLam:
    """A lambda with its environment."""

    __slots__ = ("env", "term")

    def __init__(self, term: c.Lam, env: Env) -> None:
        self.term = term
        self.env = env


class VMatch:
    """A lambda-match with its environment."""

    __slots__ = ("env", "term")

    def __init__(self, term: c.Match | c.NoMatch, env: Env) -> None:
        self.term = term
        self.env = env


class VPi:
    """A function type; ``cod`` gives the type of the result at an argument, which it ignores if not ``dependent``."""

    __slots__ = ("cod", "dependent", "dom", "mark", "name")

    def __init__(self, mark: int, name: str, dom: Node, cod: Callable[[Node], Node], dependent: bool = True) -> None:
        self.mark = mark
        self.name = name
        self.dom = dom
        self.cod = cod
        self.dependent = dependent


class VData:
    """A datatype; ``gone`` are the constructors that earlier arms took out, a bit each by their order in the type."""

    __slots__ = ("args", "gone", "name")

    def __init__(self, name: str, args: tuple[Node, ...], gone: int = 0) -> None:
        self.name = name
        self.args = args
        self.gone = gone


class VKind:
    """``Kind(quantity)``."""

    __slots__ = ("quantity",)

    def __init__(self, quantity: Node) -> None:
        self.quantity = quantity


class VQuantType:
    """``Quant``."""

    __slots__ = ()


class VQuantity:
    """``&0``, ``&1``, ``&2``."""

    __slots__ = ("value",)

    def __init__(self, value: int) -> None:
        self.value = value


class VEq:
    """An equation."""

    __slots__ = ("left", "right", "type")

    def __init__(self, left: Node, right: Node, type_: Node) -> None:
        self.left = left
        self.right = right
        self.type = type_


class VRefl:
    """``{==}``."""

    __slots__ = ()


class VHole:
    """``?name``; equal to nothing but itself."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


Node: TypeAlias = (
    int
    | VVar
    | VCall
    | VApp
    | VRewrite
    | VMeet
    | VCtr
    | VPlus
    | VWord
    | VU32
    | VChar
    | VText
    | VF32
    | VLam
    | VMatch
    | VPi
    | VData
    | VKind
    | VQuantType
    | VQuantity
    | VEq
    | VRefl
    | VHole
)

QUANTITIES: Final = (VQuantity(0), VQuantity(1), VQuantity(2))
TYPE: Final = VKind(QUANTITIES[1])
DATA: Final = VKind(QUANTITIES[2])
QUANT: Final = VQuantType()
REFL: Final = VRefl()
LAZY: Final = frozenset([VCall, VApp, VRewrite, VMeet])


def plus(count: int, node: Node) -> Node:
    """``count`` successors of a node, as a numeral where that is known."""
    if isinstance(node, int):
        return node + count
    if isinstance(node, VPlus):
        return VPlus(node.count + count, node.tail)
    lazy: Any = node
    if type(node) in LAZY and lazy.val is not None and lazy.val is not node:
        return plus(count, lazy.val)
    return VPlus(count, node)


def literal_view(value: Node) -> tuple[str, tuple[Node, ...]] | None:
    """The outermost constructor of a literal that is no numeral."""
    if isinstance(value, VText):
        if value.at == len(value.text):
            return "SNil", ()
        return "SCon", (VChar(ord(value.text[value.at])), VText(value.text, value.at + 1))
    if isinstance(value, VChar):
        return "Chr", (VU32(value.code),)
    if isinstance(value, VU32):
        return "U32", (VWord(value.value, 32),)
    if isinstance(value, VWord):
        if value.bits == 0:
            return "WNil", ()
        bit = VCtr("True" if value.value & 1 else "False", ())
        return "WCon", (bit, VWord(value.value >> 1, value.bits - 1))
    return None
