"""A table opened to be counted in, whatever holds it; and one whose columns have declared types."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hushcount.counting.declared.options import ReadOptions
from hushcount.counting.declared.schema import SchemaColumn
from hushcount.counting.faults import foreign_errors
from hushcount.counting.meaning.query import SOURCE
from hushcount.counting.meaning.types import UNKNOWN, ColumnType, Kind
from hushcount.errors import BadData, InvalidParameter, PredicateRefused
from hushcount.inputs.arguments import nearest_name

__all__ = ["COMPUTED", "Column", "DeclaredSource", "Source", "check_distinct", "check_types", "chosen_table"]

COMPUTED = "is computed, and that may fail on some row"
"""Why no predicate can use such a column."""


class Source(ABC):
    """A table that was opened: its column names are known, and nothing else was read.

    Attributes:
        format: as in `Schema`.
        values_tell: whether values have a say in the types of columns, unless it is told to `read_as`.
        columns: the names of the columns, in order.
    """

    format: str
    values_tell = True
    columns: tuple[str, ...]
    listed: Mapping[str, ColumnType] = {}
    """The types that columns are read in, whatever their values or the source itself tell."""

    @abstractmethod
    def declared(self, names: Sequence[str]) -> Mapping[str, ColumnType]:
        """Return the types of those columns among `names` of which values can say no more."""

    def described(self, engine: Any) -> tuple[SchemaColumn, ...]:
        """Return all columns with their types; where values determine them, after reading all of them.

        Raises:
            BadData: the values of a column have no type.
        """
        return tuple(SchemaColumn(name, kind) for name, kind in self.load(engine, self.columns).items())

    @abstractmethod
    def count_rows(self, engine: Any, names: Sequence[str]) -> int:
        """Return the number of rows, on the way to loading the columns `names`."""

    @abstractmethod
    def load(self, engine: Any, names: Sequence[str]) -> Mapping[str, ColumnType]:
        """Make the columns `names` the relation of the engine, and return their types."""

    def read_as_text(self, name: str) -> None:  # noqa: B027 (a declared type, or a value, is never read as another)
        """Take a column as text if nothing but the spelling of its values tells its type."""

    def line_without(self, name: str) -> int | None:
        """Return the line of the first row without a value in a column; None if there is none, or there are no
        lines."""
        return None


@dataclass(frozen=True)
class Column:
    """A column with a declared type.

    Attributes:
        name: its name.
        type: its type; UNKNOWN if no predicate can speak of it.
        read: the SQL that reads it, without a chance to fail on any row.
        refused: why no predicate can use it, if none can.
        allowed: whether the user may read it.
    """

    name: str
    type: ColumnType
    read: str
    refused: str = ""
    allowed: bool = True

    @classmethod
    def of(
        cls, name: str, declared: str, known: tuple[ColumnType, str] | None, quoted: str, *, required: bool = False
    ) -> Column:
        """Return a column of a type that is known by what it means and the SQL that reads it ({} is the quoted
        name), or not.

        Args:
            declared: the name of its type at the source.
            required: whether the source takes no row without a value in it; a mere claim does not count.
        """
        if known is None:
            return cls(name, UNKNOWN, "", f"has the type {declared[:60]}, which no predicate can use")
        kind = replace(known[0], required=required and known[0].kind is Kind.BOOLEAN)
        return cls(name, kind, f"{known[1].format(quoted)} AS {quoted}")


_NAMELESS = Column("", UNKNOWN, "", "has no name")


class DeclaredSource(Source):
    """A table whose columns have declared types, which the engine reads itself.

    Args:
        shown: what errors call it.
        columns: its columns.
        relation: what the engine reads, as in `Engine.view`.
    """

    values_tell = False

    def __init__(self, shown: str, columns: Sequence[Column], relation: Any) -> None:
        self._shown = shown
        self._columns = {column.name: column if column.name else _NAMELESS for column in columns}
        self._relation = relation
        self.columns = tuple(self._columns)

    def declared(self, names: Sequence[str]) -> Mapping[str, ColumnType]:
        return {column.name: column.type for column in self._readable(names)}

    def described(self, engine: Any) -> tuple[SchemaColumn, ...]:
        return tuple(SchemaColumn(name, column.type, column.refused) for name, column in self._columns.items())

    def count_rows(self, engine: Any, names: Sequence[str]) -> int:
        with foreign_errors(f"{self._shown}: the rows could not be counted"):
            engine.view((), self._relation)
            ((rows,),) = engine.rows(f"SELECT COUNT(*) FROM {SOURCE}")
        return int(rows)

    def load(self, engine: Any, names: Sequence[str]) -> Mapping[str, ColumnType]:
        columns = self._readable(names)
        with foreign_errors(f"{self._shown}: the columns could not be read"):
            engine.view([column.read for column in columns], self._relation)
        return {column.name: column.type for column in columns}

    def _readable(self, names: Sequence[str]) -> list[Column]:
        columns = [self._columns[name] for name in names]
        for column in columns:
            if not column.allowed:
                raise BadData(f"{self._shown}: the user may not read column {column.name!r}")
            if column.refused:
                raise PredicateRefused(f"column {column.name!r} of {self._shown} {column.refused}")
        return columns


def chosen_table(path: str, wanted: str | None, tables: Sequence[str], but: str = " (views are not)") -> str:
    """Return the table to read: the one that was named, or the only one.

    Args:
        but: what errors say is none of them.

    Raises:
        BadData: the file holds no table.
        InvalidParameter: no such table, or none was named and there are several.
    """
    if not tables:
        raise BadData(f"{path} holds no table")
    if wanted is None:
        if len(tables) > 1:
            shown = ", ".join(tables[:10]) + (", ..." if len(tables) > 10 else "")
            raise InvalidParameter("table", None, f"given: {path} holds {len(tables)} tables ({shown})")
        return tables[0]
    if wanted not in tables:
        near = nearest_name(wanted, tables)
        rule = f"a table of {path}{but}" + (f"; did you mean {near!r}?" if near else "")
        raise InvalidParameter("table", wanted, rule)
    return wanted


def check_distinct(shown: str, names: Sequence[str]) -> None:
    """Check that an engine for which case does not matter can tell columns apart, of which it would rename one.

    Raises:
        BadData: it cannot.
    """
    seen: dict[str, str] = {}
    for place, name in enumerate(names, 1):
        other = seen.setdefault(name.casefold(), name)
        if len(seen) < place:
            fault = "twice" if other == name else f"and {other!r}, which differ only in case"
            raise BadData(f"{shown} names column {name!r} {fault}")


def check_types(options: ReadOptions, columns: Sequence[str]) -> None:
    """Check that types are pinned of columns that there are.

    Raises:
        InvalidParameter: one is not.
    """
    for name in options.types:
        if name not in columns:
            near = nearest_name(name, columns)
            rule = "names of columns in the file" + (f"; did you mean {near!r}?" if near else "")
            raise InvalidParameter("types", name, rule)
