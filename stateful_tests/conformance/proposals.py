"""Proposed changes for the gate's tests: patches to a repository of this checkout's files, and the gate's verdict."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from optchat_bridge.check.change import check_change
from optchat_bridge.check.steps import PYTHON, Step
from stateful_tests import house

QUICK = (Step("laws on our planner", "few", (PYTHON, "-m", "optchat_bridge.check", "--events", "1500")),)
VIEW = "impl/optchat/core/view.py"
PREDICATES = "spec/optchat_spec/view_laws.py"
GOLDEN = "stateful_tests/bend/golden/cases/expected.tsv"


def git(folder: Path, *arguments: str) -> str:
    named = ["-c", "user.name=someone", "-c", "user.email=someone@example.org"]
    return subprocess.run(
        ["git", *named, *arguments], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


def copy_files(folder: Path, wanted: Callable[[str], bool]) -> None:
    """The files of this checkout that git knows, as they are now."""
    for path, _ in house.files():
        if wanted(path):
            copy = folder / path
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes((house.ROOT / path).read_bytes())


def proposed(repository: Path, folder: Path, change: Callable[[], object]) -> Path:
    """A patch file of what `change` does to the repository's files, which are as before afterwards."""
    change()
    git(repository, "add", "--all", ".")
    patch = folder / "change.patch"
    git(repository, "diff", "--cached", "--binary", f"--output={patch}", "HEAD")
    git(repository, "reset", "--quiet", "--hard")
    return patch


def patch_of(repository: Path, folder: Path, path: str, old: str, new: str) -> Path:
    """A patch file that changes one text of a file."""
    file = repository / path
    before = file.read_text(encoding="utf-8")
    assert before.count(old) == 1, old
    return proposed(repository, folder, lambda: file.write_text(before.replace(old, new), encoding="utf-8"))


def adding(path: str, line: str, folder: Path, mode: str = "100644") -> Path:
    """A patch that adds a file of one line."""
    patch = folder / "adding.patch"
    head = f"diff --git a/{path} b/{path}\nnew file mode {mode}\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n"
    patch.write_text(f"{head}+{line}" + ("" if line.endswith("\n") else "\n\\ No newline at end of file\n"))
    return patch


def gate(repository: Path, given: str, capfd: pytest.CaptureFixture[str], **options: Any) -> tuple[int, dict[str, Any]]:
    """The gate's status and verdict; it leaves the repository as it was."""
    before = git(repository, "status", "--porcelain")
    asked = {"allow_law_change": False, "junit": None, "steps": QUICK, "folder": repository, **options}
    status = check_change(given, json=True, **asked)
    assert git(repository, "status", "--porcelain") == before
    assert len(git(repository, "worktree", "list").splitlines()) == 1
    return status, json.loads(capfd.readouterr().out)
