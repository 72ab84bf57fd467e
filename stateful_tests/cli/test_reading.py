"""The commands that read, through the real console entry: what they print is what the chat holds, to the byte."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optchat.cli.find import around, find
from optchat.cli.status import Status
from optchat.cli.streams import fitted
from optchat.cli.visible import visible
from optchat.core.node import Node, node_at
from optchat.core.render import render
from optchat.core.text import size
from optchat.store import Reader
from stateful_tests.cli.chats import FEWER, lines_of, make_chat, parse_line, run, run_here, some_messages

COUNT = 45


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reading") / "chat of Zoë"
    make_chat(folder, some_messages(COUNT))
    return folder


def test_memory_full_is_the_view_as_a_model_reads_it(chat: Path) -> None:
    with Reader.open(chat) as reader:
        assert run("memory", "--full", at=chat).stdout.decode() == render(reader.view(), reader.line) + "\n"


def test_memory_shows_the_state_and_the_last_lines(chat: Path) -> None:
    told = json.loads(run("memory", "--json", at=chat).stdout)
    assert told["messages"] == COUNT
    assert [sum(line["n"] for line in told["lines"]), told["unbuilt"]] == [COUNT, 0]
    assert told["bytes"] == sum(size(line["text"]) for line in told["lines"])
    head, *last = lines_of(run("memory", "-n", "3", at=chat).stdout)
    assert head == f"mem {told['bytes'] / 1000:.1f}K/128K  {COUNT} messages  {len(told['lines'])} lines"
    assert [parse_line(line)[0] for line in last] == [node_at(x["id"], x["n"]) for x in told["lines"][-3:]]
    assert len(lines_of(run("memory", "-n", "0", at=chat).stdout)) == 1


def test_a_chat_without_summaries_says_so(tmp_path: Path) -> None:
    make_chat(tmp_path / "chat", [("user", "x" * 100), ("user", "y")], build=False)
    done = run("memory", at=tmp_path / "chat")
    assert lines_of(done.stdout)[0].endswith("2 lines  1 line not summarized yet")
    assert lines_of(done.stdout)[1] == "0+1|(not summarized yet: zoom it)"


def test_every_line_of_the_view_zooms_down_to_its_messages(chat: Path) -> None:
    """Law zoom_partitions, through the command line."""
    messages = some_messages(COUNT)
    todo = [parse_line(line)[0] for line in lines_of(run("memory", "-n", "99", at=chat).stdout)[1:]]
    seen = []
    while todo:
        node = todo.pop(0)
        done = run_here("zoom", node.first, node.n, "--dir", chat)
        assert done.exit_code == 0
        if node.n == 1:
            assert done.stdout_bytes == messages[node.first][1].encode()
            seen.append(node.first)
            continue
        halves = [parse_line(line)[0] for line in lines_of(done.stdout_bytes)]
        assert [(half.first, half.end) for half in halves] == [
            (node.first, node.first + node.n // 2),
            (node.first + node.n // 2, node.end),
        ]
        todo[:0] = halves
    assert seen == list(range(COUNT))


def test_a_message_comes_out_of_the_console_entry_to_the_byte(chat: Path) -> None:
    for index, (_, text) in enumerate(some_messages(7)):
        assert run("zoom", index, at=chat).stdout == text.encode()


def test_a_line_can_be_named_as_the_view_names_it(chat: Path) -> None:
    def zoomed(*words: str) -> str:
        return run_here("zoom", *words, "--dir", chat).stdout

    assert zoomed("8+4") == zoomed("8", "4")
    assert zoomed("7") == zoomed("7", "1")
    told = json.loads(zoomed("8+4", "--json"))
    assert [(line["id"], line["n"]) for line in told["lines"]] == [(8, 2), (10, 2)]
    message = json.loads(zoomed("6", "--json"))
    assert (message["kind"], message["text"]) == some_messages(7)[6]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["3", "2"], "3 is no multiple of 2: try 2"),
        (["0", "3"], "power of two"),
        (["0", "0"], "power of two"),
        (["0", "--", "-4"], "power of two"),
        (["--", "-1"], "0 or more"),
        (["-1"], "0 or more"),
        ([str(COUNT)], f"there is no line {COUNT}+1 in this chat: it has {COUNT} messages"),
        (["0", "1024"], "there is no line 0+1024"),
        (["999999999999999999"], "there is no line"),
        (["9" * 30], "is no id"),
        (["0", "9" * 5000], "N"),
        (["one"], "is no id"),
        (["8+"], "is no id"),
        (["8+4", "4"], "leave the 4 out"),
        (["0", "x"], "N"),
        (["0", "1", "2"], "2"),
        ([], "ID"),
    ],
)
def test_what_names_no_line_is_one_line_and_status_2(chat: Path, words: list[str], said: str) -> None:
    done = run_here("zoom", "--dir", chat, *words)
    assert (done.exit_code, done.stdout) == (Status.USAGE, "")
    assert len(lines_of(done.stderr_bytes)) == 1
    assert said in done.stderr


def test_date_is_the_messages_own(chat: Path) -> None:
    assert run("date", "7", at=chat).stdout == b"2026-01-02T03:11:05.000+00:00\n"
    assert json.loads(run("date", "7", "--json", at=chat).stdout) == {"id": 7, "date": "2026-01-02T03:11:05.000+00:00"}
    done = run("date", COUNT, at=chat)
    assert (done.returncode, done.stdout) == (Status.USAGE, b"")
    assert f"its messages are 0 to {COUNT - 1}" in done.stderr.decode()


def test_search_shows_each_hit_newest_first_with_the_line_that_covers_it(chat: Path) -> None:
    done = run("search", "SHORT", "-n", "0", at=chat)
    shown = lines_of(done.stdout)
    hits, covers = shown[::2], shown[1::2]
    wanted = [i for i, (_, text) in reversed(list(enumerate(some_messages(COUNT)))) if "short" in text]
    assert [int(hit.split("+")[0]) for hit in hits] == wanted
    for index, cover in zip(wanted, covers, strict=True):
        node, _ = parse_line(cover.removeprefix("    in "))
        assert node.first <= index < node.end


def test_search_is_limited_and_says_how_many_more(chat: Path) -> None:
    done = run("search", "message", "-n", "2", at=chat)
    assert len(lines_of(done.stdout)) == 4
    assert f"{COUNT - 2} older messages more" in done.stderr.decode()


def test_search_that_finds_nothing_has_its_own_status(chat: Path) -> None:
    done = run("search", "[a-z]+", at=chat)
    assert (done.returncode, done.stdout) == (Status.NOTHING, b"")
    assert len(lines_of(done.stderr)) == 1
    assert run("search", "", at=chat).returncode == Status.USAGE


words = st.text(st.sampled_from("aAbBsSßẞİiıKK é\n"), max_size=12)


@given(words, words.filter(bool))
def test_find_is_a_naive_scan_without_case(text: str, wanted: str) -> None:
    place = find(text, wanted.casefold())
    naive = [
        (start, end)
        for start in range(len(text))
        for end in range(start + 1, len(text) + 1)
        if wanted.casefold() in text[start:end].casefold()
    ]
    assert (place is None) == (wanted.casefold() not in text.casefold())
    if place is not None:
        assert place in naive
        assert place[1] == min(end for _, end in naive)


@given(st.lists(words.map("x{}".format), min_size=1, max_size=20), words.filter(bool))
@FEWER
def test_search_is_a_naive_scan_of_the_log(texts: list[str], wanted: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "chat"
        make_chat(folder, [("user", text) for text in texts])
        done = run_here("search", "-n", "0", "--json", "--dir", folder, "--", wanted)
        found = [json.loads(line) for line in lines_of(done.stdout_bytes)]
        naive = [index for index, text in enumerate(texts) if wanted.casefold() in text.casefold()]
        assert [each["id"] for each in found] == naive[::-1]
        assert [each["text"] for each in found] == [texts[index] for index in naive[::-1]]
        assert done.exit_code == (Status.OK if naive else Status.NOTHING)


@given(st.text(), st.data(), st.integers(0, 40))
def test_around_keeps_the_place_and_one_line(text: str, data: st.DataObject, room: int) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    before, place, after = around(text, start, end, room)
    assert len((before + place + after).splitlines()) <= 1
    assert place.split() == text[start:end].split()
    assert len(before) + len(after) <= room + 2


@given(st.text())
def test_visible_text_does_nothing_to_a_terminal(text: str) -> None:
    shown = visible(text)
    assert all(char in "\n\t" or ord(char) >= 32 for char in shown)
    assert "\x7f" not in shown
    assert visible(shown) == shown
    assert shown == text or any(ord(char) < 32 or not char.isprintable() for char in text)


@given(st.text(st.characters(exclude_categories=["Cs", "Cc", "Mn", "Me"])), st.integers(1, 30))
def test_a_fitted_line_fits_and_says_when_it_is_cut(line: str, columns: int) -> None:
    from rich.cells import cell_len

    shown = fitted(line, columns)
    assert shown == line or (shown.endswith("…") and line.startswith(shown[:-1]))
    assert len(shown) <= columns
    if line.isascii():
        assert cell_len(shown) <= columns


def test_the_nodes_of_a_view_are_named_in_one_way() -> None:
    assert parse_line("40+8|a|b") == (Node(3, 5), "a|b")
