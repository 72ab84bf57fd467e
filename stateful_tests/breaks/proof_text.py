"""The text of a proof file, cut into declarations, tokens, calls and arms: what its mutants are made of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

TOKEN = re.compile(r"#[^\n]*|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)+'|[A-Za-z_][\w.]*|[0-9]+n?|=>|==|<>|->|&&|\S")
DECLARATION = re.compile(r"^(?:@unsafe\s+)?(def|law|type)\s+([A-Za-z_][\w.]*)", re.MULTILINE)
OPEN, CLOSE = "([{", ")]}"


class Declaration(NamedTuple):
    """A `def`, `law` or `type` of a file: its text runs from `start` and ends with its last line of code."""

    kind: str
    name: str
    start: int
    text: str

    @property
    def key(self) -> tuple[str, str]:
        return self.kind, self.name


class Token(NamedTuple):
    text: str
    start: int
    end: int


class Call(NamedTuple):
    """`name(a, b)` or `Name{a, b}` or a tuple (its name is empty); spans are offsets into the declaration."""

    name: str
    start: int
    end: int
    arguments: tuple[tuple[int, int], ...]


class Arm(NamedTuple):
    """A case, from its line's start to the end of its body, which begins at `body`; a leaf holds no other case."""

    start: int
    body: int
    end: int
    leaf: bool


def declarations(text: str) -> list[Declaration]:
    """The declarations of a file, in order; comments between them belong to none."""
    heads = list(DECLARATION.finditer(text))
    found = []
    for head, after in zip(heads, [*heads[1:], None], strict=True):
        chunk = text[head.start() : after.start() if after else len(text)]
        lines = chunk.rstrip().split("\n")
        while lines[-1].startswith("#") or not lines[-1].strip():
            lines.pop()
        found.append(Declaration(head[1], head[2], head.start(), "\n".join(lines) + "\n"))
    return found


def tokens(text: str, start: int = 0, end: int | None = None) -> list[Token]:
    """The tokens between two offsets, comments left out."""
    limit = len(text) if end is None else end
    found = (Token(match.group(), match.start(), match.end()) for match in TOKEN.finditer(text, start, limit))
    return [token for token in found if not token.text.startswith("#")]


def pairs(found: list[Token]) -> dict[int, int]:
    """Each opening bracket's index and its closing one's."""
    stack: list[int] = []
    closed: dict[int, int] = {}
    for index, token in enumerate(found):
        if token.text in OPEN:
            stack.append(index)
        elif token.text in CLOSE and stack:
            closed[stack.pop()] = index
    return closed


def body_start(declaration: Declaration) -> int:
    """Where the body of a def begins, behind the colon of its head; the whole of a law or type is its head."""
    if declaration.kind != "def":
        return len(declaration.text)
    found = tokens(declaration.text)
    depth = 0
    for index, token in enumerate(found):
        depth += (token.text in OPEN) - (token.text in CLOSE)
        if token.text == ":" and depth == 0 and index > 2 and declaration.text[token.end : token.end + 1] == "\n":
            return token.end + 1
    return len(declaration.text)


def calls(text: str, start: int, end: int) -> Iterator[Call]:
    """The calls, constructors and tuples between two offsets, outer ones first."""
    found = tokens(text, start, end)
    closed = pairs(found)
    for index, last in closed.items():
        opening = found[index]
        before = found[index - 1] if index else opening
        named = before.end == opening.start and bool(re.match(r"[A-Za-z_]", before.text))
        if opening.text == "[" or (opening.text == "{" and not named):
            continue
        inner = _commas(found, index, last)
        if inner is None or (not named and len(inner) < 2):
            continue
        head = before if named else opening
        yield Call(head.text if named else "", head.start, found[last].end, inner)


def _commas(found: list[Token], index: int, last: int) -> tuple[tuple[int, int], ...] | None:
    """The spans between the commas inside a pair of brackets; None when there is none, or more than terms."""
    if last == index + 1:
        return None
    spans = []
    depth, angles, begin = 0, 0, found[index + 1].start
    for at in range(index + 1, last):
        token = found[at]
        angle = 0
        if token.text == "<" and found[at - 1].end == token.start:
            angle = 1
        elif token.text == ">" and angles:
            angle = -1
        angles += angle
        depth += (token.text in OPEN) - (token.text in CLOSE) + angle
        if depth == 0 and token.text == ",":
            spans.append((begin, found[at - 1].end))
            begin = found[at + 1].start
        elif depth == 0 and token.text in ("%", ":", "="):
            return None
    spans.append((begin, found[last - 1].end))
    return tuple(spans)


def arms(text: str, start: int) -> list[Arm]:
    """The cases of a def's body, by their columns."""
    lines = text[start:].split("\n")
    offsets = [start]
    for line in lines:
        offsets.append(offsets[-1] + len(line) + 1)
    found = []
    for number, line in enumerate(lines):
        head = re.match(r"( *)case .*:$", line)
        if head is None:
            continue
        last = number + 1
        while last < len(lines) and re.match(rf" {{{len(head[1]) + 1}}}|\s*$", lines[last]):
            last += 1
        leaf = not any(re.match(r" *case .*:$", inner) for inner in lines[number + 1 : last])
        found.append(Arm(offsets[number], offsets[number + 1], min(offsets[last], len(text)), leaf))
    return found
