"""The lines of the day files: what each holds, and a strict reading that says what is wrong with a bad one."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Annotated, NamedTuple, TypeVar

import msgspec
from msgspec import Meta, Struct, field

from optchat.core.node import Node
from optchat.core.text import size
from optchat.core.view import Batch
from optchat.store.strictjson import BadJson, TornJson, loads

KINDS = ("user", "unii", "tool", "echo", "work", "note")
"""The kinds of messages. `unii` stands for the agent, whose name is a setting."""

NOT_THE_AGENT = frozenset(KINDS) - {"unii"}

Count = Annotated[int, Meta(ge=0)]
Level = Annotated[int, Meta(ge=0, le=63)]


class BadRecord(ValueError):
    """What is wrong with a line, without its place."""


class TornRecord(BadRecord):
    """The beginning of a line, as a write that was cut short leaves it."""


class Message(NamedTuple):
    """A message as it reads: `kind` is one of KINDS with the agent's name for `unii`; `size` is bytes of UTF-8."""

    i: int
    kind: str
    text: str
    size: int
    date: str
    key: str | None
    images: tuple[str, ...] = ()
    """The names of its images, in `images/`."""

    @property
    def when(self) -> datetime:
        """The date as a moment. Raises ValueError on a date that another implementation wrote in another form."""
        return datetime.fromisoformat(self.date)


class MessageRecord(Struct, frozen=True, gc=False, omit_defaults=True):
    """A line of `main/`."""

    i: Count
    kind: str
    text: str
    size: Count
    date: str
    key: str | None = None
    images: tuple[str, ...] = ()


class NodeRecord(Struct, frozen=True, gc=False):
    """A line of `tree/` for a built node."""

    level: Level = field(name="l")
    i: Count
    text: str
    size: Count


class BatchRecord(Struct, frozen=True, gc=False):
    """A line of `tree/` for a batch. Lines of other implementations can be without `open` and `t`."""

    merge: list[tuple[Level, Count]]
    shrinking: bool = field(name="open", default=False)
    total: Count | None = field(name="t", default=None)


_encode = msgspec.json.Encoder().encode
_message = msgspec.json.Decoder(MessageRecord)
_node = msgspec.json.Decoder(NodeRecord)
_batch = msgspec.json.Decoder(BatchRecord)
_Record = TypeVar("_Record", MessageRecord, NodeRecord, BatchRecord)


def message_line(
    index: int, kind: str, text: str, date: str, key: str | None = None, images: tuple[str, ...] = ()
) -> bytes:
    return _encode(MessageRecord(index, kind, text, size(text), date, key, images)) + b"\n"


def node_line(node: Node, text: str) -> bytes:
    return _encode(NodeRecord(node.level, node.i, text, size(text))) + b"\n"


def batch_line(batch: Batch) -> bytes:
    merged = [(node.level, node.i) for node in batch.merged]
    return _encode(BatchRecord(merged, batch.shrinking, batch.total)) + b"\n"


def read_message(line: bytes) -> MessageRecord:
    """A line of `main/`, without its newline. Raises BadRecord."""
    record = _read(line, _message, MessageRecord)
    _check_size(record.text, record.size)
    if record.kind not in NOT_THE_AGENT and not _is_name(record.kind):
        raise BadRecord(f"{record.kind!r} is no kind of message")
    return record


def read_tree(line: bytes) -> NodeRecord | BatchRecord:
    """A line of `tree/`, without its newline. Raises BadRecord."""
    if line.startswith(b'{"l":'):
        node = _read(line, _node, NodeRecord)
        _check_size(node.text, node.size)
        return node
    if line.startswith(b'{"merge":'):
        return _read(line, _batch, BatchRecord)
    found = strict_json(line)
    if isinstance(found, dict) and "merge" in found:
        return _convert(found, BatchRecord)
    node = _convert(found, NodeRecord)
    _check_size(node.text, node.size)
    return node


def check_agent(agent: str) -> str:
    """An agent's name that can be a kind. Raises BadRecord."""
    if agent in NOT_THE_AGENT or not _is_name(agent):
        raise BadRecord(f"{agent!r} cannot be the agent's name: it must be one word, and none of the other kinds")
    return agent


def read_kind(kind: str, agent: str) -> str:
    """A kind as it reads here: a log under another agent's name reads as this agent's."""
    return kind if kind in NOT_THE_AGENT else agent


def strict_json(data: bytes) -> object:
    """The value of a JSON text, or BadRecord: no NaN, no key twice, no lone surrogate, no nesting past reason."""
    try:
        value = loads(data)
    except BadJson as error:
        kind = TornRecord if isinstance(error, TornJson) else BadRecord
        raise kind(str(error)) from None
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise BadRecord("a lone surrogate in a text") from None
    return value


def _read(line: bytes, decoder: msgspec.json.Decoder[_Record], shape: type[_Record]) -> _Record:
    # The fast decoder takes the last of two equal keys. What encodes back to the same bytes has none.
    try:
        record = decoder.decode(line)
        if _encode(record) == line:
            return record
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        pass  # The slow reading says what is wrong.
    return _convert(strict_json(line), shape)


def _convert(value: object, shape: type[_Record]) -> _Record:
    try:
        return msgspec.convert(value, shape)
    except msgspec.ValidationError as error:
        raise BadRecord(str(error)) from None


def _check_size(text: str, stated: int) -> None:
    if size(text) != stated:
        raise BadRecord(f"its size says {stated} bytes, but its text has {size(text)}")


def _is_name(kind: str) -> bool:
    return bool(kind) and kind.isprintable() and not any(each.isspace() or each == ":" for each in kind)
