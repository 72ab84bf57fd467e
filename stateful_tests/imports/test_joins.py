"""However often, however split, in whatever order and under whatever names files come: each message is taken once.

An import is a join: of two files that hold the same message so and so often, the larger number counts.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import permutations
from pathlib import Path
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from optchat.agent.settle import offline
from optchat.imports import Record, gather
from optchat.imports.grown import bare
from optchat.imports.ingest import ingest
from optchat.store import Chat, Reader
from stateful_tests.imports import writers as w
from stateful_tests.imports.test_ingest import logged, take
from stateful_tests.imports.test_round_trip import folder

Parts = list[str]


def taken(runs: Iterable[Sequence[str]], suffix: str = ".jsonl") -> list[Record]:
    """What a chat holds after imports, each of some files' texts; empty files are not given."""
    names: set[str] = set()
    twins: set[str] = set()
    records: list[Record] = []
    for run in runs:
        with tempfile.TemporaryDirectory() as name:
            paths = []
            for number, text in enumerate(run):
                path = Path(name, f"part{number}{suffix}")
                path.write_text(text, "utf-8", newline="")
                paths.append(path)
            with gather(paths) as found:
                assert found.damages == []
                found.skip(names, twins)
                new = list(found.records())
            for each in new:
                names.add(each.key)
                twins |= {each.twin} - {""}
            records += new
    return records


def counted(records: Iterable[Record]) -> Counter[tuple[object, ...]]:
    return Counter((each.kind, each.text) for each in records)


def cut(pieces: Sequence[str], places: Iterable[int]) -> Parts:
    """A text in parts, cut before the pieces at these places."""
    ends = [*sorted({place % len(pieces) for place in places} - {0}), len(pieces)]
    return ["".join(pieces[start:end]) for start, end in zip([0, *ends], ends, strict=False)]


@st.composite
def json_parts(draw: st.DrawFn) -> Parts:
    """Parts of one file of JSON lines; no two messages are alike, so a part tells no two from one."""
    lines = w.json_lines(list(dict.fromkeys(draw(w.messages.filter(bool)))))
    return cut(lines, draw(st.lists(st.integers(0, 20), max_size=3)))


@given(json_parts(), st.randoms(use_true_random=False))
def test_json_lines_split_and_reordered_are_the_same_chat(parts: Parts, random: Random) -> None:
    whole = ["".join(parts)]
    mixed = _mixed(parts, random)
    expected = counted(taken([whole]))
    assert counted(taken([parts])) == expected
    assert counted(taken([mixed])) == expected
    assert counted(taken([[part] for part in mixed])) == expected
    assert counted(taken([mixed[:1], whole, whole, mixed])) == expected


@given(w.messages.filter(bool), st.integers(1, 12))
def test_a_longer_file_adds_its_new_messages_alone(messages: list[w.Said], count: int) -> None:
    lines = w.json_lines(messages)
    start, whole = "".join(lines[:count]), "".join(lines)
    records = taken([[start], [whole]])
    assert counted(records) == Counter((each.kind, each.text) for each in messages)
    assert len(taken([[start], [whole], [whole, start]])) == len(records)


@given(st.lists(w.messages.filter(bool), min_size=1, max_size=3))
def test_of_equal_messages_the_largest_number_in_a_file_counts(files: list[list[w.Said]]) -> None:
    texts = ["".join(w.json_lines(each)) for each in files]
    expected: Counter[tuple[object, ...]] = Counter()
    for each in files:
        expected |= Counter((said.kind, said.text, said.date) for said in each)
    for runs in ([texts], [[text] for text in texts], [texts[::-1], texts]):
        assert Counter((each.kind, each.text, each.date) for each in taken(runs)) == expected


@given(w.messages.filter(bool), w.messages.filter(bool))
def test_the_order_in_which_files_are_given_does_not_matter(first: list[w.Said], second: list[w.Said]) -> None:
    with tempfile.TemporaryDirectory() as name:
        paths = [Path(name, "a.jsonl"), Path(name, "b.jsonl")]
        for path, messages in zip(paths, (first, second), strict=True):
            path.write_text("".join(w.json_lines(messages)), "utf-8")
        with gather(paths) as one, gather(paths[::-1]) as other:
            records = list(one.records())
            assert records == list(other.records())
            assert [each.date for each in records] == sorted(each.date for each in records)


@st.composite
def aider_parts(draw: st.DrawFn) -> Parts:
    """Parts of one history, cut between any two messages, each with a header in it."""
    pieces = w.aider_pieces(draw(w.aider_sessions()))
    parts = cut(pieces, draw(st.lists(st.integers(0, 40), max_size=3)))
    while (
        bad := next((at for at, part in enumerate(parts) if "# aider chat started at 20" not in part), None)
    ) is not None:
        start = max(0, bad - 1)
        parts[start : start + 2] = ["".join(parts[start : start + 2])]
    return parts


@st.composite
def aider_growth(draw: st.DrawFn) -> Parts:
    """Copies of one history as it grows, each with a header in it; the program writes an output line by line."""
    pieces = []
    for piece in w.aider_pieces(draw(w.aider_sessions(same=True))):
        lines = piece.splitlines(keepends=True)
        pieces += lines if all(line.startswith(">") and line.endswith("  \n") for line in lines) else [piece]
    ends = sorted({1 + place % len(pieces) for place in draw(st.lists(st.integers(0, 60), max_size=3))})
    return ["".join(pieces[:end]) for end in [*(end for end in ends if end > 1), len(pieces)]]


@given(aider_parts(), st.randoms(use_true_random=False))
def test_an_aider_history_cut_anywhere_between_messages_is_the_same_chat(parts: Parts, random: Random) -> None:
    whole = ["".join(parts)]
    mixed = _mixed(parts, random)
    expected = counted(taken([whole], ".md"))
    assert counted(taken([parts], ".md")) == expected
    assert counted(taken([[part] for part in mixed], ".md")) == expected
    assert counted(taken([mixed, whole], ".md")) == expected
    assert counted(taken([whole, mixed], ".md")) == expected
    assert counted(taken([[*mixed, *whole]], ".md")) == expected


@given(aider_growth(), st.booleans(), st.randoms(use_true_random=False))
def test_an_aider_history_that_grows_between_imports_is_taken_once(copies: Parts, notes: bool, random: Random) -> None:
    """Also where an import ends within a run of output; and older copies add nothing."""
    with folder() as name:
        paths = []
        for number, text in enumerate(copies):
            paths.append(name / f"copy{number}.md")
            paths[-1].write_text(text, "utf-8", newline="")
        take(name / "whole", paths[-1:], notes=notes)
        for path in paths:
            take(name / "grown", [path], notes=notes)
        mixed = random.sample(paths, len(paths))
        for path in mixed:
            take(name / "mixed", [path], notes=notes)
        take(name / "together", mixed, notes=notes)
        expected = list(logged(name / "whole"))
        assert list(logged(name / "together")) == expected
        for chat in ("grown", "mixed"):
            assert lines_told(logged(name / chat)) == lines_told(expected)
        # Chats with other pieces of it add nothing to each other's but what is new.
        take(name / "whole", [name / "grown"], notes=notes)
        assert list(logged(name / "whole")) == expected
        for path in mixed:
            assert take(name / "mixed", [path], notes=not notes).messages == 0


def lines_told(messages: Iterable[tuple[str, str, datetime]]) -> Counter[tuple[str, str]]:
    """Each line that is not blank, by whose it is."""
    told = Counter[tuple[str, str]]()
    for kind, text, _ in messages:
        head, words = bare(kind, text)
        told.update((head or kind, line) for line in words.split("\n") if line.strip())
    return told


def test_the_rest_of_a_grown_message_is_logged_and_said(tmp_path: Path) -> None:
    path = tmp_path / "history.md"
    header = "# aider chat started at 2024-08-05 19:33:02\n\n"
    path.write_text(header + "> aider  \n#### go  \n> Tokens: 5  \n")
    assert take(tmp_path / "chat", [path]).messages == 3
    for text in ("> Applied edit to a.py  \n", "> Commit 1  \n> Commit 2  \n\n#### on  \n\nWell.\n\n"):
        with path.open("a") as file:
            file.write(text)
        taken = take(tmp_path / "chat", [path])
        assert taken.kinds["echo"] == 1
        assert take(tmp_path / "chat", [path]).messages == 0
    assert [text for _, text, _ in logged(tmp_path / "chat")] == [
        *("echo: aider", "user: go", "echo: Tokens: 5", "echo: Applied edit to a.py", "echo: Commit 1\nCommit 2"),
        *("user: on", "assistant: Well."),
    ]


def test_sessions_before_headers_of_one_second_are_told_apart(tmp_path: Path) -> None:
    """The end of one, given alone, is one message of the chat that comes later: one of two, not both."""
    header = "# aider chat started at 2024-08-05 1{}:00:00\n\n"
    talk = "#### yes  \n\nDone.\n\n"
    files = {
        "one.md": header.format(0) + talk + header.format(1),
        "two.md": header.format(0) + talk + header.format(1) + talk + header.format(1) + "#### other  \n",
        "end.md": talk + header.format(1),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    for number, order in enumerate(permutations(files)):
        for name in order:
            take(tmp_path / f"chat{number}", [tmp_path / name])
        texts = sorted(text for _, text, _ in logged(tmp_path / f"chat{number}"))
        assert texts == ["assistant: Done."] * 2 + ["user: other"] + ["user: yes"] * 2
        for name in order:
            assert take(tmp_path / f"chat{number}", [tmp_path / name]).messages == 0
    take(tmp_path / "together", [tmp_path / name for name in files])
    assert len(list(logged(tmp_path / "together"))) == 5


def test_a_message_that_grew_after_a_crash_left_its_last_part_out_is_completed(tmp_path: Path) -> None:
    path = tmp_path / "history.md"
    run = [f"> {at} bells  \n" for at in range(9000)]
    path.write_text("# aider chat started at 2024-08-05 19:33:02\n\n" + "".join(run[:8000]))
    take(tmp_path / "chat", [path])
    day = next((tmp_path / "chat" / "chat" / "main").iterdir())
    lines = day.read_bytes().splitlines(keepends=True)
    assert len(lines) == 3
    with Chat.open(tmp_path / "cut") as chat:
        target = chat.layout.main / day.name
    target.write_bytes(b"".join(lines[:2]))
    with path.open("a") as file:
        file.write("".join(run[8000:]))
    take(tmp_path / "cut", [path])
    with Reader.open(tmp_path / "cut") as reader:
        texts = [message.text.removeprefix("echo: ") for message in reader.messages()]
    assert "".join(texts).split("\n") == [line[2:-3] for line in run]
    assert take(tmp_path / "cut", [path]).messages == 0


@given(w.claude_said, st.integers(0, 10))
def test_a_resumed_claude_session_repeats_nothing(messages: list[w.Said], count: int) -> None:
    lines = w.claude_lines(messages)
    start, whole = "".join(lines[: count % len(lines) + 1]), "".join(lines).replace('"uuid": "u', '"uuid": "copy-u')
    expected = counted(taken([[whole]]))
    assert counted(taken([[start], [whole]])) == expected
    assert counted(taken([[start, whole]])) == expected


@given(w.conversations())
def test_a_chatgpt_export_in_two_halves_is_the_same_chat(chats: list[list[w.Turn]]) -> None:
    whole = json.dumps(w.chatgpt(chats))
    halves = [json.dumps(half) for half in (w.chatgpt(chats)[:1], w.chatgpt(chats)[1:]) if half]
    expected = counted(taken([[whole]], ".json"))
    assert counted(taken([halves], ".json")) == expected
    assert counted(taken([[whole], halves, [whole]], ".json")) == expected


def test_a_message_that_an_import_brought_into_another_chat_keeps_its_name(tmp_path: Path) -> None:
    source = tmp_path / "history.md"
    source.write_text(
        "# aider chat started at 2024-08-05 19:33:02\n\n> aider  \n\n#### go  \n\n" + "word " * 9000
        + "\n\n# aider chat started at 2024-08-06 19:33:02\n\n#### again  \n"
    )  # fmt: skip
    with Chat.open(tmp_path / "other") as chat, gather([source]) as found:
        ingest(chat, found, offline(chat))
    with Chat.open(tmp_path / "mine") as chat:
        for paths in ([tmp_path / "other"], [source], [source, tmp_path / "other"]):
            with gather(paths) as found:
                count = ingest(chat, found, offline(chat)).messages
                assert count == (4 if paths == [tmp_path / "other"] else 0)


def _mixed(parts: Parts, random: Random) -> Parts:
    mixed = parts.copy()
    random.shuffle(mixed)
    return mixed
