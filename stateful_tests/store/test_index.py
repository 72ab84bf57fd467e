"""The index and the keys: used when they match the files, and never otherwise."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from optchat.core.node import Node
from optchat.store import Chat, Item, Reader, doctor, mend
from optchat.store.files import OS_FILES
from optchat.store.index import read_index, write_index
from optchat.store.keys import WORTH, Keys
from optchat.store.layout import Layout
from optchat.store.start import load
from stateful_tests.store.harness import SMALL, Clock, crash, folder, plan, settle


def grow(chat: Chat, messages: int, clock: Clock | None = None) -> None:
    for number in range(messages):
        chat.append("user", f"{number} " + "é" * (number % 9), key=f"{len(chat.contents.messages)}")
        settle(chat, number % 4)
        if clock is not None and number % 10 == 9:
            clock.now += timedelta(days=1)


def used(base: Path) -> bool:
    contents = load(Layout.of(base), OS_FILES, "unii", SMALL.node)
    contents.close()
    return contents.indexed.missing is None


def test_every_beginning_and_every_flip_of_an_index_is_refused() -> None:
    with folder() as base:
        with Chat.open(base, SMALL) as chat:
            grow(chat, 12)
        path = base / "chat" / "index" / "places"
        whole = path.read_bytes()
        assert not isinstance(read_index(path), str)
        for at in range(len(whole)):
            path.write_bytes(whole[:at])
            assert isinstance(read_index(path), str)
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
            assert isinstance(read_index(path), str)


def test_an_index_that_says_something_else_is_found_by_the_doctor() -> None:
    """Its checksum is right and the files are those it was made of: only a whole reading can tell."""
    with folder() as base:
        with Chat.open(base, SMALL) as chat:
            for number in range(30):
                chat.append("user", "too long for a node " * 2)
                if number < 20:
                    chat.built(Node(0, number), "x" * 24)
        path = base / "chat" / "index" / "places"
        index = read_index(path)
        assert not isinstance(index, str)
        assert len(index.leaves) == len(index.ready) == 10
        lies = [
            index._replace(leaves=index.leaves[1:]),
            index._replace(ready=index.ready[::-1]),
            index._replace(messages=index.messages[::-1]),
            index._replace(head=msgspec.structs.replace(index.head, shrinking=not index.head.shrinking)),
            index._replace(view=index.view[:-1]),
        ]
        for lie in lies:
            write_index(OS_FILES, path, lie)
            assert [problem.what for problem in doctor(base, SMALL).problems] == ["it does not say what the files say"]
            assert mend(base, SMALL).clean


def test_an_index_that_the_lines_after_it_do_not_fit_is_dropped() -> None:
    with folder() as base:
        with Chat.open(base, SMALL) as chat:
            grow(chat, 30)
        path = base / "chat" / "index" / "places"
        index = read_index(path)
        assert not isinstance(index, str)
        chat = Chat.open(base, SMALL)
        chat.append("user", "after it")
        found = plan(chat.planner)
        crash(chat)
        write_index(OS_FILES, path, index._replace(messages=index.messages[:-1]))
        with Reader.open(base) as reader:
            assert reader.view() == found[0]
        assert not doctor(base, SMALL).clean
        with Chat.open(base, SMALL) as chat:
            assert plan(chat.planner) == found
        assert doctor(base, SMALL).clean


def touch(path: Path) -> None:
    os.utime(path, ns=(1, 1))


def copy(path: Path) -> None:
    status = path.stat()
    shutil.copy(path, path.with_name("copy"))
    os.replace(path.with_name("copy"), path)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def other_tail(path: Path) -> None:
    """Another end of the same size, and then more: as a file from a backup that went on otherwise."""
    data = path.read_bytes()
    at = data.rindex(b"\xc3\xa9")
    with path.open("r+b") as file:
        file.seek(at)
        file.write(b"\xc3\xa8")
    line = data[data.rindex(b"\n", 0, -1) + 1 :]
    number = data.count(b"\n")
    with path.open("ab") as file:
        for part in ('"i":{},', '"key":"{}"'):
            line = line.replace(part.format(number - 1).encode(), part.format(number).encode())
        file.write(line)


@pytest.mark.parametrize("change", [touch, copy, other_tail])
def test_an_index_of_files_that_were_changed_is_not_used(change: Callable[[Path], None]) -> None:
    with folder() as base:
        with Chat.open(base, SMALL, now=Clock()) as chat:
            grow(chat, 30)
        assert used(base)
        change(base / "chat" / "main" / "2026-10-08.jsonl")
        assert not used(base)
        with Chat.open(base, SMALL) as chat:
            assert len(chat.contents.messages) >= 30
        assert used(base)
        assert doctor(base, SMALL).clean


def test_a_chat_that_was_copied_is_in_order() -> None:
    """Its index is not used, for its files are others, but says what they say; one of another chat does not."""
    with folder() as base, folder() as other:
        for place, count in ((base, 30), (other, 31)):
            with Chat.open(place, SMALL, now=Clock()) as chat:
                grow(chat, count)
        shutil.copytree(base, base / "copied")
        assert not used(base / "copied")
        assert doctor(base / "copied", SMALL).clean
        shutil.copy(other / "chat" / "index" / "places", base / "chat" / "index" / "places")
        places = base / "chat" / "index" / "places"
        assert [problem.where for problem in doctor(base, SMALL).problems] == [str(places)]


@given(st.integers(0, 40), st.integers(0, 40), st.booleans())
def test_an_index_and_the_lines_after_it_give_what_the_files_give(first: int, second: int, torn: bool) -> None:
    with folder() as base:
        clock = Clock()
        with Chat.open(base, SMALL, now=clock) as chat:
            grow(chat, first, clock)
        chat = Chat.open(base, SMALL, now=clock)
        grow(chat, second, clock)
        found = plan(chat.planner)
        crash(chat)
        if torn and first + second:
            with max((base / "chat" / "main").iterdir()).open("ab") as file:
                file.write(b'{"i":')
        assert used(base)
        assert doctor(base, SMALL).clean != bool(torn and first + second)
        with Chat.open(base, SMALL, now=clock) as chat:
            assert plan(chat.planner) == found
        with Chat.open(base, SMALL, now=clock, fresh=True) as chat:
            assert plan(chat.planner) == found
        assert doctor(base, SMALL).clean


def test_a_larger_node_makes_more_nodes_free() -> None:
    """NODE is a setting: what fits into a node now is its own node, also when it was logged before."""
    with folder() as base:
        with Chat.open(base, SMALL) as chat:
            chat.append("user", "x" * 40)
            chat.append("user", "y" * 40)
            assert Node(0, 0) not in chat.contents.built
        wide = replace(SMALL, node=100)
        assert not doctor(base, wide).clean
        with Chat.open(base, wide) as chat:
            assert chat.planner.text(Node(1, 0)) == "user: " + "x" * 40 + "\nuser: " + "y" * 40
        assert doctor(base, wide).clean


def test_keys_are_found_after_a_reopen_and_after_a_crash() -> None:
    with folder() as base:
        with Chat.open(base) as chat:
            items = [Item("note", str(number), None, f"k{number}") for number in range(WORTH + 50)]
            assert all(answer.new for answer in chat.append_many(items))
            assert not any(answer.new for answer in chat.append_many(items))
        assert (base / "chat" / "index" / "keys").exists()
        chat = Chat.open(base)
        chat.append("note", "no key")
        assert chat.append("note", "later", key="later") == [WORTH + 51]
        crash(chat)
        with Chat.open(base) as chat:
            assert chat.append("note", "later", key="later") == [WORTH + 51]
            assert chat.append("note", "7", key="k7") == [7]
            assert len(chat.contents.messages) == WORTH + 52


@pytest.mark.parametrize("broken", ["a folder", "a file's", "unreadable"])
def test_keys_that_cannot_be_read_are_read_from_the_log(broken: str) -> None:
    with folder() as base:
        with Chat.open(base) as chat:
            chat.append("note", "first", key="k")
        index = base / "chat" / "index"
        shutil.rmtree(index)
        match broken:
            case "a folder":
                (index / "keys").mkdir(parents=True)
            case "a file's":
                index.write_text("no folder")
            case _:
                index.mkdir()
                (index / "keys").symlink_to("keys")
        with Chat.open(base) as chat:
            assert chat.append("note", "first", key="k") == [0]


def test_keys_of_another_log_are_dropped() -> None:
    """A chat whose files were replaced, with the caches of the old one left behind."""
    with folder() as base, folder() as other:
        for place, name in ((base, "a"), (other, "b")):
            with Chat.open(place) as chat:
                chat.append_many(Item("note", str(number), None, f"{name}{number}") for number in range(WORTH))
        shutil.copy(base / "chat" / "index" / "keys", other / "chat" / "index" / "keys")
        with Chat.open(other) as chat:
            assert chat.append("note", "7", key="b7") == [7]
            assert chat.append("note", "7", key="a7") == [WORTH]


def test_keys_of_one_hash_are_told_apart() -> None:
    with folder() as base, Chat.open(base) as chat:
        keys = Keys(chat.contents, base / "keys", lambda _key: 7)
        for number in range(5):
            assert keys.find(f"k{number}") is None
            chat.append("note", "text", key=f"k{number}")
            keys.add(f"k{number}", number)
        assert [keys.find(f"k{number}") for number in range(5)] == [0, 1, 2, 3, 4]


def test_a_key_of_a_long_text_is_there_only_when_all_of_it_is() -> None:
    """A crash between the parts of one text: the same append again logs what is missing, and nothing twice."""
    text = "long " * 20_000
    with folder() as base:
        with Chat.open(base) as chat:
            ids = chat.append("user", text, key="k")
            assert len(ids) == 4
        main = next((base / "chat" / "main").iterdir())
        lines = main.read_bytes().splitlines(keepends=True)
        for kept in range(5):
            shutil.rmtree(base / "chat" / "tree")
            main.write_bytes(b"".join(lines[:kept]))
            (base / "chat" / "view.json").write_text(str([[0, index] for index in range(kept)]))
            with Chat.open(base) as chat:
                assert chat.append("user", text, key="k") == ids
                assert chat.append("user", "another text", key="k") == ids
            with Reader.open(base) as reader:
                assert "".join(each.text for each in reader.messages()) == text


@pytest.mark.parametrize("key", ["", "a\x1fb", "a\nb", "\0"])
def test_a_key_that_cannot_be(key: str) -> None:
    with folder() as base, Chat.open(base) as chat:
        with pytest.raises(Exception, match="is no key: it must be some printable characters"):
            chat.append("user", "text", key=key)
        assert chat.append("user", "text") == [0]
