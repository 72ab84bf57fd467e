"""The offline compactor: a line made of the words of its source that carry the most. No model, no network.

A line is groups, one a kind, the user's first: `user: words | words | unii: words`. A leaf keeps the start of its
message as it stands and then the words that tell the most; a merge keeps of both halves the words that tell the most,
in their order, each one once. What a word tells is read off the word alone: errors, numbers, paths, names and the
outcomes of work count most, words of which every text is full the least. The same source gives the same line.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from optchat.agent.words import DULL, ERRORS, OUTCOMES, STOP
from optchat.core.text import cut, flatten, size

SEPARATOR = " | "
KINDS = ("user", "note", "work", "unii", "assistant", "tool", "echo")
"""The kinds in the order of their groups. `assistant` is another agent's reply in a note."""

WEIGHTS = {"user": 3.0, "note": 2.0, "work": 2.0, "tool": 1.0, "echo": 0.8}
"""How much a word of a kind counts; of a reply, 1.3."""

HEADS = {"user": 0.6, "note": 0.5, "work": 0.5, "tool": 0.3, "echo": 0.2}
"""The part of a leaf's line that is the message's start as it stands; of a reply, 0.35."""

FAIR = 0.4
"""The part of a merge's line that each half gets before both compete (see `python -m stateful_tests.agent.recall`)."""

LOOK = (8000, 3000)
"""How many characters of a long message's start and end are looked at."""

WORD = re.compile(r"(\s*)([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\s\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+)")
"""A word and the space before it. In scripts without spaces each character is a word."""

NAME = re.compile(r"[A-Za-z0-9]+[./\\_:@-][A-Za-z0-9_]|[a-z][A-Z]|^[A-Z][A-Z0-9]+$|^[~.]/\w|^/\w[^/]*/\w|\w\(\)")
"""What a path, an identifier, an address or an abbreviation has in it."""

COMMAND = re.compile(r"/[a-z]+")
"""A command of a chat program, as people type them all day."""

LONGEST = 80
"""The most bytes of one word: what is longer is no name that anyone will look for."""

TELLING = ERRORS | OUTCOMES
OUTER = ".,;:!?()[]{}<>\"'`*#|=-~…│█⋮"


class Word(NamedTuple):
    """A word of a line to be: what it is worth, its segment, and whether it follows the one before without a space."""

    text: str
    value: float
    segment: int
    glued: bool


class Segment(NamedTuple):
    """A run of words of one kind; `half` is 0 or 1."""

    tag: str
    half: int


def extract(source: str, level: int, limit: int = 512, agent: str = "unii") -> str:
    """The line of a node: 1 to `limit` bytes, made from its source.

    At level 0 the source is `kind: text`, above it is the texts of two halves with a newline between them. `limit` is
    4 bytes or more; the source must not be empty. `agent` is the name that the agent's messages have as their kind.
    """
    line = _leaf(source, limit) if level == 0 else _merge(source, limit, agent)
    return cut(flatten(line), limit) or flatten(cut(source, limit))


def _leaf(source: str, limit: int) -> str:
    tag, text = _leaf_tag(source)
    prefix = f"{tag}: "
    room = limit - size(prefix) - len(SEPARATOR)
    if room <= 0:
        return source
    start, end = LOOK
    if len(text) > start + end:
        text = text[:start] + "\n" + text[-end:]
    head = _head(text, int(room * HEADS.get(_role(tag), 0.35)))
    words = _words_of_lines(text[_skipped(text, head) :])
    tail = _joined(_choose(words, [Segment(tag, 0)], room - size(head)))
    return prefix + SEPARATOR.join(each for each in (head, tail) if each)


def _merge(source: str, limit: int, agent: str) -> str:
    segments: list[Segment] = []
    words: list[Word] = []
    middle = _middle(source)
    tag, at = "", 0
    for line in source.splitlines(keepends=True):
        for piece in line.split(SEPARATOR):
            found, text = _tag_of(piece.strip(), agent)
            tag = found or tag
            words.extend(_words(text, len(segments), WEIGHTS.get(_role(tag), 1.3)))
            segments.append(Segment(tag, int(at > middle)))
        at += len(line)
    groups: dict[str, list[str]] = {}
    for segment, run in groupby(_choose(words, segments, limit), key=lambda word: word.segment):
        groups.setdefault(segments[segment].tag, []).append(_joined(run))
    ordered = sorted(groups, key=_order)
    return SEPARATOR.join((f"{tag}: " if tag else "") + SEPARATOR.join(groups[tag]) for tag in ordered)


def _middle(source: str) -> int:
    """Where the first half of a merge's source ends, as far as that can be told: a half can hold newlines itself."""
    half = len(source) // 2
    before, after = source.rfind("\n", 0, half + 1), source.find("\n", half)
    if before < 0 or (after >= 0 and after - half < half - before):
        return after
    return before


def _choose(words: list[Word], segments: list[Segment], room: int) -> list[Word]:
    """The words that are worth the most for their bytes, in their order: each half's fair part first."""
    order = sorted(range(len(words)), key=lambda at: -words[at].value)
    taken: set[int] = set()
    seen: set[str] = set()
    used: set[int] = set()
    tags: set[str] = set()
    spent = 0

    def take(limit: float, half: int | None) -> None:
        nonlocal spent
        mine = spent if half is None else 0
        for at in order:
            word = words[at]
            segment = segments[word.segment]
            if at in taken or (half is not None and segment.half != half):
                continue
            bare = word.text.strip(OUTER).casefold()
            if bare in seen and bare not in STOP:
                continue
            cost = size(word.text) + 1
            if word.segment not in used:
                cost += len(SEPARATOR)
            if segment.tag not in tags:
                cost += size(segment.tag) + 2
            if mine + cost > limit or spent + cost > room:
                continue
            mine += cost
            spent += cost
            taken.add(at)
            seen.add(bare)
            used.add(word.segment)
            tags.add(segment.tag)

    if segments and segments[-1].half:
        take(room * FAIR, 0)
        take(room * FAIR, 1)
    take(room, None)
    # A word is glued to the one before it alone: past a gap, two words must not become one.
    return [words[at] if at - 1 in taken else words[at]._replace(glued=False) for at in sorted(taken)]


def _words_of_lines(text: str) -> list[Word]:
    """The words of a message's text; those of a line about an error or an outcome count more, those of code less."""
    words: list[Word] = []
    code = False
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            code = not code
            continue
        found = _words(line, 0, 0.5 if code else 1.0)
        if any(word.text.strip(OUTER).casefold() in TELLING for word in found):
            found = [word._replace(value=2 * word.value) for word in found]
        words.extend(found)
    return words


def _words(text: str, segment: int, weight: float) -> list[Word]:
    words = []
    for found in WORD.finditer(text):
        space, word = found.groups()
        if len(word) > LONGEST // 4:
            word = cut(word, LONGEST)
        words.append(Word(word, weight * worth(word), segment, not space and found.start() > 0))
    return words


def _joined(words: Iterable[Word]) -> str:
    text = ""
    for word in words:
        text += word.text if word.glued or not text else f" {word.text}"
    return text


def _head(text: str, room: int) -> str:
    """The start of a text in at most `room` bytes, on one line; it ends between words where it can."""
    head = " ".join(text[: 8 * room].split())
    if size(head) <= room:
        return head
    head = cut(head, room)
    whole = head.rfind(" ", len(head) // 2)
    return head[:whole] if whole > 0 else head


def _skipped(text: str, head: str) -> int:
    """Where in a text the words of its head end."""
    at = 0
    for word in head.split():
        at = text.index(word, at) + len(word)
    return at


def _leaf_tag(source: str) -> tuple[str, str]:
    """The kind of a message, of a note with the kind it had where it comes from, and its text."""
    kind, _, text = source.partition(": ")
    role, colon, rest = text.partition(": ")
    return (f"{kind}: {role}", rest) if kind == "note" and colon and role in KINDS else (kind, text)


def _tag_of(piece: str, agent: str) -> tuple[str, str]:
    """The kind that a piece of a line begins with, or "", and the rest."""
    kind, colon, _ = piece.partition(": ")
    if not colon or (kind not in KINDS and kind != agent):
        return "", piece
    return _leaf_tag(piece)


def _role(tag: str) -> str:
    return tag.rpartition(": ")[2]


def _order(tag: str) -> tuple[int, str]:
    role = _role(tag)
    return (KINDS.index(role) if role in KINDS else KINDS.index("unii"), tag)


@lru_cache(1 << 16)
def worth(word: str) -> float:
    """What a word tells for its bytes."""
    bare = word.strip(OUTER)
    if not bare:
        return 0.02
    low = bare.casefold()
    value = _kind_of_word(bare, low)
    # Two or three characters are rarely anything that one looks for.
    return (value if len(bare) > 3 else 0.6 * value) / math.pow(size(word) + 1, 0.6)


def _kind_of_word(bare: str, low: str) -> float:
    if low in STOP:
        return 0.15
    if low in ERRORS:
        return 4.0
    if low in OUTCOMES:
        return 2.5
    if any(each.isdigit() for each in bare):
        return 2.0 if bare.isdigit() else 3.0
    if NAME.search(bare):
        return 3.0
    if low in DULL or COMMAND.fullmatch(bare):
        return 0.5
    return (1.5 if bare[0].isupper() else 1.2) + min(len(bare), 12) / 12
