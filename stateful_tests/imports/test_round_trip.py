"""A generated session, written as its program writes it and read back, is the same session, message by message."""

from __future__ import annotations

import json
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from optchat.imports import Record, gather
from optchat.imports.detect import Format
from stateful_tests.imports import writers as w


@contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def read(path: Path, format: Format | None = None, branches: bool = True) -> list[Record]:  # noqa: A002
    with gather([path], format=format, branches=branches) as found:
        assert found.damages == []
        return list(found.records())


def said(records: Sequence[Record]) -> list[w.Said]:
    return [w.Said(each.kind, each.text, each.date) for each in records]


@given(w.messages.filter(bool))
def test_our_json_lines_are_read_as_they_were_written(messages: list[w.Said]) -> None:
    with folder() as place:
        path = place / "chat.jsonl"
        path.write_text("".join(w.json_lines(messages)), "utf-8")
        records = read(path)
    assert said(records) == w.oldest_first(messages)
    assert [each.date.utcoffset() for each in records] == [each.date.utcoffset() for each in w.oldest_first(messages)]


@given(w.aider_sessions())
def test_aider_history_is_read_as_it_was_written(sessions: list[w.AiderSession]) -> None:
    with folder() as place:
        path = place / "history.md"
        path.write_text("".join(w.aider_pieces(sessions)), "utf-8", newline="")
        assert said(read(path)) == w.aider_said(sessions)
        path.write_text("".join(w.aider_pieces(sessions)), "utf-8", newline="\r\n")
        assert said(read(path)) == w.aider_said(sessions)


def test_aider_history_whose_trailing_spaces_were_stripped(tmp_path: Path) -> None:
    path = tmp_path / "history.md"
    path.write_text(
        "# aider chat started at 2024-08-05 19:33:02\n\n> aider\n> Aider v1\n\n#### fix the clock\n####\n#### now\n\n"
        "It is fixed.\n\n> Applied edit to clock.py\n"
    )
    assert [(each.kind, each.text, each.line) for each in read(path)] == [
        ("echo", "aider\nAider v1", 3),
        ("user", "fix the clock\n\nnow", 6),
        ("unii", "It is fixed.", 10),
        ("echo", "Applied edit to clock.py", 12),
    ]


def test_aider_text_before_the_first_header_comes_first_with_its_date(tmp_path: Path) -> None:
    path = tmp_path / "history.md"
    path.write_text("tail of a reply\n> done  \n\n# aider chat started at 2024-08-05 19:33:02\n\n#### go on  \n")
    records = read(path)
    assert [(each.kind, each.text) for each in records] == [
        ("unii", "tail of a reply"), ("echo", "done"), ("user", "go on"),
    ]  # fmt: skip
    assert len({each.date for each in records}) == 1


@given(w.claude_said, st.lists(st.integers(0, len(w.NOISE) - 1), max_size=8))
def test_claude_session_is_read_as_it_was_written(messages: list[w.Said], noise: list[int]) -> None:
    with folder() as place:
        path = place / "session.jsonl"
        path.write_text("".join(w.claude_lines(messages, noise)), "utf-8")
        with gather([path]) as found:
            assert said(list(found.records())) == w.oldest_first(w.claude_read(messages))
            assert found.left_out.total() == len(noise)
            assert found.damages == []


@given(w.conversations(), st.booleans())
def test_chatgpt_export_is_read_as_it_was_written(chats: list[list[w.Turn]], zipped: bool) -> None:
    turns = sorted((turn for chat in chats for turn in chat), key=lambda turn: turn.said.date)
    with folder() as place:
        path = place / ("export.zip" if zipped else "conversations.json")
        text = json.dumps(w.chatgpt(chats), indent=1 if len(chats) > 1 else None)
        if zipped:
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr("export/conversations.json", text)
        else:
            path.write_text(text)
        assert _set(read(path)) == sorted((*turn.said, turn.given_up) for turn in turns)
        shown = sorted((*turn.said, False) for turn in turns if not turn.given_up)
        assert _set(read(path, branches=False)) == shown
        records = read(path)
    assert [each.date for each in records] == [turn.said.date for turn in turns]


def _set(records: list[Record]) -> list[tuple[object, ...]]:
    return sorted((each.kind, each.text, each.date, each.alternate) for each in records)


@given(w.messages.filter(bool))
def test_the_folder_of_another_chat_is_read_as_its_json_lines_are(messages: list[w.Said]) -> None:
    with folder() as place:
        main = place / "chat" / "main"
        main.mkdir(parents=True)
        lines = w.json_lines(messages)
        for day in range(3):
            (main / f"2024-01-0{day + 1}.jsonl").write_text("".join(lines[day::3]), "utf-8")
        path = place / "lines.jsonl"
        path.write_text("".join(lines[0::3] + lines[1::3] + lines[2::3]), "utf-8")
        assert [each[:5] for each in read(place)] == [each[:5] for each in read(path)]


def test_a_replaced_name_of_the_agent_reads_as_the_agents(tmp_path: Path) -> None:
    main = tmp_path / "main"
    main.mkdir()
    (main / "2024-01-01.jsonl").write_text('{"i":0,"kind":"talk","text":"hi","size":2,"date":"2024-01-01T00:00:00Z"}\n')
    assert [(each.kind, each.text) for each in read(tmp_path)] == [("unii", "hi")]


def test_what_claude_code_put_into_a_text_is_left_out_and_counted(tmp_path: Path) -> None:
    reminder = "<system-reminder>\nbe good\n</system-reminder>"
    contents: list[object] = [
        "Caveat: The messages below were generated by the user while running local commands. DO NOT respond",
        reminder,
        f"the clock\n\n{reminder}\n",
        [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "what of <system-reminder> in the log?"}],
        [{"type": "image", "source": {}}],
    ]
    lines = [
        {"type": "user", "timestamp": f"2024-01-01T00:00:0{at}Z", "message": {"content": content}}
        for at, content in enumerate(contents)
    ]
    path = tmp_path / "session.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    with gather([path]) as found:
        texts = [each.text for each in found.records()]
        assert texts == ["the clock", "what of <system-reminder> in the log?", "[image]"]
        assert found.left_out == {"injected context": 3, "thoughts": 1}
