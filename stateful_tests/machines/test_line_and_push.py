"""The laws of a line and of the merge order, held over the planner's parts; and the published figures."""

from __future__ import annotations

import pytest
from hypothesis import settings

from optchat_spec.laws import FIT_LAWS
from optchat_spec.order_laws import PUBLISHED_AGREEMENTS, PUBLISHED_STEPS, agreements, due_fit
from optchat_spec.registry import Law
from stateful_tests.machines.line_machine import LineMachine
from stateful_tests.machines.planner_subject import planner_fit
from stateful_tests.machines.push_machine import PushMachine

TestLine = LineMachine.TestCase
TestPush = PushMachine.TestCase
TestLine.settings = settings(max_examples=5 * settings().max_examples)


@pytest.mark.parametrize("law", FIT_LAWS, ids=lambda law: law.name)
def test_the_planners_batch_keeps_the_published_laws(law: Law) -> None:
    assert law.fit is not None
    verdict = law.fit(planner_fit)
    assert verdict.spoke
    assert verdict.broken is None


def test_the_published_figures_come_out() -> None:
    assert agreements(due_fit("last"), PUBLISHED_STEPS) == (PUBLISHED_STEPS, None)
    same, left = agreements(due_fit("first"), PUBLISHED_STEPS)
    assert (same, PUBLISHED_STEPS) == (PUBLISHED_AGREEMENTS, 20_001) == (481, 20_001)
    assert left is not None
    assert left < 11


def test_the_planners_batch_agrees_with_push_at_every_published_step() -> None:
    assert agreements(planner_fit, PUBLISHED_STEPS) == (PUBLISHED_STEPS, None)
