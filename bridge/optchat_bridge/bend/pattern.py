"""Patterns: terms read as patterns, and literals taken apart a layer at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from . import surface as s
from .core import ERASED, ONE
from .errors import BendError, Place, outside, parse_error
from .modules import ConEntry

NUMERAL_PATTERN_LIMIT: Final = 1_000


class PName(NamedTuple):
    """A name or ``_``."""

    name: str
    mark: int


class PCtr(NamedTuple):
    """A constructor with its patterns."""

    con: ConEntry
    args: tuple[Pattern, ...]


class PNat(NamedTuple):
    """A numeral, taken apart a layer at a time."""

    value: int


class PWord(NamedTuple):
    """The lowest ``bits`` of a word, taken apart a bit at a time."""

    value: int
    bits: int


class PText(NamedTuple):
    """A string, taken apart a character at a time."""

    text: str


Pattern: TypeAlias = PName | PCtr | PNat | PWord | PText


class PatternReader:
    """Reads the patterns of one file: ``constructor`` is by its name as written here, the flag asks for one above."""

    def __init__(
        self,
        file: str,
        constructor: Callable[[str, bool], ConEntry | None],
        fields: Callable[[ConEntry], list[str]],
    ) -> None:
        self.file = file
        self.constructor = constructor
        self.fields = fields

    def read_all(self, body: s.Surface) -> None:
        """Reads every pattern of a body, those of rows that cannot be reached too."""
        stack: list[object] = [body]
        while stack:
            node = stack.pop()
            if isinstance(node, list | tuple):
                stack.extend(node)
            elif isinstance(node, s.SMatch):
                for patterns, inner, pos in node.rows:
                    self.row(patterns, len(node.scrutinees), pos)
                    stack.append(inner)
            elif hasattr(node, "__dataclass_fields__"):
                if isinstance(node, s.SOpen):
                    self.pattern(node.pattern)
                stack.extend(getattr(node, name) for name in node.__dataclass_fields__)

    def row(self, patterns: list[s.Surface], count: int, pos: int) -> tuple[Pattern, ...]:
        """Reads the patterns of a row for ``count`` scrutinees."""
        if len(patterns) != count:
            wanted = f"{count} pattern{'s' if count != 1 else ''} (one per scrutinee)"
            raise parse_error(wanted, f"'{show_surface(patterns[-1])}'", Place(self.file, pos))
        return tuple([self.pattern(each) for each in patterns])

    def pattern(self, term: s.Surface) -> Pattern:
        """Reads a term as a pattern."""
        place = Place(self.file, term.pos)
        if isinstance(term, s.SName) and term.name not in ("Type", "Data", "Quant"):
            self._no_constructor(term.name, place)
            if "." not in term.name:
                return PName(term.name, ONE)
        if isinstance(term, s.SMarked) and term.mark != ERASED:
            self._no_constructor(term.name, place)
            return PName(term.name, term.mark)
        if isinstance(term, s.SCtr):
            con = self._above(term.name, place)
            count = len(self.fields(con))
            if len(term.args) != count:
                fields = f"{count} field{'s' if count != 1 else ''}"
                raise BendError(message=f"a {term.name} pattern with {fields}", place=place)
            return PCtr(con, tuple([self.pattern(each) for each in term.args]))
        if isinstance(term, s.SLit):
            return self._literal(term, place)
        if isinstance(term, s.SPlus):
            inner = self.pattern(term.term)
            succ = self._above("Succ", place, 1)
            for _ in range(term.count):
                inner = PCtr(succ, (inner,))
            return inner
        if isinstance(term, s.SList):
            chain: Pattern = PCtr(self._above("Nil", place, 0), ())
            for each in reversed(term.items):
                chain = PCtr(self._above("Con", place, 2), (self.pattern(each), chain))
            return chain
        if isinstance(term, s.STuple):
            pair = self.pattern(term.items[-1])
            for each in reversed(term.items[:-1]):
                pair = PCtr(self._above("Tuple", place, 2), (self.pattern(each), pair))
            return pair
        if isinstance(term, s.SBin) and term.op == "<>":
            return PCtr(self._above("Con", place, 2), (self.pattern(term.left), self.pattern(term.right)))
        raise parse_error("a pattern (a binder or a constructor)", show_surface(term), place)

    def _literal(self, term: s.SLit, place: Place) -> Pattern:
        if term.kind == "nat":
            if int(term.value) > NUMERAL_PATTERN_LIMIT:
                raise outside(f"a numeral pattern above {NUMERAL_PATTERN_LIMIT}n", place)
            return PNat(int(term.value))
        if term.kind == "u32":
            return PCtr(self._above("U32", place, 1), (PWord(int(term.value), 32),))
        if term.kind == "char":
            return self._char(term.value, place)
        if term.kind == "string":
            return PText(term.value)
        raise parse_error("a pattern (a binder or a constructor)", term.value, place)

    def _char(self, char: str, place: Place) -> Pattern:
        word = PCtr(self._above("U32", place, 1), (PWord(ord(char), 32),))
        return PCtr(self._above("Chr", place, 1), (word,))

    def layer(self, pattern: Pattern, pos: int) -> Pattern:
        """The outermost constructor of a literal pattern."""
        place = Place(self.file, pos)
        if isinstance(pattern, PNat):
            if pattern.value == 0:
                return PCtr(self._above("Zero", place, 0), ())
            return PCtr(self._above("Succ", place, 1), (PNat(pattern.value - 1),))
        if isinstance(pattern, PWord):
            if pattern.bits == 0:
                return PCtr(self._above("WNil", place, 0), ())
            bit = PCtr(self._above("True" if pattern.value & 1 else "False", place, 0), ())
            return PCtr(self._above("WCon", place, 2), (bit, PWord(pattern.value >> 1, pattern.bits - 1)))
        if isinstance(pattern, PText):
            if not pattern.text:
                return PCtr(self._above("SNil", place, 0), ())
            head = self._char(pattern.text[0], place)
            return PCtr(self._above("SCon", place, 2), (head, PText(pattern.text[1:])))
        return pattern

    def _above(self, name: str, place: Place, fields: int | None = None) -> ConEntry:
        con = self.constructor(name, True)
        if con is None:
            raise BendError(message=f"a declared constructor (unknown: {name})", place=place)
        if fields is not None and len(self.fields(con)) != fields:
            raise outside(f"a literal over an own constructor {name} of another shape", place)
        return con

    def _no_constructor(self, name: str, place: Place) -> None:
        if self.constructor(name, True) is not None:
            raise braced(name, place)


def braced(name: str, place: Place) -> BendError:
    """A binder that is spelled like a constructor."""
    wanted = f"{name} is a constructor: write {name}{{}}, or rename the binder"
    return BendError(message=f"a braced constructor pattern ({wanted})", place=place)


def show_surface(term: s.Surface) -> str:
    """A term that is no pattern, near enough to how it was written."""
    if isinstance(term, s.SName):
        return term.name
    if isinstance(term, s.SLit):
        return term.value + ("n" if term.kind == "nat" else "")
    if isinstance(term, s.SCall):
        return f"{show_surface(term.fun)}({', '.join([show_surface(each) for each in term.args])})"
    if isinstance(term, s.SRefl):
        return "{==}"
    if isinstance(term, s.SCtr):
        return f"{term.name}{{{', '.join([show_surface(each) for each in term.args])}}}"
    if isinstance(term, s.SPlus):
        return f"{term.count}n+{show_surface(term.term)}"
    return "a term"
