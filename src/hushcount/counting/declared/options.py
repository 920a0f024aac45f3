"""How a source is to be read: declared, with printed defaults, never guessed from a sample."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import date, datetime
from types import MappingProxyType
from typing import Any

from hushcount.counting.predicate.moments import ISO_DATE
from hushcount.errors import InvalidParameter, type_of
from hushcount.inputs.arguments import one_of
from hushcount.inputs.delimiters import check_delimiter

__all__ = ["MISSING", "ReadOptions"]

MISSING = ("nan", "NaN", "NAN")
"""What, without quotes, stands for a missing value in a CSV besides `ReadOptions.null`."""

FORMATS = ("auto", "csv", "parquet", "duckdb", "sqlite", "json", "arrow", "stata", "spss", "sas", "xport", "excel")
COLUMN_TYPES = ("text", "integer", "number", "boolean", "date", "timestamp", "label")
_DATE_DIRECTIVES = frozenset("YymdbBjaA%")


@dataclass(frozen=True)
class ReadOptions:
    """What is declared about how a source is read; validated once, here.

    Attributes:
        format: `auto` (told by the first bytes of the file, CSV if none is known), `csv`, `parquet`, `duckdb`,
            `sqlite`, `json` (lines), `arrow`, `stata`, `spss`, `sas` (.sas7bdat), `xport` (.xpt) or `excel` (.xlsx).
            CSV and JSON lines may be packed by gzip. What is not a file has no format to declare.
        table: which table of a DuckDB or SQLite file, which sheet of an Excel file, or which table of a PostgreSQL
            database, there as `schema.table` unless it is in the schema public; None is enough where there is one.
        header: whether the first record of a CSV, or row of a sheet, names the columns; if not they are c0, c1, ...
        delimiter: the one character between fields of a CSV.
        encoding: the text encoding of a CSV, by its Python name. A byte-order mark is removed.
        null: the spelling that, unquoted, stands for a missing value in a CSV, as nan, NaN and NAN do anyway. A quoted
            field is never missing (but a quoted nan in a column pinned as number is NaN, so it is).
        decimal: the decimal mark of numbers in a CSV; if it is the delimiter too, fractions must be in quotes.
        date_format: how dates are written in a CSV or JSON file (strptime directives for year, month and day).
        types: pinned types of CSV and JSON columns, by column name: text, integer, number, boolean, date or
            timestamp. The type of any other column is inferred from all of its values, and the predicate must say what
            it means; see `count_matching`. In Stata, SPSS and SAS files, integer for numbers that are all whole, or
            label for the texts of value labels.
        trailing_delimiter: whether every record of a CSV, also the header, ends with a delimiter, after which there is
            no field.

    Raises:
        InvalidParameter: an option breaks its rule.
    """

    format: str = "auto"
    table: str | None = None
    header: bool = True
    delimiter: str = ","
    encoding: str = "utf-8"
    null: str = ""
    decimal: str = "."
    date_format: str = ISO_DATE
    types: Mapping[str, str] = field(default_factory=dict, hash=False)
    trailing_delimiter: bool = False

    def __post_init__(self) -> None:
        one_of(self.format, "format", FORMATS)
        if self.table is not None and not (isinstance(self.table, str) and self.table):
            raise InvalidParameter("table", self.table, "the name of a table")
        for name in ("header", "trailing_delimiter"):
            if not isinstance(getattr(self, name), bool):
                raise InvalidParameter(name, getattr(self, name), "True or False")
        _check_marks(self.delimiter, self.decimal, self.null)
        _check_encoding(self.encoding)
        _check_date_format(self.date_format)
        object.__setattr__(self, "types", MappingProxyType(_checked_types(self.types)))

    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Return every option with its value as text, in order, for printing what was declared."""
        return tuple((item.name, self._shown(item.name)) for item in fields(self))

    def to_dict(self) -> dict[str, Any]:
        """Return every option by name, ready for JSON; `ReadOptions(**options.to_dict())` is equal to it.

        An option that came later is left out where it is as ever, so that ledgers and questions stay what they were.
        """
        found = {item.name: getattr(self, item.name) for item in fields(self)} | {"types": dict(self.types)}
        return {name: value for name, value in found.items() if name != "trailing_delimiter" or value}

    def _shown(self, name: str) -> str:
        value = getattr(self, name)
        if name == "types":
            return ", ".join(f"{column}={kind}" for column, kind in value.items()) or "inferred from all values"
        if name == "null":
            return repr(value) if value else "an empty field without quotes"
        if name in ("header", "trailing_delimiter"):
            return "yes" if value else "no"
        if name == "delimiter":
            return repr(value)
        return "the only one" if value is None else str(value)


def _check_marks(delimiter: str, decimal: object, null: object) -> None:
    check_delimiter(delimiter)
    one_of(decimal, "decimal", (".", ","), "'.' or ','")
    if not isinstance(null, str) or any(mark in null for mark in (delimiter, '"', "\r", "\n", "\0")):
        raise InvalidParameter("null", null, "a text without delimiter, quote or line break")


def _check_encoding(encoding: object) -> None:
    rule = "a text encoding known to Python, such as utf-8, utf-16, latin-1 or cp1252"
    if not isinstance(encoding, str):
        raise InvalidParameter("encoding", encoding, rule)
    try:
        round_trip = "a,1\n".encode(encoding).decode(encoding)
    except (LookupError, ValueError):  # ValueError: a name with a NUL, and UnicodeError of `undefined`
        raise InvalidParameter("encoding", encoding, rule) from None
    if round_trip != "a,1\n":
        raise InvalidParameter("encoding", encoding, rule)


def _check_date_format(date_format: object) -> None:
    rule = "a strptime format of year, month and day, such as %Y-%m-%d or %d.%m.%Y"
    if not isinstance(date_format, str) or not set(re.findall("%(.?)", date_format, re.DOTALL)) <= _DATE_DIRECTIVES:
        raise InvalidParameter("date_format", date_format, rule)
    for sample in (date(1999, 12, 31), date(2003, 2, 1)):
        try:
            read = datetime.strptime(sample.strftime(date_format), date_format)
        except (ValueError, re.error):
            raise InvalidParameter("date_format", date_format, rule) from None
        if read.date() != sample:
            raise InvalidParameter("date_format", date_format, rule)


def _checked_types(types: object) -> dict[str, str]:
    if not isinstance(types, Mapping):
        raise InvalidParameter("types", types, "a mapping from column name to type")
    for column, kind in types.items():
        if not isinstance(column, str):
            raise InvalidParameter("types", type_of(column), "a mapping from column name to type")
        if not (isinstance(kind, str) and kind in COLUMN_TYPES):
            rule = f"{column}=type, type one of {', '.join(COLUMN_TYPES)}"
            raise InvalidParameter("types", kind if isinstance(kind, str) else type_of(kind), rule)
    return dict(types)
