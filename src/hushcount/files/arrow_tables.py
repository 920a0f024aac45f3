"""Answers that are tables: for Arrow, for pandas and polars, and as files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hushcount.errors import BadUse, InvalidParameter

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["AsArrow", "check_table_file", "is_parquet", "table_bytes"]

_ENDINGS = (".csv", ".parquet")


class AsArrow:
    """What can be had as an Arrow table.

    Whatever reads the Arrow PyCapsule interface takes such an answer as it is: `polars.DataFrame(answer)`,
    `pyarrow.table(answer)`, or the name of a variable in a query of DuckDB.
    """

    def to_arrow(self) -> pa.Table:
        """Return the rows as a `pyarrow.Table`."""
        raise NotImplementedError

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the rows as an Arrow C stream, in a capsule."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> Any:
        """Return the rows as a `pandas.DataFrame`; whole numbers and truths stay what they are where some are missing.

        Raises:
            BadUse: pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError:
            raise BadUse("to_pandas needs the package pandas, which is not installed") from None
        import pyarrow as pa

        table, nullable = self.to_arrow(), {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
        whole = {
            name: kind.to_pandas_dtype()
            for name, kind in zip(table.schema.names, table.schema.types, strict=True)
            if kind in nullable and not table[name].null_count
        }
        return table.to_pandas(types_mapper=nullable.get).astype(whole)

    def to_polars(self) -> Any:
        """Return the rows as a `polars.DataFrame`.

        Raises:
            BadUse: polars is not installed.
        """
        try:
            import polars
        except ImportError:
            raise BadUse("to_polars needs the package polars, which is not installed") from None
        return polars.from_arrow(self.to_arrow())


def check_table_file(path: str) -> None:
    """Check that a table can be written to a file of that name.

    Raises:
        InvalidParameter: the name ends in neither .csv nor .parquet.
    """
    if not path.lower().endswith(_ENDINGS):
        raise InvalidParameter("output", path, f"a file whose name ends in {' or '.join(_ENDINGS)}")


def is_parquet(path: str) -> bool:
    """Return whether the name of a file asks for Parquet."""
    return path.lower().endswith(".parquet")


def table_bytes(path: str, table: pa.Table) -> bytes:
    """Return the content of the file, by its name: Parquet, or CSV in which texts are in quotes and null is empty."""
    import pyarrow as pa
    from pyarrow import csv, parquet

    sink = pa.BufferOutputStream()
    if is_parquet(path):
        parquet.write_table(table, sink)
    else:
        csv.write_csv(table, sink, csv.WriteOptions(quoting_style="needed"))
    return bytes(sink.getvalue())
