"""`make bridge`: our planner and the compiled Bend model on the same scenarios, byte for byte."""

from __future__ import annotations

import argparse
import difflib
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from optchat_bridge.oracle.binary import OracleUnavailable, build_oracle
from optchat_bridge.oracle.compare import Compared, Difference, OracleFault, binary_oracle, compare, shrink
from optchat_bridge.oracle.scenes import SCENES, Scene

SHOWN_LINES = 40


def show_difference(console: Console, scene: Scene, found: Difference, small: list[str], kept: Path) -> None:
    console.print(f"\n[bold red]{scene.name}[/]: event {found.at} differs: {found.event[:200]}", highlight=False)
    rows = difflib.unified_diff(found.ours.splitlines(), found.oracle.splitlines(), "ours", "oracle", lineterm="", n=1)
    for row in list(rows)[:SHOWN_LINES]:
        console.print("  " + row[:240], markup=False, highlight=False)
    console.print(f"the smallest scenario found has {len(small) - 1} events: {kept}", markup=False, highlight=False)


def table_of(results: list[tuple[Scene, Compared]]) -> Table:
    table = Table(title="our planner against the compiled Bend model", title_justify="left")
    for column in ("scenario", "events", "bytes compared", "ours", "oracle", "verdict"):
        table.add_column(column, justify="left" if column in ("scenario", "verdict") else "right")
    for scene, result in results:
        verdict = "the same" if result.difference is None else f"differs at event {result.difference.at}"
        times = (f"{result.ours_seconds:.2f} s", f"{result.oracle_seconds:.2f} s")
        table.add_row(scene.name, f"{result.events:,}", f"{result.bytes:,}", *times, verdict)
    return table


def verdict_of(results: list[tuple[Scene, Compared]]) -> list[str]:
    """Each scenario that differs, and one line that sums it up."""
    differ = [(scene.name, result.difference.at) for scene, result in results if result.difference is not None]
    events, compared = sum(one.events for _, one in results), sum(one.bytes for _, one in results)
    word = f"{len(differ)} differ" if differ else "the same in each one"
    return [
        *(f"differs: {name} at event {at}" for name, at in differ),
        f"{len(results)} scenarios, {events:,} events, {compared:,} bytes compared: {word}",
    ]


def main(arguments: list[str] | None = None) -> int:
    """0: the same on every scenario; 1: a difference; 2: the oracle could not be built or run."""
    parser = argparse.ArgumentParser(prog="make bridge", description=__doc__)
    parser.add_argument("--binary", type=Path, help="an oracle that was built before")
    parser.add_argument("--only", metavar="TEXT", default="", help="the scenarios whose names hold TEXT")
    parser.add_argument("--scenario", type=Path, help="one scenario file instead of ours")
    parser.add_argument(
        "--keep", type=Path, default=Path("build/differences"), help="where small scenarios are written"
    )
    options = parser.parse_args(arguments)
    console = Console()
    scenes = [scene for scene in SCENES if options.only in scene.name]
    if options.scenario is not None:
        lines = options.scenario.read_text(encoding="utf-8").split("\n")
        scenes = [Scene(str(options.scenario), lambda _: [line for line in lines if line])]
    if not scenes:
        print(f"make bridge: no scenario has {options.only!r} in its name", file=sys.stderr)
        return 2
    try:
        oracle = binary_oracle(options.binary or build_oracle())
        results = []
        for scene in scenes:
            result = compare(scene.lines(), oracle)
            results.append((scene, result))
            if result.difference is not None:
                small = shrink(scene.lines(), oracle)
                options.keep.mkdir(parents=True, exist_ok=True)
                kept = options.keep / (scene.name.replace(" ", "-").replace(",", "").replace("/", "-") + ".scenario")
                kept.write_text("\n".join(small) + "\n", encoding="utf-8", newline="")
                found = compare(small, oracle).difference or result.difference
                show_difference(console, scene, found, small, kept)
    except (OracleFault, OracleUnavailable) as error:
        print(f"make bridge: {error}", file=sys.stderr)
        return 2
    console.print(table_of(results))
    for line in verdict_of(results):
        print(line)
    return int(any(result.difference is not None for _, result in results))


if __name__ == "__main__":
    sys.exit(main())
