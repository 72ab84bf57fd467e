"""The start of a chat: its index or its files read, its batches replayed, its view found."""

from __future__ import annotations

import sys

from optchat.core.planner import PlannerState
from optchat.core.view import Batch
from optchat.store.contents import Contents, Indexed
from optchat.store.days import DayFiles
from optchat.store.errors import Damaged, StoreError
from optchat.store.files import Files
from optchat.store.index import Head, Index, entries, mismatch, read_index, write_index
from optchat.store.layout import Layout
from optchat.store.records import BadRecord, BatchRecord, check_agent
from optchat.store.view_file import adopt, read_view

INVENTED = "its view would have to be invented: restore it from a backup, or import the chat into a new folder"
WORTH = 1 << 20
"""Bytes of new lines, read in some 20 ms, from which on a new index is worth writing (`make bench`, open)."""


def load(layout: Layout, files: Files, agent: str, node_limit: int | None = None, *, fresh: bool = False) -> Contents:
    """All that the files hold, by the index where it matches them. Raises Damaged.

    With `node_limit` (NODE) that of the index, its unbuilt nodes are known not to be free. With `fresh`, the index is
    not looked at.
    """
    try:
        check_agent(agent)
    except BadRecord as error:
        raise StoreError(f"{error}") from None
    index = "not asked for" if fresh else read_index(layout.index)
    contents = _with_files(layout, files, agent)
    try:
        if isinstance(index, str):
            reason: str | None = index
        else:
            reason = mismatch(contents.main, index.head.main) or mismatch(contents.tree, index.head.tree)
            if reason is None:
                restore(contents, index, node_limit)
                try:
                    contents.catch_up()
                    return contents
                except Damaged:
                    # The files may be damaged, or the index wrong: the files alone decide.
                    reason = "it does not fit the lines after it"
                    contents.close()
                    contents = _with_files(layout, files, agent)
        contents.indexed.missing = reason
        contents.catch_up()
    except BaseException:
        contents.close()
        raise
    return contents


def _with_files(layout: Layout, files: Files, agent: str) -> Contents:
    # The tree first: it may lag behind the log, never lead it, also while another process appends.
    tree = DayFiles(files, layout.tree)
    return Contents(DayFiles(files, layout.main), tree, agent)


def restore(contents: Contents, index: Index, node_limit: int | None) -> None:
    """Take over what an index holds that matches the files."""
    head = index.head
    contents.messages, contents.nodes = index.messages, index.nodes
    contents.built.levels = index.built
    contents.replay.lines, contents.replay.shrinking = index.view, head.shrinking
    contents.replay.total = len(index.messages)
    contents.recorded = head.recorded
    contents.leaves, contents.ready = dict.fromkeys(index.leaves), dict.fromkeys(index.ready)
    if node_limit == head.node_limit:
        contents.not_free = {*index.leaves, *index.ready}
    for days, known in ((contents.main, head.main), (contents.tree, head.tree)):
        for day, entry in zip(days.days, known, strict=False):
            day.lines = entry.lines
    contents.main_read = sum(entry.size for entry in head.main)
    contents.tree_read = sum(entry.size for entry in head.tree)
    covers = contents.main_read + contents.tree_read
    contents.indexed = Indexed(None, covers, index.size, head.main, head.tree, head.stamp)


def save_index(layout: Layout, files: Files, contents: Contents, state: PlannerState, node_limit: int) -> None:
    """Write the index of a chat that is between two events, when it is worth the writing."""
    indexed = contents.indexed
    covers = contents.main_read + contents.tree_read
    if indexed.missing is None and covers - indexed.covers < min(WORTH, indexed.size // 16 + 1):
        return
    main, tree = entries(contents.main, indexed.main), entries(contents.tree, indexed.tree)
    if main is None or tree is None:
        return
    head = Head(sys.byteorder, indexed.stamp, node_limit, state.shrinking, contents.recorded, main, tree)
    places = contents.messages, contents.nodes, state.built.levels
    size = write_index(files, layout.index, Index(head, *places, state.lines, state.leaves, state.ready))
    contents.indexed = Indexed(None, covers, size, main, tree, indexed.stamp)


def adopt_view(layout: Layout, contents: Contents) -> Batch | None:
    """Of a chat without any recorded batch: the batch that its `view.json` amounts to, done; it is to be recorded.

    None when nothing needs adopting. Raises Damaged when there is no view to adopt.
    """
    total = len(contents.messages)
    if contents.recorded or not total:
        return None
    try:
        batch = adopt(read_view(layout.view), total, contents.built)
    except FileNotFoundError:
        raise Damaged(layout.view, None, "missing, in a chat with messages and no recorded batches", INVENTED) from None
    except BadRecord as error:
        raise Damaged(layout.view, None, f"{error}, in a chat with no recorded batches", INVENTED) from None
    merged = [(node.level, node.i) for node in batch.merged]
    contents.take_batch(BatchRecord(merged, batch.shrinking, batch.total))
    return batch
