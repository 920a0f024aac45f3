"""What the releases of a table say as a file: one row for each cell, in order."""

from __future__ import annotations

from hushcount.files.arrow_tables import is_parquet, table_bytes
from hushcount.reading.answers import AtLeast
from hushcount.reading.table import TableInterpretation

__all__ = ["cells_file"]


def cells_file(path: str, found: TableInterpretation | AtLeast) -> bytes:
    """Return the content of a file with the cells, their released counts and what is said of each.

    In CSV, keys are spelled as they were declared, in quotes; in Parquet they have types of their own. A receipt
    without keys has the lines of `CellSets.to_csv`.

    Args:
        path: the file, whose name gives the format: .csv or .parquet.
    """
    if is_parquet(path):
        return table_bytes(path, found.to_arrow())
    if isinstance(found, TableInterpretation) and found.names.keys is None and found.cells and not found.publication:
        return found.cells.to_csv().encode()
    return table_bytes(path, found.beside_keys(spelled=True))
