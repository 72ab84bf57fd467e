"""One contract or fact: `python -m stateful_tests.contracts.worker NAME [SECONDS]` prints its verdict as JSON.

A process each, because CrossHair takes over the interpreter while it searches; and so a break can put its own copy of
`optchat` in front.
"""

from __future__ import annotations

import json
import sys
from time import process_time
from typing import Literal, NamedTuple

from stateful_tests.contracts.arithmetic import FACTS, FEW_LEVELS, LEVELS, Fact
from stateful_tests.contracts.contract import Contract
from stateful_tests.contracts.registry import CONTRACTS
from stateful_tests.contracts.symbolic import Undecided

Word = Literal["proven", "confirmed", "no counterexample", "broken", "open"]


class Verdict(NamedTuple):
    """`word` is "proven" (z3), "confirmed" (every path), "no counterexample" in that time, "broken", or "open".

    Seconds are of the processor, which is also how CrossHair counts them: a busy machine changes no verdict.
    """

    name: str
    word: Word
    seconds: float
    says: str = ""


def judge(contract: Contract, seconds: float) -> Verdict:
    """Let CrossHair search for at most `seconds`."""
    from crosshair.core_and_libs import MessageType, analyze_function, run_checkables
    from crosshair.options import AnalysisKind, AnalysisOptionSet

    began = process_time()
    options = AnalysisOptionSet(
        analysis_kind=[AnalysisKind.asserts],
        per_condition_timeout=seconds,
        per_path_timeout=seconds / 2,
        report_all=True,
    )
    messages = list(run_checkables(analyze_function(contract.check, options)))
    took = process_time() - began
    words: dict[MessageType, Word] = {
        MessageType.CONFIRMED: "confirmed",
        MessageType.CANNOT_CONFIRM: "no counterexample",
    }
    for message in messages:
        if message.state not in words:
            return Verdict(contract.name, "broken", took, " ".join(message.message.split()))
    if len(messages) != 1:
        return Verdict(contract.name, "open", took, "CrossHair found nothing to check")
    return Verdict(contract.name, words[messages[0].state], took)


def prove(fact: Fact, quick: bool) -> Verdict:
    """Let z3 prove a fact; the quick run takes fewer pairs of levels."""
    began = process_time()
    try:
        cases = fact.prove(FEW_LEVELS if quick and fact.pairs_levels else LEVELS)
    except AssertionError as error:
        return Verdict(fact.name, "broken", process_time() - began, " ".join(str(error).split()))
    except Undecided as error:
        return Verdict(fact.name, "open", process_time() - began, " ".join(str(error).split()))
    return Verdict(fact.name, "proven", process_time() - began, f"{cases} cases")


def main(name: str, seconds: float | None) -> None:
    facts = {fact.name: fact for fact in FACTS}
    if name in facts:
        verdict = prove(facts[name], quick=seconds is not None)
    else:
        contract = CONTRACTS[name]
        verdict = judge(contract, contract.seconds if seconds is None else seconds)
    print(json.dumps(verdict._asdict()))


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else None)
