"""Apply each break to a copy and hunt for it: two at a time, each in processes of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from stateful_tests.breaks.catalogue import Break
from stateful_tests.breaks.hunt_model import broken_model
from stateful_tests.breaks.tree import Rotten, broken_copy, environment

AT_ONCE = min(2, os.cpu_count() or 1)
CLOCK = 600
"""Seconds by the clock after which a hunter is given up; a break is to be caught in SECONDS of the processor."""

SECONDS = 30


class Outcome(NamedTuple):
    """`law` is the named law (or test) that caught the break, `hunter` who saw it, in processor `seconds`."""

    broken: Break
    law: str | None
    hunter: str
    seconds: float
    says: str

    @property
    def good(self) -> bool:
        return self.law is not None and self.seconds <= SECONDS


MODULES = {"impl": "stateful_tests.breaks.hunt", "model": "stateful_tests.breaks.hunt_model"}
"""Where the hunters of each kind of break are."""


def hunt(module: str, hunter: str, laws: Iterable[str], copy: Path, scratch: Path) -> tuple[str | None, float, str]:
    """One hunter's catch: the law, the seconds, and its words."""
    env = {**environment(copy), "OPTCHAT_SCENARIOS": str(scratch / "scenarios")}
    command = [sys.executable, "-m", module, hunter, *laws]
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=CLOCK, env=env, cwd=scratch)
    except subprocess.TimeoutExpired:
        return None, CLOCK, f"{hunter}: it did not end in {CLOCK} s"
    if done.returncode:
        return None, 0.0, f"{hunter}: {(done.stderr.strip() or 'no word').splitlines()[-1]}"
    said = json.loads(done.stdout)
    return said["law"], said["seconds"], said["says"]


def try_break(broken: Break) -> Outcome:
    """Break a copy, and let the break's hunters look until one sees a law broken that the break names."""
    with TemporaryDirectory(prefix="optchat-break-") as folder:
        scratch = Path(folder)
        try:
            copy = (broken_model if broken.kind == "model" else broken_copy)(broken, scratch / "copy")
        except Rotten as rotten:
            return Outcome(broken, None, "", 0.0, str(rotten))
        told, spent = [], 0.0
        for hunter in broken.hunters:
            law, seconds, says = hunt(MODULES[broken.kind], hunter, broken.laws or broken.tests, copy, scratch)
            spent += seconds
            if law is not None:
                return Outcome(broken, law, hunter, seconds, says)
            told.append(says)
        return Outcome(broken, None, ", ".join(broken.hunters), spent, "; ".join(told))


def try_all(breaks: Iterable[Break], say: Callable[[Outcome], None] = lambda _: None) -> list[Outcome]:
    """The outcomes, in order; `say` is told each one as it comes."""

    def one(broken: Break) -> Outcome:
        outcome = try_break(broken)
        say(outcome)
        return outcome

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(one, breaks))


def second_look(outcomes: Iterable[Outcome]) -> list[Break]:
    """For each law that a break names and that caught none: its breaks, to be hunted by it alone.

    A law that catches none of its breaks holds nothing there, however many others would have caught them.
    """
    outcomes = list(outcomes)
    seen = {(outcome.broken.kind, outcome.law) for outcome in outcomes}
    rest: dict[tuple[str, str], Break] = {}
    for outcome in outcomes:
        broken = outcome.broken
        hunters = broken.hunters if broken.kind == "model" else tuple(dict.fromkeys(broken.hunters + ALL_HUNTERS))
        for law in broken.laws:
            if (broken.kind, law) not in seen:
                rest.setdefault((broken.kind, law), broken._replace(laws=(law,), hunters=hunters))
    return list(rest.values())


ALL_HUNTERS = ("histories", "machine", "proof", "contract")
