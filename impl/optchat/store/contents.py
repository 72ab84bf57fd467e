"""What a chat holds, as its files say: where each line is, which nodes are built, the view that the batches give."""

from __future__ import annotations

import os
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from optchat.core.node import Node
from optchat.core.replay import Replay, ReplayError
from optchat.core.tree import BuiltNodes
from optchat.core.view import Batch
from optchat.store.days import Block, DayFiles
from optchat.store.errors import Damaged
from optchat.store.index import FileEntry
from optchat.store.records import (
    BadRecord,
    BatchRecord,
    Message,
    MessageRecord,
    NodeRecord,
    read_kind,
    read_message,
    read_tree,
)


@dataclass(slots=True)
class Indexed:
    """What the index on disk covers."""

    missing: str | None = "not read"
    """Why no index could be used, None when one was."""
    covers: int = 0
    """Bytes of both runs."""
    size: int = 0
    """Bytes of the index itself."""
    main: list[FileEntry] = field(default_factory=list)
    tree: list[FileEntry] = field(default_factory=list)
    stamp: str = field(default_factory=lambda: os.urandom(8).hex())


class Contents:
    """The state that the lines of `main/` and `tree/` add up to, and the texts, read from disk at each call.

    It is the planner's Texts. `messages[i]` is the place of message i; `nodes[l][i]` that of node `(l, i)` plus one,
    0 while it is not built: 24 bytes a message. Every reading checks that the line is the one asked for.
    """

    def __init__(self, main: DayFiles, tree: DayFiles, agent: str) -> None:
        self.main = main
        self.tree = tree
        self.agent = agent
        self.messages = array("Q")
        self.nodes: list[array[int]] = []
        self.built = BuiltNodes()
        self.replay = Replay()
        self.recorded = False
        """Whether a batch was ever recorded: then the replay alone says what the view is."""
        self.leaves: dict[Node, None] = {}
        """The unbuilt leaves, oldest first."""
        self.ready: dict[Node, None] = {}
        """The unbuilt merges with built halves, in the order of the lines that made them so."""
        self.main_read = 0
        """How far the lines of `main/` are taken in, as a place."""
        self.tree_read = 0
        self.not_free: set[Node] = set()
        """Unbuilt nodes of which an index says that they are not free."""
        self.indexed = Indexed()

    def close(self) -> None:
        self.main.close()
        self.tree.close()

    # Texts.

    def message(self, index: int) -> tuple[str, str]:
        record = self.record(index)
        return read_kind(record.kind, self.agent), record.text

    def node(self, node: Node) -> str:
        at = self.nodes[node.level][node.i] - 1
        try:
            record = read_tree(self.tree.line_at(at))
            if not isinstance(record, NodeRecord) or (record.level, record.i) != node:
                raise BadRecord(f"not the line of node {node.name}, which was here")
        except BadRecord as error:
            raise Damaged(*self.tree.where(at), str(error)) from None
        return record.text

    def record(self, index: int) -> MessageRecord:
        """A message's line. IndexError beyond the log."""
        at = self.messages[index]
        return self._record_of(self.main.line_at(at), at, index)

    def _record_of(self, line: bytes, at: int, index: int) -> MessageRecord:
        """A line of `main/`, which must be message `index`'s. Raises Damaged."""
        try:
            record = read_message(line)
            if record.i != index:
                raise BadRecord(f"not the line of message {index}, which was here")
        except BadRecord as error:
            raise Damaged(*self.main.where(at), str(error)) from None
        return record

    def whole(self, index: int) -> Message:
        """A message with all that its line says."""
        return self._message(self.record(index))

    def run(self, start: int, stop: int) -> Iterator[Message]:
        """The messages `[start, stop)`, oldest first, read in blocks."""
        if start >= stop:
            return
        end = self.messages[stop] if stop < len(self.messages) else self.main.end
        index = start
        for block in self.main.scan(self.messages[start], end):
            for place, line in block.placed():
                yield self._message(self._record_of(line, place, index))
                index += 1

    def tree_records(self) -> Iterator[NodeRecord | BatchRecord]:
        """The lines of `tree/` that were taken in, in the order in which they were written."""
        for block in self.tree.scan(0, self.tree_read):
            for place, line in block.placed():
                try:
                    yield read_tree(line)
                except BadRecord as error:
                    raise Damaged(*self.tree.where(place), str(error)) from None

    def _message(self, record: MessageRecord) -> Message:
        kind = read_kind(record.kind, self.agent)
        return Message(record.i, kind, record.text, record.size, record.date, record.key, record.images)

    # The view.

    def lines(self) -> list[Node]:
        """The view's lines, oldest first."""
        self.replay.messages(len(self.messages))
        return self.replay.lines

    # Taking lines in.

    def catch_up(self) -> None:
        """Take in the lines that came since. Raises Damaged with the file and line of the first bad one."""
        for block in self.main.scan(self.main_read):
            self.take_messages(block)
        for block in self.tree.scan(self.tree_read):
            self.take_tree(block)

    def take_messages(self, block: Block) -> None:
        """Take in a block of `main/`."""
        place = block.at
        for number, line in enumerate(block.lines, block.number):
            try:
                self.take_message(line, place)
            except BadRecord as error:
                raise Damaged(self.main.path(block.day), number, str(error)) from None
            place += len(line) + 1
        block.day.lines += len(block.lines)
        self.main_read = place

    def take_tree(self, block: Block) -> None:
        """Take in a block of `tree/`, whose messages are all in."""
        place = block.at
        for number, line in enumerate(block.lines, block.number):
            try:
                self.take_tree_line(line, place)
            except (BadRecord, ReplayError) as error:
                raise Damaged(self.tree.path(block.day), number, str(error)) from None
            place += len(line) + 1
        block.day.lines += len(block.lines)
        self.tree_read = place

    def take_message(self, line: bytes, place: int) -> MessageRecord:
        """Take in the next line of `main/`. Raises BadRecord, nothing changed then."""
        record = read_message(line)
        index = len(self.messages)
        if record.i != index:
            kind = "a repeat" if record.i < index else "a gap"
            raise BadRecord(f"{kind} in the ids: {record.i} where {index} must be")
        self.leaves[Node(0, index)] = None
        self.messages.append(place)
        return record

    def take_tree_line(self, line: bytes, place: int) -> None:
        """Take in the next line of `tree/`. Raises BadRecord or ReplayError, nothing changed then."""
        record = read_tree(line)
        if isinstance(record, BatchRecord):
            self.take_batch(record)
            return
        level, index = record.level, record.i
        if (index + 1) << level > len(self.messages):
            name = Node(level, index).name
            raise BadRecord(f"node {name} reaches beyond the log, which has {len(self.messages)} messages")
        if self._has(level, index):
            raise BadRecord(f"node {Node(level, index).name} a second time")
        if level and not (self._has(level - 1, 2 * index) and self._has(level - 1, 2 * index + 1)):
            raise BadRecord(f"node {Node(level, index).name} without its two halves before it")
        if not record.text:
            raise BadRecord(f"node {Node(level, index).name} with an empty text")
        node = Node(level, index)
        self.note_place(node, place)
        self.built.add(node)
        if level == 0:
            self.leaves.pop(node, None)
        else:
            self.ready.pop(node, None)
        if self._has(level, index ^ 1):
            self.ready[node.parent] = None

    def _has(self, level: int, index: int) -> bool:
        """Whether a node's place is known. As `in built`, in half the time (`make bench`, rebuild)."""
        if level >= len(self.nodes):
            return False
        places = self.nodes[level]
        return index < len(places) and places[index] != 0

    def note_place(self, node: Node, place: int) -> None:
        """Remember where a node's line is."""
        level, index = node
        while level >= len(self.nodes):
            self.nodes.append(array("Q"))
        places = self.nodes[level]
        missing = index + 1 - len(places)
        if missing > 0:
            places.frombytes(bytes(8 * missing))
        places[index] = place + 1

    def take_batch(self, record: BatchRecord) -> None:
        """Do a recorded batch again. One without `t` happened when the messages that it merged were there."""
        merged = tuple(Node(level, index) for level, index in record.merge)
        total = record.total
        if total is None:
            total = max([self.replay.total, *(node.end for node in merged)])
        if total > len(self.messages):
            raise BadRecord(f"a batch at message {total}, beyond the log, which has {len(self.messages)} messages")
        self.replay.batch(Batch(merged, record.shrinking, total), self.built)
        self.recorded = True


def covering(lines: list[Node], index: int) -> Node:
    """The line of a view that covers message `index`, which must be one of its messages. O(log view)."""
    return lines[bisect_right(lines, index, key=lambda line: line.first) - 1]
