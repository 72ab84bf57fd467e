"""Source files: their text, or one line that says what stands at a path instead."""

from __future__ import annotations

import errno
import os
import re
import stat
from typing import Final

from .errors import BendError, Place, outside, printable

FILE_LIMIT: Final = 16 * 2**20
"""Bytes of a file."""
_UNSEEN: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Controls, breaks of a line and of its direction that an editor follows and the lexer does not: what a reader takes
for a law could be the rest of a comment."""
_NO_FILES: Final = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISCHR, "a device"),
)


def read_file(path: str, importer: Place | None) -> str:
    """The text of a file; ``importer`` is the import that names it.

    Raises BendError for anything but a file of UTF-8 text, and opens nothing else: a pipe would be waited for.
    """
    shown = printable(path) or "''"

    def refused(why: str) -> BendError:
        return BendError(message=f"{shown}: {why}", plain=True, place=importer)

    try:
        mode = os.stat(path).st_mode
        what = next((name for test, name in _NO_FILES if test(mode)), None)
        if what is not None:
            raise refused(f"{what}, not a file")
        with open(path, "rb") as file:
            data = file.read(FILE_LIMIT + 1)
    except FileNotFoundError:
        why = "a link to a file that is not there" if os.path.islink(path) else "no such file"
        raise refused(why) from None
    except OSError as error:
        loop = error.errno == errno.ELOOP
        raise refused("a loop of links" if loop else f"cannot be read: {error.strerror}") from None
    except ValueError:
        raise refused("a path cannot hold a null character") from None
    if len(data) > FILE_LIMIT:
        raise outside(f"{shown}: a file of more than {FILE_LIMIT} bytes", None)
    text = text_of(data, path)
    if not text.strip(" \t\n"):
        raise outside(f"{shown}: an empty file, with nothing to check", Place(path, 0))
    return text


def text_of(data: bytes, file: str) -> str:
    """The text of a file, or an error that names what makes it no Bend text."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise outside(f"{printable(file)}: not UTF-8 text, at byte {error.start}", Place(file, 0)) from None
    if text.startswith("\ufeff"):
        raise outside(f"{printable(file)}: a byte order mark at the start; save the file without it", Place(file, 0))
    if "\r" in text:
        where = text.index("\r")
        raise outside("a carriage return; save the file with line feeds alone", Place(file, where))
    unseen = _UNSEEN.search(text)
    if unseen:
        code = f"{ord(unseen.group()):04X}"
        raise outside(f"the control character U+{code}; in a literal write \\u{{{code}}}", Place(file, unseen.start()))
    return text
