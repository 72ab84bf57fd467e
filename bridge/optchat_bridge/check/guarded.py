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

from optchat_bridge.check.additions import World, acting

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
    ("break", re.compile(r"stateful_tests/breaks/.*\.(py|txt)")),
    ("golden case", re.compile(r"stateful_tests/bend/golden/.*")),
)
"""Which files hold which; `bend/spec*.bend` hold the words that the laws are made of."""

KEPT = (
    ("machine", re.compile(r"stateful_tests/machines/.*\.py")),
    ("test", re.compile(r"stateful_tests/(bend|bridge|conformance|core|laws|store)/.*\.py|stateful_tests/\w+\.py")),
)
"""Files whose functions and classes may be edited (they are watched) and not removed."""

SETTINGS = re.compile(r"stateful_tests/.*\.(ini|cfg|toml)", re.IGNORECASE)
"""Files in which a tool's own settings could be changed for the tests alone; there is none, and none is added."""

COOKIE = re.compile(r"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
"""Python's own pattern, by which one of a file's first two lines says how its bytes are read."""

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


DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

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
    found = [Touched("settings", path, PurePosixPath(path).name, "added") for path in after if SETTINGS.fullmatch(path)]
    found += [
        Touched("module", path, f"coding {name}", "added") for path in after if (name := coding(path, after[path]))
    ]
    for path in {**before, **after}:
        kind, kept = kind_of(path), kept_of(path)
        old, new = pieces(path, before.get(path, "")), pieces(path, after.get(path, ""))
        if path in before and path not in after and old and (kind or kept):
            what = gone(path, before[path], before, after)
            found.append(Touched(kind or kept or "", path, f"file of {len(old)}", what))
        elif kind is not None and (path in before or path.endswith(".py")):
            found += changed(kind, path, old, new)
        elif kept is not None:
            found += [Touched(kept, path, name, "removed") for name in old if is_gone(old[name], new.get(name, []))]
    return found + [
        Touched("module", path, name, "removed: an installed one would be judged")
        for name, home in HOMES.items()
        if (path := f"{home}{name}/__init__.py") in before and path not in after
    ]


def coding(path: str, text: str) -> str | None:
    """How a module says that its bytes are read, where that is not UTF-8: Python would read another one than people."""
    lines = re.split(r"\r\n|\r|\n", text, maxsplit=2)[:2] if path.endswith(".py") else []
    names = [found[1] for line in lines if (found := COOKIE.match(line)) is not None]
    return next((name for name in names if name.lower() not in ("utf-8", "utf8")), None)


def changed(kind: str, path: str, old: Pieces, new: Pieces) -> list[Touched]:
    """The pieces of a guarded file that its new text adds to run, removes or edits."""
    found = [Touched(kind, path, name, "added, and runs") for name in acting(new, old)]
    for name, versions in old.items():
        if name not in new:
            found.append(Touched(kind, path, name, "removed"))
        else:
            lacks = losses(versions, new[name], World(new, old))
            found += [Touched(kind, path, f"{name}: {entry}" if entry else name, word) for entry, word in lacks]
    return found


def gone(path: str, text: str, before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """What became of a file that is not there any more."""
    same = (other for other, now in after.items() if other not in before and now == text and other != path)
    other = next(same, None)
    return "removed" if other is None else f"moved to {other}"


def is_gone(old: Sequence[ast.stmt | str], new: Sequence[ast.stmt | str]) -> bool:
    """Whether a function, a class or a machine's `Test... = ....TestCase` is there no more, or is hidden by another."""
    if not old or isinstance(old[-1], str):
        return False
    if isinstance(old[-1], DEFINITIONS):
        return len(new) != len(old) or not isinstance(new[-1], DEFINITIONS)
    if not isinstance(old[-1], ast.Assign) or not name_of(old[-1]).startswith("Test"):
        return False
    return not new or isinstance(new[-1], str) or dumped(new[-1]) != dumped(old[-1])


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
    """A file's pieces; a golden case, or a list that is no code, is one piece."""
    if text and (kind_of(path) == "golden case" or not path.endswith((".py", ".bend"))):
        return {"its text": [text]}
    if path.endswith(".bend"):
        return bend_pieces(text)
    return python_pieces(text)


def bend_pieces(text: str) -> Pieces:
    """Each law, def, type and import with its text, without comments and blank lines."""
    code = "\n".join(line.rstrip() for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#"))
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


def is_text(statement: ast.stmt) -> bool:
    """A docstring, or the text under a constant."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def name_of(statement: ast.stmt) -> str:
    if isinstance(statement, DEFINITIONS):
        return statement.name
    if isinstance(statement, ast.Assign):
        return " = ".join(map(ast.unparse, statement.targets))
    if isinstance(statement, ast.AnnAssign):
        return ast.unparse(statement.target)
    return ast.unparse(statement)[:60]


def losses(old: Sequence[ast.stmt | str], new: Sequence[ast.stmt | str], world: World) -> list[tuple[str, str]]:
    """What the new versions of a piece lack of the old ones: an entry of a collection and "edited" or "removed"; or the
    whole piece, as no entry. A collection may have more, under names of their own.
    """
    if len(old) != len(new):
        return [("", "edited")]
    return [loss for one, other in zip(old, new, strict=True) for loss in lost(one, other, world)]


def lost(old: ast.stmt | str, new: ast.stmt | str, world: World) -> list[tuple[str, str]]:
    whole = [("", "edited")]
    if isinstance(old, str) or isinstance(new, str):
        return [] if old == new else whole
    if dumped(old) == dumped(new):
        return []
    if not isinstance(old, ast.Assign | ast.AnnAssign) or type(old) is not type(new):
        return whole
    assert isinstance(new, ast.Assign | ast.AnnAssign)
    held, holds = members(old.value), members(new.value)
    if held is None or holds is None or type(old.value) is not type(new.value) or annotated(old) != annotated(new):
        return whole
    there = {entry.label for entry in holds}
    found = [(entry.label, "edited" if entry.label in there else "removed") for entry in Counter(held) - Counter(holds)]
    taken = {entry.label for entry in held}
    named = len(taken) == len(held)
    for entry in (Counter(holds) - Counter(held)).elements():
        if (entry.label, "edited") in found:
            continue
        if (named and entry.label in taken) or world.speaks_again(entry.value):
            found.append((entry.label, "edited"))
        elif not world.is_still(entry.value) or not has_plain_keys(entry.value):
            found.append((entry.label, "added, and runs"))
        taken.add(entry.label)
    return found


def annotated(node: ast.Assign | ast.AnnAssign) -> str:
    return ast.dump(node.annotation) if isinstance(node, ast.AnnAssign) else ""


class Entry(NamedTuple):
    """An entry of a collection: what it is called, and its text as a collection of its own."""

    label: str
    code: str

    @property
    def value(self) -> ast.expr:
        return ast.parse(self.code, mode="eval").body


def members(value: ast.expr | None) -> list[Entry] | None:
    """The entries of a collection that is written out; None for any other value."""
    if isinstance(value, ast.Tuple | ast.List | ast.Set):
        return [Entry(label(entry), f"({ast.unparse(entry)},)") for entry in value.elts]
    if isinstance(value, ast.Dict):
        pairs = zip(value.keys, value.values, strict=True)
        return [Entry(label(key or entry), ast.unparse(ast.Dict([key], [entry]))) for key, entry in pairs]
    return None


def has_plain_keys(value: ast.expr) -> bool:
    """Whether an entry of a dict is under a text that is written out: no other one could be it in disguise."""
    return not isinstance(value, ast.Dict) or all(
        isinstance(key, ast.Constant) and isinstance(key.value, str) for key in value.keys
    )


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
