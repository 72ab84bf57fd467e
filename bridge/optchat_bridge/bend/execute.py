"""Runs a Bend file's main: compiled where that is possible, else in the evaluator."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys

from . import core
from .compile_build import NoCompiler, build_binary
from .compile_lower import NotCompiled
from .effects import Exit, Runner
from .errors import BendError, printable, stopped
from .limits import deep, over_time, time_limit
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
            status = _run_binary([os.fspath(binary), *arguments])
            if status != CANNOT_RUN or deep(lambda: has_effects(os.fspath(path)), timed=True):
                return status
    return deep(lambda: evaluate_file(os.fspath(path), arguments), timed=True)


def _run_binary(command: list[str]) -> int:
    """Runs a compiled program within the time limit; its status, as a shell has it. Raises BendError past the limit."""
    seconds = time_limit()

    def limited() -> None:
        _, most = resource.getrlimit(resource.RLIMIT_CPU)
        least = seconds if most == resource.RLIM_INFINITY else min(seconds, most)
        resource.setrlimit(resource.RLIMIT_CPU, (least, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    status = subprocess.run(command, check=False, preexec_fn=limited).returncode
    if status == -signal.SIGXCPU:
        raise stopped(over_time(seconds))
    return status if status >= 0 else 128 - status


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
