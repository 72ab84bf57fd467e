"""The catalogue cannot rot: each break still changes what it names, and a few of them are caught here and now."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from optchat_spec import rules
from optchat_spec.laws import LAWS
from stateful_tests.breaks.catalogue import OURS, Break, Edit
from stateful_tests.breaks.hunt import HUNTERS
from stateful_tests.breaks.registry import ALL, BREAKS
from stateful_tests.breaks.run import try_break
from stateful_tests.breaks.tree import IMPLEMENTATION, ROOT, Rotten, broken_copy, edited

RULES = {rule.number for rule in rules.load() if rule.status != "not yet"}


@pytest.mark.parametrize("broken", ALL, ids=lambda broken: broken.name)
def test_a_break_changes_what_it_names(broken: Break) -> None:
    assert set(broken.laws) <= set(LAWS)
    assert bool(broken.laws) != bool(broken.tests)
    assert bool(broken.rule) == bool(broken.tests)
    assert broken.rule in ("", OURS, *RULES)
    for test in broken.tests:
        path, _, name = test.partition("::")
        assert not name or f"def {name}(" in (ROOT / path).read_text(encoding="utf-8")
    assert set(broken.hunters) <= set(HUNTERS)
    texts: dict[str, str] = {}
    for edit in broken.edits:
        before = texts.get(edit.file) or (IMPLEMENTATION / edit.file).read_text(encoding="utf-8")
        texts[edit.file] = edited(before, edit)
        assert ast.dump(ast.parse(texts[edit.file])) != ast.dump(ast.parse(before))


def test_names_are_unique() -> None:
    assert len(BREAKS) == len(ALL)


def test_every_law_of_the_implementation_has_a_break() -> None:
    named = {law for broken in ALL for law in broken.laws}
    assert set(LAWS) - named == OF_THE_SPEC


OF_THE_SPEC = {"first_merges_0_7", "first_leaves_push", "push_is_short"}
"""Laws about orders and lists that no function of the implementation makes: nothing there can break them."""


def test_a_text_that_stands_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Rotten, match="2 times"):
        edited("a = 1\nb = a\n", Edit("f.py", "a", "c"))
    gone = BREAKS["least_due"]._replace(edits=(Edit("core/view.py", "no such text", ""),))
    with pytest.raises(Rotten, match="0 times"):
        broken_copy(gone, tmp_path / "copy")


@pytest.mark.parametrize("name", ["batch_to_the_ceiling", "zoom_to_the_wrong_half", "third_failure_not_built"])
def test_a_break_is_caught_by_a_law_named_for_it(name: str) -> None:
    outcome = try_break(BREAKS[name])
    assert outcome.law in BREAKS[name].laws, outcome


def test_what_breaks_nothing_is_not_caught() -> None:
    harmless = Break("harmless", "a comment", ("fit_most_due",), (Edit("core/view.py", "# A pair", "# Any pair"),))
    outcome = try_break(harmless._replace(hunters=("histories",)))
    assert outcome.law is None
    assert not outcome.good
