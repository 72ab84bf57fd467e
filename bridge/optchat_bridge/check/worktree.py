"""A proposed change in a clean worktree: the commit that it is put on, and what it changes there."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from optchat_bridge.check.peer import printable


class CannotApply(Exception):
    """No change, no repository, or a change that does not fit; one line for the user, with the way out."""


class Change(NamedTuple):
    """A patch, the commit that it is put on, and its name for people."""

    patch: bytes
    onto: str
    name: str


def without_git(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment in which git goes by the folder: a hook's names the repository that is committed to."""
    return {name: value for name, value in environment.items() if not name.startswith("GIT_")}


def git(folder: Path, *arguments: str, given: bytes | None = None) -> bytes:
    """What a git command prints. Raises CannotApply with git's own words."""
    try:
        done = subprocess.run(
            ["git", *arguments], check=False, cwd=folder, input=given, capture_output=True, env=without_git(os.environ)
        )
    except FileNotFoundError:
        raise CannotApply("there is no git here: a change is held in a checkout, with git installed") from None
    if done.returncode:
        words = done.stderr.decode(errors="replace").strip().splitlines() or ["no word"]
        raise CannotApply(f"git {arguments[0]}: {words[0].removeprefix('error: ').removeprefix('fatal: ')}")
    return done.stdout


def checkout_of(folder: Path) -> Path:
    """The root of the checkout that a folder is in. Raises CannotApply when it is none of this project's."""
    root = Path(os.fsdecode(git(folder, "rev-parse", "--show-toplevel").removesuffix(b"\n")))
    if not (root / "spec" / "optchat_spec").is_dir():
        raise CannotApply(f"{printable(str(root))} is no checkout of OptChat: run it in one")
    return root


def change_of(root: Path, given: str) -> Change:
    """A patch file as a change on HEAD; a revision as what it adds to HEAD, or, when HEAD has it, to its parent."""
    head = revision_of(root, "HEAD")
    if head is None:
        raise CannotApply(f"{printable(str(root))} has no commit that a change could be put on")
    path = Path(given)
    if path.is_file():
        try:
            return Change(path.read_bytes(), head, f"the patch {path.name}")
        except OSError as error:
            raise CannotApply(f"{path} cannot be read: {error.strerror}") from None
    revision = revision_of(root, given)
    if revision is None:
        raise CannotApply(f"{given} is neither a file nor a revision of this repository")
    onto, base = head, common(root, head, revision)
    if base is None:
        raise CannotApply(f"{given} has no commit in common with HEAD{in_shallow(root)}")
    if base == revision:
        parent = revision_of(root, f"{revision}^")
        if parent is None:
            shallow = in_shallow(root)
            raise CannotApply(
                f"the commit before {given} is not here{shallow}"
                if shallow
                else f"{given} is the first commit: there is nothing that it changes"
            )
        onto = base = parent
    # The plumbing command: no setting of the user's changes what it prints.
    patch = git(root, "diff-tree", "-p", "--binary", "--full-index", "--no-renames", base, revision)
    return Change(patch, onto, f"{given} ({revision[:10]})")


def revision_of(root: Path, given: str) -> str | None:
    """The commit that a name stands for, where it stands for one."""
    if not given or given.startswith("-"):
        return None
    try:
        return git(root, "rev-parse", "--verify", "--quiet", f"{given}^{{commit}}").decode().strip()
    except CannotApply:
        return None


def common(root: Path, one: str, other: str) -> str | None:
    """The commit where two histories part, where they have one."""
    try:
        return git(root, "merge-base", one, other).decode().strip()
    except CannotApply:
        return None


def in_shallow(root: Path) -> str:
    """The way out of a clone that has a part of the history alone; nothing where it has all of it."""
    shallow = git(root, "rev-parse", "--is-shallow-repository").strip() == b"true"
    return ": this clone is shallow, git fetch --unshallow gets the rest" if shallow else ""


def uncommitted(root: Path) -> int:
    """How many files of the checkout differ from HEAD: they are no part of what is judged."""
    return git(root, "status", "--porcelain=v1", "-z", "--no-renames").count(b"\0")


class Applied(NamedTuple):
    """The worktree with the change in it, and the changed files' texts before and after (absent: no such file)."""

    folder: Path
    before: Mapping[str, str]
    after: Mapping[str, str]


@contextmanager
def applied(root: Path, change: Change) -> Iterator[Applied]:
    """The change in a worktree of its own, which is gone afterwards. Raises CannotApply."""
    if not change.patch.strip():
        raise CannotApply(f"{change.name} changes nothing")
    with TemporaryDirectory(prefix="optchat-change-") as scratch:
        folder = Path(scratch) / "worktree"
        check_out(root, folder, change.onto)
        try:
            git(folder, "apply", "--index", "--whitespace=nowarn", "-", given=change.patch)
        except CannotApply as why:
            raise CannotApply(f"{change.name} does not apply to {change.onto[:10]}: {why}; rebase it") from None
        changed = git(folder, "diff-index", "--cached", "--name-only", "--no-renames", "-z", change.onto)
        names = [os.fsdecode(name) for name in changed.split(b"\0") if name]
        before = {name: text for name in names if (text := text_at(folder, change.onto, name)) is not None}
        after = {name: read(folder / name) for name in names if os.path.lexists(folder / name)}
        yield Applied(folder, before, after)


@contextmanager
def clean(root: Path, commit: str) -> Iterator[Path]:
    """A commit in a worktree of its own, as nothing changed it."""
    with TemporaryDirectory(prefix="optchat-change-") as scratch:
        folder = Path(scratch) / "before"
        check_out(root, folder, commit)
        yield folder


def check_out(root: Path, folder: Path, commit: str) -> None:
    """A commit in a new repository that borrows the other's objects, which is not told: even killed, we leave no trace.

    `git worktree add` would write down the worktree there, and run that repository's hooks.
    """
    git(root, "init", "--quiet", "--template=", str(folder))
    for name, copy in (("objects", "objects/info/alternates"), ("shallow", "shallow")):
        of_root = root / os.fsdecode(git(root, "rev-parse", "--git-path", name)).rstrip("\n")
        target = folder / ".git" / copy
        if name == "objects":
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(os.fsencode(of_root.resolve()) + b"\n")
        elif of_root.exists():
            target.write_bytes(of_root.read_bytes())
    git(folder, "checkout", "--quiet", "--detach", commit)


def text_at(folder: Path, commit: str, name: str) -> str | None:
    try:
        return git(folder, "show", f"{commit}:{name}").decode(errors="replace")
    except CannotApply:
        return None


def read(path: Path) -> str:
    """A file's text; of a link none, since what it leads to is no part of the change."""
    return path.read_bytes().decode(errors="replace") if path.is_file() and not path.is_symlink() else ""
