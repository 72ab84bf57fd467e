"""Contracts of the view: any view of six messages, any sizes, any budget, any built parents."""

from __future__ import annotations

from optchat.core.node import Node
from optchat.core.replay import Replay
from optchat.core.tree import BuiltNodes
from optchat.core.view import Batch, Sawtooth, View
from optchat_spec import view_laws
from optchat_spec.vocabulary import Batch as Recorded
from stateful_tests.contracts import tiny
from stateful_tests.contracts.contract import contract
from stateful_tests.contracts.tiny import FOURS, PARENTS4, SIXES, Fitted, Flags3, Flags4, Four, Six

SIX = "every view of 6 messages, all sizes, all budgets, any parents built"
FOUR = "every view of 4 messages and its 5th, all sizes and budgets, any parents built"


@contract(
    "merge_is_one_pair",
    "view.View.fit",
    "every view of 6 messages, any parents built, one merge at the most",
    quick=True,
)
def merge_is_one_pair(shape: int, built: Flags4) -> None:
    assert 0 <= shape < len(SIXES)
    # Two lines of 2 bytes merge into one of 3, so that a budget of one byte less than there are is met by one merge.
    fitted = Fitted(shape, built, (2,) * 6, 3, 2 * len(SIXES[shape]) - 1)
    assert view_laws.merge_is_one_pair(fitted.lines, fitted.view.nodes, fitted.built) is None


@contract("merge_covers", "view.View.fit", SIX)
def merge_covers(shape: int, built: Flags4, sizes: Six, parent: int, budget: int) -> None:
    assert 0 <= shape < len(SIXES)
    fitted = Fitted(shape, built, sizes, parent, budget)
    assert view_laws.merge_covers(6, fitted.lines, fitted.view.nodes) is None


@contract("fit_merges_built", "view.View.fit", SIX)
def fit_merges_built(shape: int, built: Flags4, sizes: Six, parent: int, budget: int) -> None:
    assert 0 <= shape < len(SIXES)
    fitted = Fitted(shape, built, sizes, parent, budget)
    assert view_laws.fit_merges_built(fitted.merges, fitted.built) is None


@contract("fit_reaches_budget", "view.View.fit", SIX)
def fit_reaches_budget(shape: int, built: Flags4, sizes: Six, parent: int, budget: int) -> None:
    assert 0 <= shape < len(SIXES)
    fitted = Fitted(shape, built, sizes, parent, budget)
    after = [fitted.size(line) for line in fitted.view.nodes]
    assert view_laws.fit_reaches_budget(fitted.view.nodes, after, budget, 6, fitted.built) is None


@contract("fit_most_due", "view.View.fit", SIX)
def fit_most_due(shape: int, built: Flags4, sizes: Six, parent: int, budget: int) -> None:
    assert 0 <= shape < len(SIXES)
    fitted = Fitted(shape, built, sizes, parent, budget)
    assert view_laws.fit_most_due(fitted.lines, fitted.merges, 6, fitted.built) is None


@contract("fit_stops_at_budget", "view.View.fit", SIX)
def fit_stops_at_budget(shape: int, built: Flags4, sizes: Six, parent: int, budget: int) -> None:
    assert 0 <= shape < len(SIXES)
    fitted = Fitted(shape, built, sizes, parent, budget)
    assert view_laws.fit_stops_at_budget(fitted.lines, fitted.merges, fitted.size, budget) is None


@contract("view_bytes", "view.View.fit", SIX)
def view_bytes(shape: int, built: Flags4, sizes: Six, parent: int, budget: int) -> None:
    assert 0 <= shape < len(SIXES)
    fitted = Fitted(shape, built, sizes, parent, budget)
    assert view_laws.view_bytes(fitted.view.bytes, [fitted.size(line) for line in fitted.view.nodes]) is None


class Grown:
    """`Sawtooth.grow` on a view of four messages, by its fifth."""

    def __init__(self, shape: int, built: Flags3, sizes: Four, new: int, parent: int, saw: Sawtooth) -> None:
        self.before = FOURS[shape]
        self.built = tiny.chosen(PARENTS4, built) | {line for line in self.before if line.level}
        lines = list(sizes[: len(self.before)])
        saw.view = View(list(self.before), lines, sum(lines))
        self.count = saw.view.bytes + new
        self.flag = saw.shrinking
        self.batch = saw.grow(Node(0, 4), new, 5, lambda node: parent if node in self.built else None)
        self.after = saw.view.nodes


@contract("view_covers", "view.Sawtooth.grow", FOUR)
def view_covers(
    shape: int, built: Flags3, sizes: Four, new: int, parent: int, ceiling: int, floor: int, flag: bool
) -> None:
    assert 0 <= shape < len(FOURS)
    grown = Grown(shape, built, sizes, new, parent, Sawtooth(ceiling, floor, shrinking=flag))
    assert view_laws.view_covers(5, grown.after) is None


@contract("view_summarized", "view.Sawtooth.grow", FOUR)
def view_summarized(
    shape: int, built: Flags3, sizes: Four, new: int, parent: int, ceiling: int, floor: int, flag: bool
) -> None:
    assert 0 <= shape < len(FOURS)
    grown = Grown(shape, built, sizes, new, parent, Sawtooth(ceiling, floor, shrinking=flag))
    assert view_laws.view_summarized(grown.after, grown.built) is None


@contract("message_appends", "view.Sawtooth.grow", FOUR)
def message_appends(
    shape: int, built: Flags3, sizes: Four, new: int, parent: int, ceiling: int, floor: int, flag: bool
) -> None:
    assert 0 <= shape < len(FOURS)
    grown = Grown(shape, built, sizes, new, parent, Sawtooth(ceiling, floor, shrinking=flag))
    due = flag or grown.count > ceiling
    assert due or view_laws.message_appends(grown.before, grown.after, 5) is None


@contract("message_merges_nothing", "view.Sawtooth.grow", FOUR)
def message_merges_nothing(
    shape: int, built: Flags3, sizes: Four, new: int, parent: int, ceiling: int, floor: int, flag: bool
) -> None:
    assert 0 <= shape < len(FOURS)
    grown = Grown(shape, built, sizes, new, parent, Sawtooth(ceiling, floor, shrinking=flag))
    due = flag or grown.count > ceiling
    merges = grown.batch.merged if grown.batch is not None else ()
    assert due or view_laws.message_merges_nothing(merges) is None


@contract("batch_only_past_ceiling", "view.Sawtooth.grow", FOUR, quick=True)
def batch_only_past_ceiling(
    shape: int, built: Flags3, sizes: Four, new: int, parent: int, ceiling: int, floor: int, flag: bool
) -> None:
    assert 0 <= shape < len(FOURS)
    grown = Grown(shape, built, sizes, new, parent, Sawtooth(ceiling, floor, shrinking=flag))
    ran = grown.batch is not None
    assert view_laws.batch_only_past_ceiling(ran, True, grown.count, ceiling, flag) is None


@contract("shrinking_is_over_floor", "view.Sawtooth.grow", FOUR, quick=True)
def shrinking_is_over_floor(
    shape: int, built: Flags3, sizes: Four, new: int, parent: int, ceiling: int, floor: int, flag: bool
) -> None:
    assert 0 <= shape < len(FOURS)
    saw = Sawtooth(ceiling, floor, shrinking=flag)
    ran = Grown(shape, built, sizes, new, parent, saw).batch is not None
    assert not ran or view_laws.shrinking_is_over_floor(saw.shrinking, saw.view.bytes, floor) is None


@contract("restart_same_view", "replay.Replay", "4 messages of all sizes, all budgets, any parents built")
def restart_same_view(built: Flags3, sizes: Four, parent: int, ceiling: int, floor: int) -> None:
    assert 1 <= floor <= ceiling
    nodes = BuiltNodes(tiny.chosen(PARENTS4, built))
    saw, batches = Sawtooth(ceiling, floor), list[Batch]()
    for index, size in enumerate(sizes):
        batch = saw.grow(Node(0, index), size, index + 1, lambda node: parent if node in nodes else None)
        if batch is not None:
            batches.append(batch)
    replay = Replay()
    for batch in batches:
        replay.batch(batch, nodes)
    replay.messages(4)
    recorded = [Recorded(*batch) for batch in batches]
    assert view_laws.restart_same_view(saw.view.nodes, saw.shrinking, 4, recorded) is None
    assert view_laws.restart_same_view(replay.lines, replay.shrinking, replay.total, recorded) is None


HALVED = (FOURS[0], FOURS[1], FOURS[-1])
"""One line, two, or each message its own."""

COMPACTION = "4 messages in 1, 2 or 4 lines in both views, then a 5th; all ceilings and floors, the root built or not"


class Talked:
    """`Planner.message` on a planner whose two views are any, four messages old."""

    def __init__(self, shape: int, cshape: int, root: bool, budgets: Four) -> None:
        made = tiny.planner((True,) * 4, (True, True, root))
        lines, clines = HALVED[shape], HALVED[cshape]
        self.built = {
            *(Node(0, index) for index in range(5)),
            *PARENTS4[:2],
            *PARENTS4[2 if root else 3 :],
            *lines,
            *clines,
        }
        made.built_nodes = BuiltNodes(self.built - {Node(0, 4)})
        made.chat = Sawtooth(budgets[0], budgets[1], tiny.view_of(lines))
        made.compaction = Sawtooth(budgets[2], budgets[3], tiny.view_of(clines))
        batch = made.message("", "m").batch
        follows = batch is not None and len(batch.merged) > 0
        self.base = tuple(made.chat.view.nodes) if follows else (*clines, Node(0, 4))
        self.ran = follows or tiny.BYTES * len(clines) + 3 > budgets[2]
        self.cview = made.compaction.view.nodes


@contract("cview_covers", "planner.Planner.message", COMPACTION)
def cview_covers(shape: int, cshape: int, root: bool, budgets: Four) -> None:
    assert 0 <= shape < len(HALVED)
    assert 0 <= cshape < len(HALVED)
    talked = Talked(shape, cshape, root, budgets)
    assert view_laws.cview_covers(5, talked.cview) is None


@contract("cview_summarized", "planner.Planner.message", COMPACTION)
def cview_summarized(shape: int, cshape: int, root: bool, budgets: Four) -> None:
    assert 0 <= shape < len(HALVED)
    assert 0 <= cshape < len(HALVED)
    talked = Talked(shape, cshape, root, budgets)
    assert view_laws.cview_summarized(talked.cview, talked.built) is None


@contract("cview_follows", "planner.Planner.message", COMPACTION)
def cview_follows(shape: int, cshape: int, root: bool, budgets: Four) -> None:
    assert 0 <= shape < len(HALVED)
    assert 0 <= cshape < len(HALVED)
    talked = Talked(shape, cshape, root, budgets)
    size = {Node(0, 4): 3}
    assert (
        view_laws.cview_follows(
            talked.cview, talked.base, talked.ran, budgets[3], 5, talked.built, lambda line: size.get(Node(*line), 4)
        )
        is None
    )
