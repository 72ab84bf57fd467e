"""Compiles and runs small Bend programs for the tests."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from optchat_bridge.bend.compile_build import FLAGS, build_binary

QUICK = ("-std=c99", "-O0")
"""For programs of which only the result matters."""


class Ran(NamedTuple):
    """What a program did."""

    out: str
    err: str
    status: int


def build(text: str, folder: Path, *, natives: bool = True, flags: Sequence[str] = QUICK) -> Path:
    path = folder / "program.bend"
    path.write_text(text, encoding="utf-8", newline="")
    return build_binary(path, natives=natives, flags=flags)


def run(binary: Path, *arguments: str, environment: dict[str, str] | None = None) -> Ran:
    """Runs a binary to its end."""
    return ran([str(binary), *arguments], environment or {})


def run_within(megabytes: int, binary: Path, *arguments: str) -> Ran:
    """As run, with no more address space than that, code and libraries included (where the shell can set it)."""
    limited = f'ulimit -v {megabytes * 1024} 2>/dev/null; exec "$0" "$@"'
    return ran(["sh", "-c", limited, str(binary), *arguments], {})


def ran(command: Sequence[str], environment: dict[str, str]) -> Ran:
    everything = {**os.environ, **environment}
    # Far more than any of them takes: a program that goes on for ever is to fail its test.
    done = subprocess.run(command, capture_output=True, env=everything, check=False, timeout=120)
    return Ran(done.stdout.decode(), done.stderr.decode(), done.returncode)


def fast(text: str, folder: Path) -> Path:
    """As build, with the flags that users get."""
    return build(text, folder, flags=FLAGS)
