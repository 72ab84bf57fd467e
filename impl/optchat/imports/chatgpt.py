"""A ChatGPT export: `conversations.json`, the zip file it comes in, or one conversation of it.

A conversation is a tree of nodes, `mapping`; the conversation as the user last saw it is the path from `current_node`
up to the root. Everything else lies on branches that were given up (an edited question, a reply made again): it is
taken and marked `alternate`.

- A user's text is kind user; the assistant's, unii; what the assistant sends to a tool, tool; what a tool says, echo.
- A text is the parts of the content joined by a newline; a part that is no text is its type in brackets, `[image]`.
- A node without a date has that of the node above it; the first ones, that of the conversation.

Left out, and counted by reason: system messages, hidden messages, thoughts, the user's profile, empty messages.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any

from optchat.imports.dates import BadDate, epoch_date
from optchat.imports.files import Advance, chunks_of, members_of
from optchat.imports.jsontext import Element, elements, has_surrogate, repaired
from optchat.imports.record import Damage, ImportFailed, Keys, LeftOut, Parsed, Record, Stream, utc
from optchat.store.strictjson import BadJson, loads

MEMBER = "conversations.json"
SOURCE = "chatgpt"
LIMIT = 256 << 20
"""The most bytes of one conversation."""

LEFT_OUT = {
    "thoughts": "thoughts",
    "reasoning_recap": "thoughts",
    "user_editable_context": "injected context",
    "model_editable_context": "injected context",
}
"""Types of content that are no message, and what they are counted as."""


class BadNode(ValueError):
    """Why a conversation, or a node of one, cannot be read; without its place."""


def parse(path: Path, advance: Advance) -> Stream:
    """The messages of an export: of a zip file, those of all its members with the name.

    Raises ImportFailed on a zip file without the conversations, or a damaged one.
    """
    with path.open("rb") as file:
        zipped = file.read(4) == b"PK\x03\x04"
    members = members_of(path, MEMBER) if zipped else [None]
    for member in members:
        # In a zip file with several of them, a line alone is no place.
        place = path if member is None or len(members) == 1 else Path(f"{path}/{member.filename}")
        # Two of them are as two files: what both have is the same.
        keys = Keys(SOURCE)
        for element in _conversations(path, chunks_of(path, advance, member)):
            yield from conversation(place, element, keys)


def _conversations(path: Path, chunks: Iterator[bytes]) -> Iterator[Element]:
    first = next(chunks, b"").removeprefix(b"\xef\xbb\xbf")
    start = first.lstrip()[:1]
    if start == b"{":
        data = bytearray(first)
        for chunk in chunks:
            data += chunk[: max(0, LIMIT + 1 - len(data))]
        yield Element(1, bytes(data), True)
    elif start == b"[":
        yield from elements(chain([first], chunks), LIMIT)
    else:
        raise ImportFailed(f"{path}: these are no conversations of a ChatGPT export: a JSON array is expected")


def conversation(path: Path, element: Element, keys: Keys) -> Stream:
    """The messages of one conversation, from the root down, a node's branches in their order."""
    line = element.line
    try:
        if not element.whole:
            raise BadNode("the file ends within a conversation")
        if len(element.data) > LIMIT:
            raise BadNode("a conversation that is too long")
        found = loads(element.data)
        if not isinstance(found, dict) or not isinstance(found.get("mapping"), dict):
            raise BadNode("a conversation without its mapping")
        order = walk(found["mapping"])
        shown = path_to(found["mapping"], found.get("current_node"), order)
    except (BadJson, BadNode) as error:
        yield Damage(path, line, str(error))
        return
    dates: dict[str, datetime | None] = {}
    for name, above in order:
        node = found["mapping"][name]
        try:
            dates[name] = None if above is None else dates.get(above)
            message = node.get("message")
            if message is None:
                continue
            if not isinstance(message, dict):
                raise BadNode("a message that is no JSON object")
            if message.get("create_time") is not None:
                dates[name] = epoch_date(message["create_time"])
            date = dates[name] or epoch_date(found.get("create_time"))
            dates[name] = date
            yield _message(path, line, message, date, keys, name, alternate=name not in shown)
        except (BadNode, BadDate) as error:
            yield Damage(path, line, f"message {name[:40]!r}: {error}")


def walk(mapping: dict[str, Any]) -> list[tuple[str, str | None]]:
    """The nodes, each after the one above it, with that one's name (None for a root). Raises BadNode.

    A node is below one other, and only what hangs from a root is walked: no circle can be entered.
    """
    below: dict[str | None, list[str]] = {}
    for name, node in mapping.items():
        if not isinstance(node, dict):
            raise BadNode(f"the node {name[:40]!r} is no JSON object")
        above = node.get("parent")
        if above is not None and not isinstance(above, str):
            raise BadNode(f"the parent of the node {name[:40]!r} is no name")
        below.setdefault(above if above in mapping else None, []).append(name)
    order = []
    open_: list[tuple[str, str | None]] = [(name, None) for name in reversed(below.get(None, []))]
    while open_:
        name, above = open_.pop()
        order.append((name, above))
        known = {child: at for at, child in enumerate(_names(mapping[name].get("children")))}
        children = sorted(below.get(name, []), key=lambda child: known.get(child, len(known)))
        open_.extend((child, name) for child in reversed(children))
    if len(order) < len(mapping):
        raise BadNode("a conversation whose nodes go round in a circle")
    return order


def path_to(mapping: dict[str, Any], current: object, order: list[tuple[str, str | None]]) -> set[str]:
    """The nodes from a root to the current one; without one, to the last of all."""
    above = dict(order)
    name: str | None = order[-1][0] if order else None
    if isinstance(current, str) and current in mapping:
        name = current
    shown = set()
    while name is not None:
        shown.add(name)
        name = above[name]
    return shown


def _message(
    path: Path, line: int, message: dict[str, Any], date: datetime, keys: Keys, name: str, *, alternate: bool
) -> Parsed:
    author, content = message.get("author"), message.get("content")
    role = author.get("role") if isinstance(author, dict) else None
    if not isinstance(content, dict):
        raise BadNode("a message without a content")
    metadata = message.get("metadata")
    if role == "system":
        return LeftOut("system messages")
    if isinstance(metadata, dict) and metadata.get("is_visually_hidden_from_conversation") is True:
        return LeftOut("hidden messages")
    if reason := LEFT_OUT.get(str(content.get("content_type"))):
        return LeftOut(reason)
    match role:
        case "user":
            kind = "user"
        case "assistant":
            kind = "unii" if message.get("recipient", "all") == "all" else "tool"
        case "tool":
            kind = "echo"
        case _:
            raise BadNode(f"its author is {str(role)[:40]!r}, not user, assistant, tool or system")
    text = _text(content)
    if has_surrogate(text):
        if kind != "echo":
            raise BadNode("a lone surrogate in the text")
        text = repaired(text)
    if not text.strip():
        return LeftOut("empty messages")
    own = str(message.get("id") or name)
    return Record(kind, text, date, keys.key(utc(date), kind, text, own), "", path, line, alternate)


def _text(content: dict[str, Any]) -> str:
    if isinstance(content.get("parts"), list):
        return "\n".join(_part(part) for part in content["parts"])
    for member in ("text", "result"):
        if isinstance(content.get(member), str):
            return str(content[member])
    return f"[{content.get('content_type')}]"


def _part(part: object) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        raise BadNode("a part of the content is neither a text nor a JSON object")
    if isinstance(part.get("text"), str):
        return str(part["text"])
    kind = str(part.get("content_type"))
    return "[image]" if kind.startswith("image") else f"[{kind}]"


def _names(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
