"""The house rules that no linter knows, read off the files themselves; `make check` runs this module.

Each rule is a function from the checkout's files to its faults, a line each, so that a test can show it files that it
must refuse.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
LONGEST = 400
"""The most lines that a module may have."""

GOLDEN = "stateful_tests/bend/golden/"
"""Files whose text is given: cases that another program's verdict was taken of."""

TABLES = "stateful_tests/bend/rules/"
"""Tables of cases, in which a blank at the end of a line means something."""

MADE_UP = ("impl/optchat/data/", "stateful_tests/imports/")
"""Where chats lie that were made up, with homes of people who were."""

# What each part may import of the project, beside itself. A part that is not listed needs a place here first.
EVERYTHING = frozenset({"*"})
THE_IMPLEMENTATION = frozenset({"optchat.*"})
MAY_IMPORT: dict[str, frozenset[str]] = {
    "optchat": frozenset(),
    "optchat.core": frozenset(),
    "optchat.protocol": frozenset({"optchat.core"}),
    "optchat.settings": frozenset({"optchat.core"}),
    "optchat.store": frozenset({"optchat.core"}),
    "optchat.imports": frozenset({"optchat.core", "optchat.store", "optchat.agent"}),
    "optchat.agent": frozenset({"optchat.core", "optchat.store", "optchat.settings"}),
    "optchat.cli": THE_IMPLEMENTATION,
    "optchat.bench": THE_IMPLEMENTATION,
    "optchat.demo": THE_IMPLEMENTATION,
    "optchat_spec": frozenset(),
    "optchat_bridge": EVERYTHING,
    "stateful_tests": EVERYTHING,
    "tools": frozenset(),
}
SOURCE_ROOTS = ("impl/", "spec/", "bridge/")
OURS = ("optchat", "optchat_spec", "optchat_bridge", "stateful_tests", "tools")


class File(NamedTuple):
    """A file that git knows: its path from the checkout's root, with `/`, and its text ('' when it is binary)."""

    path: str
    text: str


class Import(NamedTuple):
    line: int
    module: str


def files(root: Path = ROOT) -> list[File]:
    """Every file that git knows, new ones too; outside of a git checkout, every file that is not hidden."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        check=False,
    )
    if listed.returncode == 0:
        paths = [root / name for name in listed.stdout.decode().split("\0") if name]
    else:
        paths = [path for path in root.rglob("*") if not re.search(r"/(\.|build/)", path.as_posix()[len(str(root)) :])]
    return [File(path.relative_to(root).as_posix(), read(path)) for path in sorted(set(paths)) if path.is_file()]


def read(path: Path) -> str:
    data = path.read_bytes()
    return "" if b"\0" in data[:8192] else data.decode(errors="replace")


def module_of(path: str) -> str | None:
    """The dotted name of a Python file, or None when it is none."""
    if not path.endswith(".py"):
        return None
    for root in SOURCE_ROOTS:
        path = path.removeprefix(root)
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def imports(text: str, module: str, is_package: bool) -> Iterator[Import]:
    """Every import of a module, also those inside functions, by its full name."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(node.lineno, alias.name)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = module.split(".")
                kept = parts[: len(parts) - node.level + is_package]
                base = ".".join([*kept, base] if base else kept)
            for alias in node.names:
                yield Import(node.lineno, f"{base}.{alias.name}")


def part_of(module: str) -> str:
    """The part of the project that a module belongs to: the longest listed name, else what it would be called."""
    parts = module.split(".")
    if parts[0] != "optchat":
        return parts[0]
    return ".".join(parts[:2])


def import_direction(checked: list[File]) -> Iterator[str]:
    """core <- store <- agent <- cli; the spec imports nothing of the implementation; the bridge may import both."""
    for path, text in checked:
        module = module_of(path)
        if module is None or module.split(".")[0] not in OURS:
            continue
        part = part_of(module)
        if part not in MAY_IMPORT:
            yield f"{path}: {part} has no place in the order of imports: give it one in stateful_tests/house.py"
            continue
        found = {(each.line, part_of(each.module)) for each in imports(text, module, path.endswith("/__init__.py"))}
        for line, target in sorted(found):
            if target.split(".")[0] not in OURS:
                continue
            whole = f"{target.split('.')[0]}.*"
            if target not in (part, "optchat.__version__") and not MAY_IMPORT[part] & {target, whole, "*"}:
                yield f"{path}:{line}: {part} must not import {target}"


def module_length(checked: list[File]) -> Iterator[str]:
    """A module is one concern: at most LONGEST lines."""
    for path, text in checked:
        if path.endswith(".py"):
            count = text.count("\n")
            if count > LONGEST:
                yield f"{path}: {count} lines; at most {LONGEST}: split it by concern"


MACHINE = re.compile(r"(?<![\w.-])/(?:work|root|farm)/|(?<![\w.-])/tmp/(?:team|bash_jobs)")
HOME = re.compile(r"(?<![\w.-])/(?:Users|home)/\w+/")
HOSTS = re.compile(
    r"\b(?:pypi|npmjs|crates|rubygems|anaconda|docker|quay)\.(?:org|io|com)\b|pythonhosted\.org|\bpypi\.python\.org"
    r"|registry\.(?:npmjs|yarnpkg)|(?:deb|security)\.debian\.org|archive\.ubuntu\.com|proxy\.golang\.org"
)


def no_machine(checked: list[File]) -> Iterator[str]:
    """No path of somebody's machine, and no name of a package registry's host. Chats that we made up have homes."""
    for path, text in checked:
        if path.startswith(GOLDEN):
            continue
        for number, line in enumerate(text.splitlines(), start=1):
            for pattern, what in (
                (MACHINE, "a path of a machine"),
                (HOME, "somebody's home"),
                (HOSTS, "the name of a registry's host"),
            ):
                found = pattern.search(line)
                if found and not (pattern is HOME and path.startswith(MADE_UP)):
                    yield f"{path}:{number}: {what}: {found.group()}"


EMPTY_TESTS = re.compile(
    r"@pytest\.mark\.(?:skip|xfail)\b(?!if)|pytest\.(?:skip|xfail)\("
    r"|\bassert (?:True|1)\s*(?:$|[#,])|# type: ignore(?!\[)"
)


def no_empty_tests(checked: list[File]) -> Iterator[str]:
    """No skipped or expected failure, no assertion that cannot fail, no type error waved through without its name.

    Only what needs real data may be left out as a whole, where that data does not lie beside the checkout.
    """
    for path, text in checked:
        if not path.endswith(".py") or path == "stateful_tests/house.py":
            continue
        for number, line in enumerate(text.splitlines(), start=1):
            found = EMPTY_TESTS.search(line)
            if found and not ("beside the checkout" in line and "allow_module_level" in line):
                yield f"{path}:{number}: {found.group()}"


def tidied(text: str) -> str:
    """A text without blanks at the ends of lines or carriage returns, and with one newline at its end."""
    return re.sub(r"[ \t\r]+$", "", text, flags=re.MULTILINE).rstrip("\n") + "\n" if text.strip() else ""


def tidy(checked: list[File]) -> Iterator[str]:
    """Every text file is as `make format` leaves it. A text that is not UTF-8 is nobody's to format."""
    for path, text in checked:
        if not path.startswith((GOLDEN, TABLES)) and "\ufffd" not in text and text != tidied(text):
            yield f"{path}: blanks at the end of a line, or none or too many newlines at its end: make format"


RULES: tuple[Callable[[list[File]], Iterator[str]], ...] = (
    import_direction,
    module_length,
    no_machine,
    no_empty_tests,
    tidy,
)


def format_files() -> int:
    """Make every file that git knows tidy."""
    for path, text in files():
        if any(tidy([File(path, text)])):
            (ROOT / path).write_text(tidied(text), encoding="utf-8", newline="")
            print(f"tidied {path}")
    return 0


def main() -> int:
    checked = files()
    faults = [fault for rule in RULES for fault in rule(checked)]
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        print(f"the house rules are broken in {len(faults)} places", file=sys.stderr)
        return 1
    print(f"the house rules hold: {len(RULES)} rules over {len(checked)} files")
    return 0


if __name__ == "__main__":
    sys.exit(format_files() if sys.argv[1:] == ["--tidy"] else main())
