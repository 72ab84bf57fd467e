"""A proposed change in a clean worktree: the commit that it is put on, and what it changes there."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple


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
    done = subprocess.run(
        ["git", *arguments], check=False, cwd=folder, input=given, capture_output=True, env=without_git(os.environ)
    )
    if done.returncode:
        words = done.stderr.decode(errors="replace").strip().splitlines() or ["no word"]
        raise CannotApply(f"git {arguments[0]}: {words[0].removeprefix('error: ').removeprefix('fatal: ')}")
    return done.stdout


def checkout_of(folder: Path) -> Path:
    """The root of the checkout that a folder is in. Raises CannotApply when it is none of this project's."""
    root = Path(git(folder, "rev-parse", "--show-toplevel").decode().strip())
    if not (root / "spec" / "optchat_spec").is_dir():
        raise CannotApply(f"{root} is no checkout of OptChat: run it in one")
    return root


def change_of(root: Path, given: str) -> Change:
    """A patch file as a change on HEAD; a revision as what it adds to HEAD, or, when HEAD has it, to its parent."""
    head = git(root, "rev-parse", "HEAD").decode().strip()
    path = Path(given)
    if path.is_file():
        return Change(path.read_bytes(), head, f"the patch {path.name}")
    try:
        revision = git(root, "rev-parse", "--verify", "--quiet", f"{given}^{{commit}}").decode().strip()
    except CannotApply:
        raise CannotApply(f"{given} is neither a file nor a revision of this repository") from None
    base = git(root, "merge-base", head, revision).decode().strip()
    onto = head
    if base == revision:
        try:
            onto = base = git(root, "rev-parse", "--verify", f"{revision}^").decode().strip()
        except CannotApply:
            raise CannotApply(f"{given} is the first commit: there is nothing that it changes") from None
    # The plumbing command: no setting of the user's changes what it prints.
    patch = git(root, "diff-tree", "-p", "--binary", "--full-index", "--no-renames", base, revision)
    return Change(patch, onto, f"{given} ({revision[:10]})")


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
