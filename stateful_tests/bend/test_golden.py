"""The golden cases and the cookbook: the verdict, the value of main, and the reason of a reject."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest

from optchat_bridge.bend.report import check_file, render

GOLDEN = Path(__file__).parent / "golden"
RULES = Path(__file__).parent / "rules"


class Case(NamedTuple):
    """A row of the table of verdicts: the path of the entry, the verdict, and the value of main."""

    path: str
    verdict: str
    value: str


def cases() -> list[Case]:
    lines = (GOLDEN / "cases" / "expected.tsv").read_text(encoding="utf-8").split("\n")[1:]
    return [Case(*line.split("\t")[:3]) for line in lines if line]


def own(kind: str) -> list[tuple[str, str, str]]:
    """Our own cases: a name, the value of main, a fragment of the message or what is not in our part, and the text."""
    parts = (RULES / f"{kind}.txt").read_text(encoding="utf-8").split("\n## ")[1:]
    heads = [part.partition("\n") for part in parts]
    return [(head.split(" | ")[0], head.split(" | ")[1], text) for head, _, text in heads]


def test_the_table_is_whole() -> None:
    assert len(cases()) == 461
    assert {case.verdict for case in cases()} == {"accept", "reject"}


@pytest.mark.parametrize("case", cases(), ids=[case.path for case in cases()])
def test_case(case: Case) -> None:
    path = GOLDEN / "cases" / case.path
    report = check_file(path)
    shown = render(report)
    assert shown.startswith("ALL PROOFS CHECK" if case.verdict == "accept" else "SOME PROOFS FAIL"), shown
    if case.verdict == "accept":
        assert (report.main or "").replace("\n", "\\n") == case.value
    else:
        wanted = path.read_text(encoding="utf-8").split("\n")[1].split(": ", 1)[1]
        assert wanted in shown


COOKBOOK = [*sorted((GOLDEN / "cookbook").glob("*.bend")), GOLDEN / "cookbook" / "30_project" / "PROOF.bend"]


@pytest.mark.parametrize("path", COOKBOOK, ids=[path.stem for path in COOKBOOK])
def test_cookbook(path: Path) -> None:
    report = check_file(path)
    assert report.ok, render(report)
    assert report.items
    assert not report.unsafe


@pytest.mark.parametrize(("name", "value", "text"), own("accept"), ids=[name for name, _, _ in own("accept")])
def test_own_accepted(name: str, value: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.bend"
    path.write_text("import Base\n" + text, encoding="utf-8")
    report = check_file(path)
    assert report.ok, render(report)
    assert (report.main or "") == value


@pytest.mark.parametrize(("name", "what", "text"), own("outside"), ids=[name for name, _, _ in own("outside")])
def test_own_outside(name: str, what: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.bend"
    path.write_text("import Base\n" + text, encoding="utf-8")
    line = 2 + text[: text.index("# here")].count("\n")
    shown = render(check_file(path))
    assert f"Error:\n- message : {what} (not in our part of Bend)\nLocation: {path}:{line}\n" in shown


@pytest.mark.parametrize(("name", "fragment", "text"), own("reject"), ids=[name for name, _, _ in own("reject")])
def test_own_rejected(name: str, fragment: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.bend"
    path.write_text("import Base\n" + text, encoding="utf-8")
    report = check_file(path)
    assert not report.ok
    assert fragment in render(report)


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder / "main.bend"


MODULES: list[tuple[str, dict[str, str], str]] = [
    (
        "Base through a module",
        {"main.bend": "import ./m.bend as M\ndef main() -> Nat:\n  Nat.add(M.one(), 1n)\n"},
        "main = 2n",
    ),
    ("unqualified", {"main.bend": "import Base\nimport ./m.bend as M\ndef f() -> Nat:\n  one()\n"}, "a defined name"),
    ("a cycle", {"main.bend": "import ./c.bend as C\n", "c.bend": "import ./main.bend as M\n"}, "an import cycle"),
    (
        "a name that the import lacks",
        {"main.bend": "import Base\nimport ./m.bend as M\ndef f() -> Nat:\n  M.one()\n", "m.bend": "import Base\n"},
        "a defined name",
    ),
    (
        "a law of a module filled twice",
        {
            "main.bend": "import Base\nimport ./l.bend as L\ndef L.a():\n  {==}\ndef L.a():\n  {==}\n",
            "l.bend": "import Base\nlaw a:\n  {1n == 1n : Nat}\n",
        },
        "a fresh name (L is an import's alias)",
    ),
    (
        "the entry's names are not a module's",
        {
            "main.bend": "import Base\nimport ./u.bend as U\ndef here() -> Nat:\n  1n\n",
            "u.bend": "import Base\ndef f() -> Nat:\n  here()\n",
        },
        "a defined name",
    ),
    (
        "a name under an alias is not the entry's dotted name",
        {
            "main.bend": "import Base\nimport ./u.bend as U\ndef m.spec(n: Nat) -> Nat:\n  n\ndef U.safe(n):\n  {==}\n",
            "u.bend": "import Base\nimport ./m.bend as M\nlaw safe:\n  for n: Nat\n  {n == M.spec(n) : Nat}\n",
            "m.bend": "import Base\n",
        },
        "observed : M.spec",
    ),
    (
        "a law under an alias is not the entry's dotted one",
        {
            "main.bend": "import Base\nimport ./m.bend as M\nlaw m.a:\n  {1n == 1n : Nat}\ndef M.a():\n  {==}\n",
            "m.bend": "import Base\n",
        },
        "a fresh name (M is an import's alias)",
    ),
    (
        "a module's names need its alias",
        {"main.bend": "import Base\nimport ./m.bend as M\ndef f() -> Nat:\n  m.one()\n"},
        "a defined name",
    ),
    (
        "an alias and a bare name",
        {
            "main.bend": "import Base\nimport ./n.bend as Nat\ndef f() -> Nat:\n  Nat.add(1n, 2n)\n",
            "n.bend": "import Base\ndef add(a: Nat, b: Nat) -> Nat:\n  a\n",
        },
        "an unambiguous name",
    ),
    (
        "a module that is read before Base",
        {
            "main.bend": "import ./n.bend as N\nimport Base\n",
            "n.bend": "def one() -> Nat:\n  1n\n",
        },
        "a defined name",
    ),
    (
        "a module that is read behind Base",
        {
            "main.bend": "import Base\nimport ./n.bend as N\ndef main() -> Nat:\n  N.one()\n",
            "n.bend": "def one() -> Nat:\n  1n\n",
        },
        "main = 1n",
    ),
    (
        "a module before Base that takes its name",
        {
            "main.bend": "import ./n.bend as N\nimport Base\n",
            "n.bend": "type Nat is Data:\n  None2{}\n",
        },
        "- message : Nat, a name of Base, in a module that is read before Base (not in our part of Bend)\n"
        "Location: n.bend:1",
    ),
    (
        "a module before Base that takes its constructor",
        {
            "main.bend": "import ./n.bend as N\nimport Base\n",
            "n.bend": "def one() -> Type:\n  Type\ntype Mine is Data:\n  Some{}\n",
        },
        "- message : Some, a constructor of Base, in a module that is read before Base (not in our part of Bend)\n"
        "Location: n.bend:3",
    ),
]


@pytest.mark.parametrize(("files", "fragment"), [each[1:] for each in MODULES], ids=[each[0] for each in MODULES])
def test_modules(files: dict[str, str], fragment: str, tmp_path: Path) -> None:
    module = {"m.bend": "import Base\ndef one() -> Nat:\n  1n\n"}
    report = check_file(write(tmp_path, module | files))
    shown = render(report).replace(f"{tmp_path}{os.sep}", "")
    assert fragment in shown
    assert report.ok == fragment.startswith("main = ")


@pytest.mark.parametrize(("name", "shown"), [("m", "ALL PROOFS CHECK"), ("none", "none.bend: no such file")])
def test_a_module_by_its_path_from_the_root(name: str, shown: str) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="bend_") as folder:  # only plain names may stand in a path
        main = write(
            Path(folder),
            {
                "main.bend": f"import Base\nimport {folder}/{name}.bend as M\nimport ./m.bend as N\n"
                "def same() -> {M.one() == N.one() : Nat}:\n  {==}\n",
                "m.bend": "import Base\ndef one() -> Nat:\n  1n\n",
            },
        )
        assert shown in render(check_file(main))
