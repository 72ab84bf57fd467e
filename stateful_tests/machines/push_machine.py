"""The machine of the merge order: the planner's batch and push's list, step by step, from any T."""

from __future__ import annotations

from typing import ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from optchat_spec.laws import LAWS, PUSH_LAWS
from optchat_spec.registry import Law
from optchat_spec.vocabulary import Lines, Pushed, merged, push, push_view, pushed
from stateful_tests.machines.laws_held import LawBroken
from stateful_tests.machines.planner_subject import planner_fit

EXAMPLES = tuple(LAWS[name] for name in ("last_merges_8_9", "first_merges_0_7", "first_is_not_last"))


class PushMachine(RuleBasedStateMachine):
    """Push's list, and beside it the view that the planner's batches made of the same messages."""

    laws: ClassVar[tuple[Law, ...]] = (*PUSH_LAWS, *EXAMPLES)

    def __init__(self) -> None:
        super().__init__()
        self.entries: Pushed = ()
        self.view: Lines = ()

    @rule(total=st.integers(0, 20_000) | st.integers(0, 2**63) | st.integers(0, 63).map(lambda bits: 2**bits - 1))
    def jump(self, total: int) -> None:
        """The state after this many pushes at once."""
        self.entries = pushed(total)
        self.view = push_view(self.entries)

    @rule(count=st.integers(1, 40))
    def push(self, count: int) -> None:
        for _ in range(count):
            total = sum(2 ** entry.line[0] for entry in self.entries)
            self.check()
            self.entries = push(self.entries)[0]
            self.view = (*self.view, (0, total))
            for into in planner_fit(self.view, len(self.entries), total + 1):
                self.view = merged(self.view, into) or ()

    @invariant()
    def laws_hold(self) -> None:
        self.check()
        if self.view != push_view(self.entries):
            raise LawBroken(f"push_agrees_always: the view is {self.view}, push's {push_view(self.entries)}")

    def check(self) -> None:
        for law in self.laws:
            if law.push is not None:
                reason = law.push(planner_fit, self.entries).broken
            else:
                assert law.fit is not None
                reason = law.fit(planner_fit).broken
            if reason is not None:
                raise LawBroken(f"{law.name}: {reason}\n  the law: {law.sentence}")
