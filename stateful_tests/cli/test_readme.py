"""The README's examples run as they stand, in an empty home, and print what it says they print."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from optchat.cli.app import COMMANDS, Entry
from stateful_tests.cli.chats import OPTCHAT
from stateful_tests.house import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def examples() -> list[tuple[str, str]]:
    """Each command of a console block with what the README shows of its output, '' where it shows nothing."""
    found: list[tuple[str, str]] = []
    for block in re.findall(r"^```console\n(.*?)^```$", README, re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            lines = part.splitlines(keepends=True)
            more = [line[2:] for line in lines[1:] if line.startswith("> ")]
            found.append(("".join([lines[0], *more]), "".join(line for line in lines[1:] if not line.startswith("> "))))
    return found


def test_every_example_runs_and_prints_what_it_says(tmp_path: Path) -> None:
    around = {"PATH": f"{OPTCHAT.parent}:{os.environ['PATH']}", "HOME": str(tmp_path), "TZ": "Europe/Berlin"}
    for command, shown in examples():
        done = subprocess.run(
            ["sh", "-c", command], cwd=tmp_path, env=around, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (command, done.stderr)
        # A message comes without a newline more; the page has to end its line.
        assert shown in ("", done.stdout, f"{done.stdout}\n"), command


@pytest.mark.parametrize("entry", COMMANDS, ids=lambda entry: entry.name)
def test_every_command_has_an_example(entry: Entry) -> None:
    """One that is run above; or, of what takes minutes, one in a block of shell."""
    shell = re.findall(r"^```sh\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    commands = [command for command, _ in examples()] + shell
    assert any(re.search(rf"\boptchat {entry.name}\b", command) for command in commands)


def test_it_names_what_exists() -> None:
    targets = re.findall(r"^([a-z]+)(?: [a-z ]+)?:(?!=)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    for target in re.findall(r"\bmake ([a-z]+)", README):
        assert target in targets
    for path in re.findall(r"`([\w./]+/[\w./]*|[A-Z]+\.md)`", README):
        if not path.startswith(("chat/", ".venv", "~")):
            assert (ROOT / path).exists(), path
