"""A chat's recorded history as the events of the protocol, in an order in which they can have happened."""

from __future__ import annotations

from collections.abc import Iterator

from optchat.core.config import Config
from optchat.core.node import Node
from optchat.core.view import Batch
from optchat.protocol import AnyRequest, Built, Message, Open, Session, Sizes
from optchat.store import Damaged, Reader
from optchat.store.days import DayFiles
from optchat.store.files import OS_FILES
from optchat.store.records import BadRecord, BatchRecord, NodeRecord, read_tree

Record = NodeRecord | BatchRecord


def tree_records(reader: Reader) -> Iterator[Record]:
    """The lines of `tree/`, in the order in which they were written. Raises Damaged."""
    days = DayFiles(OS_FILES, reader.layout.tree)
    try:
        for block in days.scan(0):
            for number, line in enumerate(block.lines, block.number):
                try:
                    yield read_tree(line)
                except BadRecord as error:
                    raise Damaged(days.path(block.day), number, str(error)) from None
    finally:
        days.close()


def sizes(config: Config) -> Sizes:
    return Sizes(**{name: getattr(config, name) for name in Sizes.__struct_fields__})


def events(session: Session, reader: Reader, config: Config) -> Iterator[AnyRequest]:
    """The events that give the recorded tree, each to be answered by `session` before the next is taken.

    The log does not say between which messages a summary came, only before which batch. So the messages up to a batch
    come first, then the summaries recorded before it, then the message that it ran at: at that message every line has
    the text it had then. Free nodes are left out: the planner builds them by itself.
    """
    yield Open(sizes(config))
    planner = session.planner
    assert planner is not None
    segment: list[NodeRecord] = []

    def until(total: int) -> Iterator[AnyRequest]:
        for message in reader.messages(planner.total, total):
            yield Message(message.kind, message.text)

    def summaries() -> Iterator[AnyRequest]:
        for record in segment:
            node = Node(record.level, record.i)
            if node.end <= planner.total and node not in planner.built_nodes:
                yield Built((record.level, record.i), record.text)
        segment.clear()

    for record in tree_records(reader):
        if isinstance(record, NodeRecord):
            segment.append(record)
        elif record.total:
            yield from until(record.total - 1)
            # Kept for after the message: nodes that came with it, or after it when a crash lost the batch's line.
            late = [node for node in segment if (node.i + 1) << node.level >= record.total]
            segment[:] = [node for node in segment if (node.i + 1) << node.level < record.total]
            yield from summaries()
            yield from until(record.total)
            segment.extend(late)
    yield from until(len(reader))
    yield from summaries()


def batches(reader: Reader) -> list[Batch]:
    """The batches as they were recorded, without those of another implementation, which has not told when they ran."""
    return [
        Batch(tuple(Node(*each) for each in record.merge), record.shrinking, record.total)
        for record in tree_records(reader)
        if isinstance(record, BatchRecord) and record.total
    ]
