"""The 4 MB history of a real year with aider, when it lies beside the checkout: nothing of it is lost or changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from optchat.agent.settle import offline
from optchat.imports import gather
from optchat.imports.aider import IS_HEADER
from optchat.imports.ingest import ingest, note_of
from optchat.store import Chat
from stateful_tests.house import ROOT
from stateful_tests.imports.test_ingest import logged

HISTORY = ROOT.parent / "shared" / "data" / "aider-chat-history.md"
pytestmark = pytest.mark.skipif(not HISTORY.exists(), reason="the real history is not beside the checkout")


def test_every_line_of_the_history_is_in_a_message_in_its_order() -> None:
    """Told without the parser: a line is the file's, but for a mark before it and white space after it."""
    lines = HISTORY.read_text("utf-8").split("\n")
    told = [line.rstrip() for line in lines if not IS_HEADER.match(line.encode())]
    told = [line for line in told if line not in ("", "####", ">")]
    with gather([HISTORY]) as found:
        records = sorted(found.records(), key=lambda record: record.line)
        assert found.damaged == 0
        assert found.left_out == {}
    read = [line.rstrip() for record in records for line in record.text.split("\n") if line.strip()]
    assert len(read) == len(told)
    for mine, theirs in zip(read, told, strict=True):
        assert theirs in (mine, f"> {mine}", f"#### {mine}")
    for record in records:
        first, text = lines[record.line - 1], record.text.split("\n")[0]
        match record.kind:
            case "user":
                assert first == f"#### {text}  "
            case "echo":
                assert first.rstrip() == f"> {text}".rstrip()
            case _:
                assert first == text


def test_every_message_of_the_history_reads_back_equal_and_comes_once(tmp_path: Path) -> None:
    text = HISTORY.read_text("utf-8")
    with Chat.open(tmp_path / "chat") as chat:
        with gather([HISTORY]) as found:
            ingest(chat, found, offline(chat))
        planner = chat.planner
        assert 64_000 - 512 <= planner.chat.view.bytes <= 128_000 + 512
        assert planner.settled()
        # Cut within a session, under other names, the parts add nothing.
        middle = text.index("\n#### ", len(text) // 2)
        parts = [tmp_path / "z.md", tmp_path / "a.md"]
        for path, part in zip(parts, (text[:middle], text[middle:]), strict=True):
            path.write_text(part, "utf-8")
        for paths in ([HISTORY], parts, parts[1:]):
            with gather(paths) as found:
                assert ingest(chat, found, offline(chat)).messages == 0
    with gather([HISTORY]) as found:
        expected = [("note", note_of(record), record.date) for record in found.records()]
    assert list(logged(tmp_path / "chat")) == expected
