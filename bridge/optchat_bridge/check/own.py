"""Our planner as the laws see it: events in, plain data out, with the planner's own books open."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from optchat.core.config import Config as PlannerConfig
from optchat.core.node import Node as PlannerNode
from optchat.core.planner import Effects, Planner, PlannerState, Refused
from optchat.core.render import render
from optchat.core.replay import Replay
from optchat.core.tree import BuiltNodes
from optchat.core.view import Batch as PlannerBatch
from optchat.core.view import View
from optchat_spec.session import Answer
from optchat_spec.steps import Event, State
from optchat_spec.vocabulary import Batch, Config, Lines, Node


class PlannerSubject:
    """A planner whose effects are logged in memory, as the store logs them on disk."""

    make: ClassVar[type[Planner]] = Planner

    def __init__(self) -> None:
        self.open(Config())

    def open(self, config: Config) -> State:
        self.config = PlannerConfig(*config)
        self.messages: list[tuple[str, str]] = []
        self.texts: dict[Node, str] = {}
        self.batches: list[PlannerBatch] = []
        self.planner = self.make(self.config, self)
        return self._state(())

    # The planner's Texts.

    def message(self, index: int) -> tuple[str, str]:
        return self.messages[index]

    def node(self, node: PlannerNode) -> str:
        return self.texts[node]

    # Events.

    def do(self, event: Event) -> Answer:
        node = PlannerNode(*event.node)
        try:
            match event.op:
                case "message":
                    return self._message(event.kind, event.text)
                case "started":
                    return self._quiet(lambda: self.planner.started(node))
                case "built":
                    return self._effects(self.planner.built(node, event.text))
                case "failed":
                    return self._effects(self.planner.failed(node))
                case "retry":
                    return self._quiet(self.planner.retry)
                case "wait":
                    return self._effects(self.planner.wait(event.on))
                case "context":
                    return Answer(True, self._state(()), plain(self.planner.context(node)))
                case "zoom":
                    self.planner.check_node(node)
                    return Answer(True, self._state(()), plain(node.children) if node.level else ())
                case "render":
                    text = render(self.planner.chat.view.nodes, self.planner.line)
                    return Answer(True, self._state(()), None, (), (), text)
                case "reopen":
                    return self._quiet(self._reopen)
        except Refused:
            return Answer(False, self._state(()), None, (), ())

    def _message(self, kind: str, text: str) -> Answer:
        self.messages.append((kind, text))
        try:
            effects = self.planner.message(kind, text)
        except Refused:
            self.messages.pop()
            raise
        return self._effects(effects)

    def _quiet(self, act: Callable[[], None]) -> Answer:
        act()
        return Answer(True, self._state(()), None, (), ())

    def _effects(self, effects: Effects) -> Answer:
        for node, text in effects.built:
            self.texts[pair(node)] = text
        merges: list[PlannerNode] = []
        if effects.batch is not None:
            self.batches.append(effects.batch)
            merges.extend(effects.batch.merged)
        built = tuple((pair(node), text) for node, text in effects.built)
        return Answer(True, self._state(plain(merges)), None, built, plain(effects.cancelled))

    def _reopen(self) -> None:
        """From what was logged alone: the messages, the nodes' texts in their order, the batches."""
        built, ready, replay = BuiltNodes(), dict[PlannerNode, None](), Replay()
        for logged in self.texts:
            node = PlannerNode(*logged)
            built.add(node)
            ready.pop(node, None)
            if node.sibling in built:
                ready[node.parent] = None
        for batch in self.batches:
            replay.batch(batch, built)
        total = len(self.messages)
        replay.messages(total)
        leaves = [PlannerNode(0, index) for index in range(total) if (0, index) not in self.texts]
        state = PlannerState(total, replay.lines, replay.shrinking, built, leaves, list(ready))
        self.planner = self.make.resume(self.config, self, state)

    def _state(self, merges: Lines) -> State:
        batches = tuple(Batch(plain(batch.merged), batch.shrinking, batch.total) for batch in self.batches)
        return state_of(self.planner, merges, self.texts, batches)


def state_of(
    planner: Planner, merges: Lines | None, texts: Mapping[Node, str], batches: tuple[Batch, ...] | None
) -> State:
    """All that a planner shows, its own books open; `merges` and `batches` as they were logged, None where nobody
    knows.
    """
    view, cview, queue = planner.chat.view, planner.compaction.view, planner.queue
    return State(
        planner.total,
        plain(view.nodes),
        view.bytes,
        planner.chat.shrinking,
        plain(cview.nodes),
        merges,
        plain(planner.candidates()),
        plain(planner.candidates(True)),
        tuple(view.sizes),
        cview.bytes,
        planner.compaction.shrinking,
        frozenset(map(pair, queue.running)),
        frozenset(map(pair, queue.resting)),
        {pair(node): count for node, count in queue.failures.items()},
        queue.waiting,
        plain([*queue.leaves, *queue.ready]),
        dict(texts),
        batches,
    )


def pair(node: PlannerNode) -> Node:
    return node.level, node.i


def plain(nodes: list[PlannerNode] | tuple[PlannerNode, ...]) -> Lines:
    return tuple(map(pair, nodes))


def planner_fit(lines: Lines, budget: int, total: int) -> Lines:
    """The planner's batch with a budget in lines, all parents built (laws push_agrees, push_agrees_always)."""
    view = View([PlannerNode(*line) for line in lines], [1] * len(lines), len(lines))
    return plain(view.fit(budget, total, lambda _: 1))
