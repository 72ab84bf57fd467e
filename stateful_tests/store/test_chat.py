"""What one append can be: kinds, dates, images, day files, subagents' logs, and reads that fail."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optchat.core.node import Node
from optchat.store import Chat, Damaged, Item, Reader, StoreError, Unusable, doctor, mend
from optchat.store.days import OPEN_FILES
from optchat.store.files import OsFiles
from stateful_tests.store.harness import SMALL, ZONE, Clock, folder, settle


@pytest.mark.parametrize("kind", ["", "User", "a b", "system", "eukhe"])
def test_a_kind_that_is_none(kind: str) -> None:
    with folder() as base, Chat.open(base) as chat:
        with pytest.raises(StoreError, match="is no kind of message: it must be one of echo, note, tool, unii, user"):
            chat.append(kind, "text")
        assert chat.append("user", "text") == [0]


@pytest.mark.parametrize("agent", ["", "user", "two words", "a:b", "a\n"])
def test_a_name_that_no_agent_can_have(agent: str) -> None:
    with folder() as base:
        with pytest.raises(StoreError, match="cannot be the agent's name"):
            Chat.open(base, agent=agent)
        Chat.open(base).close()


def test_a_bad_item_among_many_logs_none_of_them() -> None:
    with folder() as base, Chat.open(base) as chat:
        naive = datetime(2026, 1, 1)
        with pytest.raises(StoreError, match="has no zone"):
            chat.append_many([Item("user", "good"), Item("user", "bad", naive)])
        assert chat.append("user", "text") == [0]


@given(st.datetimes(timezones=st.timezones() | st.just(UTC)))
def test_a_date_reads_back_as_the_same_moment(date: datetime) -> None:
    offset = date.utcoffset()
    if offset is None or offset % timedelta(minutes=1):
        return  # No offset in use has seconds.
    with folder() as base:
        with Chat.open(base) as chat:
            chat.append("note", "text", date=date)
        with Reader.open(base) as reader:
            assert reader.message(0).when.replace(tzinfo=None) == date.replace(tzinfo=None)
            assert reader.message(0).when.utcoffset() == offset


def test_files_are_split_by_the_local_day_of_the_write() -> None:
    clock = Clock()
    with folder() as base:
        with Chat.open(base, SMALL, now=clock) as chat:
            clock.now = datetime(2026, 10, 8, 23, 59, tzinfo=ZONE)
            chat.append("user", "late", date=datetime(1999, 1, 1, tzinfo=ZONE))
            clock.now += timedelta(minutes=1)
            chat.append("user", "early")
            clock.now -= timedelta(days=3)
            chat.append("user", "the clock went back")
        main = base / "chat" / "main"
        found = {path.name: path.read_text().count("\n") for path in main.iterdir()}
        assert found == {"2026-10-08.jsonl": 1, "2026-10-09.jsonl": 2}


def test_images_are_kept_once_and_come_with_their_message() -> None:
    with folder() as base:
        with Chat.open(base) as chat:
            names = chat.save_image(b"picture", "png"), chat.save_image(b"picture", "png")
            assert names[0] == names[1]
            chat.append("user", "look " * 10_000, images=names[:1])
            with pytest.raises(StoreError, match="is no image of this chat: save it first"):
                chat.append("user", "look", images=("0" * 64 + ".png",))
            with pytest.raises(StoreError, match="is no kind of image"):
                chat.save_image(b"x", "exe")
        with Reader.open(base) as reader:
            assert [each.images for each in reader.messages()] == [names[:1], ()]
            assert reader.image(names[0]) == b"picture"
            with pytest.raises(StoreError, match="is no image's name"):
                reader.image("../lock")
        assert doctor(base).clean
        path = base / "chat" / "images" / names[0]
        path.write_bytes(b"another")
        assert "not the one it is named after" in doctor(base).problems[0].what
        path.unlink()
        assert "cannot be read" in doctor(base).problems[0].what


def test_a_subagents_log_has_its_own_place_and_the_same_form() -> None:
    with folder() as base:
        Chat.open(base).close()
        own = base / "chat" / "agents" / "Ada"
        with Chat.open(own) as chat:
            chat.append("work", "a step")
        assert (own / "main").is_dir()
        assert not (own / "chat").exists()
        with Reader.open(own) as reader, Reader.open(base) as master:
            assert reader.message(0).text == "a step"
            assert len(master) == 0
        with Reader.open(base / "chat") as reader:
            assert len(reader) == 0, "a chat's own folder is as good as the one that holds it"


def test_questions_about_what_is_not_there() -> None:
    with folder() as base:
        with pytest.raises(Unusable, match="no chat here"):
            Reader.open(base)
        assert list(base.iterdir()) == []
        with Chat.open(base) as chat:
            chat.append("user", "x" * 600)
        with Reader.open(base) as reader:
            for ask in (lambda: reader.message(1), lambda: reader.message(-1), lambda: reader.covering(1)):
                with pytest.raises(StoreError, match=r"there is no message -?1: this chat has 1, counted from 0"):
                    ask()
            for node in (Node(0, 1), Node(1, 0), Node(-1, 0), Node(0, -1), Node(10**9, 1)):
                with pytest.raises(StoreError, match="there is no node"):
                    reader.node_text(node)
            assert reader.node_text(Node(0, 0)) is None
            assert reader.line(Node(0, 0)) == "(not summarized yet: zoom it)"


@pytest.mark.parametrize("use", [Chat.open, Reader.open, doctor, mend])
def test_a_folder_that_the_system_refuses(use: Callable[[Path], object]) -> None:
    with folder() as base, pytest.raises(Unusable) as caught:
        use(base / ("x" * 300))
    assert "File name too long: " in str(caught.value)
    assert "\n" not in str(caught.value)


class Unreadable(OsFiles):
    """A disk whose n-th read fails."""

    def __init__(self, at: int) -> None:
        self.left = at

    def read(self, fd: int, count: int, offset: int) -> bytes:
        self.left -= 1
        if self.left == -1:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return super().read(fd, count, offset)


def everything(base: Path, files: OsFiles) -> None:
    with Reader.open(base, files=files) as reader:
        for message in reader.messages(newest_first=True):
            reader.line(Node(0, message.i))


def append(base: Path, files: OsFiles) -> None:
    with Chat.open(base, SMALL, files=files) as chat:
        chat.append("user", "one more")
        settle(chat)


@pytest.mark.parametrize("use", [everything, append])
def test_a_read_that_fails_names_the_file(use: Callable[[Path, OsFiles], None]) -> None:
    with folder() as base:
        with Chat.open(base, SMALL) as chat:
            for number in range(9):
                chat.append("user", f"{number} " + "é" * number)
                settle(chat, 2)
        for at in range(1000):
            files = Unreadable(at)
            try:
                use(base, files)
            except StoreError as error:
                told = str(error)
            else:
                break
            assert told.startswith(str(base))
            assert ".jsonl: cannot be read (Input/output error)" in told
        assert at > 5
        with pytest.raises(Damaged, match="became shorter"):
            shortened(base)


def shortened(base: Path) -> None:
    """A file that shrinks under an open reader."""
    with Reader.open(base) as reader:
        for path in (base / "chat" / "main").iterdir():
            os.truncate(path, 10)
        list(reader.messages())
        reader.message(5)


def test_years_of_day_files_are_not_all_open_at_once() -> None:
    """A process may have some 250 files open on some systems; a chat has two a day."""
    clock = Clock()
    with folder() as base:
        with Chat.open(base, SMALL, now=clock) as chat:
            for number in range(60):
                chat.append("user", f"day {number}")
                clock.now += timedelta(days=1)
        before = len(os.listdir("/dev/fd"))
        with Reader.open(base) as reader:
            assert [reader.node_text(Node(0, each.i)) for each in reader.messages()] == [
                f"user: day {number}" for number in range(60)
            ]
            assert len(os.listdir("/dev/fd")) - before <= 2 * OPEN_FILES
        assert len(os.listdir("/dev/fd")) == before
