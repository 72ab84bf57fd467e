"""The mutants of the proofs that are accepted and were looked at: known_mutants.txt, which says why of each."""

from __future__ import annotations

from pathlib import Path

LIST = Path(__file__).with_name("known_mutants.txt")


def read_known(text: str) -> dict[tuple[str, str], str]:
    """The reasons, by a mutant's file and key. Raises ValueError for a line without a reason, or twice the same."""
    known: dict[tuple[str, str], str] = {}
    reason = ""
    for line in text.split("\n")[2:]:
        if line.startswith("## "):
            reason = line.removeprefix("## ")
        elif line:
            file, bar, key = line.partition(" | ")
            if not bar or not reason or (file, key) in known:
                raise ValueError(f"{LIST.name}: a mutant that is known twice, or without a reason: {line[:80]}")
            known[file, key] = reason
    return known


KNOWN = read_known(LIST.read_text(encoding="utf-8"))
