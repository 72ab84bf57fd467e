"""Seeded histories: events of every kind, in every order, sensible and not. No clock, no global randomness."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from optchat_spec.facts import line_bytes, queue_of
from optchat_spec.steps import Event, Facts, Op, State
from optchat_spec.vocabulary import Config, Node, cut, parent

KINDS = ("user", "unii", "tool", "echo", "work", "note")
ALPHABETS = ("x", "xyz ", "é", "日本語", "😀a", "a\n", "\r\n", "\ra\n")
"""What texts are made of: one to four bytes a character, and every kind of line end."""

CONFIGS = (
    Config(8, 90, 40, 50, 20, 1),
    Config(8, 90, 40, 50, 20, 2),
    Config(16, 200, 100, 100, 50, 3),
    Config(24, 300, 300, 120, 120, 4),
    Config(40, 400, 100, 100, 100, 8),
    Config(40, 200, 150, 190, 40, 4),
    Config(64, 2_000, 1_000, 600, 300, 5),
    Config(512, 6_000, 3_000, 2_000, 1_000, 8),
    Config(512, 2_000, 1_000, 2_000, 1_000, 7),
    Config(512, 4_000, 2_000, 4_000, 500, 6),
    Config(),
)
"""Budgets from tiny to real, jobs 1 to 8; all that the protocol's `open` can ask for."""

OWN_CONFIGS = (
    Config(8, 90, 40, 50, 20, 1, lookahead=1),
    Config(8, 120, 40, 50, 20, 2, lookahead=3, failures=1),
    Config(24, 300, 300, 120, 120, 4, lookahead=2, failures=2),
    Config(512, 6_000, 3_000, 2_000, 1_000, 8, lookahead=20),
)
"""And some whose look-ahead and failures are not the design's."""


class Mix(NamedTuple):
    """How often each kind of event is drawn, as weights; `catch_up` is how often, in percent, the compactor goes
    first.
    """

    message: int = 6
    start: int = 6
    build: int = 5
    fail: int = 2
    retry: int = 1
    wait: int = 1
    reopen: int = 1
    context: int = 1
    render: int = 1
    zoom: int = 0
    nonsense: int = 1
    catch_up: int = 0


MIXES = {
    "even": Mix(),
    "prompt": Mix(start=0, build=0, fail=0, nonsense=0, wait=0, catch_up=97),
    "steady": Mix(message=8, start=3, build=2, fail=1, catch_up=80),
    "late": Mix(message=10, start=3, build=2),
    "failing": Mix(message=3, start=8, build=1, fail=7, retry=3, wait=2),
    "waiting": Mix(message=3, start=7, build=4, fail=2, retry=2, wait=4),
    "restarts": Mix(reopen=4),
    "nonsense": Mix(nonsense=8),
}
"""Kinds of histories: a compactor that is never late, one that is, one that fails, and so on."""


def filled(unit: str, size: int) -> str:
    """A text of exactly `size` bytes: the unit again and again, then x where no whole character fits."""
    text = cut(unit * (size // len(unit.encode()) + 1), size)
    return text + "x" * (size - len(text.encode()))


def text_of(rng: Random, size: int) -> str:
    """A text of exactly `size` bytes."""
    return filled(rng.choice(ALPHABETS), size)


def message(rng: Random, config: Config, facts: Facts, state: State) -> Event:
    """A message: empty, tiny, around NODE bytes of source, or up to the longest tool output.

    Some fill one of the views to its ceiling, exactly or by one byte more.
    """
    kind = rng.choice(KINDS)
    head = len(kind) + 2
    edge = max(0, config.node - head)
    lines, ceiling = (state.view, config.ceiling) if rng.random() < 0.7 else (state.cview or (), config.cceiling)
    room = ceiling - line_bytes(facts, lines) - head + rng.randint(0, 1)
    if 0 <= room <= edge and rng.random() < 0.5:
        return Event("message", kind=kind, text=filled("r", room))
    sizes = (0, 1, rng.randint(0, 12), edge - 1, edge, edge + 1, edge // 2, rng.randint(0, 2 * config.node), 30_000)
    weights = (2, 2, 4, 3, 4, 4, 3, 4, 1)
    return Event("message", kind=kind, text=text_of(rng, max(0, rng.choices(sizes, weights)[0])))


def summary(rng: Random, config: Config) -> str:
    """A summary that the rules take: 1 to NODE bytes, often close to one of the ends."""
    return text_of(rng, rng.choice((1, rng.randint(1, config.node), config.node - 1, config.node)))


def any_node(rng: Random, facts: Facts) -> Node:
    """Any node, close to the chat: also ones that do not exist."""
    level = rng.choice((-1, 0, 0, 0, 1, 1, 2, 3, facts.total.bit_length()))
    return level, rng.randint(-1, (facts.total >> max(0, level)) + 1)


def some_node(rng: Random, facts: Facts) -> Node:
    """A node of the chat, which must not be empty."""
    level = rng.randint(0, facts.total.bit_length() - 1)
    return level, rng.randint(0, (facts.total >> level) - 1)


def next_event(rng: Random, config: Config, facts: Facts, state: State, mix: Mix) -> Event:
    """The next event of a history; what cannot be done now becomes a message."""
    queue = state.queue if state.queue is not None else queue_of(config, facts, state)
    if (queue or facts.running) and rng.randrange(100) < mix.catch_up:
        if facts.running and (not queue or rng.random() < 0.6):
            return Event("built", rng.choice(facts.running), text=summary(rng, config))
        return Event("started", queue[0])
    match rng.choices(mix._fields[:-1], mix[:-1])[0]:
        case "start" if queue:
            return Event("started", rng.choice(queue))
        case "build" if facts.running:
            return Event("built", rng.choice(facts.running), text=summary(rng, config))
        case "fail" if facts.running:
            return Event("failed", rng.choice(facts.running))
        case "retry":
            return Event("retry")
        case "wait":
            return Event("wait", on=not facts.waiting if rng.random() < 0.8 else facts.waiting)
        case "reopen":
            return Event("reopen")
        case "context" if facts.total:
            return Event("context", some_node(rng, facts))
        case "render":
            return Event("render")
        case "zoom" if facts.total:
            return Event("zoom", some_node(rng, facts))
        case "nonsense":
            return nonsense(rng, config, facts)
        case _:
            return message(rng, config, facts, state)


def nonsense(rng: Random, config: Config, facts: Facts) -> Event:
    """An event that the rules mostly refuse: at any node, with any text."""
    op: Op = rng.choice(("started", "built", "built", "failed"))
    text = text_of(rng, rng.choice((0, 1, 1, config.node, config.node + 1))) if op == "built" else ""
    return Event(op, odd_node(rng, facts), text=text)


def odd_node(rng: Random, facts: Facts) -> Node:
    """A node that could be mistaken for one with a source: half built, just beyond the chat, or ready; or any."""
    level = rng.randint(0, facts.total.bit_length())
    odd = [(level, facts.total >> level), any_node(rng, facts)]
    if facts.leaves:
        odd.append(parent(rng.choice(facts.leaves)))
    if facts.ready:
        odd += [rng.choice(facts.ready), parent(rng.choice(facts.ready))]
    return rng.choice(odd)
