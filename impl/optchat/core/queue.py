"""The work queue: which summaries may start now. The tree is never scanned for work."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from optchat.core.node import Node


def startable(nodes: Iterable[Node], running: Collection[Node], resting: Collection[Node]) -> Iterator[Node]:
    """The nodes that neither run nor rest, in their order (law queue_sound)."""
    return (node for node in nodes if node not in running and node not in resting)


def pick(
    leaves: Iterable[Node],
    merges: Iterable[Node],
    running: Collection[Node],
    resting: Collection[Node],
    jobs: int,
    waiting: bool,
) -> list[Node]:
    """The candidates: the leaves that may start, then the merges, `jobs - len(running)` in all at the most.

    `leaves` are the unbuilt lines within the look-ahead, oldest first; `merges` the ready merges in the order in which
    they became ready. With `m` merges running or startable, leaves take at most `jobs - min(m, jobs // 2)` places.
    While a turn waits, only leaves are candidates, and the merges that run hold no place: they are to be cancelled.
    Laws: queue_sound, queue_within_jobs, merges_not_starved, need_first.
    """
    running_leaves = sum(1 for node in running if node.level == 0)
    ready_leaves = list(startable(leaves, running, resting))
    if waiting:
        return ready_leaves[: max(0, jobs - running_leaves)]
    running_merges = len(running) - running_leaves
    # Only the first `jobs` of them can matter, for the fairness as for the places.
    ready_merges = list(islice(startable(merges, running, resting), jobs))
    reserved = min(running_merges + len(ready_merges), jobs // 2)
    places = max(0, jobs - len(running))
    chosen = ready_leaves[: max(0, min(places, jobs - reserved - running_leaves))]
    return chosen + ready_merges[: places - len(chosen)]


@dataclass(slots=True)
class Queue:
    """The state of the work: what waits, runs, rests and has failed how often.

    `leaves` are the view's unbuilt lines, oldest first; `ready` the unbuilt merges whose two halves are built, in the
    order in which they became so (law queue_complete). OrderedDict, since both lose entries at the front all the time
    and a plain dict would walk over the dead ones (`make bench`, planner messages a second).
    """

    jobs: int
    lookahead: int
    leaves: OrderedDict[Node, None] = field(default_factory=OrderedDict)
    ready: OrderedDict[Node, None] = field(default_factory=OrderedDict)
    running: dict[Node, None] = field(default_factory=dict)
    resting: set[Node] = field(default_factory=set)
    failures: dict[Node, int] = field(default_factory=dict)
    waiting: bool = False

    def candidates(self, waiting: bool | None = None) -> list[Node]:
        """The nodes whose summaries may start now; with `waiting` given, as if a turn waited (or did not)."""
        near = islice(self.leaves, self.lookahead)
        held = self.waiting if waiting is None else waiting
        return pick(near, self.ready, self.running, self.resting, self.jobs, held)

    def wait(self, on: bool) -> list[Node]:
        """A turn begins, or ends, to wait for the view; the running calls that this cancels, which is no failure.

        Law need_first_running.
        """
        self.waiting = on
        cancelled = [node for node in self.running if node not in self.leaves] if on else []
        for node in cancelled:
            del self.running[node]
        return cancelled

    def start(self, node: Node) -> None:
        self.running[node] = None

    def fail(self, node: Node) -> int:
        """A running call failed: the node rests until the next message or retry tick; how often it has failed."""
        del self.running[node]
        self.resting.add(node)
        self.failures[node] = self.failures.get(node, 0) + 1
        return self.failures[node]

    def forget(self, node: Node) -> None:
        """A node was built: there is no work left on it."""
        self.leaves.pop(node, None)
        self.ready.pop(node, None)
        self.running.pop(node, None)
        self.resting.discard(node)
        self.failures.pop(node, None)
