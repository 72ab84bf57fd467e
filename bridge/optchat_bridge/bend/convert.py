"""Conversion: whether two nodes are equal.

Two nodes are first compared as texts, unfolding no def; only if that fails are they brought to weak head normal
form and compared part by part. Functions have eta, datatypes have none. ``fits`` adds what is allowed between a
type that is there and a type that is wanted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from . import core as c
from . import values as v
from .evaluate import Machine
from .values import Node, literal_view

Test: TypeAlias = Callable[[Node, Node], bool]
_TEXT_LAZY = (v.VCall, v.VApp)
_FUNCTIONS = (v.VLam, v.VMatch)


class Converter:
    """Conversion over one machine."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._texts: dict[tuple[int, int], tuple[Node, Node, bool]] = {}
        self._equal: dict[tuple[int, int], tuple[Node, Node]] = {}

    def equal(self, left: Node, right: Node) -> bool:
        """Whether the nodes convert."""
        # pairs are remembered for one question only: they keep their nodes alive (perf/shared_tree_60)
        self._texts = {}
        self._equal = {}
        return self._conv(left, right)

    # As texts

    def _same(self, left: Node, right: Node) -> bool:
        """Whether the nodes are equal without unfolding a def."""
        if left is right:
            return True
        kind = type(left)
        if kind is int and type(right) is int:
            return left == right
        if kind in _TEXT_LAZY or kind is v.VCtr or kind in _FUNCTIONS:
            key = (id(left), id(right))
            known = self._texts.get(key)
            if known is not None:
                return known[2]
            result = self._same_text(left, right)
            self._texts[key] = (left, right, result)
            return result
        return self._parts(left, right, self._same)

    def _same_text(self, left: Any, right: Any) -> bool:
        kind = type(left)
        if kind is type(right):
            if kind is v.VCall:
                if left.fun is right.fun and self._all(left.args, right.args, self._same):
                    return True
            elif kind is v.VApp:
                if self._same(left.fun, right.fun) and self._all(left.args, right.args, self._same):
                    return True
            else:
                return self._parts(left, right, self._same)
        one, other = self._done(left), self._done(right)
        if one is left and other is right:
            return False
        return self._same(one, other)

    def _done(self, node: Any) -> Node:
        if type(node) in v.LAZY and node.val is not None:
            return node.val  # type: ignore[no-any-return]
        return node  # type: ignore[no-any-return]

    def _all(self, left: tuple[Node, ...], right: tuple[Node, ...], test: Test) -> bool:
        if len(left) != len(right):
            return False
        for one, other in zip(left, right, strict=True):
            if not test(one, other):
                return False
        return True

    # As values

    def _conv(self, left: Node, right: Node) -> bool:
        pairs: list[tuple[Node, Node]] = []
        if not self._chain(left, right, pairs):
            return False
        # remembered only now that all their parts are known to be equal
        for one, other in pairs:
            self._equal[id(one), id(other)] = (one, other)
        return True

    def _chain(self, left: Node, right: Node, pairs: list[tuple[Node, Node]]) -> bool:
        """Compares along the last fields in a loop, lists are long; ``pairs`` gets the constructors on the way."""
        while True:
            if left is right:
                return True
            if (type(left) in v.LAZY or type(right) in v.LAZY) and self._same(left, right):
                return True
            left, right = self.machine.whnf(left), self.machine.whnf(right)
            if left is right:
                return True
            if type(left) is not v.VCtr or type(right) is not v.VCtr:
                return self._values(left, right)
            if left.con != right.con or len(left.args) != len(right.args):
                return False
            if not left.args or (id(left), id(right)) in self._equal:
                return True
            if not self._all(left.args[:-1], right.args[:-1], self._conv):
                return False
            pairs.append((left, right))
            left, right = left.args[-1], right.args[-1]

    def _values(self, left: Node, right: Node) -> bool:
        if type(left) is int or type(right) is int or type(left) is v.VPlus or type(right) is v.VPlus:
            return self._numerals(left, right)
        if type(left) is v.VLam or type(right) is v.VLam:
            return self._eta(left, right)
        if _bare(left) and _bare(right):
            return self._names(left, right)
        if type(left) is not type(right):
            return self._literals(left, right)
        return self._parts(left, right, self._conv)

    def _numerals(self, left: Node, right: Node) -> bool:
        one, left = self._count(left)
        other, right = self._count(right)
        low = min(one, other)
        one, other = one - low, other - low
        if type(left) is int or type(right) is int:
            return type(left) is int and type(right) is int and one == other
        return one == other and self._conv(left, right)

    def _count(self, node: Node) -> tuple[int, Node]:
        """The successors in front of a node, and 0 or a node that is no numeral behind them."""
        total = 0
        while True:
            node = self.machine.whnf(node)
            if type(node) is int:
                return total + node, 0
            if type(node) is not v.VPlus:
                return total, node
            total += node.count
            node = node.tail

    def _names(self, left: Any, right: Any) -> bool:
        """Two defs without arguments are equal when they agree on variables; with some arguments, by name only."""
        if left.fun is right.fun:
            return True
        args: tuple[Node, ...] = tuple([self.machine.fresh("x") for _ in range(max(left.fun.arity, right.fun.arity))])
        return self._conv(self.machine.apply_lazy(left, args), self.machine.apply_lazy(right, args))

    def _eta(self, left: Node, right: Node) -> bool:
        if not _is_function(left) or not _is_function(right):
            return False
        name = left.term.name if type(left) is v.VLam else right.term.name if type(right) is v.VLam else "x"
        arg = self.machine.fresh(name)
        return self._conv(self._applied(left, arg), self._applied(right, arg))

    def _applied(self, fun: Node, arg: Node) -> Node:
        return self.machine.apply_lazy(fun, (arg,))

    def _literals(self, left: Node, right: Node) -> bool:
        """A literal against the constructor it stands for."""
        one = literal_view(left) if type(left) is not v.VCtr else (left.con, left.args)
        other = literal_view(right) if type(right) is not v.VCtr else (right.con, right.args)
        if one is None or other is None or one[0] != other[0]:
            return False
        return self._all(one[1], other[1], self._conv)

    def _parts(self, left: Any, right: Any, test: Test) -> bool:
        """Nodes of one form, part by part."""
        kind = type(left)
        if kind is not type(right):
            return False
        if kind is v.VVar:
            return bool(left.level == right.level)
        if kind is v.VCtr:
            return left.con == right.con and self._all(left.args, right.args, test)
        if kind is v.VCall:
            return left.fun is right.fun and self._all(left.args, right.args, test)
        if kind is v.VApp:
            return test(left.fun, right.fun) and self._all(left.args, right.args, test)
        if kind is v.VPlus:
            return left.count == right.count and test(left.tail, right.tail)
        if kind is v.VData:
            return left.name == right.name and left.gone == right.gone and self._all(left.args, right.args, test)
        if kind is v.VEq:
            return test(left.left, right.left) and test(left.right, right.right) and test(left.type, right.type)
        if kind is v.VKind:
            return test(left.quantity, right.quantity)
        if kind is v.VMeet:
            return test(left.left, right.left) and test(left.right, right.right)
        if kind is v.VLam or kind is v.VPi or kind is v.VRewrite:
            return self._binders(left, right, test)
        if kind is v.VMatch:
            return self._cases(left, right, test)
        return self._atoms(left, right)

    def _atoms(self, left: Any, right: Any) -> bool:
        kind = type(left)
        if kind in (v.VQuantType, v.VRefl):
            return True
        if kind in (v.VQuantity, v.VU32):
            return bool(left.value == right.value)
        if kind is v.VWord:
            return bool(left.bits == right.bits and left.value == right.value)
        if kind is v.VChar:
            return bool(left.code == right.code)
        if kind is v.VText:
            return bool(left.text[left.at :] == right.text[right.at :])
        if kind is v.VF32:
            return bool(left.text == right.text)
        return False

    def _binders(self, left: Any, right: Any, test: Test) -> bool:
        machine = self.machine
        if type(left) is v.VRewrite:
            side, equation = machine.fresh("_"), machine.fresh("e")
            one = machine.motive(left.term, left.env, side, equation)
            other = machine.motive(right.term, right.env, side, equation)
            return test(left.evidence, right.evidence) and test(left.body, right.body) and test(one, other)
        if type(left) is v.VPi:
            if left.mark != right.mark or not test(left.dom, right.dom):
                return False
            arg = machine.fresh(left.name)
            return test(left.cod(arg), right.cod(arg))
        arg = machine.fresh(left.term.name)
        one = machine.inst(left.term.body, (*left.env, arg))
        return test(one, machine.inst(right.term.body, (*right.env, arg)))

    def _cases(self, left: v.VMatch, right: v.VMatch, test: Test) -> bool:
        one, other = left.term, right.term
        inst = self.machine.inst
        while type(one) is c.Match and type(other) is c.Match:
            if one.con != other.con or not test(inst(one.arm, left.env), inst(other.arm, right.env)):
                return False
            rest, last = one.rest, other.rest
            if type(rest) not in (c.Match, c.NoMatch) or type(last) not in (c.Match, c.NoMatch):
                return test(inst(rest, left.env), inst(last, right.env))
            one, other = rest, last  # type: ignore[assignment]
        return type(one) is c.NoMatch and type(other) is c.NoMatch

    # Fitting a type into a wanted one

    def fits(self, got: Node, wanted: Node) -> bool:
        """Whether a term of type ``got`` may stand where ``wanted`` is asked for."""
        self._texts = {}
        self._equal = {}
        return self._fits(got, wanted)

    def _fits(self, got: Node, wanted: Node) -> bool:
        if got is wanted or self._same(got, wanted):
            return True
        got, wanted = self.machine.whnf(got), self.machine.whnf(wanted)
        if type(got) is v.VKind and type(wanted) is v.VKind:
            return self.at_most(wanted.quantity, got.quantity)
        if type(got) is v.VPi and type(wanted) is v.VPi:
            if got.mark != wanted.mark or not self._fits(wanted.dom, got.dom):
                return False
            arg = self.machine.fresh(wanted.name)
            return self._fits(got.cod(arg), wanted.cod(arg))
        if type(got) is v.VData and type(wanted) is v.VData and got.name == wanted.name:
            return got.gone | wanted.gone == got.gone and self._all(got.args, wanted.args, self._conv)
        return self._conv(got, wanted)

    def at_most(self, low: Node, high: Node) -> bool:
        """Whether ``Kind(high)`` fits ``Kind(low)``: any kind fits &0 and &1, and &2 fits any."""
        low, high = self.machine.whnf(low), self.machine.whnf(high)
        if type(low) is v.VQuantity and low.value < 2:
            return True
        if type(low) is v.VMeet and (self.at_most(low.left, high) or self.at_most(low.right, high)):
            return True
        if type(high) is v.VMeet and self.at_most(low, high.left) and self.at_most(low, high.right):
            return True
        if type(high) is v.VQuantity:
            return high.value == 2
        return self._conv(low, high)

    def is_data(self, kind: Node) -> bool:
        """Whether a kind is Data."""
        kind = self.machine.whnf(kind)
        return type(kind) is v.VKind and self.at_most(v.QUANTITIES[2], kind.quantity)


def _bare(node: Any) -> bool:
    return type(node) is v.VCall and not node.args and node.fun.arity > 0


def _is_function(node: Node) -> bool:
    """Whether a value can be applied; a stuck node may be of a function type."""
    return type(node) in (v.VLam, v.VMatch, v.VVar, v.VCall, v.VApp, v.VRewrite, v.VHole)
