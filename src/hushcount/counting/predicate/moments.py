"""ISO dates and timestamps, read strictly: the same spelling counts as a date in a predicate and in a file."""

from __future__ import annotations

import re
from datetime import date, datetime

__all__ = ["ISO_DATE", "TIMESTAMP_PATTERN", "read_date", "read_day", "read_timestamp"]

ISO_DATE = "%Y-%m-%d"

_DATE = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
TIMESTAMP_PATTERN = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?(Z|[+-][0-9]{2}:?[0-9]{2})?"
)
_TIMESTAMP = re.compile(TIMESTAMP_PATTERN)


def read_date(text: str) -> date | None:
    """Return the date written as YYYY-MM-DD, or None."""
    if not _DATE.fullmatch(text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def read_day(text: str, date_format: str) -> date | None:
    """Return the date written in a format of strptime, in ASCII; None if it is none."""
    if not text.isascii():
        return None
    try:
        return datetime.strptime(text, date_format).date()
    except ValueError:
        return None


def read_timestamp(text: str) -> datetime | None:
    """Return the time written as YYYY-MM-DD hh:mm[:ss[.ffffff]] with an optional offset (Z, +hh:mm), or None.

    A date alone means its midnight. The result has a time zone only where an offset is written.
    """
    day = read_date(text)
    if day is not None:
        return datetime(day.year, day.month, day.day)
    if not _TIMESTAMP.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
