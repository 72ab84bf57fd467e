"""Full and broken disks: an error at every operation on files, one clear line, and nothing lost at the next open."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from optchat.store import Chat, Item, Poisoned, StoreError, Unusable, doctor
from stateful_tests.store.harness import (
    BROKEN,
    FULL,
    SMALL,
    Clock,
    CountedFiles,
    fails,
    folder,
    plan,
    settle,
    snapshot,
    writes_short,
)

LAYERS: dict[str, Callable[[int], CountedFiles]] = {
    "full": lambda at: fails(FULL, at),
    "broken": lambda at: fails(BROKEN, at),
    "short": writes_short,
}


def life(base: Path, files: CountedFiles, acknowledged: dict[int, str]) -> None:
    """A few sessions of messages, nodes, batches and a new day; an error of the store comes through."""
    clock = Clock()
    for session in range(3):
        chat = Chat.open(base, SMALL, files=files, now=clock)
        try:
            for number in range(9):
                text = f"{session} {number} " + "é" * (number * 11 % 30)
                acknowledged[chat.append("user", text)[0]] = text
                settle(chat, 2)
            clock.now += timedelta(days=session)
            for answer in chat.append_many([Item("tool", "many")] * 5):
                acknowledged[answer.ids[0]] = "many"
            settle(chat)
        except StoreError:
            refuses(chat, base)
            raise
        finally:
            chat.close()


def refuses(chat: Chat, base: Path) -> None:
    """After a failed write every event is refused, in one line, and not a byte is written."""
    before = snapshot(base)
    for event in (lambda: chat.append("user", "more"), chat.retry, lambda: chat.wait(True)):
        with pytest.raises(Poisoned) as caught:
            event()
        assert "\n" not in str(caught.value)
        assert "open the chat again" in str(caught.value)
    assert snapshot(base) == before


@pytest.mark.parametrize("layer", LAYERS)
def test_a_fault_at_every_operation_loses_nothing_acknowledged(layer: str) -> None:
    errors: list[str] = []
    for at in range(10_000):
        with folder() as base:
            files = LAYERS[layer](at)
            acknowledged: dict[int, str] = {}
            try:
                life(base, files, acknowledged)
            except StoreError as error:
                errors.append(str(error).replace(str(base), "CHAT"))
            with Chat.open(base, SMALL) as chat:
                assert {index: chat.contents.message(index)[1] for index in acknowledged} == acknowledged
                first = plan(chat.planner)
            with Chat.open(base, SMALL) as chat:
                assert plan(chat.planner) == first
                assert chat.notes == []
            report = doctor(base, SMALL)
            assert report.clean, report.problems
        if files.left >= 0:  # The fault never came: the whole life is covered.
            break
    assert at > 100
    assert len(errors) > 50
    assert all(error.startswith("CHAT") and "\n" not in error for error in errors)


@pytest.mark.parametrize(("code", "way"), [(FULL, "make room, or give a --dir"), (errno.EROFS, "give a --dir")])
def test_an_open_that_the_system_refuses_says_the_way_out(code: int, way: str) -> None:
    """Room helps on a full disk alone."""
    with folder() as base, pytest.raises(Unusable) as caught:
        Chat.open(base, SMALL, files=fails(code, 0))
    assert str(caught.value) == f"{base}: {os.strerror(code)}: {way} that can be written"


LIMITED = """
import resource, signal, sys
from pathlib import Path
from optchat.store import Chat, StoreError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
chat = Chat.open(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    for number in range(1000):
        print(*chat.append("user", f"{number} " + "x" * 333))
except StoreError as error:
    print(error, file=sys.stderr)
    sys.exit(3)
"""


def test_a_file_that_the_system_lets_grow_no_further() -> None:
    """A real failure of a real write, which comes as a short one."""
    with folder() as base:
        ended = subprocess.run([sys.executable, "-c", LIMITED, str(base)], capture_output=True, text=True, check=False)
        assert ended.returncode == 3, ended.stderr
        assert ended.stderr.count("\n") == 1
        assert "a write failed" in ended.stderr
        ids = [int(line) for line in ended.stdout.split()]
        assert len(ids) > 20
        with Chat.open(base) as chat:
            assert [chat.contents.message(index)[1].split()[0] for index in ids] == [str(index) for index in ids]
            assert chat.append("user", "on") == [len(chat.contents.messages) - 1]
        assert doctor(base).clean


@pytest.mark.parametrize("gone", ["main", "tree", "lock", "."])
def test_a_file_that_is_removed_under_the_writer_stops_it(gone: str) -> None:
    """Nothing is acknowledged that has no name any more, and nothing is written beside another writer."""
    with folder() as base:
        chat = Chat.open(base, SMALL)
        messages_and_nodes(chat)
        place = chat.layout.root / gone
        if place.is_dir():
            shutil.rmtree(place)
            place.mkdir()
        else:
            place.unlink()
        left = snapshot(base)
        with pytest.raises(Poisoned, match="removed while") as caught:
            messages_and_nodes(chat)
        assert "\n" not in str(caught.value)
        assert "open" in str(caught.value)
        with pytest.raises(Poisoned):
            chat.append("user", "more")
        with contextlib.suppress(Poisoned):
            chat.close()
        if gone != "tree":  # A message is in the log before its nodes are in the tree.
            assert snapshot(base) == left


def messages_and_nodes(chat: Chat) -> None:
    for _ in range(20):
        chat.append("user", "a message that is too long to be free")
        settle(chat)


def test_an_interrupt_amid_an_event_is_no_second_id() -> None:
    """Ctrl-C between the write and the planner: the next append must not take the id again."""

    def interrupt(_name: str, do: Callable[[], int | None], _data: bytes) -> int | None:
        do()
        raise KeyboardInterrupt

    for at in range(12):
        with folder() as base:
            Chat.open(base, SMALL).close()
            with Chat.open(base, SMALL, files=CountedFiles(at, interrupt)) as chat:
                with pytest.raises(KeyboardInterrupt):
                    messages_and_nodes(chat)
                with pytest.raises(Poisoned):
                    chat.append("user", "next")
            with Chat.open(base, SMALL) as chat:
                chat.append("user", "next")
            report = doctor(base, SMALL)
            assert report.clean, report.problems


def test_a_folder_that_cannot_be_a_chat() -> None:
    with folder() as base:
        (base / "file").write_text("no folder")
        with pytest.raises(StoreError, match=r"a file, where a chat's folder must be"):
            Chat.open(base / "file")
        (base / "chat").write_text("no folder")
        with pytest.raises(StoreError, match=r"a file, where a chat's folder must be"):
            Chat.open(base)
