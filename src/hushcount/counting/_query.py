"""The one question that is put to an engine for a table of counts, or for counts of units: an Ibis expression.

It is written once, over two relations that every engine has to offer, and says nothing that one engine understands
otherwise than another: filters, equalities of one type, groups, a row number, unions.

`source` has the columns that were asked for, under their own names, in the types of `types`. `keys` has one row for
each declared cell:

- `cell` (int64): 0, 1, 2, ... in the order declared;
- `key_0`, `key_1`, ... : the key of the cell, one column for each column of `by`, in the Ibis types `key_types`, and
  never NULL. No two rows have the same key.
- `missing_0`, ... : a truth, for each column of `by` of which a missing key is declared: whether it is that, and then
  `key_0` is a value without a meaning, the same for all (`filled`). So all comparisons are equalities, for which
  engines have better ways than for IS NOT DISTINCT FROM. Without such a column a missing value equals no key.

The answer has two int64 columns, `cell` and `counted`, in any order of its rows:

| cell | counted |
|-----:|---------|
| -1 | the number of rows of `source`; with a unit, of different units, rows without one being one more if told to be |
| -2 | with a unit only: the number of rows of `source` without one |
| 0 to cells - 1 | the matching rows (or units) of that cell; there need be no row where there are none |
| cells | those of no declared cell, of an undeclared missing key too; never there if they are left out |

Without `by` there is one cell, 0, and no relation `keys`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any

from hushcount.counting import _nodes as n
from hushcount.counting._types import HUGE, ColumnType, Kind

if TYPE_CHECKING:
    from ibis.expr.types import Table

    from hushcount.counting._compile import Conditions

__all__ = ["ALL", "KEYS", "SOURCE", "WITHOUT_UNIT", "Grouping", "grouped_query", "units_query", "without_unit_query"]

SOURCE, KEYS = "source", "keys"
ALL, WITHOUT_UNIT = -1, -2


@dataclass(frozen=True)
class Grouping:
    """What is asked of the rows beyond whether they match.

    Attributes:
        by: the columns that tell the cell of a row; none, if all that match are one cell.
        key_types: of each of these, the Ibis type in which it is compared with the keys.
        missing: of each of these, whether a missing key is declared.
        cells: how many cells are declared; 1 without `by`.
        keeps_other: whether what falls in no declared cell is counted, in a cell of its own.
        unit: the column that tells whom a row belongs to; None counts rows.
        without_is_one: whether rows without a unit belong to one more, else to none.
        max_cells: in how many cells a unit counts at most: in the first that it reaches.
    """

    by: tuple[str, ...] = ()
    key_types: tuple[str, ...] = ()
    missing: tuple[bool, ...] = ()
    cells: int = 1
    keeps_other: bool = False
    unit: str | None = None
    without_is_one: bool = False
    max_cells: int = 1


def grouped_query(
    tree: n.Node, types: Mapping[str, ColumnType], asked: Grouping, conditions: type[Conditions]
) -> Table:
    """The question, over unbound relations named `source` and `keys`; see the module for what they hold.

    Args:
        tree: the predicate.
        types: of the columns of `source`: those of the predicate, of `by` and of the unit.
        conditions: what compiles a predicate for the engine.

    Raises:
        PredicateRefused: the predicate does not fit the types of its columns.
    """
    import ibis

    from hushcount.counting._compile import compile_predicate

    # Ibis wants at least one column, also of a question that looks at none
    source: Any = ibis.table({name: kind.ibis for name, kind in types.items()} or {"one": "int32"}, name=SOURCE)
    matching = source.filter(compile_predicate(tree, source, types, conditions))
    keys: list[Any] = []
    for at, (name, kind, may_miss) in enumerate(zip(asked.by, asked.key_types, asked.missing, strict=True)):
        key = _key(matching[name], types[name], kind)
        if may_miss:
            is_missing = matching[name].isnull()
            keys += [ibis.ifelse(is_missing, _filler(kind), key).name(f"key_{at}"), is_missing.name(f"missing_{at}")]
        else:
            keys.append(key.name(f"key_{at}"))
    if asked.unit is None:
        everything = _labelled(ALL, source.aggregate(counted=source.count()))
        if not keys:
            return _together(everything, _labelled(0, matching.aggregate(counted=matching.count())))
        groups = matching.group_by(keys).aggregate(counted=matching.count())
        placed = _placed(groups, asked, ["counted"])
        return _together(everything, placed.group_by("cell").aggregate(counted=_whole(placed.counted.sum())))
    missing = source.filter(source[asked.unit].isnull())
    reached = matching.select(matching[asked.unit].name("unit"), *keys).distinct()
    reached = _placed(reached, asked, ["unit"]).distinct() if keys else reached.mutate(cell=_int64(0))
    kept = _first(reached, asked)
    return _together(
        _labelled(ALL, _units(source, asked.unit, asked.without_is_one)),
        _labelled(WITHOUT_UNIT, missing.aggregate(counted=missing.count())),
        kept.group_by("cell").aggregate(counted=_whole(kept.count())),
    )


def units_query(types: Mapping[str, ColumnType], unit: str, without_is_one: bool) -> Table:
    """The number of different units in `source`, in one row with the column `counted`: what `grouped_query` labels -1.

    Args:
        types: of the columns of `source`, the unit among them.
        unit, without_is_one: as of `Grouping`.
    """
    import ibis

    source: Any = ibis.table({name: kind.ibis for name, kind in types.items()}, name=SOURCE)
    counted: Table = _units(source, unit, without_is_one)
    return counted


def without_unit_query(types: Mapping[str, ColumnType], unit: str) -> Table:
    """The number of rows in `source` that miss their unit, in one row with the column `counted`.

    Args:
        types: of the columns of `source`, the unit among them.
        unit: as of `Grouping`.
    """
    import ibis

    source: Any = ibis.table({name: kind.ibis for name, kind in types.items()}, name=SOURCE)
    missing = source.filter(source[unit].isnull())
    counted: Table = missing.aggregate(counted=missing.count())
    return counted


def _units(source: Any, unit: str, without_is_one: bool) -> Any:
    units = source.select(unit=source[unit]).distinct()
    units = units if without_is_one else units.filter(units.unit.notnull())
    return units.aggregate(counted=units.count())


def _placed(groups: Any, asked: Grouping, columns: Sequence[str]) -> Any:
    """`cell` and the columns of groups that have keys: by equalities, so that NULL is in no cell."""
    import ibis

    schema = {f"key_{at}": kind for at, kind in enumerate(asked.key_types)}
    schema |= {f"missing_{at}": "boolean" for at, may_miss in enumerate(asked.missing) if may_miss}
    keys: Any = ibis.table({"cell": "int64", **schema}, name=KEYS)
    same = reduce(and_, (groups[name] == keys[name] for name in schema))
    if not asked.keeps_other:
        joined = groups.inner_join(keys, same)
        return joined.select(keys.cell.name("cell"), *(groups[name].name(name) for name in columns))
    joined = groups.left_join(keys, same)
    cell = ibis.coalesce(keys.cell, _int64(asked.cells)).name("cell")
    return joined.select(cell, *(groups[name].name(name) for name in columns))


def _first(reached: Any, asked: Grouping) -> Any:
    """Of the cells that a unit reaches, each given once, the first so many; NULL is a unit like any other here."""
    import ibis

    if asked.max_cells >= asked.cells + asked.keeps_other:
        return reached
    place = ibis.row_number().over(group_by=reached.unit, order_by=reached.cell)
    ranked = reached.mutate(place=place)
    return ranked.filter(ranked.place < asked.max_cells)


def _key(column: Any, kind: ColumnType, wanted: str) -> Any:
    """A column in the type of its keys; NULL where that has no room for a value, which then equals no key."""
    import ibis

    if kind.kind is Kind.UNKNOWN:
        return ibis.null(wanted)
    if kind == HUGE:
        return column.try_cast(wanted)
    return column if kind.ibis == wanted else column.cast(wanted)


def _filler(kind: str) -> Any:
    """What stands for a missing key in `keys`, as `filled` has it."""
    import ibis

    return ibis.literal({"string": "", "boolean": False, "date": "1970-01-01"}.get(kind, 0)).cast(kind)


def _labelled(cell: int, counted: Any) -> Any:
    return counted.select(_int64(cell).name("cell"), _whole(counted.counted).name("counted"))


def _together(*parts: Any) -> Any:
    import ibis

    return ibis.union(*(part.select("cell", "counted") for part in parts), distinct=False)


def _whole(number: Any) -> Any:
    return number.cast("int64")


def _int64(value: int) -> Any:
    import ibis

    return ibis.literal(value, type="int64")
