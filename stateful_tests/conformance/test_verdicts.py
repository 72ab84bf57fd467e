"""The check holds our planner, catches what is broken in another one, and says what it could not judge."""

from __future__ import annotations

import json
import os
import resource
import shlex
import signal
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from optchat.cli.status import Failure, Status
from optchat_bridge.check.command import LARGEST_FILE, check_laws, read_history
from optchat_bridge.check.judge import DEFAULT_EVENTS, Judge, Own, plan
from optchat_bridge.check.written import NotWritten, write_whole
from optchat_spec.laws import LAWS
from optchat_spec.steps import Event
from optchat_spec.vocabulary import Config
from stateful_tests.breaks.registry import BREAKS
from stateful_tests.breaks.tree import broken_copy, environment

OURS = shlex.join([sys.executable, "-m", "optchat.protocol"])


def check(
    folder: Path, capfd: pytest.CaptureFixture[str], command: str | None, **options: Any
) -> tuple[int, dict[str, Any]]:
    """The status, and the JSON that was printed."""
    given = {"scenario_file": None, "events": 2_000, "seed": 0, "timeout": 60.0, "junit": None, **options}
    status = check_laws(command, json=True, out=folder, **given)
    return status, json.loads(capfd.readouterr().out)


def verdicts(said: dict[str, Any]) -> dict[str, str]:
    return {row["law"]: row["verdict"] for row in said["laws"]}


def test_our_planner_is_held_to_every_law(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, said = check(tmp_path, capfd, None, events=4_000)
    assert status == 0
    assert verdicts(said) == dict.fromkeys(LAWS, "held")
    assert said["events"] >= 3_900
    assert all(row["events"] > 0 for row in said["laws"])


def test_our_adapter_is_held_to_all_that_it_shows(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, said = check(tmp_path, capfd, OURS)
    assert status == 0
    judged = {row["law"] for row in said["laws"] if row["verdict"] == "held"}
    assert judged >= {name for name, law in LAWS.items() if law.step and not law.needs & OWN_ALONE}
    for row in said["laws"]:
        assert (row["verdict"] == "not judged") == bool(row["missing"]) or row["law"] == "push_is_short"


OWN_ALONE = {"texts", "running", "failures", "zoom", "fit", "talk"}

FAMILIES = {
    "due_from_first": "fit_most_due",
    "merging_at_each_message": "batch_only_past_ceiling",
    "compaction_view_not_following": "cview_follows",
    "merges_starved": "merges_not_starved",
    "merges_while_waiting": "need_first",
    "context_by_start": "context_ends_at_node",
    "newline_kept": "rendered_lines",
    "third_failure_not_built": "queue_exact",
    "free_at_511": "view_bytes",
}
"""A break for each family of laws that the protocol shows, and the law that catches it from outside."""


@pytest.mark.parametrize("name", FAMILIES)
def test_a_broken_implementation_is_caught(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    broken = broken_copy(BREAKS[name], tmp_path / "copy")
    command = f"PYTHONPATH={shlex.quote(environment(broken)['PYTHONPATH'])} {OURS}"
    status, said = check(tmp_path / "out", capfd, command, events=5_000)
    law = FAMILIES[name]
    assert status == 1
    assert verdicts(said)[law] == "broken"
    # The history that was kept breaks the same law again, at its last event, and is short.
    row = next(row for row in said["laws"] if row["law"] == law)
    kept = Path(row["scenario"])
    assert len(read_history(kept)[1]) <= 60
    status, again = check(tmp_path / "again", capfd, command, scenario_file=kept)
    assert status == 1
    assert verdicts(again)[law] == "broken"
    status, sound = check(tmp_path / "sound", capfd, OURS, scenario_file=kept)
    assert status == 0
    assert verdicts(sound)[law] != "broken"


def test_a_junit_file_has_a_case_for_each_law(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    check(tmp_path, capfd, OURS, events=100, junit=tmp_path / "deep" / "junit.xml")
    suite = ElementTree.parse(tmp_path / "deep" / "junit.xml").find("testsuite")
    assert suite is not None
    assert [case.get("name") for case in suite] == list(LAWS)
    assert suite.get("failures") == "0"
    assert int(suite.get("skipped", "0")) == len(suite.findall("testcase/skipped")) > 0


def test_the_same_seed_is_the_same_run() -> None:
    def histories(seed: int) -> list[Event]:
        judge = Judge(Own())
        judge.seeded(300, seed)
        return judge.last[1]

    assert histories(5) == histories(5)
    assert histories(5) != histories(6)


def test_the_plan_has_every_budget_and_every_kind_of_history() -> None:
    for own in (False, True):
        chats = plan(DEFAULT_EVENTS, 0, own)
        assert abs(sum(chat.events for chat in chats) - DEFAULT_EVENTS) < len(chats)
        assert len({(chat.config, chat.mix) for chat in chats}) == len(chats)
        assert Config() in {chat.config for chat in chats}
    assert not any(chat.config.lookahead != 8 for chat in plan(1_000, 0, False))


OPEN = '{"op":"open","config":{}}'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "there is no `open` request"),
        ("{", "line 1: this is no JSON object"),
        ('{"op":"open","config":{"node":3}}', "node must be 4 bytes or more"),
        ('{"op":"open","config":{"floor":2,"ceiling":1}}', "a floor must not be above its ceiling"),
        (OPEN + '\n{"op":"dance"}', "line 2: 'dance' is no request"),
        (OPEN + '\n{"op":"started","node":[1000000000000,0]}', "event 1 names a node that no chat can have"),
        (OPEN + '\n{"op":"built","node":[0,0]}', "line 2: `built` needs a text"),
    ],
)
def test_a_scenario_that_is_none_is_one_line(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    path.write_text(text)
    with pytest.raises(Failure) as caught:
        read_history(path)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.raises(Failure, match="there is no file"):
        read_history(tmp_path / "nothing")
    path.write_bytes(b"\xff")
    with pytest.raises(Failure, match="not UTF-8"):
        read_history(path)


def test_a_scenario_is_a_regular_file_of_some_size(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for path in (Path("/dev/zero"), tmp_path / "fifo", tmp_path):
        with pytest.raises(Failure, match="it is no regular file"):
            read_history(path)
    large = tmp_path / "large"
    with large.open("wb") as file:
        file.truncate(LARGEST_FILE + 1)
    with pytest.raises(Failure, match="it is longer than"):
        read_history(large)


@pytest.mark.parametrize("where", ["a file/x/y.xml", "a folder", "nul\0byte"])
@pytest.mark.parametrize("kind", ["held", "broken", "fault"])
def test_a_file_that_cannot_be_written_loses_no_verdict(
    kind: str, where: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a file").write_text("")
    (tmp_path / "a folder").mkdir()
    command, asked = {"held": OURS, "broken": None, "fault": "exit 3"}[kind], tmp_path / where
    if kind == "broken":
        copy = broken_copy(BREAKS["due_from_first"], tmp_path / "copy")
        around = f"PYTHONDONTWRITEBYTECODE=1 PYTHONPATH={shlex.quote(environment(copy)['PYTHONPATH'])}"
        command = f"{around} {OURS}"
    there = sorted(tmp_path.rglob("*"))
    status = check_laws(command, None, 2_000, 0, 60.0, False, asked, tmp_path / "a file" / "out")
    out, err = capfd.readouterr()
    assert status == {"held": Status.SYSTEM, "broken": 1, "fault": 2}[kind]
    assert ("events in" in out) == (kind != "fault")
    told = [line for line in err.splitlines() if "cannot be written: " in line]
    assert len(told) == (2 if kind == "broken" else 1)
    assert sorted(tmp_path.rglob("*")) == there


def test_a_full_disk_leaves_no_half_of_a_file(
    tmp_path: Path,
) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    (tmp_path / "junit.xml").write_text("the last one")
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        with pytest.raises(NotWritten, match="File too large"):
            write_whole(tmp_path / "junit.xml", b"x" * 1000, tmp_path / "junit.xml")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("junit.xml", "the last one")]
