"""The demo that `make demo` runs, and the chat that it ships."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

import pytest
from rich.console import Console

from optchat import demo
from optchat.imports import gather
from optchat.imports.ingest import ingest
from optchat.store import Chat, Reader
from stateful_tests.agent.recall import COMPACTORS, measure


def test_the_demo_shows_and_checks_a_chat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "mkdtemp", lambda prefix: str(tmp_path / prefix))
    (tmp_path / "optchat-demo-").mkdir()
    demo.main()
    shown = capsys.readouterr().out
    for words in (
        "The view: ",
        "An old line, zoomed",
        "That's the rule that saves the mirror",
        "Checked: 264 messages",
    ):
        assert words in shown


def test_the_demo_sees_a_chat_that_was_changed(tmp_path: Path) -> None:
    made = demo.build(tmp_path, Console(quiet=True))
    with Reader.open(tmp_path) as reader:
        assert "Checked" in demo.check(tmp_path, reader, made)
        changed = [made.records[0]._replace(text="x"), *made.records[1:]]
        with pytest.raises(demo.DemoFailed, match="does not read back"):
            demo.check(tmp_path, reader, made._replace(records=changed))
        with pytest.raises(demo.DemoFailed, match="the view that was reopened"):
            demo.check(tmp_path, reader, made._replace(view=made.view[1:]))


def test_the_chat_is_a_few_hundred_messages_of_every_kind_over_weeks() -> None:
    assert demo.CHAT.stat().st_size <= 400_000
    with gather([demo.CHAT]) as found:
        records = list(found.records())
        assert (found.damaged, found.again, found.left_out.total()) == (0, 0, 0)
    assert set(Counter(each.kind for each in records)) == {"user", "unii", "tool", "echo", "work", "note"}
    assert [each.line for each in records] == list(range(1, len(records) + 1))
    assert (records[-1].date - records[0].date).days > 40


def test_offline_summaries_lead_to_messages_far_more_often_than_first_bytes(tmp_path: Path) -> None:
    """At the demo's sizes. The words are of any kind: most stand in outputs, which keep the least."""
    rates = {}
    for name, compactor in COMPACTORS.items():
        with Chat.open(tmp_path / name, demo.CONFIG) as chat, gather([demo.CHAT]) as found:
            ingest(chat, found, compactor(chat), notes=False)
        with Reader.open(tmp_path / name) as reader:
            found_count = measure(reader, 200)
            assert found_count.searched == 200
            rates[name] = found_count.found / 200
    # Measured: 57% and 33%.
    assert rates["extract"] >= 0.5
    assert rates["extract"] >= 1.5 * rates["first bytes"]
