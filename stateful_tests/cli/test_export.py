"""Exports: nothing is lost, no text of a chat can break out of the form, a file is there whole or not at all."""

from __future__ import annotations

import html.parser
import json
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optchat.cli.status import Status
from optchat.core.node import Node
from optchat.store import Reader
from stateful_tests.cli.chats import FEWER, lines_of, make_chat, run, run_here, some_messages

COUNT = 45
hard = st.lists(
    st.sampled_from(["<", ">", "&", "</script>", "<!--", "-->", "]]>", "\u2028", "\r", "\n", "#", "'", '"', "é"])
)
messages = st.lists(st.tuples(st.sampled_from(["user", "tool"]), hard.map("".join)), min_size=1, max_size=12)


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("export") / "chat"
    make_chat(folder, some_messages(COUNT))
    return folder


class Page(html.parser.HTMLParser):
    """What a browser takes an exported page for."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.lines: list[tuple[Node, str]] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.elements: list[str] = []
        self.in_line = False
        self.feed(text)
        self.close()
        (self.chat,) = [json.loads(body) for attributes, body in self.scripts if attributes.get("id") == "chat"]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        given = dict(attrs)
        if tag == "li":
            self.in_line = True
            self.lines.append((Node(int(given["data-l"] or ""), int(given["data-i"] or "")), ""))
        if tag == "script":
            self.scripts.append((given, ""))

    def handle_endtag(self, tag: str) -> None:
        self.in_line = self.in_line and tag != "li"

    def handle_data(self, data: str) -> None:
        if self.elements[-1:] == ["script"]:
            attributes, body = self.scripts[-1]
            self.scripts[-1] = (attributes, body + data)
        elif self.in_line:
            node, text = self.lines[-1]
            self.lines[-1] = (node, text + data)

    def text(self, node: Node) -> str | None:
        """A node's text, as the page's script puts it together."""
        known = self.chat["nodes"].get(f"{node.level},{node.i}", ...)
        if known is not ...:
            assert known is None or isinstance(known, str)
            return known
        if node.level == 0:
            kind, _, words = self.chat["messages"][node.i]
            return f"{kind}: {words}"
        left, right = (self.text(half) for half in node.children)
        return None if left is None or right is None else f"{left}\n{right}"


def check_page(page: Page, reader: Reader) -> None:
    """The page holds the whole chat: every message, the view, and the text of every node under it."""
    assert page.chat["messages"] == [[each.kind, each.date, each.text] for each in reader.messages()]
    assert [node for node, _ in page.lines] == reader.view()
    todo = reader.view()
    while todo:
        node = todo.pop()
        assert page.text(node) == reader.node_text(node), node.name
        todo += node.children if node.level else ()


def test_the_page_holds_the_whole_chat_and_nothing_from_elsewhere(chat: Path) -> None:
    text = run("export", "--format", "html", at=chat).stdout.decode()
    with Reader.open(chat) as reader:
        page = Page(text)
        check_page(page, reader)
        for node, shown in page.lines:
            assert shown == node.name + reader.line(node)
    assert "default-src 'none'" in text
    assert not re.search(r"\b(?:src|href)=", text)
    assert not re.search(r"@[A-Z]+@", text)


@given(messages, st.booleans())
@FEWER
def test_no_text_breaks_out_of_the_page(sent: list[tuple[str, str]], built: bool) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "chat"
        make_chat(folder, sent, build=built)
        page = Page(run_here("export", "-f", "html", "--dir", folder).stdout)
        with Reader.open(folder) as reader:
            check_page(page, reader)
        assert page.elements.count("script") == 2
        assert page.elements.count("li") == len(page.lines)


def test_json_lines_are_the_messages(chat: Path) -> None:
    lines = [json.loads(line) for line in lines_of(run("export", at=chat).stdout)]
    assert [(line["kind"], line["text"]) for line in lines] == some_messages(COUNT)
    assert [set(line) for line in lines] == [{"kind", "text", "date"}] * COUNT


@given(messages)
@FEWER
def test_markdown_keeps_each_text_in_its_quotation(sent: list[tuple[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "chat"
        make_chat(folder, sent)
        text = run_here("export", "-f", "markdown", "--dir", folder).stdout_bytes.decode()
    parts = re.split(r"(?:\A|\n)## (\d+) (\w+) \S+\n\n> ", text)
    assert parts[0].startswith(f"# A chat of {len(sent)} message")
    found = [(kind, body.removesuffix("\n")) for kind, body in zip(parts[2::3], parts[3::3], strict=True)]
    assert [(kind, re.sub(r"(\r\n|\n|\r)> ", r"\1", body)) for kind, body in found] == sent


def test_a_file_is_replaced_only_when_asked(chat: Path, tmp_path: Path) -> None:
    out = tmp_path / "chat.jsonl"
    assert run("export", "--out", out, at=chat).returncode == 0
    assert out.read_bytes() == run("export", at=chat).stdout
    out.write_text("mine")
    done = run("export", "--out", out, at=chat)
    assert (done.returncode, out.read_text()) == (Status.USAGE, "mine")
    assert run("export", "--out", out, "--force", at=chat).returncode == 0
    assert len(lines_of(out.read_bytes())) == COUNT
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


def test_a_place_that_cannot_be_written_is_said(chat: Path, tmp_path: Path) -> None:
    for out in (tmp_path / "missing" / "x", tmp_path):
        done = run("export", "--out", out, "--force", at=chat)
        assert done.returncode in (Status.USAGE, Status.SYSTEM)
        assert len(lines_of(done.stderr)) == 1
        assert str(out) in done.stderr.decode()
    assert list(tmp_path.iterdir()) == []


kinds = st.sampled_from(["user", "unii", "tool", "echo", "work", "note"])


@given(
    st.lists(
        st.tuples(kinds, st.text(max_size=200).map(lambda text: "." + text.replace("\0", ""))), min_size=1, max_size=12
    )
)
@FEWER
def test_json_lines_imported_again_are_the_same_chat(sent: list[tuple[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        first, lines, second = Path(name) / "first", Path(name) / "chat.jsonl", Path(name) / "second"
        make_chat(first, sent)
        assert run_here("export", "--out", lines, "--dir", first).exit_code == 0
        done = run_here("import", lines, "--kinds", "own", "--dir", second)
        assert done.exit_code == 0, done.stderr
        assert run_here("export", "--out", lines, "--force", "--dir", second).exit_code == 0
        assert run_here("import", lines, "--kinds", "own", "--dir", second).stdout.startswith("0 messages imported")
        with Reader.open(first) as one, Reader.open(second) as two:
            wanted = [(each.kind, each.text, each.when) for each in one.messages()]
            assert [(each.kind, each.text, each.when) for each in two.messages()] == wanted
