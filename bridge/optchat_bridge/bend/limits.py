"""The limits of a check: depth of recursion, steps, memory, time; and the thread in which deep work runs.

Recursion of Python functions among each other uses the heap (from CPython 3.11 on), so one thread with a high
recursion limit serves any depth that memory allows. What still uses the machine stack is bounded by the nesting of
the source (``parse_base.NESTING_LIMIT``) and fits the thread's stack.
"""

from __future__ import annotations

import ctypes
import gc
import os
import re
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from .errors import BendError, stopped

if sys.platform != "win32":
    import resource

STEP_LIMIT: Final = 100_000_000
"""Unfoldings of one check."""
MEMORY_VARIABLE: Final = "OPTCHAT_BEND_MB"
TIME_VARIABLE: Final = "OPTCHAT_BEND_SECONDS"
_DEFAULTS: Final = {MEMORY_VARIABLE: 4096, TIME_VARIABLE: 600}
_UNITS: Final = {MEMORY_VARIABLE: "megabytes", TIME_VARIABLE: "seconds"}
_STATUS: Final = Path("/proc/self/status")
_PEAK: Final = re.compile(r"VmHWM:\s+(\d+) kB")
_STACK: Final = 512 * 2**20
_LOOK: Final = 0.1
"""Seconds between two looks at the memory from outside."""
_RECURSION: Final = 100_000_000

Result = TypeVar("Result")


def _setting(variable: str) -> int:
    text = os.environ.get(variable, "")
    if not text:
        return _DEFAULTS[variable]
    if not text.isdecimal() or not 0 < len(text) < 10 or not int(text):
        wanted = f"a positive number of {_UNITS[variable]}"
        raise BendError(message=f"{variable} must be {wanted}, got {text[:40]!r}", plain=True)
    return int(text)


def memory_limit() -> int:
    """Megabytes that a check may use: OPTCHAT_BEND_MB, else 4096. Raises BendError."""
    return _setting(MEMORY_VARIABLE)


def time_limit() -> int:
    """Seconds of the processor that a check or a program may use: OPTCHAT_BEND_SECONDS, else 600. Raises BendError."""
    return _setting(TIME_VARIABLE)


def over_memory(limit: int) -> str:
    """What is said of work that passed its limit, in megabytes."""
    return f"more than {limit} MB of memory ({MEMORY_VARIABLE} sets another limit)"


def over_time(limit: int) -> str:
    """What is said of work that passed its limit, in seconds."""
    return f"more than {limit} s of processor time ({TIME_VARIABLE} sets another limit)"


class Exceeded(MemoryError):
    """Raised inside work that passed the limit of memory where it takes no steps that would be counted."""

    def __str__(self) -> str:
        return over_memory(memory_limit())


class TooLong(Exceeded):
    """The same for the limit of time; whatever ends well when memory is short ends well here."""

    def __str__(self) -> str:
        return over_time(time_limit())


def memory_used() -> int:
    """The largest resident set of this process so far, in megabytes; 0 where the system does not tell.

    Linux's getrusage counts the process that started this one, too, up to the moment of the start: a check that a
    large program starts would be over its limit at once.
    """
    try:
        status = _STATUS.read_text(encoding="ascii")
        return int(_PEAK.findall(status)[0]) // 2**10
    except (OSError, IndexError):
        pass
    if sys.platform == "win32":
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // 2**20 if sys.platform == "darwin" else peak // 2**10


def deep(work: Callable[[], Result], *, timed: bool = False) -> Result:
    """Runs work in a thread of its own, whose recursion is bounded by memory alone, and by the time limit if ``timed``.

    The cyclic garbage collector rests meanwhile: graphs are large and nearly free of cycles
    (perf/counter_1000000: 11.8 s with it, 3.1 s without). Work that passes the memory limit is ended with Exceeded,
    work that takes too long with TooLong, and work that Ctrl-C or a signal's handler interrupts with KeyboardInterrupt.
    Raises BendError for a limit that is no number.
    """
    memory, seconds = memory_limit(), time_limit() if timed else None
    results: list[Result] = []
    failures: list[BaseException] = []

    def body() -> None:
        try:
            results.append(work())
        except MemoryError as error:
            failures.append(stopped(str(error) or "out of memory"))
        except BaseException as error:  # carried to the caller's thread and raised there
            failures.append(error)

    before, collecting = sys.getrecursionlimit(), gc.isenabled()
    threading.stack_size(_STACK)
    sys.setrecursionlimit(_RECURSION)
    gc.disable()
    try:
        thread = threading.Thread(target=body)
        thread.start()
        _watch(thread, memory, seconds)
    finally:
        threading.stack_size(0)
        sys.setrecursionlimit(before)
        if collecting:
            gc.enable()
    if failures:
        raise failures[0]
    return results[0]


def _watch(thread: threading.Thread, memory: int, seconds: int | None) -> None:
    """Waits for a thread, and ends it when it has to be.

    The collector need not look at what ended work leaves (an interrupted ``2**40``: 8 s to the exit, 24 s without).
    """
    start = time.process_time()
    try:
        while thread.is_alive():
            thread.join(_LOOK)
            over = memory_used() > memory
            if thread.is_alive() and (over or (seconds is not None and time.process_time() - start > seconds)):
                _end(thread, Exceeded if over else TooLong)
                thread.join()
                gc.freeze()
    except BaseException:
        _end(thread, KeyboardInterrupt)
        thread.join()
        gc.freeze()
        raise


def _end(thread: threading.Thread, how: type[BaseException]) -> None:
    """Raises an exception in another thread, at its next bytecode."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(how))
