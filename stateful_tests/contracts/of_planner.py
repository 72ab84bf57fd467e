"""Contracts of the planner's events: four messages, any of their nodes built, then an event."""

from __future__ import annotations

from optchat.core.config import Config
from optchat.core.node import Node
from optchat.core.planner import Planner, Refused
from optchat.core.render import render
from optchat_spec import queue_laws, view_laws
from stateful_tests.contracts import tiny
from stateful_tests.contracts.contract import contract
from stateful_tests.contracts.tiny import FOURS, Flags3, Flags4, pick

BUILT = "4 messages, any of their 7 nodes built"
CHARACTERS = ("a", "é", "€", "😀", "\r", "\n", "")
"""One to four bytes, the two that end lines, and none."""

LEVELS, INDICES = range(-1, 4), range(-1, 5)
SUMMARIES = ("", tiny.SUMMARY, tiny.SUMMARY + "s")
ANY = (*tiny.ALL, Node(-1, 0), Node(0, -1), Node(0, 4), Node(1, 2), Node(3, 0))
"""The nodes of a chat of four messages, and some that are none."""

Letters = tuple[int, int, int]


def todo_of(made: Planner) -> list[Node]:
    """Every unbuilt node of a tiny planner whose source exists."""
    return [node for node in tiny.ALL if node not in made.built_nodes and made.has_source(node)]


@contract("node_built_once", "planner.Planner.built", BUILT + ", and any node is built with 0, 4 or 5 bytes")
def node_built_once(leaves: Flags4, merges: Flags3, which: int, size: int) -> None:
    assert 0 <= which < len(ANY)
    assert 0 <= size < 3
    made = tiny.planner(leaves, merges)
    before = tiny.built_of(made)
    try:
        new = [node for node, _ in made.built(pick(ANY, which), pick(SUMMARIES, size)).built]
    except Refused:
        new = []
    assert queue_laws.node_built_once(new, before, 4) is None
    assert tiny.built_of(made) == before | set(new)


@contract("queue_complete", "planner.Planner.built", BUILT + ", and any node is built", quick=True)
def queue_complete(leaves: Flags4, merges: Flags3, which: int) -> None:
    assert 0 <= which < 7
    made = tiny.planner(leaves, merges)
    node = pick(tiny.ALL, which)
    if node in todo_of(made):
        made.built(node, tiny.SUMMARY)
    kept = (*made.queue.leaves, *made.queue.ready)
    everything = todo_of(made)
    assert queue_laws.queue_complete(everything, kept, (), (), ()) is None
    assert len(kept) == len(everything)


@contract("refused_changes_nothing", "planner.Planner", BUILT + ", and any node is started, built or failed")
def refused_changes_nothing(leaves: Flags4, event: int, level: int, index: int) -> None:
    assert 0 <= event < 3
    assert -1 <= level <= 1
    assert -1 <= index <= 4
    made = tiny.planner(leaves, (False, False, False))
    running = made.candidates()[:1]
    for node in running:
        made.started(node)
    before, node = state_of(made), Node(pick(LEVELS, level + 1), pick(INDICES, index + 1))
    buildable = node in todo_of(made)
    why = {
        0: None if node in made.candidates() else "the node is no candidate",
        1: None if buildable else "the node cannot be built",
        2: None if node in running else "the node is not running",
    }[pick(range(3), event)]
    try:
        if event == 0:
            made.started(node)
        elif event == 1:
            made.built(node, tiny.SUMMARY)
        else:
            made.failed(node)
        accepted = True
    except Refused:
        accepted = False
    assert queue_laws.refused_changes_nothing(why, accepted, state_of(made) == before) is None


def state_of(made: Planner) -> tuple[object, ...]:
    queue = made.queue
    return (
        made.total,
        made.chat.view.copy(),
        made.compaction.view.copy(),
        tiny.built_of(made),
        list(queue.leaves),
        list(queue.ready),
        list(queue.running),
        set(queue.resting),
        dict(queue.failures),
    )


class OneMessage:
    """A chat of one message whose text is made of `CHARACTERS`."""

    def __init__(self, letters: Letters) -> None:
        self.text = "".join(pick(CHARACTERS, letter) for letter in letters)
        self.source = f"k: {self.text}"

    def message(self, index: int) -> tuple[str, str]:
        assert index == 0
        return "k", self.text

    def node(self, node: Node) -> str:
        raise AssertionError(f"{node} is not logged")


TEXTS = "every text of 3 characters or fewer of 1 to 4 bytes, NODE 4 to 8 bytes"


@contract("free_is_source", "planner.Planner.message", TEXTS)
def free_is_source(letters: Letters, limit: int) -> None:
    assert all(0 <= letter <= 6 for letter in letters)
    assert 4 <= limit <= 8
    chat, limit = OneMessage(letters), pick(range(9), limit)
    built = Planner(Config(node=limit), chat).message("k", chat.text).built
    texts = {(node.level, node.i): text for node, text in built}
    fits = len(chat.source.encode()) <= limit
    assert queue_laws.free_is_source((0, 0), {0: chat.source}, texts, limit) is None
    assert (len(texts) == 1) == fits


@contract("fail_cap_builds", "planner.Planner.failed", "every text to 2 characters that is not free, FAILURES 1 to 3")
def fail_cap_builds(letters: tuple[int, int], limit: int, failures: int) -> None:
    assert min(letters) >= 0
    assert max(letters) <= 6
    assert 4 <= limit <= 6
    assert 1 <= failures <= 3
    chat, limit, failures = OneMessage((*letters, 6)), pick(range(9), limit), pick(range(4), failures)
    made = Planner(Config(node=limit, failures=failures), chat)
    if made.message("k", chat.text).built:
        return
    leaf, reasons = Node(0, 0), list[str | None]()
    for count in range(1, failures + 1):
        made.retry()
        made.started(leaf)
        texts = dict(made.failed(leaf).built)
        reasons.append(queue_laws.fail_cap_builds(count, failures, chat.source, texts.get(leaf), limit))
    assert reasons == [None] * failures


@contract("settle_reached", "planner.Planner.failed", "2 or 3 unbuilt lines, FAILURES 1 or 2, every order of outcomes")
def settle_reached(lines: int, failures: int, fails: tuple[bool, bool, bool, bool, bool, bool], newest: bool) -> None:
    assert 2 <= lines <= 3
    assert 1 <= failures <= 2
    lines, failures = int(lines), pick(range(4), failures)
    made = tiny.planner((lines < 3, True, False, False), (False,) * 3, Config(node=4, jobs=2, failures=failures))
    made.wait(True)
    for fail in fails[: lines * failures]:
        if made.settled():
            break
        if not made.queue.running and not made.candidates():
            made.retry()
        for node in made.candidates():
            made.started(node)
        node = list(made.queue.running)[-1 if newest else 0]
        if fail:
            made.failed(node)
        else:
            made.built(node, tiny.SUMMARY)
    needed = list(made.queue.leaves)
    assert queue_laws.settle_reached(needed, lines, lines * failures, failures) is None


@contract("rendered_lines", "render.render", "1 message of every text to 3 characters, line ends too, built or not")
def rendered_lines(letters: Letters, built: bool) -> None:
    assert min(letters) >= 0
    assert max(letters) <= 6
    chat = OneMessage(letters)
    made = Planner(Config(node=99 if built else 4), chat)
    texts = {(node.level, node.i): text for node, text in made.message("k", chat.text + "....").built}
    rendered = render(made.chat.view.nodes, made.line)
    assert view_laws.rendered_lines(rendered, [(0, 0)], texts) is None


CONTEXT = "every compaction view of 4 messages, any lines built, any node"


@contract("context_ends_at_node", "planner.Planner.context", CONTEXT)
def context_ends_at_node(shape: int, leaves: Flags4, merges: Flags3, which: int) -> None:
    assert 0 <= shape < len(FOURS)
    assert 0 <= which < 7
    made, node = tiny.planner(leaves, merges), pick(tiny.ALL, which)
    made.compaction.view = tiny.view_of(FOURS[shape])
    assert queue_laws.context_ends_at_node(node, made.context(node), tiny.built_of(made)) is None


@contract("context_is_prefix", "planner.Planner.context", CONTEXT)
def context_is_prefix(shape: int, leaves: Flags4, merges: Flags3, which: int) -> None:
    assert 0 <= shape < len(FOURS)
    assert 0 <= which < 7
    made, node = tiny.planner(leaves, merges), pick(tiny.ALL, which)
    made.compaction.view = tiny.view_of(FOURS[shape])
    assert queue_laws.context_is_prefix(node, made.context(node), FOURS[shape], tiny.built_of(made)) is None


@contract("zoom_partitions", "node.Node.children", "every node of a level to 6, at any index", quick=True)
def zoom_partitions(level: int, index: int) -> None:
    assert 0 <= level <= 6
    assert index >= 0
    node = Node(int(level), index)
    lines = node.children if level > 0 else ()
    assert queue_laws.zoom_partitions(node, lines) is None
