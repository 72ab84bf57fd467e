"""What a change may not edit or remove: the guard, on pieces of text and on proposals to this checkout's own files."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from optchat_bridge.check.change import check_change
from optchat_bridge.check.guarded import touched
from stateful_tests.conformance.proposals import GOLDEN, PREDICATES, gate, patch_of, proposed
from stateful_tests.house import ROOT

CONTRACT, BREAK, LAW = "stateful_tests/contracts/of_x.py", "stateful_tests/breaks/of_x.py", "LAWS.bend"
SPEC, MACHINE = "spec/optchat_spec/x.py", "stateful_tests/machines/test_x.py"
MADE = "from stateful_tests.breaks.catalogue import broken\n"
VIEWS = "def _view(judge, predicate, says): pass\nV = (_view(judges.x, laws.x, 'c'),)\n"


@pytest.mark.parametrize(
    ("path", "before", "after", "expected"),
    [
        # What may be: more, other comments and docstrings, anything elsewhere.
        (CONTRACT, "def f(): return 1", "def f(): return 1\ndef g(): return 2", []),
        (CONTRACT, "def f():\n    'says'\n    return 1", "# why\ndef f():\n    'says it'\n    return 1", []),
        (BREAK, "ALL = (a, b)", "ALL = (a, c, b)", []),
        (BREAK, "OF = {'a': 1}", "OF = {'b': 2, 'a': 1}", []),
        (CONTRACT, "from a import b", "from a import b, c\nimport d", []),
        (LAW, "law a:\n  x\n", "# more\nlaw a:\n  x\n\nlaw b:\n  y\n", []),
        ("impl/optchat/core/view.py", "def f(): return 1", "def f(): return 2", []),
        # What may not.
        (CONTRACT, "def f(): return 1", "def f(): return 2", ["f edited"]),
        (CONTRACT, "def f(): return 1", "def f(): return 1\ndef f(): return 2", ["f edited"]),
        (CONTRACT, "from a import f", "from a import f\ndef f(): pass", ["f edited"]),
        (CONTRACT, "from a import f", "from b import f", ["f edited"]),
        (CONTRACT, "@contract('a')\ndef f(): pass", "@contract('b')\ndef f(): pass", ["f edited"]),
        (CONTRACT, "def f(): return 1", "def f(): return 1\nf = None", ["f edited"]),
        (CONTRACT, "def f(): return 1", "def f(): return 1\nlaws.g = None", ["laws.g added, and runs"]),
        (CONTRACT, "def f(): return 1", "def f(): return 1\nif x:\n    f = 2", ["if x:\n    f = 2 added, and runs"]),
        (CONTRACT, "def f(): return 1", None, ["file of 1 removed"]),
        (CONTRACT, "def f(): return 1", "def f(: return 1", ["f removed"]),
        (BREAK, "ALL = (a, b)", "ALL = (a,)", ["ALL: b removed"]),
        (BREAK, "ALL = (a, a)", "ALL = (a,)", ["ALL: a edited"]),
        (BREAK, "ALL = (made('a', 1),)", "ALL = (made('a', 2),)", ["ALL: a edited"]),
        (BREAK, "ALL = (a, b)", "ALL = (a, b)[1:]", ["ALL edited"]),
        (BREAK, "LIMIT = 3", "LIMIT = 4", ["LIMIT edited"]),
        (LAW, "law a:\n  x\n", "law a:\n  y\n", ["a edited"]),
        (LAW, "law a:\n  x\nlaw b:\n  y\n", "law b:\n  y\n", ["a removed"]),
        ("bend/spec.bend", "def d() -> Bool:\n  True{}\n", "def d() -> Bool:\n  False{}\n", ["d edited"]),
        ("bend/spec_work.bend", "def d() -> Bool:\n  True{}\n", "def d() -> Bool:\n  False{}\n", ["d edited"]),
        # What would act, or hide what is there, though it looks like more.
        (SPEC, "def f(): return 1", "def f(): return 1\nX = [LAWS.update({}) for n in LAWS]", ["X added, and runs"]),
        (SPEC, "def f(): return 1", "def f(): return 1\nX = (f(),)", ["X added, and runs"]),
        (SPEC, "def f(): return 1", "def f(): return 1\nX: f() = 1", ["X added, and runs"]),
        (SPEC, "def f(): return 1", "def f(): return 1\nX = (f := 2)", ["X added, and runs"]),
        (SPEC, "def f(): return 1", "def f(): return 1\nX = f = lambda: 2", ["X = f added, and runs"]),
        (BREAK, "ALL = (a, b)", "ALL = (a, b)\nSEEN = ALL = ALL[:1]", ["SEEN = ALL added, and runs"]),
        (SPEC, "A, f = 1, 2", "A, f = 1, 2\ndef f(): return 1", ["f added, and runs"]),
        (SPEC, "import a.b", "import a.b\ndef a(): pass", ["a added, and runs"]),
        (SPEC, "from a import f", "from a import f\nfrom b import *", ["* added, and runs"]),
        (SPEC, "def f(): return len(x)", "def f(): return len(x)\ndef len(x): return 0", ["len added, and runs"]),
        (SPEC, "def f(): return len(x)", "def f(): return len(x)\nfrom a import len", ["len added, and runs"]),
        (SPEC, "", "def __getattr__(name): return 1", ["__getattr__ added, and runs"]),
        (SPEC, "", "def f(x=LAWS.clear()): pass", ["f added, and runs"]),
        (SPEC, "", "def f(): pass\n@f\ndef g(): pass", ["g added, and runs"]),
        (SPEC, "", "class A:\n    LAWS.clear()", ["A added, and runs"]),
        (SPEC, "", "class A:\n    x = LAWS.clear()", ["A added, and runs"]),
        (SPEC, "", "class A(metaclass=f): pass", ["A added, and runs"]),
        (SPEC, "", "class A: pass\nclass B(A): pass", ["B added, and runs"]),
        (SPEC, "", "class A: pass\nX = A[1]", ["X added, and runs"]),
        (CONTRACT, "", "from evil import contract\n@contract('a')\ndef f(): pass", ["f added, and runs"]),
        (BREAK, "OF = {'a': 1}", "OF = {'a': 1, 'a': 2}", ["OF: 'a' edited"]),
        (BREAK, "OF = {'a': 1}", "OF = {'a': 1, 'a' + '': 2}", ["OF: 'a' + '' added, and runs"]),
        (BREAK, "OF = {'a': 1}", "OF = {'a': 1, **more}", ["OF: more added, and runs"]),
        (BREAK, "OF = {'a': 1}", "OF = {'a': 1, 'b': f()}", ["OF: 'b' added, and runs"]),
        (BREAK, f"{MADE}ALL = (broken('a', 1),)", f"{MADE}ALL = (broken('a', 1), broken('a', 2))", ["ALL: a edited"]),
        (BREAK, f"{MADE}ALL = (broken('a', 1),)", f"{MADE}ALL = (broken('a', 1), f('b'))", ["ALL: b added, and runs"]),
        (SPEC, f"{VIEWS}A = ()", f"{VIEWS}A = (_view(calm, laws.x, 'c'),)", ["A: _view(calm, laws.x, 'c') edited"]),
        (
            SPEC,
            "def f(): return 1",
            "# coding: raw_unicode_escape\ndef f(): return 1",
            ["coding raw_unicode_escape added"],
        ),
        ("impl/x.py", "", "#!x\n# vim: fileencoding=utf-7\n", ["coding utf-7 added"]),
        ("stateful_tests/breaks/known_mutants.txt", "a\n", "a\nb\n", ["its text edited"]),
        ("stateful_tests/breaks/pytest.ini", "", "[pytest]\n", ["pytest.ini added"]),
        ("stateful_tests/core/More.TOML", "", "x = 1\n", ["More.TOML added"]),
        (MACHINE, "def test_x(): pass", "def _test_x(): pass\ntest_x = None", ["test_x removed"]),
        (MACHINE, "def test_x(): pass", "def test_x(): pass\ntest_x = None", ["test_x removed"]),
        (MACHINE, "TestA = A.TestCase", "TestA = None", ["TestA removed"]),
        (MACHINE, "TestA = A.TestCase", "", ["TestA removed"]),
        # The forms of today.
        (BREAK, f"{MADE}ALL = (broken('a', 1),)", f"{MADE}ALL = (broken('a', 1), broken('b', 2))", []),
        (BREAK, "", f"{MADE}ALL = (broken('a', 1),)", []),
        (SPEC, f"{VIEWS}A = ()", f"{VIEWS}A = (_view(judges.y, laws.y, 'c'),)", []),
        (
            CONTRACT,
            "",
            "from stateful_tests.contracts.contract import contract\n@contract('a')\ndef f(x: int): pass",
            [],
        ),
        (SPEC, "", "from typing import NamedTuple\nclass A(NamedTuple):\n    'says'\n    x: int = 1\nL = list[A]", []),
        (SPEC, "import a.b", "import a.b\nimport a.c\nX = lambda: f()", []),
        (SPEC, "# coding: utf-8\n", "# coding: utf-8\nX = 1\n", []),
        (MACHINE, "def test_x(): pass", "def test_x(): return 1\nTestA = A.TestCase", []),
    ],
)
def test_what_is_guarded(path: str, before: str, after: str | None, expected: list[str]) -> None:
    found = touched({path: before}, {} if after is None else {path: after})
    assert [f"{each.piece} {each.what}" for each in found] == expected


def test_every_guarded_file_of_this_checkout_is_read_as_pieces() -> None:
    for path in [*ROOT.glob("spec/optchat_spec/*.py"), *ROOT.glob("stateful_tests/breaks/*.py"), ROOT / "LAWS.bend"]:
        name, text = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        assert touched({name: text}, {name: text}) == []
        if text.strip():
            assert touched({name: text}, {name: ""}) != [] or "import" not in text


def lines_of(text: str, name: str) -> str:
    """The lines of a definition, or of the entry of a collection that begins with this name."""
    lines = text.splitlines(keepends=True)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            return "".join(lines[first - 1 : node.end_lineno])
        if isinstance(node, ast.Call) and node.args and ast.unparse(node.args[0]) == repr(name):
            return "".join(lines[node.lineno - 1 : node.end_lineno])
    raise AssertionError(f"there is no {name}")


VIEW_BREAKS, VIEW_CONTRACTS = "stateful_tests/breaks/of_view.py", "stateful_tests/contracts/of_view.py"
MACHINES, LISTS = "stateful_tests/machines/test_store_machine.py", "stateful_tests/laws/test_lists.py"
LISTS_TEST = "test_every_law_has_its_predicate_its_machine_and_its_contract"
EVENTS = "spec/optchat_spec/generate.py"

CUTS = {
    "a break": (VIEW_BREAKS, "least_due", "break BREAKS: least_due"),
    "a contract": (VIEW_CONTRACTS, "merge_covers", "contract merge_covers"),
    "a machine": (MACHINES, "StoreMachine", "machine StoreMachine"),
    "a predicate": (PREDICATES, "merge_covers", "predicate merge_covers"),
    "the generator of events": (EVENTS, "next_event", "predicate next_event"),
    "a test of the lists": (LISTS, LISTS_TEST, f"test {LISTS_TEST}"),
}
"""A definition or an entry that is cut out of a file, and what it is to the guard."""


@pytest.mark.parametrize("what", CUTS)
def test_what_is_cut_out_is_refused(
    what: str, repository: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path, name, piece = CUTS[what]
    cut = lines_of((repository / path).read_text(encoding="utf-8"), name)
    is_refused(repository, patch_of(repository, tmp_path, path, cut, ""), f"{piece} ({path}) is removed", capfd)


ANY_CHAT = "law view_covers:\n  for es: List<&2, Chats.Happening>\n  for +c: Chats.Config\n"
EDITS = {
    "a law": ("LAWS.bend", f"{ANY_CHAT}  Spec.Tiles(", f"{ANY_CHAT}  Spec.Tiled(", "law view_covers"),
    "a law's name": ("LAWS.bend", "law view_covers:", "law view_covers_all:", "law view_covers"),
    "a break": (VIEW_BREAKS, '"the least due pair merges first"', '"a pair merges"', "break BREAKS: least_due"),
    "a contract": (
        VIEW_CONTRACTS,
        "merge_covers(6, fitted.lines",
        "merge_covers(5, fitted.lines",
        "contract merge_covers",
    ),
    "an event of the generator": (EVENTS, 'case "reopen":', 'case "reopens":', "predicate next_event"),
    "a golden case": (GOLDEN, "eta_by_match.bend\taccept", "eta_by_match.bend\treject", "golden case its text"),
}


@pytest.mark.parametrize("what", EDITS)
def test_what_is_edited_is_refused(
    what: str, repository: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path, old, new, piece = EDITS[what]
    word = "removed" if what == "a law's name" else "edited"
    is_refused(repository, patch_of(repository, tmp_path, path, old, new), f"{piece} ({path}) is {word}", capfd)


@pytest.mark.parametrize("path", [GOLDEN, PREDICATES, VIEW_BREAKS, VIEW_CONTRACTS, MACHINES, LISTS, "LAWS.bend"])
@pytest.mark.parametrize("moved", [False, True])
def test_a_file_that_goes_away_is_refused(
    path: str, moved: bool, repository: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    there = repository / path
    other = there.with_name(f"other{there.suffix}")
    patch = proposed(repository, tmp_path, (lambda: there.rename(other)) if moved else there.unlink)
    where = f"moved to {other.relative_to(repository).as_posix()}" if moved else "removed"
    is_refused(repository, patch, f"({path}) is {where}", capfd)


def test_a_package_without_its_root_would_be_judged_as_it_is_installed(
    repository: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = "impl/optchat/__init__.py"
    patch = proposed(repository, tmp_path, (repository / path).unlink)
    is_refused(repository, patch, f"module optchat ({path}) is removed: an installed one would be judged", capfd)


def is_refused(repository: Path, patch: Path, told: str, capfd: pytest.CaptureFixture[str]) -> None:
    """The gate refuses it and runs nothing; with the flag it goes on, and says so at the top."""
    status, said = gate(repository, str(patch), capfd)
    assert (status, said["refused"]) == (1, True)
    assert [step["verdict"] for step in said["steps"]] == ["not judged"]
    assert check_change(str(patch), True, False, None, steps=(), folder=repository) == 0
    first, *rest = capfd.readouterr().out.splitlines()
    assert first.startswith("CHANGES WHAT IT IS JUDGED BY")
    assert [line for line in rest if line.endswith(told)]
