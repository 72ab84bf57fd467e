"""`make breaks`, second part: every mutant of the proofs on the checker: `python -m stateful_tests.breaks.mutants`.

Prints what became of them by kind, and each one that was accepted and is not known; exits with 1 when there is one, or
when the checker crashed. With names of files (`bend/proof/views.bend`), the mutants of these alone.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from time import process_time
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from optchat_bridge.bend.limits import deep
from optchat_bridge.check.report import console
from stateful_tests.breaks.known_mutants import KNOWN
from stateful_tests.breaks.mutant_trial import Choice, Trial, Trials
from stateful_tests.breaks.tree import ROOT

AT_ONCE = min(2, os.cpu_count() or 1)
QUIET = ("rejected", "rejected by", "stopped", "unreadable", "the same", "unused")
"""Verdicts that nobody needs to look at: not accepted, or accepted for a reason that was checked."""
COLUMNS = ("rejected", "rejected by", "stopped", "unreadable", "the same", "unused", "known", "NEW")


class Look(NamedTuple):
    """A mutant that was accepted, or on which the checker crashed."""

    file: str
    key: str
    verdict: str
    says: str

    @property
    def known(self) -> bool:
        return self.verdict != "crashed" and (self.file, self.key) in KNOWN


class Tally(NamedTuple):
    """Mutants by their kind and verdict, those to be looked at, and processor seconds."""

    counts: Counter[tuple[str, str]]
    looks: list[Look]
    seconds: float

    @property
    def new(self) -> list[Look]:
        return [look for look in self.looks if not look.known]


def tally(trials: Iterable[Trial]) -> Tally:
    begin = process_time()
    counts: Counter[tuple[str, str]] = Counter()
    looks = []
    for trial in trials:
        verdict = trial.verdict
        if verdict not in QUIET:
            look = Look(trial.file, trial.mutant.key, verdict, trial.says)
            looks.append(look)
            verdict = "known" if look.known else "NEW"
        counts[trial.mutant.kind, verdict] += 1
    return Tally(counts, looks, process_time() - begin)


def try_files(files: list[str], choose: Choice = list) -> Tally:
    """The mutants of these files, in this process."""
    return deep(lambda: tally(Trials(ROOT / "PROOF.bend").try_files(files, choose)))


def try_everything(files: list[str]) -> Tally:
    """The mutants of these files, two files at a time."""
    with ProcessPoolExecutor(AT_ONCE, mp_context=get_context("spawn")) as pool:
        parts = list(pool.map(try_files, [[file] for file in files]))
    counts: Counter[tuple[str, str]] = Counter()
    for part in parts:
        counts.update(part.counts)
    return Tally(counts, [look for part in parts for look in part.looks], sum(part.seconds for part in parts))


def say(out: Console, found: Tally) -> None:
    table = Table("mutants of the proofs", "made", *COLUMNS, box=None, pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    for kind in sorted({kind for kind, _ in found.counts}):
        row = [found.counts[kind, verdict] for verdict in COLUMNS]
        table.add_row(kind, str(sum(row)), *(str(number or "") for number in row), style="red" if row[-1] else "")
    out.print(table)
    for look in found.new:
        out.print(f"{look.verdict}: {look.file}: {look.key} {look.says}", style="red", markup=False, highlight=False)
    made = sum(found.counts.values())
    told = f"{made:,} mutants, {len(found.looks) - len(found.new)} accepted ones known, {len(found.new)} new"
    out.print(f"{told}; {found.seconds:.0f} s of processor time", highlight=False)
    if found.new:
        out.print("Look at each: a fault of the checker, or another proof: then say why in known_mutants.py")


def main(arguments: list[str]) -> int:
    files = deep(lambda: Trials(ROOT / "PROOF.bend").proof_files())
    unknown = [name for name in arguments if name not in files]
    if unknown:
        print(f"there is no proof file {unknown[0]}", file=sys.stderr)
        return 2
    found = try_everything(arguments or files)
    say(console(), found)
    return 1 if found.new else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
