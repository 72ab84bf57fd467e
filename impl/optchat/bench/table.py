"""What a measurement reports, and how it is printed."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from time import perf_counter
from typing import NamedTuple

from rich.console import Console
from rich.table import Table


class Row(NamedTuple):
    """One measured figure; `published` is what others report of the same thing, or a target, or empty."""

    what: str
    ours: str
    published: str = ""


def show(title: str, rows: list[Row]) -> None:
    table = Table(title=title, title_justify="left")
    table.add_column("what")
    table.add_column("ours", justify="right")
    table.add_column("published / target", justify="right")
    for row in rows:
        table.add_row(*row)
    Console().print(table)


def seconds(run: Callable[[], object]) -> float:
    """The wall time of one run, in seconds."""
    start = perf_counter()
    run()
    return perf_counter() - start


def median_seconds(run: Callable[[], object], times: int) -> float:
    return statistics.median(seconds(run) for _ in range(times))
