"""The start of a chat: its files read, its batches replayed, its view found."""

from __future__ import annotations

from optchat.core.view import Batch
from optchat.store.contents import Contents
from optchat.store.days import DayFiles
from optchat.store.errors import Damaged
from optchat.store.files import Files
from optchat.store.layout import Layout
from optchat.store.records import BadRecord, BatchRecord
from optchat.store.view_file import adopt, read_view

INVENTED = "its view would have to be invented: restore it from a backup, or import the chat into a new folder"


def load(layout: Layout, files: Files, agent: str) -> Contents:
    """All that the files hold. Raises Damaged."""
    # The tree first: it may lag behind the log, never lead it, also while another process appends.
    tree = DayFiles(files, layout.tree)
    main = DayFiles(files, layout.main)
    contents = Contents(main, tree, agent)
    contents.catch_up()
    return contents


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
