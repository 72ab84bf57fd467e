"""The house rules hold in this checkout, and each of them refuses what it is there to refuse."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from stateful_tests.house import (
    LONGEST,
    ROOT,
    RULES,
    File,
    files,
    import_direction,
    module_length,
    no_empty_tests,
    no_machine,
    tidied,
    tidy,
)


@pytest.mark.parametrize("rule", RULES)
def test_the_house_rule_holds_here(rule: object) -> None:
    assert callable(rule)
    assert list(rule(files())) == []


def test_it_runs_as_make_check_runs_it() -> None:
    command = [sys.executable, "-m", "stateful_tests.house"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    faults = [fault for rule in RULES for fault in rule(files())]
    assert done.returncode == bool(faults)
    assert done.stderr.splitlines()[: len(faults)] == faults
    assert ("the house rules hold" in done.stdout) == (not faults)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("impl/optchat/core/view.py", "import optchat.store.log\n"),
        ("impl/optchat/core/view.py", "from optchat import store\n"),
        ("impl/optchat/core/view.py", "from ..store import log\n"),
        ("impl/optchat/core/view.py", "def f() -> None:\n    from optchat.cli.app import app\n"),
        ("impl/optchat/store/log.py", "import optchat.agent\n"),
        ("impl/optchat/agent/turn.py", "from optchat.cli import status\n"),
        ("impl/optchat/cli/memory.py", "from optchat_bridge.oracle import Oracle\n"),
        ("impl/optchat/protocol.py", "from optchat.store import log\n"),
        ("impl/optchat/unheard/of.py", "import os\n"),
        ("spec/optchat_spec/facts.py", "from optchat.core.node import Node\n"),
        ("spec/optchat_spec/__init__.py", "from .. import optchat_bridge\nimport optchat_bridge.run\n"),
    ],
)
def test_an_import_against_the_order_is_found(path: str, text: str) -> None:
    assert len(list(import_direction([File(path, text)]))) == 1


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("impl/optchat/store/log.py", "from optchat.core.node import Node\nimport msgspec\n"),
        ("impl/optchat/cli/app.py", "from optchat import __version__\nfrom optchat.store import log\n"),
        ("impl/optchat/core/view.py", "from optchat.core import text\nfrom .node import Node\nfrom . import node\n"),
        ("impl/optchat/core/__init__.py", "from . import node\nfrom .view import View\n"),
        ("bridge/optchat_bridge/run.py", "import optchat_spec.facts\nfrom optchat.core.node import Node\n"),
    ],
)
def test_an_import_in_the_order_is_not(path: str, text: str) -> None:
    assert list(import_direction([File(path, text)])) == []


def test_a_long_module_is_found() -> None:
    lines = "pass\n" * LONGEST
    assert list(module_length([File("impl/optchat/a.py", lines)])) == []
    assert len(list(module_length([File("impl/optchat/a.py", lines + "pass\n")]))) == 1
    assert list(module_length([File("data/long.jsonl", lines * 2)])) == []


@pytest.mark.parametrize(
    "line", ["see /" + "work/main/x", "(/" + "root/.cache)", "at /" + "home/ada/chat", "https://py" + "pi.org/simple"]
)
def test_a_machine_is_found(line: str) -> None:
    assert len(list(no_machine([File("README.md", f"fine\n{line}\n")]))) == 1


@pytest.mark.parametrize(
    "line", ["make it work/play", "~/.optchat", "framework/x", "rm -rf build/", "https://example.org"]
)
def test_an_innocent_line_is_not(line: str) -> None:
    assert list(no_machine([File("README.md", line)])) == []


@pytest.mark.parametrize(
    "line", ["@pytest.mark." + "skip", "pytest." + "skip('no')", "assert " + "True", "x = f()  # type: " + "ignore"]
)
def test_an_empty_test_is_found(line: str) -> None:
    assert len(list(no_empty_tests([File("stateful_tests/test_x.py", line)]))) == 1


@pytest.mark.parametrize("line", ["assert 1 <= x", "assert truth", "x = f()  # type: ignore[" + "misc]"])
def test_a_test_that_can_fail_is_not(line: str) -> None:
    assert list(no_empty_tests([File("stateful_tests/test_x.py", line)])) == []


def message_hook(message: str, folder: Path) -> list[str]:
    (folder / "MESSAGE").write_text(message, encoding="utf-8")
    hook = ROOT / "tools" / "hooks" / "commit-msg"
    done = subprocess.run([str(hook), str(folder / "MESSAGE")], capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == (done.stderr == "")
    return done.stderr.splitlines()


@pytest.mark.parametrize(
    "message",
    [
        "Add the search command\n",
        "Embed the tree into one page\n\nA page that needs no server can be sent to anyone.\n",
        "Need no lock for reading\n# Please enter the commit message for your changes.\n",
        'Revert "add the search command"\n\nThis reverts commit 0.\n',
        "fixup! Add the search command\n",
        "Ünïcode may start a line\n",
        f"{'A' * 72}\n",
        "Add a thing\n# ------------------------ >8 ------------------------\ndiff --git a b\nline\n",
    ],
)
def test_a_good_commit_message_passes(message: str, tmp_path: Path) -> None:
    assert message_hook(message, tmp_path) == []


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("", "line 1: the message is empty"),
        ("# only a comment\n", "line 1: the message is empty"),
        (f"{'A' * 73}\n", "line 1: 73 characters"),
        ("add the search command\n", "start with a capital letter"),
        ("Added the search command\n", "is no order"),
        ("Adding the search command\n", "is no order"),
        ("Adds the search command\n", "is no order"),
        ("Add the search command.\n", "no full stop"),
        ("Add the search command\nand more\n", "line 2: must be empty"),
    ],
)
def test_a_bad_commit_message_is_refused(message: str, said: str, tmp_path: Path) -> None:
    found = message_hook(message, tmp_path)
    assert len(found) == 1
    assert said in found[0]


def test_git_runs_the_hook(tmp_path: Path) -> None:
    def git(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", f"core.hooksPath={hooks}", *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    hooks = ROOT / "tools" / "hooks"
    assert git("init", "-q").returncode == 0
    assert git("commit", "-q", "--allow-empty", "-m", "added things").returncode != 0
    assert git("commit", "-q", "--allow-empty", "-m", "Add things").returncode == 0


@pytest.mark.parametrize("text", ["a", "a \n", "a\t\nb\n", "a\r\n", "a\n\n", "\n"])
def test_an_untidy_text_is_found_and_made_tidy(text: str) -> None:
    assert len(list(tidy([File("docs/a.md", text)]))) == 1
    assert list(tidy([File("docs/a.md", tidied(text))])) == []
    assert tidied(text).split() == text.split()


@pytest.mark.parametrize("text", ["", "a\n", "a\n\n  b\n", "caf\ufffd \n"])
def test_a_tidy_text_is_left(text: str) -> None:
    assert list(tidy([File("docs/a.md", text)])) == []
