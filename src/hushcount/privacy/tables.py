"""Matrices and logs of releases from files."""

from __future__ import annotations

import csv
import re
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushcount.errors import BadData, BadUse
from hushcount.mechanisms.base import Floats, Integers
from hushcount.stochastic import stochastic_rows

__all__ = ["read_matrix", "read_samples"]

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}", re.ASCII)


def read_matrix(path: str | PathLike[str]) -> Floats:
    """A row-stochastic matrix from a file, one row per true count.

    Args:
        path: `.csv` (plain numbers separated by commas, no header; each is rounded to the nearest float), `.npy` (real
            numbers; pickled objects are refused), or `.parquet` (numeric columns, one per outcome, in order).

    Returns:
        Floats, shape (true counts, outcomes), read-only; not necessarily square.

    Raises:
        BadUse: another ending.
        BadData: a file that cannot be read, or that holds something else; the message names the file and the place.
    """
    where = Path(fspath(path))
    read = _reader(where, {".csv": lambda: np.array(_csv(where, _NUMBER, "a number"), dtype=np.float64)})
    try:
        return stochastic_rows(read, square=False)
    except BadUse as error:
        raise BadData(f"{where}: {error}") from None


def read_samples(path: str | PathLike[str]) -> Integers:
    """Pairs of a true and a released count from a file, for `audit_samples`.

    Args:
        path: `.csv` (two columns of integers, with or without the header `true,released`), `.npy` (integers, shape (N,
            2)), or `.parquet` (two integer columns, true counts first).

    Raises:
        BadUse: another ending.
        BadData: a file that cannot be read, or that holds something else.
    """
    where = Path(fspath(path))
    pairs = _reader(where, {".csv": lambda: np.array(_csv(where, _INTEGER, "an integer", "true,released"), np.int64)})
    if pairs.dtype.kind not in "iu" or pairs.ndim != 2 or pairs.shape[1] != 2:
        raise BadData(f"{where}: two columns of integers are needed, the true counts and the released ones")
    if pairs.size and not pairs.max() < 2**63:
        raise BadData(f"{where}: counts must be integers below 2**63")
    return pairs.astype(np.int64)


def _reader(where: Path, readers: dict[str, Any]) -> NDArray[Any]:
    readers |= {".npy": lambda: _npy(where), ".parquet": lambda: _parquet(where)}
    if where.suffix.lower() not in readers:
        raise BadUse(f"{where}: the name must end in .csv, .npy or .parquet, which says how it is read")
    try:
        found: NDArray[Any] = readers[where.suffix.lower()]()
    except OSError as error:
        raise BadData(f"{where}: cannot be read ({error.strerror or error})") from None
    return found


def _csv(where: Path, pattern: re.Pattern[str], what: str, header: str | None = None) -> list[list[float]]:
    rows: list[list[float]] = []
    try:
        with where.open(newline="", encoding="utf-8-sig") as file:
            lines = csv.reader(file, strict=True)
            for cells in lines:
                number = lines.line_num
                if not cells or (number == 1 and header == ",".join(cell.strip() for cell in cells)):
                    continue
                bad = next((cell for cell in cells if not pattern.fullmatch(cell.strip())), None)
                if bad is not None:
                    hint = "; a header is not expected" if not rows and header is None else ""
                    raise BadData(f"{where}: line {number} holds something that is not {what}{hint}")
                if rows and len(cells) != len(rows[0]):
                    raise BadData(f"{where}: line {number} has {len(cells)} cells, the first row {len(rows[0])}")
                rows.append([float(cell) if header is None else int(cell) for cell in cells])
    except (UnicodeDecodeError, csv.Error) as error:
        raise BadData(f"{where}: not a CSV file in UTF-8 ({error})") from None
    if not rows:
        raise BadData(f"{where}: holds no row")
    return rows


def _npy(where: Path) -> NDArray[Any]:
    with where.open("rb") as file:
        try:
            found: NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
        except (ValueError, TypeError, OverflowError, MemoryError) as error:  # a header may ask for the moon
            raise BadData(f"{where}: not an NPY file of plain numbers ({type(error).__name__})") from None
    return found


def _parquet(where: Path) -> NDArray[Any]:
    import pyarrow
    from pyarrow import parquet

    try:
        with where.open("rb") as file:
            table = parquet.read_table(file)
    except pyarrow.ArrowException as error:
        raise BadData(f"{where}: not a Parquet file that can be read ({type(error).__name__})") from None
    for column in table.column_names:
        kind = table.schema.field(column).type
        if not (pyarrow.types.is_integer(kind) or pyarrow.types.is_floating(kind)) or table[column].null_count:
            raise BadData(f"{where}: column {column!r} must hold numbers, without a gap")
    if not table.num_columns:
        raise BadData(f"{where}: holds no column")
    return np.column_stack([table[column].to_numpy() for column in table.column_names])
