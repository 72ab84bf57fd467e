"""The view as text."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from optchat.core.node import Node


def render_line(node: Node, text: str) -> str:
    """One line, `id+n|text`, without a newline."""
    return f"{node.first}+{node.n}|{text}"


def render(lines: Iterable[Node], text: Callable[[Node], str]) -> str:
    """Lines as the model reads them: `<chat>`, one `id+n|text` a line, `</chat>`; `text` gives a node's line text."""
    body = "".join(render_line(node, text(node)) + "\n" for node in lines)
    return f"<chat>\n{body}</chat>"
