"""A chat on disk as the laws see it: real files, closed or crashed and opened again, written amid faults."""

from __future__ import annotations

from contextlib import ExitStack

from optchat.core.config import Config as PlannerConfig
from optchat.core.node import Node as PlannerNode
from optchat.core.planner import Refused
from optchat.core.render import render
from optchat.store import Chat, StoreError
from optchat_spec.session import Answer
from optchat_spec.steps import Event, Facts, State
from optchat_spec.vocabulary import Config, Lines, Node, flatten, leaf_source, parent, size
from stateful_tests.machines.planner_subject import plain, state_of
from stateful_tests.store.harness import BROKEN, CountedFiles, crash, fails, folder


class StoreSubject:
    """A chat in a folder of its own. `close` must be called in the end."""

    def __init__(self) -> None:
        self.stack = ExitStack()
        self.chat: Chat | None = None
        self.crashing = False
        """Whether the next restarts are crashes."""

    def open(self, config: Config) -> State:
        self.close()
        self.stack = ExitStack()
        self.folder = self.stack.enter_context(folder())
        self.config = PlannerConfig(*config)
        self.messages: list[tuple[str, str]] = []
        self.texts: dict[Node, str] = {}
        self._open()
        return self.state()

    def close(self) -> None:
        if self.chat is not None:
            self.chat.close()
        self.chat = None
        self.stack.close()

    @property
    def live(self) -> Chat:
        assert self.chat is not None
        return self.chat

    def do(self, event: Event) -> Answer:
        chat, node = self.live, PlannerNode(*event.node)
        lines: Lines | None = None
        rendered: str | None = None
        try:
            match event.op:
                case "message":
                    [index] = chat.append(event.kind, event.text)
                    assert index == len(self.messages)
                    self.messages.append((event.kind, event.text))
                    node = PlannerNode(0, index)
                case "started":
                    chat.started(node)
                case "built":
                    chat.built(node, event.text)
                case "failed":
                    chat.failed(node)
                case "retry":
                    chat.retry()
                case "wait":
                    chat.wait(event.on)
                case "context":
                    lines = plain(chat.planner.context(node))
                case "zoom":
                    chat.planner.check_node(node)
                    lines = plain(node.children) if node.level else ()
                case "render":
                    rendered = render(chat.planner.chat.view.nodes, chat.planner.line)
                case "reopen":
                    self.reopen(self.crashing)
        except Refused:
            return Answer(False, self.state())
        self._read_built((node.level, node.i))
        return Answer(True, self.state(), lines, rendered=rendered)

    def state(self) -> State:
        return state_of(self.live.planner, None, self.texts, None)

    # Restarts.

    def reopen(self, crashing: bool) -> None:
        """Close the chat, or end it as a killed process does; open it and read everything from its files again."""
        if crashing:
            crash(self.live)
        else:
            self.live.close()
        self._open()

    def struck(self, event: Event, at: int) -> bool:
        """Do an event whose disk breaks at the at-th operation, then crash and reopen; whether it was broken off."""
        self.files.left = at
        broken_off = False
        try:
            self.do(event)
        except StoreError:
            broken_off = True
        self.reopen(crashing=True)
        return broken_off

    def _open(self) -> None:
        self.files: CountedFiles = fails(BROKEN, -10)
        chat = self.chat = Chat.open(self.folder, self.config, files=self.files)
        total = chat.planner.total
        logged = [chat.contents.message(index) for index in range(total)]
        assert logged[: len(self.messages)] == self.messages, "a message that was acknowledged is not read back"
        self.messages = logged
        known, self.texts = self.texts, {}
        for index in range(total):
            self._read_built((0, index))
        for node, text in known.items():
            assert self.texts.get(node) == text, f"node {node} was acknowledged and is not read back"

    def _read_built(self, node: Node) -> None:
        """The texts of a node and of its ancestors, as far as they are built and were not known."""
        planner = self.live.planner
        while PlannerNode(*node) in planner.built_nodes:
            if node not in self.texts:
                self.texts[node] = planner.text(PlannerNode(*node))
            node = parent(node)

    def facts(self) -> Facts:
        """What the files alone make true, after a crash that no event of a history says."""
        planner = self.live.planner
        queue = planner.queue
        return Facts(
            total=planner.total,
            sources={index: leaf_source(kind, text) for index, (kind, text) in enumerate(self.messages)},
            texts=dict(self.texts),
            sizes={node: size(flatten(text)) for node, text in self.texts.items()},
            leaves=tuple((0, index) for index in range(planner.total) if (0, index) not in self.texts),
            ready=plain(list(queue.ready)),
            shrinking=planner.chat.shrinking,
            cshrinking=planner.compaction.shrinking,
        )
