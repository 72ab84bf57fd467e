"""A model of the provider's prompt cache, replayed over a chat.

The provider stores a prefix at each mark, for five minutes from its last use. A call reads the longest stored prefix
that ends at one of its marks or at most 20 blocks before one; it writes from there to its last mark. A read costs 0.1
of an input, a write 1.25, the rest 1. Costs here are in lines of the view, the unit that does not depend on a model.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from optchat.bench.chats import PunctualChat
from optchat.bench.table import Row
from optchat.core.config import Config
from optchat.core.node import Node

BLOCK = 4
LOOK_BACK = 20
LIFE = 300.0
READ, WRITE = 0.1, 1.25
MESSAGES = 3_000
PACE = 60.0
"""Seconds between two messages."""


class Use(NamedTuple):
    """One call's lines: in its marked prefix, read of these from the cache, and behind the last mark."""

    prefix: int
    read: int
    rest: int

    @property
    def cost(self) -> float:
        return READ * self.read + WRITE * (self.prefix - self.read) + self.rest


@dataclass
class PromptCache:
    """`stored` maps a prefix, by the hash chain of its blocks, to the time at which it expires."""

    stored: dict[int, float] = field(default_factory=dict)

    def call(self, lines: list[Node], now: float, earlier_mark: int | None = None) -> Use:
        """A request whose last whole block of lines is marked, and the block where the previous call's mark stood."""
        chain = [0]
        for at in range(0, len(lines) - BLOCK + 1, BLOCK):
            chain.append(hash((chain[-1], tuple(lines[at : at + BLOCK]))))
        whole = len(chain) - 1
        marks = [whole]
        if earlier_mark is not None and whole - earlier_mark > LOOK_BACK:
            marks.append(earlier_mark)
        read = 0
        for mark in marks:
            for at in range(mark, max(0, mark - LOOK_BACK), -1):
                if self.stored.get(chain[at], 0.0) >= now:
                    read = max(read, at)
                    break
        for mark in {*marks, read} - {0}:
            self.stored[chain[mark]] = now + LIFE
        return Use(whole * BLOCK, read * BLOCK, len(lines) - whole * BLOCK)


class Replayed(NamedTuple):
    """Shares of marked prefixes that were read from the cache, and what a message's turn costs, in lines."""

    turns_read: float
    compactions_read: float
    lines_a_message: float


def replay_chat(config: Config, messages: int = MESSAGES) -> Replayed:
    """One turn a message, then the compactions it makes possible, one after the other (a gate holds back a call whose
    prefix another one is writing)."""
    chat = PunctualChat(config)
    planner = chat.planner
    cache = PromptCache()
    turns: list[Use] = []
    compactions: list[Use] = []
    mark: int | None = None
    for number in range(messages):
        now = number * PACE
        lines = planner.chat.view.nodes
        turns.append(cache.call(lines, now, mark))
        mark = len(lines) // BLOCK
        planner.message("user", chat.texts.message(number)[1])
        while ready := planner.candidates():
            for node in ready:
                compactions.append(cache.call(planner.context(node), now))
                planner.started(node)
                planner.built(node, chat.texts.line)
    return Replayed(read_share(turns), read_share(compactions), sum(use.cost for use in turns) / messages)


def read_share(uses: list[Use]) -> float:
    prefix = sum(use.prefix for use in uses)
    return sum(use.read for use in uses) / prefix if prefix else 0.0


def cache_rows() -> list[Row]:
    ours = replay_chat(Config())
    each = replay_chat(Config(ceiling=64_000, floor=64_000))
    return [
        Row("turns' prefix read from the cache", f"{ours.turns_read:.1%}", "98.6%"),
        Row("compactions' prefix read from the cache", f"{ours.compactions_read:.1%}", "96.2%"),
        Row("line-inputs a message, batches", f"{ours.lines_a_message:.0f}", "21"),
        Row("line-inputs a message, merging at each, 64,000", f"{each.lines_a_message:.0f}", "80"),
    ]
