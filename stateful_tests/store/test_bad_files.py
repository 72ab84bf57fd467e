"""Files that no append of ours left: one clear line that names file and line, and nothing is written."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optchat.store import Chat, Damaged, Reader, StoreError, doctor, mend
from stateful_tests.store.harness import SMALL, Clock, folder, settle, snapshot

DAY = "2026-10-08.jsonl"
Lines = list[bytes]


class Case(NamedTuple):
    """A change of one file's lines, and the line and words that the error must have."""

    file: str
    change: Callable[[Lines], Lines]
    line: int
    words: str


def put(at: int, line: bytes) -> Callable[[Lines], Lines]:
    """Line `at`, counted from 1, is another one."""
    return lambda lines: [*lines[: at - 1], line, *lines[at:]]


def edit(at: int, old: bytes, new: bytes) -> Callable[[Lines], Lines]:
    def change(lines: Lines) -> Lines:
        assert old in lines[at - 1]
        return put(at, lines[at - 1].replace(old, new, 1))(lines)

    return change


def without(at: int) -> Callable[[Lines], Lines]:
    return lambda lines: lines[: at - 1] + lines[at:]


def again(at: int) -> Callable[[Lines], Lines]:
    return lambda lines: [*lines[:at], *lines[at - 1 :]]


def halves(there: int) -> Callable[[Lines], Lines]:
    """Of the tree one half of node 0+2, and it."""
    half = b'{"l":0,"i":%d,"text":"abc","size":3}' % there
    return lambda lines: [lines[0], half, b'{"l":1,"i":0,"text":"abc","size":3}']


MAIN, TREE = f"main/{DAY}", f"tree/{DAY}"
GOOD = b'{"i":2,"kind":"user","text":"abc","size":3,"date":"d"}'
NODE = b'{"l":0,"i":2,"text":"abc","size":3}'
CASES = {
    "a torn line": Case(MAIN, edit(3, b'"text"', b'"te'), 3, "not JSON"),
    "an empty line": Case(MAIN, put(3, b""), 3, "not JSON"),
    "a line of NULs": Case(MAIN, put(3, bytes(40)), 3, "not JSON"),
    "no UTF-8": Case(MAIN, put(3, GOOD.replace(b"abc", b"a\xffc")), 3, "not UTF-8"),
    "a raw surrogate": Case(MAIN, put(3, GOOD.replace(b"abc", b"\xed\xa0\x80")), 3, "not UTF-8"),
    "an escaped surrogate": Case(MAIN, put(3, GOOD.replace(b"abc", b"\\ud800")), 3, "lone surrogate"),
    "NaN": Case(MAIN, put(3, GOOD.replace(b'"size":3', b'"size":NaN')), 3, "NaN is no JSON number"),
    "a key twice": Case(MAIN, put(3, GOOD.replace(b'"i":2', b'"i":7,"i":2')), 3, "the key 'i' twice"),
    "deep nesting": Case(MAIN, put(3, b'{"x":' + b"[" * 10_000 + b"]" * 10_000 + b"}"), 3, "nested too deep"),
    "a list": Case(MAIN, put(3, b"[1]"), 3, "Expected `object`"),
    "a number too long": Case(MAIN, put(3, GOOD.replace(b"3", b"3" * 9999)), 3, "not JSON that can be read"),
    "a wrong type": Case(MAIN, put(3, GOOD.replace(b'"i":2', b'"i":"2"')), 3, "Expected `int`"),
    "a bool for a size": Case(MAIN, put(3, GOOD.replace(b'"size":3', b'"size":true')), 3, "Expected `int`"),
    "a fraction for an id": Case(MAIN, put(3, GOOD.replace(b'"i":2', b'"i":2.0')), 3, "Expected `int`"),
    "a negative id": Case(MAIN, put(3, GOOD.replace(b'"i":2', b'"i":-2')), 3, ">= 0"),
    "no text": Case(MAIN, put(3, GOOD.replace(b'"text":"abc",', b"")), 3, "`text`"),
    "a wrong size": Case(MAIN, put(3, GOOD.replace(b'"size":3', b'"size":4')), 3, "its size says 4 bytes"),
    "a size in characters": Case(MAIN, put(3, GOOD.replace(b"abc", "abé".encode())), 3, "has 4"),
    "an empty kind": Case(MAIN, put(3, GOOD.replace(b'"user"', b'""')), 3, "no kind"),
    "a kind with a space": Case(MAIN, put(3, GOOD.replace(b'"user"', b'"a b"')), 3, "no kind"),
    "a gap": Case(MAIN, without(3), 3, "a gap in the ids: 3 where 2"),
    "a repeat": Case(MAIN, again(3), 4, "a repeat in the ids: 2 where 3"),
    "the first line gone": Case(MAIN, without(1), 1, "a gap in the ids: 1 where 0"),
    "a torn node": Case(TREE, edit(3, b'"text"', b'"te'), 3, "not JSON"),
    "a node twice": Case(TREE, again(2), 3, "a second time"),
    "a node without halves": Case(TREE, put(2, b'{"l":3,"i":0,"text":"abc","size":3}'), 2, "without its two halves"),
    "a node without its first half": Case(TREE, halves(1), 3, "node 0+2 without its two halves"),
    "a node without its second half": Case(TREE, halves(0), 3, "node 0+2 without its two halves"),
    "a node beyond the log": Case(TREE, put(2, NODE.replace(b'"i":2', b'"i":99')), 2, "beyond the log"),
    "a level past reason": Case(TREE, put(2, NODE.replace(b'"l":0', b'"l":10000000')), 2, "<= 63"),
    "a node of a huge id": Case(TREE, put(2, NODE.replace(b'"i":2', b'"i":' + b"9" * 99)), 2, "beyond the log"),
    "a node's wrong size": Case(TREE, put(2, NODE.replace(b'"size":3', b'"size":2')), 2, "its size says 2"),
    "a node without text": Case(TREE, put(2, b'{"l":0,"i":0,"text":"","size":0}'), 2, "an empty text"),
    "a node's key twice": Case(TREE, put(2, NODE.replace(b'"l":0', b'"l":1,"l":0')), 2, "the key 'l' twice"),
    "a batch of an unbuilt node": Case(
        TREE, put(2, b'{"merge":[[1,0]],"open":false,"t":2}'), 2, "which is not a built merge"
    ),
    "a batch beyond the log": Case(TREE, put(2, b'{"merge":[],"open":false,"t":999}'), 2, "a batch at message 999"),
    "a batch into a leaf": Case(TREE, put(2, b'{"merge":[[0,0]],"open":false,"t":2}'), 2, "not a built merge"),
    "a batch that goes back": Case(
        TREE, lambda lines: [*lines, b'{"merge":[],"open":false,"t":1}'], -1, "a batch at message 1 after"
    ),
    "a batch of wrong types": Case(TREE, put(2, b'{"merge":[[1]],"open":false,"t":2}'), 2, "length 2"),
    "a batch twice": Case(
        TREE, lambda lines: [*lines, next(line for line in lines[1:] if b"merge" in line)], -1, "a batch at message"
    ),
    "another record": Case(TREE, put(2, b'{"hello":1}'), 2, "missing required field"),
}


def small_chat(base: Path) -> None:
    with Chat.open(base, SMALL, now=Clock()) as chat:
        for number in range(30):
            chat.append("user", f"{number} " + "é" * (number % 9))
            settle(chat)


def change(path: Path, how: Callable[[Lines], Lines]) -> int:
    """Change a file's lines; how many it has then."""
    lines = how(path.read_bytes().split(b"\n")[:-1])
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    os.utime(path, ns=(1, 1))
    return len(lines)


@pytest.mark.parametrize("index", ["indexed", "bare"])
@pytest.mark.parametrize("name", CASES)
def test_a_bad_line_is_named_and_nothing_is_written(name: str, index: str) -> None:
    case = CASES[name]
    with folder() as base:
        small_chat(base)
        path = base / "chat" / case.file
        count = change(path, case.change)
        if index == "bare":
            shutil.rmtree(base / "chat" / "index")
        before = snapshot(base)
        openers: list[Callable[[], Chat | Reader]] = [
            lambda: Chat.open(base, SMALL),
            lambda: Chat.open(base, SMALL),  # The lock was let go.
            lambda: Reader.open(base),
        ]
        for opener in openers:
            with pytest.raises(Damaged) as caught:
                opener()
            assert str(caught.value).startswith(f"{path}:{case.line if case.line > 0 else count}: ")
            assert case.words in str(caught.value)
            assert "\n" not in str(caught.value)
        report = doctor(base, SMALL)
        assert report.problems[0].where == f"{path}:{case.line if case.line > 0 else count}"
        assert case.words in report.problems[0].what
        assert report.problems[0].cure is None
        assert not mend(base, SMALL).clean
        assert snapshot(base) == before


def test_half_a_line_that_a_newer_file_follows() -> None:
    with folder() as base:
        small_chat(base)
        main = base / "chat" / "main"
        (main / "2026-10-07.jsonl").write_bytes(b'{"i":')
        for opener in (Chat.open, Reader.open):
            with pytest.raises(Damaged, match=r"2026-10-07\.jsonl: its last line has no end, and a newer file follows"):
                opener(base)
        assert not doctor(base, SMALL).clean


def test_a_file_that_is_no_day_file() -> None:
    with folder() as base:
        small_chat(base)
        (base / "chat" / "tree" / "notes.jsonl").write_bytes(b"")
        with pytest.raises(Damaged, match=r"notes\.jsonl: not a day file"):
            Chat.open(base, SMALL)


def test_a_log_that_vanished_under_its_tree() -> None:
    with folder() as base:
        small_chat(base)
        (base / "chat" / MAIN).unlink()
        with pytest.raises(Damaged, match=f"{TREE}:[0-9]+: node 0\\+1 reaches beyond the log, which has 0 messages"):
            Chat.open(base, SMALL)


@given(data=st.data(), bare=st.booleans())
def test_any_change_of_bytes_is_an_error_of_one_line_or_loses_nothing(data: st.DataObject, bare: bool) -> None:
    """Whatever happens to a file: a StoreError and not a byte written, or a chat that works."""
    with folder() as base:
        small_chat(base)
        if bare:
            shutil.rmtree(base / "chat" / "index")
        path = base / "chat" / data.draw(st.sampled_from([MAIN, TREE, "view.json", "index/places"]))
        if path.exists():
            old = path.read_bytes()
            start = data.draw(st.integers(0, len(old)))
            end = min(len(old), start + data.draw(st.integers(0, 40)))
            new = data.draw(st.binary(max_size=20) | st.sampled_from([b"\n", b"}\n{", b"\0" * 8]))
            path.write_bytes(old[:start] + new + old[end:])
            os.utime(path, ns=(1, 1))
        before = snapshot(base)
        try:
            with Chat.open(base, SMALL) as chat:
                chat.append("user", "still works")
                settle(chat)
        except StoreError as error:
            told = str(error)
        else:
            with Chat.open(base, SMALL) as chat:
                assert chat.notes == []
            assert doctor(base, SMALL).clean
            return
        assert snapshot(base) == before
        assert "\n" not in told
        assert str(base) in told
        with contextlib.suppress(Damaged):
            Reader.open(base).close()
        assert not doctor(base, SMALL).clean
