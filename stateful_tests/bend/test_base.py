"""Our Base against the digest: signatures, examples, equations for variables, and what must stay stuck."""

from __future__ import annotations

from pathlib import Path

import pytest

from optchat_bridge.bend.errors import BendError
from optchat_bridge.bend.limits import deep
from optchat_bridge.bend.modules import BASE_DIR, base_parts
from optchat_bridge.bend.report import check_file, render
from optchat_bridge.bend.session import Session

HERE = Path(__file__).parent
STUCK = [line.split(" | ") for line in (HERE / "base" / "stuck.txt").read_text().splitlines()[1:]]


def faults_of_base(empty: Path) -> list[str]:
    """Checks every declaration of Base as if it were the user's; the message of each that fails."""
    session = Session()
    session.load(str(empty))
    faults: list[str] = []
    for entry, filling in session.library.order:
        assert entry.module.base
        session.module = entry.module
        session.checker.file = entry.module.path
        try:
            session._item(entry, filling)
        except BendError as error:
            faults.append(f"{entry.name}: {error}")
        session.checker.complete.add(entry.name)
    return faults


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    path = tmp_path / "empty.bend"
    path.write_text("import Base\n")
    return path


def test_every_declaration_of_base_checks(empty: Path) -> None:
    assert deep(lambda: faults_of_base(empty)) == []


@pytest.mark.parametrize(
    ("part", "old", "new"),
    [
        ("nat.bend", "case 0n, 1n+q:\n      Nat.ge_refl(q)", "case 0n, 1n+q:\n      {==}"),
        ("word.bend", "%Base.bit.carry_comm(x, y, c)", "%Base.bit.carry_comm(y, x, c)"),
        ("map.bend", "case MLeaf{+k, v}:\n      (MLeaf{k, v}", "case MLeaf{k, v}:\n      (MLeaf{k, v}"),
        ("list.bend", "1n+List.length(a, A, t)", "1n+List.length(a, A, h <> t)"),
        ("effect.bend", "IO.pure(A, x)", "IO.pure(A, r)"),
    ],
)
def test_a_fault_in_base_is_seen(
    part: str, old: str, new: str, empty: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "base"
    copy.mkdir()
    for path in [BASE_DIR / "base.bend", *base_parts()]:
        text = path.read_text()
        if path.name == part:
            assert old in text
            text = text.replace(old, new)
        (copy / path.name).write_text(text)
    monkeypatch.setattr("optchat_bridge.bend.modules.BASE_DIR", copy)
    assert len(deep(lambda: faults_of_base(empty))) == 1


@pytest.mark.parametrize("name", ["signatures", "examples", "equations"])
def test_base_is_as_the_digest_says(name: str) -> None:
    report = check_file(HERE / "base" / f"{name}.bend")
    assert report.ok, render(report)
    assert len(report.items) > 60


@pytest.mark.parametrize(("variables", "left", "right", "type_"), STUCK)
def test_what_inspects_another_argument_first_stays_stuck(
    variables: str, left: str, right: str, type_: str, tmp_path: Path
) -> None:
    path = tmp_path / "stuck.bend"
    params = "-" + variables.replace(", ", ", -")
    text = f"import Base\n\ndef f({params}) -> {{{left} == {right} : {type_}}}:\n  {{==}}\n"
    path.write_text(text)
    error = check_file(path).error
    assert error is not None
    assert error.place is not None
    assert text[error.place.pos :].startswith("{==}"), error  # not before: the claim itself is well formed
    assert error.expected != error.observed
