"""What text is to the planner: UTF-8 bytes, one-line forms, cuts that keep characters whole."""

from __future__ import annotations

PLACEHOLDER = "(not summarized yet: zoom it)"
"""The text of a view line whose node is not built."""

PLACEHOLDER_SIZE = len(PLACEHOLDER)
"""Its size, in bytes."""


def size(text: str) -> int:
    """The UTF-8 length of text, in bytes. A lone surrogate has none: UnicodeEncodeError."""
    return len(text) if text.isascii() else len(text.encode())


def flatten(text: str) -> str:
    """A node's text as a line: each of `\\r\\n`, `\\n` and `\\r` becomes one space."""
    return text.replace("\r\n", " ").replace("\n", " ").replace("\r", " ")


def line_size(text: str) -> int:
    """The bytes of a node's text as a line, without its `id+n|` head: a `\\r\\n` counts once."""
    return size(text) - text.count("\r\n")


def cut(text: str, limit: int) -> str:
    """The longest prefix of text of at most `limit` bytes that ends between characters (law fail_cap_builds).

    With a limit of 4 bytes or more a non-empty text keeps at least one character.
    """
    if len(text) <= limit and size(text) <= limit:
        return text
    # A prefix of `limit` characters holds every byte that can stay, so a huge text is never encoded whole.
    return text[:limit].encode()[:limit].decode(errors="ignore")


def leaf_source(kind: str, text: str) -> str:
    """The source of a message's leaf: `kind: text`."""
    return f"{kind}: {text}"


def merge_source(left: str, right: str) -> str:
    """The source of a merge: the texts of its two halves, joined by one newline."""
    return f"{left}\n{right}"
