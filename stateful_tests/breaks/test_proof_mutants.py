"""Mutants of the proofs: a seeded sample here and now (`make breaks` tries them all), and that the trial has teeth."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from optchat_bridge.bend import check as checking
from optchat_bridge.bend.check import Checker
from optchat_bridge.bend.convert import Converter
from optchat_bridge.bend.limits import deep
from optchat_bridge.bend.report import check_file
from stateful_tests.breaks.known_mutants import KNOWN, read_known
from stateful_tests.breaks.mutant_trial import Choice, Trial, Trials
from stateful_tests.breaks.mutants import QUIET, Tally, tally, try_files
from stateful_tests.breaks.proof_mutants import MUTATORS, Mutant, mutants, sites
from stateful_tests.breaks.proof_text import declarations
from stateful_tests.breaks.tree import ROOT

PROOF = ROOT / "PROOF.bend"
ONE_OF = 50


def sample(seed: str) -> Choice:
    """One of so many mutants, the same ones at each run."""

    def choose(made: list[Mutant]) -> list[Mutant]:
        return [mutant for mutant in made if Random(f"{seed} {mutant.key}").randrange(ONE_OF) == 0]

    return choose


def of_kind(kind: str) -> Choice:
    return lambda made: [mutant for mutant in made if mutant.kind == kind]


def test_a_sample_of_the_mutants_is_rejected() -> None:
    files = deep(lambda: Trials(PROOF).proof_files())
    found = try_files(files, sample("proofs"))
    assert found.new == []
    assert sum(found.counts.values()) > 400
    assert len({kind for kind, _ in found.counts}) > 10


def test_the_text_itself_is_the_same() -> None:
    def itself(made: list[Mutant]) -> list[Mutant]:
        return [made[0]._replace(kind="itself", text=made[0].declaration.text)] if made else []

    found = try_files(["bend/proof/views.bend"], itself)
    assert set(found.counts) == {("itself", "the same")}
    assert found.counts["itself", "the same"] > 30


def all_equal(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Converter, "equal", lambda _self, _left, _right: True)


def all_decreasing(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(checking, "decreases", lambda *_: True)


def nothing_used_up(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Checker, "close", lambda _self, usage, _level, _ctx, _pos: usage)


def no_case_missing(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Checker, "empty_in_scope", lambda _self, _ctx: True)


@pytest.mark.parametrize(
    ("weaken", "kind", "file"),
    [
        (all_equal, "body is {==}", "logic"),
        (all_equal, "motive's sides swapped", "views"),
        (all_decreasing, "body is itself", "logic"),
        (nothing_used_up, "hypothesis erased", "logic"),
        (no_case_missing, "case dropped", "logic"),
    ],
    ids=lambda each: getattr(each, "__name__", each),
)
def test_a_checker_without_a_rule_is_found_out(
    monkeypatch: pytest.MonkeyPatch, weaken: Callable[[pytest.MonkeyPatch], None], kind: str, file: str
) -> None:
    weaken(monkeypatch)
    assert len(try_files([f"bend/proof/{file}.bend"], of_kind(kind)).new) > 1


def test_the_checker_says_the_same_of_a_whole_file(tmp_path: Path) -> None:
    """What is tried in place of an item, with the rest admitted, is what a check from the beginning says."""
    shutil.copytree(ROOT / "bend", tmp_path / "bend", ignore=shutil.ignore_patterns("*.py", ".*", "__pycache__"))
    file = "bend/proof/nat.bend"
    text = (ROOT / file).read_text(encoding="utf-8")

    def work() -> list[Trial]:
        return list(
            Trials(PROOF).try_files(
                [file], lambda made: [m for m in made if (file, m.key) in KNOWN or sample("whole")([m])]
            )
        )

    trials = deep(work)
    chosen = [trial for trial in trials if trial.verdict == "accepted"] + trials[:8]
    assert {trial.verdict for trial in chosen} == {"accepted", "rejected"}
    for trial in chosen:
        declaration = trial.mutant.declaration
        end = declaration.start + len(declaration.text)
        mutated = text[: declaration.start] + trial.mutant.text + text[end:]
        (tmp_path / file).write_text(mutated, encoding="utf-8")
        assert check_file(tmp_path / file, main=False).ok == (trial.verdict == "accepted"), trial.mutant.key


def test_every_known_mutant_is_still_made() -> None:
    def made() -> set[tuple[str, str]]:
        trials = Trials(PROOF)
        return {
            (file, mutant.key)
            for file in {file for file, _ in KNOWN}
            for site in trials.sites(file).values()
            for mutant in mutants(site)
        }

    assert set(KNOWN) - deep(made) == set()


def test_a_mutant_is_known_once_and_with_its_reason() -> None:
    head = "what it is\nand how\n"
    assert read_known(f"{head}## because\na.bend | f: kind: x\n") == {("a.bend", "f: kind: x"): "because"}
    for wrong in ("a.bend | x\n", "## because\na.bend | x\na.bend | x\n", "## because\na.bend x\n"):
        with pytest.raises(ValueError, match="known twice, or without a reason"):
            read_known(head + wrong)


TEXT = """\
law swap:
  for +n: Nat
  for m: Nat
  for e: {n == m : Nat}
  {f(n, True{}) == f(m, True{}) : Bool}

def swap(n, m, e):
  match m:
    case 0n:
      %e : {f(n, True{}) == f(_, True{}) : Bool}
      Equal.sym(Nat, a, b, swap(n, 0n, e))
    case 1n+p:
      swap(n, p, other(e, n))
"""


def test_each_kind_of_mutant_is_made() -> None:
    declared = declarations(TEXT)
    made = {
        (mutant.kind, mutant.text)
        for site in sites(declared, {"swap": declared[0].text}, lambda name: "another" if name == "other" else None)
        for mutant in mutants(site)
    }
    law, body = declared[0].text, declared[1].text
    for kind, text in (
        ("case dropped", body[: body.index("    case 1n+p")]),
        ("body is {==}", body.replace("swap(n, p, other(e, n))", "{==}")),
        ("body is itself", body[: body.index("  match")] + "  swap(n, m, e)\n"),
        ("recursion on the whole", body.replace("swap(n, p, other(e, n))", "swap(n, m, other(e, n))")),
        ("rewrite dropped", body.replace("%e : {f(n, True{}) == f(_, True{}) : Bool}\n      ", "")),
        ("motive's sides swapped", body.replace("f(n, True{}) == f(_, True{})", "f(_, True{}) == f(n, True{})")),
        ("underscore moved", body.replace("f(_, True{})", "f(True{}, _)")),
        ("underscore moved", body.replace("{f(n, True{}) ==", "{_ ==")),
        ("evidence flipped", body.replace("%e", "%Equal.sym(Nat, n, m, e)")),
        ("evidence flipped", body.replace("Equal.sym(Nat, a, b, swap(n, 0n, e))", "swap(n, 0n, e)")),
        ("another lemma", body.replace("other(", "another(")),
        ("arguments swapped", body.replace("other(e, n)", "other(n, e)")),
        ("hypothesis ignored", body.replace("other(e, n)", "other({==}, n)")),
        ("value flipped", body.replace("swap(n, 0n, e)", "swap(n, 1n, e)")),
        ("value flipped", body.replace("1n+p", "2n+p")),
        ("claim falsified", law.replace("f(m, True{})", "f(m, False{})")),
        ("claim falsified", law.replace("f(n, True{})", "f(True{}, n)")),
        ("hypothesis erased", law.replace("for e:", "for -e:")),
    ):
        assert (kind, text) in made, (kind, text)


def test_no_mutator_is_idle() -> None:
    found = deep(lambda: tally(Trials(PROOF).try_files(["bend/proof/logic.bend"])))
    assert isinstance(found, Tally)
    assert len({kind for kind, _ in found.counts}) >= len(MUTATORS)
    assert set(QUIET) >= {verdict for _, verdict in found.counts}
