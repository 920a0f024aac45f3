"""The one place where a log of releases is checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hushcount.errors import InvalidParameter, Told
from hushcount.inputs.arrays import array
from hushcount.numbers.arrays import Integers

__all__ = ["COLUMNS", "counts_in", "sample_pairs"]

COLUMNS = ["true", "released"]
"""The names of the columns of a log, in this order, where they have names."""

_PAIRS = "a table of integers with two columns, true and released"


def sample_pairs(pairs: ArrayLike) -> Integers:
    """Return a log of releases as integers, shape (N, 2): a true count >= 0 and what was released for it, any integer.

    Raises:
        InvalidParameter: not two columns; columns with other names (or in another order, which would be another log);
            no row; entries that are not integers of at most 64 bits; or a true count below 0, naming its row.
    """
    names = _column_names(pairs)
    if names is not None and names != COLUMNS:
        raise InvalidParameter("the columns of pairs", Told(names), f"{' and '.join(COLUMNS)}, in this order")
    table = array(pairs, "pairs", _PAIRS)
    if table.ndim != 2 or table.shape[1] != 2 or not len(table):
        raise InvalidParameter("pairs", Told(table.shape), f"{_PAIRS}, of at least one row")
    values = counts_in(table, "pairs")
    possible = values[:, 0] >= 0
    if not possible.all():
        raise InvalidParameter(f"the true count in row {int(np.argmin(possible))} of pairs", None, "an integer >= 0")
    return values


def _column_names(table: object) -> list[str] | None:
    """Return the names that a table of pyarrow, pandas or polars gives its columns; None where it has none."""
    names = getattr(table, "column_names", None)  # pyarrow, whose `columns` are the data
    if names is None:
        names = getattr(table, "columns", None)
    if names is None or isinstance(table, np.ndarray):
        return None
    found = list(names)
    return found if any(isinstance(name, str) for name in found) else None  # pandas numbers columns that have no names


def counts_in(values: NDArray[Any], argument: str) -> Integers:
    """Return an array of integers as 64-bit integers.

    Raises:
        InvalidParameter: the array holds something else, or larger integers.
    """
    if values.dtype.kind not in "iu":
        raise InvalidParameter(argument, str(values.dtype), "integers of at most 64 bits")
    if values.size and not int(values.max()) < 2**63:
        raise InvalidParameter(argument, None, "integers below 2**63")
    return values.astype(np.int64)
