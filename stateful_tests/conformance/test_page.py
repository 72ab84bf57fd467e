"""docs/conformance.md is true: its example is held, it names what there is, and its numbers are the code's."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from optchat_bridge.check.command import check_laws
from optchat_bridge.check.judge import DEFAULT_EVENTS
from optchat_bridge.check.peer import LONGEST_ANSWER
from optchat_bridge.check.remote import FIELDS
from optchat_spec import scenario
from optchat_spec.vocabulary import Config
from stateful_tests.house import ROOT

PAGE = (ROOT / "docs" / "conformance.md").read_text(encoding="utf-8")
EXAMPLE = ROOT / "docs" / "example_adapter.py"
SHOWN = {"bytes", "shrinking", "merged", "queue"}


def run(command: str, folder: Path, capfd: pytest.CaptureFixture[str]) -> tuple[int, dict[str, str]]:
    status = check_laws(command, None, 6_000, 1, 60, True, None, folder)
    return status, {row["law"]: row["verdict"] for row in json.loads(capfd.readouterr().out)["laws"]}


def test_the_example_is_held_to_what_it_shows(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, verdicts = run(shlex.join([sys.executable, str(EXAMPLE)]), tmp_path, capfd)
    assert status == 0
    assert {law for law, verdict in verdicts.items() if verdict == "held"} >= {
        *("view_covers", "fit_most_due", "fit_reaches_budget", "batch_only_past_ceiling", "view_bytes"),
        *("shrinking_is_over_floor", "queue_exact", "merges_not_starved", "need_first", "node_built_once"),
    }
    assert verdicts["cview_follows"] == verdicts["context_is_prefix"] == verdicts["rendered_lines"] == "not judged"


def test_the_example_broken_is_caught(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    assert text.count("((i + 2) * 2**level - 1)") == 1
    broken = tmp_path / "broken.py"
    broken.write_text(text.replace("((i + 2) * 2**level - 1)", "i * 2**level"), encoding="utf-8")
    status, verdicts = run(shlex.join([sys.executable, str(broken)]), tmp_path, capfd)
    assert status == 1
    assert verdicts["fit_most_due"] == "broken"


def test_the_page_names_every_field_request_and_number() -> None:
    for field in ("t", "view", *FIELDS):
        assert f"| `{field}` |" in PAGE
    for op in (*scenario.OPS - {"zoom"}, "hello", "open", "bye"):
        assert f'`{{"op":"{op}"' in PAGE
    for key in scenario.CONFIG_KEYS:
        assert f"`{key}`" in PAGE
    assert f"{DEFAULT_EVENTS:,} at first" in PAGE
    assert f"longer than {LONGEST_ANSWER >> 20} MB" in PAGE
    assert f"The look-ahead is {Config().lookahead} and a node fails {Config().failures} times" in PAGE
