"""Every golden case with a main: compiled, it prints the value that the real Bend's normal form has."""

from __future__ import annotations

from pathlib import Path

import pytest

from optchat_bridge.bend.compile_build import build_binary
from optchat_bridge.bend.compile_lower import NotCompiled
from optchat_bridge.bend.execute import run_file
from stateful_tests.bend.compiled import QUICK, run

CASES = Path(__file__).parent / "golden" / "cases"
ROWS = [line.split("\t") for line in (CASES / "expected.tsv").read_text(encoding="utf-8").splitlines()[1:]]
VALUES = {row[0]: row[2] for row in ROWS if row[1] == "accept" and row[2]}

NOT_PLAIN = {f"accept/{name}.bend" for name in ("ev_church", "ev_closed_normal_form", "ev_stuck_open_term", "ev_float")}
NOT_PLAIN |= {"accept/fun_main_function.bend"}
"""Functions and opaque names have normal forms that only the evaluator can show."""


@pytest.mark.parametrize("case", sorted(set(VALUES) - NOT_PLAIN))
def test_a_compiled_main_prints_the_normal_form(case: str) -> None:
    ran = run(build_binary(CASES / case, flags=QUICK))
    assert (ran.out, ran.err, ran.status) == (VALUES[case] + "\n", "", 0)


@pytest.mark.parametrize("case", sorted(NOT_PLAIN))
def test_a_value_that_is_no_plain_data_is_left_to_the_evaluator(case: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(NotCompiled, match=r"function|opaque|float"):
        build_binary(CASES / case, flags=QUICK)
    assert run_file(CASES / case, []) == 0
    assert capfd.readouterr().out == VALUES[case] + "\n"
