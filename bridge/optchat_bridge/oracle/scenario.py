"""Scenarios as text: a first line with the numbers, then one event a line. `bend/README.md` has the format."""

from __future__ import annotations

from optchat.core.config import Config
from optchat.core.node import Node

ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
UNESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
ESCAPING = str.maketrans(ESCAPES)
FIELDS = ("node", "ceiling", "floor", "cceiling", "cfloor", "jobs", "lookahead", "failures", "tries")
"""The numbers of the first line, in order."""


def escape(text: str) -> str:
    """A text without newlines, carriage returns or tabs."""
    return text.translate(ESCAPING)


def unescape(text: str) -> str:
    """The text that was escaped."""
    out: list[str] = []
    chars = iter(text)
    for char in chars:
        if char == "\\":
            after = next(chars, "")
            out.append(UNESCAPES.get(after, after))
        else:
            out.append(char)
    return "".join(out)


def config_line(config: Config) -> str:
    return "config " + " ".join(str(getattr(config, name)) for name in FIELDS)


def read_config(line: str) -> Config:
    """The planner's numbers from a scenario's first line. Raises ValueError."""
    word, *numbers = line.split(" ")
    if word != "config" or len(numbers) != len(FIELDS):
        raise ValueError(f"a scenario begins with config and {len(FIELDS)} numbers, not with {line[:60]!r}")
    return Config(**dict(zip(FIELDS, map(int, numbers), strict=True)))


def message(kind: str, text: str) -> str:
    return f"m {kind} {escape(text)}"


def started(node: Node) -> str:
    return f"s {node.level} {node.i}"


def built(node: Node, text: str) -> str:
    return f"b {node.level} {node.i} {escape(text)}"


def failed(node: Node) -> str:
    return f"f {node.level} {node.i}"


def context(node: Node) -> str:
    return f"c {node.level} {node.i}"


def wait(on: bool) -> str:
    return f"w {int(on)}"


def replies(source: str, answers: list[str | None]) -> str:
    """The replies of a model, in order, to the call for a line of `source`; None is an error."""
    said = ["!" if answer is None else "=" + escape(answer) for answer in answers]
    return "l " + "\t".join([escape(source), *said])


RETRY = "r"
REOPEN = "o"
