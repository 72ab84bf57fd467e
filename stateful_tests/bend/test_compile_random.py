"""Random programs: compiled with and without the operations of the machine, they give the evaluator's value."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

from optchat_bridge.bend.report import check_file, render
from stateful_tests.bend.compiled import build, run
from stateful_tests.bend.random_programs import programs


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("random")


@given(text=programs())
@settings(max_examples=settings().max_examples // 4)
def test_a_random_program_gives_the_evaluators_value(folder: Path, text: str) -> None:
    binary = build(text, folder)
    report = check_file(folder / "program.bend")
    assert report.ok, render(report)
    assert run(binary) == (f"{report.main}\n", "", 0)
