"""A whole memory in a hundred lines, and the adapter that lets `optchat check` judge it. Nothing but Python is needed.

optchat check --cmd 'python3 docs/example_adapter.py'
"""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from typing import Any

Node = tuple[int, int]
PLACEHOLDER_BYTES = len("(not summarized yet: zoom it)")
LOOKAHEAD, FAILURES = 8, 3


class Refused(Exception):
    """An event that the rules refuse; the chat is as it was."""


class Chat:
    """One chat. A real memory would write its messages, its nodes and its batches to disk."""

    def __init__(self, config: dict[str, int]) -> None:
        self.limit, self.ceiling, self.floor, self.jobs = (config[key] for key in ("node", "ceiling", "floor", "jobs"))
        self.messages: list[str] = []
        self.texts: dict[Node, str] = {}
        self.view: list[Node] = []
        self.merged: list[Node] = []
        self.ready: list[Node] = []
        self.running: list[Node] = []
        self.resting: set[Node] = set()
        self.failures: dict[Node, int] = {}
        self.shrinking = self.waiting = False

    # What the events do.

    def message(self, kind: str, text: str) -> None:
        leaf, source = (0, len(self.messages)), f"{kind}: {text}"
        self.messages.append(source)
        self.view.append(leaf)
        self.resting.clear()
        if len(source.encode()) <= self.limit:
            self.build(leaf, source)
        self.merged = []
        if self.bytes() > self.ceiling or self.shrinking:
            self.fit()
            self.shrinking = self.bytes() > self.floor

    def fit(self) -> None:
        while self.bytes() > self.floor:
            pairs = [
                (Fraction(len(self.messages) - ((i + 2) * 2**level - 1), 2**level), -at)
                for at, (level, i) in enumerate(self.view[:-1])
                if i % 2 == 0 and self.view[at + 1] == (level, i + 1) and (level + 1, i // 2) in self.texts
            ]
            if not pairs:
                return
            at = -max(pairs)[1]
            level, i = self.view[at]
            self.view[at : at + 2] = [(level + 1, i // 2)]
            self.merged.append((level + 1, i // 2))

    def build(self, node: Node, text: str) -> None:
        self.texts[node] = text
        self.running = [each for each in self.running if each != node]
        self.ready = [each for each in self.ready if each != node]
        self.resting.discard(node)
        parent = (node[0] + 1, node[1] // 2)
        source = self.source(parent)
        if source is not None and len(source.encode()) <= self.limit:
            self.build(parent, source)
        elif source is not None:
            self.ready.append(parent)

    def built(self, node: Node, text: str) -> None:
        if node in self.texts or self.source(node) is None or not 1 <= len(text.encode()) <= self.limit:
            raise Refused("it cannot be built")
        self.build(node, text)

    def started(self, node: Node) -> None:
        if node not in self.queue(self.waiting):
            raise Refused("it is no candidate")
        self.running.append(node)

    def failed(self, node: Node) -> None:
        source = self.source(node)
        if node not in self.running or source is None:
            raise Refused("it does not run")
        self.running.remove(node)
        self.resting.add(node)
        self.failures[node] = self.failures.get(node, 0) + 1
        if self.failures[node] == FAILURES:
            self.build(node, source.encode()[: self.limit].decode(errors="ignore"))

    def wait(self, on: bool) -> None:
        self.waiting = on
        if on:
            self.running = [node for node in self.running if node[0] == 0]

    # What they are decided by.

    def source(self, node: Node) -> str | None:
        level, i = node
        if level < 0 or i < 0 or (i + 1) * 2 ** min(level, 64) > len(self.messages):
            return None
        if level == 0:
            return self.messages[i]
        halves = [(level - 1, 2 * i), (level - 1, 2 * i + 1)]
        return "\n".join(self.texts[half] for half in halves) if all(half in self.texts for half in halves) else None

    def bytes(self) -> int:
        return sum(self.line_bytes(node) for node in self.view)

    def line_bytes(self, node: Node) -> int:
        # CR LF is one space in a line; LF and CR are one byte as they are.
        return len(self.texts[node].replace("\r\n", " ").encode()) if node in self.texts else PLACEHOLDER_BYTES

    def queue(self, waiting: bool) -> list[Node]:
        unbuilt = [node for node in self.view if node not in self.texts]
        leaves = [node for node in unbuilt[:LOOKAHEAD] if node not in self.running and node not in self.resting]
        running_leaves = sum(1 for node in self.running if node[0] == 0)
        if waiting:
            return leaves[: max(0, self.jobs - running_leaves)]
        merges = [node for node in self.ready if node not in self.running and node not in self.resting]
        m = len(merges) + len(self.running) - running_leaves
        places = max(0, self.jobs - len(self.running))
        chosen = leaves[: max(0, min(places, self.jobs - min(m, self.jobs // 2) - running_leaves))]
        return chosen + merges[: places - len(chosen)]


# The adapter: one JSON object in, one out.


def state(chat: Chat) -> dict[str, Any]:
    return {
        "ok": True,
        "t": len(chat.messages),
        "view": chat.view,
        "bytes": chat.bytes(),
        "shrinking": chat.shrinking,
        "merged": chat.merged,
        "queue": chat.queue(chat.waiting),
        "queue_waiting": chat.queue(True),
    }


def main() -> None:
    chat: Chat | None = None
    for line in sys.stdin:
        request = json.loads(line)
        op, node = request["op"], tuple(request.get("node", ()))
        if op == "hello":
            supports = ["view", "bytes", "shrinking", "merged", "queue", "queue_waiting"]
            answer = {"ok": True, "protocol": 1, "name": "the example of docs/conformance.md", "supports": supports}
        elif op == "bye":
            answer = {"ok": True}
        elif op == "open":
            chat = Chat(request["config"])
            answer = state(chat)
        else:
            assert chat is not None
            chat.merged = []
            try:
                if op == "message":
                    chat.message(request["kind"], request["text"])
                elif op == "started":
                    chat.started(node)
                elif op == "built":
                    chat.built(node, request["text"])
                elif op == "failed":
                    chat.failed(node)
                elif op == "retry":
                    chat.resting.clear()
                elif op == "wait":
                    chat.wait(request["on"])
                answer = state(chat)
            except Refused as why:
                answer = {"ok": False, "error": str(why)}
        print(json.dumps(answer), flush=True)
        if op == "bye":
            return


if __name__ == "__main__":
    main()
