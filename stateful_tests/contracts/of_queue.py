"""Contracts of the work queue: any two leaves and two merges, each waiting, running, resting, or not there."""

from __future__ import annotations

from optchat.core.node import Node
from optchat.core.queue import Queue
from optchat_spec import queue_laws
from optchat_spec.vocabulary import candidates
from stateful_tests.contracts.contract import contract
from stateful_tests.contracts.tiny import Four, pick

NODES = (Node(0, 0), Node(0, 1), Node(1, 1), Node(1, 2))
"""Two leaves that are lines of the view, and two merges whose halves are built."""

VIEW = (Node(0, 0), Node(0, 1), *(Node(0, index) for index in range(2, 6)))
HALVES = frozenset(half for merge in NODES[2:] for half in merge.children)
BOUNDS = "1 or 2 leaves and 1 or 2 merges in any state, JOBS 1 to 3, LOOKAHEAD 1 or 2, waiting or not"
STATES = GONE, WAITS, RUNS, RESTS = range(4)


class Work:
    """A queue in a state that `states` names, node by node, and its candidates."""

    def __init__(self, states: Four, jobs: int, lookahead: int, waiting: bool) -> None:
        self.jobs, self.lookahead = pick(range(4), jobs), pick(range(3), lookahead)
        states = (pick(STATES, states[0]), pick(STATES, states[1]), pick(STATES, states[2]), pick(STATES, states[3]))
        there = [node for node, state in zip(NODES, states, strict=True) if state != GONE]
        self.leaves = tuple(node for node in there if node.level == 0)
        self.merges = tuple(node for node in there if node.level > 0)
        self.built = HALVES | (set(NODES) - set(there))
        self.running = [node for node, state in zip(NODES, states, strict=True) if state == RUNS]
        self.resting = {node for node, state in zip(NODES, states, strict=True) if state == RESTS}
        self.queue = Queue(self.jobs, self.lookahead)
        self.queue.leaves.update((node, None) for node in self.leaves)
        self.queue.ready.update((node, None) for node in self.merges)
        self.queue.running.update((node, None) for node in self.running)
        self.queue.resting.update(self.resting)
        self.candidates = self.queue.candidates(waiting)
        self.kept = [node for node in self.running if not waiting or node.level == 0]
        """The running calls that hold a place: a waiting turn cancels the others."""


def counts(queue: Queue) -> dict[tuple[int, int], int]:
    return {(node.level, node.i): count for node, count in queue.failures.items()}


@contract("queue_sound", "queue.Queue.candidates", BOUNDS)
def queue_sound(states: Four, jobs: int, lookahead: int) -> None:
    assert min(states) >= GONE
    assert states[0] != GONE
    assert states[2] != GONE
    assert max(states) <= RESTS
    assert 1 <= jobs <= 3
    assert 1 <= lookahead <= 2
    work = Work(states, jobs, lookahead, False)
    near = work.leaves[: work.lookahead]
    assert queue_laws.queue_sound(work.candidates, work.built, work.running, work.resting, 6, near) is None


@contract("queue_exact", "queue.Queue.candidates", BOUNDS)
def queue_exact(states: Four, jobs: int, lookahead: int, waiting: bool) -> None:
    assert min(states) >= GONE
    assert states[0] != GONE
    assert states[2] != GONE
    assert max(states) <= RESTS
    assert 1 <= jobs <= 3
    assert 1 <= lookahead <= 2
    work = Work(states, jobs, lookahead, waiting)
    expected = candidates(VIEW, work.built, work.merges, work.running, work.resting, work.jobs, work.lookahead, waiting)
    assert queue_laws.queue_exact([(node.level, node.i) for node in work.candidates], expected) is None


@contract("queue_within_jobs", "queue.Queue.candidates", BOUNDS)
def queue_within_jobs(states: Four, jobs: int, lookahead: int, waiting: bool) -> None:
    assert min(states) >= GONE
    assert states[0] != GONE
    assert states[2] != GONE
    assert max(states) <= RESTS
    assert 1 <= jobs <= 3
    assert 1 <= lookahead <= 2
    work = Work(states, jobs, lookahead, waiting)
    # `started` refuses what would take more places, so no more calls than places ever run.
    assert len(work.running) > work.jobs or queue_laws.queue_within_jobs(work.candidates, work.kept, work.jobs) is None


@contract("merges_not_starved", "queue.Queue.candidates", BOUNDS)
def merges_not_starved(states: Four, jobs: int, lookahead: int) -> None:
    assert min(states) >= GONE
    assert states[0] != GONE
    assert states[2] != GONE
    assert max(states) <= RESTS
    assert 2 <= jobs <= 3
    assert 1 <= lookahead <= 2
    work = Work(states, jobs, lookahead, False)
    ready = [node for node in work.merges if node not in work.running and node not in work.resting]
    assert queue_laws.merges_not_starved(ready, work.candidates, work.running, work.jobs) is None


@contract("need_first", "queue.Queue.candidates", BOUNDS, quick=True)
def need_first(states: Four, jobs: int) -> None:
    assert min(states) >= GONE
    assert states[0] != GONE
    assert states[2] != GONE
    assert max(states) <= RESTS
    assert 1 <= jobs <= 3
    work = Work(states, jobs, 2, True)
    assert queue_laws.need_first(work.candidates, VIEW, work.built) is None


@contract("need_first_running", "queue.Queue.wait", BOUNDS, quick=True)
def need_first_running(states: Four, on: bool) -> None:
    assert min(states) >= GONE
    assert states[0] != GONE
    assert states[2] != GONE
    assert max(states) <= RESTS
    work = Work(states, 3, 2, False)
    queue = work.queue
    failures = counts(queue)
    cancelled = queue.wait(on)
    needless = {node for node in work.running if node.level > 0} if on else set()
    assert set(cancelled) == needless
    assert not on or queue_laws.need_first_running(queue.running, VIEW, work.built, failures, counts(queue)) is None
    assert queue.resting == work.resting


@contract("settle_progress", "queue.Queue.candidates", BOUNDS, quick=True)
def settle_progress(states: Four, jobs: int, lookahead: int) -> None:
    assert min(states) >= GONE
    assert states[0] != GONE
    assert states[2] != GONE
    assert max(states) <= RESTS
    assert 1 <= jobs <= 3
    assert 1 <= lookahead <= 2
    work = Work(states, jobs, lookahead, False)
    work.queue.wait(True)
    running = tuple(work.queue.running)
    found = work.queue.candidates()
    assert queue_laws.settle_progress(work.leaves, running, found, work.queue.resting, work.lookahead) is None
