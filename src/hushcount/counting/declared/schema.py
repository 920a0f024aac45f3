"""The columns of a source with their declared types, by which alone every question about it is judged.

A type here is a declaration. It never says how large or how many the values are, so no row affects whether a condition,
a key or a unit fits. In a CSV file an integer is any whole number of up to 38 digits, and a number is the double
nearest to what is written; a timestamp has an offset in all rows or in none. A column without any value has the type
"empty", and compares as NULL with anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from hushcount.counting.meaning.missing_codes import missing_words
from hushcount.counting.meaning.types import ColumnType, Kind
from hushcount.counting.predicate.predicate import check_names
from hushcount.errors import InvalidParameter, PredicateRefused

__all__ = ["Schema", "SchemaColumn"]


@dataclass(frozen=True, eq=False)
class SchemaColumn:
    """A column of a source.

    Attributes:
        name: its name.
        type: its declared type; that of a column without values if no question can use it.
        refused: why no question can use it, as "has the type JSON, which no predicate can use"; empty if one can.
        note: what its owner may not expect of it, found when all of it was read. It tells of values, so it is for the
            owner's eyes, is kept nowhere, and matters to no judgment.
    """

    name: str
    type: ColumnType
    refused: str = ""
    note: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        # What the values showed, and what else could be declared, does not matter
        object.__setattr__(self, "type", replace(self.type, open=False, loose=False, large=False, labelled=False))

    @property
    def word(self) -> str:
        """The type in a word for people."""
        return "unusable" if self.refused else self.type.word

    @property
    def in_words(self) -> str:
        """The same, with what is declared missing."""
        missing = "" if self.refused else missing_words(self.type)
        return f"{self.word}; declared missing: {missing}" if missing else self.word

    def to_dict(self) -> dict[str, Any]:
        """Return the column as JSON can hold it; what is as usual is left out."""
        told = {
            item.name: _json(value)
            for item in fields(ColumnType)
            if (value := getattr(self.type, item.name)) != item.default
        }
        return {"name": self.name, "type": told, **({"refused": self.refused} if self.refused else {})}

    @classmethod
    def from_dict(cls, column: Mapping[str, Any]) -> SchemaColumn:
        """Return the column that `to_dict` gave.

        Raises:
            InvalidParameter: it did not give that.
        """
        try:
            told = {name: _READ.get(name, _as_it_is)(value) for name, value in column["type"].items()}
            found = cls(column["name"], ColumnType(**told), column.get("refused", ""))
            is_whole = found.to_dict() == dict(column)
        except (AttributeError, KeyError, TypeError, ValueError):
            is_whole = False
        if not is_whole:
            raise InvalidParameter("schema", None, "what Schema.to_dict returned")
        return found

    def fits(self, listed: SchemaColumn) -> bool:
        """Return whether it is as it was listed: that it is required, which it need not have been then, does not
        matter."""
        required = self.type.required and listed.type.required
        found = replace(self, type=replace(self.type, required=required))
        return bool(found.refused) == bool(listed.refused) and (bool(found.refused) or found == listed)

    def __eq__(self, other: object) -> bool:
        """Return whether nothing that matters to a judgment differs; types alone are equal if they are held alike."""
        return self.to_dict() == other.to_dict() if isinstance(other, SchemaColumn) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.name)


def _json(value: Any) -> Any:
    if isinstance(value, Kind):
        return value.value
    return [_json(part) for part in value] if isinstance(value, tuple) else value


def _as_it_is(value: Any) -> Any:
    return value


def _pairs(value: Any) -> Any:
    return tuple(tuple(pair) for pair in value)


_READ: dict[str, Callable[[Any], Any]] = {"kind": Kind, "labels": tuple, "missing": _pairs}


@dataclass(frozen=True)
class Schema:
    """All columns of a source, in order; made by `read_schema`.

    Attributes:
        format: of the source: postgresql, spark, or that of its files as in `ReadOptions`.
        columns: its columns.
    """

    format: str
    columns: tuple[SchemaColumn, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(column.name for column in self.columns)

    @property
    def usable(self) -> dict[str, ColumnType]:
        """The types of the columns that a question can use, by name."""
        return {column.name: column.type for column in self.columns if not column.refused}

    @property
    def notes(self) -> tuple[str, ...]:
        """What the owner of the source may not expect, for the owner's eyes only; empty once a ledger was asked."""
        return tuple(column.note for column in self.columns if column.note)

    def types(self, names: Iterable[str]) -> dict[str, ColumnType]:
        """Return the types of the columns `names`.

        Raises:
            NoSuchColumn: one is not there.
            PredicateRefused: no question can use one.
        """
        wanted = tuple(names)
        check_names(wanted, self.names)
        found = {column.name: column for column in self.columns}
        for name in wanted:
            if found[name].refused:
                raise PredicateRefused(f"column {name!r} {found[name].refused}")
        return {name: found[name].type for name in wanted}

    def shown(self) -> dict[str, str]:
        """Return the type of each column in a word for people: integer, number, text, ..., timestamp with offset,
        empty."""
        return {column.name: column.word for column in self.columns}

    def to_dict(self) -> dict[str, Any]:
        """Return the schema as JSON can hold it."""
        return {"format": self.format, "columns": [column.to_dict() for column in self.columns]}

    @classmethod
    def from_dict(cls, schema: Mapping[str, Any]) -> Schema:
        """Return the schema that `to_dict` gave.

        Raises:
            InvalidParameter: it did not give that.
        """
        try:
            found = cls(str(schema["format"]), tuple(SchemaColumn.from_dict(column) for column in schema["columns"]))
            is_whole = dict(schema) == {"format": found.format, "columns": schema["columns"]}
        except (IndexError, KeyError, TypeError, ValueError):
            is_whole = False
        if not is_whole:
            raise InvalidParameter("schema", None, "what Schema.to_dict returned")
        return found
