"""The laws of the view and of the queue, held over the planner in every order of events."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis.stateful import precondition, rule

from optchat_spec.laws import STEP_LAWS
from optchat_spec.steps import Event
from stateful_tests.machines.laws_held import searching
from stateful_tests.machines.planner_machine import PlannerMachine


class ViewMachine(PlannerMachine):
    """The area "view": more messages, and restarts in the middle of a batch that has stopped."""

    laws = tuple(law for law in STEP_LAWS if law.area == "view")

    @precondition(lambda self: self.session.facts.shrinking)
    @rule()
    def reopen_while_shrinking(self) -> None:
        self.play([Event("reopen"), Event("message", text="after the restart")])


class QueueMachine(PlannerMachine):
    """The area "queue": what may start, what rests, what a waiting turn needs."""

    laws = tuple(law for law in STEP_LAWS if law.area == "queue")

    @precondition(lambda self: self.session.facts.resting)
    @rule()
    def fail_again(self) -> None:
        """A node that failed starts again after a tick, and fails again: to its last failure."""
        node = min(self.session.facts.resting)
        self.play([Event("retry"), Event("started", node), Event("failed", node)])

    @precondition(lambda self: 0 < len(self.session.facts.leaves) < 30)
    @rule()
    def settle(self) -> None:
        """A turn begins to wait, and every call fails until the view has no unbuilt line (law settle_reached)."""

        def turn() -> Iterator[Event]:
            yield Event("wait", on=False)
            yield Event("wait", on=True)
            calls = self.session.config.failures * len(self.session.facts.leaves)
            while self.session.facts.leaves:
                facts, queue = self.session.facts, self.queue()
                if facts.running:
                    assert calls > 0, "the view takes more outcomes to settle than law settle_reached allows"
                    calls -= 1
                    yield Event("failed", facts.running[-1])
                else:
                    yield Event("started", queue[-1]) if queue else Event("retry")

        self.play(turn())


TestView = ViewMachine.TestCase
TestQueue = QueueMachine.TestCase
TestView.settings = searching(4)
TestQueue.settings = searching(3)
