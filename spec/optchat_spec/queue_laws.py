"""The laws of the summaries and their queue, as predicates: None when the law holds, else the reason why not."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from optchat_spec.vocabulary import (
    Lines,
    Node,
    children,
    cut,
    end,
    first,
    has_source,
    is_node,
    is_prefix,
    size,
    source,
    tiles,
    unbuilt,
)


def node_built_once(new: Sequence[Node], built: Collection[Node], total: int) -> str | None:
    """No history builds a node twice or one whose source does not exist. `new` were built in this order, after
    `built`.
    """
    done = set(built)
    for node in new:
        if node in done:
            return f"{node} was built twice"
        if not is_node(node, total) or not has_source(node, done):
            return f"{node} was built without a source"
        done.add(node)
    return None


def free_is_source(node: Node, sources: Mapping[int, str], texts: Mapping[Node, str], limit: int) -> str | None:
    """A node whose source exists and has at most NODE bytes is built, and its text is its source, word for word.

    `texts` are the built nodes' texts. Only for a node that was built from its source; a summary may say anything.
    """
    text = source(node, sources, texts)
    if text is None or size(text) > limit or texts.get(node) == text:
        return None
    return f"{node} has a source of {size(text)} bytes and is not that source"


def queue_sound(
    queue: Sequence[Node],
    built: Collection[Node],
    running: Collection[Node],
    resting: Collection[Node],
    total: int,
    near: Collection[Node],
) -> str | None:
    """Every candidate is unbuilt, not running, not resting, and has its source; a leaf is within the look-ahead
    (`near`).
    """
    for node in queue:
        if node in built:
            return f"candidate {node} is built"
        if node in running:
            return f"candidate {node} is running"
        if node in resting:
            return f"candidate {node} is resting"
        if not is_node(node, total) or not has_source(node, built):
            return f"candidate {node} has no source"
        if node[0] == 0 and node not in near:
            return f"candidate {node} is past the look-ahead"
    return None if len(set(queue)) == len(queue) else "a candidate is named twice"


def queue_complete(
    todo: Sequence[Node],
    queue: Collection[Node],
    running: Collection[Node],
    resting: Collection[Node],
    late: Collection[Node],
) -> str | None:
    """Every unbuilt node whose source exists (`todo`) is running, resting, a leaf past the look-ahead (`late`), or in
    the queue.

    `queue` is the whole queue, before the places are counted; or the candidates, while one of the places is free.
    Nothing is ever forgotten.
    """
    for node in todo:
        if node not in queue and node not in running and node not in resting and node not in late:
            return f"{node} can be built and is forgotten"
    return None


def queue_within_jobs(queue: Sequence[Node], running: Collection[Node], jobs: int) -> str | None:
    """Candidates and running calls together are at most JOBS."""
    taken = len(queue) + len(running)
    return None if taken <= jobs else f"{taken} places are taken of {jobs}"


def merges_not_starved(
    ready: Sequence[Node], queue: Sequence[Node], running: Collection[Node], jobs: int
) -> str | None:
    """With JOBS of 2 or more and no turn waiting: a ready merge means that one runs, or is a candidate, or all places
    are taken.

    `ready` are the merges that could start; a place is taken by a running call.
    """
    if jobs < 2 or not ready or len(running) >= jobs:
        return None
    if any(node[0] > 0 for node in running) or any(node[0] > 0 for node in queue):
        return None
    return "a merge is ready, places are free, and only leaves are candidates"


def queue_exact(queue: Sequence[Node], expected: Sequence[Node]) -> str | None:
    """The candidates are the leaves, oldest first, then the merges in the order in which they became ready, as the
    places allow.
    """
    return None if tuple(queue) == tuple(expected) else f"the candidates are {queue}, by the rules {expected}"


def need_first(queue: Sequence[Node], view: Sequence[Node], built: Collection[Node]) -> str | None:
    """While a turn waits, only unbuilt lines of the view are candidates."""
    needed = unbuilt(view, built)
    for node in queue:
        if node not in needed:
            return f"candidate {node} is no unbuilt line of the view, and a turn waits"
    return None


def need_first_running(
    running: Collection[Node],
    view: Sequence[Node],
    built: Collection[Node],
    failures_before: Mapping[Node, int],
    failures: Mapping[Node, int],
) -> str | None:
    """While a turn waits, no call for any other node runs; and when the wait began, that was nobody's failure."""
    needed = unbuilt(view, built)
    for node in running:
        if node not in needed:
            return f"{node} runs, is no unbuilt line of the view, and a turn waits"
    return None if dict(failures) == dict(failures_before) else "a cancelled call was counted as a failure"


def settle_progress(
    needed: Sequence[Node],
    running: Collection[Node],
    queue: Collection[Node],
    resting: Collection[Node],
    lookahead: int,
) -> str | None:
    """While a turn waits and the view has unbuilt lines (`needed`), a call runs, or is a candidate, or a retry tick
    makes one.
    """
    if not needed or running or queue:
        return None
    return (
        None
        if any(node in resting for node in needed[:lookahead])
        else "a turn waits for lines that nothing will build"
    )


def settle_reached(needed: Sequence[Node], lines_at_start: int, outcomes: int, failures: int) -> str | None:
    """With U unbuilt lines at the start of a wait and no message in it, FAILURES * U outcomes of running calls leave
    none.
    """
    if outcomes < failures * lines_at_start or not needed:
        return None
    return f"{outcomes} outcomes for {lines_at_start} lines, and {len(needed)} are unbuilt"


def fail_cap_builds(count: int, failures: int, text: str, node: str | None, limit: int) -> str | None:
    """The third failure of a node builds it from its source (`text`) cut to NODE bytes; an earlier one builds nothing.

    `count` are its failures with this one, `node` the node's text after it.
    """
    if count < failures:
        return None if node is None else f"failure {count} built the node"
    return None if node == cut(text, limit) else f"failure {count} left the node as {node!r}"


def context_ends_at_node(node: Node, context: Sequence[Node], built: Collection[Node]) -> str | None:
    """A summary's context ends at its node (a leaf's: before it) and has only built lines."""
    stop = first(node) if node[0] == 0 else end(node)
    for line in context:
        if end(line) > stop:
            return f"context line {line} ends after message {stop}"
        if line not in built:
            return f"context line {line} is not built"
    return None


def context_is_prefix(
    node: Node, context: Sequence[Node], cview: Sequence[Node], built: Collection[Node]
) -> str | None:
    """A summary's context is the start of the compaction view: all of it up to the node, or to the first unbuilt
    line.
    """
    if not is_prefix(context, cview):
        return "the context is no start of the compaction view"
    stop = first(node) if node[0] == 0 else end(node)
    left = cview[len(context) :]
    if left and end(left[0]) <= stop and left[0] in built:
        return f"the context stops before line {left[0]}, which belongs to it"
    return None


def zoom_partitions(node: Node, lines: Lines) -> str | None:
    """Zooming line id+n gives two lines that tile it, down to the message, which has none."""
    if node[0] == 0:
        return None if lines == () else "a message has lines"
    if lines != children(node) or not tiles(lines, first(node), end(node)):
        return f"{node} zooms into {lines}, which are not its halves"
    return None


def refused_changes_nothing(why: str | None, accepted: bool, same: bool) -> str | None:
    """What the rules refuse (`why`) is refused, nothing else is, and a refusal changes nothing (`same`)."""
    if accepted and why is not None:
        return f"taken, though {why}"
    if not accepted and why is None:
        return "refused, though the rules take it"
    return None if accepted or same else "refused, and yet the state changed"
