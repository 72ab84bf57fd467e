"""The planner against a slow version that does every rule of the design in the plainest way."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from optchat.core.config import Config
from optchat.core.node import Node
from optchat.core.planner import Refused
from optchat.core.text import PLACEHOLDER
from stateful_tests.core.memory import MemoryChat

Pair = tuple[int, int]


class SlowPlanner:
    """The rules with lists and scans; whole texts, fractions, everything computed anew."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.messages: list[str] = []
        self.texts: dict[Pair, str] = {}
        self.view: list[Pair] = []
        self.cview: list[Pair] = []
        self.shrinking = self.cshrinking = False
        self.running: list[Pair] = []
        self.resting: set[Pair] = set()
        self.failures: dict[Pair, int] = {}
        self.became_ready: list[Pair] = []
        self.waiting = False
        self.merged: list[Pair] = []

    def source(self, node: Pair) -> str | None:
        level, index = node
        if level < 0 or index < 0 or level > 99 or (index + 1) * 2**level > len(self.messages):
            return None
        if level == 0:
            return self.messages[index]
        halves = [(level - 1, 2 * index), (level - 1, 2 * index + 1)]
        return "\n".join(self.texts[half] for half in halves) if all(half in self.texts for half in halves) else None

    def line_bytes(self, node: Pair) -> int:
        text = self.texts.get(node, PLACEHOLDER)
        return len(text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", " ").encode())

    def bytes(self, view: list[Pair]) -> int:
        return sum(map(self.line_bytes, view))

    def build(self, node: Pair, text: str) -> None:
        self.texts[node] = text
        self.running = [each for each in self.running if each != node]
        self.resting.discard(node)
        self.failures.pop(node, None)
        parent = (node[0] + 1, node[1] // 2)
        source = self.source(parent)
        if source is not None:
            self.became_ready.append(parent)
            if len(source.encode()) <= self.config.node:
                self.build(parent, source)

    def fit(self, view: list[Pair], budget: int) -> list[Pair]:
        merged = []
        while self.bytes(view) > budget:
            best: tuple[Fraction, int] | None = None
            for at in range(len(view) - 1):
                (level, index), right = view[at], view[at + 1]
                if index % 2 == 0 and right == (level, index + 1) and (level + 1, index // 2) in self.texts:
                    due = Fraction(len(self.messages) - ((index + 2) * 2**level - 1), 2**level)
                    if best is None or due > best[0]:
                        best = (due, at)
            if best is None:
                break
            at = best[1]
            parent = (view[at][0] + 1, view[at][1] // 2)
            view[at : at + 2] = [parent]
            merged.append(parent)
        return merged

    def message(self, kind: str, text: str) -> None:
        self.messages.append(f"{kind}: {text}")
        leaf = (0, len(self.messages) - 1)
        self.view.append(leaf)
        self.cview.append(leaf)
        if len(self.messages[-1].encode()) <= self.config.node:
            self.build(leaf, self.messages[-1])
        self.resting = set()
        self.merged = []
        if self.bytes(self.view) > self.config.ceiling or self.shrinking:
            self.merged = self.fit(self.view, self.config.floor)
            self.shrinking = self.bytes(self.view) > self.config.floor
        if self.merged:
            self.cview = list(self.view)
        if self.merged or self.bytes(self.cview) > self.config.cceiling or self.cshrinking:
            self.fit(self.cview, self.config.cfloor)
            self.cshrinking = self.bytes(self.cview) > self.config.cfloor

    def candidates(self, waiting: bool) -> list[Pair]:
        unbuilt = [node for node in self.view if node not in self.texts]
        leaves = [node for k, node in enumerate(unbuilt) if k < self.config.lookahead]
        leaves = [node for node in leaves if node not in self.running and node not in self.resting]
        running = [node for node in self.running if node in unbuilt] if waiting else self.running
        merges = [] if waiting else [node for node in self.became_ready if node not in self.texts]
        merges = [node for node in merges if node not in self.running and node not in self.resting]
        m = len(merges) + sum(1 for node in running if node[0] > 0)
        jobs = self.config.jobs
        chosen: list[Pair] = []
        for node in leaves:
            started = sum(1 for each in running if each[0] == 0) + len(chosen)
            if started < jobs - min(m, jobs // 2) and len(running) + len(chosen) < jobs:
                chosen.append(node)
        for node in merges:
            if len(running) + len(chosen) < jobs:
                chosen.append(node)
        return chosen

    def started(self, node: Pair) -> bool:
        if node not in self.candidates(self.waiting):
            return False
        self.running.append(node)
        return True

    def built(self, node: Pair, text: str) -> bool:
        if node in self.texts or self.source(node) is None or not 1 <= len(text.encode()) <= self.config.node:
            return False
        self.build(node, text)
        return True

    def failed(self, node: Pair) -> bool:
        if node not in self.running:
            return False
        self.running.remove(node)
        self.resting.add(node)
        self.failures[node] = self.failures.get(node, 0) + 1
        if self.failures[node] == self.config.failures:
            source = self.source(node)
            assert source is not None
            self.build(node, source.encode()[: self.config.node].decode(errors="ignore"))
        return True

    def wait(self, on: bool) -> None:
        self.waiting = on
        if on:
            self.running = [node for node in self.running if node in self.view and node not in self.texts]

    def reopen(self) -> None:
        self.running, self.resting, self.failures, self.waiting = [], set(), {}, False
        self.cview = list(self.view)
        self.fit(self.cview, self.config.cfloor)
        self.cshrinking = self.bytes(self.cview) > self.config.cfloor

    def context(self, node: Pair) -> list[Pair]:
        level, index = node
        end = index if level == 0 else (index + 1) * 2**level
        chosen = []
        for line in self.cview:
            if (line[1] + 1) * 2 ** line[0] > end or line not in self.texts:
                break
            chosen.append(line)
        return chosen


def state_of(chat: MemoryChat) -> tuple[object, ...]:
    planner = chat.planner
    return (
        planner.total,
        planner.chat.view.nodes,
        planner.chat.view.bytes,
        planner.chat.shrinking,
        planner.compaction.view.nodes,
        planner.compaction.view.bytes,
        planner.compaction.shrinking,
        planner.candidates(False),
        planner.candidates(True),
        planner.candidates(),
    )


def slow_state(slow: SlowPlanner) -> tuple[object, ...]:
    return (
        len(slow.messages),
        slow.view,
        slow.bytes(slow.view),
        slow.shrinking,
        slow.cview,
        slow.bytes(slow.cview),
        slow.cshrinking,
        slow.candidates(False),
        slow.candidates(True),
        slow.candidates(slow.waiting),
    )


configs = st.sampled_from(
    [
        Config(8, 90, 40, 50, 20, 1, 1),
        Config(8, 90, 40, 50, 20, 2, 3),
        Config(16, 200, 100, 100, 50, 3, 8),
        Config(40, 400, 100, 100, 100, 8, 8),
        Config(512, 6000, 3000, 2000, 1000, 8, 8),
    ]
)
texts = st.one_of(
    st.text(max_size=12),
    st.integers(0, 60).map(lambda n: "é" * n),
    st.sampled_from([0, 1, 505, 506, 507, 2000]).map(lambda n: "x" * n),
    st.sampled_from(["a\r\nb", "\r", "\n\n", "a\rb\r\n"]),
)


@given(st.data(), configs)
def test_the_planner_does_what_the_plain_version_does(data: st.DataObject, config: Config) -> None:
    chat, slow = MemoryChat(config), SlowPlanner(config)
    steps = data.draw(st.integers(1, 60))
    for _ in range(steps):
        step = data.draw(
            st.sampled_from(["message", "message", "work", "work", "work", "any", "retry", "wait", "reopen"])
        )
        if step == "message":
            kind, text = data.draw(st.sampled_from(["user", "tool"])), data.draw(texts)
            effects = chat.message(kind, text)
            slow.message(kind, text)
            assert list(effects.batch.merged if effects.batch else ()) == slow.merged
        elif step == "work":
            ready = chat.planner.candidates()
            running = list(chat.planner.queue.running)
            starts = data.draw(st.booleans())
            if ready and starts:
                node = data.draw(st.sampled_from(ready))
                chat.planner.started(node)
                assert slow.started(node)
            elif running:
                node = data.draw(st.sampled_from(running))
                if data.draw(st.integers(0, 2)):
                    text = data.draw(st.text(st.sampled_from("ab\r\nö"), min_size=1, max_size=config.node // 2))
                    chat.built(node, text)
                    assert slow.built(node, text)
                else:
                    chat.failed(node)
                    assert slow.failed(node)
        elif step == "any":
            node = Node(data.draw(st.integers(-1, 4) | st.just(10**9)), data.draw(st.integers(-1, 12)))
            text = data.draw(st.text(max_size=10))
            event = data.draw(st.sampled_from(["started", "built", "failed"]))
            before = state_of(chat)
            try:
                if event == "started":
                    chat.planner.started(node)
                elif event == "built":
                    chat.built(node, text)
                else:
                    chat.failed(node)
                accepted = True
            except Refused:
                accepted = False
                assert state_of(chat) == before
            took = slow.built(node, text) if event == "built" else getattr(slow, event)(node)
            assert took == accepted
        elif step == "retry":
            chat.planner.retry()
            slow.resting = set()
        elif step == "wait":
            on = data.draw(st.booleans())
            chat.planner.wait(on)
            slow.wait(on)
        else:
            chat.reopen()
            slow.reopen()
        assert state_of(chat) == slow_state(slow)
    if slow.messages:
        level = data.draw(st.integers(0, len(slow.messages).bit_length() - 1))
        node = Node(level, data.draw(st.integers(0, (len(slow.messages) >> level) - 1)))
        assert chat.planner.context(node) == slow.context(node)
        assert all(text == chat.planner.text(node) for node, text in chat.texts.nodes.items())
