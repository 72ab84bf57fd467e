"""`make laws`: each law of LAWS.bend with its state, where its proof is, and how long that took to check."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from json import dumps
from pathlib import Path
from time import perf_counter
from typing import Annotated, NamedTuple

import typer
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


def laws(
    open_: Annotated[bool, typer.Option("--open", help="List open laws, and do not fail for them.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the table as JSON.")] = False,
    root: Annotated[Path, typer.Option(help="The folder of LAWS.bend and PROOF.bend.", metavar="FOLDER")] = ROOT,
) -> None:
    """Check the proofs of the laws, and show each law with its state.

    Exits with 0 when every law is proven, with 1 when one is open or a proof fails.

    Example:

        optchat laws --open
    """
    laws_file, proof = root / "LAWS.bend", root / "PROOF.bend"
    for path in (laws_file, proof):
        if not path.is_file():
            raise typer.BadParameter(f"{path} is not there: run it in a checkout, or give --root")
    start = perf_counter()
    report = check_file(proof, main=False)
    seconds = perf_counter() - start
    proofs = judge(read_claims(laws_file), report, laws_file)
    unproven = [each for each in proofs if each.state != "proven"]
    agrees, said = installed_bend(root)
    # The claims that LAWS.bend leaves open are no error of a proof.
    sound = (report.ok or report.todos == len(unproven) > 0) and not report.unsafe and agrees
    good = sound and (open_ or not unproven)
    if json:
        print_json(proofs, good, report.unsafe, said)
    else:
        print_table(proofs, report, sound, said)
        print(f"checked by our own checker in {seconds:.1f} s")
        print(CHECKS if sound and not unproven else FAILS)
    raise typer.Exit(int(not good))


def print_json(proofs: list[Proof], good: bool, unsafe: list[str], said: list[str]) -> None:
    rows = [
        {**each.claim._asdict(), "state": each.verdict, "proof": each.place, "seconds": each.seconds} for each in proofs
    ]
    print(dumps({"ok": good, "laws": rows, "unsafe": unsafe, "bend": said}, indent=2))


def print_table(proofs: list[Proof], report: Report, sound: bool, said: list[str]) -> None:
    console = Console()
    console.width = max(console.width, 120)
    console.print(table_of(proofs))
    if report.error is not None and not sound:
        console.print(render_error(report.error, report.sources), markup=False, highlight=False)
    if report.unsafe:
        print(f"these defs skip the termination check, and a law may rest on none such: {', '.join(report.unsafe)}")
    for line in said:
        print(line)
    proven = sum(1 for each in proofs if each.state == "proven")
    for proof in proofs:
        if proof.state != "proven":
            print(f"open: {proof.claim.name}")
    lemmas = sum(1 for item in report.items if item.law) - len(proofs)
    print(f"{proven} of {len(proofs)} laws are proven, {len(proofs) - proven} are open; {lemmas} lemmas")


if __name__ == "__main__":
    typer.run(laws)
