"""Whether a question fits the declared types of the columns it names: judged from them alone, with no source open.

Where a type is not declared, the column may turn out to have any. It is then treated as a column without values, which
fits everything: what is refused now would be refused whatever the values are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from secrets import token_hex
from typing import TYPE_CHECKING

from hushcount.counting.cells.cells import Cells
from hushcount.counting.cells.found import FoundCells
from hushcount.counting.cells.joined import join_keys
from hushcount.counting.declared.schema import Schema
from hushcount.counting.declared.units import Unit
from hushcount.counting.engines.choice import engine_of
from hushcount.counting.meaning import types as t
from hushcount.counting.meaning.found import found_sql
from hushcount.counting.meaning.query import Grouping, counting_sql, grouped_sql
from hushcount.counting.meaning.types import ColumnType
from hushcount.counting.predicate.predicate import Predicate

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Judged", "judge", "named_columns", "needed_columns"]

_UNTOLD = replace(t.UNKNOWN, loose=True)

_SALT_BYTES = 16


@dataclass(frozen=True)
class Judged:
    """A question that fits.

    Attributes:
        sql: the query that asks it of the engine.
        keys: the declared keys to compare with, if it takes any.
        types: the types of the columns that it names.
    """

    sql: str = field(repr=False)  # it may hold the salt of a hash, which is kept nowhere
    keys: pa.Table | None = field(default=None, compare=False)
    types: Mapping[str, ColumnType] = field(default_factory=dict, compare=False)


def named_columns(unit: Unit | None, cells: Cells | FoundCells | None) -> tuple[str, ...]:
    """Return the columns that the keys and the unit name."""
    unit = unit if cells is None else cells.unit
    return (*(() if cells is None else cells.columns), *(() if unit is None else (unit.column,)))


def needed_columns(predicate: Predicate, unit: Unit | None, cells: Cells | FoundCells | None) -> tuple[str, ...]:
    """Return the columns that a question names, each once."""
    return tuple(dict.fromkeys([*predicate.columns, *named_columns(unit, cells)]))


def judge(
    predicate: Predicate,
    types: Schema | Mapping[str, ColumnType],
    unit: Unit | None = None,
    cells: Cells | FoundCells | None = None,
    place_kind: str = "file",
) -> Judged:
    """Check that a question fits the types of its columns.

    Args:
        predicate: the condition.
        types: the types of all columns of the source; or those that are known, if the values show the others later.
        unit: what is counted, if not rows; that of `cells` if there are cells.
        cells: the cells to count in, declared or to be found; None for one count.
        place_kind: as in `Place.kind`, which determines the engine.

    Raises:
        NoSuchColumn: the question names a column that a schema does not have.
        PredicateRefused: the condition does not fit the types, or the engine cannot judge it by the rule.
        InvalidParameter: the keys or the unit do not fit the types.
        BadUse: a package that the engine needs is not installed.
    """
    engine = engine_of(place_kind)
    needed = needed_columns(predicate, unit, cells)
    if isinstance(types, Schema):
        predicate.check_columns(types.names)  # which says more of a name in a condition
    known = types.types(needed) if isinstance(types, Schema) else {name: types.get(name, _UNTOLD) for name in needed}
    unit = unit if cells is None else cells.unit
    if unit is not None:
        unit.check_type(known[unit.column])
    column = None if unit is None else unit.column
    is_one = unit is not None and unit.without == "one-unit"
    most = None if unit is None else unit.rows_per_unit
    salt = token_hex(_SALT_BYTES) if cells is None or cells.salt is None else cells.salt
    if isinstance(cells, FoundCells):
        cells.check_types(known)
        sql = found_sql(
            predicate.tree,
            known,
            cells.groups,
            engine.conditions,
            unit=column,
            without_is_one=is_one,
            max_cells=cells.max_cells,
            rows_per_unit=most,
            salt=salt,
        )
        return Judged(sql, types=known)
    if cells is not None:
        joined = join_keys(cells.keys, cells.groups, known)
        engine.check_keys(joined.table)
        asked = Grouping(
            cells.groups,
            joined.types,
            joined.missing,
            len(cells.keys),
            cells.keeps_other,
            column,
            is_one,
            cells.max_cells,
            most,
            salt,
        )
        return Judged(grouped_sql(predicate.tree, known, asked, engine.conditions), joined.table)
    if unit is not None:
        asked = Grouping(unit=column, without_is_one=is_one, rows_per_unit=most)
        return Judged(grouped_sql(predicate.tree, known, asked, engine.conditions))
    return Judged(counting_sql(predicate.tree, known, engine.conditions))
