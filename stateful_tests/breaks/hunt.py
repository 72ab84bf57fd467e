"""Hunt for a break: `python -m stateful_tests.breaks.hunt HUNTER LAW...` prints what was caught as JSON.

The process sees the broken copy as `optchat`. A hunter looks for the named laws alone; that one of them is broken is
what counts, and a crash of the broken code is nobody's catch.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple

import optchat
from optchat_spec.laws import LAWS

if TYPE_CHECKING:
    # pytest must be the first to import it, where it is the hunter.
    from hypothesis import settings


class Catch(NamedTuple):
    """The law that was broken (None: no named one was seen to be), how it was told, and processor seconds."""

    law: str | None
    says: str
    seconds: float


def search(examples: int) -> settings:
    """A search that is the same each time, stops at its first find, and leaves it as it is."""
    from hypothesis import HealthCheck, Phase, settings

    return settings(
        max_examples=examples,
        stateful_step_count=50,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )


def machine(laws: Iterable[str]) -> tuple[str | None, str]:
    """The Hypothesis machines of the laws' areas, with these laws alone, to their first failure."""
    from hypothesis.stateful import run_state_machine_as_test

    from stateful_tests.machines.laws_held import LawBroken
    from stateful_tests.machines.line_machine import LineMachine
    from stateful_tests.machines.push_machine import PushMachine
    from stateful_tests.machines.test_planner_machines import QueueMachine, ViewMachine

    kinds = {"view": ViewMachine, "queue": QueueMachine, "order": PushMachine, "line": LineMachine}
    told = "nothing was found"
    for area, kind in kinds.items():
        chosen = tuple(LAWS[law] for law in laws if LAWS[law].area == area)
        if not chosen:
            continue
        hunter = type(kind.__name__, (kind,), {"laws": chosen})
        try:
            run_state_machine_as_test(hunter, settings=search(250))
        except LawBroken as broken:
            said = str(broken).splitlines()[0]
            return said.partition(":")[0], f"{kind.__name__}: {said}"
        except Exception as error:  # the broken code may do anything
            told = f"{kind.__name__} crashed: {type(error).__name__}: {error}"
    return None, told


def store(laws: Iterable[str]) -> tuple[str | None, str]:
    """The machine of a chat on disk, with these laws alone."""
    from hypothesis.stateful import run_state_machine_as_test

    from stateful_tests.machines.laws_held import LawBroken
    from stateful_tests.machines.test_store_machine import StoreMachine

    hunter = type("StoreMachine", (StoreMachine,), {"laws": tuple(LAWS[law] for law in laws), "reads_files": False})
    try:
        run_state_machine_as_test(hunter, settings=search(60))
    except LawBroken as broken:
        said = str(broken).splitlines()[0]
        return said.partition(":")[0], f"StoreMachine: {said}"
    except Exception as error:  # the broken code may do anything
        return None, f"StoreMachine crashed: {type(error).__name__}: {error}"
    return None, "nothing was found"


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


def test(names: Iterable[str]) -> tuple[str | None, str]:
    """Tests that carry a promise in their name, one after another: the first that fails."""
    import pytest

    root = Path(__file__).resolve().parents[2]
    told = "every test passes"
    for name in names:
        seen = Failures()
        # What a broken store leaves open is not what is looked for.
        arguments = ["-q", "-x", "--no-header", "--tb=line", "-p", "no:unraisableexception", f"--rootdir={root}"]
        with redirect_stdout(sys.stderr):
            status = pytest.main([*arguments, str(root / name)], plugins=[seen])
        if seen.says is not None:
            return name.rpartition("::")[2], seen.says
        told = f"{name} passes" if status == pytest.ExitCode.OK else f"{name} could not be run: {status}"
    return None, told


class Failures:
    """A pytest plugin that keeps what the first failed test said. An error in collecting is no failure."""

    says: str | None = None

    def pytest_pycollect_makemodule(self) -> None:
        """After the conftest chose its profile, before a test takes it: a failure need not be made small here."""
        from hypothesis import Phase, settings

        quick = settings(phases=[Phase.explicit, Phase.generate], report_multiple_bugs=False, derandomize=True)
        settings.register_profile("hunt", quick)
        settings.load_profile("hunt")

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed and report.when == "call" and self.says is None:
            self.says = f"{report.nodeid}: {str(report.longrepr).strip().splitlines()[-1]}"


HUNTERS: dict[str, Callable[[Iterable[str]], tuple[str | None, str]]] = {
    "machine": machine,
    "store": store,
    "contract": contract,
    "proof": proof,
    "histories": histories,
    "test": test,
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
