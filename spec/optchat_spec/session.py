"""A history as it happens: events go to an implementation, its answers become the steps that the laws are judged on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from optchat_spec.facts import follow
from optchat_spec.laws import STEP_LAWS
from optchat_spec.registry import Law
from optchat_spec.steps import Built, Event, Facts, State, Step
from optchat_spec.vocabulary import Config, Lines


class Answer(NamedTuple):
    """What an implementation answers to an event: taken or refused, and what it shows. Unsupported fields are None."""

    accepted: bool
    state: State
    lines: Lines | None = None
    built: Built | None = None
    cancelled: Lines | None = None
    rendered: str | None = None


class Subject(Protocol):
    """An implementation under judgement."""

    def open(self, config: Config) -> State:
        """A new, empty chat; its state."""

    def do(self, event: Event) -> Answer:
        """One event."""


class Session:
    """One chat of one implementation, from its first event on. `steps` counts them."""

    def __init__(self, subject: Subject, config: Config) -> None:
        self.subject = subject
        self.config = config
        self.state = subject.open(config)
        self.facts = Facts()
        self.steps = 0

    def do(self, event: Event) -> Step:
        """Send an event; the step that it made."""
        answer = self.subject.do(event)
        now = follow(self.config, self.facts, self.state, event, answer.state, answer.accepted)
        step = Step(
            self.config,
            event,
            answer.accepted,
            self.state,
            answer.state,
            self.facts,
            now,
            answer.lines,
            answer.built,
            answer.cancelled,
            answer.rendered,
        )
        self.state, self.facts = answer.state, now
        self.steps += 1
        return step


class Broken(NamedTuple):
    """A law that a step breaks."""

    law: Law
    reason: str


def broken_laws(step: Step, laws: Iterable[Law] = STEP_LAWS) -> list[Broken]:
    """The laws that a step breaks, with the reasons."""
    verdicts = [(law, law.step(step)) for law in laws if law.step is not None]
    return [Broken(law, verdict.broken) for law, verdict in verdicts if verdict.broken is not None]


def first_broken(
    subject: Subject, config: Config, events: Iterable[Event], laws: Iterable[Law] = STEP_LAWS
) -> tuple[int, list[Broken]] | None:
    """Play events to a new chat until one breaks a law: that event's position and the laws; None if all hold."""
    session, chosen = Session(subject, config), tuple(laws)
    for at, event in enumerate(events):
        broken = broken_laws(session.do(event), chosen)
        if broken:
            return at, broken
    return None
