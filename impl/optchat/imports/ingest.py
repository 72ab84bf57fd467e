"""Gathered messages into a chat, with the summaries made on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from optchat.agent.settle import Compactor, settle
from optchat.imports.gather import Gathered
from optchat.imports.grown import known_of, rest_of
from optchat.imports.record import ImportFailed, Record
from optchat.store import Chat, Item
from optchat.store.keys import PART
from optchat.store.prepare import LIMIT

TOGETHER = 64
"""The most messages appended with one fsync. A batch costs O(view), so the summaries must not stay behind."""

NAMES_IN_NOTES = {"unii": "assistant"}
"""In a note, a reply of another agent is not the agent's own."""


class Begun(NamedTuple):
    """A long text of which the chat has the first parts: its whole key and its kind."""

    key: str
    kind: str


@dataclass(slots=True)
class Taken:
    """What was appended: `messages` of the sources, by their own kind, as `lines` of the log."""

    kinds: Counter[str] = field(default_factory=Counter)
    lines: int = 0
    clipped: int = 0
    """Tool messages that the log holds as head and tail."""

    @property
    def messages(self) -> int:
        return self.kinds.total()


def note_of(record: Record) -> str:
    """The text of a record as a note: `user: text`, with the kind it has where it comes from. A note stays as it is."""
    if record.kind == "note":
        return marked(record)
    return f"{NAMES_IN_NOTES.get(record.kind, record.kind)}: {marked(record)}"


def marked(record: Record) -> str:
    """The text of a record; one of a branch that was given up says so."""
    return f"(given up) {record.text}" if record.alternate else record.text


def ingest(
    chat: Chat,
    gathered: Gathered,
    compact: Compactor,
    *,
    notes: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Taken:
    """Append every message that the chat has not, oldest first, and settle; each stays one however often it comes.

    As notes, or with their own kinds. After a crash in the middle, the same call goes on where it ended.
    """
    names, twins, begun = stored_names(chat)
    gathered.skip(names, twins)
    known = known_of(chat, [*names, *begun], (place.key for place in gathered.places))
    if begun:
        # Every refusal comes before the first append.
        for _ in _items(gathered.records(), begun, notes, chat.contents.agent):
            pass

    def room() -> int:
        settle(chat, compact)
        return together(chat)

    taken = Taken()
    records = gathered.records()
    done, total = 0, len(gathered)
    while several := list(islice(records, TOGETHER)):
        new = [rest for each in several if (rest := each._replace(text=rest_of(each, known))).text]
        gathered.there += len(several) - len(new)
        items = list(_items(new, begun, notes, chat.contents.agent))
        for (record, _), appended in zip(items, chat.append_many((item for _, item in items), room=room), strict=True):
            if appended.new:
                taken.kinds[record.kind] += 1
                taken.lines += len(appended.ids)
                taken.clipped += not notes and record.kind == "tool" and len(marked(record)) > LIMIT
            else:
                gathered.there += 1
        done += len(several)
        if progress is not None:
            progress(done, total)
    settle(chat, compact)
    return taken


def together(chat: Chat) -> int:
    """How many messages to append before the next settling.

    So few that the view cannot pass its ceiling before the last of them is summarized: it merges at the same messages
    as in a chat whose compactor is never late, and ends at most a line above the ceiling.
    """
    planner = chat.planner
    if planner.chat.shrinking:
        return 1
    return max(1, min(TOGETHER, (planner.config.ceiling - planner.chat.view.bytes) // planner.config.node))


def stored_names(chat: Chat) -> tuple[set[str], set[str], dict[str, Begun]]:
    """The first and the second names of the messages that the chat has, and those that a crash left unfinished."""
    names, twins = set[str](), set[str]()
    begun: dict[str, Begun] = {}
    contents = chat.contents
    for message in contents.run(0, len(contents.messages)):
        if message.key is not None:
            key, part, _ = message.key.partition(PART)
            name, _, twin = key.partition(" ")
            if part:
                begun[name] = Begun(key, message.kind)
                if twin:
                    begun.setdefault(twin, begun[name])
            else:
                names.add(name)
                twins.add(twin)
    return names, twins - {""}, {name: each for name, each in begun.items() if each.key.partition(" ")[0] not in names}


def _items(
    records: Iterable[Record], begun: dict[str, Begun], notes: bool, agent: str
) -> Iterator[tuple[Record, Item]]:
    for record in records:
        kind = "note" if notes else agent if record.kind == "unii" else record.kind
        key = f"{record.key} {record.twin}".rstrip()
        known = begun.get(record.key)
        if known is None and record.twin in begun and begun[record.twin].key == record.twin:
            known = begun[record.twin]
        if known is not None:
            if known.kind != kind:
                raise ImportFailed(
                    f"{record.path}:{record.line}: the chat has a part of this message, from an import with other "
                    "--kinds that was interrupted: run that one again first"
                )
            key = known.key
        yield record, Item(kind, note_of(record) if notes else marked(record), record.date, key)
