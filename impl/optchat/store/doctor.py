"""The doctor: every line of a chat held against every rule, and what can be mended without losing a byte."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from optchat.core.config import Config
from optchat.core.replay import ReplayError
from optchat.core.text import leaf_source, merge_source, size
from optchat.store.chat import Chat
from optchat.store.contents import Contents
from optchat.store.days import DayFiles, keep_aside
from optchat.store.errors import READABLE, Damaged, StoreError, usable
from optchat.store.files import OS_FILES, Files, write_atomic
from optchat.store.images import load_image
from optchat.store.index import mismatch, read_index
from optchat.store.layout import Layout
from optchat.store.lock import Lock
from optchat.store.records import BadRecord, TornRecord, read_message, read_tree
from optchat.store.start import adopt_view, restore
from optchat.store.view_file import read_view

MOST = 20
"""The most problems that are told one by one."""


class Problem(NamedTuple):
    """One thing that is wrong: where (a file, or file:line), what, and how `mend` would mend it, None if it cannot."""

    where: str
    what: str
    cure: str | None

    def __str__(self) -> str:
        return f"{self.where}: {self.what}: {self.cure or 'cannot be mended without losing something'}"


@dataclass
class Report:
    """What the doctor found. `mended` says what `mend` did."""

    messages: int = 0
    nodes: int = 0
    batches: int = 0
    bytes: int = 0
    problems: list[Problem] = field(default_factory=list)
    untold: int = 0
    """Problems beyond the first MOST."""
    incurable: int = 0
    """Problems, told or not, that `mend` cannot mend."""
    mended: list[str] = field(default_factory=list)
    strays: dict[Path, list[int]] = field(default_factory=dict)
    """Half lines amid good ones: their numbers, by file."""

    @property
    def clean(self) -> bool:
        return not self.problems

    def add(self, where: object, what: str, cure: str | None = None) -> None:
        self.incurable += cure is None
        if len(self.problems) < MOST:
            self.problems.append(Problem(str(where), what, cure))
        else:
            self.untold += 1


def doctor(folder: Path, config: Config | None = None, *, agent: str = "unii", files: Files = OS_FILES) -> Report:
    """Verify a chat whole, from its files alone: each line, sizes, ids, halves, batches, `view.json`, the index.

    It takes no lock and writes nothing. Raises Unusable when there is no chat.
    """
    report = Report()
    with usable(folder, READABLE):
        layout = Layout.of(folder)
        layout.check()
        try:
            tree = DayFiles(files, layout.tree)
            main = DayFiles(files, layout.main)
        except Damaged as error:
            report.add(error.path, error.what)
            return report
    contents = Contents(main, tree, agent)
    try:
        _Audit(layout, contents, (config or Config()).node, report).run()
    finally:
        contents.close()
    return report


def mend(folder: Path, config: Config | None = None, *, agent: str = "unii", files: Files = OS_FILES) -> Report:
    """Mend what can be mended without losing a byte, then verify again. Raises Locked, Unusable.

    Half a line is moved into `torn/`, at a file's end or where another implementation ended it and went on; a wrong
    index is built again, a stale `view.json` written again, free nodes that a crash left out are built. While anything
    is wrong that cannot be mended, nothing is touched.
    """
    report = doctor(folder, config, agent=agent, files=files)
    if report.clean or report.incurable:
        return report
    if report.strays:
        layout = Layout.of(folder)
        lock = Lock(layout.lock)
        try:
            for path, numbers in report.strays.items():
                _move_lines(files, path, set(numbers), layout.torn)
        finally:
            lock.release()
    with Chat.open(folder, config, agent=agent, files=files, fresh=True) as chat:
        pass
    after = doctor(folder, config, agent=agent, files=files)
    after.mended = [*chat.notes, *(f"{problem.where}: {problem.what}: mended" for problem in report.problems)]
    return after


class _Audit:
    """One reading of all files."""

    def __init__(self, layout: Layout, contents: Contents, limit: int, report: Report) -> None:
        self.layout = layout
        self.contents = contents
        self.limit = limit
        self.report = report

    def run(self) -> None:
        contents, report = self.contents, self.report
        for days in (contents.main, contents.tree):
            report.bytes += days.end
            if days.torn:
                cure = f"`optchat doctor --mend` moves it to {self.layout.torn}"
                report.add(days.path(days.days[-1]), f"half a line of {len(days.torn)} bytes at its end", cure)
        whole = self._messages() and self._tree()
        report.messages = len(contents.messages)
        if whole:
            self._view()
            self._left_out()
            if not report.strays:
                self._index()

    def _messages(self) -> bool:
        """Every line of `main/`; whether all are good."""
        whole = True
        keys: set[str] = set()
        for path, number, line, place in _lines(self.contents.main):
            try:
                record = self.contents.take_message(line, place) if whole else read_message(line)
            except TornRecord as error:
                self._stray(path, number, error)
                continue
            except BadRecord as error:
                # Behind a gap each id is off: only the lines themselves can be held to anything.
                whole = False
                self.report.add(f"{path}:{number}", str(error))
                continue
            if record.key is not None:
                if record.key in keys:
                    self.report.add(f"{path}:{number}", f"the key {record.key!r} a second time")
                keys.add(record.key)
            for name in record.images:
                self._image(f"{path}:{number}", name)
        return whole

    def _stray(self, path: Path, number: int, error: TornRecord) -> None:
        """Half a line whose writer went on after it: when the rest is good without it, nobody was told it is there."""
        self.report.strays.setdefault(path, []).append(number)
        cure = f"`optchat doctor --mend` moves the half line to {self.layout.torn}"
        self.report.add(f"{path}:{number}", str(error), cure)

    def _image(self, where: str, name: str) -> None:
        try:
            load_image(self.layout.images, name)
        except Damaged as error:
            self.report.add(where, f"its image {name}: {error.what}")
        except StoreError as error:
            self.report.add(where, str(error))

    def _tree(self) -> bool:
        """Every line of `tree/`; whether all are good."""
        whole = True
        for path, number, line, place in _lines(self.contents.tree):
            try:
                if whole:
                    self.contents.take_tree_line(line, place)
                else:
                    read_tree(line)
            except TornRecord as error:
                self._stray(path, number, error)
                continue
            except (BadRecord, ReplayError) as error:
                whole = False
                self.report.add(f"{path}:{number}", str(error))
                continue
            if line.startswith(b'{"merge"'):
                self.report.batches += 1
            else:
                self.report.nodes += 1
        return whole

    def _view(self) -> None:
        """`view.json`, which may lack the newest lines; of a foreign chat, whether it can be adopted."""
        path, contents = self.layout.view, self.contents
        cure = "the next open writes it anew from the recorded batches"
        recorded = contents.recorded
        try:
            adopt_view(self.layout, contents)
            saved = read_view(path)
        except Damaged as error:
            self.report.add(path, error.what)
            return
        except FileNotFoundError:
            if contents.messages:
                self.report.add(path, "missing", cure)
            return
        except BadRecord as error:
            self.report.add(path, str(error), cure)
            return
        lines = contents.lines()
        grown = saved.grown(len(contents.messages))
        if recorded and (grown != lines or saved.shrinking != contents.replay.shrinking):
            self.report.add(path, "not the view that the recorded batches give", cure)

    def _left_out(self) -> None:
        """Nodes that are free and have no line: a crash came between a message and its nodes."""
        contents = self.contents
        free = 0
        for node in [*contents.leaves, *contents.ready]:
            if node.level == 0:
                source = leaf_source(*contents.message(node.i))
            else:
                source = merge_source(*(contents.node(half) for half in node.children))
            free += size(source) <= self.limit
        if free and contents.recorded:
            what = f"{free} nodes that need no model are not built"
            self.report.add(self.layout.tree, what, "the next open builds them")

    def _index(self) -> None:
        """The index, held against the files it covers and against what they add up to."""
        path = self.layout.index
        if not path.exists():
            return
        cure = "the next open builds it again"
        index = read_index(path)
        if isinstance(index, str):
            self.report.add(path, index, cure)
            return
        main, tree = self.contents.main, self.contents.tree
        changed = mismatch(main, index.head.main) or mismatch(tree, index.head.tree)
        indexed = Contents(main, tree, self.contents.agent)
        restore(indexed, index, None)
        wrong = f"{changed} since it was written" if changed is not None else "it does not say what the files say"
        try:
            indexed.catch_up()
        except Damaged as error:
            self.report.add(path, f"it does not fit the lines after it ({error.what})", cure)
            return
        # In a chat that was copied it is not used, but not wrong.
        if _state(indexed) != _state(self.contents):
            self.report.add(path, wrong, cure if changed is not None else "`optchat doctor --mend` builds it again")


def _move_lines(files: Files, path: Path, numbers: set[int], aside: Path) -> None:
    """Take lines out of a day file and keep them aside; the file is replaced whole or not at all."""
    lines = path.read_bytes().split(b"\n")
    moved = [line + b"\n" for number, line in enumerate(lines, 1) if number in numbers]
    kept = [line for number, line in enumerate(lines, 1) if number not in numbers]
    keep_aside(files, aside, f"{path.parent.name}-{path.name}.lines", b"".join(moved))
    write_atomic(files, path, b"\n".join(kept), durable=True)


def _state(contents: Contents) -> tuple[object, ...]:
    """All that an index holds, in one form: bitmaps and tables can have empty room at their end."""
    built = [bytes(bits).rstrip(b"\0") for bits in contents.built.levels]
    return (
        contents.messages,
        contents.nodes,
        built,
        contents.lines(),
        contents.replay.shrinking,
        list(contents.leaves),
        list(contents.ready),
    )


def _lines(days: DayFiles) -> Iterator[tuple[Path, int, bytes, int]]:
    """Each line with its file, its number there and its place."""
    for block in days.scan():
        path = days.path(block.day)
        for number, (place, line) in enumerate(block.placed(), block.number):
            yield path, number, line, place
        block.day.lines += len(block.lines)
