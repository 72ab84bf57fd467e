"""Judge an implementation: seeded histories, every law on every step, and the smallest history of each broken law."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from time import monotonic
from typing import NamedTuple, Protocol

from optchat_bridge.check.own import PlannerSubject, planner_fit
from optchat_bridge.check.peer import Fault
from optchat_bridge.check.talks import talk
from optchat_spec.generate import CONFIGS, MIXES, OWN_CONFIGS, Mix, next_event
from optchat_spec.laws import LAWS
from optchat_spec.registry import Law, Verdict
from optchat_spec.session import Answer, Session, first_broken
from optchat_spec.shrink import smallest
from optchat_spec.steps import Event, Op, State
from optchat_spec.vocabulary import Config, pushed

DEFAULT_EVENTS = 20_000
DEEP = 4
"""Each fourth chat is this many times as long as the others."""

SHRINK_SECONDS = 10.0
"""How long the history of a broken law is made smaller, at the most."""

UNSAFE = frozenset({"view_covers", "cview_covers"})
"""Once one of these is broken, nothing later in the chat can be judged."""

OPTIONAL: tuple[Op, ...] = ("context", "render", "reopen", "zoom")
"""The requests that an implementation may leave out; a Mix has a weight for each."""

TALKS = 2_000
COUNTERS = 400
"""How many conversations and states of push's counter the laws of our own planner are judged on."""

Say = Callable[[int, int], None]
"""Told how far the work is: events done, and in all."""


class Judged(Protocol):
    """An implementation, and what of it can be seen: the names that the laws' `needs` speak of."""

    name: str
    supports: frozenset[str]

    def can(self, event: Event, /) -> bool:
        """Whether it answers such a request."""

    def open(self, config: Config) -> State: ...

    def do(self, event: Event) -> Answer: ...


class Own(PlannerSubject):
    """Our planner in this process, with its books open: every law can be judged."""

    name = "our planner, in this process"
    supports = frozenset(need for law in LAWS.values() for need in law.needs)

    def can(self, _event: Event) -> bool:
        """It answers every request."""
        return True


class Chat(NamedTuple):
    """One history to be made: `seed` gives all that is random in it."""

    config: Config
    mix: Mix
    events: int
    seed: str


@dataclass
class Finding:
    """Why a law is broken, and the history whose last event breaks it (none for a law that is not about steps)."""

    reason: str
    config: Config
    events: list[Event] = field(default_factory=list)


@dataclass
class Row:
    """A law's verdict. `missing`: what it needs and the implementation does not show, so that it is not judged."""

    law: Law
    missing: frozenset[str] = frozenset()
    spoke: int = 0
    finding: Finding | None = None

    @property
    def word(self) -> str:
        if self.finding is not None:
            return "broken"
        return "not judged" if self.missing or not self.spoke else "held"


class Report(NamedTuple):
    """What came of a run."""

    name: str
    rows: list[Row]
    events: int
    chats: int

    @property
    def broken(self) -> list[Row]:
        return [row for row in self.rows if row.finding is not None]


def plan(events: int, seed: int, own: bool) -> list[Chat]:
    """The histories of a run, about `events` in all: every budget with every kind of history, some of them deep."""
    pairs = [(config, name) for config in (*CONFIGS, *(OWN_CONFIGS if own else ())) for name in MIXES]
    share = events / (len(pairs) * (1 + (DEEP - 1) / 4))
    chats = []
    for at, (config, name) in enumerate(pairs):
        deep = (at + at // len(MIXES) + seed) % 4 == 0
        chats.append(Chat(config, MIXES[name], max(1, round(share * (DEEP if deep else 1))), f"{seed} {at}"))
    # A short run must not see the first budget alone.
    Random(seed).shuffle(chats)
    return chats


class Judge:
    """One run over one implementation."""

    def __init__(self, subject: Judged, say: Say = lambda _done, _total: None) -> None:
        self.subject = subject
        self.say = say
        self.rows = {law.name: Row(law, law.needs - subject.supports) for law in LAWS.values()}
        self.open_rows = [row for row in self.rows.values() if row.law.step is not None and not row.missing]
        self.events = 0
        self.chats = 0
        self.last: tuple[Config, list[Event]] = (Config(), [])
        """The history under way: what a fault of the protocol came of."""

    def seeded(self, events: int, seed: int) -> Report:
        """Seeded histories, until about so many events were judged."""
        own = isinstance(self.subject, Own)
        total = max(1, events)
        for chat in plan(events, seed, own):
            if self.events >= total:
                break
            self._chat(chat, total)
        if own:
            self._own_laws(seed)
        self._shrink()
        return self._report()

    def hunted(self, laws: Collection[str], events: int) -> Report:
        """Seeded histories for these laws alone, until one of them is broken; the history is not made smaller."""
        self.open_rows = [row for row in self.open_rows if row.law.name in laws]
        if isinstance(self.subject, Own):
            self._own_laws(0, laws)
        for chat in plan(events, 0, isinstance(self.subject, Own)) if self.open_rows else ():
            if any(row.finding is not None for row in self.rows.values()):
                break
            self._chat(chat, events)
        return self._report()

    def replayed(self, config: Config, events: Sequence[Event]) -> Report:
        """One given history; what the implementation does not answer is left out."""
        session = self._begin(config)
        for event in events:
            if self.subject.can(event) and not self._step(session, event):
                break
            self.say(self.events, len(events))
        self._shrink()
        return self._report()

    def _report(self) -> Report:
        return Report(self.subject.name, list(self.rows.values()), self.events, self.chats)

    def _begin(self, config: Config) -> Session:
        self.chats += 1
        self.last = (config, [])
        return Session(self.subject, config)

    def _chat(self, chat: Chat, total: int) -> None:
        rng, session = Random(chat.seed), self._begin(chat.config)
        weights: dict[str, int] = {"zoom": 1}
        weights.update((op, 0) for op in OPTIONAL if not self.subject.can(Event(op)))
        mix = chat.mix._replace(**weights)
        for _ in range(min(chat.events, total - self.events)):
            event = next_event(rng, chat.config, session.facts, session.state, mix)
            if not self._step(session, event):
                return
            self.say(self.events, total)

    def _step(self, session: Session, event: Event) -> bool:
        """Judge one event by all laws that are not broken yet; whether the chat can go on."""
        history = self.last[1]
        history.append(event)
        step = session.do(event)
        self.events += 1
        safe = True
        for row in self.open_rows:
            assert row.law.step is not None
            verdict = row.law.step(step)
            row.spoke += verdict.spoke
            if verdict.broken is not None:
                row.finding = Finding(verdict.broken, session.config, history.copy())
                safe = safe and row.law.name not in UNSAFE
        self.open_rows = [row for row in self.open_rows if row.finding is None]
        return safe

    def _own_laws(self, seed: int, only: Collection[str] = LAWS) -> None:
        """The laws that are judged on a function or on a conversation, not on steps: of our own planner alone."""
        rng = Random(seed)
        talks = [talk(rng) for _ in range(TALKS)]
        counters = [pushed(rng.randrange(1 << rng.randrange(1, 63))) for _ in range(COUNTERS)]
        for row in self.rows.values():
            law, verdicts = row.law, list[Verdict]()
            if law.name not in only:
                continue
            if law.fit is not None:
                verdicts = [law.fit(planner_fit)]
            elif law.push is not None:
                verdicts = [law.push(planner_fit, entries) for entries in counters]
            elif law.talk is not None:
                verdicts = [law.talk(each) for each in talks]
            row.spoke += sum(verdict.spoke for verdict in verdicts)
            reasons = [verdict.broken for verdict in verdicts if verdict.broken is not None]
            if reasons:
                row.finding = Finding(reasons[0], Config())

    def _shrink(self) -> None:
        for row in self.rows.values():
            finding = row.finding
            if finding is not None and finding.events:
                finding.events = smaller(self.subject, row.law, finding)


def smaller(subject: Judged, law: Law, finding: Finding) -> list[Event]:
    """The smallest history found in SHRINK_SECONDS that breaks the law; the given one when it breaks it no more."""
    stop = monotonic() + SHRINK_SECONDS

    def breaks(events: Iterable[Event]) -> int | None:
        if monotonic() > stop:
            return None
        try:
            found = first_broken(subject, finding.config, events, (law,))
        except Fault:
            # A history that it does not survive is another one than the one that is looked for.
            return None
        return None if found is None else found[0]

    try:
        return smallest(finding.events, breaks, work=100_000)
    except ValueError:
        return finding.events
