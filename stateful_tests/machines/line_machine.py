"""The machine of one line's conversation with a model: replies of every size, empty ones, errors."""

from __future__ import annotations

from typing import ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from optchat.core.line import CutOff, LineBuilder
from optchat_spec.generate import ALPHABETS, filled
from optchat_spec.laws import TALK_LAWS
from optchat_spec.registry import Law
from optchat_spec.steps import Talk
from stateful_tests.machines.laws_held import LawBroken

GAPS = ("", " ", "\n", "\r\n", "\t ")
HEADS = ("", "0+1|", "40+8|", "7+1 | ", "12+")
"""Heads that a model repeats from its input, and what only looks like one."""


class LineMachine(RuleBasedStateMachine):
    """One conversation after another. A conversation is judged when it is over."""

    laws: ClassVar[tuple[Law, ...]] = TALK_LAWS
    node = 0

    def __init__(self) -> None:
        super().__init__()
        self.over: Talk | None = None

    @initialize(node=st.sampled_from([4, 8, 20, 512]), tries=st.integers(1, 6), unit=st.sampled_from(ALPHABETS))
    def begin(self, node: int, tries: int, unit: str) -> None:
        self.node, self.tries = node, tries
        self.ask(unit, node + 1)

    @rule(unit=st.sampled_from(ALPHABETS), over=st.integers(1, 40))
    def ask(self, unit: str, over: int) -> None:
        """A new conversation. Its source has no line break, so that the cut source is a line as it is."""
        self.source = filled(unit.replace("\r", "-").replace("\n", "-"), self.node + over)
        self.builder = LineBuilder(self.source, self.node, self.tries)
        self.replies: list[str | None] = []
        self.over = None

    def answer(self, reply: str) -> None:
        self.replies.append(reply)
        said = self.builder.offer(reply)
        if self.builder.asked != len(self.replies):
            raise LawBroken(f"line_empty_is_a_try: {self.builder.asked} tries are counted of {len(self.replies)}")
        if isinstance(said, str):
            self.over = self.talk(said)

    def talk(self, line: str | None) -> Talk:
        return Talk(self.source, tuple(self.replies), self.node, self.tries, len(self.replies), line)

    @precondition(lambda self: self.over is None)
    @rule(
        head=st.sampled_from(HEADS),
        gap=st.sampled_from(GAPS),
        unit=st.sampled_from(ALPHABETS),
        size=st.sampled_from([-1, 0, 1, 2]) | st.integers(-8, 60),
    )
    def reply(self, head: str, gap: str, unit: str, size: int) -> None:
        """A reply of some bytes more or fewer than NODE."""
        self.answer(f"{gap}{head}{filled(unit, max(0, self.node + size))}{gap}")

    @precondition(lambda self: self.over is None)
    @rule(reply=st.sampled_from(["", " \n", "3+1|", "3+1| \r\n", "\v\f"]))
    def reply_empty(self, reply: str) -> None:
        self.answer(reply)

    @precondition(lambda self: self.over is None)
    @rule(text=st.text(max_size=12))
    def reply_anything(self, text: str) -> None:
        self.answer(text)

    @precondition(lambda self: self.over is None)
    @rule(text=st.text(max_size=30))
    def cut_off(self, text: str) -> None:
        """The model reached its token limit: an error, whatever it had said."""
        self.replies.append(None)
        try:
            said = self.builder.offer(text, cut_off=True)
            self.over = self.talk(said if isinstance(said, str) else "(a follow-up)")
        except CutOff:
            self.over = self.talk(None)

    @invariant()
    def laws_hold(self) -> None:
        talk = self.over
        if talk is None and len(getattr(self, "replies", ())) > 10:
            raise LawBroken("line_calls_at_most_tries: the conversation goes on and on")
        if talk is None:
            return
        for law in self.laws:
            assert law.talk is not None
            reason = law.talk(talk).broken
            if reason is not None:
                raise LawBroken(f"{law.name}: {reason}\n  the law: {law.sentence}\n  the talk: {talk}")
