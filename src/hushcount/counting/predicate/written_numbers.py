"""Numbers in a predicate, and what is written like one elsewhere: 2,5 and 1.000.000, and the date 01.07.2024."""

from __future__ import annotations

import re

from hushcount.counting.predicate.moments import read_date
from hushcount.errors import PredicateRefused

__all__ = ["check_number"]

_NUMBER = re.compile(r"[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?")
_DOTTED = re.compile(r"[0-9]+(\.[0-9]+){2,}")
_MARKED = re.compile(r"[0-9]+((\.[0-9]+)*(,[0-9]+)+(\.[0-9]+)?|(\.[0-9]+){2,})")
_DAY_FIRST = re.compile(r"(?P<day>[0-9]{1,2})\.(?P<month>[0-9]{1,2})\.(?P<year>[0-9]{4})")
_YEAR_FIRST = re.compile(r"(?P<year>[0-9]{4})\.(?P<month>[0-9]{1,2})\.(?P<day>[0-9]{1,2})")
_GROUPED = (
    (re.compile(r"[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?"), ","),
    (re.compile(r"[0-9]{1,3}(\.[0-9]{3})+(,[0-9]+)?|[0-9]+,[0-9]+"), "."),
)
"""Numbers with marks between thousands, and these marks; or with a comma before the fraction."""


def check_number(raw: str, text: str, start: int, *, is_listed: bool) -> None:
    """Check that a number is written as one.

    Args:
        raw: what was taken for a number, which begins in `text` at `start`.
        is_listed: whether it is in a list, where a comma is between two numbers.

    Raises:
        PredicateRefused: it is not; or it goes on as a date does, or with the marks of other languages, as 2,5.
    """
    if not _NUMBER.fullmatch(raw):
        raise PredicateRefused(f"{raw!r} is not a number as it is written here; write it as 1000 or 1.5e3")
    found = (_DOTTED if is_listed else _MARKED).match(text, start)
    if found is None:
        return
    date = _DAY_FIRST.fullmatch(found[0]) or _YEAR_FIRST.fullmatch(found[0])
    if date is not None:
        written = "-".join(date[name].zfill(2) for name in ("year", "month", "day"))
        hint = f"a date is written DATE '{written if read_date(written) else 'YYYY-MM-DD'}'"
    else:
        readings = [
            found[0].replace(apart, "").replace(",", ".") for kind, apart in _GROUPED if kind.fullmatch(found[0])
        ]
        hint = f"write {' or '.join(readings)}" if readings else "there is nothing but one decimal point between digits"
    raise PredicateRefused(f"{found[0][:60]!r} is not a number as it is written here; {hint}")
