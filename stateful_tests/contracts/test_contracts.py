"""The quick contracts and every fact hold; each law has a contract, and each contract is one that can fail."""

from __future__ import annotations

import pytest
import z3  # type: ignore[import-untyped]

from optchat.core.node import Node
from optchat.core.view import View
from optchat_spec.laws import LAWS
from stateful_tests.contracts.arithmetic import FACTS
from stateful_tests.contracts.registry import CONTRACTS
from stateful_tests.contracts.run import GOOD, laws_without_contract, quick_names, run_one
from stateful_tests.contracts.symbolic import Undecided, explore, number, z3_of


@pytest.mark.parametrize("name", quick_names())
def test_quick_ones_hold(name: str) -> None:
    """How far CrossHair comes in this time depends on the machine; `make contracts` asks for the confirmations."""
    verdict = run_one(name, seconds=12)
    assert verdict.word in GOOD, verdict


def test_every_law_has_a_contract() -> None:
    assert laws_without_contract() == []
    assert {contract.law for contract in CONTRACTS.values()} <= set(LAWS)
    assert {law for fact in FACTS for law in fact.laws} <= set(LAWS)


def test_a_contract_is_named_by_its_law() -> None:
    assert all(name == contract.law or name.startswith(f"{contract.law}_") for name, contract in CONTRACTS.items())


def test_explore_finds_the_path_that_is_false() -> None:
    index = z3.Int("index")

    def code() -> bool:
        return Node(3, number(index)).i != 77

    with pytest.raises(AssertionError, match="index = 77"):
        explore(code)


def test_explore_goes_down_every_path_once() -> None:
    index, seen = z3.Int("index"), list[int]()

    def code() -> bool:
        value = number(index)
        seen.append(next(known for known in range(5) if value == known))
        return True

    assert explore(code, index >= 0, index < 5) == 5
    assert sorted(seen) == [0, 1, 2, 3, 4]
    with pytest.raises(Undecided):
        explore(code, index >= 0, index < 5, at_most=4)


def test_a_view_of_numbers_is_the_view_of_their_values() -> None:
    """Symbols stand for what they are: fit on fixed symbolic indices merges what fit on the plain ones does."""
    for total in range(2, 40):
        plain = View([Node(0, index) for index in range(total)], [1] * total, total)
        same = View([Node(0, number(z3.IntVal(index))) for index in range(total)], [1] * total, total)
        merges: list[Node] = []
        expected = plain.fit(3, total, lambda _: 1)

        def code(view: View = same, total: int = total, into: list[Node] = merges) -> bool:
            into.extend(view.fit(3, number(z3.IntVal(total)), lambda _: 1))
            return True

        explore(code)
        assert [(node.level, z3.simplify(z3_of(node.i)).as_long()) for node in merges] == expected
