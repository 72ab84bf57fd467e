"""Texts kept in memory: what the planner's tests put in the store's place."""

from __future__ import annotations

from dataclasses import dataclass, field

from optchat.core.config import Config
from optchat.core.node import Node
from optchat.core.planner import Effects, Planner, PlannerState
from optchat.core.replay import Replay
from optchat.core.view import Batch


@dataclass
class MemoryTexts:
    messages: list[tuple[str, str]] = field(default_factory=list)
    nodes: dict[Node, str] = field(default_factory=dict)

    def message(self, index: int) -> tuple[str, str]:
        return self.messages[index]

    def node(self, node: Node) -> str:
        return self.nodes[node]


class MemoryChat:
    """A planner whose effects are logged in memory, in order, as the store logs them on disk."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.texts = MemoryTexts()
        self.planner = Planner(config, self.texts)
        self.batches: list[Batch] = []

    def log(self, effects: Effects) -> Effects:
        for node, text in effects.built:
            assert node not in self.texts.nodes, f"{node} was built twice"
            self.texts.nodes[node] = text
        if effects.batch is not None:
            self.batches.append(effects.batch)
        return effects

    def message(self, kind: str, text: str) -> Effects:
        self.texts.messages.append((kind, text))
        return self.log(self.planner.message(kind, text))

    def built(self, node: Node, text: str) -> Effects:
        return self.log(self.planner.built(node, text))

    def failed(self, node: Node) -> Effects:
        return self.log(self.planner.failed(node))

    def reopen(self) -> None:
        """Close the chat and open it again from what was logged."""
        state = self.planner.state()
        replay = Replay()
        for batch in self.batches:
            replay.batch(batch, state.built)
        replay.messages(state.total)
        again = PlannerState(state.total, replay.lines, replay.shrinking, state.built, state.leaves, state.ready)
        self.planner = Planner.resume(self.config, self.texts, again)
