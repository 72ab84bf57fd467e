"""`view.json`: a cache for our own chats, once the only source for those of other implementations."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optchat.core.node import Node
from optchat.store import Chat, Damaged, Reader, doctor, mend
from stateful_tests.store.harness import SMALL, Clock, folder, plan, settle, snapshot

Pairs = list[list[int]]
BAD = {
    "empty": b"",
    "garbage": b"\0\xff\x01",
    "no JSON": b"hello",
    "half-written": b'{"view":[[0,0],[0,',
    "NaN": b"[[NaN,0]]",
    "a key twice": b'{"view":[],"view":[]}',
    "deep": b"[" * 10_000 + b"]" * 10_000,
    "a wrong type": b'{"view":[["0",0]]}',
    "no view": b'{"open":false}',
    "a gap": b"[[0,0],[0,2]]",
    "an overlap": b"[[1,0],[0,1]]",
    "a late start": b"[[0,1]]",
    "a huge level": b"[[1000000,0]]",
    "longer than the log": json.dumps([[0, at] for at in range(10_000)]).encode(),
    "another total": b'{"view":[[0,0]],"open":false,"t":7}',
}


def grown(base: Path, messages: int = 60) -> tuple[list[Node], bool]:
    """A chat with batches behind it; its view and flag."""
    with Chat.open(base, SMALL, now=Clock()) as chat:
        for number in range(messages):
            chat.append("user", f"{number} " + "é" * (number % 9))
            settle(chat, number % 4)
        state = chat.planner.state()
        return state.lines, state.shrinking


def without_batches(base: Path) -> None:
    """Make the chat one that another implementation could have written: no batch is recorded, no index kept."""
    shutil.rmtree(base / "chat" / "index")
    for path in (base / "chat" / "tree").iterdir():
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(line for line in lines if not line.startswith(b'{"merge"')))


@pytest.mark.parametrize("name", BAD)
def test_a_bad_cache_is_written_anew(name: str) -> None:
    with folder() as base:
        view, flag = grown(base)
        path = base / "chat" / "view.json"
        good = path.read_bytes()
        path.write_bytes(BAD[name])
        with Reader.open(base) as reader:
            assert (reader.view(), reader.shrinking) == (view, flag)
        assert not doctor(base, SMALL).clean
        assert path.read_bytes() == BAD[name]
        report = mend(base, SMALL)
        assert report.clean
        assert any("view.json" in line for line in report.mended)
        assert path.read_bytes() == good


def test_a_view_file_that_is_no_view_of_ours_is_said_when_it_is_rewritten() -> None:
    """A recorded batch that is lost, or a file from elsewhere. One that only lacks the newest lines is our own."""
    with folder() as base:
        view, _ = grown(base)
        path = base / "chat" / "view.json"
        while view[-1].level == 0:
            view.pop()
            path.write_text(json.dumps(view))
            with Chat.open(base, SMALL) as chat:
                assert chat.notes == []
        for other in ([[0, at] for at in range(60)], [[0, at] for at in range(99)], [[5, 0]], []):
            path.write_text(json.dumps(other))
            with Chat.open(base, SMALL) as chat:
                assert [f"{path}: not the view that" in note for note in chat.notes] == [True]


@pytest.mark.parametrize("name", [*BAD, "missing"])
def test_a_foreign_chat_without_a_good_view_does_not_open(name: str) -> None:
    """Its view would have to be invented."""
    with folder() as base:
        grown(base)
        without_batches(base)
        path = base / "chat" / "view.json"
        if name == "missing":
            path.unlink()
        else:
            path.write_bytes(BAD[name])
        before = snapshot(base)
        for opener in (lambda: Chat.open(base, SMALL), lambda: Reader.open(base)):
            with pytest.raises(Damaged) as caught:
                opener()
            assert str(caught.value).startswith(f"{path}: ")
            assert "would have to be invented" in str(caught.value)
            assert "\n" not in str(caught.value)
        report = doctor(base, SMALL)
        assert report.problems[-1].where == str(path)
        assert report.problems[-1].cure is None
        assert snapshot(base) == before


@given(messages=st.integers(1, 90), bare=st.booleans(), behind=st.integers(0, 3))
def test_a_foreign_chat_is_adopted_once(messages: int, bare: bool, behind: int) -> None:
    """Its lines become a recorded batch: the same view from then on, without the file."""
    with folder() as base:
        view, flag = grown(base, messages)
        without_batches(base)
        path = base / "chat" / "view.json"
        saved: Pairs = json.loads(path.read_bytes())["view"]
        # A crash of the other program can have left its newest messages out.
        while behind and len(saved) > 1 and saved[-1][0] == 0:
            saved.pop()
            behind -= 1
        path.write_text(json.dumps(saved if bare else {"view": saved, "open": flag}))
        for path_of_tree in (base / "chat" / "tree").iterdir():
            main = (base / "chat" / "main" / path_of_tree.name).read_bytes()
        with Reader.open(base) as reader:
            assert reader.view() == view
        with Chat.open(base, SMALL) as chat:
            state = plan(chat.planner)
            assert state[0] == view
            assert chat.planner.chat.shrinking == (flag and not bare)
            assert any("adopted" in note for note in chat.notes)
        path.unlink()
        with Chat.open(base, SMALL) as chat:
            assert plan(chat.planner) == state
            assert not any("adopted" in note for note in chat.notes)
            chat.append("user", "and on it goes")
        assert doctor(base, SMALL).clean
        assert (base / "chat" / "main" / path_of_tree.name).read_bytes().startswith(main)


def test_old_batch_lines_without_flag_and_total() -> None:
    """Other implementations' first recorded batches say only what they merged."""
    with folder() as base:
        view, _ = grown(base)
        for path in (base / "chat" / "tree").iterdir():
            lines = path.read_bytes().splitlines()
            for at, line in enumerate(lines):
                record = json.loads(line)
                if "merge" in record:
                    lines[at] = json.dumps({"merge": record["merge"]}).encode()
            path.write_bytes(b"".join(line + b"\n" for line in lines))
        with Chat.open(base, SMALL) as chat:
            assert chat.planner.state().lines == view
            assert not chat.planner.chat.shrinking


def test_another_agents_name_reads_as_ours() -> None:
    with folder() as base:
        with Chat.open(base, SMALL, agent="eukhe") as chat:
            chat.append("unii", "one")
            chat.append("eukhe", "two")
            chat.append("user", "three")
        with Reader.open(base, agent="unii") as reader:
            assert [each.kind for each in reader.messages()] == ["unii", "unii", "user"]
            assert reader.node_text(Node(0, 0)) == "eukhe: one", "a node is never built again"


def test_foreign_lines_in_their_own_form() -> None:
    """Spaces, escapes, other orders and fields of their own are all JSON."""
    with folder() as base:
        for name, lines in (
            ("main", ['{"date": "2026-01-01T00:00:00Z", "size": 4, "text": "caf\\u00e9"', ', "kind": "talk", "i": 0}']),
            ("tree", ['{ "text": "talk: caf\\u00e9", "size": 11, "l": 0, "i": 0, "by": "x" }', ""]),
        ):
            (base / "chat" / name).mkdir(parents=True)
            size = lines[0].replace('"size": 4', '"size": 5')
            (base / "chat" / name / "2026-01-01.jsonl").write_text(size + lines[1] + "\n")
        (base / "chat" / "view.json").write_text("[[0, 0]]")
        with Chat.open(base, SMALL) as chat:
            assert chat.contents.message(0) == ("unii", "café")
            assert chat.append("user", "more") == [1]
        assert doctor(base, SMALL).clean
