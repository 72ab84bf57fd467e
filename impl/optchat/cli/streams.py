"""Standard output and error as every command uses them: never a crash over a character, never over a closed pipe."""

from __future__ import annotations

import io
import os
import shutil
import sys
import unicodedata

from optchat.cli.status import Failure, Status
from optchat.cli.visible import visible


def prepare() -> None:
    """Set up both streams. What goes into a pipe or a file is UTF-8, as the chat's files are, whatever the locale;
    a terminal that cannot show a character gets its escape. Raises Failure when standard output is closed."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - it stays open as long as we run
    if sys.stdout is None:
        raise Failure("standard output is closed", Status.SYSTEM)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            if stream.isatty():
                stream.reconfigure(errors="backslashreplace")
            else:
                stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


def finish() -> None:
    """Write out what is left; if nobody takes it any more, it must not raise again when the interpreter exits."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def write(text: str) -> None:
    """Print a text of the chat: into a pipe exactly as it is, on a terminal visibly."""
    sys.stdout.write(visible(text) if sys.stdout.isatty() else text)


def write_line(line: str, whole: bool = False) -> None:
    """Print a line of the chat; on a terminal it is cut to the width, unless it is to be seen whole."""
    if sys.stdout.isatty() and not whole:
        line = fitted(visible(line), shutil.get_terminal_size().columns)
        sys.stdout.write(line + "\n")
    else:
        write(line + "\n")


def fitted(line: str, columns: int) -> str:
    """A line in at most so many columns of a terminal; what is cut ends in an ellipsis. Wide characters take two."""
    used = 0
    for at, char in enumerate(line):
        used += 2 if unicodedata.east_asian_width(char) in "WF" else 1
        if used > columns or (used == columns and at + 1 < len(line)):
            return line[:at] + "…"
    return line
