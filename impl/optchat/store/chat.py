"""The writer of a chat: messages in, the planner's effects logged, the view kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from optchat.core.config import Config
from optchat.core.node import Node
from optchat.core.planner import Effects, Planner, PlannerState, Refused
from optchat.core.text import size
from optchat.core.view import Batch
from optchat.store.contents import Contents
from optchat.store.errors import Poisoned, StoreError, usable
from optchat.store.files import OS_FILES, Files
from optchat.store.images import check_image, save_image
from optchat.store.items import Appended, Item, Line, date_text, kind_of, local_now
from optchat.store.keys import Keys, check_key, part_key
from optchat.store.layout import Layout
from optchat.store.lock import Lock
from optchat.store.prepare import prepare
from optchat.store.records import BadRecord, batch_line, message_line, node_line
from optchat.store.start import adopt_view, load, save_index
from optchat.store.view_file import SavedView, read_view, write_view

START = Batch((), False, 0)
"""The first line of a new chat's tree: from it on the view is what the recorded batches say."""


class Chat:
    """One chat, open for writing by this process alone. Not for several threads.

    Each event is logged before it returns, in this order: the message, durably; then the nodes and the batch that the
    planner made of it. The tree may lag behind the log, never lead it; what a crash leaves out of it is built again
    at the next open. After a failed write everything is refused with Poisoned until the chat is opened again.
    A batch that a crash kept from being recorded runs at the next message, as the rules have it for a view over its
    ceiling; the start never runs one. `view.json` is rewritten after each batch that merged, and on `close`: between,
    it lacks only the newest messages' own lines.
    """

    def __init__(
        self,
        layout: Layout,
        lock: Lock,
        contents: Contents,
        planner: Planner,
        files: Files,
        now: Callable[[], datetime],
    ) -> None:
        self.layout = layout
        self.planner = planner
        self.contents = contents
        self.notes: list[str] = []
        """What the open repaired or found, a line each, for the user."""
        self._lock = lock
        self._files = files
        self._now = now
        self._keys = Keys(contents, layout.keys)
        self._closed = False
        self._deferred = False
        self._broken = False
        """Whether an event began that did not end: a failed write, or an interrupt, left files and planner apart."""

    @classmethod
    def open(
        cls,
        folder: Path,
        config: Config | None = None,
        *,
        agent: str = "unii",
        files: Files = OS_FILES,
        now: Callable[[], datetime] = local_now,
        fresh: bool = False,
    ) -> Self:
        """Open the chat in `folder/chat`, or begin it.

        Moves half a line at the end of a file into `torn/`, replays the recorded batches, adopts a foreign chat's
        view, rewrites a stale `view.json` and builds the free nodes that a crash left out. `notes` says so.
        With `fresh` the index is built again whether it matches or not.
        Raises Locked, Damaged, Unusable; the files are as they were then.
        """
        config = config or Config()
        with usable(folder, "give a --dir that can be written"):
            layout = Layout.of(folder)
            layout.make(files)
            lock = Lock(layout.lock)
            contents: Contents | None = None
            try:
                contents = load(layout, files, agent, config.node, fresh=fresh)
                return cls._opened(layout, lock, contents, config, files, now)
            except BaseException:
                if contents is not None:
                    contents.close()
                lock.release()
                raise

    @classmethod
    def _opened(
        cls,
        layout: Layout,
        lock: Lock,
        contents: Contents,
        config: Config,
        files: Files,
        now: Callable[[], datetime],
    ) -> Self:
        adopted = adopt_view(layout, contents)
        lines = contents.lines().copy()
        waiting = list(contents.leaves), list(contents.ready)
        state = PlannerState(len(contents.messages), lines, contents.replay.shrinking, contents.built, *waiting)
        planner = Planner.resume(config, contents, state)
        chat = cls(layout, lock, contents, planner, files, now)
        for days in (contents.main, contents.tree):
            kept = days.drop_torn(layout.torn)
            if kept is not None:
                contents.indexed.missing = "a file was repaired"
                chat.notes.append(f"{days.path(days.days[-1])}: half a line at its end was moved to {kept}")
        if adopted is not None:
            chat._write_tree(batch_line(adopted), 1, sync=True)
            chat.notes.append(f"{layout.view}: the view of another implementation was adopted as a recorded batch")
        elif not contents.recorded:
            chat._write_tree(batch_line(START), 1, sync=True)
        contents.recorded = True
        chat._build_left_out()
        chat._check_view_file()
        chat._save_index()
        return chat

    # Messages.

    def append(
        self,
        kind: str,
        text: str,
        *,
        date: datetime | None = None,
        key: str | None = None,
        images: tuple[str, ...] = (),
    ) -> list[int]:
        """Log a text; the ids of its messages, durable on return.

        `kind` is one of KINDS, or the agent's name. A tool's output is clipped to 30,000 characters, head and tail;
        any other text is split without loss into messages of at most so many. With a `key` that was logged before,
        nothing is logged and the ids are those of then. Raises StoreError on a kind, key or date that cannot be.
        """
        return self.append_many([Item(kind, text, date, key, images)])[0].ids

    def append_many(self, items: Iterable[Item], *, room: Callable[[], int] | None = None) -> list[Appended]:
        """Log many texts with one write and one fsync: all or, after a crash, a beginning of them.

        The planner sees their messages one by one, and no line is summarized before all are logged: as a batch runs
        at a message alone, the summaries of very many can leave the view above its ceiling until the next one. With
        `room`, it is asked before each write how many messages, at least one, may be logged next; it can settle then.
        """
        self._check_open()
        now = self._now()
        new: list[Line] = []
        fresh: dict[str, Appended] = {}
        answers = []
        for item in items:
            answer = self._prepare(item, now, new, fresh)
            if item.key is not None:
                fresh[item.key] = Appended(answer.ids, False)
            answers.append(answer)
        while new:
            count = len(new) if room is None else room()
            self._log_messages(new[:count], now)
            new = new[count:]
        return answers

    def _prepare(self, item: Item, now: datetime, new: list[Line], fresh: dict[str, Appended]) -> Appended:
        """Add what must be logged of an item to `new`."""
        kind = kind_of(item.kind, self.contents.agent)
        date = date_text(item.date or now)
        if item.key is not None:
            check_key(item.key)
            if item.key in fresh:
                return fresh[item.key]
            known = self._keys.whole(item.key)
            if known is not None:
                return Appended(known, False)
        for name in item.images:
            check_image(self.layout.images, name)
        ids = []
        texts = prepare(kind, item.text)
        for part, text in enumerate(texts):
            key = None if item.key is None else part_key(item.key, part, len(texts))
            # A crash can have left the first parts of a text.
            index = None if key is None or len(texts) == 1 else self._keys.find(key)
            if index is None:
                images = item.images if part == 0 else ()
                index = len(self.contents.messages) + len(new)
                new.append(Line(kind, text, key, message_line(index, kind, text, date, key, images)))
            ids.append(index)
        return Appended(ids, True)

    def save_image(self, data: bytes, suffix: str) -> str:
        """Keep an image (png, jpg, gif, webp), durably; its name, for a message to be logged with."""
        self._check_open()
        try:
            return save_image(self._files, self.layout.images, data, suffix)
        except OSError as error:
            raise StoreError(f"{self.layout.images}: an image cannot be written ({error.strerror})") from error

    def _log_messages(self, new: list[Line], now: datetime) -> None:
        contents = self.contents
        self._broken = True
        place = contents.main.append(b"".join(each.line for each in new), len(new), now.date(), sync=True)
        batches = []
        for each in new:
            contents.messages.append(place)
            place += len(each.line)
            contents.main_read = place
            if each.key is not None:
                self._keys.add(each.key, len(contents.messages) - 1)
            effects = self.planner.message(each.kind, each.text)
            self._write_effects(effects, now)
            if effects.batch is not None:
                batches.append(effects.batch)
        if batches:
            self._sync_tree()
        self._broken = False
        if any(batch.merged for batch in batches):
            self._save_view(durable=False)

    # Events that go to the planner. Each raises the planner's Refused, and changes nothing then.

    def started(self, node: Node) -> None:
        """A call for a current candidate was started."""
        self._check_open()
        self.planner.started(node)

    def built(self, node: Node, text: str) -> Effects:
        """A summary came; its node is durable on return (within `deferred`, at the end of it)."""
        return self._event(lambda: self.planner.built(node, text))

    def failed(self, node: Node) -> Effects:
        """A running call failed. The third time, the node is built from its cut source."""
        return self._event(lambda: self.planner.failed(node))

    def retry(self) -> None:
        """The retry tick of a waiting turn."""
        self._check_open()
        self.planner.retry()

    def wait(self, on: bool) -> Effects:
        """A turn begins, or ends, to wait for the view."""
        return self._event(lambda: self.planner.wait(on))

    @contextmanager
    def deferred(self) -> Iterator[None]:
        """Within it, the tree's lines are written but not yet durable: for nodes that can be made again at no cost."""
        self._deferred = True
        try:
            yield
        finally:
            self._deferred = False
            if not self._broken:
                self._sync_tree()

    def _event(self, event: Callable[[], Effects]) -> Effects:
        self._check_open()
        self._broken = True
        try:
            effects = event()
        except Refused:
            self._broken = False
            raise
        self._write_effects(effects, self._now())
        if effects.built:
            self._sync_tree()
        self._broken = False
        return effects

    def _write_effects(self, effects: Effects, now: datetime) -> None:
        lines = [node_line(node, text) for node, text in effects.built]
        if effects.batch is not None:
            lines.append(batch_line(effects.batch))
        if not lines:
            return
        place = self._write_tree(b"".join(lines), len(lines), now=now)
        for (node, _), line in zip(effects.built, lines, strict=False):
            self.contents.note_place(node, place)
            place += len(line)

    def _write_tree(self, data: bytes, lines: int, *, sync: bool = False, now: datetime | None = None) -> int:
        place = self.contents.tree.append(data, lines, (now or self._now()).date(), sync=sync)
        self.contents.tree_read = place + len(data)
        return place

    def _sync_tree(self) -> None:
        if self._deferred:
            return
        ended, self._broken = self._broken, True
        self.contents.tree.sync()
        self._broken = ended

    # The state on disk.

    def _build_left_out(self) -> None:
        """Build the free nodes whose lines a crash left out, as the events that made them would have."""
        contents, planner, limit = self.contents, self.planner, self.planner.config.node
        now = self._now()
        for node in [*contents.ready, *contents.leaves]:
            if node in contents.built or node in contents.not_free:
                continue
            source = planner.source(node)
            if size(source) <= limit:
                self._write_effects(planner.built(node, source), now)
        # From here on the planner knows what waits.
        contents.ready.clear()
        contents.leaves.clear()
        contents.not_free.clear()

    def _saved_view(self) -> SavedView:
        sawtooth = self.planner.chat
        return SavedView(sawtooth.view.nodes, sawtooth.shrinking, self.planner.total)

    def _check_view_file(self) -> None:
        """Rewrite a `view.json` that is not the replay's. It can lack the newest lines; anything else is said."""
        wanted, wrong = self._saved_view(), ""
        try:
            saved = read_view(self.layout.view)
            if saved == wanted:
                return
            if saved.grown(wanted.total) != wanted.lines:
                wrong = "not the view that the recorded batches give"
        except FileNotFoundError:
            pass
        except BadRecord as error:
            wrong = str(error)
        if wrong:
            self.notes.append(f"{self.layout.view}: {wrong}: written anew from the recorded batches")
        self._save_view(durable=True)

    def _save_view(self, *, durable: bool) -> None:
        with self._cache():
            write_view(self._files, self.layout.view, self._saved_view(), durable=durable)

    def _save_index(self) -> None:
        with self._cache():
            self._keys.save(self._files)
            config = self.planner.config
            save_index(self.layout, self._files, self.contents, self.planner.state(), config.node)

    @contextmanager
    def _cache(self) -> Iterator[None]:
        """Around the writing of a cache: a failure loses nothing that is not in the log, so it is only said."""
        try:
            yield
        except OSError as error:
            note = (
                f"{error.filename or self.layout.root}: cannot be written ({error.strerror}): the chat itself is whole"
            )
            if note not in self.notes:
                self.notes.append(note)

    def close(self) -> None:
        """Write what makes the next open quick, and let the next writer in. A second close does nothing."""
        if self._closed:
            return
        self._closed = True
        try:
            if not self._broken:
                self._lock.check()
                self._sync_tree()
                self._save_view(durable=True)
                self._save_index()
        finally:
            self.contents.close()
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError(f"{self.layout.root}: this chat is closed")
        if self._broken:
            failure = self.contents.main.failure or self.contents.tree.failure or "it was interrupted"
            raise Poisoned(f"{self.layout.root}: an earlier write failed ({failure}): open the chat again")
        self._lock.check()
