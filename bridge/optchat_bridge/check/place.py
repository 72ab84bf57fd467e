"""Where a step runs: its environment, in which a worktree's own packages are found, and compiled by nobody else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from optchat_bridge.check.guarded import HOMES
from optchat_bridge.check.worktree import CannotApply, without_git

LARGE = ("hypothesis.stateful", "pytest", "crosshair.core_and_libs", "rich.table", "typer", "msgspec")
"""What nearly every process of a step imports. Compiling it takes 0.6 s, and a step starts hundreds of processes."""

WARM = """import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)"""
FOUND = """import importlib.util, sys
for name in sys.argv[1:]:
    print(getattr(importlib.util.find_spec(name), "origin", ""))"""


def environment(folder: Path) -> dict[str, str]:
    """The environment of a step in a worktree, which alone is on the path. Raises CannotApply.

    Compiled modules are read from a new folder beside the worktree and not from the worktree, and none is written:
    a module that is written twice in a second could not be told from its compiled first version.
    """
    if os.pathsep in str(folder):
        raise CannotApply(
            f"{folder.parent} holds a {os.pathsep!r}, at which a path is split: set TMPDIR to another one"
        )
    parts = [str(folder), *(str(folder / part) for part in ("impl", "spec", "bridge"))]
    compiled = folder.parent / f"{folder.name}-compiled"
    if not compiled.exists():
        compiled.mkdir()
        # Isolated, so that nothing is imported from the worktree.
        command = [sys.executable, "-I", "-X", f"pycache_prefix={compiled}", "-c", WARM, *LARGE]
        # What is not installed is not warm; the step that needs it says so.
        subprocess.run(command, check=False, cwd=compiled, stdin=subprocess.DEVNULL, capture_output=True)
    # What a step that is ended leaves behind goes with the worktree.
    scratch = folder.parent / f"{folder.name}-scratch"
    scratch.mkdir(exist_ok=True)
    own = {name: value for name, value in without_git(os.environ).items() if not name.startswith(("PYTHON", "PYTEST_"))}
    return {
        **own,
        "PYTHONPATH": os.pathsep.join(parts),
        "PYTHONPYCACHEPREFIX": str(compiled),
        "TMPDIR": str(scratch),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def hold_to_own(folder: Path) -> None:
    """See that the steps would import this project's packages from the worktree. Raises CannotApply."""
    command = [sys.executable, "-c", FOUND, *HOMES]
    done = subprocess.run(command, check=False, cwd=folder, env=environment(folder), capture_output=True, text=True)
    origins = dict(zip(HOMES, done.stdout.split("\n"), strict=False))
    for name, home in HOMES.items():
        origin = origins.get(name, "")
        expected = folder / home / name / "__init__.py"
        if not origin or Path(origin).resolve() != expected.resolve():
            raise CannotApply(
                f"{name} would be imported from {origin or 'nowhere'}, and not from the change's worktree"
            )
