"""Growing histories, the chats that took them, and exports of those, given together and in turn, in any order.

A chat that was given a history has each line of it, once: however it came, and in whatever pieces other chats have it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from optchat.imports.grown import bare
from stateful_tests.imports.test_ingest import logged, take
from stateful_tests.imports.test_joins import Parts, aider_growth
from stateful_tests.imports.test_round_trip import folder

KINDS = {"user: ": "user", "assistant: ": "unii", "echo: ": "echo"}
HEADER = "\n# aider chat started at 2024-08-05 19:33:02\n\n"
OTHER = HEADER.replace("2024", "2023")


def output(*lines: str) -> str:
    return "".join(f"> {line}  \n" for line in lines)


def told(place: Path) -> Counter[tuple[str, str]]:
    """Each line of a chat that is not blank, by whose it is, in whatever kind of message."""
    return lines_of(logged(place))


def lines_of(messages: Iterable[tuple[str, str, datetime]]) -> Counter[tuple[str, str]]:
    lines = Counter[tuple[str, str]]()
    for kind, text, _ in messages:
        head, words = bare(kind, text)
        lines.update((KINDS.get(head, kind), line) for line in words.split("\n") if line.strip())
    return lines


def export(chat: Path) -> Path:
    """A chat as one file of JSON lines."""
    path = chat.with_suffix(".jsonl")
    path.write_bytes(b"".join(day.read_bytes() for day in sorted((chat / "chat" / "main").glob("*.jsonl"))))
    return path


Step = tuple[int, list[int], bool, bool]
"""Into which chat, which sources (the copies, then the chats), as notes, and whether chats come as exports."""
steps: st.SearchStrategy[list[Step]] = st.lists(
    st.tuples(st.integers(0, 2), st.lists(st.integers(0, 6), min_size=1, max_size=3), st.booleans(), st.booleans()),
    min_size=1,
    max_size=6,
)
A1, A2, A3 = (HEADER + output(*lines) for lines in (["A"], ["A", "x"], ["A", "x", "x", "y"]))


@given(aider_growth(), steps)
@example([A1, A2, A3], [(0, [0], True, False), (0, [1], True, False), (0, [2], True, False), (1, [3], True, False)])
@example([A1, A2], [(0, [0], True, False), (1, [2, 1], True, False)])
@example([A1, A2], [(0, [0], True, False), (1, [1], True, False), (2, [2, 3], True, False)])
@example([A1, A2, A3], [(0, [0], True, False), (0, [1], True, False), (1, [3, 1], True, True), (2, [3, 2], True, True)])
def test_a_mix_of_histories_and_chats_has_each_line_once(copies: Parts, steps: list[Step]) -> None:
    with folder() as name:
        whole = []
        for number, text in enumerate(copies):
            (name / f"{number}.md").write_text(text, "utf-8", newline="")
            take(name / f"whole{number}", [name / f"{number}.md"])
            whole.append(told(name / f"whole{number}"))
        longest = [-1, -1, -1]
        for into, which, notes, exported in steps:
            paths = []
            for source in which:
                at = source - len(copies)
                if at < 0:
                    paths.append(name / f"{source}.md")
                    longest[into] = max(longest[into], source)
                elif at < 3 and at != into and longest[at] >= 0:
                    chat = name / f"chat{at}"
                    paths.append(export(chat) if exported else chat)
                    longest[into] = max(longest[into], longest[at])
            if not paths:
                continue
            take(name / f"chat{into}", paths, notes=notes)
            assert told(name / f"chat{into}") == whole[longest[into]]
            assert take(name / f"chat{into}", paths[::-1], notes=not notes).messages == 0


@pytest.mark.parametrize("others", [0, 2])
def test_equal_pieces_of_a_grown_message_are_not_taken_for_beginnings(others: int, tmp_path: Path) -> None:
    for number, text in enumerate([A1, A2, A3]):
        (tmp_path / f"{number}.md").write_text(text)
        take(tmp_path / "pieces", [tmp_path / f"{number}.md"])
    assert [text for _, text, _ in logged(tmp_path / "pieces")] == ["echo: A", "echo: x", "echo: x\ny"]
    for number in range(others):
        (tmp_path / f"other{number}.md").write_text(OTHER + output(f"P{number}"))
    take(tmp_path / "chat", [tmp_path / "pieces", *tmp_path.glob("other*.md")])
    assert [text for _, text, _ in logged(tmp_path / "chat")][others:] == ["echo: A\nx\nx\ny"]


def test_joined_pieces_leave_the_other_messages_of_the_files_whole(tmp_path: Path) -> None:
    """They are written where the messages of all files lie, and several files have some."""
    texts = [f"long {at} " * 400 for at in range(9)]
    for chat in range(3):
        header = HEADER.replace("33:02", f"33:{chat:02}")
        for end in range(1, 4):
            path = tmp_path / f"{chat}.md"
            path.write_text(header + output(*texts[:end]) + f"\n#### {chat}  \n\n{texts[5]}\n\n" + output(*texts[:end]))
            take(tmp_path / f"chat{chat}", [path])
    (tmp_path / "last.md").write_text(HEADER + output(*texts) + "\n#### bye  \n")
    chats = [tmp_path / f"chat{chat}" for chat in range(3)]
    take(tmp_path / "all", [*chats, tmp_path / "last.md"])
    found = told(tmp_path / "all")
    assert set().union(*map(told, chats)) <= set(found)
    assert {line for _, line in found} <= {text.rstrip() for text in texts} | {*texts, "0", "1", "2", "bye"}


def test_a_rest_whose_beginning_is_not_given_loses_nothing(tmp_path: Path) -> None:
    """An export cut between a beginning and its rest: the rest alone is a message of its own."""
    for number, text in enumerate([A1, A2]):
        (tmp_path / f"{number}.md").write_text(text)
        take(tmp_path / "pieces", [tmp_path / f"{number}.md"])
    lines = export(tmp_path / "pieces").read_text().splitlines(keepends=True)
    (tmp_path / "rest.jsonl").write_text(lines[1])
    for sources in ([tmp_path / "rest.jsonl"], [tmp_path / "1.md"]):
        take(tmp_path / "chat", sources)
        assert take(tmp_path / "chat", sources).messages == 0
    assert {("echo", "A"), ("echo", "x")} <= set(told(tmp_path / "chat"))
    take(tmp_path / "together", [tmp_path / "rest.jsonl", tmp_path / "1.md"])
    assert ("echo", "A") in told(tmp_path / "together")


def stripped(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.split("\n"))


@given(st.data())
def test_a_history_that_an_editor_stripped_goes_on_as_it_was(data: st.DataObject) -> None:
    """Its lines lose their ends in an editor, and aider adds to it: the old messages are the same, the new ones new."""
    word = st.sampled_from(["a", "fix b", "1.", "x y"])
    texts = st.lists(word, min_size=1, max_size=2)
    said: list[str] = []
    for _ in range(data.draw(st.integers(1, 2))):
        said.append(f"\n# aider chat started at 2024-08-05 19:33:0{len(said) % 10}\n\n" + output("aider", "Aider v1"))
        for kind in data.draw(st.lists(st.sampled_from(["user", "unii", "echo"]), max_size=6)):
            lines = data.draw(texts)
            said.append({
                "user": "\n" + "".join(f"#### {line}  \n" for line in lines), "unii": "\n" + "\n".join(lines) + "\n\n",
                "echo": output(*lines),
            }[kind])  # fmt: skip
    place = data.draw(st.integers(1, len(said)))
    before, after = "".join(said[:place]), "".join(said[place:])
    with folder() as name:
        for file, text in (("old", before), ("new", before + after), ("saved", stripped(before) + after)):
            (name / f"{file}.md").write_text(text)
        (name / "bare.md").write_text(stripped(before))
        take(name / "whole", [name / "new.md"])
        for order in (["old", "bare", "saved", "new"], ["bare", "saved"], ["saved", "old"], ["new", "saved", "bare"]):
            chat = name / "-".join(order)
            for file in order:
                take(chat, [name / f"{file}.md"])
            assert told(chat) == told(name / "whole")


def test_a_stripped_session_that_goes_on_keeps_its_roles(tmp_path: Path) -> None:
    old = HEADER + "> Aider v1  \n#### do it  \n\nReply one\n\n> Tokens  \n\n#### next  \n\nReply two\n"
    for name, text in (("old", old), ("bare", stripped(old)), ("on", stripped(old) + "\n#### third  \n\nReply\n")):
        (tmp_path / f"{name}.md").write_text(text)
    assert take(tmp_path / "chat", [tmp_path / "old.md"]).messages == 6
    assert take(tmp_path / "chat", [tmp_path / "bare.md"]).messages == 0
    assert take(tmp_path / "chat", [tmp_path / "on.md"]).kinds == {"user": 1, "unii": 1}
