"""Synthetic chats for the measurements: every text is made on demand, so that only the planner's own memory counts."""

from __future__ import annotations

from optchat.core.config import Config
from optchat.core.node import Node
from optchat.core.planner import Effects, Planner

MESSAGE = "m" * 600
"""Longer than a node, so that each leaf needs a summary."""


class ConstantTexts:
    """Every message is the same long one and every node the same line: nothing is stored."""

    def __init__(self, line_bytes: int) -> None:
        self.line = "s" * line_bytes

    def message(self, index: int) -> tuple[str, str]:  # noqa: ARG002 - the port's shape
        return "user", MESSAGE

    def node(self, node: Node) -> str:  # noqa: ARG002 - the port's shape
        return self.line


class PunctualChat:
    """A planner whose compactor is never late: after each message, all that can be built is built."""

    def __init__(self, config: Config, line_bytes: int = 512) -> None:
        self.texts = ConstantTexts(line_bytes)
        self.planner = Planner(config, self.texts)

    def message(self) -> Effects:
        effects = self.planner.message("user", MESSAGE)
        self.catch_up()
        return effects

    def catch_up(self) -> list[Node]:
        """Build every candidate until there is none; the nodes, in order."""
        done: list[Node] = []
        while ready := self.planner.candidates():
            for node in ready:
                self.planner.started(node)
                self.planner.built(node, self.texts.line)
            done += ready
        return done
