"""Where each law is: its claim in LAWS.bend, its predicate, the machines that hold it, its contracts, its breaks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from optchat_spec.laws import FIT_LAWS, LAWS
from stateful_tests.breaks.registry import BREAKS
from stateful_tests.contracts.arithmetic import FACTS
from stateful_tests.contracts.contract import Contract
from stateful_tests.contracts.registry import CONTRACTS
from stateful_tests.machines.line_machine import LineMachine
from stateful_tests.machines.push_machine import PushMachine
from stateful_tests.machines.test_planner_machines import QueueMachine, ViewMachine
from stateful_tests.machines.test_store_machine import StoreMachine

ROOT = Path(__file__).resolve().parent.parent.parent
MACHINES = (ViewMachine, QueueMachine, StoreMachine, PushMachine, LineMachine)
SWEEP = "test_the_planners_batch_keeps_the_published_laws"
"""What holds a bounded law of the merge order whose bound is 20,001 steps: all of them, each time."""

SPLIT: Mapping[str, tuple[str, ...]] = {
    "view_covers": ("view_covers", "life_covers"),
    "view_summarized": ("view_summarized", "life_summarized"),
    "view_bytes": ("view_bytes", "cview_bytes", "life_bytes"),
    "cview_follows": ("cview_follows", "cview_reopens", "cview_grows"),
    "restart_same_view": ("restart_same_view", "life_same_view"),
    "first_leaves_push": ("first_leaves_push", "first_agrees_at_481"),
    "push_is_short": ("push_is_short", "push_is_short_in_all"),
    "node_built_once": ("node_built_once", "node_has_source", "node_text_stays", "life_built_once"),
    "free_is_source": ("free_is_source", "free_word_for_word"),
    "queue_sound": ("queue_sound", "queue_waiting_sound", "running_sound"),
    "queue_complete": ("queue_complete", "queue_of_merges", "life_complete"),
    "queue_exact": ("queue_exact", "restart_same_queue"),
    "need_first_running": ("need_first_running", "need_first_no_failure"),
    "zoom_partitions": ("zoom_partitions", "zoom_reaches_messages"),
}
"""The claims in Bend of a law that is split there; each other law has the claim of its own name, where it has one."""


def bend_claims(text: str) -> list[str]:
    """The names of the laws that a Bend file states, in order."""
    return re.findall(r"^law ([A-Za-z_0-9.]+):", text, re.MULTILINE)


def claims_of(name: str, claims: Iterable[str]) -> list[str]:
    """The claims that state a law, of those there are."""
    known = set(claims)
    return [claim for claim in SPLIT.get(name, (name,)) if claim in known]


def machines_of(name: str) -> list[str]:
    """What holds a law over the implementation, by name."""
    held = [machine.__name__ for machine in MACHINES if name in {law.name for law in machine.laws}]
    return held or ([SWEEP] if name in {law.name for law in FIT_LAWS} else [])


def predicate_of(name: str) -> str:
    """Where a law's predicate is: `module.function`."""
    predicate = LAWS[name].predicate
    return f"{predicate.__module__}.{predicate.__qualname__}"


def contracts_of(name: str) -> list[Contract]:
    """The contracts of a law: what CrossHair runs on the function that carries it."""
    return [contract for contract in CONTRACTS.values() if contract.law == name]


def facts_of(name: str) -> list[str]:
    """The arithmetic under a law that z3 proves, by name."""
    return [fact.name for fact in FACTS if name in fact.laws]


def breaks_of(name: str) -> list[str]:
    """The deliberate breaks that a law must catch, by name."""
    return [each.name for each in BREAKS.values() if name in each.laws]
