"""A chat kept in memory: what the planner's tests put in the store's place."""

from __future__ import annotations

from optchat.core.config import Config
from optchat.core.node import Node
from optchat.core.planner import Effects, Planner
from optchat.protocol import Log, reopened


class MemoryChat:
    """A planner whose effects are logged in memory, in order, as the store logs them on disk."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.texts = Log()
        self.planner = Planner(config, self.texts)

    def log(self, effects: Effects) -> Effects:
        for node, _ in effects.built:
            assert node not in self.texts.nodes, f"{node} was built twice"
        return self.texts.record(effects)

    def message(self, kind: str, text: str) -> Effects:
        self.texts.messages.append((kind, text))
        return self.log(self.planner.message(kind, text))

    def built(self, node: Node, text: str) -> Effects:
        return self.log(self.planner.built(node, text))

    def failed(self, node: Node) -> Effects:
        return self.log(self.planner.failed(node))

    def reopen(self) -> None:
        """Close the chat and open it again from what was logged."""
        self.planner = reopened(self.planner, self.texts)
