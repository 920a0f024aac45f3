"""Which values a source declares missing: a row with such a value is read as one where it is missing, so none has it.

SPSS declares codes, and ranges of codes, such as -1 or 90 to 100; Stata and SAS have codes of their own for it, which
value labels can name. Whether a row has such a value would be a question with the same answer for all data.
"""

from __future__ import annotations

from fractions import Fraction

from hushcount.counting.meaning.types import ColumnType, Kind

__all__ = ["are_missing", "is_text_missing", "missing_words", "possible_labels", "why_missing"]

_MOST_SHOWN = 10
_MOST_WHOLE = 1_000


def is_text_missing(kind: ColumnType, text: str) -> bool:
    """Return whether a text is declared missing."""
    return (text, text) in kind.missing


def are_missing(kind: ColumnType, low: Fraction | float, high: Fraction | float) -> bool:
    """Return whether all numbers from `low` to `high`, both of them with it, are declared missing; of a column of whole
    numbers, all whole ones."""
    if not kind.numeric or not kind.missing or not low <= high:
        return False
    ranges = [(float(first), float(last)) for first, last in kind.missing]
    if any(first <= low and high <= last for first, last in ranges):
        return True
    if kind.kind is not Kind.INTEGER or not high - low <= _MOST_WHOLE:
        return False
    whole = range(-int(-low // 1), int(high // 1) + 1)
    return bool(whole) and all(any(first <= number <= last for first, last in ranges) for number in whole)


def why_missing(spelled: str) -> str:
    """Return why no row has such values, in words that follow the name of a column."""
    return f"has {spelled} declared missing in the file, so that the missing key (IS NULL) counts it"


def possible_labels(kind: ColumnType) -> tuple[str, ...] | None:
    """Return the texts that there can be, where those are declared."""
    return None if kind.labels is None else tuple(text for text in kind.labels if not is_text_missing(kind, text))


def missing_words(kind: ColumnType) -> str:
    """Return what is declared missing, for people; empty if nothing is."""
    told = []
    for first, last in kind.missing[:_MOST_SHOWN]:
        if kind.kind is Kind.TEXT:
            told.append(repr(first[:60]))
        elif first == last:
            told.append(first)
        elif last == "inf":
            told.append(f"{first} or more")
        elif first == "-inf":
            told.append(f"{last} or less")
        else:
            told.append(f"{first} to {last}")
    return ", ".join([*told, *(["..."] if len(kind.missing) > _MOST_SHOWN else [])])
