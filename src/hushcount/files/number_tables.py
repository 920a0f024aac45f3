"""Matrices and logs of releases, read from files."""

from __future__ import annotations

import tokenize
import warnings
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushcount.errors import BadData, BadUse, InvalidParameter
from hushcount.files.csv_numbers import INTEGER, NUMBER, Cell, csv_lines, leading_comments, number_rows
from hushcount.files.parquet import parquet_table
from hushcount.inputs.arguments import path_text
from hushcount.inputs.pairs import COLUMNS, sample_pairs
from hushcount.inputs.stochastic import stochastic_rows
from hushcount.numbers.arrays import Floats, Integers
from hushcount.words.unreadable import unreadable

__all__ = ["read_matrix", "read_samples", "read_table"]


_BAD_HEADER = (ValueError, TypeError, OverflowError, MemoryError, SyntaxError, tokenize.TokenError, RecursionError)
"""What NumPy raises for the header of an NPY file, which is a Python literal and may ask for any size."""


def read_matrix(path: str | PathLike[str], *, normalise: bool = False, delimiter: str = ",") -> Floats:
    """Return the row-stochastic matrix in a file, one row per true count.

    Args:
        path: `.csv` or `.csv.gz` (plain numbers with a delimiter between them, each rounded to the nearest float; no
            header, but leading lines that begin with `#` are skipped, as in a saved mechanism), `.npy` (real numbers;
            pickled objects are refused), or `.parquet` (numeric columns, one per outcome, in order).
        normalise: whether to divide each row by its sum first, whatever that is.
        delimiter: the one character between the numbers of a CSV file; no part of a number.

    Returns:
        Floats, shape (true counts, outcomes), read-only; not necessarily square.

    Raises:
        InvalidParameter, BadUse: no path, another ending, or no delimiter.
        BadData: a file that cannot be read, or that holds something else; the message names the file and the place.
    """
    where = _file(path)
    found = read_table(where, NUMBER, delimiter=delimiter)
    try:
        return stochastic_rows(found, square=False, normalise=normalise)
    except BadUse as error:
        raise BadData(f"{where}: {error}") from None


def read_samples(path: str | PathLike[str], *, delimiter: str = ",") -> Integers:
    """Return the pairs of a true and a released count in a file, for `audit_samples`.

    Args:
        path: two columns of integers, the true counts (>= 0) and what was released for them: `.csv` or `.csv.gz` (with
            or without a header), `.npy` (shape (N, 2)) or `.parquet`. Where the columns have names, these must be
            `true` and `released`.
        delimiter: as in `read_matrix`.

    Returns:
        Integers, shape (N, 2).

    Raises:
        InvalidParameter, BadUse: no path, another ending, or no delimiter.
        BadData: a file that cannot be read, or that holds something else; the message names the file and the place.
    """
    where = _file(path)
    found = read_table(where, INTEGER, COLUMNS, delimiter)
    try:
        return sample_pairs(found)
    except InvalidParameter as error:
        raise BadData(f"{where}: {error}") from None


def _file(path: str | PathLike[str]) -> Path:
    spelled = path_text(path, "path")
    if not spelled or "\0" in spelled:
        raise InvalidParameter("path", spelled, "the path of a file, neither empty nor with a null character")
    return Path(spelled)


def read_table(where: Path, cell: Cell, names: list[str] | None = None, delimiter: str = ",") -> NDArray[Any]:
    """Return the table in a file. Where its columns have names, these must be `names`; None allows any."""
    readers: dict[str, Callable[[], NDArray[Any]]] = {
        ".csv": lambda: _csv(where, cell, names, delimiter),
        ".csv.gz": lambda: _csv(where, cell, names, delimiter),
        ".npy": lambda: _npy(where),
        ".parquet": lambda: _parquet(where, names),
    }
    reader = next((read for end, read in readers.items() if where.name.lower().endswith(end)), None)
    if reader is None:
        raise BadUse(f"{where}: the name must end in .csv, .npy or .parquet (or .csv.gz), which says how it is read")
    if delimiter != "," and not where.name.lower().endswith((".csv", ".csv.gz")):
        raise InvalidParameter("delimiter", delimiter, "left out for a file that is not CSV")
    try:
        return reader()
    except OSError as error:
        raise BadData(unreadable(where, error)) from None


def _csv(where: Path, cell: Cell, names: list[str] | None, delimiter: str) -> NDArray[Any]:
    with csv_lines(where) as lines:
        skipped, rest = leading_comments(lines) if names is None else ([], lines)
        numbered = number_rows(where, rest, cell, names, lines_before=len(skipped), delimiter=delimiter)
        rows = [row for _, row in numbered]
    if not rows:
        raise BadData(f"{where}: holds no row")
    return np.array(rows, dtype=cell.kind)


def _npy(where: Path) -> NDArray[Any]:
    with where.open("rb") as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about headers that Python 2 may have written, which read the same
        try:
            found: NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
        except _BAD_HEADER as error:
            raise BadData(f"{where}: not an NPY file of plain numbers ({type(error).__name__})") from None
    return found


def _parquet(where: Path, names: list[str] | None) -> NDArray[Any]:
    import pyarrow

    try:
        table = parquet_table(where)
    except ValueError as error:
        raise BadData(f"{where}: not a Parquet file that can be read ({error})") from None
    if names is not None and table.column_names != names:
        raise BadData(f"{where}: the columns must be {' and '.join(names)}, in this order (got {table.column_names})")
    for name, column in zip(table.column_names, table.columns, strict=True):
        kind = column.type
        if not (pyarrow.types.is_integer(kind) or pyarrow.types.is_floating(kind)) or column.null_count:
            raise BadData(f"{where}: column {name!r} must hold numbers, without missing values")
    if not table.num_columns:
        raise BadData(f"{where}: holds no column")
    return np.column_stack([_signed(np.from_dlpack(column.combine_chunks())) for column in table.columns])


def _signed(column: NDArray[Any]) -> NDArray[Any]:
    """Return the column as signed integers where it can be: a signed column beside an unsigned one of 64 bits would
    become floats."""
    return column.astype(np.int64) if column.dtype == np.uint64 and (column < 2**63).all() else column
