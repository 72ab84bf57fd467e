"""Exit statuses, and the one line that a user's error becomes."""

from __future__ import annotations

import sys
from enum import IntEnum

from optchat.cli.visible import visible_line


class Status(IntEnum):
    """What `optchat` exits with. Scripts rely on these: they do not change."""

    OK = 0
    WRONG = 1
    """Something was found wrong: the chat's files, a damaged import, a law that is broken."""
    USAGE = 2
    """The command cannot be done as it was asked: an option, an id, a missing file, a setting."""
    HELD = 3
    """Another process has the chat open for writing."""
    SYSTEM = 4
    """The system refused: no permission, a full disk, a folder that is a file."""
    NOTHING = 5
    """A search that found nothing."""
    BUG = 70
    """An error of ours, with its traceback."""
    INTERRUPTED = 130
    PIPE = 141
    """The reader of the output went away."""


HELP = """\
Exit statuses: 0 done; 1 something was found wrong (the chat's files, a damaged import); 2 it cannot be done as asked
(an option, an id, a missing file, a setting); 3 another process has the chat open; 4 the system refused (permission,
a full disk); 5 a search found nothing; 70 an error of ours, with its traceback."""


class Failure(Exception):
    """An error of the user's, or of the world's: one line (what, where, the way out) and an exit status."""

    def __init__(self, message: str, status: Status = Status.USAGE) -> None:
        super().__init__(message)
        self.status = status


def complain(message: str) -> None:
    """One line on standard error, whatever the message holds."""
    sys.stderr.write(f"optchat: {visible_line(message)}\n")
    sys.stderr.flush()
