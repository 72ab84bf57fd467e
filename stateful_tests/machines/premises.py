"""What a step must be like for a law to have something to lose on it: a law that no machine ever tries is a defect.

Many laws speak of each step, and most steps are trivial to them: a view without a merged line keeps `view_summarized`
whatever the planner does. A premise here is met where the law could have been broken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from optchat_spec import judges
from optchat_spec.laws import LAWS
from optchat_spec.steps import Step
from optchat_spec.vocabulary import Lines, unbuilt

Premise = Callable[[Step], bool]


def speaks(name: str) -> Premise:
    """The law's own premise, where it has one."""
    step = LAWS[name].step
    assert step is not None
    return lambda made: step(made).spoke


def has_merged(lines: Lines | None) -> bool:
    return any(line[0] > 0 for line in lines or ())


def merges(step: Step) -> bool:
    return bool(judges.merges_of(step))


def mixed(lines: Lines | None) -> bool:
    """Both leaves and merges."""
    return has_merged(lines) and any(line[0] == 0 for line in lines or ())


def reopens(step: Step) -> bool:
    return step.event.op == "reopen"


def is_last_failure(step: Step) -> bool:
    failures = step.known.failures.get(step.event.node, 0) + 1
    return speaks("fail_cap_builds")(step) and failures == step.config.failures


PREMISES: Mapping[str, tuple[Premise, ...]] = {
    "view_covers": (lambda step: has_merged(step.after.view),),
    "cview_covers": (lambda step: has_merged(step.after.cview),),
    "message_appends": (speaks("message_appends"),),
    "message_merges_nothing": (speaks("message_merges_nothing"),),
    "merge_is_one_pair": (merges,),
    "merge_covers": (merges,),
    "fit_merges_built": (merges,),
    "fit_reaches_budget": (
        lambda step: judges.owes_batch(step) and not step.after.shrinking,
        lambda step: judges.owes_batch(step) and bool(step.after.shrinking),
    ),
    "fit_most_due": (lambda step: len(judges.merges_of(step)) > 1,),
    "fit_stops_at_budget": (speaks("fit_stops_at_budget"),),
    "view_summarized": (lambda step: has_merged(step.after.view) and bool(unbuilt(step.after.view, step.now.texts)),),
    "cview_summarized": (lambda step: has_merged(step.after.cview),),
    "view_bytes": (lambda step: has_merged(step.after.view) and bool(unbuilt(step.after.view, step.now.texts)),),
    "restart_same_view": (
        lambda step: reopens(step) and has_merged(step.after.view),
        lambda step: reopens(step) and bool(step.after.shrinking),
    ),
    "batch_only_past_ceiling": (
        lambda step: merges(step) and step.known.shrinking,
        lambda step: merges(step) and not step.known.shrinking,
    ),
    "shrinking_is_over_floor": (
        lambda step: judges.owes_batch(step) and bool(step.after.shrinking),
        lambda step: judges.owes_batch(step) and step.known.shrinking and not step.after.shrinking,
    ),
    "cview_follows": (
        lambda step: reopens(step) and step.before.cview != step.after.view,
        lambda step: merges(step) and step.after.cview != step.after.view,
    ),
    "node_built_once": (lambda step: any(node[0] > 0 for node, _ in step.built or ()),),
    "free_is_source": (
        lambda step: any(level > 0 for (level, _), _ in step.built or ()) and step.event.op == "message",
    ),
    "queue_sound": (lambda step: bool(step.after.queue) and bool(step.now.running) and bool(step.now.resting),),
    "queue_complete": (
        lambda step: bool(step.after.queue) and len(step.now.running) + len(step.after.queue or ()) < step.config.jobs,
    ),
    "queue_within_jobs": (
        lambda step: bool(step.now.running) and len(step.now.running) + len(step.after.queue or ()) == step.config.jobs,
    ),
    "merges_not_starved": (speaks("merges_not_starved"),),
    "queue_exact": (lambda step: mixed(step.after.queue),),
    "need_first": (lambda step: step.now.waiting and bool(step.after.queue) and bool(step.now.ready),),
    "need_first_running": (lambda step: bool(step.cancelled),),
    "settle_progress": (
        speaks("settle_progress"),
        lambda step: speaks("settle_progress")(step) and not step.after.queue,
    ),
    "settle_reached": (lambda step: speaks("settle_reached")(step) and step.now.outcomes > 0,),
    "fail_cap_builds": (is_last_failure,),
    "context_ends_at_node": (lambda step: speaks("context_ends_at_node")(step) and bool(step.answer),),
    "context_is_prefix": (lambda step: speaks("context_is_prefix")(step) and has_merged(step.answer),),
    "zoom_partitions": (lambda step: bool(step.answer) and step.event.op == "zoom",),
    "rendered_lines": (lambda step: step.rendered is not None and has_merged(step.after.view),),
    "refused_changes_nothing": (
        lambda step: not step.accepted and step.event.op == "built",
        lambda step: not step.accepted and step.event.op == "started",
        lambda step: not step.accepted and step.event.op == "failed",
    ),
}  # fmt: skip
"""For each law of steps: what must be met somewhere, all of it."""
