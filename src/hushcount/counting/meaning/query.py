"""The one question put to an engine for a table of counts, or for counts of units, and simpler ones.

It is written once, over two relations that every engine has to offer, and says nothing that one engine understands
otherwise than another: filters, equalities of one type, groups, a row number, unions.

`source` has the columns that were asked for, under their own names, in the types of `types`. `keys` has a row
for each declared cell, or more:

- `cell` (int64): 0, 1, 2, ... in the order declared;
- `key_0`, `key_1`, ... : the key of the cell, one column for each group of `by`, in the types `key_types`, and
  never NULL. No two rows have the same key; several keys may lead to one cell.
- `missing_0`, ... : a truth, for each group of `by` of which a missing key is declared: whether it is that, and then
  `key_0` is a value without a meaning, the same for all (`filled`). So all comparisons are equalities, for which
  engines have better ways than for IS NOT DISTINCT FROM. Without such a column a missing value equals no key.

The answer has two int64 columns, `cell` and `counted`, in any order of its rows:

| cell | counted |
|-----:|---------|
| -1 | the number of rows of `source`; with a unit, of different units, rows without one being one more if told to be |
| -2 | with a unit only: the number of rows of `source` without one |
| 0 to cells - 1 | the matching rows (or units) of that cell; there need be no row where there are none |
| cells | those of no declared cell, of an undeclared missing key too; never there if they are left out |

With a unit of which so many rows count at most, what is counted in cells are rows.

Without `by` there is one cell, 0, and no relation `keys`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hushcount.counting.meaning.conditions import Conditions, compile_predicate
from hushcount.counting.meaning.expression import SOURCE, Expression, cases, column, constant
from hushcount.counting.meaning.groups import key_of
from hushcount.counting.meaning.lot import UNIT, rows_by_lot
from hushcount.counting.meaning.types import INTEGER, ColumnType, Kind
from hushcount.counting.predicate import nodes as n
from hushcount.counting.predicate.groups import Group

__all__ = [
    "ALL",
    "KEYS",
    "SOURCE",
    "WITHOUT_UNIT",
    "Grouping",
    "counting_sql",
    "grouped_sql",
    "units_from",
    "units_sql",
    "without_unit_sql",
]

KEYS = "keys"
ALL, WITHOUT_UNIT = -1, -2


@dataclass(frozen=True)
class Grouping:
    """What is asked of the rows besides whether they match.

    Attributes:
        by: what tells the cell of a row; none, if all that match are one cell.
        key_types: of each of these, the type in which it is compared with the keys.
        missing: of each of these, whether a missing key is declared.
        cells: how many cells are declared; 1 without `by`.
        keeps_other: whether what falls in no declared cell is counted, in a cell of its own.
        unit: the column that tells whom a row belongs to; None counts rows.
        without_is_one: whether rows without a unit belong to one more, else to none.
        max_cells: the most cells in which a unit counts: the first that it reaches.
        rows_per_unit: where rows are counted, the most of a unit in all cells together, which `salt` decides among its
            own (`meaning.lot`); None where units are.
    """

    by: tuple[Group, ...] = ()
    key_types: tuple[ColumnType, ...] = ()
    missing: tuple[bool, ...] = ()
    cells: int = 1
    keeps_other: bool = False
    unit: str | None = None
    without_is_one: bool = False
    max_cells: int = 1
    rows_per_unit: int | None = None
    salt: str = ""


def counting_sql(tree: n.Node, types: Mapping[str, ColumnType], conditions: type[Conditions]) -> str:
    """Return the query for the number of rows of `source`, and of those of which the predicate is true, in one row.

    Args, Raises: as in `grouped_sql`.
    """
    return f"SELECT COUNT(*), COUNT(*) FILTER (WHERE {compile_predicate(tree, types, conditions)}) FROM {SOURCE}"


def grouped_sql(tree: n.Node, types: Mapping[str, ColumnType], asked: Grouping, conditions: type[Conditions]) -> str:
    """Return the query over the relations `source` and `keys`; see the module for what they hold.

    Args:
        tree: the predicate.
        types: of the columns of `source`: those of the predicate, of `by` and of the unit.
        asked: what is asked beyond it.
        conditions: what compiles a predicate for the engine.

    Raises:
        PredicateRefused: the predicate does not fit the types of its columns, or the engine cannot judge it by the
            rule.
    """
    selected = {name: conditions.dialect.sql(key) for name, key in _keys(types, asked, conditions).items()}
    names = ", ".join(selected)
    found = ", ".join(f"{key} AS {name}" for name, key in selected.items())
    placed = f"{KEYS} ON {' AND '.join(f'found.{name} = {KEYS}.{name}' for name in selected)}"
    cell = f"COALESCE({KEYS}.cell, {asked.cells})" if asked.keeps_other else f"{KEYS}.cell"
    join = "LEFT JOIN" if asked.keeps_other else "JOIN"
    matching = f"FROM {SOURCE} WHERE {compile_predicate(tree, types, conditions)}"
    if asked.unit is None:
        everything = _labelled(ALL, f"FROM {SOURCE}")
        if not selected:
            return f"{everything} UNION ALL {_labelled(0, matching)}"
        found = f"SELECT {names}, COUNT(*) AS counted FROM (SELECT {found} {matching}) AS matching GROUP BY {names}"
        return (
            f"{everything} UNION ALL SELECT {cell}, CAST(SUM(counted) AS BIGINT) "
            f"FROM ({found}) AS found {join} {placed} GROUP BY {KEYS}.cell"
        )
    unit = conditions.dialect.sql(column(asked.unit))
    counted = (
        f"{_labelled(ALL, units_from(unit, asked.without_is_one))} UNION ALL "
        f"{_labelled(WITHOUT_UNIT, f'FROM {SOURCE} WHERE {unit} IS NULL')} UNION ALL "
    )
    most = asked.rows_per_unit
    if not selected and most is not None:
        rows = f"FROM (SELECT COUNT(*) AS counted {matching} GROUP BY {unit}) AS reached"
        return f"{counted}SELECT CAST(0 AS BIGINT), CAST(COALESCE(SUM(LEAST(counted, {most})), 0) AS BIGINT) {rows}"
    if not selected:
        return counted + _labelled(0, f"FROM (SELECT DISTINCT {unit} {matching}) AS reached")
    distinct = "DISTINCT " if most is None else ""
    found = f"SELECT {distinct}{unit} AS {UNIT}, {found} {matching}"
    reached = f"SELECT {distinct}{cell} AS cell, found.{UNIT} AS {UNIT} FROM ({found}) AS found {join} {placed}"
    if most is not None:
        terms = conditions({})
        texts = [terms.spelled(column("cell"), INTEGER)]
        chosen = rows_by_lot(reached, types[asked.unit], ["cell"], texts, most, asked.salt, terms)
        return f"{counted}SELECT cell, COUNT(*) FROM ({chosen}) AS reached GROUP BY cell"
    if asked.max_cells < asked.cells + asked.keeps_other:
        # Of the cells that a unit reaches, the first so many; NULL is a unit like any other here
        ranked = (
            f"SELECT cell, ROW_NUMBER() OVER (PARTITION BY unit ORDER BY cell) AS place FROM ({reached}) AS reached"
        )
        reached = f"SELECT cell FROM ({ranked}) AS ranked WHERE place <= {asked.max_cells}"
    return f"{counted}SELECT cell, COUNT(*) FROM ({reached}) AS reached GROUP BY cell"


def units_sql(unit: str, without_is_one: bool, conditions: type[Conditions]) -> str:
    """Return the query for the number of different units in `source`, in one row: what `grouped_sql` labels -1.

    Args:
        unit, without_is_one: as in `Grouping`.
        conditions: as in `grouped_sql`.
    """
    return f"SELECT COUNT(*) {units_from(conditions.dialect.sql(column(unit)), without_is_one)}"


def without_unit_sql(unit: str, conditions: type[Conditions]) -> str:
    """Return the query for the number of rows in `source` that miss their unit, in one row.

    Args: as in `units_sql`.
    """
    return f"SELECT COUNT(*) FROM {SOURCE} WHERE {conditions.dialect.sql(column(unit).is_null())}"


def _keys(types: Mapping[str, ColumnType], asked: Grouping, conditions: type[Conditions]) -> dict[str, Expression]:
    """Return what a row has in place of the columns of `keys`."""
    found = {}
    for at, (group, kind, may_miss) in enumerate(zip(asked.by, asked.key_types, asked.missing, strict=True)):
        key, is_missing = key_of(group, types[group.column], kind, conditions)
        found[f"key_{at}"] = key
        if may_miss:
            found[f"missing_{at}"] = is_missing
            found[f"key_{at}"] = cases([(is_missing, _filler(kind))], key)
    return found


def _filler(kind: ColumnType) -> Expression:
    """Return what stands for a missing key in `keys`, as in `filled`."""
    return constant({Kind.TEXT: "", Kind.BOOLEAN: "FALSE", Kind.DATE: "1970-01-01"}.get(kind.kind, "0"), kind)


def _labelled(cell: int, rows: str) -> str:
    return f"SELECT CAST({cell} AS BIGINT) AS cell, COUNT(*) AS counted {rows}"


def units_from(unit: str, without_is_one: bool) -> str:
    """Return where the different units are, as SQL from FROM on; `unit` is SQL too."""
    those = "" if without_is_one else f" WHERE {unit} IS NOT NULL"
    return f"FROM (SELECT DISTINCT {unit} FROM {SOURCE}{those}) AS units"
