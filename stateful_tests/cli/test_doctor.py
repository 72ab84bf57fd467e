"""The doctor through the console entry: what it says, its statuses, and that it writes only when asked to mend."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from optchat.cli.status import Status
from stateful_tests.cli.chats import lines_of, make_chat, run, some_messages

COUNT = 45
SIZES = ["--set", "memory.node=64"]


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    make_chat(tmp_path / "chat", some_messages(COUNT))
    return tmp_path / "chat"


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_whole_chat_is_in_order_and_untouched(chat: Path) -> None:
    before = everything(chat)
    for more in ([], ["--mend"]):
        done = run("doctor", *more, *SIZES, at=chat)
        assert (done.returncode, done.stderr) == (0, b"")
        assert lines_of(done.stdout)[-1].startswith(f"every line is in order: {COUNT} messages, ")
    assert everything(chat) == before
    told = json.loads(run("doctor", "--json", *SIZES, at=chat).stdout)
    assert (told["clean"], told["messages"], told["problems"], told["mended"]) == (True, COUNT, [], [])


def test_half_a_line_is_told_then_moved_aside(chat: Path) -> None:
    (log,) = (chat / "chat" / "main").iterdir()
    half = b'{"i":45,"kind":"user","te'
    log.write_bytes(log.read_bytes() + half)
    before = everything(chat)
    done = run("doctor", *SIZES, at=chat)
    assert done.returncode == Status.WRONG
    assert "half a line" in lines_of(done.stdout)[0]
    assert everything(chat) == before
    done = run("doctor", "--mend", *SIZES, at=chat)
    assert done.returncode == 0, done.stdout
    assert any(line.startswith("mended: ") for line in lines_of(done.stdout))
    assert half in [data.strip() for name, data in everything(chat).items() if "torn" in name]
    assert run("doctor", *SIZES, at=chat).returncode == 0


@pytest.mark.parametrize("garbage", ["", "{", "[[0,0]]", "[[0,1],[0,0]]", '{"view":[[9,9]]}', "\0" * 9])
def test_a_broken_view_file_is_mended_from_the_batches(chat: Path, garbage: str) -> None:
    view = chat / "chat" / "view.json"
    shown = run("memory", "--full", at=chat).stdout
    view.write_text(garbage)
    done = run("doctor", *SIZES, at=chat)
    assert done.returncode == Status.WRONG
    assert str(view) in lines_of(done.stdout)[0]
    assert run("memory", "--full", at=chat).stdout == shown
    assert run("doctor", "--mend", *SIZES, at=chat).returncode == 0
    assert run("memory", "--full", at=chat).stdout == shown


def test_what_cannot_be_mended_is_left_alone(chat: Path) -> None:
    (log,) = (chat / "chat" / "main").iterdir()
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([*lines[:7], *lines[8:]]))
    before = everything(chat)
    done = run("doctor", "--mend", *SIZES, at=chat)
    assert done.returncode == Status.WRONG
    assert f"{log}:8" in lines_of(done.stdout)[0]
    assert everything(chat) == before


def test_a_chat_that_is_held_names_the_holder(chat: Path) -> None:
    (chat / "chat" / "view.json").write_text("")
    code = f"import sys; from pathlib import Path; from optchat.store import Chat; Chat.open(Path({str(chat)!r})); "
    code += f"Path({str(chat / 'chat' / 'view.json')!r}).write_text(''); print(flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        new = chat.parent / "new.jsonl"
        new.write_text('{"kind": "user", "text": "new", "date": "2026-03-02T09:00:00Z"}\n')
        for words in (["doctor", "--mend"], ["import", new]):
            done = run(*words, *SIZES, at=chat)
            assert done.returncode == Status.HELD
            assert f"process {holder.pid}" in done.stderr.decode()
            assert len(lines_of(done.stderr)) == 1
        assert run("memory", at=chat).returncode == 0
        holder.communicate(b"")
