"""Bend files to C and to programs.

``build_c`` gives the C text of a book, ``build_binary`` a program; binaries are kept in the build folder under the hash
of all that they are made from, so that an unchanged file is neither checked nor compiled again.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from .compile_c import Emitter
from .compile_lower import lower
from .compile_simplify import simplify
from .core import Book
from .errors import BendError
from .limits import deep
from .modules import BASE_DIR
from .session import Session

FLAGS: Final = ("-std=c99", "-O2", "-Wall", "-Wextra", "-Wshadow", "-pedantic", "-Werror")
COMPILERS: Final = ("cc", "gcc", "clang")


class NoCompiler(BendError):
    """There is no C compiler here."""


def build_c(book: Book, entry: str = "main", *, natives: bool = True) -> str:
    """The C file that computes ``entry``: prints its value, or does it when it is an action.

    ``book`` is one that checks. Raises NotCompiled with the reason when only the evaluator can run the program.
    Without ``natives`` Base's arithmetic runs by its defs, to be compared.
    """
    if entry not in book.defs:
        raise BendError(message=f"there is no {entry} to run: define one, or check the file", plain=True)
    program = lower(book, str(BASE_DIR) + os.sep, entry, natives=natives)
    simplify(program)
    return Emitter(program).emit()


def compiler() -> str:
    """The C compiler: the one that CC names, or the system's."""
    named = os.environ.get("CC")
    for name in [named] if named else COMPILERS:
        found = shutil.which(name)
        if found:
            return found
    raise NoCompiler(message="no C compiler: install one (cc, gcc or clang) or name it in CC", plain=True)


def build_folder() -> Path:
    """Where binaries are kept: OPTCHAT_BUILD, or build/bend beside the packages."""
    named = os.environ.get("OPTCHAT_BUILD")
    return Path(named) if named else Path(__file__).resolve().parents[3] / "build" / "bend"


def build_binary(
    path: str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    natives: bool = True,
    flags: Sequence[str] = FLAGS,
) -> Path:
    """The program of a Bend file, which is checked first; a copy goes to ``out`` if that is given.

    Raises BendError when the file does not check, NotCompiled when only the evaluator can run it, NoCompiler.
    ``natives`` as in build_c; ``flags`` are the C compiler's.
    """
    binary = deep(lambda: _checked_binary([compiler(), *flags], os.fspath(path), natives), timed=True)
    if out is None:
        return binary
    shutil.copy2(binary, out)
    return Path(out)


def _checked_binary(command: list[str], path: str, natives: bool) -> Path:
    session = Session()
    session.load(path)
    binary = build_folder() / (_key(command, path, session) + ("" if natives else "-defs"))
    if not binary.exists():
        session.check()
        binary.parent.mkdir(parents=True, exist_ok=True)
        _compile(command, build_c(session.program.full_book(), natives=natives), binary)
    return binary


def _key(command: list[str], path: str, session: Session) -> str:
    """The hash of the files that are read, of this package, and of the compiler's name and flags."""
    digest = hashlib.sha256("\0".join(command).encode())
    root = os.path.dirname(os.path.abspath(path))
    for file, text in sorted(session.report.sources.items()):
        digest.update(f"\0{os.path.relpath(file, root)}\0{len(text)}\0{text}".encode("utf-8", "surrogatepass"))
    for part in sorted(Path(__file__).parent.iterdir()):
        if part.suffix in (".py", ".c", ".h"):
            digest.update(part.read_bytes())
    return digest.hexdigest()[:24]


def _compile(command: list[str], text: str, binary: Path) -> None:
    with tempfile.TemporaryDirectory(dir=binary.parent) as scratch:
        source, made = Path(scratch) / "program.c", Path(scratch) / "program"
        source.write_text(text, encoding="utf-8")
        got = subprocess.run([*command, str(source), "-o", str(made)], capture_output=True, text=True, check=False)
        if got.returncode:
            raise RuntimeError(f"the C that was generated does not compile with {command[0]}:\n{got.stderr[:4000]}")
        # Into place in one step: another process may be building the same.
        os.replace(made, binary)
