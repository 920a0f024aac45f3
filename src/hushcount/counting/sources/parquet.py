"""Parquet files, read by the engine itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from hushcount.counting.engines.duckdb import DuckdbEngine, as_pattern
from hushcount.counting.faults import foreign_errors
from hushcount.counting.predicate.quoting import quoted_name, quoted_text
from hushcount.counting.sources.duckdb import column_of
from hushcount.counting.sources.source import DeclaredSource, check_distinct
from hushcount.errors import BadData
from hushcount.files.data_files import DataFile

__all__ = ["ParquetSource"]


class ParquetSource(DeclaredSource):
    """One Parquet file, or several with the same columns, whose folders may name more (`year=2024`).

    Args:
        shown: what errors call it.
        files: the files; columns that folders name are texts.
        engine: what reads them.

    Raises:
        BadData: a file cannot be read, or the columns of one are not those of another; their order does not matter.
    """

    format = "parquet"

    def __init__(self, shown: str, files: Sequence[DataFile], engine: DuckdbEngine) -> None:
        patterns = {file.path: as_pattern(file.path) for file in files}
        if any("\\" in path and pattern != path for path, pattern in patterns.items()):
            raise BadData(f"{shown}: a name with a backslash and one of [ * ? cannot be read; rename the file")
        with foreign_errors(f"{shown} cannot be read as Parquet"):
            told = engine.rows(
                "SELECT file_name, name, num_children, repetition_type, duckdb_type, logical_type, precision, scale "
                f"FROM parquet_schema({_texts(patterns.values())})"
            )
        schemas: dict[str, list[tuple[Any, ...]]] = {}
        for file, *row in told:
            schemas.setdefault(file, []).append(tuple(row))
        tops = [list(_top_level(schema)) for schema in schemas.values()]
        for top in tops:
            check_distinct(shown, [str(name) for name, *_ in top])
        found = [{str(name): _in_parquet(*more) for name, _, _, *more in top} for top in tops]
        if len(schemas) != len(files) or any(other != found[0] for other in found[1:]):
            raise BadData(f"{shown}: not all of its files have the same columns, of the same types")
        names = [*found[0], *(name for name, _ in files[0].keys)]
        check_distinct(shown, names)
        # Where a column is required, a file has no room for a missing value
        may_miss = {str(name) for top in tops for name, _, repeated, *_ in top if repeated != "REQUIRED"}
        columns = [column_of(name, found[0].get(name, "VARCHAR"), required=name not in may_miss) for name in names]
        super().__init__(shown, columns, _relation(files, list(found[0])))


def _relation(files: Sequence[DataFile], names: Sequence[str]) -> str:
    """Return what the engine reads: the files of one folder together, with the columns that the folder names."""
    folders: dict[tuple[tuple[str, str | None], ...], list[str]] = {}
    for file in files:
        folders.setdefault(file.keys, []).append(as_pattern(file.path))
    # The engine would also take what folders above them name, and read it as numbers and dates
    readers = {keys: f"read_parquet({_texts(paths)}, hive_partitioning = false)" for keys, paths in folders.items()}
    if list(folders) == [()]:
        return readers[()]
    shown = ", ".join(map(quoted_name, names))
    parts = (
        f"SELECT {', '.join(filter(None, [shown, *(f'{_text(text)} AS {quoted_name(name)}' for name, text in keys)]))} "
        f"FROM {reader}"
        for keys, reader in readers.items()
    )
    return f"({' UNION ALL '.join(parts)})"


def _text(text: str | None) -> str:
    return "CAST(NULL AS VARCHAR)" if text is None else quoted_text(text)


def _texts(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(quoted_text, texts))}]"


def _in_parquet(kind: str, logical: str, precision: int | None, scale: int | None) -> str:
    """Return what a column of a Parquet file is, which the engine reads as `kind`.

    It reads half floats as singles, of which most literals mean another number; decimals of more digits than it has as
    doubles, which rounds them; and the ends of nanoseconds as infinity.
    """
    if logical == "Float16Type()":
        return "FLOAT16"
    if kind == "DOUBLE" and precision:
        return f"DECIMAL({precision}, {scale or 0})"
    return f"FINITE {kind}" if kind in ("TIMESTAMP_NS", "TIMESTAMPTZ_NS") else kind


def _top_level(schema: Sequence[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Yield what is directly below the root of a Parquet schema, which lists the root and then every branch before
    the next."""
    open_branches = 0
    for row in schema[1:]:
        if open_branches == 0:
            yield row
        else:
            open_branches -= 1
        open_branches += row[1] or 0
