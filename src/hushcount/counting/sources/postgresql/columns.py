"""The types of PostgreSQL, and how a column of each is read without a chance to fail or to have rules of its own.

Only types of the system itself are known, and enums; a domain is the type it stands on. Texts get the collation "C",
which compares code points. A `char(n)` is read without the spaces it is padded with, as PostgreSQL itself turns it into
a text. NaN of a numeric is a missing value, like any NaN; so that a numeric without a precision, or of more than 38
digits, can hold any number and infinity. A column is required if it is NOT NULL in each part of the table, and for all
rows: of a part that inherits from it, or of a constraint that was never validated, that need not be so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hushcount.counting.meaning import types as t
from hushcount.counting.meaning.types import ColumnType
from hushcount.counting.predicate.quoting import quoted_name
from hushcount.counting.sources.postgresql.views import Projection
from hushcount.counting.sources.source import COMPUTED, Column

__all__ = ["columns_of"]

_COLUMNS = """
WITH RECURSIVE part AS (
    SELECT {behind}::oid AS relation
    UNION SELECT inhrelid FROM part JOIN pg_inherits ON inhparent = relation
), base AS (
    SELECT a.attnum, a.attname, a.atttypid AS type, a.atttypmod AS modifier, b.attgenerated::text AS generated,
        NOT EXISTS (
            SELECT FROM part JOIN pg_attribute AS p ON p.attrelid = relation AND p.attname = b.attname
            WHERE NOT p.attnotnull OR EXISTS (
                SELECT FROM pg_constraint
                WHERE conrelid = relation AND contype = 'n' AND p.attnum = ANY(conkey) AND NOT convalidated
            )
        ) AS required
    FROM pg_attribute AS a JOIN pg_attribute AS b
        ON b.attrelid = {behind} AND b.attnum = coalesce((ARRAY[{picked}]::int[])[a.attnum], a.attnum)
    WHERE a.attrelid = {table} AND a.attnum > 0 AND NOT a.attisdropped
    UNION ALL
    SELECT attnum, attname, typbasetype, CASE WHEN typtypmod >= 0 THEN typtypmod ELSE modifier END, generated, required
    FROM base JOIN pg_type ON pg_type.oid = base.type WHERE typtype = 'd'
)
SELECT attname, typname, modifier, format_type(type, modifier), typtype::text,
    typnamespace = 'pg_catalog'::regnamespace, generated, has_column_privilege({table}, attnum, 'SELECT'),
    ARRAY(SELECT enumlabel::text FROM pg_enum WHERE enumtypid = type ORDER BY enumsortorder), required
FROM base JOIN pg_type ON pg_type.oid = base.type WHERE typtype <> 'd' ORDER BY attnum
"""
_TEXT = 'CAST({} AS text) COLLATE "C"'
_SIMPLE = {
    "int2": (t.integer(16, signed=True), "{}"),
    "int4": (t.integer(32, signed=True), "{}"),
    "int8": (t.INTEGER, "{}"),
    "float4": (t.SINGLE, "CAST({} AS float8)"),
    "float8": (t.DOUBLE, "{}"),
    "bool": (t.BOOLEAN, "{}"),
    "text": (t.TEXT, _TEXT),
    "date": (t.DATE, "{}"),
    "timestamp": (t.TIMESTAMP, "{}"),
    "timestamptz": (t.TIMESTAMP_UTC, "timezone('UTC', {})"),
}
_SIZED = ("varchar", "bpchar")
_SIZE_OF_HEADER = 4
"""What PostgreSQL adds to the number of characters in the modifier of a text."""
_NUMBER = "NULLIF({}, 'NaN')"
_DIGITS = 38


def columns_of(
    rows: Callable[[str], list[tuple[Any, ...]]], table: int, behind: Projection | None = None
) -> list[Column]:
    """Return the columns of the table or view with this object identifier, in order.

    Args:
        rows: gives the result of a query.
        behind: what a view picks.
    """
    columns = []
    origin = behind or Projection(table, ())
    asked = _COLUMNS.format(table=table, behind=origin.relation, picked=", ".join(map(str, origin.columns)))
    for name, kind, modifier, declared, family, of_system, generated, allowed, labels, required in rows(asked):
        known = None
        if family == "e":
            known = replace(t.TEXT, labels=tuple(map(str, labels))), _TEXT
        elif of_system and kind in _SIZED:
            length = int(modifier) - _SIZE_OF_HEADER if int(modifier) >= 0 else None
            known = replace(t.TEXT, length=length, padded=kind == "bpchar"), _TEXT
        elif of_system and kind == "numeric":
            known = _numeric(int(modifier)), _NUMBER
        elif of_system:
            known = _SIMPLE.get(kind)
        column = Column.of(str(name), str(declared), known, quoted_name(str(name)), required=bool(required))
        if not allowed:
            column = replace(column, type=t.UNKNOWN, refused="may not be read by this user", allowed=False)
        elif generated == "v" and known is not None:
            column = replace(column, type=t.UNKNOWN, refused=COMPUTED)
        columns.append(column)
    return columns


def _numeric(modifier: int) -> ColumnType:
    precision, scale = _precision(modifier)
    is_short = modifier >= 0 and 0 <= scale <= precision <= _DIGITS
    return t.decimal(precision, scale) if is_short else t.NUMERIC


def _precision(modifier: int) -> tuple[int, int]:
    """Return the precision and scale that PostgreSQL packs into the modifier of a numeric; the scale may be below 0."""
    packed = modifier - 4
    return packed >> 16 & 0xFFFF, ((packed & 0x7FF) ^ 0x400) - 0x400
