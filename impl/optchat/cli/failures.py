"""Which exceptions are the user's or the world's, and what is said of them."""

from __future__ import annotations

from optchat.cli.status import Failure, Status
from optchat.settings import SettingsError


def failure_of(error: Exception) -> Failure | None:
    """An exception as one line and a status; None when it is an error of ours."""
    # Imported when something failed: a command that needs no store does not wait for it.
    from optchat.store.errors import Damaged, Locked, Poisoned, StoreError, Unusable

    statuses = {Damaged: Status.WRONG, Locked: Status.HELD, Poisoned: Status.SYSTEM, Unusable: Status.SYSTEM}
    match error:
        case Failure():
            return error
        case SettingsError():
            return Failure(str(error))
        case StoreError():
            return Failure(str(error), statuses.get(type(error), Status.USAGE))
        case OSError() if error.strerror is not None:
            where = f"{error.filename}: " if error.filename is not None else ""
            missing = isinstance(error, FileNotFoundError)
            return Failure(f"{where}{error.strerror}", Status.USAGE if missing else Status.SYSTEM)
    return None
