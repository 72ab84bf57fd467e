"""Match compilation: rows of patterns to a tree of ``Match`` and ``Lam``, exactly as the digest states it.

A binder is PENDING while it waits in the queue of the case tree; it may be matched only while it is pending. A
name of the surface means a binder, and what a binder means depends on the branch: still pending, a level, or a
constructor with binders of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import merge
from typing import NamedTuple, TypeAlias

from . import surface as s
from .core import MANY, ONE, Lam, Match, NoMatch, Term, Var
from .errors import BendError, Place, parse_error
from .modules import ConEntry
from .pattern import Pattern, PatternReader, PCtr, PName


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
        self.read = PatternReader(names.file, names.constructor, names.fields)

    def body(self, body: s.Surface, scope: Scope, state: State) -> Term:
        """A body with pending binders: a match goes on with them, anything else makes lambdas of them."""
        if isinstance(body, s.SMatch):
            return self._match(body, scope, state)
        if isinstance(body, s.SOpen):
            scrutinee = self._scrutinee(body.scrutinee, scope, state)
            row = Row((self.read.pattern(body.pattern),), body.body, scope)
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
        scrutinees = tuple([self._scrutinee(each, scope, state) for each in match.scrutinees])
        rows = []
        for patterns, body, pos in match.rows:
            rows.append(Row(self.read.row(patterns, len(scrutinees), pos), body, scope))
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
        rows = [row._replace(patterns=(self.read.layer(row.patterns[0], pos), *row.patterns[1:])) for row in rows]
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
