"""The finished output of a sweep: rows as CSV or Parquet, written and read.

The same rows give the same bytes (Parquet: with the same pyarrow).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hushcount.errors import BadData, InvalidParameter
from hushcount.files.parquet import parquet_table
from hushcount.numbers.exact import exact
from hushcount.sweeps.columns import columns, is_row
from hushcount.sweeps.grid import Row
from hushcount.words.unreadable import unreadable

__all__ = ["content", "csv_text", "form_of", "read_rows"]

_NUMBERS = {"es_n0_db": True, "eb_n0_db": True, "p": False, "epsilon": False, "delta": False, "mu": False, "rho": False}
"""Texts that are exact numbers, and whether `inf` is one of them too."""

_OTHER = "is not the output of such a sweep: name another output, or replace it with --restart"


def form_of(path: str, argument: str = "output") -> str:
    """Return .csv or .parquet, by the name of a file.

    Raises:
        InvalidParameter: another ending.
    """
    form = Path(path).suffix.lower()
    if form not in (".csv", ".parquet"):
        raise InvalidParameter(argument, path, "a file name that ends in .csv or .parquet")
    return form


def content(form: str, row_class: type[Row], rows: Sequence[Row]) -> bytes:
    """Return what a file of that form holds."""
    return csv_text(row_class, rows).encode() if form == ".csv" else _parquet(row_class, rows)


def csv_text(row_class: type[Row], rows: Sequence[Row]) -> str:
    """Return a line of names, and a line for each row; floats as short as they are exact, None empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = list(columns(row_class))
    writer.writerow(names)
    writer.writerows([_spelled(getattr(row, name)) for name in names] for row in rows)
    return text.getvalue()


def read_rows(path: Path, form: str, row_class: type[Row]) -> list[Row]:
    """Return the rows in an output.

    Raises:
        BadData: the file cannot be read, or holds something else.
    """
    try:
        names, table = (_read_csv if form == ".csv" else _read_parquet)(path, row_class)
    except OSError as error:
        raise BadData(unreadable(path, error)) from None
    except (ValueError, KeyError, csv.Error):
        raise BadData(f"{path} {_OTHER}") from None
    if names == list(columns(row_class)) and all(is_row(row, row_class) for row in table):
        rows = [row_class(*row) for row in table]
        if _are_exact(rows):
            return rows
    raise BadData(f"{path} {_OTHER}")


def _are_exact(rows: Sequence[Row]) -> bool:
    """Return whether every text that stands for a number is one."""
    try:
        for name, may_be_infinite in _NUMBERS.items():
            for text in {getattr(row, name, None) for row in rows}:
                if text is not None and not (may_be_infinite and text == "inf"):
                    exact(text)
    except InvalidParameter:
        return False
    return True


def _parquet(row_class: type[Row], rows: Sequence[Row]) -> bytes:
    import pyarrow
    from pyarrow import parquet

    types = {str: pyarrow.string(), int: pyarrow.int64(), float: pyarrow.float64(), bool: pyarrow.bool_()}
    found = columns(row_class)
    schema = pyarrow.schema([pyarrow.field(name, types[kind], nullable) for name, (kind, nullable) in found.items()])
    arrays = [
        pyarrow.array([getattr(row, name) for row in rows], field.type)
        for name, field in zip(found, schema, strict=True)
    ]
    buffer = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_arrays(arrays, schema=schema), buffer)
    return buffer.getvalue()


def _read_csv(path: Path, row_class: type[Row]) -> tuple[list[str], list[list[Any]]]:
    with path.open(encoding="utf-8", newline="") as file:
        names, *lines = csv.reader(file, strict=True)
    kinds = columns(row_class).values()
    return names, [[_value(text, kind) for text, (kind, _) in zip(line, kinds, strict=True)] for line in lines]


def _read_parquet(path: Path, row_class: type[Row]) -> tuple[list[str], list[list[Any]]]:
    table = parquet_table(path)
    if table.column_names != list(columns(row_class)):
        return table.column_names, []
    return table.column_names, [
        list(row) for row in zip(*(column.to_pylist() for column in table.columns), strict=True)
    ]


def _spelled(value: Any) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _value(text: str, kind: type) -> Any:
    if not text:
        return None
    return {"true": True, "false": False}[text] if kind is bool else kind(text)
