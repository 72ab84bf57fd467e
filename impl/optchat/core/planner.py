"""The planner: what the view holds, when it merges, which summaries to build next. Pure: no files, clock or threads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from optchat.core import text as txt
from optchat.core.config import Config
from optchat.core.node import Node
from optchat.core.queue import Queue
from optchat.core.tree import BuiltNodes
from optchat.core.view import Batch, Sawtooth, View


class Texts(Protocol):
    """Where the planner reads texts that were logged: it keeps none itself, so its memory does not grow with them."""

    def message(self, index: int) -> tuple[str, str]:
        """The kind and text of a message."""

    def node(self, node: Node) -> str:
        """The text of a built node."""


class Refused(ValueError):
    """An event that the rules refuse, in one line. The planner's state is as it was."""


class Effects(NamedTuple):
    """What an event did, for the caller to log before the next event, in this order."""

    built: list[tuple[Node, str]]
    """Nodes that were built, with their texts; halves before their parent."""
    batch: Batch | None
    """The batch of the chat's view, when one ran: to be recorded, also when it merged nothing."""
    cancelled: list[Node]
    """Running calls to stop (law need_first_running)."""


class PlannerState(NamedTuple):
    """All that a restart carries over: what `Planner.resume` starts from. Everything else begins empty."""

    total: int
    lines: list[Node]
    shrinking: bool
    built: BuiltNodes
    leaves: list[Node]
    """The unbuilt leaves, oldest first. All of them are lines of the view."""
    ready: list[Node]
    """The unbuilt merges with built halves, in the order in which they became so."""


class Planner:
    """One chat's planner. `texts` must answer for every message and node that an earlier event's Effects held."""

    def __init__(self, config: Config, texts: Texts) -> None:
        self.config = config
        self.texts = texts
        self.total = 0
        self.chat = Sawtooth(config.ceiling, config.floor)
        self.compaction = Sawtooth(config.cceiling, config.cfloor)
        self.built_nodes = BuiltNodes()
        self.queue = Queue(config.jobs, config.lookahead)
        self._fresh: dict[Node, str] = {}
        """Texts that the current event built, which the caller has not logged yet."""

    @classmethod
    def resume(cls, config: Config, texts: Texts, state: PlannerState) -> Planner:
        """A planner after a restart: the view as the replay gave it, the compaction view fitted once to its floor."""
        planner = cls(config, texts)
        planner.total = state.total
        planner.built_nodes = state.built
        planner.queue.leaves.update((leaf, None) for leaf in state.leaves)
        planner.queue.ready.update((node, None) for node in state.ready)
        sizes = [planner._line_size(node) for node in state.lines]
        planner.chat.view = View(state.lines, sizes, sum(sizes))
        planner.chat.shrinking = state.shrinking
        planner.compaction.view = planner.chat.view.copy()
        planner.compaction.batch(state.total, planner._parent_size)
        return planner

    def state(self) -> PlannerState:
        """What a restart needs. The lists are the caller's; `built` is shared with the planner."""
        queue = self.queue
        lines = self.chat.view.nodes.copy()
        return PlannerState(
            self.total, lines, self.chat.shrinking, self.built_nodes, list(queue.leaves), list(queue.ready)
        )

    # Events. Each one returns its Effects, or raises Refused and changes nothing.

    def message(self, kind: str, text: str) -> Effects:
        """A message was logged: its line joins both views, failed nodes may start again, and the sawteeth grow."""
        source = txt.leaf_source(kind, text)
        try:
            source_size = txt.size(source)
        except UnicodeEncodeError:
            raise Refused("a message with a lone surrogate has no UTF-8 form: replace it first") from None
        leaf = Node(0, self.total)
        self._fresh = {}
        self.total += 1
        self.queue.resting.clear()
        if source_size <= self.config.node:
            self._build(leaf, source)
            size = txt.line_size(source)
        else:
            self.queue.leaves[leaf] = None
            size = txt.PLACEHOLDER_SIZE
        batch = self.chat.grow(leaf, size, self.total, self._parent_size)
        if batch is not None and batch.merged:
            self.compaction.view = self.chat.view.copy()
            self.compaction.batch(self.total, self._parent_size)
        else:
            self.compaction.grow(leaf, size, self.total, self._parent_size)
        return Effects(list(self._fresh.items()), batch, [])

    def started(self, node: Node) -> None:
        """A call for a current candidate was started."""
        if node not in self.candidates():
            raise Refused(f"{_name(node)} is no candidate now")
        self.queue.start(node)

    def built(self, node: Node, text: str) -> Effects:
        """A summary came, running or not: build the node, and its parents while they are free (law node_built_once)."""
        self._check_buildable(node)
        try:
            size = txt.size(text)
        except UnicodeEncodeError:
            raise Refused(f"the text of {node.name} holds a lone surrogate: it has no UTF-8 form") from None
        if not 1 <= size <= self.config.node:
            raise Refused(f"the text of {node.name} must be 1 to {self.config.node} bytes, not {size}")
        return self._built(node, text)

    def failed(self, node: Node) -> Effects:
        """A running call failed: the node rests; the third time, build it from its cut source (law fail_cap_builds)."""
        if node not in self.queue.running:
            raise Refused(f"{_name(node)} is not running")
        if self.queue.fail(node) < self.config.failures:
            return Effects([], None, [])
        return self._built(node, txt.cut(self.source(node), self.config.node))

    def retry(self) -> None:
        """The retry tick of a waiting turn: the nodes that failed may start again."""
        self.queue.resting.clear()

    def wait(self, on: bool) -> Effects:
        """A turn begins, or ends, to wait for the view (laws need_first, need_first_running)."""
        return Effects([], None, self.queue.wait(on))

    # Questions. None of them changes anything.

    def candidates(self, waiting: bool | None = None) -> list[Node]:
        """The nodes whose summaries may start now; with `waiting` given, those if a turn waited now (or did not)."""
        return self.queue.candidates(waiting)

    def settled(self) -> bool:
        """Whether every line of the view has its summary."""
        return not self.queue.leaves

    def source(self, node: Node) -> str:
        """What a node's summary is made of. Both halves of a merge must be built."""
        if node.level == 0:
            return txt.leaf_source(*self.texts.message(node.i))
        left, right = node.children
        return txt.merge_source(self.text(left), self.text(right))

    def text(self, node: Node) -> str:
        """The text of a built node."""
        return self._fresh[node] if node in self._fresh else self.texts.node(node)

    def line(self, node: Node) -> str:
        """A node's line text: its text on one line, or the placeholder while it is not built."""
        return txt.flatten(self.text(node)) if node in self.built_nodes else txt.PLACEHOLDER

    def context(self, node: Node) -> list[Node]:
        """The lines that a summary of node is written in (laws context_ends_at_node, context_is_prefix)."""
        self.check_node(node)
        end = node.first if node.level == 0 else node.end
        return context_of(self.compaction.view.nodes, end, self.built_nodes)

    def check_node(self, node: Node) -> None:
        """Refuse what is no node of this chat: negative, or beyond the messages."""
        # The level is bounded first: a shift by a level from outside could be of any size.
        if node.level < 0 or node.i < 0 or node.level > self.total.bit_length() or node.end > self.total:
            raise Refused(f"{_name(node)} is no node of a chat of {self.total} messages")

    def has_source(self, node: Node) -> bool:
        """Whether a node of this chat can be built by now: a leaf always, a merge when both halves are built."""
        return node.level == 0 or all(half in self.built_nodes for half in node.children)

    # The building of nodes.

    def _check_buildable(self, node: Node) -> None:
        self.check_node(node)
        if node in self.built_nodes:
            raise Refused(f"{node.name} is built already: a node is built once")
        if not self.has_source(node):
            raise Refused(f"{node.name} has no source yet: one of its halves is not built")

    def _built(self, node: Node, text: str) -> Effects:
        self._fresh = {}
        self._build(node, text)
        return Effects(list(self._fresh.items()), None, [])

    def _build(self, node: Node, text: str) -> None:
        """Build a node, then upwards while the parent's source fits into a node as it is."""
        while True:
            self._fresh[node] = text
            self.built_nodes.add(node)
            self.queue.forget(node)
            # Only a message's own line can be waiting for its summary (laws view_summarized, cview_summarized).
            if node.level == 0:
                self._resize(node, txt.line_size(text))
            if node.sibling not in self.built_nodes:
                return
            parent = node.parent
            if txt.size(text) + 2 > self.config.node:
                # A node of NODE - 1 bytes or more leaves no room for its sibling: it need not be read.
                self.queue.ready[parent] = None
                return
            source = self.source(parent)
            if txt.size(source) > self.config.node:
                self.queue.ready[parent] = None
                return
            node, text = parent, source

    def _resize(self, leaf: Node, size: int) -> None:
        self.chat.view.resize(leaf, size)
        self.compaction.view.resize(leaf, size)

    def _line_size(self, node: Node) -> int:
        return txt.line_size(self.text(node)) if node in self.built_nodes else txt.PLACEHOLDER_SIZE

    def _parent_size(self, parent: Node) -> int | None:
        return self._line_size(parent) if parent in self.built_nodes else None


def context_of(lines: Iterable[Node], end: int, built: BuiltNodes) -> list[Node]:
    """The start of `lines` up to the last line that ends at or before message `end`, before the first unbuilt one."""
    chosen: list[Node] = []
    for line in lines:
        if line.end > end or line not in built:
            break
        chosen.append(line)
    return chosen


def _name(node: Node) -> str:
    """A node's name, also of what is no node of any chat."""
    return node.name if 0 <= node.level <= 64 and node.i >= 0 else f"node ({node.level}, {node.i})"
