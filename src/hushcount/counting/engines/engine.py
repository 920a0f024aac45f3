"""What judges predicates: any engine that answers SQL."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from hushcount.counting.declared.place import Place
from hushcount.counting.meaning.conditions import Conditions
from hushcount.counting.meaning.query import SOURCE
from hushcount.files.arrow_arrays import arrow_array

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ROWS_AT_ONCE", "Engine", "in_utf8"]

ROWS_AT_ONCE = 10_000
"""Keys in one array."""


class Engine(ABC):
    """Where rows are judged. It holds a relation `source`, and `keys` if it was given some.

    The class alone says how a question is put, and whether it can be asked: no source is opened for that.

    Attributes:
        conditions: what compiles a predicate for it.
    """

    conditions: type[Conditions] = Conditions

    def __init__(self, place: Place) -> None:
        """Prepare for the sources at a place."""
        self._relations: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Let go of everything."""

    @abstractmethod
    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the result of a query."""

    def view(self, columns: Sequence[str], relation: Any) -> None:
        """Define the relation `source` as columns, given as SQL, of a relation that the engine can read."""
        self._relations[SOURCE] = f"SELECT {', '.join(columns) or '1 AS one'} FROM {relation}"

    def asked(self, sql: str) -> str:
        """Return a query, with the definitions of its relations."""
        relations = ", ".join(f"{name} AS NOT MATERIALIZED ({found})" for name, found in self._relations.items())
        return f"WITH {relations} {sql}" if relations else sql

    @abstractmethod
    def keys(self, table: pa.Table) -> None:
        """Take an Arrow table as the declared keys (int64, string, bool, date32, decimal128); see `meaning.query`."""

    def read(self, name: str) -> None:  # noqa: B027 (a database holds nothing that it cannot read)
        """Read a column of `source` to its end, every value of it."""

    @classmethod  # noqa: B027 (most can take any)
    def check_keys(cls, table: pa.Table) -> None:
        """Check that `keys` can take the table.

        Raises:
            InvalidParameter: a key that no column here can hold.
        """

    def count(self, sql: str) -> tuple[int, int]:
        """Return the number of rows, and the number of rows for which the predicate in `counting_sql` is true."""
        rows, matching = self.rows(sql)[0]
        return int(rows), int(matching)

    def found(self, sql: str, by: int) -> pa.Table:
        """Return the result of a query of `found_sql`; bytes of a key that are not UTF-8 are escaped, as \\xff.

        Keys are of the type large_string: others hold 2 GB at most, and whether keys that are hidden fit must not show.

        Args:
            by: how many columns of keys it has.
        """
        import pyarrow as pa

        cell, *keys, counted = zip(*self.rows(sql), strict=True)
        columns: dict[str, Any] = {"cell": arrow_array([int(each) for each in cell], pa.int64())}
        for at, key in enumerate(keys):
            columns[f"key_{at}"] = pa.chunked_array(
                [in_utf8(key[first : first + ROWS_AT_ONCE]) for first in range(0, len(key), ROWS_AT_ONCE)],
                pa.large_string(),
            )
        return pa.table(columns | {"counted": arrow_array([int(each) for each in counted], pa.int64())})

    def groups(self, sql: str) -> pa.Table:
        """Return the result of a query of `grouped_sql`."""
        import pyarrow as pa

        found = self.rows(sql)
        return pa.table(
            [arrow_array([int(row[at]) for row in found], pa.int64()) for at in (0, 1)], ["cell", "counted"]
        )


def in_utf8(keys: Sequence[str | bytes | None]) -> pa.Array:
    """Return keys as an array of texts; bytes that are not UTF-8 are escaped."""
    import pyarrow as pa

    texts = [
        bytes(key).decode(errors="backslashreplace") if isinstance(key, (bytes, bytearray)) else key for key in keys
    ]
    return arrow_array(texts, pa.large_string())
