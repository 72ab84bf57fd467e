"""kill -9 at every operation on files, in a real process: nothing acknowledged is lost, nothing is there twice."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from optchat.core.node import Node
from optchat.store import Chat, Item, doctor
from stateful_tests.store.harness import SMALL, folder


def test_a_kill_at_every_operation_loses_nothing_acknowledged() -> None:
    with folder() as base:
        command = [sys.executable, "-m", "stateful_tests.store.crash_child", str(base), "1"]
        subprocess.run(command, check=True, timeout=300)
        runs = sorted(base.iterdir())
        assert len(runs) > 200
        ends = [check(run) for run in runs]
        assert Counter(ends)[True] == 2, "only the last run, which was never killed, comes to its end"


def check(run: Path) -> bool:
    """Open what a killed process left; whether the process had come to its end."""
    said: list[Any] = [json.loads(line) for line in (run / "acknowledged").read_bytes().splitlines()]
    messages = [each for each in said if "ids" in each]
    nodes = {Node(*each["node"]): each["text"] for each in said if "node" in each}
    with Chat.open(run, SMALL) as chat:
        before = len(chat.contents.messages)
        for each in messages:
            joined = "".join(chat.contents.message(index)[1] for index in each["ids"])
            assert joined == each["text"], f"{run.name}: a message that was acknowledged reads otherwise"
        for node, text in nodes.items():
            assert chat.contents.node(node) == text, f"{run.name}: a node that was acknowledged reads otherwise"
        again = chat.append_many(Item("user", each["text"], None, each["key"]) for each in messages)
        assert [answer.ids for answer in again] == [each["ids"] for each in messages]
        assert not any(answer.new for answer in again)
        assert len(chat.contents.messages) == before
    report = doctor(run, SMALL)
    assert report.clean, report.problems
    return said[-1:] == ["end"]
