"""The cells of a table as Arrow columns: their keys, in types of their own, and what is said of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hushcount.files.arrow_arrays import arrow_array

if TYPE_CHECKING:
    import pyarrow as pa

    from hushcount.counting.cells.keys import Keys

__all__ = ["cell_columns"]


def cell_columns(
    keys: Keys | None, cells: int, pinned: Mapping[str, str], more: Mapping[str, pa.Array], *, spelled: bool = False
) -> pa.Table:
    """Return the key columns, `is_other`, and more columns; without keys the cells have a number from 1, `cell`.

    `is_other` is true of the cell of undeclared keys alone, whose key is null; a missing key is null too. A key column
    with the name of another column has `_key` at its end.

    Args:
        keys: the declared keys.
        cells: the number of declared cells.
        pinned: as in `ReadOptions.types`.
        more: a value for each cell, by column.
        spelled: whether keys are texts, as they were declared, and not of the type that `Keys.natives` says.
    """
    import pyarrow as pa

    counts = len(next(iter(more.values())))
    rest: dict[str, Any] = {"is_other": arrow_array([cell >= cells for cell in range(counts)], pa.bool_()), **more}
    if keys is None:
        return pa.table({"cell": arrow_array(range(1, counts + 1), pa.int64()), **rest})
    declared = dict(zip(keys.by, keys.texts, strict=True)) if spelled else keys.natives(pinned)
    named: dict[str, Any] = {}
    for name, column in declared.items():
        while name in rest or name in named:
            name += "_key"  # noqa: PLW2901
        named[name] = pa.chunked_array([column, pa.nulls(counts - cells, column.type)])
    return pa.table(named | rest)
