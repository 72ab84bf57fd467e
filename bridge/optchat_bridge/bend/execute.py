"""Runs a Bend file's main: compiled where that is possible, else in the evaluator."""

from __future__ import annotations

import os
import subprocess
import sys

from .compile_build import NoCompiler, build_binary
from .compile_lower import NotCompiled
from .effects import Exit, Runner
from .errors import BendError
from .limits import deep
from .session import Session
from .values import VCall

CANNOT_SHOW = 3
"""The status of a compiled program whose value only the evaluator can show: it holds a function or a type."""


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
            if status != CANNOT_SHOW:
                return status
    return deep(lambda: evaluate_file(os.fspath(path), arguments))


def evaluate_file(path: str, arguments: list[str]) -> int:
    """As run_file, in the evaluator; to be called through ``deep``."""
    session = Session()
    session.load(path)
    session.check()
    main = session.library.names.get("main")
    if main is None or main.module.base:
        raise BendError(message=f"{path} has no main", plain=True)
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
