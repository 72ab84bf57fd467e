"""docs/memory.md, made from the rule table: `python -m optchat_spec.memory_page` writes it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

from optchat_spec.rules import STATUSES, Rule, load

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "memory.md"
HEAD = """\
# The memory's rules

<!-- Made by `python -m optchat_spec.memory_page` from spec/optchat_spec/rules.toml; a test holds this file equal to its
making. -->

OptChat implements the design of one chat that never ends: an append-only log, a binary tree of one-line summaries over
it, and a view of 64 to 128 KB that merges in rare batches. These are its rules, in our own words: 1 to 71 as a Rust
implementation's page numbers them, g1 and on from the notes of one in Go. Each row names the code that does the rule
and the law (docs/laws.md) or the test that secures it; a test resolves every name.

**matched**: the code does the rule. **deliberate**: it does something else, for the reason given. **not yet**: what is
missing is said.
"""


def render(rules: Sequence[Rule]) -> str:
    """The page's text."""
    counts = ", ".join(f"{sum(rule.status == status for rule in rules)} {status}" for status in STATUSES)
    parts = [HEAD, f"\nOf {len(rules)} rules: {counts}.\n"]
    for section, rows in groupby(rules, key=lambda rule: rule.section):
        parts.append(f"\n## {section}\n\n| # | Rule | Code | Secured by | Status |\n|---|---|---|---|---|\n")
        parts.extend(row(rule) for rule in rows)
    return "".join(parts)


def row(rule: Rule) -> str:
    """One rule as a row of a table."""
    status = f"{rule.status}: {rule.reason}" if rule.reason else rule.status
    cells = (rule.number, rule.rule, code(rule.code), code(map(secured, rule.secured)), status)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def secured(name: str) -> str:
    """What secures a rule, as the page shows it: a law by its name, a test by its file and name."""
    kind, _, what = name.partition(":")
    return what if kind == "law" else what.removeprefix("stateful_tests/")


def code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def main() -> int:
    rules = load()
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(render(rules), encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)}: {len(rules)} rules")
    return 0


if __name__ == "__main__":
    sys.exit(main())
