"""The loop that lets a synchronous compactor do all the work that the planner has."""

from __future__ import annotations

from collections.abc import Callable

from optchat.agent.extract import extract
from optchat.core.node import Node
from optchat.store import Chat

Compactor = Callable[[Node, str], str]
"""Makes a node's line, 1 to NODE bytes, from its source."""


def offline(chat: Chat) -> Compactor:
    """The offline compactor, with the sizes and the agent's name of a chat."""
    limit, agent = chat.planner.config.node, chat.contents.agent
    return lambda node, source: extract(source, node.level, limit, agent)


def settle(chat: Chat, compact: Compactor, progress: Callable[[int], None] | None = None) -> int:
    """Build every node that can be built; how many calls of `compact` that took.

    Takes the planner's first candidate each time (`started`, then `built`), until there is none. `progress` is told
    after each call how many there were so far.
    """
    calls = 0
    with chat.deferred():
        while candidates := chat.planner.candidates():
            node = candidates[0]
            chat.started(node)
            chat.built(node, compact(node, chat.planner.source(node)))
            calls += 1
            if progress is not None:
                progress(calls)
    return calls
