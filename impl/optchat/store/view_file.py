"""`view.json`: the view and the batch state, as a cache of the replay; for a foreign chat, once, their source."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta, Struct, field

from optchat.core.node import Node
from optchat.core.tree import BuiltNodes
from optchat.core.view import Batch
from optchat.store.files import Files, write_atomic
from optchat.store.records import BadRecord, Count, Level, strict_json

Lines = list[tuple[Level, Count]]


class ViewRecord(Struct, frozen=True):
    view: Lines
    shrinking: bool = field(name="open", default=False)
    total: Annotated[int, Meta(ge=0)] | None = field(name="t", default=None)


class SavedView(NamedTuple):
    """What a `view.json` says: lines that tile `[0, total)`."""

    lines: list[Node]
    shrinking: bool
    total: int

    def grown(self, total: int) -> list[Node]:
        """Its lines, and the newest messages' own, which it may lack."""
        return self.lines + [Node(0, index) for index in range(self.total, total)]


def encode_view(saved: SavedView) -> bytes:
    record = ViewRecord([(node.level, node.i) for node in saved.lines], saved.shrinking, saved.total)
    return msgspec.json.encode(record) + b"\n"


def write_view(files: Files, path: Path, saved: SavedView, *, durable: bool) -> None:
    """Put the view in the place of the last one. A torn one is found at the next open, so it need not be durable."""
    write_atomic(files, path, encode_view(saved), durable=durable)


def read_view(path: Path) -> SavedView:
    """A `view.json`, ours or another implementation's bare list. Raises BadRecord, FileNotFoundError."""
    value = strict_json(path.read_bytes())
    try:
        if isinstance(value, list):
            record = ViewRecord(msgspec.convert(value, Lines))
        else:
            record = msgspec.convert(value, ViewRecord)
    except msgspec.ValidationError as error:
        raise BadRecord(str(error)) from None
    lines = [Node(level, index) for level, index in record.view]
    end = 0
    for number, node in enumerate(lines):
        if node.first != end:
            raise BadRecord(f"line {number} of the view is {node.name}, where message {end} must begin")
        end = node.end
    if record.total is not None and record.total != end:
        raise BadRecord(f"the view ends at message {end}, but `t` says {record.total}")
    return SavedView(lines, record.shrinking, end)


def adopt(saved: SavedView, total: int, built: BuiltNodes) -> Batch:
    """A foreign chat's view as one batch over its messages: every merge that its lines are made of.

    Messages after the view's end get their own lines. Raises BadRecord when the view does not fit the log and tree.
    """
    if saved.total > total:
        raise BadRecord(f"its view ends at message {saved.total}, beyond the log, which has {total}")
    merged: list[Node] = []
    for node in saved.lines:
        if node.level and node not in built:
            raise BadRecord(f"its line {node.name} is no built node of the tree")
        for level in range(1, node.level + 1):
            first = node.first >> level
            merged.extend(Node(level, index) for index in range(first, first + (1 << (node.level - level))))
    return Batch(tuple(merged), saved.shrinking, saved.total)
