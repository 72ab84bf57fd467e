"""What a change may only add to, piece by piece: laws, their predicates, contracts, breaks, golden cases; and what it
may edit and not remove: machines, and the tests that hold all of these.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import NamedTuple

COMPILED = re.compile(
    r"(.*/)?__pycache__/.*|.*\.(py[codw]|so|sl|dll|dylib|pth|_pth|egg|egg-link|whl|zip|pyz|pyzw)(/.*)?"
    r"|.*\.(dist|egg)-info(/.*)?|(.*/)?pyvenv\.cfg",
    re.IGNORECASE,
)
"""What the interpreter could import in a source's place, or be led away by."""

BINARY = "binary"
"""The kind of these."""

KINDS = (
    ("law", re.compile(r"LAWS\.bend|bend/spec\w*\.bend")),
    ("predicate", re.compile(r"spec/optchat_spec/.*\.py")),
    ("contract", re.compile(r"stateful_tests/contracts/.*\.py")),
    ("break", re.compile(r"stateful_tests/breaks/.*\.py")),
    ("golden case", re.compile(r"stateful_tests/bend/golden/.*")),
)
"""Which files hold which; `bend/spec*.bend` hold the words that the laws are made of."""

KEPT = (
    ("machine", re.compile(r"stateful_tests/machines/.*\.py")),
    ("test", re.compile(r"stateful_tests/(bend|bridge|conformance|core|laws|store)/.*\.py|stateful_tests/\w+\.py")),
)
"""Files whose functions and classes may be edited (they are watched) and not removed."""

WATCHED = re.compile(
    r"stateful_tests/(bend|bridge|conformance|core|laws|machines|store)/.*|stateful_tests/[^/]*|(.*/)?conftest\.py"
    r"|PROOF\.bend|bend/proof/.*|bridge/optchat_bridge/.*|spec/optchat_spec/rules\.toml"
    r"|pyproject\.toml|Makefile|\.ci/.*|(pytest|tox)\.ini|setup\.cfg"
)
"""The rest of what judges a change: edits here are allowed, and named for the reviewer."""

HOMES = {"optchat": "impl/", "optchat_spec": "spec/", "optchat_bridge": "bridge/", "stateful_tests": ""}
"""Where the packages are that a change is judged with."""

TOP = re.compile(r"(impl/|spec/|bridge/|)(\w+)(?:\.py|/.*|)")
"""A path as the module that an import by its first name finds there."""

STARTUP = {"sitecustomize", "usercustomize"}
"""What the interpreter imports by itself."""

BEND_PIECE = re.compile(r"^(?:law|def|type|import)\s+([^\s:(<]+)", re.MULTILINE)


Pieces = dict[str, list[ast.stmt | str]]
"""A file's top-level pieces by name. A name that is bound twice has two: the second one would hide the first."""


class Touched(NamedTuple):
    """A guarded piece that a change edits or removes."""

    kind: str
    path: str
    piece: str
    what: str
    """"edited", "removed", "moved to ...", "hidden by what is added", or "added, and runs" (it could change others)."""

    @property
    def is_compiled(self) -> bool:
        """Whether it is one that no flag allows."""
        return self.kind == BINARY

    def __str__(self) -> str:
        return f"{self.kind} {self.piece} ({self.path}) is {self.what}"


def kind_of(path: str) -> str | None:
    """What a file of the repository holds that is guarded; None for any other."""
    return next((kind for kind, pattern in KINDS if pattern.fullmatch(path)), None)


def kept_of(path: str) -> str | None:
    """What a file holds that may not be removed; None for any other."""
    return next((kind for kind, pattern in KEPT if pattern.fullmatch(path)), None)


def touched(before: Mapping[str, str], after: Mapping[str, str]) -> list[Touched]:
    """The guarded pieces that `after` edits or removes; both map the paths of the changed files to their texts."""
    found = []
    for path, text in before.items():
        kind, kept = kind_of(path), kept_of(path)
        if kind is None and kept is None:
            continue
        old = pieces(path, text)
        if path not in after and old:
            found.append(Touched(kind or kept or "", path, f"file of {len(old)}", gone(path, text, before, after)))
        elif kind is not None:
            found += changed(kind, path, old, pieces(path, after.get(path, "")))
        elif kept is not None:
            here = pieces(path, after.get(path, ""))
            found += [
                Touched(kept, path, name, "removed") for name in old if is_defined(old[name]) and name not in here
            ]
    return found + [
        Touched("module", path, name, "removed: an installed one would be judged")
        for name, home in HOMES.items()
        if (path := f"{home}{name}/__init__.py") in before and path not in after
    ]


def changed(kind: str, path: str, old: Pieces, new: Pieces) -> list[Touched]:
    """The pieces of a guarded file that its new text adds to run, removes or edits."""
    found = [Touched(kind, path, name, "added, and runs") for name in running(new, old)]
    for name, versions in old.items():
        if name not in new:
            found.append(Touched(kind, path, name, "removed"))
        else:
            lacks = losses(versions, new[name])
            found += [Touched(kind, path, f"{name}: {entry}" if entry else name, word) for entry, word in lacks]
    return found


def gone(path: str, text: str, before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """What became of a file that is not there any more."""
    same = (other for other, now in after.items() if other not in before and now == text and other != path)
    other = next(same, None)
    return "removed" if other is None else f"moved to {other}"


def is_defined(versions: Iterable[ast.stmt | str]) -> bool:
    """Whether a piece is a function or a class."""
    return any(isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) for each in versions)


def compiled(after: Iterable[str]) -> list[Touched]:
    """The files, of those that a change adds or edits, that could be imported and that nobody can read."""
    says = "compiled or packed: code that cannot be read has no place here"
    return [Touched(BINARY, path, PurePosixPath(path).name, says) for path in after if COMPILED.fullmatch(path)]


def hiding(tree: Path, added: Iterable[str]) -> list[Touched]:
    """The added paths that are imported in the place of a guarded module, or of anything that judges the change."""
    found = []
    for path in added:
        for place in (path, *map(str, PurePosixPath(path).parents)):
            module = f"{place}.py"
            kind = kind_of(module) or kept_of(module)
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


def pieces(path: str, text: str) -> Pieces:
    """A file's pieces; a golden case is one piece."""
    if kind_of(path) == "golden case":
        return {"its text": [text]}
    if path.endswith(".bend"):
        return bend_pieces(text)
    return python_pieces(text)


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
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return statement.name
    if isinstance(statement, ast.Assign):
        return ast.unparse(statement.targets[0])
    if isinstance(statement, ast.AnnAssign):
        return ast.unparse(statement.target)
    return ast.unparse(statement)[:60]


def losses(old: Sequence[ast.stmt | str], new: Sequence[ast.stmt | str]) -> list[tuple[str, str]]:
    """What the new versions of a piece lack of the old ones: an entry of a collection and "edited" or "removed"; or the
    whole piece, as no entry. A collection may have more.
    """
    if len(old) != len(new):
        return [("", "edited")]
    return [loss for one, other in zip(old, new, strict=True) for loss in lost(one, other)]


def lost(old: ast.stmt | str, new: ast.stmt | str) -> list[tuple[str, str]]:
    whole = [("", "edited")]
    if isinstance(old, str) or isinstance(new, str):
        return [] if old == new else whole
    if dumped(old) == dumped(new):
        return []
    if not isinstance(old, ast.Assign | ast.AnnAssign) or type(old) is not type(new):
        return whole
    assert isinstance(new, ast.Assign | ast.AnnAssign)
    held, holds = members(old.value), members(new.value)
    if held is None or holds is None or type(old.value) is not type(new.value):
        return whole
    still = {label for label, _ in holds}
    return [(label, "edited" if label in still else "removed") for label, _ in (Counter(held) - Counter(holds))]


def members(value: ast.expr | None) -> list[tuple[str, str]] | None:
    """The entries of a collection that is written out, each with what it is called; None for any other value."""
    if isinstance(value, ast.Tuple | ast.List | ast.Set):
        return [(label(entry), ast.dump(entry)) for entry in value.elts]
    if isinstance(value, ast.Dict):
        pairs = [
            (key if key is not None else entry, entry) for key, entry in zip(value.keys, value.values, strict=True)
        ]
        return [(label(key), f"{ast.dump(key)}: {ast.dump(entry)}") for key, entry in pairs]
    return None


def label(entry: ast.expr) -> str:
    """What an entry is called: the name that is its first argument, where it is a call, or its own text."""
    if isinstance(entry, ast.Call) and entry.args and isinstance(entry.args[0], ast.Constant):
        return str(entry.args[0].value)
    return ast.unparse(entry)[:60]


def dumped(node: ast.stmt) -> str:
    """A statement without its docstrings: a sentence may be put better."""
    if isinstance(node, ast.ImportFrom):
        return ast.dump(node)
    copy = ast.parse(ast.unparse(node))
    for each in ast.walk(copy):
        if isinstance(each, ast.FunctionDef | ast.ClassDef) and is_text(each.body[0]):
            each.body = each.body[1:] or [ast.Pass()]
    return ast.dump(copy)
