"""A chat's recorded history as the events of the protocol, in an order in which they can have happened."""

from __future__ import annotations

from collections.abc import Iterator

from optchat.core.config import Config
from optchat.core.node import Node
from optchat.core.text import PLACEHOLDER_SIZE, line_size
from optchat.core.view import Batch
from optchat.protocol import AnyRequest, Built, Message, Open, Session, Sizes
from optchat.store import Reader
from optchat.store.records import BatchRecord, NodeRecord


def sizes(config: Config) -> Sizes:
    return Sizes(**{name: getattr(config, name) for name in Sizes.__struct_fields__})


def events(session: Session, reader: Reader, config: Config) -> Iterator[AnyRequest]:
    """The events that give the recorded tree, each to be answered by `session` before the next is taken.

    The log does not say between which messages a summary came, only between which batches. So they come where the
    view stays as small as it can: those that shorten a line as early as their message lets them, the others only when
    the next batch is due. Then no batch runs before the recorded one, and at that one every line has the text it had.
    Free nodes are left out: the planner builds them by itself.
    """
    yield Open(sizes(config))
    planner = session.planner
    assert planner is not None
    segment: list[NodeRecord] = []

    def summaries(end: int) -> Iterator[AnyRequest]:
        """Those of the segment that are not built yet and end at or before a message."""
        for record in segment:
            node = Node(record.level, record.i)
            if node.end <= min(end, planner.total) and node not in planner.built_nodes:
                yield Built((record.level, record.i), record.text)

    def messages(end: int) -> Iterator[AnyRequest]:
        """Those up to an end, with the summaries that shorten a line."""
        short = {record.i: record for record in segment if is_short(record)}
        for i in [i for i in short if i < planner.total and Node(0, i) not in planner.built_nodes]:
            yield Built((0, i), short[i].text)
        for message in reader.messages(planner.total, end):
            yield Message(message.kind, message.text)
            if message.i in short and Node(0, message.i) not in planner.built_nodes:
                yield Built((0, message.i), short[message.i].text)

    for record in reader.tree_records():
        if isinstance(record, NodeRecord):
            segment.append(record)
        elif record.total:
            yield from messages(record.total - 1)
            yield from summaries(record.total - 1)
            yield from messages(record.total)
            # Nodes that end at the batch's message came with it, and are built, unless a crash lost the batch's line.
            segment[:] = [node for node in segment if Node(node.level, node.i) not in planner.built_nodes]
    yield from messages(len(reader))
    yield from summaries(len(reader))


def is_short(record: NodeRecord) -> bool:
    """Whether a node's line is shorter than the placeholder that stands for it before."""
    return record.level == 0 and line_size(record.text) < PLACEHOLDER_SIZE


def batches(reader: Reader) -> list[Batch]:
    """The batches as they were recorded, without those of another implementation, which has not told when they ran."""
    return [
        Batch(tuple(Node(*each) for each in record.merge), record.shrinking, record.total)
        for record in reader.tree_records()
        if isinstance(record, BatchRecord) and record.total
    ]


def complete(reader: Reader) -> int:
    """Up to how many messages every batch is recorded.

    A batch is recorded behind the nodes that came with its message, and those behind all that earlier messages
    brought; but messages that are logged together all come before.
    """
    return max(
        (
            (record.total or 0) if isinstance(record, BatchRecord) else Node(record.level, record.i).end - 1
            for record in reader.tree_records()
        ),
        default=0,
    )
