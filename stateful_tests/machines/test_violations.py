"""Every law refuses something: the table of plain states, and lies told over histories that keep all laws."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from random import Random

import pytest

from optchat_spec.generate import CONFIGS, MIXES, next_event
from optchat_spec.laws import LAWS, STEP_LAWS
from optchat_spec.registry import Law
from optchat_spec.session import Session, Subject, broken_laws
from optchat_spec.steps import Step
from stateful_tests.machines.lies import LIES, Liar
from stateful_tests.machines.planner_subject import PlannerSubject
from stateful_tests.machines.violations import EXAMPLES

EVENTS = 100
SEEDS = 24


def test_every_law_has_its_examples() -> None:
    assert list(EXAMPLES) == [name for name in EXAMPLES if name in LAWS]
    assert set(EXAMPLES) == set(LAWS)
    assert set(LIES) == {law.name for law in STEP_LAWS}


@pytest.mark.parametrize("law", LAWS.values(), ids=lambda law: law.name)
def test_the_predicate_accepts_and_refuses(law: Law) -> None:
    example = EXAMPLES[law.name]
    assert law.predicate(*example.accepted) is None
    for refused in example.refused:
        reason = law.predicate(*refused)
        assert reason, refused
        assert "\n" not in reason


@pytest.mark.parametrize("law", LAWS.values(), ids=lambda law: law.name)
def test_the_predicate_has_a_sentence(law: Law) -> None:
    assert law.name == law.predicate.__name__
    assert inspect.getdoc(law.predicate)
    assert law.sentence.endswith(".")


def history(seed: int, subject: Subject) -> Iterator[Step]:
    """A seeded history of an implementation, step by step."""
    rng = Random(seed)
    config = CONFIGS[seed % (len(CONFIGS) - 1)]
    mix = list(MIXES.values())[seed % len(MIXES)]._replace(zoom=1)
    session = Session(subject, config)
    for _ in range(EVENTS):
        yield session.do(next_event(rng, config, session.facts, session.state, mix))


@pytest.mark.parametrize("law", STEP_LAWS, ids=lambda law: law.name)
def test_a_lie_about_it_breaks_the_law(law: Law) -> None:
    """An implementation that is right, but for one lie in its answers: the law sees it."""
    steps = (step for seed in range(SEEDS) for step in history(seed, Liar(PlannerSubject(), LIES[law.name])))
    assert any(broken_laws(step, [law]) for step in steps)


def test_the_same_histories_told_truly_break_none() -> None:
    for seed in range(SEEDS):
        for step in history(seed, PlannerSubject()):
            assert broken_laws(step) == []


def test_a_reason_names_the_lines() -> None:
    before, after = ((0, 0), (0, 1), (0, 2)), ((1, 0), (0, 2))
    assert "(0, 0), (0, 1) became (1, 0)" in str(LAWS["message_appends"].predicate(before, after, 3))
    assert "(0, 0), (0, 1) became (1, 0)" in str(LAWS["merge_is_one_pair"].predicate(before, after, ()))
    assert "(1, 0)" in str(LAWS["view_summarized"].predicate(after, ()))
    assert "(1, 0)" in str(LAWS["cview_summarized"].predicate(after, ()))
