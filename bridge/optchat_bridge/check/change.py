"""The change gate: a proposed change of this repository, held to everything in a clean worktree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from optchat.cli.common import print_json
from optchat.cli.status import Failure, Status
from optchat_bridge.check.command import HISTORIES
from optchat_bridge.check.guarded import WATCHED, Touched, compiled, hiding, touched
from optchat_bridge.check.peer import printable
from optchat_bridge.check.place import hold_to_own
from optchat_bridge.check.report import Case, console, worded
from optchat_bridge.check.steps import LIMIT, STEPS, Result, Step, held_to
from optchat_bridge.check.worktree import (
    Applied,
    CannotApply,
    applied,
    change_of,
    checkout_of,
    clean,
    uncommitted,
)
from optchat_bridge.check.written import Writing

TOLD = 12
"""How many of a failing step's last lines the reviewer is shown."""


class Gate(NamedTuple):
    """The whole verdict on a change. `uncommitted`: so many files of the checkout differ from HEAD; none is judged."""

    name: str
    files: list[str]
    guarded: list[Touched]
    watched: list[str]
    allowed: bool
    uncommitted: int
    results: list[Result]

    @property
    def refused(self) -> bool:
        return any(each.is_compiled for each in self.guarded) or (bool(self.guarded) and not self.allowed)

    @property
    def good(self) -> bool:
        """Whether the change broke nothing. What was broken before it is told, and is none of its faults."""
        return not self.refused and all(result.good for result in self.results)


def check_change(
    given: str,
    allow_law_change: bool,
    json: bool,
    junit: Path | None,
    *,
    fail_fast: bool = False,
    steps: Sequence[Step] = STEPS,
    folder: Path = Path(),
    seconds: float = LIMIT,
    out: Path | None = None,
) -> int:
    """Hold a change to everything; 0: it holds, 1: it is refused or breaks something. Raises Failure (2).

    The histories that break laws are written to `out`.
    """
    writing = Writing()
    try:
        root = checkout_of(folder)
        change = change_of(root, given)
        with ExitStack() as stack:
            tree = stack.enter_context(applied(root, change))
            before = cache(lambda: stack.enter_context(clean(root, change.onto)))
            verdict = the_guard(change.name, tree, allow_law_change, uncommitted(root))
            if steps and not verdict.refused:
                hold_to_own(tree.folder)
            say = (lambda _: None) if json else live
            verdict.results.extend(judge(verdict, tree.folder, before, steps, fail_fast, say, seconds))
            if out is not None:
                writing.copy(tree.folder / HISTORIES, out)
    except CannotApply as why:
        raise Failure(str(why), Status.USAGE) from None
    if json:
        print_json(as_json(verdict))
    else:
        print_gate(console(), verdict)
    writing.junit(junit, "optchat check --change", cases(verdict))
    return writing.status(Status.OK if verdict.good else Status.WRONG)


def the_guard(name: str, tree: Applied, allowed: bool, uncommitted: int) -> Gate:
    """What the change does to that which it is judged by; no step is judged yet."""
    files = sorted(map(printable, {*tree.before, *tree.after}))
    added = sorted({*tree.after} - {*tree.before})
    guarded = compiled(sorted(tree.after)) + touched(tree.before, tree.after) + hiding(tree.folder, added)
    watched = [path for path in files if WATCHED.fullmatch(path)]
    return Gate(name, files, guarded, watched, allowed, uncommitted, [])


def judge(
    verdict: Gate,
    folder: Path,
    before: Callable[[], Path],
    steps: Sequence[Step],
    fail_fast: bool,
    say: Callable[[str], None],
    seconds: float,
) -> list[Result]:
    """Each step; a refused change is not run at all. `before` gives the worktree without the change, when it is asked.

    `say` is told each step as it begins, and its verdict as it ends.
    """
    results: list[Result] = []
    for step in steps:
        if verdict.refused:
            results.append(Result(step, "not judged", 0.0, "the change is refused"))
        elif fail_fast and any(not each.good for each in results):
            results.append(Result(step, "not judged", 0.0, "a step before it failed"))
        elif not step.touched_by(verdict.files):
            results.append(Result(step, "not touched", 0.0, "it reads none of the changed files"))
        else:
            say(f"... {step.name}: {step.says}")
            result = held_to(step, folder, before, seconds)
            say(f"    {result.word} in {result.seconds:.0f} s: {result.last[:100]}")
            results.append(result)
    return results


def live(line: str) -> None:
    Console(stderr=True).print(line, style="dim", markup=False, highlight=False, soft_wrap=True)


def headline(verdict: Gate) -> list[str]:
    """What a reviewer must read first."""
    lines = []
    if verdict.guarded:
        word = "CHANGES" if not verdict.refused else "REFUSED: it changes"
        lines.append(f"{word} WHAT IT IS JUDGED BY ({len(verdict.guarded)}):")
        lines += [f"  {each}" for each in verdict.guarded]
        if any(each.is_compiled for each in verdict.guarded):
            lines.append("  Leave out what is compiled or packed: no flag allows it.")
        if not verdict.allowed:
            lines.append("  Make this a commit of its own, and run with --allow-law-change.")
    if verdict.watched:
        lines.append(f"also touches the harness: {', '.join(verdict.watched)}")
    if verdict.uncommitted:
        lines.append(f"not judged: {verdict.uncommitted} files of this checkout that differ from HEAD")
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
        if result.faults or result.before:
            out.print(f"\n{result.step.name}: {' '.join(result.step.command[1:])}", style="bold", highlight=False)
            for title, faults in (("broken by this change", result.faults), ("broken before it", result.before)):
                for fault in faults[:TOLD]:
                    out.print(f"  {title}: {fault}", markup=False, highlight=False)
                if len(faults) > TOLD:
                    out.print(f"  ... and {len(faults) - TOLD} more", highlight=False)
        if result.word == "broken":
            for line in result.output.splitlines()[-TOLD:]:
                out.print(f"  | {line}", markup=False, highlight=False)
    out.print(f"{verdict.name}, {len(verdict.files)} files: {ending(verdict)}", markup=False, highlight=False)


def ending(verdict: Gate) -> str:
    """The verdict in one line."""
    if verdict.refused:
        return "refused"
    own = [result.step.name for result in verdict.results if result.word == "broken"]
    old = [result.step.name for result in verdict.results if result.before]
    said = f"it breaks {', '.join(own)}" if own else "it holds"
    return said + (f"; broken before it: {', '.join(old)}" if old else "")


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
        "uncommitted": verdict.uncommitted,
        "steps": [
            {
                "name": result.step.name,
                "says": result.step.says,
                "command": ["python", *result.step.command[1:]],
                "verdict": result.word,
                "seconds": round(result.seconds, 1),
                "faults": list(result.faults),
                "faults_before": list(result.before),
                "output": result.output.splitlines()[-TOLD:] if result.word == "broken" else [],
            }
            for result in verdict.results
        ],
    }
