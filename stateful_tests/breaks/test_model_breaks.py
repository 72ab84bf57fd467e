"""The breaks of the Bend model cannot rot: each changes what it names, every law has one, a few are caught here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from stateful_tests.breaks.catalogue import Break, Edit
from stateful_tests.breaks.hunt_model import HUNTERS, broken_model, claims
from stateful_tests.breaks.of_model import BREAKS as OF_THE_VIEW
from stateful_tests.breaks.of_model_work import BREAKS as OF_THE_WORK
from stateful_tests.breaks.tree import ROOT, Rotten

ALL = {broken.name: broken for broken in (*OF_THE_VIEW, *OF_THE_WORK)}
LAWS = re.findall(r"^law (\w+):", (ROOT / "LAWS.bend").read_text(encoding="utf-8"), re.MULTILINE)
QUICK = ("model_due_from_first", "model_unbuilt_parent", "model_batch_to_the_ceiling", "model_resting_started_again")


@pytest.mark.parametrize("broken", ALL.values(), ids=lambda broken: broken.name)
def test_a_break_changes_what_it_names(broken: Break, tmp_path: Path) -> None:
    assert broken.laws
    assert set(broken.laws) <= {*LAWS, "bridge"}
    assert set(broken.hunters) <= set(HUNTERS)
    assert "bridge" in broken.laws or broken.hunters != ("bridge",)
    copy = broken_model(broken, tmp_path / "copy")
    for edit in broken.edits:
        assert edit.file.startswith("bend/")
        assert not edit.file.startswith("bend/proof/")
        assert (copy / edit.file).read_text(encoding="utf-8") != (ROOT / edit.file).read_text(encoding="utf-8")


def test_names_are_unique() -> None:
    assert len(ALL) == len(OF_THE_VIEW) + len(OF_THE_WORK)


def test_every_claim_has_a_break_that_its_proof_must_catch() -> None:
    assert [law for law in LAWS if all(law not in broken.laws for broken in ALL.values())] == []


@pytest.mark.parametrize("name", QUICK)
def test_the_proof_of_the_law_fails(name: str, tmp_path: Path) -> None:
    broken = ALL[name]
    law, says = claims(broken_model(broken, tmp_path / "copy"), broken.laws)
    assert law == broken.laws[0], says


def test_a_model_that_does_not_type_is_nobodys_catch(tmp_path: Path) -> None:
    nonsense = Break("nonsense", "", ("fit_merges_built",), (Edit("bend/views.bend", "View{[], Bits.zero()}", "[]"),))
    law, says = claims(broken_model(nonsense, tmp_path / "copy"), ("view_covers",))
    assert law is None
    assert says.startswith("the broken model does not type: bend/views.bend")


def test_what_breaks_nothing_is_not_caught(tmp_path: Path) -> None:
    old = "def empty() -> View:\n  View{[], Bits.zero()}"
    renamed = Break("renamed", "", ("x",), (Edit("bend/views.bend", old, f"# a comment\n{old}"),))
    assert claims(broken_model(renamed, tmp_path / "copy"), ("fit_merges_built",)) == (None, "every proof checks")


def test_a_text_that_is_gone_is_refused(tmp_path: Path) -> None:
    gone = Break("gone", "", ("x",), (Edit("bend/views.bend", "no such text", ""),))
    with pytest.raises(Rotten, match="0 times"):
        broken_model(gone, tmp_path / "copy")
