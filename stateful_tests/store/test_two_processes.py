"""Two processes at one chat: one writes, the others are told who does, and readers never see half a line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from optchat.store import Chat, Locked, Reader, mend
from stateful_tests.store.harness import SMALL, folder, settle

WRITER = """
import sys
from pathlib import Path
from optchat.store import Chat
from stateful_tests.store.harness import SMALL, settle
with Chat.open(Path(sys.argv[1]), SMALL) as chat:
    print("open", flush=True)
    for number in range(int(sys.argv[2])):
        chat.append("user", f"{number} " + "x" * (number * 37 % 4000))
        settle(chat)
    print("done", flush=True)
    sys.stdin.read()
"""


def writer(base: Path, messages: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(base), str(messages)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_the_second_writer_is_told_who_the_first_is() -> None:
    with folder() as base, writer(base, 0) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        for _ in range(2):
            with pytest.raises(Locked) as caught:
                Chat.open(base, SMALL)
            assert caught.value.pid == process.pid
            assert f"process {process.pid} has this chat open" in str(caught.value)
        (base / "chat" / "view.json").write_bytes(b"")
        with pytest.raises(Locked):
            mend(base, SMALL)
        process.kill()
        process.wait()
        Chat.open(base, SMALL).close()


def test_a_second_open_in_one_process_is_locked_out_too() -> None:
    with folder() as base, Chat.open(base, SMALL):
        with pytest.raises(Locked) as caught:
            Chat.open(base, SMALL)
        assert caught.value.pid == os.getpid()


def test_readers_beside_a_writer_see_whole_lines_of_one_moment() -> None:
    with folder() as base, writer(base, 400) as process:
        assert process.stdout is not None
        process.stdout.readline()
        seen = [0]
        while seen[-1] < 400:
            with Reader.open(base) as reader:
                texts = [each.text for each in reader.messages()]
                assert texts == [f"{number} " + "x" * (number * 37 % 4000) for number in range(len(texts))]
                view = reader.view()
                assert [line.first for line in view] == [0, *(line.end for line in view)][: len(view)]
                assert not view or view[-1].end == len(reader)
                assert all(reader.line(line) for line in view)
                seen.append(len(reader))
        assert seen == sorted(seen)
        assert len(set(seen)) > 2, "the writer was done before a reader came"
        process.communicate()
        assert process.returncode == 0


def test_a_reader_reads_the_tree_as_it_was_when_it_was_opened() -> None:
    with folder() as base, Chat.open(base, SMALL) as chat:
        for number in range(30):
            chat.append("user", f"{number} " + "é" * 20)
            settle(chat)
        with Reader.open(base) as reader:
            before = list(reader.tree_records())
            for number in range(30):
                chat.append("user", f"{number} more " + "é" * 20)
                settle(chat)
            assert list(reader.tree_records()) == before
        with Reader.open(base) as reader:
            after = list(reader.tree_records())
        assert after[: len(before)] == before
        assert len(after) > len(before)
