"""The loop that does all the work the planner has."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from optchat.agent.settle import offline, settle
from optchat.core.config import Config
from optchat.core.node import Node
from optchat.store import Chat, Item
from stateful_tests.imports.test_round_trip import folder

SMALL = Config(node=64, ceiling=900, floor=450, cceiling=400, cfloor=200, jobs=3, lookahead=2)


@given(st.lists(st.tuples(st.sampled_from(["user", "unii", "echo"]), st.text(max_size=90)), max_size=20))
def test_settling_builds_every_node_that_messages_allow(messages: list[tuple[str, str]]) -> None:
    with folder() as name, Chat.open(name, SMALL) as chat:
        chat.append_many(Item(kind, text) for kind, text in messages)
        free = {
            node
            for level in range(7)
            for node in (Node(level, at) for at in range(len(messages)))
            if node.end <= len(messages) and node in chat.planner.built_nodes
        }
        told: list[int] = []
        calls = settle(chat, offline(chat), told.append)
        assert told == list(range(1, calls + 1))
        assert chat.planner.candidates() == []
        assert chat.planner.settled()
        built = {Node(level, at) for level in range(7) for at in range(len(messages) >> level)}
        assert all(node in chat.planner.built_nodes for node in built)
        assert settle(chat, offline(chat)) == 0
        assert calls <= len(built - free)


def test_the_compactor_is_given_the_source_of_each_node_once() -> None:
    with folder() as name, Chat.open(name, SMALL) as chat:
        for at in range(8):
            chat.append("user", f"{at} " + "word " * 30)
        seen: list[tuple[Node, str]] = []

        def compact(node: Node, source: str) -> str:
            seen.append((node, source))
            return f"line {node.name} " + "x" * 40

        settle(chat, compact)
        assert len({node for node, _ in seen}) == len(seen) == 15
        assert dict(seen)[Node(1, 1)] == f"line 2+1 {'x' * 40}\nline 3+1 {'x' * 40}"
        assert dict(seen)[Node(0, 3)] == "user: 3 " + "word " * 30
