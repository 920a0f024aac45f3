"""Tables in Parquet files, read whole."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["parquet_table"]


def parquet_table(where: str | PathLike[str]) -> pa.Table:
    """Return the whole table, whose names and texts are valid UTF-8.

    Raises:
        OSError: the file cannot be opened or read.
        ValueError: it is not Parquet, or damaged, or a name or a text in it is not UTF-8; the message is the kind of
            error and quotes nothing.
    """
    import pyarrow as pa
    from pyarrow import parquet

    with open(where, "rb") as file:
        try:
            # In this thread alone: a thread of pyarrow's that still runs when the interpreter ends may abort the
            # process.
            table = parquet.ParquetFile(file, pre_buffer=False).read(use_threads=False)
            table.validate(full=True)  # nothing was decoded so far
            for field in table.schema:
                str(field)  # nor were the names, including those of nested fields
        except (pa.ArrowException, OSError, ValueError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise
            raise ValueError(type(error).__name__) from None  # the error's own text may quote the file
    return table
