"""Replaying: a chat's own history gives the batches that were recorded; an event list gives the adapter's answers."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from optchat.cli.status import Status
from optchat.core.config import Config
from optchat.core.text import cut
from optchat.protocol import Session
from optchat.store import Chat, Item
from stateful_tests.cli.chats import FEWER, lines_of, make_chat, run, run_here, some_messages

TINY = Config(node=40, ceiling=300, floor=150, cceiling=120, cfloor=60, jobs=3)
SIZES = [
    f"--set=memory.{name}={getattr(TINY, name)}" for name in ("node", "ceiling", "floor", "cceiling", "cfloor", "jobs")
]

steps = st.one_of(
    st.tuples(st.just("message"), st.integers(0, 90)),
    st.tuples(st.just("build"), st.integers(0, 60)),
    st.tuples(st.just("fail"), st.just(0)),
    st.tuples(st.just("reopen"), st.just(0)),
)


def live(folder: Path, history: list[tuple[str, int]]) -> None:
    """A chat that lived through a history of messages, summaries of all sizes, failures and restarts."""
    chat = Chat.open(folder, TINY)
    for step, size in history:
        todo = chat.planner.candidates()
        if step == "message":
            chat.append("user", "m" * size)
        elif step == "reopen":
            chat.close()
            chat = Chat.open(folder, TINY)
        elif step == "fail" and todo:
            chat.started(todo[0])
            chat.failed(todo[0])
        elif todo:
            chat.built(todo[size % len(todo)], cut("s" * (size + 1), TINY.node))
    chat.close()


@given(st.lists(steps, max_size=80))
@example([("message", 80), ("message", 3), ("build", 0)] * 12)
@FEWER
def test_a_history_run_again_gives_the_recorded_batches(history: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        live(Path(name) / "chat", history)
        done = run_here("replay", "--json", *SIZES, "--dir", Path(name) / "chat")
        assert done.exit_code == Status.OK, done.stderr
        states = [json.loads(line) for line in lines_of(done.stdout_bytes)]
        assert all(state["ok"] for state in states)
        assert states[-1]["t"] == sum(1 for step, _ in history if step == "message")


@given(st.lists(st.integers(0, 90), min_size=30, max_size=60), st.integers(0, 10_000))
@FEWER
def test_a_chat_that_is_being_written_is_no_difference(lengths: list[int], place: int) -> None:
    """A reader comes between any two lines of the tree: messages that are logged together come before all of them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Chat.open(folder, TINY) as chat:
            chat.append_many(Item("user", "m" * length) for length in lengths)
            (tree,) = chat.layout.tree.iterdir()
        lines = tree.read_bytes().splitlines(keepends=True)
        assert len(lines) > 3
        chat.layout.view.unlink()
        chat.layout.index.unlink(missing_ok=True)
        tree.write_bytes(b"".join(lines[: 1 + place % len(lines)]))
        done = run_here("replay", *SIZES, "--dir", folder)
        assert done.exit_code == Status.OK, done.stderr
        assert "the same" in done.stderr


def test_a_batch_that_is_not_by_rule_is_told(tmp_path: Path) -> None:
    with Chat.open(tmp_path, TINY) as chat:
        chat.append_many(Item("user", "m" * 5) for _ in range(60))
        (tree,) = chat.layout.tree.iterdir()
    chat.layout.index.unlink(missing_ok=True)
    whole = tree.read_bytes().splitlines(keepends=True)
    places = [at for at, line in enumerate(whole) if b'"merge":[[' in line]
    assert places
    # Another flag, or a batch left out where later lines are there.
    changed = whole.copy()
    changed[places[0]] = changed[places[0]].replace(b'"open":true', b'"open":false')
    if changed == whole:
        changed[places[0]] = changed[places[0]].replace(b'"open":false', b'"open":true')
    for lines in (changed, whole[: places[0]] + whole[places[0] + 1 :]):
        tree.write_bytes(b"".join(lines))
        assert run_here("replay", *SIZES, "--dir", tmp_path).exit_code == Status.WRONG


def test_other_sizes_are_told(tmp_path: Path) -> None:
    make_chat(tmp_path / "chat", some_messages(45))
    done = run_here("replay", "--dir", tmp_path / "chat")
    assert done.exit_code == Status.WRONG
    assert "came out other than it was recorded" in done.stderr


def test_an_event_list_gives_the_adapters_answers(tmp_path: Path) -> None:
    requests = [
        {"op": "open", "config": {"node": 16, "ceiling": 60, "floor": 30, "cceiling": 30, "cfloor": 20, "jobs": 2}},
        *({"op": "message", "kind": "user", "text": f"text {i} " + "." * (i % 3 * 9)} for i in range(8)),
        {"op": "built", "node": [0, 1], "text": "one"},
        {"op": "built", "node": [0, 1], "text": "again"},
        {"op": "built", "node": [-1, 1], "text": "no node"},
        {"op": "wait", "on": True},
        {"op": "context", "node": [0, 3]},
        {"op": "reopen"},
        {"op": "render"},
        {"op": "bye"},
    ]
    lines = [json.dumps(request) for request in requests]
    session = Session()
    wanted = b"".join(session.line(line) for line in lines)
    path = tmp_path / "events.jsonl"
    path.write_text("\n".join(lines) + "\n")
    assert run("replay", path, "--json").stdout == wanted
    assert run("replay", "-", "--json", stdin=path.read_bytes()).stdout == wanted
    told = lines_of(run("replay", path).stdout)
    assert len(told) == len(lines)
    assert told[10].startswith("11 built 1+1 in 5 bytes: refused: 1+1 is built already")


@pytest.mark.parametrize(
    "line", [b"garbage", b'{"op":' * 20_000, b'{"op":"message","kind":"user","text":"\xff"}', b"\0\0"]
)
def test_a_line_that_is_no_json_is_named(line: bytes) -> None:
    done = run("replay", "-", stdin=b'{"op":"hello","protocol":1}\n\n' + line + b"\n")
    assert done.returncode == Status.USAGE
    assert len(lines_of(done.stdout)) == 1
    (told,) = lines_of(done.stderr)
    assert told.startswith("optchat: standard input:3: no JSON")


@pytest.mark.parametrize(
    "line",
    [
        *('{"a":1}', "[]", "42", "null", '"open"', '{"op":[]}', '{"op":"opne"}', '{"op":"message","kind":"user"}'),
        '{"op":"bye","now":true}',
        *('{"op":"context","node":[0,' + "9" * 5000 + "]}", '{"op":"message","kind":"user","text":' + "[" * 100_000),
    ],
    ids=lambda line: line[:40],
)
def test_json_that_is_no_request_is_named(line: str) -> None:
    for json_too in ((), ("--json",)):
        done = run("replay", "-", *json_too, stdin=b'{"op":"open"}\n' + line.encode() + b'\n{"op":"bye"}\n')
        assert done.returncode == Status.USAGE
        assert len(lines_of(done.stdout)) == 1
        (told,) = lines_of(done.stderr)
        assert told.startswith("optchat: standard input:2: no ")
