"""`make breaks`: each deliberate break, and the law that catches it, as a table; 1 when one goes unnoticed.

With `--json` the same for programs; with names, these alone.
"""

from __future__ import annotations

import json
import sys

from rich.console import Console
from rich.table import Table

from optchat_bridge.check.report import console
from stateful_tests.breaks.registry import BREAKS, MODEL
from stateful_tests.breaks.run import Outcome, second_look, try_all
from stateful_tests.laws.named import breaks_gone


def rows(outcomes: list[Outcome]) -> list[dict[str, object]]:
    return [
        {
            "break": outcome.broken.name,
            "says": outcome.broken.says,
            "expected": list(outcome.broken.laws or outcome.broken.tests),
            "named_for": outcome.broken.named,
            "caught_by": outcome.law,
            "hunter": outcome.hunter,
            "seconds": round(outcome.seconds, 1),
            "good": outcome.good,
            "told": outcome.says,
        }
        for outcome in outcomes
    ]


def table_of(outcomes: list[Outcome]) -> Table:
    table = Table("break", "what it does wrong", "caught by", "seen by", "s", box=None, pad_edge=False)
    for outcome in outcomes:
        expected = ", ".join(outcome.broken.laws or outcome.broken.tests)
        caught = f"{outcome.broken.named}: {outcome.law}" if outcome.broken.rule else outcome.law
        caught = caught if outcome.law else f"NOBODY ({expected} should): {outcome.says}"
        style = "" if outcome.good else "red"
        table.add_row(
            outcome.broken.name, outcome.broken.says, caught, seen_by(outcome), f"{outcome.seconds:.1f}", style=style
        )
    return table


def seen_by(outcome: Outcome) -> str:
    """Who saw the break; of one of the model: the lemma whose proof fails, or the scene and its event that differ."""
    if outcome.broken.kind != "model" or outcome.law is None:
        return outcome.hunter
    return ": ".join(outcome.says.partition(" differs in ")[0].split(": ")[:2])


def main(arguments: list[str]) -> int:
    chosen = [name for name in arguments if not name.startswith("-")]
    names = chosen or [*BREAKS, *MODEL]
    unknown = [name for name in names if name not in BREAKS and name not in MODEL]
    if unknown:
        print(f"there is no break named {unknown[0]}", file=sys.stderr)
        return 2
    outcomes = try_all(BREAKS.get(name) or MODEL[name] for name in names)
    outcomes += try_all(second_look(outcomes))
    unnoticed = [outcome for outcome in outcomes if not outcome.good]
    gone = [] if chosen else breaks_gone({*BREAKS, *MODEL})
    if "--json" in arguments:
        print(json.dumps({"breaks": rows(outcomes), "unnoticed": len(unnoticed), "gone": gone}, indent=1))
    else:
        say(console(), outcomes, len(unnoticed))
        for name in gone:
            print(f"no such break any more, and docs/laws.md names it: {name}")
    return 1 if unnoticed or gone else 0


def say(out: Console, outcomes: list[Outcome], unnoticed: int) -> None:
    out.print(table_of(outcomes))
    slowest = max((outcome.seconds for outcome in outcomes), default=0.0)
    out.print(f"{len(outcomes) - unnoticed} of {len(outcomes)} breaks caught by what they are named for; ", end="")
    out.print(f"the slowest took {slowest:.1f} s of processor time", highlight=False)
    for outcome in outcomes:
        if not outcome.good:
            out.print(f"unnoticed: {outcome.broken.name}", style="red", highlight=False)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
