"""The HTML page: the view as an expandable tree, and every message in it, as data that a little script unfolds."""

from __future__ import annotations

import html
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from optchat.cli.common import Advance, count

if TYPE_CHECKING:
    from optchat.core.node import Node
    from optchat.store import Reader


def page(reader: Reader, advance: Advance) -> Iterator[str]:
    """The page, piece by piece. Without scripts it still shows the view's lines."""
    total = len(reader)
    template = Path(__file__).with_name("page.html").read_text(encoding="utf-8")
    about = f"{count(total, 'message')} under {count(len(reader.view()), 'line')}. A line opens into its two halves."
    template = template.replace("@TITLE@", html.escape(f"A chat of {count(total, 'message')}"))
    head, rest = template.replace("@ABOUT@", html.escape(about)).split("@LINES@")
    before, after = rest.split("@CHAT@")
    yield head
    for node in reader.view():
        line = f'<span class="name">{node.name}</span>{html.escape(reader.line(node))}'
        yield f'<li data-l="{node.level}" data-i="{node.i}">{line}</li>\n'
    yield before
    yield from data(reader, advance)
    yield after


def data(reader: Reader, advance: Advance) -> Iterator[str]:
    """The chat as JSON: `messages` as `[kind, date, text]`, and the texts of `nodes` that do not follow from others.

    A node that is its own source, a message's or its halves', is left out: the script puts it together. One that is
    not built is null.
    """
    from optchat.core.text import PLACEHOLDER

    total = len(reader)
    yield f'{{"placeholder":{script_json(PLACEHOLDER)},"messages":['
    for message in reader.messages():
        yield ("," if message.i else "") + script_json([message.kind, message.date, message.text])
        advance(message.i + 1, total)
    yield '],"nodes":{'
    comma = ""
    for node in tree(reader):
        text, source = reader.node_text(node), source_of(reader, node)
        if text is None or text != source:
            yield f'{comma}"{node.level},{node.i}":{script_json(text)}'
            comma = ","
    yield "}}"


def tree(reader: Reader) -> Iterator[Node]:
    """Every node of the trees under the view's lines."""
    from optchat.core.node import Node

    for line in reader.view():
        for level in range(line.level + 1):
            across = 1 << (line.level - level)
            for i in range(line.i * across, (line.i + 1) * across):
                yield Node(level, i)


def source_of(reader: Reader, node: Node) -> str | None:
    """What a node's text would be without a summary; None when a half is not built."""
    from optchat.core.text import leaf_source, merge_source

    if node.level == 0:
        message = reader.message(node.i)
        return leaf_source(message.kind, message.text)
    left, right = (reader.node_text(half) for half in node.children)
    return None if left is None or right is None else merge_source(left, right)


def script_json(value: Any) -> str:
    """A value as JSON that cannot end the script element that it stands in, whatever its texts hold."""
    import msgspec

    return msgspec.json.encode(value).decode().replace("<", "\\u003c").replace("\u2028", "\\u2028")
