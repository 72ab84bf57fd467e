"""The laws held over the store: real files, closed, crashed and broken off at any operation, and opened again."""

from __future__ import annotations

from typing import ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from optchat.store import doctor
from optchat_spec.generate import CONFIGS, filled
from optchat_spec.laws import STEP_LAWS
from optchat_spec.session import Session
from optchat_spec.steps import Event, Step
from optchat_spec.vocabulary import Config
from stateful_tests.machines.laws_held import searching
from stateful_tests.machines.planner_machine import PlannerMachine
from stateful_tests.machines.store_subject import StoreSubject


class StoreMachine(PlannerMachine):
    """The planner's machine on a chat on disk. Every law of steps holds, and what was acknowledged is read back."""

    laws = STEP_LAWS
    reads_files: ClassVar[bool] = True
    """Whether the files are read through at the end. Who looks for a broken law alone does without."""

    @initialize(config=st.sampled_from(CONFIGS))
    def open(self, config: Config) -> None:
        self.store, self.spare = StoreSubject(), StoreSubject()
        self.session = Session(self.store, config)

    def make_subject(self) -> StoreSubject:
        return self.spare

    @rule()
    def crash(self) -> None:
        """The process is killed between two events: to the laws, a restart like any other."""
        self.store.crashing = True
        self.play([Event("reopen")])
        self.store.crashing = False

    @rule(at=st.integers(0, 6), size=st.integers(0, 80))
    def message_broken_off(self, at: int, size: int) -> None:
        """The disk breaks amid a message, the process ends, the chat is opened again."""
        self.strike(Event("message", text=filled("broken ", size)), at)

    @rule(at=st.integers(0, 3), pick=st.integers(0, 63))
    def build_broken_off(self, at: int, pick: int) -> None:
        todo = (*self.session.facts.leaves, *self.session.facts.ready)
        if todo:
            self.strike(Event("built", todo[pick % len(todo)], text="b"), at)

    def strike(self, event: Event, at: int) -> None:
        """No law speaks of an event that was broken off; all of them must hold again from the state that it left."""
        before = self.session.state
        broken_off = self.store.struck(event, at)
        self.session.state, self.session.facts = self.store.state(), self.store.facts()
        assert before.t <= self.session.state.t <= before.t + 1
        assert broken_off or event.op != "message" or self.session.state.t == before.t + 1
        config, state, facts = self.session.config, self.session.state, self.session.facts
        self.steps = [Step(config, Event("retry"), True, state, state, facts, facts)]
        happened = state.t > before.t if event.op == "message" else event.node in self.store.texts
        self.events += [event, Event("reopen")] if happened else [Event("reopen")]

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.live.close()
            report = doctor(self.store.folder, self.store.config)
            assert report.clean or not self.reads_files, report.problems
            self.store.close()
            self.spare.close()


TestStore = StoreMachine.TestCase
TestStore.settings = searching()
