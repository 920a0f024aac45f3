"""Every error that hushcount raises on purpose.

There are three families, by who has to act: `BadUse` (the call is wrong: parameters, predicate, options; exit code 2 at
the command line), `BadData` (the source, or the ledger, cannot be read as declared; exit code 3) and `BudgetExceeded`
(the budget does not allow it; exit code 4). A message names the argument, the value and the rule it breaks, and never a
cell of the data, a true count or a credential.
"""

from __future__ import annotations

from numbers import Number
from pathlib import PurePath
from typing import Any

__all__ = [
    "BadData",
    "BadUse",
    "BudgetClosed",
    "BudgetExceeded",
    "HushcountError",
    "InvalidParameter",
    "LedgerUnusable",
    "NoSuchColumn",
    "PredicateRefused",
    "SolverFailed",
    "Told",
    "TooLarge",
    "type_of",
]


class HushcountError(Exception):
    """The base of all errors of this package.

    Attributes:
        charged: the `Charge` that stands although the release failed; None where nothing was charged.
    """

    charged: Any = None


class BadUse(HushcountError, ValueError):
    """The request itself is wrong; nothing was read or released."""


class BadData(HushcountError):
    """The source does not hold what was declared; nothing was released."""


class Told(str):
    """What a message says of a value in place of it, without quotes, such as the shape of an array."""


class InvalidParameter(BadUse):
    """An argument breaks its rule.

    `argument`, `value` and `rule` are kept as attributes. The message repeats a number, a truth value, a short text or
    a path. Anything else may hold records, so it is named by its type only. `value` is None wherever it is not
    repeated, and must be given as None where it may not be (a true count).
    """

    def __init__(self, argument: str, value: object, rule: str) -> None:
        got = "" if value is None else f" (got {_shown(value)})"
        super().__init__(f"{argument} must be {rule}{got}")
        self.argument = argument
        self.value = value if _is_plain(value) else None
        self.rule = rule


class TooLarge(BadUse):
    """The answer would not fit in a stated size; the message says what to use instead."""


class PredicateRefused(BadUse):
    """The predicate is not a single row-local SQL expression over known columns."""


class SolverFailed(HushcountError):
    """The linear program solver gave no usable answer; the message says what to ask for instead."""


class NoSuchColumn(PredicateRefused):
    """The predicate names a column the source does not have; `suggestion` is a near miss or None.

    `undivided` is the only column, if it looks like several that a delimiter should have divided.
    """

    def __init__(self, column: str, suggestion: str | None, undivided: str | None = None) -> None:
        hint = "" if suggestion is None else f"; did you mean {suggestion!r}?"
        if undivided is not None:
            hint = f"; there is one column, {undivided!r}; is the delimiter right?"
        super().__init__(f"no such column: {_shown(column)}{hint}")
        self.column = column
        self.suggestion = suggestion


class LedgerUnusable(BadData):
    """The ledger is missing, damaged, not a ledger, too new, busy or not writable; nothing was released.

    `ledger` says which, without credentials, and `reason` what is wrong.
    """

    def __init__(self, ledger: str, reason: str) -> None:
        super().__init__(f"the ledger {ledger} {reason}")
        self.ledger = ledger
        self.reason = reason

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.ledger, self.reason)


class BudgetExceeded(HushcountError):
    """What is left of a budget does not cover a request; nothing was charged or released.

    Attributes:
        requested: the price asked for, as `EpsilonDelta`.
        remaining: what is left; under tight accounting, a price that would still be covered.
        budget: the name of the budget.
    """

    def __init__(self, message: str, requested: Any, remaining: Any, budget: str = "") -> None:
        super().__init__(message)
        self.requested = requested
        self.remaining = remaining
        self.budget = budget

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), self.requested, self.remaining, self.budget)


class BudgetClosed(BudgetExceeded):
    """The budget was closed: nothing more may be charged to it, so nothing of it remains."""


_LONGEST = 60


def type_of(value: object) -> Told:
    """Return the type of a value, which is all that a message says of an argument of the wrong type: "a list"."""
    kind = type(value).__name__
    return Told(kind if kind == "bytes" else f"{'an' if kind.startswith(('ndarray', *'aeiouAEIOU')) else 'a'} {kind}")


def _is_plain(value: object) -> bool:
    """Return whether it is a number, a truth value, one line of text, or a path: what somebody typed, and no record."""
    if isinstance(value, str):
        return len(value.splitlines()) <= 1
    return isinstance(value, (Number, PurePath))


def _shown(value: object) -> str:
    if not _is_plain(value):
        return "a text of several lines" if isinstance(value, str) else type_of(value)
    is_number = isinstance(value, Number) and not isinstance(value, bool)
    try:
        text = str(value) if is_number or isinstance(value, Told) else repr(value)
    except ValueError:  # an integer of more digits than Python writes out
        return type_of(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
