"""The change gate: a proposed change of this repository, held to everything in a clean worktree."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from optchat.cli.common import print_json
from optchat.cli.status import Failure, Status
from optchat_bridge.check.guarded import WATCHED, Touched, hiding, touched
from optchat_bridge.check.peer import printable
from optchat_bridge.check.report import Case, console, worded, write_junit
from optchat_bridge.check.stopping import output_of
from optchat_bridge.check.worktree import Applied, CannotApply, applied, change_of, checkout_of, without_git

PYTHON = sys.executable
TOLD = 12
"""How many of a failing step's last lines the reviewer is shown."""


class Step(NamedTuple):
    """One thing that a change is held to: a command, run in the worktree."""

    name: str
    says: str
    command: tuple[str, ...]


STEPS = (
    Step("house rules", "imports, sizes, paths", (PYTHON, "-m", "stateful_tests.house")),
    Step("laws on our planner", "seeded histories, every predicate", (PYTHON, "-m", "optchat_bridge.check")),
    Step(
        "list of laws", "each law has its claim, predicate, contract", (PYTHON, "-m", "pytest", "stateful_tests/laws")
    ),
    Step("proofs", "LAWS.bend against PROOF.bend", (PYTHON, "-m", "optchat_bridge.laws")),
    Step("machines", "Hypothesis, planner and store", (PYTHON, "-m", "pytest", "stateful_tests/machines")),
    Step("slow planner", "the rules in the plainest way", (PYTHON, "-m", "pytest", "stateful_tests/core")),
    Step("differential", "the compiled Bend model, byte for byte", (PYTHON, "-m", "optchat_bridge.differential")),
    Step("breaks", "no break goes unnoticed", (PYTHON, "-m", "stateful_tests.breaks")),
    Step("contracts", "CrossHair and z3", (PYTHON, "-m", "stateful_tests.contracts")),
)
"""In this order: what fails quickly comes first."""


class Result(NamedTuple):
    """How a step ended: "held", "broken", or "not judged" when the change was refused before it."""

    step: Step
    word: str
    seconds: float
    output: str

    @property
    def last(self) -> str:
        lines = [line.strip() for line in self.output.splitlines() if line.strip()]
        return lines[-1] if lines else ""


class Gate(NamedTuple):
    """The whole verdict on a change."""

    name: str
    files: list[str]
    guarded: list[Touched]
    watched: list[str]
    allowed: bool
    results: list[Result]

    @property
    def refused(self) -> bool:
        return bool(self.guarded) and not self.allowed

    @property
    def good(self) -> bool:
        return not self.refused and all(result.word == "held" for result in self.results)


def check_change(
    given: str,
    allow_law_change: bool,
    json: bool,
    junit: Path | None,
    *,
    steps: Sequence[Step] = STEPS,
    folder: Path = Path(),
) -> int:
    """Hold a change to everything; 0: it holds, 1: it is refused or breaks something. Raises Failure (2)."""
    try:
        root = checkout_of(folder)
        change = change_of(root, given)
        with applied(root, change) as tree:
            verdict = judge(change.name, tree, allow_law_change, steps, None if json else Console(stderr=True))
    except CannotApply as why:
        raise Failure(str(why), Status.USAGE) from None
    if json:
        print_json(as_json(verdict))
    else:
        print_gate(console(), verdict)
    if junit is not None:
        write_junit(junit, "optchat check --change", cases(verdict))
    return Status.OK if verdict.good else Status.WRONG


def judge(name: str, tree: Applied, allowed: bool, steps: Sequence[Step], say: Console | None) -> Gate:
    """The guard, then each step; a refused change is not run at all."""
    files = sorted(map(printable, {*tree.before, *tree.after}))
    guarded = touched(tree.before, tree.after) + hiding(tree.folder, sorted({*tree.after} - {*tree.before}))
    watched = [path for path in files if WATCHED.fullmatch(path)]
    verdict = Gate(name, files, guarded, watched, allowed, [])
    for step in steps:
        if verdict.refused:
            verdict.results.append(Result(step, "not judged", 0.0, "the change is refused"))
            continue
        if say is not None:
            say.print(f"... {step.name}: {step.says}", style="dim", highlight=False)
        verdict.results.append(run(step, tree.folder))
    return verdict


def run(step: Step, folder: Path) -> Result:
    """A step in the worktree, which alone is on the path."""
    parts = [str(folder), *(str(folder / part) for part in ("impl", "spec", "bridge"))]
    env = {**without_git(os.environ), "PYTHONPATH": os.pathsep.join(parts), "PYTHONDONTWRITEBYTECODE": "1"}
    began = perf_counter()
    status, output = output_of(step.command, folder, env)
    word = "held" if status == 0 else "broken"
    return Result(step, word, perf_counter() - began, output.decode(errors="replace"))


def headline(verdict: Gate) -> list[str]:
    """What a reviewer must read first."""
    lines = []
    if verdict.guarded:
        word = "CHANGES" if verdict.allowed else "REFUSED: it changes"
        lines.append(f"{word} WHAT IT IS JUDGED BY ({len(verdict.guarded)}):")
        lines += [f"  {each}" for each in verdict.guarded]
        if not verdict.allowed:
            lines.append("  Make this a commit of its own, and run with --allow-law-change.")
    if verdict.watched:
        lines.append(f"also touches the harness: {', '.join(verdict.watched)}")
    return lines


def print_gate(out: Console, verdict: Gate) -> None:
    """The headline, the table, and the last lines of what failed."""
    for line in headline(verdict):
        out.print(line, style="bold red" if verdict.guarded else "yellow", markup=False, highlight=False)
    table = Table("held to", "verdict", "s", "", box=None, pad_edge=False)
    for result in verdict.results:
        table.add_row(result.step.name, worded(result.word), f"{result.seconds:.0f}", Text(result.last[:100]))
    out.print(table)
    for result in verdict.results:
        if result.word == "broken":
            out.print(f"\n{result.step.name}: {' '.join(result.step.command[1:])}", style="bold", highlight=False)
            for line in result.output.splitlines()[-TOLD:]:
                out.print(f"  {line}", markup=False, highlight=False)
    end = "it holds" if verdict.good else "refused" if verdict.refused else "it breaks what is marked above"
    out.print(f"{verdict.name}, {len(verdict.files)} files: {end}", markup=False, highlight=False)


def cases(verdict: Gate) -> list[Case]:
    """The verdict as rows: the guard first."""
    word = "broken" if verdict.refused else "held"
    guard = Case("laws untouched", word, "; ".join(map(str, verdict.guarded)), "optchat.change")
    rows = [Case(each.step.name, each.word, each.last, "optchat.change") for each in verdict.results]
    return [guard, *rows]


def as_json(verdict: Gate) -> dict[str, Any]:
    """The verdict for programs."""
    return {
        "change": verdict.name,
        "good": verdict.good,
        "refused": verdict.refused,
        "law_change_allowed": verdict.allowed,
        "law_changes": [each._asdict() for each in verdict.guarded],
        "harness_changes": verdict.watched,
        "files": verdict.files,
        "steps": [
            {
                "name": result.step.name,
                "says": result.step.says,
                "command": ["python", *result.step.command[1:]],
                "verdict": result.word,
                "seconds": round(result.seconds, 1),
                "output": result.output.splitlines()[-TOLD:] if result.word == "broken" else [],
            }
            for result in verdict.results
        ],
    }
