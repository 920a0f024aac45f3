"""What a table declares of its cells, judged: keys, totals, largest counts, and in how many of them a unit counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushcount.counting.cells.cells import Cells
from hushcount.counting.cells.key_files import LARGEST_TOTAL, read_keys, read_totals
from hushcount.counting.cells.keys import Keys
from hushcount.counting.declared.units import Unit
from hushcount.errors import InvalidParameter
from hushcount.inputs.arguments import integer, listed
from hushcount.promise.adjacency import Adjacency

__all__ = ["checked_cap", "declared_cells", "most_cells"]

Counts = NDArray[np.int64]


def declared_cells(
    by: Sequence[str],
    keys: str | Path | Iterable[Any] | Keys | None,
    totals: str | Path | Iterable[int] | None = None,
    null: str = "",
) -> tuple[Keys, Counts | None]:
    """The cells that are declared, and their totals if they are known.

    Args:
        by: the key columns.
        keys: a file, or the keys one by one; None where a file of totals declares them.
        totals: a file, or one number for each key; None where no total is known.
        null: what, without quotes, is the missing key in a CSV file, as is nan.

    Raises:
        BadUse, BadData: as `TableRequest.of` does.
    """
    if keys is None and isinstance(totals, (str, Path)):
        return read_totals(totals, by, null=null)
    if isinstance(keys, Keys):
        declared = keys
    else:
        declared = read_keys(keys, by, null) if isinstance(keys, (str, Path)) else Keys.of(by, keys)
    if totals is None:
        return declared, None
    if isinstance(totals, (str, Path)):
        return read_totals(totals, by, declared, null)
    known = [integer(total, "totals", least=0) for total in listed(totals, "totals", "a file, or one number a key")]
    if len(known) != len(declared) or not all(total <= LARGEST_TOTAL for total in known):
        raise InvalidParameter("totals", None, f"one number below 2**62 for each of the {len(declared)} keys")
    return declared, np.array(known, dtype=np.int64)


def most_cells(unit: Unit | None, max_cells: int | None) -> int:
    """In how many cells a row, or a unit, counts at most; what a unit is given is judged by `Cells`.

    Raises:
        InvalidParameter: `max_cells` is missing with a unit, or given without one.
    """
    if unit is None:
        if max_cells is not None:
            raise InvalidParameter("max_cells", max_cells, "left out without a unit: a row is in one cell")
        return 1
    if max_cells is None:
        rule = (
            "given with a unit, which may have rows in several cells: in how many it counts at most (in the first that "
            "it reaches), and what it costs grows with that"
        )
        raise InvalidParameter("max_cells", None, rule)
    return max_cells


def checked_cap(adjacency: Adjacency, cells: Cells, has_totals: bool, max_count: int | None) -> int | None:
    """The largest count of the cells without a total; None where the number of rows, or units, is it.

    Raises:
        InvalidParameter: `max_count` is missing under add-remove, not wanted, or not an integer >= 0.
    """
    if max_count is not None:
        cap = integer(max_count, "max_count", least=0)
        if has_totals and not cells.keeps_other:
            raise InvalidParameter("max_count", max_count, "left out where every cell has a total")
        return cap
    if adjacency is Adjacency.ADD_REMOVE and (cells.keeps_other or not has_totals):
        what = "the cell of undeclared keys" if has_totals else "a cell"
        rule = f"given under add-remove: a public maximum for {what}, chosen without the data"
        raise InvalidParameter("max_count", None, rule)
    return None
