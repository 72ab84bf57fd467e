"""Runs a Bend file's main: compiled where that is possible, else in the evaluator."""

from __future__ import annotations

import os
import subprocess
import sys

from . import core
from .compile_build import NoCompiler, build_binary
from .compile_lower import NotCompiled
from .effects import Exit, Runner
from .errors import BendError, printable
from .limits import deep
from .session import Session
from .values import VCall

CANNOT_RUN = 3
"""How a compiled program without effects ends when only the evaluator can run it (runtime.c)."""


def run_file(path: str | os.PathLike[str], arguments: list[str], *, compiled: bool = True) -> int:
    """Checks the file and runs its main; the exit status. Raises BendError when it does not check or has no main.

    The evaluator takes over when there is no C compiler, and for values that a machine program cannot show.
    """
    if compiled:
        try:
            binary = build_binary(path)
        except (NoCompiler, NotCompiled):
            pass
        else:
            sys.stdout.flush()
            status = subprocess.run([binary, *arguments], check=False).returncode
            if status != CANNOT_RUN or deep(lambda: has_effects(os.fspath(path))):
                return status
    return deep(lambda: evaluate_file(os.fspath(path), arguments))


def has_effects(path: str) -> bool:
    """Whether main is an action: it may end with any status, and must not be done twice."""
    session = Session()
    session.load(path)
    result = session.program.signature("main").result
    return isinstance(result, core.App) and result.fun == core.Ref("IO")


def evaluate_file(path: str, arguments: list[str]) -> int:
    """As run_file, in the evaluator; to be called through ``deep``."""
    session = Session()
    session.load(path)
    session.check()
    main = session.library.names.get("main")
    if main is None or main.module.base:
        raise BendError(message=f"{printable(path)} has no main", plain=True)
    value = session.value_of_main()
    if value is not None:
        print(value)
        return 0
    runner = Runner(session.machine, arguments)
    session.machine.step_limit = 1 << 62
    try:
        runner.run(VCall(session.machine.definition("main"), ()))
    except Exit as exit_:
        return exit_.status
    return 0
