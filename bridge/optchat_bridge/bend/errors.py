"""The errors that end a check, in the shape the digest describes, and where they point.

Terms in a message are kept as they are and rendered by the reporter, so that a failed check pays for showing
and a successful one does not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

STOPPED: Final = "stopped: "
"""How the message begins when a limit was reached."""


class Place(NamedTuple):
    """A place in a source file: its path and the offset of a character."""

    file: str
    pos: int


@dataclass(slots=True)
class BendError(Exception):
    """A program that does not check.

    Either ``message``, or ``expected`` and ``observed``, all rendered text. ``context`` lists each variable in
    scope with its type. ``plain`` errors are about the whole book and print as one line.
    """

    message: str = ""
    expected: str = ""
    observed: str = ""
    place: Place | None = None
    context: list[tuple[str, str]] = field(default_factory=list)
    note: str = ""
    plain: bool = False

    def __str__(self) -> str:
        return self.message or f"expected {self.expected}, observed {self.observed}"


def printable(text: str) -> str:
    """A text on one line that a terminal only shows: control characters as escapes, undecodable bytes as ``\\xff``."""
    if text.isprintable():
        return text
    return "".join([char if char.isprintable() else _escape(char) for char in text])


def _escape(char: str) -> str:
    byte = ord(char) - 0xDC00
    return f"\\x{byte:02x}" if 0x80 <= byte <= 0xFF else char.encode("unicode_escape").decode()


def quoted(text: str) -> str:
    """A piece of source as a message shows it: 'x', or the words end of input."""
    return "'" + printable(text.replace("\\", "\\\\")) + "'" if text else "end of input"


def parse_error(expected: str, observed: str, place: Place) -> BendError:
    """``expected`` in words; ``observed`` as shown."""
    return BendError(expected=expected, observed=observed, place=place)


def outside(what: str, place: Place | None) -> BendError:
    """Something that may be Bend but that this implementation refuses rather than guess."""
    return BendError(message=f"{what} (not in our part of Bend)", place=place)


def stopped(why: str) -> BendError:
    """A limit of time, memory or depth: says nothing about truth."""
    return BendError(message=f"{STOPPED}{why}", plain=True)
