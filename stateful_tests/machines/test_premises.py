"""Each machine comes to where each of its laws could be broken."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, run_state_machine_as_test

from optchat_spec.laws import STEP_LAWS, TALK_LAWS
from stateful_tests.machines.line_machine import LineMachine
from stateful_tests.machines.planner_machine import PlannerMachine
from stateful_tests.machines.premises import PREMISES
from stateful_tests.machines.push_machine import PushMachine
from stateful_tests.machines.test_planner_machines import QueueMachine, ViewMachine
from stateful_tests.machines.test_store_machine import StoreMachine

ROUNDS = 60
"""How often a machine may walk on until it was everywhere; most were in a few rounds."""


def walk(machine: type[RuleBasedStateMachine], done: Callable[[], bool]) -> None:
    """Follow the machine's rules, in orders of their own, until that is done, or for ROUNDS rounds."""
    each = settings(
        max_examples=40,
        stateful_step_count=40,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    for _ in range(ROUNDS):
        run_state_machine_as_test(machine, settings=each)
        if done():
            break


def test_every_law_of_steps_has_its_premises() -> None:
    assert set(PREMISES) == {law.name for law in STEP_LAWS}


UNSHOWN = {"message_merges_nothing", "node_built_once", "need_first_running", "free_is_source"}
"""Laws of what an event did, which a chat on disk does not show: its machine holds what came of it."""


@pytest.mark.parametrize("machine", [ViewMachine, QueueMachine, StoreMachine])
def test_every_law_of_a_planners_machine_is_tried(machine: type[PlannerMachine]) -> None:
    mine = [law.name for law in machine.laws if machine is not StoreMachine or law.name not in UNSHOWN]
    unmet = {(name, at) for name in mine for at in range(len(PREMISES[name]))}

    class Counting(machine):  # type: ignore[valid-type, misc]  # a class that is given
        laws = ()

        @invariant()
        def count(self) -> None:
            for step in self.steps:
                unmet.difference_update([(name, at) for name, at in unmet if PREMISES[name][at](step)])

    walk(Counting, lambda: not unmet)
    assert unmet == set()


def test_every_law_of_a_line_is_tried() -> None:
    unmet = {law.name: law.talk for law in TALK_LAWS if law.talk is not None}

    class Counting(LineMachine):
        @invariant()
        def count(self) -> None:
            for name, talk in list(unmet.items()):
                if self.over is not None and talk(self.over).spoke:
                    del unmet[name]

    walk(Counting, lambda: not unmet)
    assert not unmet


def test_the_merge_order_is_tried_on_long_lists() -> None:
    longest = 0

    class Counting(PushMachine):
        @invariant()
        def count(self) -> None:
            nonlocal longest
            longest = max(longest, len(self.entries))

    walk(Counting, lambda: longest > 60)
    assert longest > 60
