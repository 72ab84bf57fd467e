"""The offline compactor: a line is a line whatever the source holds, and it keeps what one looks for."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from optchat.agent.extract import KINDS, SEPARATOR, WORD, extract
from optchat.core.text import leaf_source, merge_source, size

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=1500) | st.lists(
    st.sampled_from(["the", "error", "src/a.py", "ValueError", "42", "時計", "🕰", "|", "user:", "note:", "\n", "```",
                     "a" * 90, "e\u0301", "\r\n", "\u2028", "unii: x"]), max_size=300).map(" ".join)  # fmt: skip
kinds = st.sampled_from(["user", "unii", "tool", "echo", "work", "note", "kestrel"])
roles = st.sampled_from(["", "user: ", "assistant: ", "echo: "])
sources = st.builds(lambda kind, role, text: leaf_source(kind, role + text), kinds, roles, texts)
limits = st.sampled_from([4, 5, 17, 64, 512])


def check(line: str, limit: int) -> None:
    assert 1 <= size(line) <= limit
    assert "\n" not in line
    assert "\r" not in line


@given(sources, limits)
@example("user: ", 4)
@example("note: user: ", 5)
def test_a_leaf_is_a_line_with_its_kind(source: str, limit: int) -> None:
    line = extract(source, 0, limit, "kestrel")
    check(line, limit)
    assert line == extract(source, 0, limit, "kestrel")
    kind = source.partition(": ")[0]
    assert line.startswith(f"{kind}: "[:limit].rstrip()) or limit < 17


@given(sources, sources, limits, st.integers(1, 40))
@example("x", "y", 4, 1)
def test_a_merge_is_a_line_of_its_halves_words(left: str, right: str, limit: int, level: int) -> None:
    halves = [extract(source, 0, limit, "kestrel") for source in (left, right)]
    source = merge_source(*halves)
    line = extract(source, level, limit, "kestrel")
    check(line, limit)
    assert line == extract(source, level, limit, "kestrel")
    if limit >= 64:
        # A word is a word of a half, or the start of one that is longer than anyone would look for.
        known = {found[2] for found in WORD.finditer(source)} | {SEPARATOR.strip()}
        for found in WORD.finditer(line):
            assert found[2] in known or any(word.startswith(found[2]) for word in known)


@given(texts, texts)
def test_any_source_at_all_makes_a_line(left: str, right: str) -> None:
    for source in (left, right, merge_source(left, right)):
        if source:
            for level in (0, 1):
                check(extract(source, level), 512)


def test_the_users_words_come_first_whatever_their_place() -> None:
    halves = (
        "echo: Ran 41 tests in 2.5s, 1 failed: test_shutter_closes_in_rain",
        "unii: The shutter timed out after 900 ms. | user: raise the limit to 1500 ms and run it again",
    )
    line = extract(merge_source(*halves), 1, 150)
    assert line.startswith("user: raise")
    assert line.index("user: ") < line.index("unii: ") < line.index("echo: ")
    assert "1500" in line
    assert "test_shutter_closes_in_rain" in line


def test_a_leaf_keeps_the_start_and_then_errors_numbers_paths_and_names() -> None:
    filler = "and so on with what there is to say about it all the time " * 60
    text = f"please look at the dome. {filler}\nFATAL timeout in /opt/dome/shutter.py after 900 ms\n{filler}"
    line = extract(leaf_source("user", text), 0)
    assert line.startswith("user: please look at the dome. and so on")
    for word in ("FATAL", "timeout", "/opt/dome/shutter.py", "900"):
        assert word in line


def test_a_chat_programs_commands_give_way_to_words_and_paths() -> None:
    commands = "user: /add | /diff | /undo | /clear | /model | /tokens"
    line = extract(merge_source(commands, "user: /etc/hosts | paint the shutter green"), 1, 60)
    for word in ("/etc/hosts", "paint", "shutter", "green"):
        assert word in line


def test_a_word_is_there_once() -> None:
    halves = ("user: ask Magnusson about flour | echo: Magnusson", "user: Magnusson says 40 kg")
    assert extract(merge_source(*halves), 1, 60).count("Magnusson") == 1


@pytest.mark.parametrize("kind", KINDS)
def test_groups_keep_their_kind_through_merges(kind: str) -> None:
    line = f"{kind}: alpha{SEPARATOR}note: user: beta"
    merged = extract(merge_source(line, f"{kind}: gamma"), 1)
    assert f"{kind}: " in merged
    assert "note: user: beta" in merged
    assert merged.count(f"{kind}: ") == 1 + (kind in ("note", "user"))


def test_a_huge_message_takes_no_longer_than_its_ends() -> None:
    line = extract(leaf_source("echo", "x y " * 5_000_000 + "\nfatal: disk full"), 0)
    assert "fatal" in line
    assert size(line) <= 512
