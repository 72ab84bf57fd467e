"""The gate refuses what changes the laws, sees what breaks them, and leaves no trace in the checkout."""

from __future__ import annotations

import importlib.util
import json
import os
import py_compile
import re
import signal
import subprocess
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from optchat.cli.status import Failure
from optchat_bridge.check.change import check_change
from optchat_bridge.check.steps import PYTHON, Step, run
from stateful_tests.breaks.registry import BREAKS
from stateful_tests.breaks.tree import edited
from stateful_tests.conformance.proposals import PREDICATES, QUICK, VIEW, adding, gate, git, patch_of, proposed


def test_a_harmless_change_holds(repository: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    patch = patch_of(repository, tmp_path, VIEW, "    merged: list[Node] = []\n", "    merged: list[Node] = list()\n")
    status, said = gate(repository, str(patch), capfd, junit=tmp_path / "junit.xml")
    assert (status, said["good"], said["files"]) == (0, True, [VIEW])
    assert [step["verdict"] for step in said["steps"]] == ["held"]
    assert len(ElementTree.parse(tmp_path / "junit.xml").findall(".//testcase")) == 2


def test_a_change_that_breaks_a_law_is_told(
    repository: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    broken = BREAKS["batch_to_the_ceiling"].edits[0]
    patch = patch_of(repository, tmp_path, VIEW, broken.old, broken.new)
    status, said = gate(repository, str(patch), capfd)
    assert (status, said["good"], said["refused"]) == (1, False, False)
    assert any(line.startswith("broken: ") for line in said["steps"][0]["output"])


def test_a_revision_is_held_as_a_patch_is(repository: Path, capfd: pytest.CaptureFixture[str]) -> None:
    view = repository / VIEW
    git(repository, "checkout", "--quiet", "-b", "proposal")
    view.write_text(edited(view.read_text(), BREAKS["ceiling_reached"].edits[0]))
    git(repository, "commit", "--quiet", "-am", "propose")
    git(repository, "checkout", "--quiet", "main")
    status, said = gate(repository, "proposal", capfd)
    assert (status, said["files"]) == (1, [VIEW])
    # The same where HEAD has it already.
    git(repository, "checkout", "--quiet", "proposal")
    status, said = gate(repository, "HEAD", capfd)
    git(repository, "checkout", "--quiet", "main")
    assert (status, said["files"]) == (1, [VIEW])


def test_a_weaker_predicate_is_refused(repository: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    old = "    return None if summarized(view, built) else"
    patch = patch_of(repository, tmp_path, PREDICATES, old, "    return None if view or summarized(view, built) else")
    status, said = gate(repository, str(patch), capfd)
    assert (status, said["refused"]) == (1, True)
    assert said["law_changes"] == [
        {"kind": "predicate", "path": PREDICATES, "piece": "view_summarized", "what": "edited"}
    ]
    assert [step["verdict"] for step in said["steps"]] == ["not judged"]
    status, said = gate(repository, str(patch), capfd, allow_law_change=True)
    assert (status, said["refused"], said["law_change_allowed"]) == (0, False, True)
    assert len(said["law_changes"]) == 1
    check_change(str(patch), True, False, None, steps=QUICK, folder=repository)
    first = capfd.readouterr().out.splitlines()[0]
    assert first.startswith("CHANGES WHAT IT IS JUDGED BY")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("no-such-thing", "neither a file nor a revision"),
        ("HEAD", "the first commit"),
        ("garbage.patch", "does not apply"),
        ("stale.patch", "does not apply"),
    ],
)
def test_no_change_is_one_line(given: str, told: str, repository: Path, tmp_path: Path) -> None:
    patch = patch_of(repository, tmp_path, VIEW, "    merged: list[Node] = []\n", "    merged: list[Node] = list()\n")
    (tmp_path / "garbage.patch").write_text("this is no patch\n")
    (tmp_path / "stale.patch").write_text(patch.read_text().replace("merged: list", "gone: list"))
    asked = str(tmp_path / given) if given.endswith(".patch") else given
    with pytest.raises(Failure, match=told):
        check_change(asked, False, False, None, steps=QUICK, folder=repository)
    assert len(git(repository, "worktree", "list").splitlines()) == 1


SHADOWS = {
    "spec/optchat_spec/view_laws/__init__.py": ("predicate", "spec/optchat_spec/view_laws.py"),
    "impl/optchat_spec/__init__.py": ("module", "optchat_spec"),
    "hypothesis.py": ("module", "hypothesis"),
    "bridge/sitecustomize.py": ("module", "sitecustomize"),
    "optchat/core/view.py": ("module", "optchat"),
}


@pytest.mark.parametrize("path", SHADOWS)
def test_what_would_be_imported_in_a_laws_place_is_refused(
    path: str, repository: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    status, said = gate(repository, str(adding(path, "view_covers = None\n", tmp_path)), capfd)
    kind, piece = SHADOWS[path]
    assert (status, said["refused"]) == (1, True)
    assert said["law_changes"] == [{"kind": kind, "path": path, "piece": piece, "what": "hidden by what is added"}]


COMPILED = (
    "bridge/optchat_bridge/check/__pycache__/__main__.cpython-311.pyc",
    "pytest.pyc",
    "spec/optchat_spec/judges.so",
    "impl/z3.abi3.so",
    "impl/hypothesis.cpython-311-x86_64-linux-gnu.so",
    "spec/optchat_spec/judges.PYD",
    "impl/more.pth",
    "impl/more.egg/EGG-INFO/entry_points.txt",
    "bridge/more.egg-link",
    "docs/more.zip",
    "impl/more-1.dist-info/entry_points.txt",
    "pyvenv.cfg",
)


@pytest.mark.parametrize("path", COMPILED)
def test_what_is_imported_and_cannot_be_read_is_always_refused(
    path: str, repository: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for allowed in (False, True):
        status, said = gate(repository, str(adding(path, "more\n", tmp_path)), capfd, allow_law_change=allowed)
        assert (status, said["refused"], said["steps"][0]["verdict"]) == (1, True, "not judged")
        assert ("binary", path) in {(each["kind"], each["path"]) for each in said["law_changes"]}


def test_a_compiled_module_of_the_worktree_is_not_read(tmp_path: Path) -> None:
    """Not even where it was compiled by hand, so as not to be compared with its source."""
    tree = tmp_path / "tree"
    (tree / "__pycache__").mkdir(parents=True)
    (tree / "more.py").write_text("print('read')\n")
    (tmp_path / "other.py").write_text("print('compiled')\n")
    compiled = importlib.util.cache_from_source(str(tree / "more.py"))
    py_compile.compile(
        str(tmp_path / "other.py"), compiled, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
    )
    assert run(Step("imports", "", (PYTHON, "-c", "import more")), tree).output == "read\n"


def test_a_folder_at_which_a_path_is_split_is_refused(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a:b").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "a:b"))
    with pytest.raises(Failure, match="set TMPDIR to another one"):
        check_change(str(adding("more", "x\n", tmp_path)), False, False, None, steps=QUICK, folder=repository)
    assert list((tmp_path / "a:b").iterdir()) == []


def test_a_package_that_is_not_the_worktrees_is_not_judged(repository: Path, tmp_path: Path) -> None:
    """Without its root another one is found, where there is one installed."""
    patch = proposed(repository, tmp_path, (repository / "impl/optchat/__init__.py").unlink)
    with pytest.raises(Failure, match="optchat would be imported from"):
        check_change(str(patch), True, False, None, steps=QUICK, folder=repository)


@pytest.mark.parametrize("path", ["docs/more.py", "impl/optchat/core/more.py", "spec/optchat_spec/more/__init__.py"])
def test_what_takes_nobodys_place_may_be_added(
    path: str, repository: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    status, said = gate(repository, str(adding(path, "more = None\n", tmp_path)), capfd, steps=())
    assert (status, said["law_changes"]) == (0, [])


def test_a_link_in_a_laws_place_is_a_law_removed(
    repository: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (repository / PREDICATES).rename(tmp_path / "same.py")
    (repository / PREDICATES).symlink_to(tmp_path / "same.py")
    patch = tmp_path / "link.patch"
    patch.write_text(git(repository, "diff") + "\n")
    git(repository, "checkout", "--quiet", "--", PREDICATES)
    status, said = gate(repository, str(patch), capfd)
    assert (status, said["refused"]) == (1, True)
    assert {each["what"] for each in said["law_changes"]} == {"removed"}


def test_a_name_that_is_no_utf8_is_a_name(repository: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    patch = adding('"docs/caf\\351"', "more\n", tmp_path)
    patch.write_text(re.sub(r'([ab])/"(docs[^"]*)"', r'"\1/\2"', patch.read_text()))
    status, said = gate(repository, str(patch), capfd, steps=())
    assert (status, said["files"]) == (0, ["docs/caf "])


@pytest.mark.parametrize("path", ["../out", "/etc/out", ".git/hooks/post-checkout", "a/../../out"])
def test_a_patch_that_leaves_the_worktree_does_not_apply(path: str, repository: Path, tmp_path: Path) -> None:
    with pytest.raises(Failure, match="does not apply"):
        check_change(str(adding(path, "x\n", tmp_path)), False, False, None, steps=QUICK, folder=repository)


def test_the_users_git_settings_and_a_hooks_variables_change_nothing(
    repository: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "gitconfig"
    settings.write_text("[diff]\n\tnoprefix = true\n\texternal = /bin/false\n[color]\n\tui = always\n")
    git(repository, "checkout", "--quiet", "-b", "harmless")
    (repository / "impl/optchat/core/more.py").write_text("more = 1\n")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "-m", "more")
    git(repository, "checkout", "--quiet", "main")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".gitconfig").write_text(settings.read_text())
    # As git sets them for a hook of a linked worktree.
    monkeypatch.setenv("GIT_DIR", str(repository / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(repository / ".git" / "index"))
    status = check_change("harmless", False, True, None, steps=(), folder=repository)
    assert (status, json.loads(capfd.readouterr().out)["files"]) == (0, ["impl/optchat/core/more.py"])
    monkeypatch.undo()
    assert git(repository, "status", "--porcelain") == ""


SLEEPS = """
import sys
from optchat_bridge.check.change import check_change
from optchat_bridge.check.steps import PYTHON, Step
from optchat_bridge.check.stopping import unwound

asleep = "import os, sys, time; open(sys.argv[1], 'w').write(f'{os.getpid()}\\\\n'); time.sleep(600)"
with unwound():
    check_change(sys.argv[1], False, True, None, steps=[Step("asleep", "", (PYTHON, "-c", asleep, sys.argv[2]))])
"""


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_stopped_it_leaves_no_trace_in_the_checkout(stop: signal.Signals, repository: Path, tmp_path: Path) -> None:
    patch, mark = adding("docs/more.md", "more\n", tmp_path), tmp_path / "asleep"
    command = [PYTHON, "-c", SLEEPS, str(patch), str(mark)]
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, cwd=repository, env=env, stderr=subprocess.DEVNULL) as process:
        while not (mark.exists() and mark.read_text().endswith("\n")):
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(stop)
        assert process.wait() != 0
    assert git(repository, "status", "--porcelain") == ""
    assert len(git(repository, "worktree", "list").splitlines()) == 1
    step = int(mark.read_text())
    if stop == signal.SIGKILL:
        # Nobody was left to end it.
        os.kill(step, signal.SIGKILL)
    else:
        assert list(tmp_path.glob("optchat-change-*")) == []
        with pytest.raises(ProcessLookupError):
            os.kill(step, 0)


def test_a_folder_that_is_no_checkout_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Failure):
        check_change("HEAD", False, False, None, steps=QUICK, folder=tmp_path)
