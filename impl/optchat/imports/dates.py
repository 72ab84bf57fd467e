"""Dates of sources as aware moments, or the reason why not."""

from __future__ import annotations

import math
from datetime import UTC, datetime

from optchat.imports.record import ImportFailed

LATEST_SECONDS = 1e11
"""Numbers above it (the year 5138 in seconds) are milliseconds."""


class BadDate(ValueError):
    """Why a value is no date; without its place."""


def iso_date(value: object) -> datetime:
    """A date as ISO 8601 with a zone. Raises BadDate."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        number = str(value)[:40]
        raise BadDate(f"the date {number} is a number, not a date with a zone such as 2024-08-05T19:33:02+02:00")
    if not isinstance(value, str):
        raise BadDate("it has no date")
    try:
        date = datetime.fromisoformat(value)
    except ValueError:
        raise BadDate(f"{value[:40]!r} is no date such as 2024-08-05T19:33:02+02:00") from None
    if date.tzinfo is None:
        raise BadDate(f"the date {value[:40]!r} has no zone: write it as 2024-08-05T19:33:02+02:00, or with Z")
    return _checked(date, value)


def epoch_date(value: object) -> datetime:
    """A date as seconds since 1970. Raises BadDate."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value in (math.inf, -math.inf):
        raise BadDate(f"{str(value)[:40]!r} is no number of seconds since 1970")
    if abs(value) > LATEST_SECONDS:
        raise BadDate(f"the date {str(value)[:40]} looks like milliseconds, and seconds since 1970 are expected")
    try:
        date = datetime.fromtimestamp(value, UTC)
    except (OverflowError, ValueError, OSError):
        raise BadDate(f"the date {value} is out of range") from None
    return _checked(date, str(value)).astimezone()


def local_date(value: str, form: str) -> datetime:
    """A date without a zone, taken as this machine's local time. Raises BadDate."""
    try:
        date = datetime.strptime(value, form)
    except ValueError:
        raise BadDate(f"{value[:40]!r} is no date such as 2024-08-05 19:33:02") from None
    return _checked(date, value)


def _checked(date: datetime, value: str) -> datetime:
    """The date, with its own zone or else this machine's. Other zones must reach it: the first day of all may not."""
    try:
        date.astimezone(UTC)
        local = date.astimezone()
    except (OverflowError, ValueError, OSError):
        _check_zone()
        raise BadDate(f"the date {value[:40]!r} is out of range") from None
    return local if date.tzinfo is None else date


def _check_zone() -> None:
    """Raise ImportFailed when no date can have this machine's zone: it is not the file that is at fault."""
    try:
        datetime.fromtimestamp(86_400).astimezone()
    except ValueError:
        raise ImportFailed(
            "this machine's time zone is a day or more from UTC, which no date can be: set the variable TZ to another"
        ) from None
