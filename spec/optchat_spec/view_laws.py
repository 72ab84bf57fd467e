"""The laws of the view, as predicates: None when the law holds, else the reason why not, in one line."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from optchat_spec.vocabulary import (
    Batch,
    Lines,
    Node,
    fit,
    is_prefix,
    merged,
    most_due,
    parent,
    replay,
    summarized,
    tiles,
)
from optchat_spec.vocabulary import rendered as text_of


def view_covers(total: int, view: Sequence[Node]) -> str | None:
    """The view covers messages 0..T-1: each once, contiguous, oldest first, each line a tree node."""
    return None if tiles(view, 0, total) else f"the view does not tile [0, {total})"


def cview_covers(total: int, cview: Sequence[Node]) -> str | None:
    """The compaction view covers messages 0..T-1 likewise."""
    return None if tiles(cview, 0, total) else f"the compaction view does not tile [0, {total})"


def message_appends(before: Sequence[Node], after: Sequence[Node], total: int) -> str | None:
    """A message that ran no batch appended only its own line; `total` is T after it."""
    if not is_prefix(before, after):
        return f"the old view is no prefix of the new one: {became(before, after)}"
    return None if tuple(after[len(before) :]) == ((0, total - 1),) else "more or less than the own line was appended"


def became(before: Sequence[Node], after: Sequence[Node]) -> str:
    """The lines that went away and those that came, the first few of them, for a reason."""
    gone, new = ([line for line in one if line not in other] for one, other in ((before, after), (after, before)))
    return f"{listed(gone)} became {listed(new)}"


def listed(lines: Sequence[Node]) -> str:
    shown = ", ".join(f"({level}, {index})" for level, index in lines[:4]) or "nothing"
    return shown + (f" and {len(lines) - 4} more" if len(lines) > 4 else "")


def not_built(lines: Iterable[Node], built: Collection[Node]) -> Node | None:
    """The first merged line that is not built, for a reason."""
    return next((line for line in lines if line[0] > 0 and line not in built), None)


def message_merges_nothing(merges: Sequence[Node]) -> str | None:
    """A message that ran no batch merged nothing."""
    return None if len(merges) == 0 else f"{len(merges)} pairs merged without a batch"


def merge_is_one_pair(before: Sequence[Node], after: Sequence[Node], built: Collection[Node]) -> str | None:
    """One merge replaces two sibling lines with their built parent, or changes nothing."""
    if tuple(before) == tuple(after):
        return None
    for line in before:
        if line[1] % 2 == 0 and parent(line) in built and merged(before, parent(line)) == tuple(after):
            return None
    return f"the merge did not replace two sibling lines with their built parent: {became(before, after)}"


def merge_covers(total: int, before: Sequence[Node], after: Sequence[Node]) -> str | None:
    """A merge of lines that tile [0, T) leaves lines that tile it."""
    if not tiles(before, 0, total):
        return None
    return None if tiles(after, 0, total) else f"after a merge the lines do not tile [0, {total})"


def fit_merges_built(merges: Iterable[Node], built: Collection[Node]) -> str | None:
    """A batch merges only into built parents."""
    for into in merges:
        if into not in built:
            return f"merged into {into}, which is not built"
    return None


def fit_reaches_budget(
    after: Sequence[Node], sizes: Sequence[int], budget: int, total: int, built: Collection[Node] | None
) -> str | None:
    """A batch ends at or under its budget, unless no pair can merge. `sizes` are the lines' bytes."""
    if sum(sizes) <= budget or most_due(after, total, built) is None:
        return None
    return f"the batch stopped at {sum(sizes)}, over its budget of {budget}, though a pair can merge"


def fit_most_due(
    before: Sequence[Node], merges: Iterable[Node], total: int, built: Collection[Node] | None
) -> str | None:
    """Every merge of a batch over the lines `before` is of the most due pair, the oldest of equal ones."""
    lines = tuple(before)
    for into in merges:
        best = most_due(lines, total, built)
        if into != best:
            return f"merged into {into} where {best} was to merge"
        after = merged(lines, into)
        if after is None:
            return f"merged into {into}, whose halves are no lines"
        lines = after
    return None


def fit_stops_at_budget(
    before: Sequence[Node], merges: Sequence[Node], size: Callable[[Node], int], budget: int
) -> str | None:
    """A batch stops as soon as its budget is reached: before its last merge it was over it."""
    if not merges:
        return None
    lines = tuple(before)
    for into in merges[:-1]:
        lines = merged(lines, into) or lines
    count = sum(map(size, lines))
    return None if count > budget else f"the batch went on at {count} bytes, though its budget of {budget} was reached"


def view_summarized(view: Iterable[Node], built: Collection[Node]) -> str | None:
    """Every merged line of the view is built."""
    return None if summarized(view, built) else f"a merged line of the view is not built: {not_built(view, built)}"


def cview_summarized(cview: Iterable[Node], built: Collection[Node]) -> str | None:
    """Every merged line of the compaction view is built."""
    if summarized(cview, built):
        return None
    return f"a merged line of the compaction view is not built: {not_built(cview, built)}"


def view_bytes(count: int, sizes: Iterable[int]) -> str | None:
    """The byte count that the planner keeps is the sum over the view's lines, without their heads."""
    actual = sum(sizes)
    return None if count == actual else f"{count} bytes are counted where the lines have {actual}"


def restart_same_view(view: Sequence[Node], shrinking: bool, total: int, batches: Iterable[Batch]) -> str | None:
    """Replaying the recorded batches over the messages gives the live view and its shrinking flag."""
    again = replay(total, batches)
    if again is None:
        return "the recorded batches cannot be replayed"
    if again[0] != tuple(view):
        return "the replayed view is not the live one"
    return None if again[1] == shrinking else f"the replayed flag is {again[1]}, the live one {shrinking}"


def batch_only_past_ceiling(ran: bool, at_message: bool, count: int, ceiling: int, shrinking: bool) -> str | None:
    """A batch runs only at a message, and only past the ceiling or while shrinking.

    `count` is the view's bytes after the message's line joined it, `shrinking` the flag before the message.
    """
    if not ran:
        return None
    if not at_message:
        return "the view's lines changed without a message"
    return None if count > ceiling or shrinking else f"a batch ran at {count} bytes, not past {ceiling}"


def shrinking_is_over_floor(shrinking: bool, count: int, floor: int) -> str | None:
    """After a batch the flag says whether the view is still over its floor."""
    return (
        None if shrinking == (count > floor) else f"shrinking is {shrinking} at {count} bytes, with a floor of {floor}"
    )


def cview_follows(
    cview: Sequence[Node],
    base: Sequence[Node],
    ran: bool,
    floor: int,
    total: int,
    built: Collection[Node],
    size: Callable[[Node], int],
) -> str | None:
    """The compaction view is `base`, fitted to its floor where a batch ran.

    `base` is the chat's view after a batch that merged something and at a restart; else the old compaction view and the
    new line.
    """
    expected: Lines = fit(base, floor, total, built, size)[0] if ran else tuple(base)
    return None if tuple(cview) == expected else "the compaction view does not follow"


def rendered_lines(rendered: str, view: Sequence[Node], texts: Mapping[Node, str]) -> str | None:
    """The view reads as `<chat>`, one `id+n|text` a line, `</chat>`; no text breaks a line, and an unbuilt one is a
    placeholder.
    """
    said, expected = rendered.split("\n"), text_of(view, texts).split("\n")
    if said == expected:
        return None
    at = next((at for at, (one, other) in enumerate(zip(said, expected, strict=False)) if one != other), len(expected))
    return f"line {at} of the rendered view is not what it should be (of {len(said)} lines, {len(expected)} are right)"
