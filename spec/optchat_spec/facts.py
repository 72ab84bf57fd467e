"""The facts that follow from a history's events, by the rules of design/planner.md alone: which nodes are built, run,
rest.
"""

from __future__ import annotations

from optchat_spec.steps import Event, Facts, State
from optchat_spec.vocabulary import (
    PLACEHOLDER,
    Config,
    Lines,
    Node,
    candidates,
    cut,
    flatten,
    has_source,
    is_node,
    leaf_source,
    parent,
    size,
    source,
)


def encodable(text: str) -> bool:
    """Whether a text has a UTF-8 form: a lone surrogate has none."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def why_refused(config: Config, facts: Facts, before: State, event: Event) -> str | None:
    """Why the rules refuse an event in this state; None when they take it."""
    node = event.node
    match event.op:
        case "message":
            return None if encodable(event.kind + event.text) else "the text has no UTF-8 form"
        case "started":
            queue = before.queue if before.queue is not None else queue_of(config, facts, before)
            return None if node in queue else "the node is no candidate"
        case "failed":
            return None if node in facts.running else "the node is not running"
        case "built":
            if not is_node(node, facts.total):
                return "there is no such node"
            if node in facts.texts:
                return "the node is built already"
            if not has_source(node, facts.texts):
                return "the node has no source yet"
            if not encodable(event.text) or not 1 <= size(event.text) <= config.node:
                return f"the text is not 1 to {config.node} bytes"
            return None
        case "context" | "zoom":
            return None if is_node(node, facts.total) else "there is no such node"
        case "retry" | "wait" | "render" | "reopen":
            return None


def is_untaken(before: State, event: Event, accepted: bool) -> bool:
    """Whether an implementation that shows no queue refused an event of its work: it has not happened, whatever the
    rules say, for what is not shown is not judged.
    """
    work = ("started", "built", "failed", "retry", "wait")
    return not accepted and before.queue is None and event.op in work


def queue_of(config: Config, facts: Facts, state: State, waiting: bool | None = None) -> Lines:
    """The candidates by the rules."""
    return candidates(
        state.view,
        facts.texts,
        facts.ready,
        facts.running,
        facts.resting,
        config.jobs,
        config.lookahead,
        facts.waiting if waiting is None else waiting,
    )


def follow(config: Config, facts: Facts, before: State, event: Event, after: State, accepted: bool) -> Facts:
    """The facts after an event; an event that the rules refuse adds none, whatever the implementation did with it."""
    quiet = facts._replace(built_now=(), cancelled=())
    if why_refused(config, facts, before, event) is not None or is_untaken(before, event, accepted):
        return quiet
    node = event.node
    match event.op:
        case "message":
            return _message(config, quiet, before, event, after)
        case "started":
            return quiet._replace(running=(*facts.running, node))
        case "built":
            outcomes = facts.outcomes + (1 if node in facts.running else 0)
            return _build(config, quiet, node, event.text)._replace(outcomes=outcomes)
        case "failed":
            return _failed(config, quiet, node)
        case "retry":
            return quiet._replace(resting=frozenset())
        case "wait":
            return _wait(quiet, event.on)
        case "reopen":
            return quiet._replace(
                running=(),
                resting=frozenset(),
                failures={},
                waiting=False,
                wait_lines=None,
                outcomes=0,
                cshrinking=line_bytes(facts, after.cview or ()) > config.cfloor,
            )
        case "context" | "zoom" | "render":
            return quiet


def line_size(facts: Facts, node: Node) -> int:
    """The bytes of a node's line."""
    return facts.sizes.get(node, len(PLACEHOLDER))


def line_bytes(facts: Facts, lines: Lines) -> int:
    """The bytes of a view."""
    return sum(line_size(facts, line) for line in lines)


def grown(facts: Facts, lines: Lines) -> Lines:
    """A view after its newest message's line joined it and before any batch; `facts` are those after the message."""
    return (*lines, (0, facts.total - 1))


def batch_due(facts: Facts, lines: Lines, ceiling: int, shrinking: bool) -> bool:
    """Whether a view that just grew to `lines` must run a batch: it is past its ceiling, or it was shrinking."""
    return shrinking or line_bytes(facts, lines) > ceiling


def _message(config: Config, facts: Facts, before: State, event: Event, after: State) -> Facts:
    leaf = (0, facts.total)
    text = leaf_source(event.kind, event.text)
    now = facts._replace(
        total=facts.total + 1,
        sources={**facts.sources, leaf[1]: text},
        leaves=(*facts.leaves, leaf),
        resting=frozenset(),
    )
    if size(text) <= config.node:
        now = _build(config, now, leaf, text)
    shrinking, cshrinking = facts.shrinking, facts.cshrinking
    ran = batch_due(now, grown(now, before.view), config.ceiling, shrinking)
    if ran:
        shrinking = line_bytes(now, after.view) > config.floor
    if before.cview is not None and after.cview is not None:
        follows = ran and after.view != grown(now, before.view)
        if follows or batch_due(now, grown(now, before.cview), config.cceiling, cshrinking):
            cshrinking = line_bytes(now, after.cview) > config.cfloor
    if now.waiting:
        now = now._replace(wait_lines=len(now.leaves), outcomes=0)
    return now._replace(shrinking=shrinking, cshrinking=cshrinking)


def _build(config: Config, facts: Facts, node: Node, text: str) -> Facts:
    """A node is built, and its ancestors while their sources fit into a node as they are."""
    texts, sizes, built = dict(facts.texts), dict(facts.sizes), list(facts.built_now)
    ready = facts.ready
    while True:
        texts[node], sizes[node] = text, size(flatten(text))
        built.append((node, text))
        joined = source(parent(node), facts.sources, texts)
        if joined is None:
            break
        node, text = parent(node), joined
        if size(text) > config.node:
            ready = (*ready, node)
            break
    return facts._replace(
        texts=texts,
        sizes=sizes,
        built_now=tuple(built),
        leaves=tuple(leaf for leaf in facts.leaves if leaf not in texts),
        ready=tuple(merge for merge in ready if merge not in texts),
        running=tuple(call for call in facts.running if call not in texts),
        resting=frozenset(rest for rest in facts.resting if rest not in texts),
        failures={failed: count for failed, count in facts.failures.items() if failed not in texts},
    )


def _failed(config: Config, facts: Facts, node: Node) -> Facts:
    count = facts.failures.get(node, 0) + 1
    now = facts._replace(
        running=tuple(call for call in facts.running if call != node),
        resting=facts.resting | {node},
        failures={**facts.failures, node: count},
        outcomes=facts.outcomes + 1,
    )
    text = source(node, facts.sources, facts.texts)
    return now if count < config.failures or text is None else _build(config, now, node, cut(text, config.node))


def _wait(facts: Facts, on: bool) -> Facts:
    if not on:
        return facts._replace(waiting=False, wait_lines=None, outcomes=0)
    cancelled = tuple(call for call in facts.running if call not in facts.leaves)
    started = facts._replace(wait_lines=len(facts.leaves), outcomes=0) if not facts.waiting else facts
    return started._replace(
        waiting=True, cancelled=cancelled, running=tuple(call for call in facts.running if call in facts.leaves)
    )
