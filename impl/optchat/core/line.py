"""A line from model replies: at most TRIES of them, and always 1..NODE bytes in the end."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from optchat.core.text import cut, flatten, size

HEAD = re.compile(r"[0-9]+\+[0-9]+\|")
SPACE = " \t\n\v\f\r"
"""White space, here and in the model: the blank, and the codes 9 to 13."""


class CutOff(Exception):
    """The model was stopped at its token limit: the node fails, and there is no line (law line_error_fails)."""


class FollowUp(NamedTuple):
    """What to ask for next, in the same conversation: the last reply's size in bytes, and it cut at NODE bytes."""

    size: int
    shown: str


def clean(reply: str) -> str:
    """A reply as a line: without outer white space and a leading `id+n|` head, inner newlines as spaces."""
    text = reply.strip(SPACE)
    head = HEAD.match(text)
    if head:
        text = text[head.end() :].strip(SPACE)
    return flatten(text)


@dataclass(slots=True)
class LineBuilder:
    """One node's conversation with the model. `source` must not be empty; `node` is NODE in bytes, 4 or more.

    Laws: line_calls_at_most_tries, line_fits, line_takes_first_fit, line_stops_when_not_shorter, line_empty_is_a_try.
    """

    source: str
    node: int = 512
    tries: int = 5
    best: str | None = None
    asked: int = 0

    def offer(self, reply: str, cut_off: bool = False) -> str | FollowUp:
        """Take the model's next reply: the line, or the follow-up to ask. Raises CutOff on a truncated reply."""
        if cut_off:
            raise CutOff("the model reached its token limit before the line was whole")
        self.asked += 1
        line = clean(reply)
        if 1 <= size(line) <= self.node:
            return line
        if not line or (self.best is not None and size(line) >= size(self.best)):
            return self.settle()
        self.best = line
        if self.asked >= self.tries:
            return self.settle()
        return FollowUp(size(line), cut(line, self.node))

    def settle(self) -> str:
        """The line when the tries are over: the best one cut to NODE bytes, else the source cut so."""
        return cut(self.best if self.best is not None else self.source, self.node)
