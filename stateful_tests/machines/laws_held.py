"""What the machines share: their laws as an invariant, so that a failure names its law and leaves a scenario.

A machine asserts all the laws of its area and names none of them; docs/laws.md says which machine holds which law, and
`premises.py` where each law could be broken.

Hypothesis finds the failure; the history is then made small event by event (`optchat_spec.shrink`), which takes a
second where shrinking the draws of a machine takes minutes. So the machines run without Hypothesis's own shrinking.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import ClassVar, NoReturn

from hypothesis import Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, invariant

from optchat_spec import scenario
from optchat_spec.registry import Law
from optchat_spec.session import Session, Subject, broken_laws, first_broken
from optchat_spec.shrink import smallest
from optchat_spec.steps import Event, Step
from optchat_spec.vocabulary import Config

SCENARIOS = Path(os.environ.get("OPTCHAT_SCENARIOS", ".hypothesis/scenarios"))
"""Where failing histories go."""


def searching(times: int = 1) -> settings:
    """The settings of a machine that makes its failures small itself: the profile's, with so many times its examples.

    A long search has enough of them as it is.
    """
    usual = settings().max_examples
    examples = max(usual, min(times * usual, 400))
    return settings(max_examples=examples, phases=[Phase.explicit, Phase.reuse, Phase.generate])


class LawBroken(AssertionError):
    """A law that a history breaks."""


def write_scenario(name: str, config: Config, events: Iterable[Event]) -> Path:
    """A history that broke a law, as a file that `optchat check --scenario` replays."""
    SCENARIOS.mkdir(parents=True, exist_ok=True)
    path = SCENARIOS / f"{name}.jsonl"
    path.write_text(scenario.write(config, events), encoding="utf-8")
    return path


class LawMachine(RuleBasedStateMachine):
    """A machine over one session. Its rules play events; its laws judge each of the steps that this makes."""

    laws: ClassVar[tuple[Law, ...]] = ()
    session: Session

    def make_subject(self) -> Subject:
        """A new implementation of the kind that this machine drives."""
        raise NotImplementedError

    def __init__(self) -> None:
        super().__init__()
        self.events: list[Event] = []
        self.steps: list[Step] = []

    def play(self, events: Iterable[Event]) -> None:
        """Send events. They may be made one by one, from the state that the ones before led to."""
        self.steps = []
        for event in events:
            self.events.append(event)
            self.steps.append(self.session.do(event))

    @invariant()
    def laws_hold(self) -> None:
        for step in self.steps:
            for law, reason in broken_laws(step, self.laws):
                self.report(law, reason)

    def report(self, law: Law, reason: str) -> NoReturn:
        """Fail with the law's name, and leave the smallest history that still breaks it."""
        config = self.session.config

        def breaks(events: Sequence[Event]) -> int | None:
            found = first_broken(self.make_subject(), config, events, [law])
            return None if found is None else found[0]

        # A store's disk may have failed between the events, which no list of events says.
        events = self.events if breaks(self.events) is None else smallest(self.events, breaks)
        path = write_scenario(law.name, config, events)
        raise LawBroken(
            f"{law.name}: {reason}\n  the law: {law.sentence}\n"
            f"  {len(events)} events break it: optchat check --scenario {path}"
        )
