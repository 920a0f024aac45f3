"""Which texts a declared type excludes: no row can hold them, so that a comparison with one could only be empty.

Four declarations exclude texts: `varchar(n)` and `char(n)` those of more than n characters; `char(n)` also those that
end with a space, since its values are read without the spaces that pad them; an enum all but its labels; and a file of
Stata, SPSS or SAS what it declares missing (`missing_codes`). Only what the source itself enforces counts: SQLite and
DuckDB take a `VARCHAR(n)` for any text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hushcount.counting.meaning import types as t
from hushcount.counting.meaning.missing_codes import is_text_missing, possible_labels, why_missing
from hushcount.counting.meaning.types import ColumnType

__all__ = ["joined", "why_excluded"]

_MOST_SHOWN = 10


def why_excluded(kind: ColumnType, text: str) -> str | None:
    """Return why no value of a type of texts equals `text`, in words that follow the name of a column; None if one
    may."""
    if text in kind.also:
        return None
    if is_text_missing(kind, text):
        return why_missing(repr(text[:60]))
    possible = possible_labels(kind)
    if possible is not None and text not in possible:
        shown = ", ".join(repr(name[:60]) for name in possible[:_MOST_SHOWN])
        more = ", ..." if len(possible) > _MOST_SHOWN else ""
        return f"can only be {shown}{more}" if possible else "can only be missing"
    if kind.padded and text.endswith(" "):
        return "is read without the spaces that pad it, and so never ends with one"
    if kind.length is not None and len(text) > kind.length:
        return f"has at most {kind.length} characters"
    return None


def joined(kinds: Sequence[ColumnType], literals: Sequence[str]) -> ColumnType:
    """Return the type of a choice among several texts, with no limit unless all that are not literals have one."""
    if not kinds or not all(kind.limited for kind in kinds):
        return t.TEXT
    labels = [label for kind in kinds for label in possible_labels(kind) or ()]
    listed = tuple(dict.fromkeys([*labels, *(text for kind in kinds for text in kind.also), *literals]))
    others = [kind for kind in kinds if kind.labels is None]
    if not others:
        return replace(t.TEXT, labels=listed)
    lengths = [kind.length for kind in others if kind.length is not None]
    longest = max(lengths) if len(lengths) == len(others) else None
    return replace(t.TEXT, padded=all(kind.padded for kind in others), length=longest, also=listed)
