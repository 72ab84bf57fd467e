"""The bench's own parts: it reads the real checker's figures, measures a file, and holds the compiled model's speed."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from optchat_bridge.bend.perf import GOLDEN, Figure, Row, measure, rows, speed_of_the_model, table_of, theirs


def test_every_figure_of_the_real_checker_is_read() -> None:
    found = theirs()
    assert len(found) == 31
    assert ("perf/empty.bend", "nothing, no Base", Figure(0.02, 31, "accept")) in found
    assert all((GOLDEN / name).is_file() for name, _, _ in found)
    assert {figure.verdict for _, _, figure in found} == {"accept", "reject", "reject: stack overflow"}


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("perf/counter_5000.bend", "accept"),
        ("perf/counter_wrong_20000.bend", "reject"),
        ("nowhere.bend", f"reject: {GOLDEN}/nowhere.bend: no such file"),
    ],
)
def test_a_file_is_measured(name: str, verdict: str) -> None:
    figure = measure(GOLDEN / name)
    assert figure.verdict.startswith(verdict)
    assert 0 < figure.seconds < 60
    assert 5 < figure.megabytes < 1000


def test_where_the_real_checker_runs_out_of_stack_ours_goes_on() -> None:
    [row] = rows(only="nat_double_20000")
    assert (row.ours.verdict, row.theirs.verdict) == ("accept", "reject: stack overflow")


def test_the_table_has_both_figures_of_a_file() -> None:
    console = Console(width=160, file=io.StringIO(), record=True)
    console.print(table_of([Row("perf/x.bend", "xs", Figure(1.25, 30.4, "accept"), Figure(0.5, 99.0, "reject"))]))
    line = next(line for line in console.export_text().splitlines() if "perf/x.bend" in line)
    assert line.replace("│", " ").split() == ["perf/x.bend", "xs", "1.25", "30", "0.50", "99", "accept", "reject"]


def test_the_compiled_model_prints_what_the_evaluated_one_does() -> None:
    """How many times as fast it is, `make bench` says."""
    assert speed_of_the_model(events=3).same
