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

__all__ = ["Engine"]


class Engine(ABC):
    """Where rows are judged. It holds a relation `source`, and `keys` if it was given some.

    What a question is in its words, and whether it can be asked at all, is told by the class: no source is opened.

    Attributes:
        conditions: what compiles a predicate for it.
    """

    conditions: type[Conditions] = Conditions

    def __init__(self, place: Place) -> None:
        """Make ready for the sources at a place."""
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
        """The result of a query."""

    def view(self, columns: Sequence[str], relation: Any) -> None:
        """Define the relation `source` as columns, given as SQL, of a relation that the engine can read."""
        self._relations[SOURCE] = f"SELECT {', '.join(columns) or '1 AS one'} FROM {relation}"

    def asked(self, sql: str) -> str:
        """A query, with what the relations are that it is over."""
        relations = ", ".join(f"{name} AS NOT MATERIALIZED ({found})" for name, found in self._relations.items())
        return f"WITH {relations} {sql}" if relations else sql

    @abstractmethod
    def keys(self, table: pa.Table) -> None:
        """Take an Arrow table as the declared keys (int64, string, bool, date32, decimal128); see `meaning.query`."""

    def read(self, name: str) -> None:  # noqa: B027 (a database holds nothing that it cannot read)
        """Read a column of `source` to its end, every value of it."""

    @classmethod  # noqa: B027 (most can take any)
    def check_keys(cls, table: pa.Table) -> None:
        """See that `keys` can take the table.

        Raises:
            InvalidParameter: a key that no column here can hold.
        """

    def count(self, sql: str) -> tuple[int, int]:
        """Number of rows, and number of rows of which the predicate in `counting_sql` is true."""
        rows, matching = self.rows(sql)[0]
        return int(rows), int(matching)

    def groups(self, sql: str) -> pa.Table:
        """The result of a query of `grouped_sql`."""
        import pyarrow as pa

        found = self.rows(sql)
        return pa.table(
            [arrow_array([int(row[at]) for row in found], pa.int64()) for at in (0, 1)], ["cell", "counted"]
        )
