"""Whatever the other side does, the check ends with one line that says what was wrong, and no traceback of ours."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from optchat_bridge.check.command import check_laws
from optchat_bridge.check.peer import Fault, Peer
from stateful_tests.conformance.liar import AFTER_BYE, AT, HELLO, NAMES, ONCE

SLOW = {"late", "hangs", "half a line", "stays after bye", "reads nothing"}
"""Those for which the time limit is what ends it."""

EXPECTED = {
    "late": r"a line was expected within 2 s, and nothing came",
    "hangs": r"a line was expected within 2 s, and nothing came",
    "half a line": r"a line was expected within 2 s, and (half a line|nothing) came",
    "reads nothing": r"line 1 of its output: a line was expected within 2 s",
    "out of order": rf"line {AT} of its output: expected (`t` to be \d+|a text `rendered`|`context`)",
    "wrong t": r"expected `t` to be \d+, as many messages as it took; got '\d+'",
    "t is true": r"expected `t`, a whole number",
    "no view": r"expected `view`, a list of nodes",
    "no queue": r"expected `queue`, a list of nodes",
    "no ok": r"expected a JSON object with `ok`",
    "ok twice": r"expected an object with each key once; got '{\"ok\":false",
    "t twice": r"expected an object with each key once",
    "bytes as text": r"expected `bytes`, a whole number",
    "shrinking as 0": r"expected `shrinking`, true or false",
    "a node of three": r"expected nodes \[l, i\]",
    "a node below": r"expected nodes \[l, i\]",
    "a node of floats": r"expected nodes \[l, i\]",
    "a level of a million": r"expected nodes \[l, i\]",
    "an index of 4,299 digits": r"expected nodes \[l, i\]",
    "a million lines": r"expected `view` to have no more nodes than \d+ messages make; got 1,000,000 nodes",
    "a refusal without a reason": r"expected a refusal with `error`",
    "extra line": r"one line an answer was expected, and .* came",
    "extra half line": r"one line an answer was expected, and '{' came",
    "another encoding": r"expected one JSON object",
    "garbage": r"expected one JSON object; got '.*hello\?'",
    "a traceback": r"expected one JSON object; got 'Traceback",
    "an empty line": r"expected one JSON object; got ''",
    "a list": r"expected a JSON object with `ok`",
    "nested": r"expected one JSON object; got '\[\[\[",
    "closes early": rf"line {AT} of its output: a line was expected, and it ended with status 0",
    "crashes": r"a line was expected, and it ended with status 3",
    "is killed": r"a line was expected, and it was ended by signal 9",
    "100 MB and no line end": r"longer than 16,777,216 bytes",
    "100 MB": r"longer than 16,777,216 bytes",
    "refuses hello": r"line 1 of its output: expected `ok`: true",
    "speaks protocol 2": r"expected `protocol`: 1",
    "speaks protocol true": r"expected `protocol`: 1",
    "has no name": r"expected `protocol`: 1 and a text `name`",
    "supports a text": r"expected `supports`, a list of texts",
    "supports what nobody knows": r"expected `supports` to name some of .*; got .*telepathy",
    "talks after bye": r"no more lines were expected after bye, and 'goodbye' came",
    "stays after bye": r"after bye its output was to end, and is still open",
    "fails after bye": r"to exit with status 0, and it ended with status 4",
    "refuses bye": r"expected `ok`: true",
}


def run(command: str, folder: Path, *, events: int = 30, timeout: float = 60, json: bool = False) -> int:
    return check_laws(command, None, events, 3, timeout, json, folder / "junit.xml", folder)


def liar(kind: str) -> str:
    return shlex.join([sys.executable, "-m", "stateful_tests.conformance.liar", kind])


@pytest.mark.parametrize("kind", [*ONCE, *HELLO, *AFTER_BYE, "reads nothing"])
def test_a_fault_is_one_line(kind: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(liar(kind), tmp_path, timeout=2 if kind in SLOW else 60) == 2
    out, err = capfd.readouterr()
    assert out == ""
    first = next(line for line in err.splitlines() if line.startswith("optchat: "))
    # A busy machine may let even the start take longer than the limit: then that is the fault.
    assert re.search(EXPECTED[kind], first) or (kind in SLOW and "within 2 s" in first), first
    assert "Traceback" not in err.replace("'Traceback (most recent call last):'", "")
    error = ElementTree.parse(tmp_path / "junit.xml").find(".//testcase/error")
    assert error is not None


@pytest.mark.parametrize("command", ["/nowhere/at-all", "exit 0", "cat /dev/null", "echo hello", "yes"])
def test_a_command_that_is_no_adapter(command: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(command, tmp_path) == 2
    first = next(line for line in capfd.readouterr().err.splitlines() if line.startswith("optchat: "))
    if command == "/nowhere/at-all":
        assert "the command could not be run (status 127): /nowhere/at-all" in first


@pytest.mark.parametrize("at", range(len(NAMES)))
def test_a_name_is_printed_as_one_harmless_line(at: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    name = list(NAMES.values())[at]
    assert run(liar(f"name {at}"), tmp_path) == 0
    assert f"\n{name}: " in capfd.readouterr().out
    assert run(liar(f"name {at}"), tmp_path, json=True) == 0
    assert json.loads(capfd.readouterr().out)["name"] == name


def test_an_answer_before_the_whole_question_is_a_fault() -> None:
    with Peer(liar("reads half"), 60) as peer, pytest.raises(Fault, match="answered before it had read"):
        peer.ask(b"x" * (1 << 22))


LEAVES = "left=$(setsid -f sh -c 'echo $$; exec >&-; exec sleep 600' <&-); " if sys.platform == "linux" else ""
"""A process that leaves the group, and whose parent ends: where there is a /proc it is known by its environment."""


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_what_it_started_ends_with_it(stop: signal.Signals, tmp_path: Path) -> None:
    mark = tmp_path / "started"
    command = f"sleep 600 & {LEAVES}echo $$ $! $left > {mark}.new; mv {mark}.new {mark}; wait"
    with subprocess.Popen(
        [sys.executable, "-m", "optchat_bridge.check", "--cmd", command, "--timeout", "600"], stderr=subprocess.DEVNULL
    ) as process:
        while not mark.exists():
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(stop)
        assert process.wait() != 0
    for pid in mark.read_text().split():
        while runs(int(pid)):
            time.sleep(0.05)


def runs(pid: int) -> bool:
    """Whether a process is more than a name that its parent has not taken note of."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(state.strip()) and not state.startswith("Z")


def test_a_time_limit_that_no_clock_has_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "optchat_bridge.check", "--cmd", "true", "--timeout", "inf"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_a_fault_for_programs(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(liar("crashes"), tmp_path, json=True) == 2
    said = json.loads(capfd.readouterr().out)
    assert "status 3" in said["fault"]
    assert Path(said["scenario"]).read_text().startswith('{"op":"open"')


def test_standard_error_is_passed_through(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(f"echo a word from the adapter >&2; {liar('crashes')}", tmp_path) == 2
    assert "a word from the adapter" in capfd.readouterr().err
