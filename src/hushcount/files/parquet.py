"""Tables in Parquet files, read whole."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["parquet_table"]


def parquet_table(where: str | PathLike[str]) -> pa.Table:
    """All of a file, with names and texts that can be spelled.

    Raises:
        OSError: the file cannot be opened or read.
        ValueError: it is not Parquet, or damaged, or a name or a text in it is not in UTF-8; its text is the kind of
            error and quotes nothing.
    """
    import pyarrow as pa
    from pyarrow import parquet

    with open(where, "rb") as file:
        try:
            # In this thread alone: one of pyarrow's that still runs when the interpreter ends may abort the process.
            table = parquet.ParquetFile(file, pre_buffer=False).read(use_threads=False)
            table.validate(full=True)  # nothing was decoded so far
            for field in table.schema:
                str(field)  # nor the names, those of nested fields among them
        except (pa.ArrowException, OSError, ValueError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise
            raise ValueError(type(error).__name__) from None  # its own text may quote the file
    return table
