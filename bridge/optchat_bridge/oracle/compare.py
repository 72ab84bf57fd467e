"""A scenario on both sides: our planner here, the compiled model as a process; compared byte for byte."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from optchat_bridge.oracle.transcript import transcript

Oracle = Callable[[list[str]], Iterator[str]]
"""From a scenario's lines to the pages of the model's transcript."""


class OracleFault(Exception):
    """The oracle did not answer as one: one line that says how."""


class Difference(NamedTuple):
    """The first page on which both sides differ: `at` is the number of the event, from 1; or one more, for the end."""

    at: int
    event: str
    ours: str
    oracle: str


class Compared(NamedTuple):
    events: int
    bytes: int
    difference: Difference | None
    ours_seconds: float
    oracle_seconds: float


def pages(lines: Iterable[str]) -> Iterator[str]:
    """The pages of a transcript: each begins with a line `event ...`, the last one with `end`.

    No line of a rendered view can look so: each begins with its `id+n|` head.
    """
    page: list[str] = []
    for line in lines:
        if page and (line.startswith("event ") or line == "end\n"):
            yield "".join(page)
            page = []
        page.append(line)
    if page:
        yield "".join(page)


def binary_oracle(binary: Path, timeout: float = 600.0) -> Oracle:
    """The model as a binary that reads a scenario file. Raises OracleFault when it crashes or hangs."""

    def run(lines: list[str]) -> Iterator[str]:
        with tempfile.TemporaryDirectory(prefix="optchat-scenario-") as folder:
            path, out = Path(folder, "scenario"), Path(folder, "out")
            path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="")
            try:
                with out.open("wb") as stream:
                    done = subprocess.run(
                        [binary, path], stdout=stream, stderr=subprocess.PIPE, timeout=timeout, check=False
                    )
            except subprocess.TimeoutExpired:
                raise OracleFault(f"{binary} did not end within {timeout:.0f} s") from None
            if done.returncode != 0:
                said = done.stderr.decode(errors="replace").strip().splitlines()
                raise OracleFault(f"{binary} ended with status {done.returncode}: {said[-1] if said else 'no message'}")
            with out.open(encoding="utf-8", newline="\n") as text:
                yield from pages(text)

    return run


def compare(lines: list[str], oracle: Oracle) -> Compared:
    """Play a scenario on both sides, page by page, to the first difference."""
    start = perf_counter()
    ours = list(transcript(lines))
    middle = perf_counter()
    theirs = list(oracle(lines))
    end = perf_counter()
    difference = None
    for at in range(max(len(ours), len(theirs))):
        mine = ours[at] if at < len(ours) else ""
        other = theirs[at] if at < len(theirs) else ""
        if mine != other:
            event = lines[at + 1] if at + 1 < len(lines) else "the end"
            difference = Difference(at + 1, event, mine, other)
            break
    size = sum(len(page.encode()) for page in ours)
    return Compared(len(lines) - 1, size, difference, middle - start, end - middle)


def shrink(lines: list[str], oracle: Oracle, seconds: float = 60.0) -> list[str]:
    """A small scenario on which both sides still differ (delta debugging over the events)."""
    deadline = perf_counter() + seconds
    first, events = lines[0], lines[1:]

    def differs(some: list[str]) -> bool:
        return compare([first, *some], oracle).difference is not None

    found = compare(lines, oracle).difference
    if found is not None and differs(events[: found.at]):
        events = events[: found.at]
    chunk = max(1, len(events) // 2)
    while chunk and perf_counter() < deadline:
        at = 0
        while at < len(events) and perf_counter() < deadline:
            fewer = events[:at] + events[at + chunk :]
            if differs(fewer):
                events = fewer
            else:
                at += chunk
        chunk //= 2
    return [first, *events]
