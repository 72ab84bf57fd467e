"""`make contracts`: CrossHair over every contract and z3 over every fact, as a table; 1 when something is broken.

With `--json` the same for programs; with names, these alone.
"""

from __future__ import annotations

import json
import sys

from rich.table import Table

from optchat_bridge.check.report import console
from stateful_tests.contracts.run import GOOD, all_names, laws_without_contract, row, run_all


def main(arguments: list[str]) -> int:
    names = [name for name in arguments if not name.startswith("-")] or all_names()
    verdicts = run_all(names)
    missing = laws_without_contract()
    bad = [verdict for verdict in verdicts if verdict.word not in GOOD]
    if "--json" in arguments:
        print(json.dumps({"rows": [row(verdict) for verdict in verdicts], "without_contract": missing}, indent=1))
        return 1 if bad or missing else 0
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
    return 1 if bad or missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
