"""An implementation that lies in its answers: for each law of steps, a lie that this law must see through."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from optchat_spec.session import Answer, Subject
from optchat_spec.steps import Event, State
from optchat_spec.vocabulary import Config, Lines, merged, most_due, parent, sibling

Lie = Callable[[Event, State, Answer], Answer]
"""What is answered to an event, from the state shown before and the true answer."""


class Liar:
    """A subject that answers with one kind of lie. What it showed last is what it thinks was true."""

    def __init__(self, subject: Subject, lie: Lie) -> None:
        self.subject, self.lie = subject, lie

    def open(self, config: Config) -> State:
        self.shown = self.subject.open(config)
        return self.shown

    def do(self, event: Event) -> Answer:
        answer = self.lie(event, self.shown, self.subject.do(event))
        self.shown = answer.state
        return answer


def shows(change: Callable[[State], dict[str, Any]]) -> Lie:
    """A lie about the state after every event."""

    def lie(_event: Event, _before: State, answer: Answer) -> Answer:
        return answer._replace(state=answer.state._replace(**change(answer.state)))

    return lie


def at(op: str, change: Callable[[State, Answer], Answer]) -> Lie:
    """A lie about the answer to one kind of event, when that was taken."""

    def lie(event: Event, before: State, answer: Answer) -> Answer:
        return change(before, answer) if event.op == op and answer.accepted else answer

    return lie


def shown(answer: Answer, **fields: Any) -> Answer:
    return answer._replace(state=answer.state._replace(**fields))


def too_coarse(lines: Lines) -> Lines:
    """The newest pair of lines as one, built or not."""
    if len(lines) > 1 and lines[-2][1] % 2 == 0 and lines[-1] == sibling(lines[-2]):
        return (*lines[:-2], parent(lines[-1]))
    return lines


def merged_at_once(_before: State, answer: Answer) -> Answer:
    """The newest pair merges at the message that made it."""
    lines = too_coarse(answer.state.view)
    return answer if lines == answer.state.view else shown(answer, view=lines, merged=(lines[-1],))


def unbuilt_merge_too(before: State, answer: Answer) -> Answer:
    """After a batch that merged, the newest pair merges too, built or not."""
    return merged_at_once(before, answer) if answer.state.merged else answer


def one_merge_too_many(_before: State, answer: Answer) -> Answer:
    """After a batch that merged, the next pair in the order merges too."""
    state = answer.state
    into = most_due(state.view, state.t, state.texts or {})
    after = merged(state.view, into) if into and state.merged else None
    return answer if after is None or into is None else shown(answer, view=after, merged=(*(state.merged or ()), into))


def no_batch(before: State, answer: Answer) -> Answer:
    """A batch that merged is left out: the view only grew."""
    if not answer.state.merged:
        return answer
    return shown(answer, view=(*before.view, (0, answer.state.t - 1)), merged=())


def other_order(_before: State, answer: Answer) -> Answer:
    """The same merges, the newest ones first."""
    return shown(answer, merged=tuple(reversed(answer.state.merged or ())))


def other_cview(before: State, answer: Answer) -> Answer:
    """The compaction view only grows."""
    return shown(answer, cview=(*(before.cview or ()), (0, answer.state.t - 1)))


def other_text(_before: State, answer: Answer) -> Answer:
    """The newest text that was built has a blank more."""
    if not answer.built or answer.state.texts is None:
        return answer
    node, text = answer.built[-1]
    return shown(answer, texts={**answer.state.texts, node: text + " "})._replace(built=((node, text + " "),))


def another_failure(_before: State, answer: Answer) -> Answer:
    """Every cancelled call counts as a failure."""
    failures = dict(answer.state.failures or {})
    for node in answer.cancelled or ():
        failures[node] = failures.get(node, 0) + 1
    return shown(answer, failures=failures)


def forgotten(_before: State, answer: Answer) -> Answer:
    """The last candidate is not named, though a place is free for it."""
    return shown(answer, queue=(answer.state.queue or ())[:-1], pending=(answer.state.pending or ())[:-1])


def none_built(before: State, answer: Answer) -> Answer:
    """Nothing that failed is ever built."""
    return shown(answer, texts=before.texts)


def leaves_alone(state: State) -> dict[str, Any]:
    """No merge is a candidate."""
    return {"queue": tuple(node for node in state.queue or () if node[0] == 0)}


def merges_alone(state: State) -> dict[str, Any]:
    """While a turn waits, the merges that could start are candidates too."""
    return {"queue": tuple(node for node in state.pending or () if node[0] > 0) or state.queue}


LIES: dict[str, Lie] = {
    "view_covers": shows(lambda state: {"view": state.view[1:]}),
    "cview_covers": shows(lambda state: {"cview": (state.cview or ())[:-1]}),
    "message_appends": at("message", merged_at_once),
    "message_merges_nothing": at("message", merged_at_once),
    "merge_is_one_pair": at("message", unbuilt_merge_too),
    "merge_covers": at("message", lambda _, answer: shown(answer, view=answer.state.view[1:])),
    "fit_merges_built": at("message", unbuilt_merge_too),
    "fit_reaches_budget": at("message", no_batch),
    "fit_most_due": at("message", other_order),
    "fit_stops_at_budget": at("message", one_merge_too_many),
    "view_summarized": at("message", merged_at_once),
    "cview_summarized": shows(lambda state: {"cview": too_coarse(state.cview or ())}),
    "view_bytes": shows(lambda state: {"bytes": (state.bytes or 0) + len(state.view)}),
    "restart_same_view": at("reopen", lambda _, answer: shown(answer, shrinking=False)),
    "batch_only_past_ceiling": at("message", merged_at_once),
    "shrinking_is_over_floor": at("message", lambda _, answer: shown(answer, shrinking=False)),
    "cview_follows": at("message", other_cview),
    "node_built_once": at("built", lambda _, answer: answer._replace(built=(answer.built or ()) * 2)),
    "free_is_source": at("message", other_text),
    "queue_sound": shows(lambda state: {"queue": (*(state.queue or ()), *(state.running or ()))}),
    "queue_complete": shows(lambda state: {"queue": (state.queue or ())[:-1]}),
    "queue_within_jobs": shows(lambda state: {"queue": state.pending}),
    "merges_not_starved": shows(leaves_alone),
    "queue_exact": shows(lambda state: {"queue": tuple(reversed(state.queue or ()))}),
    "need_first": shows(merges_alone),
    "need_first_running": at("wait", another_failure),
    "settle_progress": shows(lambda _: {"queue": ()}),
    "settle_reached": shows(lambda _: {"texts": {}}),
    "fail_cap_builds": at("failed", none_built),
    "context_ends_at_node": at("context", lambda _, answer: answer._replace(lines=answer.state.cview)),
    "context_is_prefix": at("context", lambda _, answer: answer._replace(lines=(answer.lines or ())[:-1])),
    "zoom_partitions": at("zoom", lambda _, answer: answer._replace(lines=(answer.lines or ())[::-1])),
    "rendered_lines": at(
        "render", lambda _, answer: answer._replace(rendered=(answer.rendered or "").replace(" ", "  "))
    ),
    "refused_changes_nothing": lambda _, __, answer: answer._replace(accepted=True),
}
