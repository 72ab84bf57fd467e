"""A power cut at any operation: what no fsync covered may be gone, whole or in part, and the chat is still right."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from optchat.core.node import Node
from optchat.store import Chat, doctor
from optchat.store.files import OsFiles
from stateful_tests.store.harness import SMALL, Clock, NeverClosed, crash, folder, plan, summary

Choose = Callable[[int], int]
"""A number of `[0, n]`, drawn by the test."""


class PowerCut(BaseException):
    """The machine goes dark."""


class Disk(OsFiles):
    """Files that know what the disk has for sure: for each file how many bytes, for each name whether it is there."""

    def __init__(self, at: int) -> None:
        self.left = at
        self.names: dict[int, Path] = {}
        self.sure: dict[Path, int] = {}
        self.unsure_names: set[Path] = set()

    def _tick(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise PowerCut

    def open(self, path: Path, flags: int) -> int:
        self._tick()
        if flags & os.O_CREAT and not path.exists():
            self.unsure_names.add(path)
            self.sure[path] = 0
        elif flags & os.O_TRUNC:
            self.sure[path] = 0
        fd = super().open(path, flags)
        self.names[fd] = path
        return fd

    def write(self, fd: int, data: bytes) -> int:
        self._tick()
        self.sure.setdefault(self.names[fd], os.fstat(fd).st_size)
        return super().write(fd, data)

    def sync(self, fd: int) -> None:
        self._tick()
        path = self.names[fd]
        if path.is_dir():
            self.unsure_names = {each for each in self.unsure_names if each.parent != path}
        else:
            self.sure[path] = os.fstat(fd).st_size

    def truncate(self, fd: int, size: int) -> None:
        self._tick()
        super().truncate(fd, size)
        self.sure[self.names[fd]] = size

    def replace(self, source: Path, target: Path) -> None:
        self._tick()
        super().replace(source, target)
        # The new name may have come without the new bytes: that is what a cache must stand.
        self.sure[target] = self.sure.pop(source)
        self.unsure_names.discard(source)

    def cut(self, choose: Choose) -> None:
        """What the disk holds when the power is back."""
        for path, sure in self.sure.items():
            if not path.exists():
                continue
            size = path.stat().st_size
            kept = sure + choose(max(0, size - sure))
            if path in self.unsure_names and choose(1):
                path.unlink()
            else:
                os.truncate(path, min(kept, size))


@given(data=st.data(), at=st.integers(0, 260), deferred=st.booleans())
def test_a_power_cut_loses_nothing_acknowledged(data: st.DataObject, at: int, deferred: bool) -> None:
    with folder() as base:
        disk = Disk(at)
        clock = Clock()
        model = NeverClosed(SMALL)
        messages = 0
        nodes: dict[Node, str] = {}
        chat: Chat | None = None
        try:
            chat = Chat.open(base, SMALL, files=disk, now=clock)
            while True:
                text = f"{messages} " + "é" * (messages * 11 % 30)
                chat.append("user", text)
                messages += 1
                clock.now += timedelta(days=messages % 5 == 0)
                model.message("user", text)
                for node in chat.planner.candidates()[: messages % 3]:
                    line = summary(chat.planner, node)
                    if deferred:
                        with chat.deferred():
                            chat.built(node, line)
                    else:
                        chat.built(node, line)
                    nodes[node] = line
                    model.built(node, line)
        except PowerCut:
            if chat is not None:
                crash(chat)
        disk.cut(lambda most: data.draw(st.integers(0, most)))
        with Chat.open(base, SMALL, now=clock) as chat:
            total = len(chat.contents.messages)
            assert total in (messages, messages + 1), "a message was lost, or came from nowhere"
            for node, line in nodes.items():
                assert chat.contents.node(node) == line
            same_plan(chat, model, messages, total)
        assert doctor(base, SMALL).clean
        with Chat.open(base, SMALL) as chat:
            assert chat.notes == []


def same_plan(chat: Chat, model: NeverClosed, messages: int, total: int) -> None:
    """The plan is that of the last event acknowledged, or of the one that was cut, done in whole or up to its batch."""
    found = plan(chat.planner)
    before = plan(model.memory.planner)
    if total == messages:
        # The event that was cut built a node, wholly or not at all.
        if found == before:
            return
        assert set(found[3]) <= set(before[3])
        assert found[0] == before[0]
        return
    kind, text = chat.contents.message(messages)
    batch = model.message(kind, text)
    after = plan(model.memory.planner)
    unmerged = [*before[0], Node(0, messages)]
    assert found[0] in (after[0], unmerged)
    assert batch is not None or found == after
    assert found[3:] == after[3:], "the work, and its order"
