"""The gate's steps: whose fault a failure is, which steps a change cannot touch, and what none of them may overlook."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from optchat.cli.status import Failure
from optchat_bridge.check.change import check_change
from optchat_bridge.check.steps import PYTEST, PYTHON, STEPS, Step, faults_of, run
from optchat_bridge.check.stopping import output_of
from stateful_tests.conformance.proposals import VIEW, adding, copy_files, gate, git, patch_of, proposed
from stateful_tests.house import ROOT

BY_NAME = {step.name: step for step in STEPS}
HOUSE = BY_NAME["house rules"]


@contextmanager
def committed(repository: Path, path: str, text: str) -> Iterator[None]:
    """In here HEAD has this file too."""
    (repository / path).write_text(text)
    git(repository, "add", path)
    git(repository, "commit", "--quiet", "-m", "more")
    try:
        yield
    finally:
        git(repository, "reset", "--quiet", "--hard", "HEAD~1")


def test_a_fault_that_was_there_before_is_not_the_changes(
    repository: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    old, own = "docs/old.md: blanks at the end of a line", "docs/own.md: blanks at the end of a line"
    with committed(repository, "docs/old.md", "bad \n"):
        harmless = adding("docs/own.md", "good\n", tmp_path)
        status, said = gate(repository, str(harmless), capfd, steps=[HOUSE])
        step = said["steps"][0]
        assert (status, said["good"], step["verdict"], step["faults"]) == (0, True, "broken before", [])
        assert [fault[: len(old)] for fault in step["faults_before"]] == [old]
        check_change(str(harmless), False, False, None, steps=[HOUSE], folder=repository)
        assert capfd.readouterr().out.splitlines()[-1].endswith("it holds; broken before it: house rules")

        worse = adding("docs/own.md", "bad \n", tmp_path)
        status, said = gate(repository, str(worse), capfd, steps=[HOUSE])
        step = said["steps"][0]
        assert (status, said["good"], step["verdict"]) == (1, False, "broken")
        assert [fault[: len(own)] for fault in step["faults"]] == [own]
        assert [fault[: len(old)] for fault in step["faults_before"]] == [old]

        mended = proposed(repository, tmp_path, lambda: (repository / "docs/old.md").write_text("good\n"))
        status, said = gate(repository, str(mended), capfd, steps=[HOUSE])
        assert (status, said["steps"][0]["verdict"]) == (0, "held")


def test_what_a_step_leaves_is_kept_where_it_is_a_history_and_gone_where_it_is_not(
    repository: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code = (
        "import pathlib, sys, tempfile; pathlib.Path('optchat-check').mkdir(); "
        "pathlib.Path('optchat-check/law.jsonl').write_text('{}'); "
        "pathlib.Path('optchat-check/link.jsonl').symlink_to('/dev/zero'); "
        "pathlib.Path('optchat-check/folder.jsonl').mkdir(); print(tempfile.mkdtemp()); sys.exit(1)"
    )
    out = tmp_path / "out"
    step = Step("leaves", "", (PYTHON, "-c", code))
    status, said = gate(repository, str(adding("more", "x\n", tmp_path)), capfd, steps=[step], out=out)
    assert status == 1
    assert [(path.name, path.read_text()) for path in out.iterdir()] == [("law.jsonl", "{}")]
    assert not Path(said["steps"][0]["output"][-1]).exists()


def test_a_crash_is_a_fault_of_its_own(repository: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Where the step failed before with a fault that it names, a change that makes it crash is to blame."""
    code = "import pathlib, sys; sys.exit('FAILED x' if not pathlib.Path('more').exists() else 'no module x')"
    step = Step("crashes", "", (PYTHON, "-c", code))
    status, said = gate(repository, str(adding("more", "x\n", tmp_path)), capfd, steps=[step])
    assert (status, said["steps"][0]["faults"], said["steps"][0]["faults_before"]) == (1, ["no module x"], [])


@pytest.mark.parametrize(
    ("name", "output", "faults"),
    [
        ("house rules", "a/b.py:12: no c\nthe house rules are broken in 1 places\n", ["a/b.py: no c"]),
        ("machines", ".F\nFAILED a/test_b.py::test_c[x] - LawBroken: y\n1 failed\n", ["a/test_b.py::test_c[x]"]),
        ("laws on our planner", "law  verdict\nbroken: view_bytes: 3 and 4 (2 events: x)\n", ["view_bytes"]),
        ("proofs", "open: view_covers\n39 of 40 laws are proven\nSOME PROOFS FAIL\n", ["view_covers"]),
        ("differential", "differs: tiny, late at event 7\n1 scenarios: 1 differ\n", ["tiny, late"]),
        ("breaks", "9 of 10 breaks caught\nunnoticed: least_due\n", ["least_due"]),
        ("contracts", "broken: fit: x\nno contract for the law y\n", ["fit", "no contract for the law y"]),
        ("contracts", "Traceback\nImportError: x\n", ["ImportError: x"]),
    ],
)  # fmt: skip
def test_faults_are_told_apart_by_name(name: str, output: str, faults: list[str]) -> None:
    assert sorted(faults_of(BY_NAME[name], output).elements()) == sorted(faults)


def test_fail_fast_stops_at_the_first_step_that_it_breaks(
    repository: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    steps = [Step("fails", "", (PYTHON, "-c", "import pathlib, sys; sys.exit(pathlib.Path('more').exists())")), HOUSE]
    patch = adding("more", "x\n", tmp_path)
    status, said = gate(repository, str(patch), capfd, steps=steps, fail_fast=True)
    assert (status, [step["verdict"] for step in said["steps"]]) == (1, ["broken", "not judged"])
    status, said = gate(repository, str(patch), capfd, steps=steps)
    assert (status, [step["verdict"] for step in said["steps"]]) == (1, ["broken", "held"])


def test_a_break_that_nobody_sees_any_more_breaks_the_change(
    repository: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The change edits no law, predicate, contract or break: it loosens the test that sees a break."""
    step = BY_NAME["breaks"]
    torn = step._replace(command=(*step.command, "torn_tail_thrown_away"))
    path = "stateful_tests/store/test_torn.py"
    text = re.sub(r"\bassert .*$", "pass", (repository / path).read_text(encoding="utf-8"), flags=re.MULTILINE)
    patch = proposed(repository, tmp_path, lambda: (repository / path).write_text(text, encoding="utf-8"))
    status, said = gate(repository, str(patch), capfd, steps=[torn])
    assert (status, said["refused"], said["harness_changes"]) == (1, False, [path])
    assert (said["steps"][0]["verdict"], said["steps"][0]["faults"]) == ("broken", ["torn_tail_thrown_away"])


@pytest.mark.parametrize("settings", ["addopts = '--co'", "python_files = 'no'", "addopts = '-k no_such_test'"])
def test_the_changes_own_settings_take_no_test_away(
    settings: str, repository: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    step = BY_NAME["store"]._replace(command=(*PYTEST, "stateful_tests/store/test_torn.py"))
    text = f"[tool.pytest.ini_options]\n{settings}\n"
    patch = proposed(repository, tmp_path, lambda: (repository / "pyproject.toml").write_text(text))
    status, said = gate(repository, str(patch), capfd, steps=[step])
    assert (status, said["steps"][0]["verdict"], said["harness_changes"]) == (0, "held", ["pyproject.toml"])


def test_where_no_test_passes_the_step_is_broken(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "test_x.py").write_text("import unittest\n\ndef test_x():\n    raise unittest.SkipTest('x')\n")
    result = run(Step("tests", "", (*PYTEST, "test_x.py")), tmp_path / "tree")
    assert (result.word, result.faults) == ("broken", ("no test passed",))


@pytest.mark.parametrize(
    "code", ["while True: time.sleep(1)", "sys.stdout.close(); os.close(1); os.close(2); time.sleep(600)"]
)
def test_a_step_that_does_not_end_is_ended(code: str, tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    step = Step("hangs", "", (PYTHON, "-c", f"import os, sys, time; print('begun', flush=True)\n{code}"))
    result = run(step, tmp_path / "tree", seconds=2)
    assert (result.word, result.faults) == ("broken", ("it had not ended after 2 s",))
    assert result.output.startswith("begun")


def test_of_an_endless_output_the_end_is_kept(tmp_path: Path) -> None:
    code = "import sys\nfor _ in range(200): sys.stdout.write('x' * 100_000)\nprint('the end')"
    ended = output_of((PYTHON, "-c", code), tmp_path, os.environ, most=1000)
    assert (ended.status, len(ended.output), ended.output[-8:]) == (0, 1000, b"the end\n")
    forever = "import sys\nwhile True: sys.stdout.write('x' * 100_000)"
    ended = output_of((PYTHON, "-c", forever), tmp_path, os.environ, seconds=1, most=1000)
    assert (ended.status, len(ended.output)) == (None, 1000)


# What a step does not read.


def names(files: list[str]) -> list[str]:
    return [step.name for step in STEPS if step.touched_by(files)]


def test_a_change_runs_the_steps_that_it_can_touch() -> None:
    assert names(["README.md"]) == ["house rules"]
    assert names(["README.md", "docs/gate.md"]) == ["house rules"]
    assert names(["docs/laws.md"]) == ["house rules", "list of laws", "breaks", "contracts"]
    assert names([VIEW]) == [name for name in BY_NAME if name not in ("proofs", "our Bend")]
    of_bend = ["house rules", "list of laws", "proofs", "differential", "our Bend", "breaks"]
    assert names(["bridge/optchat_bridge/bend/core.py"]) == of_bend
    # What nobody has thought of is read by all.
    for path in ("pyproject.toml", "conftest.py", "more.py", "stateful_tests/conftest.py", "stateful_tests/new/x.py"):
        assert names([path]) == [step.name for step in STEPS]
    assert names(["README.md", "more.py"]) == [step.name for step in STEPS]


def test_the_folders_of_tests_are_all_known() -> None:
    found = {path.parent.name for path in (ROOT / "stateful_tests").glob("*/test_*.py")}
    unread = "|".join(BY_NAME["laws on our planner"].unread)
    assert {name for name in found if not re.fullmatch(unread, f"stateful_tests/{name}/x.py")} == set()


SMALL = {
    "list of laws": ("-m", "pytest", "stateful_tests/laws", "-k", "lists or page"),
    "slow planner": ("-m", "pytest", "stateful_tests/core"),
    "laws on our planner": ("-m", "optchat_bridge.check", "--events", "300"),
    "store": ("-m", "pytest", "stateful_tests/store/test_chat.py", "stateful_tests/store/test_bad_files.py"),
    "proofs": ("-m", "optchat_bridge.laws", "--root", "small"),
    "differential": ("-m", "optchat_bridge.differential", "--help"),
    "machines": ("-m", "pytest", "stateful_tests/machines", "-k", "scenario or Line or examples"),
    "our Bend": ("-m", "pytest", "stateful_tests/bend/test_command.py"),
    "breaks": ("-m", "stateful_tests.breaks", "batch_to_the_ceiling", "torn_tail_thrown_away", "batch_not_recorded"),
    "contracts": ("-m", "stateful_tests.contracts", "zoom_partitions"),
}  # fmt: skip
"""A small run of each step that can be left out."""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This checkout's files, where nothing of it that is installed is found."""
    folder = tmp_path_factory.mktemp("checkout")
    copy_files(folder, lambda _: True)
    hide = "import sys\nsys.meta_path[:] = [each for each in sys.meta_path if 'editable' not in repr(each)]\n"
    (folder / "sitecustomize.py").write_text(hide)
    (folder / "small").mkdir()
    (folder / "small" / "LAWS.bend").write_text("import Base\n\nlaw one:\n  {1n == 1n : Nat}\n")
    (folder / "small" / "PROOF.bend").write_text("import Base\nimport ./LAWS.bend as Laws\n\ndef Laws.one():\n  {==}\n")
    return folder


@pytest.mark.parametrize("step", [step for step in STEPS if step.unread], ids=lambda step: step.name)
def test_a_step_goes_on_without_what_it_does_not_read(step: Step, checkout: Path, tmp_path: Path) -> None:
    folder = tmp_path / "without"
    shutil.copytree(checkout, folder)
    unread = re.compile("|".join(step.unread))
    for path in sorted(folder.rglob("*")):
        if path.is_file() and unread.fullmatch(path.relative_to(folder).as_posix()):
            path.unlink()
    assert not (folder / "README.md").exists()
    result = run(step, folder, (PYTHON, *SMALL[step.name]))
    assert result.word == "held", result.output


def test_the_steps_are_modules_that_there_are() -> None:
    assert set(SMALL) == {step.name for step in STEPS if step.unread}
    for step in STEPS:
        assert importlib.util.find_spec(step.command[2]) is not None, step
        for path in step.command[3:]:
            assert (ROOT / path).exists(), step


# What is no change, in one line.


def refusal(given: str, folder: Path) -> str:
    with pytest.raises(Failure) as failure:
        check_change(given, False, False, None, steps=(), folder=folder)
    told = str(failure.value)
    assert "\n" not in told
    return told


def test_what_is_no_patch_is_one_line(repository: Path, tmp_path: Path) -> None:
    empty, binary, locked = tmp_path / "empty.patch", tmp_path / "binary.patch", tmp_path / "locked.patch"
    empty.write_text("\n")
    assert refusal(str(empty), repository) == "the patch empty.patch changes nothing"
    binary.write_bytes(bytes(range(256)))
    assert "does not apply" in refusal(str(binary), repository)
    binary.write_text("diff --git a/x.png b/x.png\nnew file mode 100644\nBinary files /dev/null and b/x.png differ\n")
    assert "does not apply" in refusal(str(binary), repository)
    locked.write_text("x")
    locked.chmod(0)
    if not os.access(locked, os.R_OK):
        assert "cannot be read" in refusal(str(locked), repository)
    locked.chmod(stat.S_IRUSR)
    for given in ("", "--help", "-x", "no/such", "main..HEAD", str(tmp_path)):
        assert refusal(given, repository).endswith("is neither a file nor a revision of this repository")


def test_a_binary_patch_is_a_change(repository: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    patch = proposed(repository, tmp_path, lambda: (repository / "x.png").write_bytes(bytes(range(256)) * 9))
    status, said = gate(repository, str(patch), capfd, steps=[HOUSE])
    assert (status, said["files"], said["steps"][0]["verdict"]) == (0, ["x.png"], "held")


def test_what_is_not_committed_is_said_not_to_be_judged(
    repository: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    patch = patch_of(repository, tmp_path, VIEW, "    merged: list[Node] = []\n", "    merged: list[Node] = list()\n")
    (repository / "more.py").write_text("1\n")
    try:
        check_change(str(patch), False, False, None, steps=(), folder=repository)
    finally:
        (repository / "more.py").unlink()
    assert capfd.readouterr().out.splitlines()[0] == "not judged: 1 files of this checkout that differ from HEAD"


def test_a_shallow_clone_says_what_it_lacks(
    repository: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with committed(repository, "docs/more.md", "more\n"):
        shallow = tmp_path / "shallow"
        git(tmp_path, "clone", "--quiet", "--depth", "1", f"file://{repository}", str(shallow))
        assert refusal("HEAD", shallow) == (
            "the commit before HEAD is not here: this clone is shallow, git fetch --unshallow gets the rest"
        )
        status, said = gate(shallow, str(adding("docs/own.md", "good\n", tmp_path)), capfd, steps=[HOUSE])
        assert (status, said["steps"][0]["verdict"]) == (0, "held")
        git(shallow, "checkout", "--quiet", "--orphan", "other")
        git(shallow, "commit", "--quiet", "-m", "of its own")
        assert "no commit in common with HEAD: this clone is shallow" in refusal("main", shallow)


def test_a_checkout_in_a_folder_that_is_no_utf8_is_a_checkout(
    repository: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / os.fsdecode(b"caf\xe9 ")
    git(tmp_path, "clone", "--quiet", str(repository), str(folder))
    status = check_change(
        str(adding("docs/own.md", "good\n", tmp_path)), False, False, None, steps=[HOUSE], folder=folder
    )
    assert (status, capfd.readouterr().out.splitlines()[-1][-8:]) == (0, "it holds")
    (tmp_path / os.fsdecode(b"\xff")).mkdir()
    git(tmp_path / os.fsdecode(b"\xff"), "init", "--quiet")
    assert refusal("HEAD", tmp_path / os.fsdecode(b"\xff")).endswith("is no checkout of OptChat: run it in one")


def test_a_verdict_that_cannot_be_written_is_told_all_the_same(
    repository: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    patch = adding("docs/own.md", "good\n", tmp_path)
    status = check_change(str(patch), False, False, patch / "x.xml", steps=[HOUSE], folder=repository)
    out, err = capfd.readouterr()
    assert (status, out.splitlines()[-1][-8:]) == (4, "it holds")
    assert err.splitlines()[-1].endswith("adding.patch/x.xml cannot be written: a file is where its folder would be")


def test_without_git_or_a_commit_it_is_one_line(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "init", "--quiet")
    (tmp_path / "spec" / "optchat_spec").mkdir(parents=True)
    assert refusal("HEAD", tmp_path).endswith("has no commit that a change could be put on")
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent / "nothing"))
    assert refusal("HEAD", repository) == "there is no git here: a change is held in a checkout, with git installed"
