"""What a change may only add to: the laws, their predicates, the contracts and the breaks, piece by piece."""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import NamedTuple

KINDS = (
    ("law", re.compile(r"LAWS\.bend|bend/spec\.bend")),
    ("predicate", re.compile(r"spec/optchat_spec/.*\.py")),
    ("contract", re.compile(r"stateful_tests/contracts/.*\.py")),
    ("break", re.compile(r"stateful_tests/breaks/.*\.py")),
)
"""Which files hold which; `bend/spec.bend` holds the words that the laws are made of."""

WATCHED = re.compile(
    r"stateful_tests/(machines|core|laws|conformance|bridge)/.*|(.*/)?conftest\.py|PROOF\.bend|bend/proof/.*"
    r"|bridge/optchat_bridge/.*|pyproject\.toml|Makefile|\.ci/.*|(pytest|tox)\.ini|setup\.cfg"
)
"""The rest of what judges a change: edits here are allowed, and named for the reviewer."""

HOMES = {"optchat": "impl/", "optchat_spec": "spec/", "optchat_bridge": "bridge/", "stateful_tests": ""}
"""Where the packages are that a change is judged with."""

TOP = re.compile(r"(impl/|spec/|bridge/|)(\w+)(?:\.py|/.*|)")
"""A path as the module that an import by its first name finds there."""

STARTUP = {"sitecustomize", "usercustomize"}
"""What the interpreter imports by itself."""

BEND_PIECE = re.compile(r"^(?:law|def|type|import)\s+([^\s:(<]+)", re.MULTILINE)


class Touched(NamedTuple):
    """A guarded piece that a change edits or removes."""

    kind: str
    path: str
    piece: str
    what: str
    """"edited", "removed", "added, and runs" (it could change the others), or "hidden by what is added"."""

    def __str__(self) -> str:
        return f"{self.kind} {self.piece} ({self.path}) is {self.what}"


def kind_of(path: str) -> str | None:
    """What a file of the repository holds that is guarded; None for any other."""
    return next((kind for kind, pattern in KINDS if pattern.fullmatch(path)), None)


def touched(before: Mapping[str, str], after: Mapping[str, str]) -> list[Touched]:
    """The guarded pieces that `after` edits or removes; both map the paths of the changed files to their texts."""
    found = []
    for path, text in before.items():
        kind = kind_of(path)
        if kind is not None:
            new = after.get(path)
            old_pieces, new_pieces = pieces(path, text), {} if new is None else pieces(path, new)
            found += [Touched(kind, path, name, "added, and runs") for name in running(new_pieces, old_pieces)]
            for name, versions in old_pieces.items():
                if name not in new_pieces:
                    found.append(Touched(kind, path, name, "removed"))
                elif not only_more(versions, new_pieces[name]):
                    found.append(Touched(kind, path, name, "edited"))
    return found


def hiding(tree: Path, added: Iterable[str]) -> list[Touched]:
    """The added paths that are imported in the place of a guarded module, or of anything that judges the change."""
    found = []
    for path in added:
        for place in (path, *map(str, PurePosixPath(path).parents)):
            module = f"{place}.py"
            kind = kind_of(module)
            if kind is not None and (tree / module).is_file():
                found.append(Touched(kind, path, module, "hidden by what is added"))
        top = TOP.fullmatch(path)
        if top is not None and HOMES.get(top[2]) != top[1] and is_taken(top[2]):
            found.append(Touched("module", path, top[2], "hidden by what is added"))
    return found


def is_taken(name: str) -> bool:
    """Whether `import name` means something already: ours, Python's, or an installed package's."""
    if name in HOMES or name in STARTUP or name in sys.stdlib_module_names:
        return True
    spec = find_spec(name)
    # A mere folder has no origin.
    return spec is not None and spec.origin is not None


Pieces = dict[str, list[ast.stmt | str]]
"""A file's top-level pieces by name. A name that is bound twice has two: the second one would hide the first."""


def pieces(path: str, text: str) -> Pieces:
    return bend_pieces(text) if path.endswith(".bend") else python_pieces(text)


def bend_pieces(text: str) -> Pieces:
    """Each law, def, type and import with its text, without comments and blank lines."""
    code = "\n".join(line.rstrip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#"))
    starts = list(BEND_PIECE.finditer(code))
    found: Pieces = {}
    for at, start in enumerate(starts):
        stop = starts[at + 1].start() if at + 1 < len(starts) else len(code)
        found.setdefault(start.group(1), []).append(code[start.start() : stop].strip())
    return found


def python_pieces(text: str) -> Pieces:
    """Each top-level statement under the name it binds, or under its own text. Comments are no pieces."""
    try:
        body = ast.parse(text).body
    except SyntaxError:
        return {}
    found: Pieces = {}
    for statement in body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            # More may be imported; what is there must stay bound to the same thing.
            for alias in statement.names:
                one = ast.ImportFrom(getattr(statement, "module", None), [alias], getattr(statement, "level", 0))
                found.setdefault(alias.asname or alias.name, []).append(one)
        elif not is_text(statement):
            found.setdefault(name_of(statement), []).append(statement)
    return found


def running(new: Pieces, old: Pieces) -> list[str]:
    """The new pieces that do more than bind a name of their own."""
    quiet = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
    names = []
    for name, versions in new.items():
        for each in versions:
            binds = isinstance(each, str | ast.Assign | ast.AnnAssign) and name.isidentifier()
            if name not in old and not isinstance(each, quiet) and not binds and not isinstance(each, str):
                names.append(name)
    return names


def is_text(statement: ast.stmt) -> bool:
    """A docstring, or the text under a constant."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def name_of(statement: ast.stmt) -> str:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return statement.name
    if isinstance(statement, ast.Assign):
        return ast.unparse(statement.targets[0])
    if isinstance(statement, ast.AnnAssign):
        return ast.unparse(statement.target)
    return ast.unparse(statement)[:60]


def only_more(old: Iterable[ast.stmt | str], new: Iterable[ast.stmt | str]) -> bool:
    """Whether the new versions of a piece are the old ones, or collections with all that the old ones held and more."""
    one, other = list(old), list(new)
    return len(one) == len(other) and all(same_or_more(a, b) for a, b in zip(one, other, strict=True))


def same_or_more(old: ast.stmt | str, new: ast.stmt | str) -> bool:
    if isinstance(old, str) or isinstance(new, str):
        return old == new
    if dumped(old) == dumped(new):
        return True
    if not isinstance(old, ast.Assign | ast.AnnAssign) or type(old) is not type(new):
        return False
    assert isinstance(new, ast.Assign | ast.AnnAssign)
    held, holds = members(old.value), members(new.value)
    if held is None or holds is None or type(old.value) is not type(new.value):
        return False
    return not Counter(held) - Counter(holds)


def members(value: ast.expr | None) -> list[str] | None:
    """The entries of a collection that is written out; None for any other value."""
    if isinstance(value, ast.Tuple | ast.List | ast.Set):
        return [ast.dump(entry) for entry in value.elts]
    if isinstance(value, ast.Dict):
        entries = zip(value.keys, value.values, strict=True)
        return [f"{ast.dump(key) if key else '**'}: {ast.dump(entry)}" for key, entry in entries]
    return None


def dumped(node: ast.stmt) -> str:
    """A statement without its docstrings: a sentence may be put better."""
    if isinstance(node, ast.ImportFrom):
        return ast.dump(node)
    copy = ast.parse(ast.unparse(node))
    for each in ast.walk(copy):
        if isinstance(each, ast.FunctionDef | ast.ClassDef) and is_text(each.body[0]):
            each.body = each.body[1:] or [ast.Pass()]
    return ast.dump(copy)
