"""A released table as a file: one row for each cell, in order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from hushcount.errors import InvalidParameter
from hushcount.files.arrow_arrays import arrow_array
from hushcount.files.arrow_tables import check_table_file, is_parquet, table_bytes

if TYPE_CHECKING:
    from hushcount.release.table.receipt import TableReceipt

__all__ = ["check_output", "table_file"]

_COLUMNS = ("is_other", "released", "adjusted")


def check_output(path: str, by: Iterable[str]) -> None:
    """Check that the table can be written to a file of that name.

    Raises:
        InvalidParameter: the name ends in neither .csv nor .parquet, or a key column has the name of another column.
    """
    check_table_file(path)
    for name in by:
        if name in _COLUMNS:
            rule = f"columns of other names where the table is written to a file, which has {', '.join(_COLUMNS)}"
            raise InvalidParameter("by", name, rule)


def table_file(path: str, receipt: TableReceipt, adjusted: Sequence[int] | None = None) -> bytes:
    """Return the content of the file: the key columns, `is_other`, `released` and, if there is one, `adjusted`.

    `is_other` is true of the cell of undeclared keys alone, which has no key. In CSV, keys are spelled as they were
    declared, in quotes, and a missing key is an empty field without; in Parquet it is null. There they have the type
    that they were declared with, or that the options of the source pin for their column, or else that all of their
    spellings say: int64, bool, date or string (and decimal, if declared as such, or beyond int64).

    Args:
        path: the file, whose name gives the format.
    """
    import pyarrow as pa

    more = {} if adjusted is None else {"adjusted": arrow_array(adjusted, pa.int64())}
    return table_bytes(path, receipt.beside(more, spelled=not is_parquet(path)))
