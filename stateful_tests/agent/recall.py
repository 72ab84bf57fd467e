"""How often a search of the tree leads down to a message: `python -m stateful_tests.agent.recall [FILE...]`.

A search knows up to three words that stand in one message of the chat alone, chosen at random among them. It opens the
line of the view with the most of these words, then of its halves and the other lines the one with the most, and so on,
and gives up when no line it sees has one, or after ZOOMS zooms. Offline summaries are held against the first 512 bytes.
"""

from __future__ import annotations

import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from heapq import heapify, heappop, heappush
from pathlib import Path
from typing import NamedTuple

from optchat.agent.settle import Compactor, offline
from optchat.core.node import Node
from optchat.core.text import cut, flatten
from optchat.imports import gather
from optchat.imports.ingest import ingest
from optchat.store import Chat, Reader
from stateful_tests.house import ROOT

ZOOMS = 40
WORD = re.compile(r"\w[\w./-]{2,40}\w")
HISTORY = ROOT.parent / "shared" / "data" / "aider-chat-history.md"


class Recall(NamedTuple):
    """Of `searched` messages: how many were found, and from what share of the view's lines above them (`seen`: the
    line of the view that covers the message has one of the words)."""

    searched: int
    found: int
    seen: int
    zooms: int


def rare_words(reader: Reader, least: int = 1) -> dict[int, list[str]]:
    """By message, the words that stand in it alone; messages that have fewer than `least` are not there."""
    words = [set(WORD.findall(message.text.casefold())) for message in reader.messages()]
    counts = Counter(word for each in words for word in each)
    rare = {at: sorted(word for word in each if counts[word] == 1) for at, each in enumerate(words)}
    return {at: each for at, each in rare.items() if len(each) >= least}


def search(reader: Reader, words: list[str], target: int) -> int | None:
    """After how many zooms the search comes to the message; None when it does not."""

    def entries(nodes: Iterable[Node]) -> list[tuple[int, int, int, Node]]:
        found = []
        for node in nodes:
            line = reader.line(node).casefold()
            hits = sum(word in line for word in words)
            if hits:
                found.append((-hits, node.level, -node.first, node))
        return found

    heap = entries(reader.view())
    heapify(heap)
    for zooms in range(ZOOMS):
        if not heap:
            return None
        node = heappop(heap)[-1]
        if node.level == 0:
            if node.i == target:
                return zooms
            continue
        for entry in entries(node.children):
            heappush(heap, entry)
    return None


def measure(reader: Reader, count: int, kinds: tuple[str, ...] = (), seed: int = 1) -> Recall:
    """Search for `count` random messages; with `kinds`, of notes that begin so."""
    source = random.Random(seed)
    rare = rare_words(reader)
    pool = [at for at in rare if not kinds or reader.message(at).text.startswith(kinds)]
    found = seen = zooms = 0
    chosen = source.sample(pool, min(count, len(pool)))
    for at in chosen:
        words = source.sample(rare[at], min(3, len(rare[at])))
        steps = search(reader, words, at)
        found += steps is not None
        zooms += steps or 0
        seen += any(word in reader.line(reader.covering(at)).casefold() for word in words)
    return Recall(len(chosen), found, seen, zooms)


def first_bytes(chat: Chat) -> Compactor:
    """The plainest compactor there is: the start of the source."""
    return lambda _, source: cut(flatten(source), chat.planner.config.node)


COMPACTORS: dict[str, Callable[[Chat], Compactor]] = {"extract": offline, "first bytes": first_bytes}


def main(files: list[Path]) -> None:
    for path in files:
        for name, compactor in COMPACTORS.items():
            with tempfile.TemporaryDirectory() as folder:
                with Chat.open(Path(folder)) as chat, gather([path]) as found:
                    ingest(chat, found, compactor(chat))
                with Reader.open(Path(folder)) as reader:
                    for kinds in ((), ("user:",), ("assistant:",), ("tool:", "echo:")):
                        each = measure(reader, 200, kinds)
                        label = "/".join(kinds) or "all"
                        print(
                            f"{path.name:24} {name:12} {label:12} {each.found / max(1, each.searched):6.1%} found of "
                            f"{each.searched} ({each.zooms / max(1, each.found):.1f} zooms each); "
                            f"{each.seen / max(1, each.searched):6.1%} have a word in the view"
                        )


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]] or [HISTORY])
