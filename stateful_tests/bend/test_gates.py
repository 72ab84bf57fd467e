"""The gates of the soundness argument, each against what it means: quantities, descent, and what rows say."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Final

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from optchat_bridge.bend import core as c
from optchat_bridge.bend import values as v
from optchat_bridge.bend.convert import Converter
from optchat_bridge.bend.descent import Shape, decreases, part, passed, start
from optchat_bridge.bend.evaluate import Machine
from optchat_bridge.bend.limits import deep
from optchat_bridge.bend.report import check_file, render
from stateful_tests.bend.random_rows import tables

VARIABLES: Final = 3
ENV: Final = tuple(v.VVar(level, f"q{level}") for level in range(VARIABLES))
FIELDS: Final = {"Zero": (), "Succ": ("N",), "Leaf": (), "Wrap": ("N",), "Node": ("T", "T")}
TYPES: Final = {"N": ("Zero", "Succ"), "T": ("Leaf", "Wrap", "Node")}
STEPS: Final = 20_000
"""Unfoldings: inputs are small, and a def that only calls itself comes to its end in far fewer."""


def machine(body: c.Term | None = None, arity: int = 0) -> Machine:
    def find(name: str) -> v.Def:
        found = v.Def(name, arity)
        found.body = body
        return found

    return Machine(find, lambda con: len(FIELDS[con]), True)


# Quantities


QUANTITIES = st.recursive(
    st.builds(c.Quantity, st.integers(0, 2)) | st.builds(c.Var, st.integers(0, VARIABLES - 1), st.just("q")),
    lambda inner: st.builds(c.Meet, inner, inner),
    max_leaves=6,
)


def worth(term: c.Term, given_: tuple[int, ...]) -> int:
    if isinstance(term, c.Quantity):
        return term.value
    if isinstance(term, c.Var):
        return given_[term.level]
    assert isinstance(term, c.Meet)
    return min(worth(term.left, given_), worth(term.right, given_))


@given(QUANTITIES, QUANTITIES)
def test_the_order_of_quantities_holds_at_every_value(low: c.Term, high: c.Term) -> None:
    """A kind that fits another fits it whatever the variables are: what is Data is copied, so nothing else may pass."""
    converter = Converter(machine())
    one, other = converter.machine.inst(low, ENV), converter.machine.inst(high, ENV)
    fits, equal = converter.at_most(one, other), converter.equal(one, other)
    for values in product(range(3), repeat=VARIABLES):
        assert not fits or worth(low, values) < 2 or worth(high, values) == 2
        assert not equal or worth(low, values) == worth(high, values)


# Descent


class Caller:
    """Draws a def that only calls itself, at whatever arguments the rule of descent allows."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.types = draw(st.lists(st.sampled_from("NT"), min_size=1, max_size=3))
        self.skipped = tuple(draw(st.integers(0, 5)) == 0 for _ in self.types)
        self.calls = 0

    def argument(self, type_: str, env: tuple[str, ...], depth: int) -> c.Term:
        local: list[c.Term] = [c.Var(level, "x") for level, each in enumerate(env) if each == type_]
        known: bool = self.draw(st.booleans())
        if local and known:
            return self.draw(st.sampled_from(local))
        con = self.draw(st.sampled_from(TYPES[type_] if depth else TYPES[type_][:1]))
        args = tuple([self.argument(each, env, depth - 1) for each in FIELDS[con]])
        if type_ == "T":
            return c.Ctr(con, args)
        if not args:
            return c.NatLit(0)
        (inner,) = args
        if isinstance(inner, c.NatLit):
            return c.NatLit(inner.value + 1)
        return c.Plus(inner.count + 1, inner.term) if isinstance(inner, c.Plus) else c.Plus(1, inner)

    def leaf(self, shape: tuple[Shape, ...], env: tuple[str, ...]) -> c.Term:
        for _ in range(4):
            args = tuple([self.argument(each, env, 3) for each in self.types])
            if decreases(shape, self.skipped, args, lambda term: term):
                self.calls += 1
                return c.App(c.Ref("f"), args)
        return c.NatLit(0)

    def tree(
        self, queue: tuple[tuple[str, bool], ...], env: tuple[str, ...], shape: tuple[Shape, ...], fuel: int
    ) -> c.Term:
        if not queue:
            return self.leaf(shape, env)
        (type_, erased), rest = queue[0], queue[1:]
        if erased or not fuel or self.draw(st.integers(0, 2)) == 0:
            return c.Lam(c.ONE, "x", self.tree(rest, (*env, type_), passed(shape, len(env)), fuel))
        cons = self.draw(st.permutations(TYPES[type_]))
        split = self.draw(st.integers(1, len(cons)))
        out: c.Term = c.NoMatch()
        if split < len(cons):
            out = c.Lam(c.ONE, "x", self.tree(rest, (*env, type_), passed(shape, len(env)), fuel - 1))
        for con in reversed(cons[:split]):
            fields = tuple((each, False) for each in FIELDS[con])
            out = c.Match(con, self.tree(fields + rest, env, passed(shape, part(con, len(fields))), fuel - 1), out)
        return out


def closed(draw: st.DrawFn, type_: str, depth: int) -> v.Node:
    if type_ == "N":
        return draw(st.integers(0, 6))
    con = draw(st.sampled_from(TYPES[type_] if depth else TYPES[type_][:1]))
    return v.VCtr(con, tuple([closed(draw, each, depth - 1) for each in FIELDS[con]]))


@given(st.data())
def test_a_def_that_descends_comes_to_an_end(data: st.DataObject) -> None:
    draw: st.DrawFn = data.draw  # type: ignore[assignment]  # what data.draw adds, a label, is not used
    caller = Caller(draw)
    queue = tuple(zip(caller.types, caller.skipped, strict=True))
    body = caller.tree(queue, (), start(len(queue)), 5)
    assume(caller.calls)
    args = tuple([closed(draw, each, 3) for each in caller.types])

    def run() -> v.Node:
        found = machine(body, len(queue))
        found.step_limit = STEPS
        return found.whnf(v.VCall(found.definition("f"), args))

    assert deep(run) is not None


# Rows


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rows")


@given(table=tables())
@settings(max_examples=settings().max_examples // 4)
def test_the_first_row_that_fits_is_taken(folder: Path, table: tuple[str, list[int]]) -> None:
    text, wanted = table
    path = folder / "rows.bend"
    path.write_text(text, encoding="utf-8")
    report = check_file(path)
    assert report.ok, render(report)
    assert report.main == f"[{', '.join(f'{each}n' for each in wanted)}]"
