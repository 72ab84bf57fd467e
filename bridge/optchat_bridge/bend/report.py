"""Reports as text, in the shape that the golden cases read, and the command."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from typing import Final, TypeVar

from .errors import BendError, Place
from .session import Report, Session

_STACK: Final = 512 * 2**20
_RECURSION: Final = 100_000_000
_SHOWN: Final = 160
"""Characters of the source line that an error shows."""
Result = TypeVar("Result")


def check_file(path: str | os.PathLike[str], *, main: bool = True) -> Report:
    """Checks a file and all it imports; with ``main``, gives the value of a pure main too."""
    return deep(lambda: _check(os.fspath(path), main))


def run_file(path: str | os.PathLike[str]) -> Report:
    """Checks a file and gives the normal form of its main."""
    return check_file(path)


def _check(path: str, main: bool) -> Report:
    session = Session()
    try:
        session.load(path)
        session.check()
        if main:
            session.report.main = session.value_of_main()
    except BendError as error:
        session.report.ok = False
        session.report.error = error
    return session.report


def deep(work: Callable[[], Result]) -> Result:
    """Runs work in a thread of its own, whose recursion is bounded by memory alone."""
    results: list[Result] = []
    failures: list[BaseException] = []

    def body() -> None:
        try:
            results.append(work())
        except BaseException as error:  # carried to the caller's thread and raised there
            failures.append(error)

    before = sys.getrecursionlimit()
    threading.stack_size(_STACK)
    sys.setrecursionlimit(_RECURSION)
    try:
        thread = threading.Thread(target=body)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(0)
        sys.setrecursionlimit(before)
    if failures:
        raise failures[0]
    return results[0]


def render(report: Report) -> str:
    """The report as the command prints it."""
    if report.ok:
        lines = ["ALL PROOFS CHECK"]
        if report.unsafe:
            lines.append(f"note: {len(report.unsafe)} unsafe: {', '.join(report.unsafe)}")
        if report.main is not None:
            lines.append(f"main = {report.main}")
        return "\n".join(lines)
    assert report.error is not None
    return "SOME PROOFS FAIL\n" + render_error(report.error, report.sources)


def render_error(error: BendError, sources: dict[str, str]) -> str:
    """An error in the digest's shape."""
    if error.plain:
        return f"Error: {error.message}"
    lines = ["Error:"]
    if error.message:
        lines.append(f"- message : {error.message}")
    else:
        lines += [f"- expected : {error.expected}", f"- observed : {error.observed}"]
    if error.context:
        lines.append("Context:")
        lines += [f"- {name} : {type_}" for name, type_ in error.context]
    if error.place is not None:
        lines.append(f"Location: {_location(error.place, sources)}")
    if error.note:
        lines.append(f"Note: {error.note}")
    return "\n".join(lines)


def _location(place: Place, sources: dict[str, str]) -> str:
    text = sources.get(place.file)
    if text is None:
        try:
            with open(place.file, encoding="utf-8") as file:
                text = file.read()
        except (OSError, UnicodeDecodeError):
            return place.file
    line = text.count("\n", 0, place.pos) + 1
    shown = text.split("\n")[line - 1]
    return f"{place.file}:{line}\n  {shown.strip()[:_SHOWN]}"
