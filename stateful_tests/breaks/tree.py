"""A broken copy of the implementation, beside the checkout and never in it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from stateful_tests.breaks.catalogue import Break, Edit

ROOT = Path(__file__).resolve().parents[2]
IMPLEMENTATION = ROOT / "impl" / "optchat"


class Rotten(ValueError):
    """A break whose text does not stand exactly once in its file any more."""


def edited(text: str, edit: Edit) -> str:
    """A file's text with the edit made. Raises Rotten."""
    count = text.count(edit.old)
    if count != 1:
        raise Rotten(f"{edit.file} holds {edit.old!r} {count} times, not once")
    return text.replace(edit.old, edit.new)


def broken_copy(broken: Break, folder: Path) -> Path:
    """Copy the implementation to `folder` and break it there; what to put on the path. Raises Rotten."""
    shutil.copytree(IMPLEMENTATION, folder / "optchat", ignore=shutil.ignore_patterns("__pycache__", "data"))
    for edit in broken.edits:
        path = folder / "optchat" / edit.file
        path.write_text(edited(path.read_text(encoding="utf-8"), edit), encoding="utf-8")
    return folder


def environment(copy: Path) -> dict[str, str]:
    """The environment of a process that is to see the copy instead of the implementation."""
    parts = [str(copy), str(ROOT), str(ROOT / "spec"), str(ROOT / "bridge")]
    ours = {"PYTHONPATH": os.pathsep.join(parts), "PYTHONDONTWRITEBYTECODE": "1", "OPTCHAT_BROKEN_COPY": str(copy)}
    return {**os.environ, **ours}
