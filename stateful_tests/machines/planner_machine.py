"""The machine that drives a planner: messages of every size, the compactor's work, waits and restarts, in every
order.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import ClassVar, NamedTuple

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from optchat_spec.generate import ALPHABETS, CONFIGS, KINDS, MIXES, OWN_CONFIGS, filled, next_event
from optchat_spec.session import Session, Subject
from optchat_spec.steps import Event
from optchat_spec.vocabulary import Config, Node
from stateful_tests.machines.laws_held import LawMachine
from stateful_tests.machines.planner_subject import PlannerSubject

SIZES = (0, 1, 511, 512, 513, 30_000)
"""The sizes of sources that matter at the real NODE, in bytes; `user: ` and its like are part of a source."""

units = st.sampled_from(ALPHABETS)
picks = st.integers(0, 63)
"""Which of the nodes there are: an index, taken modulo their number, so that it shrinks to the first."""


class Start(NamedTuple):
    """A chat that a machine goes on with: played from a seed before the machine begins, so that it is deep."""

    config: Config
    mix: str
    messages: int
    size: int


STARTS = (
    *(Start(config, "even", 0, 0) for config in (*CONFIGS, *OWN_CONFIGS)),
    Start(Config(), "prompt", 300, 500),
    Start(Config(jobs=3), "late", 290, 480),
    Start(Config(512, 6_000, 3_000, 2_000, 1_000, 8), "prompt", 120, 400),
    Start(Config(64, 700, 300, 300, 100, 4), "late", 150, 60),
)
"""Tiny and real budgets; the last four are deep in their first sawteeth when the machine takes over."""


def play(start: Start, subject: Subject) -> tuple[Session, list[Event]]:
    """A session after a start's history, and that history."""
    rng, session = Random(start.messages), Session(subject, start.config)
    events: list[Event] = []
    mix = MIXES[start.mix]._replace(wait=0, reopen=0, nonsense=0)
    while session.facts.total < start.messages:
        event = next_event(rng, start.config, session.facts, session.state, mix)
        if event.op == "message":
            event = event._replace(text=filled("word ", rng.randint(start.size // 2, 2 * start.size)))
        events.append(event)
        session.do(event)
    return session, events


class PlannerMachine(LawMachine):
    """The rules. What cannot be done now is not done; what the rules of the planner refuse has its own rule,
    `nonsense`.
    """

    subject: ClassVar[type[PlannerSubject]] = PlannerSubject
    starts: ClassVar[tuple[Start, ...]] = STARTS
    played: ClassVar[dict[Start, tuple[Session, list[Event]]]] = {}
    """The starts played so far; a machine with a subject of its own has its own."""

    def make_subject(self) -> Subject:
        return self.subject()

    @initialize(data=st.data())
    def open(self, data: st.DataObject) -> None:
        start = data.draw(st.sampled_from(self.starts), label="start")
        if start not in self.played:
            self.played[start] = play(start, self.subject())
        self.session, self.events = deepcopy(self.played[start])

    def of(self, nodes: tuple[Node, ...], pick: int) -> Node:
        return nodes[pick % len(nodes)]

    def queue(self) -> tuple[Node, ...]:
        return self.session.state.queue or ()

    @rule(kind=st.sampled_from(KINDS), unit=units, size=st.sampled_from(SIZES) | st.integers(0, 40))
    def message_of_source(self, kind: str, unit: str, size: int) -> None:
        """A message whose source, `kind: text`, has this many bytes."""
        self.play([Event("message", kind=kind, text=filled(unit, max(0, size - len(kind) - 2)))])

    @rule(unit=units, over=st.integers(-2, 2))
    def message_at_node(self, unit: str, over: int) -> None:
        """A message whose source has NODE bytes, or some more or fewer."""
        size = max(0, self.session.config.node - len("user: ") + over)
        self.play([Event("message", text=filled(unit, size))])

    @rule(count=st.integers(2, 20), size=st.integers(0, 600))
    def messages(self, count: int, size: int) -> None:
        self.play(Event("message", text=filled("ab ", size)) for _ in range(count))

    @precondition(lambda self: self.queue())
    @rule(pick=picks)
    def start(self, pick: int) -> None:
        self.play([Event("started", self.of(self.queue(), pick))])

    @precondition(lambda self: any(node[0] for node in self.queue()))
    @rule(pick=picks)
    def start_merge(self, pick: int) -> None:
        self.play([Event("started", self.of(tuple(node for node in self.queue() if node[0]), pick))])

    @precondition(lambda self: self.session.facts.running)
    @rule(pick=picks, unit=units, size=st.integers(1, 512))
    def build(self, pick: int, unit: str, size: int) -> None:
        node = self.of(self.session.facts.running, pick)
        self.play([Event("built", node, text=filled(unit, min(size, self.session.config.node)))])

    @precondition(lambda self: self.session.facts.running)
    @rule(pick=picks)
    def fail(self, pick: int) -> None:
        self.play([Event("failed", self.of(self.session.facts.running, pick))])

    @precondition(lambda self: self.queue())
    @rule(size=st.integers(1, 40), most=st.integers(1, 60))
    def catch_up(self, size: int, most: int) -> None:
        """The compactor works through the queue, oldest first."""
        text = filled("s ", min(size, self.session.config.node))

        def work() -> Iterator[Event]:
            for _ in range(most):
                if not self.queue():
                    return
                node = self.queue()[0]
                yield Event("started", node)
                yield Event("built", node, text=text)

        self.play(work())

    @precondition(lambda self: self.queue())
    @rule()
    def start_all(self) -> None:
        """The compactor takes everything that may start, the newest first."""

        def starts() -> Iterator[Event]:
            while self.queue():
                yield Event("started", self.queue()[-1])

        self.play(starts())

    @precondition(lambda self: self.session.facts.running)
    @rule()
    def fail_all(self) -> None:
        self.play(Event("failed", node) for node in self.session.facts.running)

    @rule(event=st.sampled_from([Event("wait", on=True), Event("wait", on=False), Event("retry"), Event("reopen")]))
    def turn(self, event: Event) -> None:
        """What a turn, the clock and the user do. One rule, so that restarts do not empty the queue all the time."""
        self.play([event])

    @rule(seed=st.integers(0, 2**16), mix=st.sampled_from(sorted(MIXES)), count=st.integers(1, 40))
    def burst(self, seed: int, mix: str, count: int) -> None:
        """A seeded history of one kind: many events for one draw, to get deep."""
        rng = Random(seed)

        def events() -> Iterator[Event]:
            for _ in range(count):
                yield next_event(rng, self.session.config, self.session.facts, self.session.state, MIXES[mix])

        self.play(events())

    @precondition(lambda self: self.session.facts.total)
    @rule(level=st.integers(0, 12), pick=st.integers(0, 2**12))
    def look(self, level: int, pick: int) -> None:
        """The context and the halves of a node of the chat."""
        total = self.session.facts.total
        level = min(level, total.bit_length() - 1)
        node = (level, pick % (total >> level))
        self.play([Event("context", node), Event("zoom", node), Event("render")])

    @rule(
        op=st.sampled_from(["started", "built", "failed", "context"]),
        level=st.integers(-1, 70),
        index=st.integers(-1, 40),
        size=st.sampled_from([0, 1, 8, 511, 512, 513]),
    )
    def nonsense(self, op: str, level: int, index: int, size: int) -> None:
        """Any event at any node, also at none."""
        text = filled("é", size) if op == "built" else ""
        events = {
            "started": Event("started", (level, index)),
            "built": Event("built", (level, index), text=text),
            "failed": Event("failed", (level, index)),
            "context": Event("context", (level, index)),
        }
        self.play([events[op]])

    @rule(size=st.integers(1, 16))
    def build_unasked(self, size: int) -> None:
        """A summary that nobody started: the rules take it for any node with a source."""
        todo = (*self.session.facts.leaves, *self.session.facts.ready)
        if todo:
            self.play([Event("built", todo[-1], text=filled("u", min(size, self.session.config.node)))])
