"""The laws of a line made from model replies, as predicates on a conversation (`Talk`): None, or the reason why not."""

from __future__ import annotations

from collections.abc import Sequence

from optchat_spec.steps import Talk
from optchat_spec.vocabulary import clean, cut, size


def line_calls_at_most_tries(asked: int, tries: int) -> str | None:
    """At most TRIES replies are asked for."""
    return None if asked <= tries else f"{asked} replies were asked for, at most {tries} may be"


def line_fits(line: str | None, node: int) -> str | None:
    """A line is 1..NODE bytes. None is no line: the node failed."""
    return None if line is None or 1 <= size(line) <= node else f"the line has {size(line)} bytes"


def line_takes_first_fit(talk: Talk) -> str | None:
    """The first reply of 1..NODE bytes is the line, and the last reply asked for."""
    for count, reply in enumerate(talk.replies[: talk.asked], 1):
        if reply is None:
            return None
        line = clean(reply)
        if 1 <= size(line) <= talk.node:
            return None if (talk.line, talk.asked) == (line, count) else f"reply {count} fits and is not the line"
    return None


def line_stops_when_not_shorter(talk: Talk) -> str | None:
    """A follow-up that is not shorter than the best ends the tries, and the line is the best one, cut to NODE bytes."""
    best: str | None = None
    for count, reply in enumerate(talk.replies[: talk.asked], 1):
        line = "" if reply is None else clean(reply)
        if size(line) <= talk.node:
            return None
        if best is not None and size(line) >= size(best):
            return _ended(talk, count, best)
        best = line
    return None if best is None else _ended(talk, talk.tries, best)


def line_empty_is_a_try(talk: Talk) -> str | None:
    """An empty reply is a try, and the last one: the line is the best one so far, else the source, cut to NODE
    bytes.
    """
    best: str | None = None
    for count, reply in enumerate(talk.replies[: talk.asked], 1):
        if reply is None:
            return None
        line = clean(reply)
        if line == "":
            return _ended(talk, count, talk.source if best is None else best)
        if best is None or size(line) < size(best):
            best = line
    return None


def line_error_fails(talk: Talk) -> str | None:
    """An error, or a reply that was cut off, fails the node at once and makes no line; and nothing else does."""
    replies: Sequence[str | None] = talk.replies[: talk.asked]
    if None not in replies:
        return None if talk.line is not None else "the node failed without an error"
    if talk.line is not None:
        return "an error made a line"
    return None if replies.index(None) == talk.asked - 1 else "replies were asked for after an error"


def _ended(talk: Talk, count: int, best: str) -> str | None:
    if talk.asked != count:
        return f"reply {count} was to be the last, and {talk.asked} were asked for"
    return None if talk.line == cut(best, talk.node) else f"the line is not the best reply, cut: {talk.line!r}"
