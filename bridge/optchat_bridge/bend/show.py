"""Nodes and terms as the digest displays them: in normal form, with literals, lists and tuples in short form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from . import core as c
from . import values as v
from .errors import stopped
from .evaluate import Machine
from .values import Node

SIZE_LIMIT: Final = 4_000_000
"""Nodes that one shown value may have."""
_ESCAPES: Final = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0", "\\": "\\\\"}
_MARKS: Final = {c.ERASED: "-", c.ONE: "", c.MANY: "+", 3: "~"}


class Shower:
    """Shows values of one machine; ``rename`` gives the name to show for a full name."""

    def __init__(self, machine: Machine, rename: Callable[[str], str]) -> None:
        self.machine = machine
        self.rename = rename
        self._out: list[str] = []
        self._size = 0

    def show(self, node: Node) -> str:
        """The normal form of a node."""
        self._out = []
        self._size = 0
        self._node(node)
        return "".join(self._out)

    def _node(self, node: Node) -> None:
        self._size += 1
        if self._size > SIZE_LIMIT:
            raise stopped(f"a value of more than {SIZE_LIMIT} nodes to show")
        value: Any = self.machine.whnf(node)
        kind = type(value)
        if kind is int:
            self._out.append(f"{value}n")
        elif kind is v.VPlus:
            self._plus(value)
        elif kind is v.VCtr:
            self._ctr(value)
        elif kind is v.VCall:
            self._out.append(self.rename(value.fun.name))
            if value.args:
                self._list("(", value.args, ")")
        elif kind is v.VApp:
            self._head(value.fun)
            self._list("(", value.args, ")")
        elif kind is v.VData:
            self._out.append(self.rename(value.name))
            if value.args:
                self._list("<", value.args, ">")
        elif kind in (v.VLam, v.VMatch, v.VPi, v.VRewrite):
            self._function(value)
        elif kind is v.VEq:
            self._seq("{", value.left, " == ", value.right, " : ", value.type, "}")
        elif kind is v.VMeet:
            self._seq(value.left, " <&> ", value.right)
        elif kind is v.VKind:
            self._kind(value)
        else:
            self._out.append(_atom(value))

    def _seq(self, *parts: Any) -> None:
        for part in parts:
            if isinstance(part, str):
                self._out.append(part)
            else:
                self._node(part)

    def _list(self, opening: str, items: Any, closing: str) -> None:
        self._out.append(opening)
        for index, item in enumerate(items):
            if index:
                self._out.append(", ")
            self._node(item)
        self._out.append(closing)

    def _head(self, fun: Node) -> None:
        value = self.machine.whnf(fun)
        if type(value) is v.VLam or type(value) is v.VRewrite:
            self._seq("(", value, ")")
        else:
            self._node(value)

    def _kind(self, value: v.VKind) -> None:
        quantity = self.machine.whnf(value.quantity)
        if type(quantity) is v.VQuantity and quantity.value > 0:
            self._out.append("Type" if quantity.value == 1 else "Data")
        else:
            self._seq("Kind(", quantity, ")")

    def _plus(self, value: v.VPlus) -> None:
        count, tail = 0, value
        node: Any = tail
        while type(node) is v.VPlus:
            count += node.count
            node = self.machine.whnf(node.tail)
        if type(node) is int:
            self._out.append(f"{count + node}n")
        else:
            self._seq(f"{count}n+", node)

    # Constructors

    def _ctr(self, value: v.VCtr) -> None:
        if value.con in ("Nil", "Con") and self._chain(value):
            return
        if value.con == "Tuple" and len(value.args) == 2:
            items = [value.args[0]]
            last: Any = self.machine.whnf(value.args[1])
            while type(last) is v.VCtr and last.con == "Tuple" and len(last.args) == 2:
                items.append(last.args[0])
                last = self.machine.whnf(last.args[1])
            self._list("(", [*items, last], ")")
            return
        if value.con in ("ALeaf", "ANode"):
            self._list("[", self._slots(value), "]")
            return
        if value.con in ("SCon", "SNil"):
            text = self._text(value)
            if text is not None:
                self._out.append(quote_text(text, '"'))
                return
        if value.con == "Chr":
            code = self._word(value.args[0])
            if code is not None and code < 0x110000:
                self._out.append(quote_text(chr(code), "'"))
                return
        if value.con == "U32":
            number = self._word(value)
            if number is not None:
                self._out.append(str(number))
                return
        self._out.append(self.rename(value.con))
        self._list("{", value.args, "}")

    def _chain(self, value: v.VCtr) -> bool:
        items: list[Node] = []
        node: Any = value
        while type(node) is v.VCtr and node.con == "Con" and len(node.args) == 2:
            items.append(node.args[0])
            node = self.machine.whnf(node.args[1])
        if type(node) is v.VCtr and node.con == "Nil" and not node.args:
            self._list("[", items, "]")
            return True
        for item in items:
            self._node(item)
            self._out.append(" <> ")
        self._node(node)
        return bool(items)

    def _slots(self, value: v.VCtr) -> list[Node]:
        """The slots of an array from left to right."""
        slots: list[Node] = []
        stack: list[Node] = [value]
        while stack:
            node: Any = self.machine.whnf(stack.pop())
            if type(node) is v.VCtr and node.con == "ANode":
                stack.extend(reversed(node.args))
            else:
                slots.extend(node.args if type(node) is v.VCtr and node.con == "ALeaf" else [node])
        return slots

    def _text(self, value: v.VCtr) -> str | None:
        chars: list[str] = []
        node: Any = value
        while True:
            if type(node) is v.VText:
                return "".join(chars) + node.text[node.at :]
            if type(node) is not v.VCtr or node.con not in ("SCon", "SNil"):
                return None
            if node.con == "SNil":
                return "".join(chars)
            head: Any = self.machine.whnf(node.args[0])
            if type(head) is v.VChar:
                code: int | None = head.code
            else:
                code = self._word(head.args[0]) if type(head) is v.VCtr and head.con == "Chr" else None
            if code is None or code >= 0x110000:
                return None
            chars.append(chr(code))
            node = self.machine.whnf(node.args[1])

    def _word(self, node: Node) -> int | None:
        """The number of a word whose bits are all known."""
        value: Any = self.machine.whnf(node)
        if type(value) is v.VU32:
            return int(value.value)
        if type(value) is not v.VCtr or value.con != "U32":
            return None
        total, place = 0, 0
        bits: Any = self.machine.whnf(value.args[0])
        while type(bits) is v.VCtr and bits.con == "WCon":
            bit: Any = self.machine.whnf(bits.args[0])
            if type(bit) is not v.VCtr:
                return None
            total |= (bit.con == "True") << place
            place += 1
            bits = self.machine.whnf(bits.args[1])
        if type(bits) is v.VWord:
            return int(total | bits.value << place)
        return total if type(bits) is v.VCtr and bits.con == "WNil" else None

    # Binders

    def _function(self, value: Any) -> None:
        machine = self.machine
        if type(value) is v.VPi:
            self._out.append(f"@{_MARKS[value.mark]}{value.name}:")
            self._seq(value.dom, " -> ", value.cod(machine.fresh(value.name)))
            return
        term = value.term
        if type(value) is v.VLam:
            self._out.append(f"{_MARKS[term.mark]}{term.name} => ")
            self._node(machine.inst(term.body, (*value.env, machine.fresh(term.name))))
        elif type(value) is v.VRewrite:
            side, equation = machine.fresh("_"), machine.fresh(term.name or "_")
            name = f"{term.name}@" if term.name else ""
            self._seq(f"%{name}", value.evidence, " : ", machine.motive(term, value.env, side, equation), "; ")
            self._node(value.body)
        else:
            self._match(term, value.env)

    def _match(self, term: c.Term, env: v.Env) -> None:
        self._out.append("\\{")
        first = True
        while not isinstance(term, c.NoMatch):
            if not first:
                self._out.append("; ")
            first = False
            if isinstance(term, c.Match):
                self._out.append(f"{self.rename(term.con)}: ")
                self._arm(term.arm, env)
                term = term.rest
                continue
            self._arm(term, env, last=True)
            break
        self._out.append("}")

    def _arm(self, term: c.Term, env: v.Env, last: bool = False) -> None:
        value = self.machine.inst(term, env)
        if last and isinstance(self.machine.whnf(value), v.VLam):
            self._seq("(", value, ")")
        else:
            self._node(value)


def quote_text(text: str, mark: str) -> str:
    """A literal with its escapes; ``mark`` is the quotation mark."""
    return mark + "".join([_shown_char(char, mark) for char in text]) + mark


def _shown_char(char: str, mark: str) -> str:
    if char == mark:
        return "\\" + char
    if "\ud800" <= char <= "\udfff":
        return f"\\u{{{ord(char):X}}}"
    return _ESCAPES.get(char, char)


def _atom(value: Node) -> str:
    if isinstance(value, v.VVar):
        return value.name
    if isinstance(value, v.VQuantity):
        return f"&{value.value}"
    if isinstance(value, v.VU32):
        return str(value.value)
    if isinstance(value, v.VChar):
        return quote_text(chr(value.code), "'")
    if isinstance(value, v.VText):
        return quote_text(value.text[value.at :], '"')
    if isinstance(value, v.VF32):
        return value.text
    if isinstance(value, v.VHole):
        return f"?{value.name}"
    if isinstance(value, v.VWord):
        bits = [value.value >> place & 1 for place in range(value.bits)]
        return "".join([f"WCon{{{'True' if bit else 'False'}{{}}, " for bit in bits]) + "WNil{}" + "}" * value.bits
    return "{==}" if isinstance(value, v.VRefl) else "Quant"
