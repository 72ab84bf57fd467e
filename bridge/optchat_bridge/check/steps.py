"""What a change is held to, step by step: the commands, what they never read, and how their faults are told apart."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Literal, NamedTuple

from optchat_bridge.check.place import environment
from optchat_bridge.check.stopping import output_of

PYTHON = sys.executable


TESTS = (
    *("agent", "bend", "breaks", "bridge", "cli", "conformance", "contracts", "core", "imports", "laws", "machines"),
    "store",
)
"""The folders of tests."""


def tests_but(*kept: str) -> str:
    """A pattern for all of them beside these."""
    return rf"stateful_tests/({'|'.join(each for each in TESTS if each not in kept)})/.*"


PROSE = r"(README|CHANGELOG|AGENTS|CLAUDE)\.md|LICENSE|\.agents/.*|docs/.*"
"""What is for people alone."""

PAGES = r"docs/(laws|memory)\.md"
"""Prose that a test holds equal to its making, and by which it is seen that a break or a contract is gone."""

WITHOUT_PAGES = rf"(?!{PAGES})({PROSE})"

MODEL = r"LAWS\.bend|PROOF\.bend|bend/.*"
OUR_BEND = r"bridge/optchat_bridge/(bend/.*|oracle/.*|laws\.py|differential\.py)"
OUTER = r"impl/optchat/(agent|bench|cli|data|imports)/.*|impl/optchat/demo\.py"
"""What lies around the planner and the store, and is never imported by them."""


class Step(NamedTuple):
    """One thing that a change is held to: a command, run in the worktree.

    `faults` finds the names of what is wrong in its output, a line each: by them the change's own faults are told from
    those that were there before. `unread` are paths that the step does not read, so that a change to these alone leaves
    its verdict as it was; a test takes them away and sees the step go on. `by_name`: its command takes the names of
    faults, and then looks at these alone.
    """

    name: str
    says: str
    command: tuple[str, ...]
    faults: str = r"(?:FAILED|ERROR) (\S+)"
    unread: tuple[str, ...] = ()
    by_name: bool = False

    def touched_by(self, files: Iterable[str]) -> bool:
        """Whether a change of these files can change the step's verdict."""
        return not self.unread or any(re.fullmatch("|".join(self.unread), each) is None for each in files)


PYTEST = (PYTHON, "-m", "pytest")
PYTEST_OPTIONS = (
    *("-c", os.devnull, "--rootdir=.", "--confcutdir=.", "-q", "--strict-markers", "--strict-config"),
    *("-p", "no:cacheprovider", "-W", "error"),
)
"""The gate's own settings: the change's, in pyproject.toml or elsewhere, could have no test run at all."""

NOTHING_PASSED = "no test passed"
LIMIT = 3600.0
"""Seconds that a step may take; the longest takes an eighth of it on two cores."""

STEPS = (
    Step("house rules", "imports, sizes, paths", (PYTHON, "-m", "stateful_tests.house"), r"([\w./-]+)(?::\d+)?: (.+)"),
    Step(
        "list of laws",
        "each law has its claim, predicate, machine, contract",
        (*PYTEST, "stateful_tests/laws"),
        unread=(WITHOUT_PAGES,),
    ),
    Step(
        "laws on our planner",
        "seeded histories, every predicate",
        (PYTHON, "-m", "optchat_bridge.check"),
        r"broken: (\w+):",
        unread=(PROSE, MODEL, OUR_BEND, tests_but()),
    ),
    Step(
        "slow planner",
        "the rules in the plainest way",
        (*PYTEST, "stateful_tests/core"),
        unread=(PROSE, MODEL, OUR_BEND, OUTER, tests_but("core", "machines")),
    ),
    Step(
        "store",
        "faults, power cuts and kills at every operation",
        (*PYTEST, "stateful_tests/store"),
        unread=(PROSE, MODEL, OUR_BEND, tests_but("core", "machines", "store")),
    ),
    Step(
        "proofs",
        "LAWS.bend against PROOF.bend",
        (PYTHON, "-m", "optchat_bridge.laws"),
        r"open: (\w+)",
        unread=(PROSE, "impl/.*", "spec/.*", tests_but(), r"bridge/optchat_bridge/(check|oracle)/.*"),
    ),
    Step(
        "differential",
        "the compiled Bend model, byte for byte",
        (PYTHON, "-m", "optchat_bridge.differential"),
        r"differs: (.+) at event",
        unread=(PROSE, OUTER, tests_but(), r"LAWS\.bend|PROOF\.bend|bend/proof/.*", r"bridge/optchat_bridge/check/.*"),
    ),
    Step(
        "machines",
        "Hypothesis, planner and store",
        (*PYTEST, "stateful_tests/machines"),
        unread=(PROSE, MODEL, OUR_BEND, OUTER, tests_but("core", "machines", "store")),
    ),
    Step(
        "our Bend",
        "the checker that judges the proofs",
        (*PYTEST, "stateful_tests/bend"),
        unread=(PROSE, "impl/.*", "spec/.*", tests_but("bend"), r"bridge/optchat_bridge/(check|oracle)/.*"),
    ),
    Step(
        "breaks",
        "no break goes unnoticed",
        (PYTHON, "-m", "stateful_tests.breaks"),
        r"unnoticed: (\w+)",
        unread=(WITHOUT_PAGES, tests_but("breaks", "contracts", "core", "laws", "machines", "store")),
        by_name=True,
    ),
    Step(
        "contracts",
        "CrossHair and z3",
        (PYTHON, "-m", "stateful_tests.contracts"),
        r"(?:broken|open): (\w+):|(no contract for the law \w+)",
        unread=(WITHOUT_PAGES, MODEL, OUR_BEND, OUTER, tests_but("contracts", "laws")),
        by_name=True,
    ),
)
"""In this order: the quick ones first, and of these the one that names the law and its history when it fails."""

Word = Literal["held", "broken", "broken before", "not touched", "not judged"]


class Result(NamedTuple):
    """How a step ended. `faults` are the change's own; `before` are those that the commit it is put on has too."""

    step: Step
    word: Word
    seconds: float
    output: str
    faults: tuple[str, ...] = ()
    before: tuple[str, ...] = ()

    @property
    def good(self) -> bool:
        return self.word in ("held", "broken before", "not touched")

    @property
    def last(self) -> str:
        """One line that says it: the change's first fault, else the step's own last line."""
        more = f" (and {len(self.before)} that were there before)" if self.before and self.faults else ""
        if self.faults:
            others = f" and {len(self.faults) - 1} more" if len(self.faults) > 1 else ""
            return f"{self.faults[0]}{others}{more}"
        if self.before:
            return f"no fault of this change, {len(self.before)} of the commit before: {self.before[0]}"
        return last_line(self.output)


def last_line(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def faults_of(step: Step, output: str) -> Counter[str]:
    """The names of what is wrong, as a failed step printed them; its last line where it printed none: it crashed."""
    found = (re.match(step.faults, line) for line in output.splitlines())
    named = [": ".join(group for group in each.groups() if group) for each in found if each is not None]
    return Counter(named or [last_line(output) or "it failed without a word"])


def run(step: Step, folder: Path, command: Sequence[str] | None = None, seconds: float = LIMIT) -> Result:
    """A step in a worktree, which alone is on the path. Raises CannotApply."""
    given = tuple(command or step.command)
    tests = given[: len(PYTEST)] == PYTEST
    env = environment(folder)
    began = perf_counter()
    ended = output_of((*given, *PYTEST_OPTIONS) if tests else given, folder, env, seconds)
    took, text = perf_counter() - began, ended.output.decode(errors="replace")
    if ended.status == 0 and tests and not re.search(r"\b[1-9]\d* passed\b", text):
        return Result(step, "broken", took, text, (NOTHING_PASSED,))
    if ended.status == 0:
        return Result(step, "held", took, text)
    if ended.status is None:
        fault = f"it had not ended after {seconds:,.0f} s"
        return Result(step, "broken", took, text + f"\n{fault}\n", (fault,))
    return Result(step, "broken", took, text, tuple(faults_of(step, text).elements()))


def held_to(step: Step, folder: Path, base: Callable[[], Path], seconds: float = LIMIT) -> Result:
    """A step's verdict on the change; a step that fails is run where the change is not, and its faults are compared."""
    result = run(step, folder, seconds=seconds)
    if result.word == "held":
        return result
    was = run_before(step, base(), result.faults, seconds)
    if was.word == "held":
        return result._replace(seconds=result.seconds + was.seconds)
    own = Counter(result.faults) - Counter(was.faults)
    before = Counter(result.faults) - own
    return Result(
        step,
        "broken" if own else "broken before",
        result.seconds + was.seconds,
        result.output,
        tuple(own.elements()),
        tuple(before.elements()),
    )


def run_before(step: Step, base: Path, faults: Sequence[str], seconds: float) -> Result:
    """A step on the commit that the change is put on: for these faults alone, where it can be asked so."""
    names = [fault for fault in faults if fault.isidentifier()]
    if step.by_name and len(names) == len(faults):
        was = run(step, base, (*step.command, *names), seconds)
        if was.word == "held" or set(was.faults) <= set(names):
            return was
    return run(step, base, seconds=seconds)
