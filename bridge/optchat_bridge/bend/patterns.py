"""Match compilation: rows of patterns to a tree of ``Match`` and ``Lam``, exactly as the digest states it.

A binder is PENDING while it waits in the queue of the case tree; it may be matched only while it is pending. A
name of the surface means a binder, and what a binder means depends on the branch: still pending, a level, or a
constructor with binders of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import merge
from typing import Final, NamedTuple, TypeAlias

from . import surface as s
from .core import ERASED, MANY, ONE, Lam, Match, NoMatch, Term, Var
from .errors import BendError, Place, outside, parse_error
from .modules import ConEntry

NUMERAL_PATTERN_LIMIT: Final = 1_000


class Binder:
    """A parameter or a field, by identity."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class Closed(NamedTuple):
    """A local name whose term is known; ``kind`` is let, lambda, param, tilde or ctr."""

    term: Term
    kind: str


class Later:
    """A binder at a leaf of the case tree: its term is made when it is asked for."""

    __slots__ = ("closed", "make")

    def __init__(self, make: Callable[[], Closed]) -> None:
        self.make = make
        self.closed: Closed | None = None

    def get(self) -> Closed:
        """The term."""
        if self.closed is None:
            self.closed = self.make()
        return self.closed


Local: TypeAlias = Binder | Closed | Later
Scope: TypeAlias = dict[str, Local]


Places: TypeAlias = dict[Binder, "int | tuple[ConEntry, tuple[Binder, ...]]"]


class State(NamedTuple):
    """A point in the case tree: the queue of pending binders, what the others are, their marks, and the depth."""

    queue: tuple[Binder, ...]
    place: Places
    marks: dict[Binder, int]
    depth: int


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


class Row(NamedTuple):
    """A row: patterns for the scrutinees still to be looked at, and the body in its scope."""

    patterns: tuple[Pattern, ...]
    body: s.Surface
    scope: Scope


class Names(NamedTuple):
    """What match compilation asks of the place it works for."""

    file: str
    constructor: Callable[[str, bool], ConEntry | None]
    """By its name as written here; the flag asks for one declared above."""
    fields: Callable[[ConEntry], list[str]]
    make: Callable[[ConEntry, tuple[Term, ...], int], Term]
    is_global: Callable[[str, int], bool]
    leaf: Callable[[s.Surface, Scope, int], Term]
    """Elaborates a body that is no match, in a closed scope at a depth."""


def cannot_match(name: str, place: Place) -> BendError:
    """A scrutinee that is not pending."""
    return BendError(
        message=f"'{name}' can't be matched in this position (it is matched after a local statement or after a match"
        " on a later binder, it was already matched, or it is a def)",
        place=place,
    )


class MatchCompiler:
    """Compiles the matches of one declaration."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def body(self, body: s.Surface, scope: Scope, state: State) -> Term:
        """A body with pending binders: a match goes on with them, anything else makes lambdas of them."""
        if isinstance(body, s.SMatch):
            return self._match(body, scope, state)
        if isinstance(body, s.SOpen):
            scrutinee = self._scrutinee(body.scrutinee, scope, state)
            row = Row((self.pattern(body.pattern),), body.body, scope)
            return self._compile((scrutinee,), [row], state, body.pos)
        place, depth = dict(state.place), state.depth
        for binder in state.queue:
            place[binder] = depth
            depth += 1
        term = self.names.leaf(body, {name: self._leaf_local(each, place) for name, each in scope.items()}, depth)
        for binder in reversed(state.queue):
            term = Lam(state.marks.get(binder, ONE), binder.name, term, body.pos)
        return term

    def _leaf_local(self, local: Local, place: Places) -> Local:
        if not isinstance(local, Binder):
            return local
        found = place[local]
        if isinstance(found, int):
            return Closed(Var(found, local.name), "param")
        return Later(lambda: Closed(self._term(local, place), "ctr"))

    def _term(self, binder: Binder, place: Places) -> Term:
        found = place[binder]
        if isinstance(found, int):
            return Var(found, binder.name)
        con, fields = found
        return self.names.make(con, tuple([self._term(each, place) for each in fields]), 0)

    def _match(self, match: s.SMatch, scope: Scope, state: State) -> Term:
        scrutinees = tuple(self._scrutinee(each, scope, state) for each in match.scrutinees)
        rows = []
        for patterns, body, pos in match.rows:
            if len(patterns) != len(scrutinees):
                count = len(scrutinees)
                wanted = f"{count} pattern{'s' if count != 1 else ''} (one per scrutinee)"
                observed = show_surface(patterns[-1])
                raise parse_error(wanted, f"'{observed}'", Place(self.names.file, pos))
            rows.append(Row(tuple(self.pattern(each) for each in patterns), body, scope))
        return self._compile(scrutinees, rows, state, match.pos)

    def _scrutinee(self, term: s.Surface, scope: Scope, state: State) -> Binder:
        place = Place(self.names.file, term.pos)
        if isinstance(term, s.SName):
            local = scope.get(term.name)
            if isinstance(local, Binder):
                found = state.place.get(local)
                if found is None:
                    return local
                if isinstance(found, int):
                    raise cannot_match(term.name, place)
                raise _undestructed(place)
            if isinstance(local, Later):
                raise _undestructed(place)
            if local is None and not self.names.is_global(term.name, term.pos):
                raise parse_error("a defined name", term.name, place)
            if local is None or local.kind not in ("let", "ctr"):
                raise cannot_match(term.name, place)
            if local.kind == "ctr":
                raise _undestructed(place)
            local_binder = "a match cannot scrutinize a local binder: give it its own def"
            raise BendError(message=f"a parameter or field scrutinee ({local_binder})", place=place)
        if isinstance(term, s.SLit | s.SCtr | s.SList | s.STuple | s.SPlus | s.SRefl):
            raise _undestructed(place)
        computed = "a match cannot scrutinize a computed value: give it its own def"
        raise BendError(message=f"a parameter or field scrutinee ({computed})", place=place)

    # The digest's state machine: scrutinees, rows, pending binders

    def _compile(self, scrutinees: tuple[Binder, ...], rows: list[Row], state: State, pos: int) -> Term:
        if not scrutinees:
            return self.body(rows[0].body, rows[0].scope, state)
        first = scrutinees[0]
        if first not in state.queue:
            raise cannot_match(first.name, Place(self.names.file, pos))
        rows = [row._replace(patterns=(self._layer(row.patterns[0], pos), *row.patterns[1:])) for row in rows]
        state = _marked(first, rows, state)
        names = [row for row in rows if isinstance(row.patterns[0], PName)]
        if names and len(names) == len(rows):
            return self._default(scrutinees, names, state, pos)
        if first is not state.queue[0]:
            return self._pass(scrutinees, rows, state, pos)
        arms = [(con, self._arm(con, scrutinees, some, state, pos)) for con, some in _by_constructor(rows)]
        tree = self._default(scrutinees, names, state, pos) if names else NoMatch(pos)
        for con, arm in reversed(arms):
            tree = Match(con.name, arm, tree, pos)
        return tree

    def _default(self, scrutinees: tuple[Binder, ...], rows: list[Row], state: State, pos: int) -> Term:
        """Rows with names in the first column: it is not looked at."""
        return self._compile(scrutinees[1:], [_named(row, scrutinees[0]) for row in rows], state, pos)

    def _pass(self, scrutinees: tuple[Binder, ...], rows: list[Row], state: State, pos: int) -> Term:
        binder = state.queue[0]
        inner = State(state.queue[1:], {**state.place, binder: state.depth}, state.marks, state.depth + 1)
        body = self._compile(scrutinees, rows, inner, pos)
        return Lam(state.marks.get(binder, ONE), binder.name, body, pos)

    def _arm(self, con: ConEntry, scrutinees: tuple[Binder, ...], rows: list[Row], state: State, pos: int) -> Term:
        names = self.names.fields(con)
        chosen: list[Row] = []
        for row in rows:
            head = row.patterns[0]
            if isinstance(head, PCtr) and head.con is con:
                chosen.append(row._replace(patterns=(*head.args, *row.patterns[1:])))
                for index, arg in enumerate(head.args):
                    if isinstance(arg, PName) and arg.name != "_" and len(chosen) == 1:
                        names[index] = arg.name
            elif isinstance(head, PName):
                blank = tuple(PName("_", head.mark) for _ in names)
                chosen.append(_named(row, scrutinees[0])._replace(patterns=(*blank, *row.patterns[1:])))
        fields = tuple(Binder(name) for name in names)
        place = {**state.place, scrutinees[0]: (con, fields)}
        inner = State(fields + state.queue[1:], place, state.marks, state.depth)
        return self._compile(fields + scrutinees[1:], chosen, inner, pos)

    # Patterns

    def pattern(self, term: s.Surface) -> Pattern:
        """Reads a term as a pattern."""
        place = Place(self.names.file, term.pos)
        if isinstance(term, s.SName) and term.name not in ("Type", "Data", "Quant"):
            self._no_constructor(term.name, place)
            return PName(term.name, ONE)
        if isinstance(term, s.SMarked) and term.mark != ERASED:
            self._no_constructor(term.name, place)
            return PName(term.name, term.mark)
        if isinstance(term, s.SCtr):
            con = self._above(term.name, place)
            count = len(self.names.fields(con))
            if len(term.args) != count:
                fields = f"{count} field{'s' if count != 1 else ''}"
                raise BendError(message=f"a {term.name} pattern with {fields}", place=place)
            return PCtr(con, tuple(self.pattern(each) for each in term.args))
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

    def _layer(self, pattern: Pattern, pos: int) -> Pattern:
        """The outermost constructor of a literal pattern."""
        place = Place(self.names.file, pos)
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
        con = self.names.constructor(name, True)
        if con is None:
            raise BendError(message=f"a declared constructor (unknown: {name})", place=place)
        if fields is not None and len(self.names.fields(con)) != fields:
            raise outside(f"a literal over an own constructor {name} of another shape", place)
        return con

    def _no_constructor(self, name: str, place: Place) -> None:
        if self.names.constructor(name, True) is not None:
            raise braced(name, place)


def braced(name: str, place: Place) -> BendError:
    """A binder that is spelled like a constructor."""
    wanted = f"{name} is a constructor: write {name}{{}}, or rename the binder"
    return BendError(message=f"a braced constructor pattern ({wanted})", place=place)


def _undestructed(place: Place) -> BendError:
    return BendError(
        message="an undestructed scrutinee (this value is already a constructor: bind its fields directly; if an outer"
        " match destructed it, fold the pattern into the outer case)",
        place=place,
    )


def _marked(binder: Binder, rows: list[Row], state: State) -> State:
    """A ``+`` on a name in one row of a column serves every row."""
    if any(isinstance(row.patterns[0], PName) and row.patterns[0].mark == MANY for row in rows):
        return state._replace(marks={**state.marks, binder: MANY})
    return state


def _by_constructor(rows: list[Row]) -> Iterator[tuple[ConEntry, list[Row]]]:
    """For each constructor in the first column, in the order of the rows: the rows that it may fit."""
    heads: dict[str, tuple[ConEntry, list[int]]] = {}
    names = []
    for index, row in enumerate(rows):
        head = row.patterns[0]
        if isinstance(head, PCtr):
            heads.setdefault(head.con.name, (head.con, []))[1].append(index)
        else:
            names.append(index)
    for con, own in heads.values():
        yield con, [rows[index] for index in merge(own, names)]


def _named(row: Row, binder: Binder) -> Row:
    """Drops the first column of a row whose pattern there is a name: the name now means the binder."""
    head = row.patterns[0]
    assert isinstance(head, PName)
    scope = row.scope if head.name == "_" else {**row.scope, head.name: binder}
    return Row(row.patterns[1:], row.body, scope)


def show_surface(term: s.Surface) -> str:
    """A term that is no pattern, near enough to how it was written."""
    if isinstance(term, s.SName):
        return term.name
    if isinstance(term, s.SLit):
        return term.value + ("n" if term.kind == "nat" else "")
    if isinstance(term, s.SCall):
        return f"{show_surface(term.fun)}({', '.join(show_surface(each) for each in term.args)})"
    if isinstance(term, s.SRefl):
        return "{==}"
    if isinstance(term, s.SCtr):
        return f"{term.name}{{{', '.join(show_surface(each) for each in term.args)}}}"
    if isinstance(term, s.SPlus):
        return f"{term.count}n+{show_surface(term.term)}"
    return "a term"
