"""`python -m optchat_bridge.bend.perf`: our checker beside the real one, the compiled model beside the evaluated one.

The figures of the real checker are those of golden/perf/PERF.md (another machine, start-up included). Ours are the
processor's seconds and the peak memory of a process that checks one file, start-up included.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

from rich.console import Console
from rich.table import Table

from .compile_build import NoCompiler, build_binary
from .execute import evaluate_file
from .limits import deep, memory_used
from .report import check_file

ROOT: Final = Path(__file__).resolve().parents[3]
GOLDEN: Final = ROOT / "stateful_tests" / "bend" / "golden"
MODEL: Final = ROOT / "bend" / "bridge.bend"
ROW: Final = re.compile(r"\| ([\w/]+\.bend) \| (.*?) \| ([\d.]+) \| (\d+) \| (.*?) \|")
SPEEDUP: Final = 20
"""How many times as fast as the evaluator the compiled model must be."""


class Figure(NamedTuple):
    """What a check took: seconds, megabytes at its peak, and accept or reject with the reason."""

    seconds: float
    megabytes: float
    verdict: str


class Row(NamedTuple):
    """A file, what is in it, our figure and theirs."""

    name: str
    what: str
    ours: Figure
    theirs: Figure


def theirs() -> list[tuple[str, str, Figure]]:
    """The real checker's figures, from PERF.md."""
    found = ROW.findall((GOLDEN / "perf" / "PERF.md").read_text(encoding="utf-8"))
    return [(name, what, Figure(float(s), float(mb), verdict)) for name, what, s, mb, verdict in found]


def measure(path: Path, runs: int = 1) -> Figure:
    """The least of some runs, each in a process of its own."""
    best: Figure | None = None
    for _ in range(runs):
        command = [sys.executable, "-m", "optchat_bridge.bend.perf", "--one", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        figure = Figure(*json.loads(done.stdout))
        best = figure if best is None or figure.seconds < best.seconds else best
    assert best is not None
    return best


def measure_here(path: str) -> Figure:
    """Checks a file in this process, which has done nothing else."""
    report = check_file(path)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    limit = f": {report.error.message}" if report.error is not None and report.error.plain else ""
    verdict = "accept" if report.ok else f"reject{limit}"
    return Figure(usage.ru_utime + usage.ru_stime, memory_used(), verdict)


def rows(runs: int = 1, only: str = "") -> list[Row]:
    """Every file of PERF.md, measured."""
    return [Row(name, what, measure(GOLDEN / name, runs), figure) for name, what, figure in theirs() if only in name]


class Speed(NamedTuple):
    """The seconds of one scenario, compiled (start-up included) and evaluated (without it), and if they agree."""

    events: int
    compiled: float
    evaluated: float
    same: bool


def speed_of_the_model(events: int = 40) -> Speed:
    """A small scenario on the model, by its binary and by the evaluator."""
    lines = ["config 64 600 300 300 150 4 4 3 5", *[f"m user {'message ' * (i % 9)}{i}" for i in range(events)]]
    with tempfile.TemporaryDirectory() as folder:
        empty, full = Path(folder) / "empty", Path(folder) / "full"
        empty.write_text(lines[0] + "\n", encoding="utf-8")
        full.write_text("\n".join(lines) + "\n", encoding="utf-8")
        evaluator = [sys.executable, "-m", "optchat_bridge.bend.perf", "--evaluate"]
        fast, out = timed([str(build_binary(MODEL)), str(full)])
        slow, says = timed([*evaluator, str(full)])
        return Speed(events, fast, slow - timed([*evaluator, str(empty)])[0], out == says)


def timed(command: list[str]) -> tuple[float, str]:
    """The processor's seconds and the output of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, out


def table_of(measured: list[Row]) -> Table:
    """Ours beside theirs."""
    table = Table(title="our checker beside the real one's figures", title_justify="left")
    for column in ("file", "what", "ours s", "MB", "theirs s", "MB", "ours", "theirs"):
        table.add_column(column, justify="right" if column.endswith((" s", "MB")) else "left")
    for name, what, ours, real in measured:
        mine, other = ((f"{f.seconds:.2f}", f"{f.megabytes:.0f}") for f in (ours, real))
        table.add_row(name, what, *mine, *other, ours.verdict, real.verdict)
    return table


def slow_model(console: Console) -> bool:
    """Says how the compiled model does; whether it is slower than it must be."""
    try:
        speed = speed_of_the_model()
    except NoCompiler as error:
        console.print(f"the compiled model: not measured, {error}")
        return False
    factor = speed.evaluated / max(speed.compiled, 0.001)
    console.print(
        f"the model on {speed.events} messages: evaluated {speed.evaluated:.1f} s, compiled {speed.compiled:.3f} s,"
        f" {factor:.0f} times as fast (it must be {SPEEDUP}); {'the same' if speed.same else 'A DIFFERENT'} output"
    )
    return factor < SPEEDUP or not speed.same


def main(arguments: list[str] | None = None) -> int:
    """Prints the table; 1 when the compiled model is too slow or differs from the evaluated one."""
    parser = argparse.ArgumentParser(prog="python -m optchat_bridge.bend.perf", description=__doc__)
    parser.add_argument("--runs", type=int, default=1, help="the least of so many runs (1)")
    parser.add_argument("--only", metavar="TEXT", default="", help="the files whose names hold TEXT")
    parser.add_argument("--one", metavar="FILE", help=argparse.SUPPRESS)
    parser.add_argument("--evaluate", metavar="SCENARIO", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.one:
        print(json.dumps(measure_here(options.one)))
        return 0
    if options.evaluate:
        return deep(lambda: evaluate_file(str(MODEL), [options.evaluate]))
    console = Console(width=None if sys.stdout.isatty() else 160)
    if not GOLDEN.is_dir():
        console.print(f"{GOLDEN} is not there: run it in a checkout")
        return 1
    console.print(table_of(rows(options.runs, options.only)))
    return int(slow_model(console))


if __name__ == "__main__":
    sys.exit(main())
