"""The lists of the laws hold together: none has a law that another lacks."""

from __future__ import annotations

import re

import pytest

from optchat_spec.laws import LAWS, by_name
from optchat_spec.registry import Law
from stateful_tests.breaks.registry import BREAKS, MODEL
from stateful_tests.contracts.registry import CONTRACTS
from stateful_tests.contracts.run import all_names
from stateful_tests.laws import page
from stateful_tests.laws.lists import (
    MACHINES,
    ROOT,
    bend_claims,
    claims_of,
    contracts_of,
    machines_of,
    predicate_of,
)
from stateful_tests.laws.named import breaks_gone, contracts_gone

DESIGN = [
    "view_covers",
    "cview_covers",
    "message_appends",
    "message_merges_nothing",
    "merge_is_one_pair",
    "merge_covers",
    "fit_merges_built",
    "fit_reaches_budget",
    "fit_most_due",
    "view_summarized",
    "cview_summarized",
    "view_bytes",
    "restart_same_view",
    "batch_only_past_ceiling",
    "push_agrees",
    "push_agrees_always",
    "last_merges_8_9",
    "first_merges_0_7",
    "first_is_not_last",
    "first_leaves_push",
    "push_is_short",
    "node_built_once",
    "queue_sound",
    "queue_complete",
    "queue_within_jobs",
    "merges_not_starved",
    "need_first",
    "need_first_running",
    "settle_progress",
    "settle_reached",
    "fail_cap_builds",
    "context_ends_at_node",
    "context_is_prefix",
    "zoom_partitions",
    "line_calls_at_most_tries",
    "line_fits",
    "line_takes_first_fit",
    "line_stops_when_not_shorter",
    "line_empty_is_a_try",
    "line_error_fails",
]
"""The laws that the design lists: none of them may go."""

LIST = ROOT.parent / "shared" / "design" / "laws.md"
CLAIMS = bend_claims((ROOT / "LAWS.bend").read_text(encoding="utf-8"))


def test_every_law_of_the_design_is_here_and_marked_so() -> None:
    assert [law.name for law in LAWS.values() if law.source == "design"] == DESIGN
    if LIST.exists():
        assert re.findall(r"^\| `(\w+)` \|", LIST.read_text(encoding="utf-8"), re.MULTILINE) == DESIGN


def test_every_law_is_stated_in_bend_and_nothing_else_is() -> None:
    assert [name for name in DESIGN if not claims_of(name, CLAIMS)] == []
    stated = {claim for name in LAWS for claim in claims_of(name, CLAIMS)}
    assert [claim for claim in CLAIMS if claim not in stated] == []


@pytest.mark.parametrize("law", LAWS.values(), ids=lambda law: law.name)
def test_every_law_has_its_predicate_its_machine_and_its_contract(law: Law) -> None:
    assert predicate_of(law.name).startswith("optchat_spec.")
    assert predicate_of(law.name).endswith(f"_laws.{law.name}")
    assert machines_of(law.name)
    assert contracts_of(law.name)


def test_no_machine_holds_a_law_that_is_none() -> None:
    assert {law.name for machine in MACHINES for law in machine.laws} <= set(LAWS)


def test_no_contract_and_no_break_is_of_a_law_that_is_none() -> None:
    assert {contract.law for contract in CONTRACTS.values()} <= set(LAWS)
    assert {law for each in BREAKS.values() for law in each.laws} <= set(LAWS)


def test_a_contract_or_a_break_that_is_gone_is_missed() -> None:
    """Each one that there is, taken away alone: what `make contracts` and `make breaks` then fail for."""
    contracts, breaks = set(all_names()), {*BREAKS, *MODEL}
    assert (contracts_gone(contracts), breaks_gone(breaks)) == ([], [])
    assert [name for name in contracts if contracts_gone(contracts - {name}) != [name]] == []
    assert [name for name in breaks if breaks_gone(breaks - {name}) != [name]] == []


def test_the_page_is_what_the_registry_makes() -> None:
    assert page.PAGE.read_text(encoding="utf-8") == page.render(), "write it anew: python -m stateful_tests.laws.page"


def test_no_second_law_takes_a_laws_name() -> None:
    law, other = LAWS["view_covers"], LAWS["view_bytes"]
    with pytest.raises(ValueError, match="two laws are named view_covers"):
        by_name((law, other, other._replace(name=law.name)))
    assert by_name((law, other)) == {"view_covers": law, "view_bytes": other}
