"""What the machines share: their laws as an invariant, so that a failure names its law and leaves a scenario."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from hypothesis.stateful import RuleBasedStateMachine, invariant

from optchat_spec import scenario
from optchat_spec.registry import Law
from optchat_spec.session import Session, broken_laws
from optchat_spec.steps import Event, Step
from optchat_spec.vocabulary import Config

SCENARIOS = Path(os.environ.get("OPTCHAT_SCENARIOS", ".hypothesis/scenarios"))
"""Where failing histories go. Hypothesis runs the smallest one last, so that is the one that stays."""


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
                path = write_scenario(law.name, self.session.config, self.events)
                raise LawBroken(
                    f"{law.name}: {reason}\n  the law: {law.sentence}\n  replay it: optchat check --scenario {path}"
                )
