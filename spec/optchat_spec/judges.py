"""Where in a step each law speaks: the step's plain data handed to the law's predicate."""

from __future__ import annotations

from collections.abc import Iterator

from optchat_spec import queue_laws, view_laws
from optchat_spec.facts import batch_due, grown, is_untaken, line_bytes, line_size, queue_of, why_refused
from optchat_spec.registry import SILENT, Verdict, spoken
from optchat_spec.steps import State, Step
from optchat_spec.vocabulary import Lines, Node, merged, most_due, parent, source, unbuilt

# What a step did to the chat's view.


def is_message(step: Step) -> bool:
    return step.event.op == "message" and step.accepted


def appended(step: Step) -> Lines:
    """The chat's view before any merge of this step."""
    return grown(step.now, step.before.view) if is_message(step) else step.before.view


def owes_batch(step: Step) -> bool:
    """Whether the rules run a batch of the chat's view at this step."""
    return is_message(step) and batch_due(step.now, appended(step), step.config.ceiling, step.known.shrinking)


def merges_of(step: Step) -> Lines:
    """What the chat's view merged into: as the implementation says, else the most due pairs, as many as lines went
    away.
    """
    if step.after.merged is not None:
        return step.after.merged if step.event.op == "message" else ()
    lines, done = appended(step), []
    for _ in range(len(lines) - len(step.after.view)):
        into = most_due(lines, step.now.total, step.now.texts)
        if into is None:
            break
        lines = merged(lines, into) or lines
        done.append(into)
    return tuple(done)


def stages(step: Step) -> Iterator[tuple[Lines, Lines]]:
    """The view before and after each merge of this step, as far as the merges apply; the last one is the view shown."""
    lines, merges = appended(step), merges_of(step)
    for count, into in enumerate(merges, 1):
        after = step.after.view if count == len(merges) else merged(lines, into)
        if after is None:
            return
        yield lines, after
        lines = after


def sizes(step: Step, lines: Lines) -> tuple[int, ...]:
    return tuple(line_size(step.now, line) for line in lines)


# The view.


def view_covers(step: Step) -> Verdict:
    broken = view_laws.view_covers(step.after.t, step.after.view)
    if broken is None and step.after.t != step.now.total:
        broken = f"t is {step.after.t} after {step.now.total} messages"
    return spoken(broken)


def cview_covers(step: Step) -> Verdict:
    return SILENT if step.after.cview is None else spoken(view_laws.cview_covers(step.after.t, step.after.cview))


def message_appends(step: Step) -> Verdict:
    if not is_message(step) or owes_batch(step):
        return SILENT
    return spoken(view_laws.message_appends(step.before.view, step.after.view, step.now.total))


def message_merges_nothing(step: Step) -> Verdict:
    if not is_message(step) or owes_batch(step) or step.after.merged is None:
        return SILENT
    return spoken(view_laws.message_merges_nothing(step.after.merged))


def merge_is_one_pair(step: Step) -> Verdict:
    return _first_broken(view_laws.merge_is_one_pair(before, after, step.now.texts) for before, after in stages(step))


def merge_covers(step: Step) -> Verdict:
    return _first_broken(view_laws.merge_covers(step.now.total, before, after) for before, after in stages(step))


def fit_merges_built(step: Step) -> Verdict:
    merges = (*merges_of(step), *(line for line in step.after.view if line[0] > 0 and line not in step.before.view))
    return spoken(view_laws.fit_merges_built(merges, step.now.texts)) if merges else SILENT


def fit_reaches_budget(step: Step) -> Verdict:
    if not owes_batch(step):
        return SILENT
    view = step.after.view
    return spoken(
        view_laws.fit_reaches_budget(view, sizes(step, view), step.config.floor, step.now.total, step.now.texts)
    )


def fit_most_due(step: Step) -> Verdict:
    merges = merges_of(step)
    if not merges and len(step.after.view) == len(appended(step)):
        return SILENT
    broken = view_laws.fit_most_due(appended(step), merges, step.now.total, step.now.texts)
    lines = appended(step)
    for into in merges:
        lines = merged(lines, into) or lines
    return spoken(broken if broken or lines == step.after.view else "the view is not what its merges make of it")


def fit_stops_at_budget(step: Step) -> Verdict:
    merges = merges_of(step)
    if not owes_batch(step) or not merges:
        return SILENT

    def size(line: Node) -> int:
        return line_size(step.now, line)

    return spoken(view_laws.fit_stops_at_budget(appended(step), merges, size, step.config.floor))


def view_summarized(step: Step) -> Verdict:
    return spoken(view_laws.view_summarized(step.after.view, step.now.texts))


def cview_summarized(step: Step) -> Verdict:
    cview = step.after.cview
    return SILENT if cview is None else spoken(view_laws.cview_summarized(cview, step.now.texts))


def view_bytes(step: Step) -> Verdict:
    after = step.after
    checks = [(after.bytes, after.view), (after.cbytes, after.cview)]
    broken = None
    for count, lines in checks:
        if count is not None and lines is not None and broken is None:
            broken = view_laws.view_bytes(count, sizes(step, lines))
    if broken is None and after.sizes is not None and after.sizes != sizes(step, after.view):
        broken = "a line's size is not the bytes of its text"
    return SILENT if after.bytes is None else spoken(broken)


def restart_same_view(step: Step) -> Verdict:
    after, before = step.after, step.before
    broken = None
    if step.event.op == "reopen":
        if after.view != before.view:
            broken = "the view after the restart is not the one before it"
        elif after.shrinking != before.shrinking:
            broken = f"shrinking was {before.shrinking} before the restart and is {after.shrinking}"
    elif after.batches is None:
        return SILENT
    if broken is None and after.batches is not None:
        broken = view_laws.restart_same_view(after.view, bool(after.shrinking), after.t, after.batches)
    return spoken(broken)


def batch_only_past_ceiling(step: Step) -> Verdict:
    grew = appended(step)
    ran = step.after.view != grew or bool(merges_of(step)) or _recorded(step)
    count = line_bytes(step.now, grew)
    return spoken(
        view_laws.batch_only_past_ceiling(ran, is_message(step), count, step.config.ceiling, step.known.shrinking)
    )


def shrinking_is_over_floor(step: Step) -> Verdict:
    flag = step.after.shrinking
    if flag is None:
        return SILENT
    if owes_batch(step):
        count = line_bytes(step.now, step.after.view)
        return spoken(view_laws.shrinking_is_over_floor(flag, count, step.config.floor))
    return spoken(None if flag == step.before.shrinking else f"shrinking became {flag} without a batch")


def cview_follows(step: Step) -> Verdict:
    before, after = step.before, step.after
    if before.cview is None or after.cview is None:
        return SILENT
    facts, config = step.now, step.config
    base, ran = before.cview, False
    if step.event.op == "reopen":
        base, ran = after.view, True
    elif is_message(step):
        copies = merges_of(step) != ()
        base = after.view if copies else grown(facts, before.cview)
        ran = copies or batch_due(facts, base, config.cceiling, step.known.cshrinking)
    flag = after.cshrinking
    if flag is not None and flag != facts.cshrinking:
        return spoken(f"the compaction view's shrinking is {flag}, by the rules {facts.cshrinking}")

    def size(line: Node) -> int:
        return line_size(facts, line)

    return spoken(view_laws.cview_follows(after.cview, base, ran, config.cfloor, facts.total, facts.texts, size))


# The summaries and their queue.


def node_built_once(step: Step) -> Verdict:
    event = step.event
    if step.built is not None:
        if not step.built:
            return SILENT
        new = tuple(node for node, _ in step.built)
        broken = queue_laws.node_built_once(new, step.known.texts, step.after.t)
        texts = step.after.texts
        if broken is None and texts is not None and any(texts.get(node) != text for node, text in step.built):
            broken = "a built node has another text than the one it was built from"
        return spoken(broken)
    if event.op != "built" or not step.accepted:
        return SILENT
    return spoken(queue_laws.node_built_once((event.node,), step.known.texts, step.known.total))


def free_is_source(step: Step) -> Verdict:
    texts, facts = step.after.texts, step.now
    if texts is None:
        return SILENT
    nodes = [parent(node) for node, _ in facts.built_now]
    if is_message(step):
        nodes.append((0, facts.total - 1))
    return _first_broken(queue_laws.free_is_source(node, facts.sources, texts, step.config.node) for node in nodes)


def queues(state: State) -> Iterator[Lines]:
    return (queue for queue in (state.queue, state.queue_waiting) if queue is not None)


def lines_needed(step: Step) -> Lines:
    """The unbuilt lines of the view."""
    return unbuilt(step.after.view, step.now.texts)


def queue_sound(step: Step) -> Verdict:
    facts = step.now
    near = lines_needed(step)[: step.config.lookahead]
    return _first_broken(
        queue_laws.queue_sound(queue, facts.texts, facts.running, facts.resting, facts.total, near)
        for queue in queues(step.after)
    )


def queue_complete(step: Step) -> Verdict:
    facts, after, config = step.now, step.after, step.config
    if after.queue is None:
        return SILENT
    leaves = lines_needed(step)
    todo = leaves if facts.waiting else (*leaves, *facts.ready)
    late = leaves[config.lookahead :]
    broken = None
    if after.pending is not None:
        everything = (*facts.leaves, *facts.ready)
        broken = queue_laws.queue_complete(everything, after.pending, facts.running, facts.resting, ())
    if broken is None and len(facts.running) + len(after.queue) < config.jobs:
        broken = queue_laws.queue_complete(todo, after.queue, facts.running, facts.resting, late)
    return spoken(broken)


def queue_within_jobs(step: Step) -> Verdict:
    queue, waiting = step.after.queue, step.after.queue_waiting
    if queue is None:
        return SILENT
    kept = tuple(node for node in step.now.running if node in lines_needed(step))
    broken = queue_laws.queue_within_jobs(queue, step.now.running, step.config.jobs)
    if broken is None and waiting is not None:
        broken = queue_laws.queue_within_jobs(waiting, kept, step.config.jobs)
    return spoken(broken)


def merges_not_starved(step: Step) -> Verdict:
    facts, queue = step.now, step.after.queue
    if queue is None or facts.waiting or step.config.jobs < 2:
        return SILENT
    ready = tuple(node for node in facts.ready if node not in facts.running and node not in facts.resting)
    return spoken(queue_laws.merges_not_starved(ready, queue, facts.running, step.config.jobs)) if ready else SILENT


def queue_exact(step: Step) -> Verdict:
    after, facts = step.after, step.now
    checks = [(after.queue, facts.waiting), (after.queue_waiting, True)]
    return _first_broken(
        queue_laws.queue_exact(queue, queue_of(step.config, facts, after, waiting))
        for queue, waiting in checks
        if queue is not None
    )


def need_first(step: Step) -> Verdict:
    after = step.after
    checks = [after.queue] if step.now.waiting else []
    return _first_broken(
        queue_laws.need_first(queue, after.view, step.now.texts)
        for queue in [*checks, after.queue_waiting]
        if queue is not None
    )


def need_first_running(step: Step) -> Verdict:
    after, facts = step.after, step.now
    if not facts.waiting or after.running is None or after.failures is None:
        return SILENT
    before = step.before.failures if step.event.op == "wait" else None
    failures = after.failures if before is None else before
    if step.cancelled is not None and set(step.cancelled) != set(facts.cancelled):
        return spoken(f"{step.cancelled} were cancelled, by the rules {facts.cancelled}")
    return spoken(queue_laws.need_first_running(after.running, after.view, facts.texts, failures, after.failures))


def settle_progress(step: Step) -> Verdict:
    queue = step.after.queue
    if queue is None or not step.now.waiting or not lines_needed(step):
        return SILENT
    return spoken(
        queue_laws.settle_progress(lines_needed(step), step.now.running, queue, step.now.resting, step.config.lookahead)
    )


def settle_reached(step: Step) -> Verdict:
    facts, after = step.now, step.after
    if facts.wait_lines is None or (after.texts is None and after.queue is None):
        return SILENT
    # Who does not show what is built shows it by what he would build for the waiting turn.
    needed = after.queue or () if after.texts is None else unbuilt(after.view, after.texts)
    return spoken(queue_laws.settle_reached(needed, facts.wait_lines, facts.outcomes, step.config.failures))


def fail_cap_builds(step: Step) -> Verdict:
    node, texts = step.event.node, step.after.texts
    if step.event.op != "failed" or not step.accepted or node not in step.known.running or texts is None:
        return SILENT
    text = source(node, step.known.sources, step.known.texts)
    if text is None:
        return SILENT
    count = step.known.failures.get(node, 0) + 1
    return spoken(queue_laws.fail_cap_builds(count, step.config.failures, text, texts.get(node), step.config.node))


def context_ends_at_node(step: Step) -> Verdict:
    if step.event.op != "context" or step.answer is None:
        return SILENT
    return spoken(queue_laws.context_ends_at_node(step.event.node, step.answer, step.now.texts))


def context_is_prefix(step: Step) -> Verdict:
    cview = step.after.cview
    if step.event.op != "context" or step.answer is None or cview is None:
        return SILENT
    return spoken(queue_laws.context_is_prefix(step.event.node, step.answer, cview, step.now.texts))


def zoom_partitions(step: Step) -> Verdict:
    if step.event.op != "zoom" or step.answer is None:
        return SILENT
    return spoken(queue_laws.zoom_partitions(step.event.node, step.answer))


def rendered_lines(step: Step) -> Verdict:
    if step.rendered is None:
        return SILENT
    return spoken(view_laws.rendered_lines(step.rendered, step.after.view, step.now.texts))


def refused_changes_nothing(step: Step) -> Verdict:
    why = why_refused(step.config, step.known, step.before, step.event)
    if why is None and is_untaken(step.before, step.event, step.accepted):
        why = "it shows no queue"
    same = step.before._replace(merged=()) == step.after._replace(merged=())
    return spoken(queue_laws.refused_changes_nothing(why, step.accepted, same))


def _recorded(step: Step) -> bool:
    before, after = step.before.batches, step.after.batches
    return before is not None and after is not None and len(after) > len(before)


def _first_broken(results: Iterator[str | None]) -> Verdict:
    verdict = SILENT
    for broken in results:
        verdict = spoken(broken)
        if broken is not None:
            break
    return verdict
