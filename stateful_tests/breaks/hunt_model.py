"""Hunt for a break of the Bend model: `python -m stateful_tests.breaks.hunt_model HUNTER LAW...` prints a catch.

The broken copy has bend/, LAWS.bend and PROOF.bend. `bend` checks the proofs of the named laws, each with all that it
rests on and nothing else; the model itself must still type, or nothing was caught. `bridge` compiles the broken model
and plays scenarios on it and on the planner.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from typing import NamedTuple

from optchat.core.config import Config
from optchat_bridge.bend.compile_build import build_binary
from optchat_bridge.bend.limits import deep
from optchat_bridge.oracle import scenario
from optchat_bridge.oracle.compare import OracleFault, binary_oracle, compare
from optchat_bridge.oracle.scenes import SCENES, Scene, Writer
from stateful_tests.breaks.bend_book import Book
from stateful_tests.breaks.catalogue import Break
from stateful_tests.breaks.tree import ROOT, edited

FLAGS = ("-std=c99", "-O1")
"""The C compiler's: to compile takes longer than to run a few small scenarios."""


def sizes(random: Random) -> list[str]:
    """Summaries of no byte, of NODE bytes and of one more, which the other scenes do not offer."""
    writer = Writer(Config(node=64, ceiling=600, floor=300, cceiling=400, cfloor=200), random)
    for _ in range(60):
        writer.message()
        for node in list(writer.player.planner.candidates()):
            writer.do(scenario.started(node))
            for size in random.sample((0, 65, 64, 66), 4):
                writer.do(scenario.built(node, "w" * size))
    return writer.lines


QUICK = (
    Scene("sizes of summaries", sizes),
    *(scene for scene in SCENES if scene.name in ("model replies, 400", *(f"any sizes, {k}" for k in range(7)))),
)
HANGS = 20.0
"""Seconds after which a broken model is taken to run for ever; the true one needs 2 for each of these scenes."""


class Catch(NamedTuple):
    """The law that was broken (None: no named one was seen to be), how it was told, and processor seconds."""

    law: str | None
    says: str
    seconds: float


def broken_model(broken: Break, folder: Path) -> Path:
    """Copy the model, its laws and its proofs to `folder`, and break the model there. Raises Rotten."""
    shutil.copytree(ROOT / "bend", folder / "bend", ignore=shutil.ignore_patterns("*.py", ".*", "__pycache__"))
    for name in ("LAWS.bend", "PROOF.bend"):
        shutil.copy(ROOT / name, folder / name)
    for edit in broken.edits:
        path = folder / edit.file
        path.write_text(edited(path.read_text(encoding="utf-8"), edit), encoding="utf-8")
    return folder


def claims(folder: Path, laws: Iterable[str]) -> tuple[str | None, str]:
    """The first named law whose proof fails, and the lemma in which it does."""

    def work() -> tuple[str | None, str]:
        told = "every proof checks"
        for law in laws:
            fault = Book(folder / "PROOF.bend").law_fault(law)
            if fault is None:
                continue
            if fault.file == "PROOF.bend" or fault.file.startswith("bend/proof/"):
                return law, f"{fault.file}: {fault.name.rpartition('/')[2]}: {fault.says}"
            told = f"the broken model does not type: {fault.file}: {fault.name}: {fault.says}"
        return None, told

    return deep(work)


def bridge(folder: Path, laws: Iterable[str]) -> tuple[str | None, str]:
    """Whether a scenario differs: the law is then `bridge`."""
    if "bridge" not in laws:
        return None, "its laws are not the bridge's"
    oracle = binary_oracle(build_binary(folder / "bend" / "bridge.bend", flags=FLAGS), HANGS)
    for scene in QUICK:
        try:
            found = compare(scene.lines(), oracle).difference
        except OracleFault as fault:
            return "bridge", f"{scene.name}: {fault}"
        if found is not None:
            return (
                "bridge",
                f"{scene.name}: event {found.at} ({found.event[:24]}) differs in {column(found.ours, found.oracle)}",
            )
    return None, "planner and model say the same"


def column(ours: str, theirs: str) -> str:
    """The first line of two pages that differs, by its word."""
    for mine, other in zip(ours.splitlines(), theirs.splitlines(), strict=False):
        if mine != other:
            return f"'{mine[:60]}' / '{other[:60]}'"
    return "its length"


HUNTERS: dict[str, Callable[[Path, Iterable[str]], tuple[str | None, str]]] = {"bend": claims, "bridge": bridge}


def seconds() -> float:
    """Processor seconds of this process and of those that it ran."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def main(hunter: str, laws: list[str]) -> None:
    folder = Path(os.environ["OPTCHAT_BROKEN_COPY"])
    os.environ["OPTCHAT_BUILD"] = str(folder / "build")  # a broken binary is nobody's to find again
    law, says = HUNTERS[hunter](folder, laws)
    print(json.dumps(Catch(law, " ".join(says.split())[:300], seconds())._asdict()))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
