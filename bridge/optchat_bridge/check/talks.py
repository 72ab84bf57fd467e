"""Our planner's conversations with a model: seeded replies of every size, for the laws of a line."""

from __future__ import annotations

from random import Random

from optchat.core.line import CutOff, LineBuilder
from optchat_spec.generate import ALPHABETS, filled, text_of
from optchat_spec.steps import Talk

ENDLESS = 12
"""Replies after which a conversation is taken to have no end: more than any number of tries here."""


def reply(rng: Random, node: int, longest: int) -> str:
    """A reply: empty, fitting, or long but mostly shorter than the last one, with a head or white space or not."""
    shorter = max(node, longest - rng.randint(0, 3))
    size = rng.choice((0, 1, node - 1, node, node + 1, shorter, shorter, rng.randint(0, 3 * node)))
    return rng.choice(("", "", "", " ", "\n")) + rng.choice(("", "", "40+8|", "3+1| ")) + text_of(rng, size)


def talk(rng: Random) -> Talk:
    """One conversation of our LineBuilder, to its end."""
    node, tries = rng.choice((4, 8, 20, 512)), rng.choice((1, 2, 3, 5, 5, 5))
    unit = rng.choice(ALPHABETS).replace("\r", "-").replace("\n", "-")
    source = filled(unit, node + rng.randint(1, 40))
    builder, replies = LineBuilder(source, node, tries), list[str | None]()
    longest = 3 * node
    while len(replies) < ENDLESS:
        text = reply(rng, node, longest)
        error = rng.random() < 0.03
        replies.append(None if error else text)
        try:
            said = builder.offer(text, cut_off=error)
        except CutOff:
            return Talk(source, tuple(replies), node, tries, len(replies), None)
        if isinstance(said, str):
            return Talk(source, tuple(replies), node, tries, len(replies), said)
        longest = said.size
    return Talk(source, tuple(replies), node, tries, len(replies), "")
