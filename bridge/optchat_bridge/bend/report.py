"""Reports as text, in the shape that the golden cases read, and the command."""

from __future__ import annotations

import os
from typing import Final

from .errors import BendError, Place, printable, stopped
from .limits import deep
from .session import Report, Session

__all__ = ["check_file", "deep", "render", "run_file"]

_SHOWN: Final = 160
"""Characters of the source line that an error shows."""


def check_file(path: str | os.PathLike[str], *, main: bool = True) -> Report:
    """Checks a file and all it imports; with ``main``, gives the value of a pure main too."""
    try:
        return deep(lambda: _check(os.fspath(path), main), timed=True)
    except BendError as error:
        return Report(ok=False, error=error)


def run_file(path: str | os.PathLike[str]) -> Report:
    """Checks a file and gives the normal form of its main, as the evaluator has it."""
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
    except MemoryError as error:
        session.report.ok = False
        session.report.error = stopped(str(error) or "out of memory")
    return session.report


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
    lines = ["Error:"]
    if error.plain:
        lines = [f"Error: {error.message}"]
    elif error.message:
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
            return printable(place.file)
    line = text.count("\n", 0, place.pos) + 1
    shown = printable(text.split("\n")[line - 1].strip()[:_SHOWN])
    return f"{printable(place.file)}:{line}" + (f"\n  {shown}" if shown else "")
