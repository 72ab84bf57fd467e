"""`make laws`: each law of LAWS.bend with its state, where its proof is, and how long that took to check."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from optchat_bridge.bend.report import check_file, render_error
from optchat_bridge.bend.session import Report

ROOT = Path(__file__).resolve().parents[2]
CHECKS = "ALL PROOFS CHECK"
FAILS = "SOME PROOFS FAIL"


class Claim(NamedTuple):
    """A law as LAWS.bend states it. A claim without a variable is about named inputs: it is proven by computation."""

    name: str
    area: str
    sentence: str
    line: int
    universal: bool


class Proof(NamedTuple):
    """A claim and what the checker says of it: `proven` or `open`."""

    claim: Claim
    state: str
    place: str
    seconds: float

    @property
    def verdict(self) -> str:
        if self.state != "proven":
            return self.state
        return "proven universally" if self.claim.universal else "proven for the inputs it names"


def read_claims(path: Path) -> list[Claim]:
    """The laws of a file in their order; a law's sentence is the comment above it, its area the section's title."""
    lines = path.read_text(encoding="utf-8").split("\n")
    claims: list[Claim] = []
    area = ""
    comment: list[str] = []
    for at, line in enumerate(lines):
        if line.startswith("# ==="):
            if at + 2 < len(lines) and lines[at + 2] == line:
                area = lines[at + 1].removeprefix("#").strip()
            comment = []
        elif line.startswith("#"):
            comment.append(line.removeprefix("#").strip())
        elif found := re.match(r"law ([\w.]+):", line):
            body = lines[at + 1 : next((k for k in range(at + 1, len(lines)) if not lines[k].strip()), len(lines))]
            universal = any(clause.strip().startswith("for ") for clause in body)
            claims.append(Claim(found[1], area, " ".join(comment), at + 1, universal))
            comment = []
        elif not line.strip():
            comment = []
    return claims


def judge(claims: list[Claim], report: Report, laws_file: Path) -> list[Proof]:
    """What the checker's report says of each claim. A law that it did not get to is open."""
    found = {item.name: item for item in report.items if item.law and item.state == "proven"}
    proofs = []
    for claim in claims:
        done = found.get(f"{laws_file.stem}.{claim.name}")
        if done is None:
            proofs.append(Proof(claim, "open", f"{laws_file.name}:{claim.line}", 0.0))
        else:
            place = os.path.relpath(done.file, laws_file.parent)
            proofs.append(Proof(claim, "proven", f"{place}:{done.line}", done.seconds))
    return proofs


def table_of(proofs: list[Proof]) -> Table:
    table = Table(title="the laws", title_justify="left")
    for column in ("area", "law", "state", "proof"):
        table.add_column(column, overflow="fold")
    table.add_column("seconds", justify="right")
    area = ""
    for proof in proofs:
        shown = proof.claim.area if proof.claim.area != area else ""
        area = proof.claim.area
        style = "" if proof.state == "proven" else "bold yellow"
        seconds = f"{proof.seconds:.2f}" if proof.state == "proven" else ""
        table.add_row(shown, proof.claim.name, proof.verdict, proof.place, seconds, style=style)
    return table


def installed_bend(root: Path) -> tuple[bool, list[str]]:
    """What an installed `bend` says of PROOF.bend, and `--verdict` where Lean is there; and whether it agrees."""
    bend = shutil.which("bend")
    if bend is None:
        needed = os.environ.get("OPTCHAT_REQUIRE_BEND") == "1"
        return not needed, ["no `bend` is installed" + (", and OPTCHAT_REQUIRE_BEND=1 asks for one" if needed else "")]
    said = []
    ok = True
    for option in ["--check-only", *(["--verdict"] if shutil.which("lean") else [])]:
        done = subprocess.run(
            [bend, "PROOF.bend", option],
            cwd=root,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        agrees = done.returncode == 0 and done.stdout.startswith(CHECKS)
        ok = ok and agrees
        first = (done.stdout + done.stderr).strip().split("\n")[0]
        said.append(f"bend PROOF.bend {option}: {first or f'exit status {done.returncode}'}")
    return ok, said


def main(arguments: list[str] | None = None) -> int:
    """0: every law is proven; 1: one is open (unless --open), or a proof fails; 2: there is nothing to check."""
    parser = argparse.ArgumentParser(prog="optchat laws", description=__doc__)
    parser.add_argument("--open", action="store_true", help="only list the laws: an open one is no failure")
    parser.add_argument("--json", action="store_true", help="print the table as JSON")
    parser.add_argument("--root", type=Path, default=ROOT, help="the folder of LAWS.bend and PROOF.bend")
    options = parser.parse_args(arguments)
    laws, proof = options.root / "LAWS.bend", options.root / "PROOF.bend"
    for path in (laws, proof):
        if not path.is_file():
            print(f"optchat laws: {path} is not there: run it in a checkout, or give --root", file=sys.stderr)
            return 2
    start = perf_counter()
    report = check_file(proof, main=False)
    seconds = perf_counter() - start
    proofs = judge(read_claims(laws), report, laws)
    unproven = [each for each in proofs if each.state != "proven"]
    only_open = report.ok or (report.todos > 0 and report.todos == len(unproven))
    agrees, said = installed_bend(options.root)
    trusted = not report.unsafe
    good = only_open and agrees and trusted and (options.open or not unproven)
    if options.json:
        rows = [
            {**each.claim._asdict(), "state": each.verdict, "proof": each.place, "seconds": each.seconds}
            for each in proofs
        ]
        print(json.dumps({"ok": good, "laws": rows, "unsafe": report.unsafe, "bend": said}, indent=2))
        return int(not good)
    console = Console()
    console.width = max(console.width, 120)
    console.print(table_of(proofs))
    if report.error is not None and not only_open:
        console.print(render_error(report.error, report.sources), markup=False, highlight=False)
    if report.unsafe:
        print(f"these defs skip the termination check, and a law may rest on none such: {', '.join(report.unsafe)}")
    for line in said:
        print(line)
    lemmas = sum(1 for item in report.items if item.law) - len(proofs)
    print(f"{len(proofs) - len(unproven)} of {len(proofs)} laws are proven, {len(unproven)} are open; {lemmas} lemmas")
    print(f"checked by our own checker in {seconds:.1f} s")
    print(CHECKS if only_open and trusted and agrees and not unproven else FAILS)
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
