"""A chat on disk that is closed, crashed and opened at any moment, against a planner that is never closed."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from datetime import timedelta

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from optchat.core.node import Node
from optchat.core.planner import Refused
from optchat.store import Chat, Item, Reader, doctor
from stateful_tests.store.harness import SMALL, Clock, NeverClosed, crash, folder, plan, summary

texts = st.text(alphabet=st.sampled_from("abé\n\r 😀|"), max_size=40)
kinds = st.sampled_from(["user", "unii", "tool", "echo", "work", "note"])


class Restarts(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        self.folder = self.stack.enter_context(folder())
        self.clock = Clock()
        self.model = NeverClosed(SMALL)
        self.logged: list[tuple[str, str, str | None]] = []
        self.chat = self.open()

    def open(self) -> Chat:
        return Chat.open(self.folder, SMALL, now=self.clock)

    @initialize(count=st.integers(0, 40), data=st.data())
    def begin(self, count: int, data: st.DataObject) -> None:
        """A past, so that short runs have batches to replay too."""
        for number in range(count):
            self.message("user", "x" * (number * 7 % 31), None)
            if number % 3:
                self.build(data)

    def log(self, kind: str, text: str, key: str | None) -> None:
        self.logged.append((kind, text, key))
        self.model.message(kind, text)

    @rule(kind=kinds, text=texts, key=st.none() | st.integers(0, 9).map(str))
    def message(self, kind: str, text: str, key: str | None) -> None:
        known = [index for index, each in enumerate(self.logged) if key is not None and each[2] == key]
        ids = self.chat.append(kind, text, key=key)
        if known:
            assert ids == known
        else:
            assert ids == [len(self.logged)]
            self.log(kind, text, key)

    @rule(items=st.lists(st.tuples(kinds, texts), max_size=12))
    def messages(self, items: list[tuple[str, str]]) -> None:
        answers = self.chat.append_many(Item(kind, text) for kind, text in items)
        first = len(self.logged)
        assert [(each.ids, each.new) for each in answers] == [([first + at], True) for at in range(len(items))]
        for kind, text in items:
            self.log(kind, text, None)

    @rule(data=st.data())
    def build(self, data: st.DataObject) -> None:
        candidates = self.chat.planner.candidates()
        if candidates:
            node = data.draw(st.sampled_from(candidates))
            text = summary(self.chat.planner, node)[: data.draw(st.integers(1, 24))]
            self.chat.started(node)
            for built, its_text in self.chat.built(node, text).built[:1]:
                self.model.built(built, its_text)

    @rule(data=st.data())
    def fail(self, data: st.DataObject) -> None:
        candidates = self.chat.planner.candidates()
        if candidates:
            node = data.draw(st.sampled_from(candidates))
            self.chat.started(node)
            for built, text in self.chat.failed(node).built[:1]:
                self.model.built(built, text)
            self.chat.retry()

    @rule(level=st.integers(0, 4), index=st.integers(0, 40))
    def refused(self, level: int, index: int) -> None:
        """What the planner refuses is not logged, and the chat goes on."""
        node = Node(level, index)
        planner = self.chat.planner
        if node in planner.built_nodes or node.end > planner.total:
            before = self.chat.contents.tree.end
            try:
                self.chat.built(node, "again")
            except Refused:
                assert self.chat.contents.tree.end == before
            else:
                raise AssertionError("a second build was taken")

    @rule(on=st.booleans())
    def wait(self, on: bool) -> None:
        self.chat.wait(on)

    @rule(days=st.integers(-2, 2))
    def time_passes(self, days: int) -> None:
        """Also back: a clock that is set, a flight to the west."""
        self.clock.now += timedelta(days=days)

    @rule()
    def reopen(self) -> None:
        self.chat.close()
        self.chat = self.open()
        assert self.chat.notes == []

    @rule()
    def crash(self) -> None:
        crash(self.chat)
        self.chat = self.open()

    @rule()
    def lose_the_caches(self) -> None:
        self.chat.close()
        shutil.rmtree(self.folder / "chat" / "index")
        (self.folder / "chat" / "view.json").unlink()
        self.chat = self.open()

    @rule()
    @precondition(lambda self: self.logged)
    def read(self) -> None:
        """A reader beside the writer sees all of it."""
        with Reader.open(self.folder) as reader:
            assert reader.view() == self.chat.planner.chat.view.nodes
            assert [(each.kind, each.text, each.key) for each in reader.messages()] == self.logged
            assert [each.i for each in reader.messages(newest_first=True)] == list(range(len(self.logged)))[::-1]
            for line in reader.view():
                assert reader.line(line) == self.chat.planner.line(line)
                assert reader.covering(line.first) == reader.covering(line.end - 1) == line
        report = doctor(self.folder, SMALL)
        assert report.clean, report.problems
        assert report.messages == len(self.logged)

    @invariant()
    def same_as_never_closed(self) -> None:
        assert plan(self.chat.planner) == self.model.plan

    @invariant()
    def texts_read_back(self) -> None:
        texts = self.model.memory.texts
        if texts.messages:
            assert self.chat.contents.message(len(texts.messages) - 1) == texts.messages[-1]
        for node in list(texts.nodes)[-3:]:
            assert self.chat.contents.node(node) == texts.nodes[node]

    def teardown(self) -> None:
        if hasattr(self, "chat"):
            self.chat.close()
            with Chat.open(self.folder, SMALL) as chat:
                assert plan(chat.planner) == self.model.plan
                texts = self.model.memory.texts
                assert {node: chat.contents.node(node) for node in texts.nodes} == texts.nodes
        self.stack.close()


TestRestarts = Restarts.TestCase
