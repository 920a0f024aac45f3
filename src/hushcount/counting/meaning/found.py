"""The question put to an engine where the groups come from the data: their keys, and what is counted in each.

It is written over the relation `source` of `meaning.query`, in the same spirit. The answer has a column `cell`, one
column of texts for each group of `by`, `key_0`, `key_1`, ..., and `counted`, in any order of its rows:

| cell | keys | counted |
|-----:|------|---------|
| -1 | NULL | the number of rows of `source`; with a unit, of different units, as in `meaning.query` |
| -2 | NULL | with a unit only: the number of rows of `source` without one |
| 0 | those of a group | its matching rows (or units), never 0 |

Keys are grouped by their values and then spelled, alike in every engine: whole numbers, and decimals with the digits of
their type, in plain digits; dates as YYYY-MM-DD, with (BC) before the year 1; true and false; a band by its place
(`places_of`). NULL is the missing key. What lies in no band is left out.

**Of the groups that a unit reaches, those with the least hashes count** (`meaning.lot`), or where rows of units are
counted its rows with the least. Which these are follows from the matching rows of the unit alone, and nothing in the
order of rows, in other units or in how large groups are has a say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hushcount.counting.meaning import types as t
from hushcount.counting.meaning.conditions import Conditions, compile_predicate
from hushcount.counting.meaning.expression import SOURCE, column
from hushcount.counting.meaning.groups import key_of
from hushcount.counting.meaning.lot import UNIT, by_lot, rows_by_lot
from hushcount.counting.meaning.query import ALL, WITHOUT_UNIT, units_from
from hushcount.counting.meaning.types import ColumnType
from hushcount.counting.predicate import nodes as n
from hushcount.counting.predicate.groups import Banded, Group

__all__ = ["found_sql"]


def found_sql(
    tree: n.Node,
    types: Mapping[str, ColumnType],
    groups: Sequence[Group],
    conditions: type[Conditions],
    *,
    unit: str | None = None,
    without_is_one: bool = False,
    max_cells: int = 1,
    rows_per_unit: int | None = None,
    salt: str = "",
) -> str:
    """Return the query over the relation `source`; see the module for what it gives.

    Args:
        tree: the predicate.
        types: of the columns of `source`: those of the predicate, of the groups and of the unit.
        groups: what tells the key of a row.
        conditions: what compiles a predicate for the engine.
        unit, without_is_one: as in `meaning.query.Grouping`.
        max_cells: the most groups in which a unit counts.
        rows_per_unit: where rows are counted, the most of a unit in all groups together; None where units are.
        salt: what is hashed with a unit and a key.

    Raises:
        PredicateRefused: the predicate does not fit the types of its columns, or the engine cannot judge it by the
            rule.
    """
    terms, sql = conditions({}), conditions.dialect.sql
    kinds = [types[group.column] if type(group) is Group else t.INTEGER for group in groups]
    found = [key_of(group, types[group.column], kind, conditions) for group, kind in zip(groups, kinds, strict=True)]
    names = [f"key_{at}" for at in range(len(groups))]
    keys, listed = (
        ", ".join(f"{sql(key)} AS {name}" for (key, _), name in zip(found, names, strict=True)),
        ", ".join(names),
    )
    spelled = [terms.spelled(column(name), kind) for name, kind in zip(names, kinds, strict=True)]
    shown = ", ".join(f"{sql(text)} AS {name}" for text, name in zip(spelled, names, strict=True))
    matching = f"FROM {SOURCE} WHERE {compile_predicate(tree, types, conditions)}"
    for (key, is_missing), group in zip(found, groups, strict=True):
        if isinstance(group, Banded):
            matching += f" AND {sql(~key.is_null() | is_missing)}"

    def labelled(cell: int, rows: str) -> str:
        nothing = ", ".join(f"CAST(NULL AS {conditions.dialect.type_name(t.TEXT)}) AS {name}" for name in names)
        return f"SELECT CAST({cell} AS BIGINT) AS cell, {nothing}, COUNT(*) AS counted {rows} UNION ALL "

    def told(rows: str) -> str:
        counted = f"SELECT {listed}, COUNT(*) AS counted FROM ({rows}) AS matching GROUP BY {listed}"
        return f"SELECT CAST(0 AS BIGINT) AS cell, {shown}, counted FROM ({counted}) AS {SOURCE}"

    if unit is None:
        return labelled(ALL, f"FROM {SOURCE}") + told(f"SELECT {keys} {matching}")
    whose = sql(column(unit))
    reached = f"{whose} AS {UNIT}, {keys} {matching}"
    if rows_per_unit is None:
        parts = f"SELECT DISTINCT {reached}"
        counting = by_lot(parts, types[unit], names, spelled, max_cells, salt, terms)
    else:
        counting = rows_by_lot(f"SELECT {reached}", types[unit], names, spelled, rows_per_unit, salt, terms)
    return (
        labelled(ALL, units_from(whose, without_is_one))
        + labelled(WITHOUT_UNIT, f"FROM {SOURCE} WHERE {whose} IS NULL")
        + told(counting)
    )
