"""The view from the recorded batches: replayed over the messages, never computed anew by rule."""

from __future__ import annotations

from dataclasses import dataclass, field

from optchat.core.node import Node
from optchat.core.tree import BuiltNodes
from optchat.core.view import Batch


class ReplayError(ValueError):
    """A recorded batch that cannot have happened; one line that says why."""


@dataclass(slots=True)
class Replay:
    """A view under replay (law restart_same_view): `lines` tile `[0, total)`, `shrinking` is the last batch's flag."""

    lines: list[Node] = field(default_factory=list)
    shrinking: bool = False
    total: int = 0

    def messages(self, total: int) -> None:
        """Messages up to `total` append their own lines."""
        self.lines.extend(Node(0, index) for index in range(self.total, total))
        self.total = max(self.total, total)

    def batch(self, batch: Batch, built: BuiltNodes) -> None:
        """Do a recorded batch again. Raises ReplayError, the lines unchanged, when its merges do not fit the lines."""
        if batch.total < self.total:
            raise ReplayError(f"a batch at message {batch.total} after one at message {self.total}")
        self.messages(batch.total)
        if batch.merged:
            self.lines = merge_lines(self.lines, batch.merged, built)
        self.shrinking = batch.shrinking


def merge_lines(lines: list[Node], merged: tuple[Node, ...], built: BuiltNodes) -> list[Node]:
    """The lines after merging, in order, into each of the parents. O(lines + merges). Raises ReplayError."""
    place = {node: at for at, node in enumerate(lines)}
    result: list[Node | None] = list(lines)
    for parent in merged:
        if parent.level == 0 or parent not in built:
            raise ReplayError(f"a batch merges into {parent.name}, which is not a built merge")
        left, right = parent.children
        if left not in place or right not in place:
            raise ReplayError(f"a batch merges into {parent.name}, whose halves are not both lines of the view")
        at = place.pop(left)
        result[at], result[place.pop(right)] = parent, None
        place[parent] = at
    return [node for node in result if node is not None]
