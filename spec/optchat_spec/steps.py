"""What a law is judged on: one step of a history, as plain data.

A step holds the event, whether it was taken or refused, the state that an implementation showed before and after it,
and the facts that follow from the events alone (`facts.py`), for which no implementation is asked. Fields that an
implementation does not show are None, and a law that needs one of them is not judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from optchat_spec.vocabulary import Batch, Config, Lines, Node

Op = Literal["message", "started", "built", "failed", "retry", "wait", "context", "zoom", "render", "reopen"]

Built = tuple[tuple[Node, str], ...]
"""Nodes with the texts they were built from, halves before their parent."""


class Event(NamedTuple):
    """One request of design/check-protocol.md. `zoom` is asked only of an implementation that shows its tree."""

    op: Op
    node: Node = (0, 0)
    kind: str = "user"
    text: str = ""
    on: bool = False


class State(NamedTuple):
    """What an implementation shows: `t` and `view` always, the other fields of the protocol if it supports them.

    From `sizes` on: what only an implementation in our own process can show, the planner's own books.
    """

    t: int
    view: Lines
    bytes: int | None = None
    shrinking: bool | None = None
    cview: Lines | None = None
    merged: Lines | None = None
    queue: Lines | None = None
    queue_waiting: Lines | None = None
    sizes: tuple[int, ...] | None = None
    cbytes: int | None = None
    cshrinking: bool | None = None
    running: frozenset[Node] | None = None
    resting: frozenset[Node] | None = None
    failures: Mapping[Node, int] | None = None
    waiting: bool | None = None
    pending: Lines | None = None
    """The whole queue, before places and look-ahead: the unbuilt leaves and the ready merges."""
    texts: Mapping[Node, str] | None = None
    """Every built node, with its text."""
    batches: tuple[Batch, ...] | None = None
    """Every recorded batch of the chat's view."""


class Facts(NamedTuple):
    """What the events and their outcomes make true, whatever the implementation shows.

    `sizes` are the bytes of the built nodes' lines; `ready` the unbuilt merges with built halves in the order in which
    they became so; `leaves` the unbuilt leaves. `shrinking` and `cshrinking` follow from the views shown. `wait_lines`
    is the number of unbuilt lines at the start of the wait, or at the last message in it (None: no turn waits),
    `outcomes` how many running calls have ended since.
    """

    total: int = 0
    sources: Mapping[int, str] = {}
    texts: Mapping[Node, str] = {}
    sizes: Mapping[Node, int] = {}
    leaves: Lines = ()
    ready: Lines = ()
    running: Lines = ()
    resting: frozenset[Node] = frozenset()
    failures: Mapping[Node, int] = {}
    waiting: bool = False
    shrinking: bool = False
    cshrinking: bool = False
    wait_lines: int | None = None
    outcomes: int = 0
    built_now: Built = ()
    """What the last event built."""
    cancelled: Lines = ()
    """The running calls that the last event cancelled."""


class Step(NamedTuple):
    """One event and all around it."""

    config: Config
    event: Event
    accepted: bool
    before: State
    after: State
    known: Facts
    """The facts before the event."""
    now: Facts
    """The facts after it."""
    answer: Lines | None = None
    """The lines that `context` or `zoom` answered."""
    built: Built | None = None
    """What the implementation says it built at this event."""
    cancelled: Lines | None = None
    """What it says it cancelled."""
    rendered: str | None = None
    """The view's text that `render` answered."""


class Talk(NamedTuple):
    """A conversation that made one line: what was offered, and what came of it.

    `replies` are the model's replies as they came, None for an error or a reply that was cut off; only the first
    `asked` of them were asked for. `line` is None when the node failed.
    """

    source: str
    replies: tuple[str | None, ...]
    node: int
    tries: int
    asked: int
    line: str | None
