"""Each machine comes to where each of its laws could be broken."""

from __future__ import annotations

from collections import Counter

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


def walk(machine: type[RuleBasedStateMachine], examples: int) -> None:
    """The machine's rules in the same orders each time."""
    always = settings(
        max_examples=examples,
        stateful_step_count=40,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(machine, settings=always)


def test_every_law_of_steps_has_its_premises() -> None:
    assert set(PREMISES) == {law.name for law in STEP_LAWS}


UNSHOWN = {"message_merges_nothing", "node_built_once", "need_first_running", "free_is_source"}
"""Laws of what an event did, which a chat on disk does not show: its machine holds what came of it."""


@pytest.mark.parametrize(("machine", "examples"), [(ViewMachine, 240), (QueueMachine, 180), (StoreMachine, 400)])
def test_every_law_of_a_planners_machine_is_tried(machine: type[PlannerMachine], examples: int) -> None:
    met: Counter[tuple[str, int]] = Counter()
    mine = [law.name for law in machine.laws if machine is not StoreMachine or law.name not in UNSHOWN]

    class Counting(machine):  # type: ignore[valid-type, misc]  # a class that is given
        laws = ()

        @invariant()
        def count(self) -> None:
            for step in self.steps:
                for name in mine:
                    met.update((name, at) for at, premise in enumerate(PREMISES[name]) if premise(step))

    walk(Counting, examples)
    assert [(name, at) for name in mine for at in range(len(PREMISES[name])) if not met[name, at]] == []


def test_every_law_of_a_line_is_tried() -> None:
    met: Counter[str] = Counter()

    class Counting(LineMachine):
        @invariant()
        def count(self) -> None:
            if self.over is not None:
                met.update(law.name for law in TALK_LAWS if law.talk is not None and law.talk(self.over).spoke)

    walk(Counting, 60)
    assert [law.name for law in TALK_LAWS if not met[law.name]] == []


def test_the_merge_order_is_tried_on_long_lists() -> None:
    longest = 0

    class Counting(PushMachine):
        @invariant()
        def count(self) -> None:
            nonlocal longest
            longest = max(longest, len(self.entries))

    walk(Counting, 30)
    assert longest > 60
