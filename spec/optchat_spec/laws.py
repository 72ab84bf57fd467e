"""Every law by its name: design/laws.md as a table for programs, and the laws that were added to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from optchat_spec import judges, line_laws, order_laws, queue_laws, view_laws
from optchat_spec.order_laws import PUBLISHED_STEPS, Fit, due_fit
from optchat_spec.registry import SILENT, Area, Law, Laws, Source, Verdict, spoken
from optchat_spec.steps import Step, Talk
from optchat_spec.vocabulary import Pushed

Judge = Callable[[Step], Verdict]
UNIVERSAL = "universal"


def _on_steps(
    area: Area,
    judge: Judge,
    predicate: Callable[..., str | None],
    sentence: str,
    needs: str = "",
    source: Source = "design",
) -> Law:
    return Law(predicate.__name__, area, sentence, UNIVERSAL, frozenset(needs.split()), predicate, source, step=judge)


def _view(judge: Judge, predicate: Callable[..., str | None], sentence: str, needs: str = "") -> Law:
    return _on_steps("view", judge, predicate, sentence, needs)


def _queue(judge: Judge, predicate: Callable[..., str | None], sentence: str, needs: str = "") -> Law:
    return _on_steps("queue", judge, predicate, sentence, needs)


def _fit(predicate: Callable[..., str | None], sentence: str, strength: str, judge: Callable[[Fit], str | None]) -> Law:
    needs = frozenset({"fit"})
    return Law(
        predicate.__name__, "order", sentence, strength, needs, predicate, fit=lambda batch: spoken(judge(batch))
    )


def _push(
    predicate: Callable[..., str | None], sentence: str, judge: Callable[[Fit, Pushed], str | None], needs: str
) -> Law:
    return Law(
        predicate.__name__,
        "order",
        sentence,
        UNIVERSAL,
        frozenset(needs.split()),
        predicate,
        push=lambda batch, entries: spoken(judge(batch, entries)),
    )


def _talk(predicate: Callable[..., str | None], sentence: str, judge: Callable[[Talk], Verdict]) -> Law:
    return Law(predicate.__name__, "line", sentence, UNIVERSAL, frozenset({"talk"}), predicate, talk=judge)


_FIRST = due_fit("first")

_VIEW = (
    _view(
        judges.view_covers,
        view_laws.view_covers,
        "After any history the view covers messages 0..T-1: each once, contiguous, oldest first, each line a"
        " tree node.",
    ),
    _view(
        judges.cview_covers,
        view_laws.cview_covers,
        "After any history the compaction view covers messages 0..T-1 in the same way.",
        "cview",
    ),
    _view(
        judges.message_appends,
        view_laws.message_appends,
        "When no batch runs, a message appends only its own line: the old view is a prefix of the new one.",
    ),
    _view(
        judges.message_merges_nothing,
        view_laws.message_merges_nothing,
        "When no batch runs, a message merges nothing.",
        "merged",
    ),
    _view(
        judges.merge_is_one_pair,
        view_laws.merge_is_one_pair,
        "A merge replaces two sibling lines with their built parent, or changes nothing.",
    ),
    _view(judges.merge_covers, view_laws.merge_covers, "A merge keeps the coverage."),
    _view(judges.fit_merges_built, view_laws.fit_merges_built, "A batch merges only into built parents."),
    _view(
        judges.fit_reaches_budget,
        view_laws.fit_reaches_budget,
        "A batch ends at or under its budget, unless no pair can merge.",
    ),
    _view(
        judges.fit_most_due,
        view_laws.fit_most_due,
        "Every merge that a batch makes is of the most due pair, the oldest of equal ones.",
    ),
    _view(
        judges.view_summarized,
        view_laws.view_summarized,
        "After any history every merged line of the view is built: only a message's own line can wait for its summary.",
    ),
    _view(
        judges.cview_summarized,
        view_laws.cview_summarized,
        "After any history every merged line of the compaction view is built.",
        "cview",
    ),
    _view(
        judges.view_bytes,
        view_laws.view_bytes,
        "The byte count that the planner keeps is the sum over the view's lines.",
        "bytes",
    ),
    _view(
        judges.restart_same_view,
        view_laws.restart_same_view,
        "Replaying the recorded batches over the messages gives the live view and its shrinking flag.",
        "reopen",
    ),
    _view(
        judges.batch_only_past_ceiling,
        view_laws.batch_only_past_ceiling,
        "A batch runs only at a message, and only past the ceiling or while shrinking.",
    ),
)

_ORDER = (
    _fit(
        order_laws.push_agrees,
        "With push's list length as the budget, the due order makes exactly push's merges, at every step.",
        "bounded: t = 0..20,000",
        lambda batch: order_laws.push_agrees(batch, PUBLISHED_STEPS),
    ),
    _push(
        order_laws.push_agrees_always,
        "With push's list length as the budget, the due order makes push's merges, after any number of pushes.",
        order_laws.push_agrees_always,
        "fit",
    ),
    _fit(
        order_laws.last_merges_8_9,
        "At T = 10, view 0+4 4+4 8+1 9+1, budget 3, due from last merges 8-9, as push does.",
        "bounded: the example",
        order_laws.last_merges_8_9,
    ),
    _fit(
        order_laws.first_merges_0_7,
        "At T = 10, in the same view with the same budget, due from first merges 0-7.",
        "bounded: the example",
        lambda _: order_laws.first_merges_0_7(_FIRST),
    ),
    _fit(
        order_laws.first_is_not_last,
        "Due from first and due from last are not the same order: that example tells them apart.",
        "bounded: the example",
        lambda batch: order_laws.first_is_not_last(batch, _FIRST),
    ),
    _fit(
        order_laws.first_leaves_push,
        "Due from first leaves push within 11 steps; over t = 0..20,000 it agrees at 481 of 20,001.",
        "bounded: t = 0..20,000",
        lambda _: order_laws.first_leaves_push(_FIRST),
    ),
    _push(
        order_laws.push_is_short,
        "Push's view of T messages has at most 2 lines a level, so at most 2 * (log2 T + 1) lines.",
        lambda _, entries: order_laws.push_is_short(entries),
        "",
    ),
)

_QUEUE = (
    _queue(
        judges.node_built_once,
        queue_laws.node_built_once,
        "No history builds a node twice or builds one whose source does not exist.",
    ),
    _queue(
        judges.queue_sound,
        queue_laws.queue_sound,
        "Every candidate is unbuilt, not running, not resting, and has its source; a leaf is within the look-ahead.",
        "queue",
    ),
    _queue(
        judges.queue_complete,
        queue_laws.queue_complete,
        "Every unbuilt node whose source exists is running, resting, a waiting leaf past the look-ahead, or"
        " in the queue:"
        " nothing is ever forgotten.",
        "queue",
    ),
    _queue(
        judges.queue_within_jobs,
        queue_laws.queue_within_jobs,
        "Candidates and running calls together are at most JOBS.",
        "queue",
    ),
    _queue(
        judges.merges_not_starved,
        queue_laws.merges_not_starved,
        "With JOBS of 2 or more and no turn waiting, whenever a merge is ready, a merge is running, or one"
        " is a candidate,"
        " or every place is taken.",
        "queue",
    ),
    _queue(
        judges.need_first,
        queue_laws.need_first,
        "While a turn waits, only unbuilt lines of the view are candidates.",
        "queue",
    ),
    _queue(
        judges.need_first_running,
        queue_laws.need_first_running,
        "While a turn waits, a running call for any other node than those is cancelled, without a failure.",
        "running failures",
    ),
    _queue(
        judges.settle_progress,
        queue_laws.settle_progress,
        "While a turn waits and the view has an unbuilt line, some call is running, or a candidate, or a"
        " retry tick makes one.",
        "queue",
    ),
    _queue(
        judges.settle_reached,
        queue_laws.settle_reached,
        "With U unbuilt lines at the start of a wait and no message in it, at most FAILURES * U outcomes of"
        " running calls"
        " (built or failed) leave none.",
        "queue",
    ),
    _queue(
        judges.fail_cap_builds,
        queue_laws.fail_cap_builds,
        "The third failure of a node builds it from its source cut to NODE bytes.",
        "texts",
    ),
    _queue(
        judges.context_ends_at_node,
        queue_laws.context_ends_at_node,
        "A summary's context ends at its node and has only built lines.",
        "context",
    ),
    _queue(
        judges.context_is_prefix,
        queue_laws.context_is_prefix,
        "A summary's context is the start of the compaction view, as far as it goes.",
        "context cview",
    ),
    _queue(
        judges.zoom_partitions,
        queue_laws.zoom_partitions,
        "Zooming line id+n gives two lines that tile it, down to the message.",
        "zoom",
    ),
)

_LINE = (
    _talk(
        line_laws.line_calls_at_most_tries,
        "At most TRIES replies are asked for.",
        lambda talk: spoken(line_laws.line_calls_at_most_tries(talk.asked, talk.tries)),
    ),
    _talk(
        line_laws.line_fits,
        "A line is 1..NODE bytes.",
        lambda talk: SILENT if talk.line is None else spoken(line_laws.line_fits(talk.line, talk.node)),
    ),
    _talk(
        line_laws.line_takes_first_fit,
        "The first reply of 1..NODE bytes is the line.",
        lambda talk: spoken(line_laws.line_takes_first_fit(talk)),
    ),
    _talk(
        line_laws.line_stops_when_not_shorter,
        "A follow-up that is not shorter than the best ends the tries, and the best is the line, cut.",
        lambda talk: spoken(line_laws.line_stops_when_not_shorter(talk)),
    ),
    _talk(
        line_laws.line_empty_is_a_try,
        "An empty reply is a try, and the last one.",
        lambda talk: spoken(line_laws.line_empty_is_a_try(talk)),
    ),
    _talk(
        line_laws.line_error_fails,
        "An error fails the node and makes no line.",
        lambda talk: spoken(line_laws.line_error_fails(talk)),
    ),
)

_ADDED = (
    _on_steps(
        "view",
        judges.fit_stops_at_budget,
        view_laws.fit_stops_at_budget,
        "A batch stops as soon as its budget is reached.",
        source="added",
    ),
    _on_steps(
        "view",
        judges.shrinking_is_over_floor,
        view_laws.shrinking_is_over_floor,
        "After a batch the view is shrinking when it is still over its floor; nothing else changes that.",
        "shrinking",
        "added",
    ),
    _on_steps(
        "view",
        judges.cview_follows,
        view_laws.cview_follows,
        "The compaction view becomes the chat's view, fitted to its own floor, when that one merged and at a"
        " restart; else it"
        " grows as a sawtooth does.",
        "cview",
        "added",
    ),
    _on_steps(
        "view",
        judges.rendered_lines,
        view_laws.rendered_lines,
        "The view reads as <chat>, one id+n|text a line, </chat>: no text breaks a line, and each is its node's, or the"
        " placeholder.",
        "rendered",
        "added",
    ),
    _on_steps(
        "queue",
        judges.free_is_source,
        queue_laws.free_is_source,
        "A source of at most NODE bytes is its own node at once, word for word, and so upwards.",
        "texts",
        "added",
    ),
    _on_steps(
        "queue",
        judges.queue_exact,
        queue_laws.queue_exact,
        "The candidates are the leaves, oldest first, then the merges in the order in which they became"
        " ready, as the places"
        " allow.",
        "queue",
        "added",
    ),
    _on_steps(
        "queue",
        judges.refused_changes_nothing,
        queue_laws.refused_changes_nothing,
        "What the rules refuse is refused, nothing else is, and a refusal changes nothing.",
        "queue",
        "added",
    ),
)


def by_name(laws: Iterable[Law]) -> Laws:
    """Laws under their names. Raises ValueError for a second one of a name, which would be judged instead."""
    found: dict[str, Law] = {}
    for law in laws:
        if law.name in found:
            raise ValueError(f"two laws are named {law.name}")
        found[law.name] = law
    return found


LAWS: Laws = by_name((*_VIEW, *_ORDER, *_QUEUE, *_LINE, *_ADDED))
"""Every law, by name, in the order of design/laws.md; then the added ones."""

STEP_LAWS = tuple(law for law in LAWS.values() if law.step is not None)
FIT_LAWS = tuple(law for law in LAWS.values() if law.fit is not None)
PUSH_LAWS = tuple(law for law in LAWS.values() if law.push is not None)
TALK_LAWS = tuple(law for law in LAWS.values() if law.talk is not None)


def judge(law: Law, step: Step) -> Verdict:
    """What a law of steps says of a step. Raises ValueError for a law that is judged on something else."""
    if law.step is None:
        raise ValueError(f"{law.name} is not judged on steps")
    return law.step(step)
