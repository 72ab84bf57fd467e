"""Run contracts and facts, a process each, two at a time, and say what came of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor

from optchat_spec.laws import LAWS
from stateful_tests.contracts.arithmetic import FACTS
from stateful_tests.contracts.registry import CONTRACTS
from stateful_tests.contracts.worker import Verdict

AT_ONCE = min(2, os.cpu_count() or 1)
PATIENCE = 20
"""How many times its share of the processor a contract may take by the clock before it is given up."""

GOOD = ("proven", "confirmed", "no counterexample")


def run_one(name: str, seconds: float | None = None, env: Mapping[str, str] | None = None) -> Verdict:
    """The verdict of one contract or fact, from a process of its own; `seconds` instead of what it asks for."""
    command = [sys.executable, "-m", "stateful_tests.contracts.worker", name]
    limit = seconds if seconds is not None else CONTRACTS[name].seconds if name in CONTRACTS else 60
    if seconds is not None:
        command.append(str(seconds))
    try:
        done = subprocess.run(
            command, check=False, capture_output=True, text=True, timeout=PATIENCE * limit + 60, env=env
        )
    except subprocess.TimeoutExpired as error:
        return Verdict(name, "open", error.timeout, "it did not end in time")
    if done.returncode:
        last = (done.stderr.strip() or "no word").splitlines()[-1]
        return Verdict(name, "broken", 0.0, f"status {done.returncode}: {last}")
    return Verdict(**json.loads(done.stdout))


def run_all(names: Iterable[str], seconds: float | None = None) -> list[Verdict]:
    """The verdicts of many, in their order."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(lambda name: run_one(name, seconds), names))


def all_names() -> list[str]:
    """Every contract in the order of the laws, then every fact."""
    order = {law: at for at, law in enumerate(LAWS)}
    return [*sorted(CONTRACTS, key=lambda name: order[CONTRACTS[name].law]), *(fact.name for fact in FACTS)]


def quick_names() -> list[str]:
    """The facts, and the contracts that take a second or so."""
    return [fact.name for fact in FACTS] + [name for name in CONTRACTS if CONTRACTS[name].quick]


def laws_without_contract() -> list[str]:
    """The laws of the registry that no contract is for."""
    held = {contract.law for contract in CONTRACTS.values()}
    return [law for law in LAWS if law not in held]


class Row(dict[str, str]):
    """A line of the table: law, function, bounds, verdict, seconds."""


def row(verdict: Verdict) -> Row:
    """A verdict in words that claim no more than it."""
    contract = CONTRACTS.get(verdict.name)
    if contract is None:
        fact = next(fact for fact in FACTS if fact.name == verdict.name)
        laws, function, bounds = ", ".join(fact.laws), fact.function, f"{fact.says} ({verdict.says})"
        return Row(law=laws, function=function, bounds=bounds, verdict=verdict.word, seconds=f"{verdict.seconds:.1f}")
    word: str = verdict.word
    if word == "no counterexample":
        word += f" within {verdict.seconds:.0f} s"
    elif word in ("broken", "open"):
        word += f": {verdict.says}"
    return Row(
        law=contract.law,
        function=contract.function,
        bounds=contract.bounds,
        verdict=word,
        seconds=f"{verdict.seconds:.1f}",
    )
