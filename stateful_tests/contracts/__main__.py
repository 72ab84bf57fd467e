"""`make contracts`: CrossHair over every contract and z3 over every fact, as a table; 1 when something is broken.

With `--json` the same for programs; with names, these alone.
"""

from __future__ import annotations

import json
import sys

from rich.table import Table

from optchat_bridge.check.report import console
from stateful_tests.contracts.run import GOOD, all_names, laws_without_contract, row, run_all
from stateful_tests.laws.named import contracts_gone


def main(arguments: list[str]) -> int:
    chosen = [name for name in arguments if not name.startswith("-")]
    names = chosen or all_names()
    verdicts = run_all(names)
    missing = laws_without_contract()
    gone = [] if chosen else contracts_gone(names)
    bad = [verdict for verdict in verdicts if verdict.word not in GOOD]
    if "--json" in arguments:
        rows = [row(verdict) for verdict in verdicts]
        print(json.dumps({"rows": rows, "without_contract": missing, "gone": gone}, indent=1))
        return 1 if bad or missing or gone else 0
    out = console()
    table = Table("law", "function", "inputs", "verdict", "s", box=None, pad_edge=False)
    for verdict in verdicts:
        table.add_row(*row(verdict).values(), style="red" if verdict in bad else "")
    out.print(table)
    counts = {word: sum(1 for verdict in verdicts if verdict.word == word) for word in (*GOOD, "open", "broken")}
    out.print(", ".join(f"{count} {word}" for word, count in counts.items() if count))
    for verdict in bad:
        out.print(f"{verdict.word}: {verdict.name}: {verdict.says}", style="red", markup=False, highlight=False)
    for law in missing:
        out.print(f"[red]no contract for the law {law}")
    for name in gone:
        out.print(f"[red]no such contract any more, and docs/laws.md names it: {name}")
    return 1 if bad or missing or gone else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
