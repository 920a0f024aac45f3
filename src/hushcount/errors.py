"""Every error that hushcount raises on purpose.

Two families, by who has to act: `BadUse` (the call is wrong: parameters, predicate, options; exit code 2 at the
command line) and `BadData` (the source cannot be read under what was declared; exit code 3). A message names the
argument, the value and the rule it breaks, and never a cell of the data or a true count.
"""

from __future__ import annotations

from numbers import Number

__all__ = [
    "BadData",
    "BadUse",
    "HushcountError",
    "InvalidParameter",
    "NoSuchColumn",
    "PredicateRefused",
    "TooLarge",
]


class HushcountError(Exception):
    """Base of all errors of this package."""


class BadUse(HushcountError, ValueError):
    """The request itself is wrong; nothing was read or released."""


class BadData(HushcountError):
    """The source does not hold what was declared of it; nothing was released."""


class InvalidParameter(BadUse):
    """An argument breaks its rule.

    `argument`, `value` and `rule` are kept as attributes. `value` is None where it must not be repeated (a true count).
    """

    def __init__(self, argument: str, value: object, rule: str) -> None:
        got = "" if value is None else f" (got {_shown(value)})"
        super().__init__(f"{argument} must be {rule}{got}")
        self.argument = argument
        self.value = value
        self.rule = rule


class TooLarge(BadUse):
    """The answer would not fit in a stated size; the message says what to use instead."""


class PredicateRefused(BadUse):
    """The predicate is not a single row-local SQL expression over known columns."""


class NoSuchColumn(PredicateRefused):
    """The predicate names a column the source does not have; `suggestion` is a near miss or None."""

    def __init__(self, column: str, suggestion: str | None) -> None:
        hint = "" if suggestion is None else f"; did you mean {suggestion!r}?"
        super().__init__(f"no such column: {column!r}{hint}")
        self.column = column
        self.suggestion = suggestion


def _shown(value: object, limit: int = 60) -> str:
    text = str(value) if isinstance(value, Number) and not isinstance(value, bool) else repr(value)
    return text if len(text) <= limit else f"{text[:limit]}..."
