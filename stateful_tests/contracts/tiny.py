"""Small views, queues and planners for contracts: every one that there is within the bounds, from a few numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from optchat.core.config import Config
from optchat.core.node import Node
from optchat.core.planner import Planner
from optchat.core.text import PLACEHOLDER_SIZE
from optchat.core.tree import BuiltNodes
from optchat.core.view import View

Nodes = tuple[Node, ...]
Four = tuple[int, int, int, int]
Six = tuple[int, int, int, int, int, int]
Flags3 = tuple[bool, bool, bool]
Flags4 = tuple[bool, bool, bool, bool]


T = TypeVar("T")


def pick(table: Sequence[T], code: int) -> T:
    """`table[code]`, one path for each entry: indexing would make CrossHair see all entries as one symbolic value."""
    for at, entry in enumerate(table):
        if code == at:
            return entry
    raise IndexError(code)


def tilings(total: int) -> list[Nodes]:
    """Every list of nodes that tiles `[0, total)`."""

    def of(node: Node) -> list[Nodes]:
        if node.level == 0:
            return [(node,)]
        left, right = node.children
        return [(node,), *(older + newer for older in of(left) for newer in of(right))]

    found: list[Nodes] = [()]
    at = 0
    while at < total:
        level = 0
        while at % (2 << level) == 0 and at + (2 << level) <= total:
            level += 1
        found = [lines + more for lines in found for more in of(Node(level, at >> level))]
        at += 1 << level
    return found


FOURS, SIXES = tilings(4), tilings(6)
PARENTS4 = (Node(1, 0), Node(1, 1), Node(2, 0))
PARENTS6 = (Node(1, 0), Node(1, 1), Node(1, 2), Node(2, 0))


def chosen(nodes: Nodes, flags: tuple[bool, ...]) -> set[Node]:
    return {node for node, flag in zip(nodes, flags, strict=True) if flag}


@dataclass
class Fitted:
    """`View.fit` on a view of six messages: the lines before, the merges, the view after."""

    shape: int
    parents: Flags4
    line_sizes: Six
    parent_size: int
    budget: int
    view: View = field(init=False)
    merges: list[Node] = field(init=False)

    def __post_init__(self) -> None:
        self.lines = SIXES[self.shape]
        self.built = chosen(PARENTS6, self.parents)
        self.sizes = dict(zip(self.lines, self.line_sizes, strict=False))
        sizes = list(self.sizes.values())
        self.view = View(list(self.lines), sizes, sum(sizes))
        self.merges = self.view.fit(self.budget, 6, self.size_of_parent)

    def size_of_parent(self, parent: Node) -> int | None:
        return self.parent_size if parent in self.built else None

    def size(self, line: tuple[int, int]) -> int:
        """The size of a line of the view, before or after."""
        node = Node(*line)
        return self.parent_size if node in self.merges else self.sizes[node]


MESSAGE = "a long message"
SUMMARY = "line"
BYTES = len(SUMMARY)


@dataclass
class TinyTexts:
    """Messages that are all alike, and summaries of four bytes, which is NODE here: so no merge is free."""

    def message(self, index: int) -> tuple[str, str]:
        return "k", f"{MESSAGE} {index}"

    def node(self, node: Node) -> str:
        return SUMMARY if node else ""


def planner(leaves: Flags4, merges: Flags3, config: Config | None = None) -> Planner:
    """A planner of four messages with their own lines in both views: which leaves are built, and which merges.

    A merge is built only if its halves are; its flag says no more than that otherwise.
    """
    config = Config(node=4, jobs=2, lookahead=2, failures=3) if config is None else config
    made = Planner(config, TinyTexts())
    made.total = 4
    nodes = [Node(0, index) for index in range(4)]
    built = chosen(tuple(nodes), leaves)
    for merge, flag in zip(PARENTS4, merges, strict=True):
        if all(half in built for half in merge.children):
            if flag:
                built.add(merge)
            else:
                made.queue.ready[merge] = None
    made.built_nodes = BuiltNodes(built)
    made.queue.leaves.update((node, None) for node in nodes if node not in built)
    for saw in (made.chat, made.compaction):
        sizes = [BYTES if node in built else PLACEHOLDER_SIZE for node in nodes]
        saw.view = View(nodes.copy(), sizes, sum(sizes))
    return made


def view_of(lines: Nodes) -> View:
    """A view of built lines."""
    return View(list(lines), [BYTES] * len(lines), BYTES * len(lines))


ALL = (Node(0, 0), Node(0, 1), Node(0, 2), Node(0, 3), *PARENTS4)


def built_of(made: Planner) -> set[Node]:
    """Every built node of a tiny planner."""
    return {node for node in ALL if node in made.built_nodes}
