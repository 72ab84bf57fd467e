"""From files into a chat: every message word for word, once, however often and after whatever crash."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from optchat.agent.settle import offline, settle
from optchat.cli.app import app
from optchat.core.config import Config
from optchat.imports import ImportFailed, Record, gather
from optchat.imports.ingest import Taken, ingest, marked, note_of
from optchat.store import Chat, Reader
from optchat.store.keys import PART
from stateful_tests.imports import writers as w
from stateful_tests.imports.test_round_trip import folder

SMALL = Config(node=64, ceiling=900, floor=450, cceiling=400, cfloor=200)


def take(place: Path, paths: list[Path], *, notes: bool = True, config: Config = SMALL) -> Taken:
    with gather(paths) as found, Chat.open(place, config) as chat:
        return ingest(chat, found, offline(chat), notes=notes)


def logged(place: Path) -> Iterator[tuple[str, str, datetime]]:
    """The chat's texts, those logged in parts joined."""
    text = ""
    with Reader.open(place) as reader:
        for message in reader.messages():
            assert message.key is not None
            text += message.text
            if PART not in message.key:
                yield message.kind, text, message.when
                text = ""


def written(place: Path, said: list[w.Said]) -> Path:
    path = place / "source.jsonl"
    path.write_text("".join(w.json_lines(said)), "utf-8")
    return path


@given(w.messages.filter(bool), st.booleans())
def test_every_message_reads_back_word_for_word(said: list[w.Said], notes: bool) -> None:
    with folder() as name:
        path = written(name, said)
        assert take(name / "chat", [path], notes=notes).messages == len(said)
        with gather([path]) as found:
            records = list(found.records())
        expected = [
            ("note" if notes else each.kind, note_of(each) if notes else marked(each), each.date) for each in records
        ]
        assert list(logged(name / "chat")) == expected
        # Again, with the other kinds too: nothing is added.
        assert take(name / "chat", [path], notes=notes).messages == 0
        assert take(name / "chat", [path], notes=not notes).messages == 0
        assert list(logged(name / "chat")) == expected


def record(kind: str, text: str = "x", alternate: bool = False) -> Record:
    return Record(kind, text, datetime.now().astimezone(), "k", "", Path("f"), 1, alternate)


def test_a_note_says_whose_words_it_holds() -> None:
    assert note_of(record("user")) == "user: x"
    assert note_of(record("unii")) == "assistant: x"
    assert note_of(record("tool")) == "tool: x"
    assert note_of(record("note")) == "x"
    assert note_of(record("unii", alternate=True)) == "assistant: (given up) x"
    assert marked(record("user", alternate=True)) == "(given up) x"


@pytest.mark.parametrize("notes", [True, False])
def test_a_long_text_is_logged_in_parts_and_an_interrupted_one_is_completed(tmp_path: Path, notes: bool) -> None:
    long = w.Said("unii", "".join(f"{at} bells and 🕰 " for at in range(9000)), datetime.now().astimezone())
    path = written(tmp_path, [long, long._replace(text="short")])
    take(tmp_path / "whole", [path], notes=notes)
    expected = list(logged(tmp_path / "whole"))
    assert [text.removeprefix("assistant: ") for _, text, _ in expected] == [long.text, "short"]
    day = next((tmp_path / "whole" / "chat" / "main").iterdir())
    lines = day.read_bytes().splitlines(keepends=True)
    # As after a crash: the first two parts are there, and then other messages.
    with Chat.open(tmp_path / "cut", SMALL) as chat:
        target = chat.layout.main / day.name
    target.write_bytes(b"".join(lines[:2]))
    with pytest.raises(ImportFailed, match="other --kinds that was interrupted"):
        take(tmp_path / "cut", [path], notes=not notes)
    assert target.read_bytes() == b"".join(lines[:2])
    assert take(tmp_path / "cut", [path], notes=notes).messages == 2
    assert sorted(next(logged(tmp_path / "cut"))[1]) == sorted(expected[0][1])
    assert take(tmp_path / "cut", [path], notes=notes).messages == 0


def test_a_clipped_tool_message_is_said(tmp_path: Path) -> None:
    path = written(tmp_path, [w.Said("tool", "x" * 40_000, datetime.now().astimezone())])
    assert take(tmp_path / "own", [path], notes=False).clipped == 1
    assert take(tmp_path / "note", [path]).clipped == 0


@given(st.lists(w.any_text, min_size=1, max_size=50), st.integers(0, 100))
def test_the_view_is_that_of_a_chat_that_settles_after_each_message(texts: list[str], place: int) -> None:
    said = [
        w.Said("user", f"{at} {text}", datetime.fromtimestamp(at).astimezone()) for at, text in enumerate(texts * 2)
    ]
    with folder() as name:
        path = written(name, said)
        take(name / "many", [path])
        with Chat.open(name / "one", SMALL) as chat, gather([path]) as found:
            for each in found.records():
                chat.append("note", note_of(each), date=each.date)
                settle(chat, offline(chat))
        # An import that was interrupted and goes on is the same too.
        with gather([path]) as found, Chat.open(name / "two", SMALL) as chat:
            found.places = list(islice(found.places, place))
            ingest(chat, found, offline(chat))
        take(name / "two", [path])
        views = []
        for chat_name in ("many", "one", "two"):
            with Reader.open(name / chat_name) as reader:
                views.append((reader.view(), reader.shrinking, [reader.line(node) for node in reader.view()]))
        assert views[0] == views[1]
        assert views[0] == views[2]


def test_a_very_long_text_does_not_leave_the_view_above_its_ceiling(tmp_path: Path) -> None:
    """A batch runs at a message alone: its parts are summarized between, not behind the last of them."""
    text = "".join(f"{at} bells ring at the depot.\n" for at in range(40_000))
    take(tmp_path / "chat", [written(tmp_path, [w.Said("user", text, datetime.now().astimezone())])])
    with Reader.open(tmp_path / "chat") as reader:
        assert len(reader) > 2 * SMALL.ceiling // SMALL.node
        assert sum(len(reader.line(node).encode()) for node in reader.view()) <= SMALL.ceiling + SMALL.node


def test_the_command_says_what_was_taken_and_left_out_and_adds_nothing_twice(tmp_path: Path) -> None:
    lines = w.claude_lines([w.Said("user", "mend the clock", datetime.now().astimezone())], [0, 3])
    (tmp_path / "session.jsonl").write_text("".join(lines))
    arguments = ["import", "--dir", str(tmp_path / "chat"), str(tmp_path / "session.jsonl"), "--kinds", "own"]
    first = CliRunner().invoke(app, arguments)
    assert first.exit_code == 0
    assert first.stderr == ""
    assert first.stdout.splitlines() == [
        "1 message imported with their own kinds from 1 file (claude)",
        "  taken: 1 user",
        "  left out: 1 summary records, 1 sidechains",
        "the chat has 1 message; its view 1 line, 20 of 128,000 bytes",
    ]
    again = CliRunner().invoke(app, [*arguments, "--json"])
    facts = json.loads(again.stdout)
    assert (again.exit_code, facts["found"], facts["imported"], facts["there"]) == (0, 1, 0, 1)
    assert facts["view"] == {"messages": 1, "view_lines": 1, "view_bytes": 20}
