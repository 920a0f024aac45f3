"""The lot that decides what of a unit counts: by hashes, which nothing of other units has a say in.

The hash is SHA-256 of salt and texts, each text with its length before it. Under a salt that is new for each release
and kept nowhere, the parts of a unit with the least hashes are a choice by lot among its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from hushcount.counting.meaning import types as t
from hushcount.counting.meaning.conditions import Conditions
from hushcount.counting.meaning.expression import SOURCE, Expression, call, cases, column, constant
from hushcount.counting.meaning.types import ColumnType

__all__ = ["UNIT", "lot", "rows_by_lot"]

UNIT = "unit"
"""The column that has the unit of a row."""

_ORDINAL = "ordinal"


def lot(salt: str, texts: Sequence[Expression], terms: Conditions) -> str:
    """Return the SQL of the hash of salt and texts, of which NULL is one."""
    hashed = [constant(salt, t.TEXT), *map(_framed, texts)]
    return terms.dialect.sql(terms.digest(reduce(lambda before, part: call("||", before, part), hashed)))


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
    spelled = [terms.spelled(column(UNIT), kind), *texts, terms.spelled(column(_ORDINAL), t.INTEGER)]
    place = f"ROW_NUMBER() OVER (PARTITION BY {UNIT} ORDER BY {lot(salt, spelled, terms)}) AS place"
    ranked = f"SELECT {listed}, {place} FROM ({numbered}) AS {SOURCE}"
    return f"SELECT {listed} FROM ({ranked}) AS ranked WHERE place <= {most}"


def _framed(text: Expression) -> Expression:
    """Return a text with its length before it, so that what is joined can be told apart; NULL is -."""
    length = call("LENGTH", text).cast(t.TEXT)
    parts = call("||", call("||", length, constant(":", t.TEXT)), text)
    return cases([(text.is_null(), constant("-", t.TEXT))], parts)
