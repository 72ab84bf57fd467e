"""Hunt for a break: `python -m stateful_tests.breaks.hunt HUNTER LAW...` prints what was caught as JSON.

The process sees the broken copy as `optchat`. A hunter looks for the named laws alone; that one of them is broken is
what counts, and a crash of the broken code is nobody's catch.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from time import process_time
from typing import NamedTuple

import optchat
from optchat_spec.laws import LAWS


class Catch(NamedTuple):
    """The law that was broken (None: no named one was seen to be), how it was told, and processor seconds."""

    law: str | None
    says: str
    seconds: float


def machine(laws: Iterable[str]) -> tuple[str | None, str]:
    """The Hypothesis machines of the laws' areas, with these laws alone, to their first failure."""
    from hypothesis import HealthCheck, Phase, settings
    from hypothesis.stateful import run_state_machine_as_test

    from stateful_tests.machines.laws_held import LawBroken
    from stateful_tests.machines.line_machine import LineMachine
    from stateful_tests.machines.push_machine import PushMachine
    from stateful_tests.machines.test_planner_machines import QueueMachine, ViewMachine

    kinds = {"view": ViewMachine, "queue": QueueMachine, "order": PushMachine, "line": LineMachine}
    search = settings(
        max_examples=250,
        stateful_step_count=50,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )
    told = "nothing was found"
    for area, kind in kinds.items():
        chosen = tuple(LAWS[law] for law in laws if LAWS[law].area == area)
        if not chosen:
            continue
        hunter = type(kind.__name__, (kind,), {"laws": chosen})
        try:
            run_state_machine_as_test(hunter, settings=search)
        except LawBroken as broken:
            said = str(broken).splitlines()[0]
            return said.partition(":")[0], f"{kind.__name__}: {said}"
        except Exception as error:  # the broken code may do anything
            told = f"{kind.__name__} crashed: {type(error).__name__}: {error}"
    return None, told


def histories(laws: Iterable[str]) -> tuple[str | None, str]:
    """The seeded histories of `optchat check`, and its conversations and counters."""
    from optchat_bridge.check.judge import Judge, Own

    wanted = set(laws)
    judge = Judge(Own())
    judge.hunted(wanted, 20_000)
    for law, row in judge.rows.items():
        if law in wanted and row.finding is not None:
            return law, row.finding.reason
    return None, "nothing was found"


def contract(laws: Iterable[str]) -> tuple[str | None, str]:
    """The CrossHair contracts of the laws, one after another."""
    from stateful_tests.contracts.registry import CONTRACTS
    from stateful_tests.contracts.worker import judge

    told = "no contract is broken"
    for law in laws:
        for each in CONTRACTS.values():
            if each.law != law:
                continue
            verdict = judge(each, 15)
            if verdict.word == "broken" and "AssertionError" in verdict.says:
                return law, verdict.says
            told = f"{each.name}: {verdict.word} {verdict.says}"
    return None, told


def proof(laws: Iterable[str]) -> tuple[str | None, str]:
    """The facts that z3 proves of the code, for the laws."""
    from stateful_tests.contracts.arithmetic import FACTS
    from stateful_tests.contracts.worker import prove

    told = "no fact is false"
    for fact in FACTS:
        law = next((law for law in fact.laws if law in laws), None)
        if law is None:
            continue
        verdict = prove(fact, quick=True)
        if verdict.word == "broken":
            return law, f"{fact.name}: {verdict.says}"
        told = f"{fact.name}: {verdict.word}"
    return None, told


HUNTERS: dict[str, Callable[[Iterable[str]], tuple[str | None, str]]] = {
    "machine": machine,
    "contract": contract,
    "proof": proof,
    "histories": histories,
}


def main(hunter: str, laws: list[str]) -> None:
    copy = os.environ.get("OPTCHAT_BROKEN_COPY", "")
    if not copy or not Path(optchat.__file__).is_relative_to(copy):
        raise SystemExit("this process does not see the broken copy")
    began = process_time()
    law, says = HUNTERS[hunter](laws)
    print(json.dumps(Catch(law, " ".join(says.split())[:300], process_time() - began)._asdict()))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
