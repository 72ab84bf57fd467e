"""docs/laws.md, made from the registry of the laws: `python -m stateful_tests.laws.page` writes it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from optchat_spec.laws import LAWS
from optchat_spec.registry import Law
from stateful_tests.breaks.registry import BREAKS, MODEL
from stateful_tests.laws.lists import (
    ROOT,
    bend_claims,
    breaks_of,
    claims_of,
    contracts_of,
    facts_of,
    machines_of,
    predicate_of,
)

PAGE = ROOT / "docs" / "laws.md"
AREAS = {
    "view": "The view",
    "order": "The merge order",
    "queue": "Summaries and their queue",
    "line": "A line from model replies",
}
HEAD = """\
# The laws

<!-- Made by `python -m stateful_tests.laws.page`; a test holds this file equal to its making. -->

Each law is stated once as an executable predicate in `spec/optchat_spec`, on plain data and without the
implementation; it is claimed in `LAWS.bend` about the model in `bend/`, and held over the implementation by a state
machine of `stateful_tests/machines` and over single functions of it by the contracts (`make contracts`); `make
breaks` shows that each deliberate break is caught by a law named for it. "Universal": meant for every input.
"Bounded": computed for the inputs named. Whether a claim is proven is what `make laws` says, not this page. A history
is any list of events (message, started, built, failed, retry, wait, reopen), in any order, sensible or not.

To hold an implementation to them: `optchat check` (docs/conformance.md). What it must show for a law beside `t` and
`view` is named at each one; a law that needs more than is shown is not judged. A machine that finds a law broken names
it and leaves the smallest history that breaks it in `.hypothesis/scenarios`, for `optchat check --scenario`.
"""

FILES = """
## Breaks of the files

Where no law speaks, a break of the files is named for a rule of `docs/memory.md`, and caught by a test that secures it.

"""

OF_MODEL = """
## Breaks of the model

Each is caught by a proof that fails, or by a scene that the compiled model and our planner play differently.

"""


def render() -> str:
    """The page's text."""
    claims = bend_claims((ROOT / "LAWS.bend").read_text(encoding="utf-8"))
    parts = [HEAD]
    for area, title in AREAS.items():
        parts.append(f"\n## {title}\n")
        parts.extend(section(law, claims) for law in LAWS.values() if law.area == area)
    parts.append(FILES)
    parts.extend(f"- break: `{each.name}` ({each.named}): {each.says}\n" for each in BREAKS.values() if each.rule)
    parts.append(OF_MODEL)
    parts.extend(f"- break: `{each.name}`: {each.says}\n" for each in MODEL.values())
    return "".join(parts)


def section(law: Law, claims: Sequence[str]) -> str:
    """One law: its sentence, its strength, and where it is."""
    found = claims_of(law.name, claims)
    needs = f"; an implementation shows {names(sorted(law.needs))}" if law.needs else ""
    added = "" if law.source == "design" else " Added to the design's list."
    return (
        f"\n### {law.name}\n\n{law.sentence} *{law.strength[0].upper()}{law.strength[1:]}.*{added}\n\n"
        f"- claim: {names(found) if found else 'none in Bend yet'}\n"
        f"- predicate: `{predicate_of(law.name)}`{needs}\n"
        f"- machine: {names(machines_of(law.name))}\n"
        f"{contracts(law.name)}{breaks(law.name)}"
    )


def contracts(name: str) -> str:
    """The contracts and the facts of a law, a line each."""
    parts = [
        f"- contract: `{contract.name}` on `{contract.function}`: {contract.bounds}; "
        f"{'every path' if contract.confirmed else 'as far as the time allows'}\n"
        for contract in contracts_of(name)
    ]
    facts = facts_of(name)
    return "".join(parts) + (f"- arithmetic, by z3: {names(facts)}\n" if facts else "")


def breaks(name: str) -> str:
    """The breaks that a law catches."""
    found = breaks_of(name)
    return f"- breaks it catches: {names(found)}\n" if found else "- breaks it catches: none of its own\n"


def names(items: Iterable[str]) -> str:
    return ", ".join(f"`{item}`" for item in items)


def main() -> int:
    PAGE.write_text(render(), encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)}: {len(LAWS)} laws")
    return 0


if __name__ == "__main__":
    sys.exit(main())
