"""Texts before they are logged: valid, split without loss, a tool's clipped."""

from __future__ import annotations

import re
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from optchat.store import Chat, Reader
from optchat.store.prepare import LIMIT, clean, clip, prepare, split
from stateful_tests.store.harness import folder

any_text = st.text(st.characters(), max_size=60) | st.lists(
    st.sampled_from(["\ud83d", "\ude00", "\0", "a", "é", "e\u0301", "👩\u200d🔬", "\r\n", " ", "\x1f", "\u2028"])
).map("".join)


@given(any_text)
def test_clean_text_has_a_utf8_form_and_loses_nothing_good(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode()
    assert "\0" not in cleaned
    assert clean(cleaned) == cleaned
    if "\0" not in text and not re.search("[\ud800-\udfff]", text):
        assert cleaned == text


def test_what_replaces_is_visible() -> None:
    assert clean("a\0b") == "a␀b"
    assert clean("\ud83d\ude00") == "😀"
    assert clean("x\ud83dy\ude00z") == "x�y�z"


@given(any_text, st.integers(10, 50))
def test_pieces_join_to_the_text(text: str, limit: int) -> None:
    pieces = split(text, limit)
    assert "".join(pieces) == text
    assert all(len(piece) <= limit for piece in pieces)
    assert pieces == [text] or all(pieces)


@given(st.lists(st.sampled_from(["e\u0301", "a", "👩\u200d🔬"]), min_size=30, max_size=60).map("".join))
def test_a_piece_never_begins_with_a_mark(text: str) -> None:
    for piece in split(text, 20)[1:]:
        assert not unicodedata.category(piece[0]).startswith("M")
        assert piece[0] != "\u200d"
    for piece in split(text, 20)[:-1]:
        assert piece[-1] != "\u200d"


def test_pieces_end_at_lines_or_else_words() -> None:
    assert split("aaaaaaaa\nb c", 10) == ["aaaaaaaa\n", "b c"]
    assert split("aaaaaaaa bc", 10) == ["aaaaaaaa ", "bc"]
    assert split("aaaaaaaaaabc", 10) == ["aaaaaaaaaa", "bc"]


@given(st.integers(0, 70_000))
def test_a_clipped_text_keeps_head_and_tail_and_says_what_is_gone(length: int) -> None:
    text = "".join(chr(0x4E00 + at % 20_000) for at in range(length))
    clipped = clip(text)
    if length <= LIMIT:
        assert clipped == text
        return
    assert len(clipped) == LIMIT
    found = re.search(r"\n\[\.\.\. (\d+) characters left out \.\.\.\]\n", clipped)
    assert found
    head, tail = clipped[: found.start()], clipped[found.end() :]
    assert text.startswith(head)
    assert text.endswith(tail)
    assert len(head) + len(tail) + int(found[1]) == length
    assert abs(len(head) - len(tail)) <= 1


def test_only_a_tools_output_is_clipped() -> None:
    long = "word " * 20_000
    assert len(prepare("tool", long)) == 1
    for kind in ("user", "unii", "echo", "work", "note"):
        assert "".join(prepare(kind, long)) == long
        assert len(prepare(kind, long)) == 4


@given(any_text)
def test_what_is_logged_reads_back(text: str) -> None:
    with folder() as base:
        with Chat.open(base) as chat:
            ids = chat.append("user", text)
        with Reader.open(base) as reader:
            assert "".join(reader.message(index).text for index in ids) == clean(text)
            assert reader.message(0).size == len(clean(text).encode())
