"""The lot that decides what of a unit counts: by hashes, which nothing of other units has a say in.

The hash is SHA-256 of salt and texts, each text with its length before it. Under a salt that is new for each release
and kept nowhere, the parts of a unit with the least hashes are a choice by lot among its own. A unit without more parts
than may count needs no hash, which takes most of the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from hushcount.counting.meaning import types as t
from hushcount.counting.meaning.conditions import Conditions
from hushcount.counting.meaning.expression import SOURCE, Expression, call, cases, column, constant
from hushcount.counting.meaning.types import ColumnType

__all__ = ["UNIT", "by_lot", "rows_by_lot"]

UNIT = "unit"
"""The column that has the unit of a row."""

_ORDINAL, _TOTAL = "ordinal", "total"


def by_lot(
    parts: str,
    kind: ColumnType,
    listed: Sequence[str],
    texts: Sequence[Expression],
    most: int,
    salt: str,
    terms: Conditions,
) -> str:
    """Return the query for at most `most` parts of each unit, drawn by lot among all of its parts.

    Args:
        parts: the query for the parts, with their `unit`.
        kind: the type of the unit.
        listed: the names of their columns that are asked for.
        texts: what spells a part, different for any two of a unit.
    """
    shown = ", ".join(listed)
    hashed = [constant(salt, t.TEXT), *map(_framed, [terms.spelled(column(UNIT), kind), *texts])]
    digest = terms.dialect.sql(terms.digest(reduce(lambda before, part: call("||", before, part), hashed)))
    least = f"CASE WHEN {_TOTAL} > {most} THEN {digest} END"
    total = f"SELECT *, COUNT(*) OVER (PARTITION BY {UNIT}) AS {_TOTAL} FROM ({parts}) AS parts"
    place = f"ROW_NUMBER() OVER (PARTITION BY {UNIT} ORDER BY {least}) AS place"
    return f"SELECT {shown} FROM (SELECT {shown}, {place} FROM ({total}) AS {SOURCE}) AS ranked WHERE place <= {most}"


def rows_by_lot(
    rows: str,
    kind: ColumnType,
    cell: Sequence[str],
    texts: Sequence[Expression],
    most: int,
    salt: str,
    terms: Conditions,
) -> str:
    """Return the query for the cells of at most `most` rows of each unit, drawn by lot among all of its rows.

    Of a unit only the number of rows in each cell matters. So its rows are numbered in each cell, in any order, and
    those with the least hashes of unit, cell and number are chosen: each row as likely as any other.

    Args:
        rows: the query for rows with their `unit` and the columns of `cell`.
        kind: the type of the unit.
        cell: the names of the columns that tell the cell of a row, and `texts`, what spells it.
    """
    listed = ", ".join(cell)
    ordinal = f"ROW_NUMBER() OVER (PARTITION BY {UNIT}, {listed} ORDER BY {UNIT}) AS {_ORDINAL}"
    numbered = f"SELECT {UNIT}, {listed}, {ordinal} FROM ({rows}) AS {SOURCE}"
    return by_lot(numbered, kind, cell, [*texts, terms.spelled(column(_ORDINAL), t.INTEGER)], most, salt, terms)


def _framed(text: Expression) -> Expression:
    """Return a text with its length before it, so that what is joined can be told apart; NULL is -."""
    length = call("LENGTH", text).cast(t.TEXT)
    parts = call("||", call("||", length, constant(":", t.TEXT)), text)
    return cases([(text.is_null(), constant("-", t.TEXT))], parts)
