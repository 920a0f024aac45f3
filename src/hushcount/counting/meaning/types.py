"""Column types, reduced to the kinds a predicate can speak about, with what each can hold."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum

from hushcount.counting.meaning.floats import BINARY32, BINARY64, FORMATS, FloatFormat

__all__ = [
    "BOOLEAN",
    "DATE",
    "DOUBLE",
    "EXACT_IN_DOUBLE",
    "HUGE",
    "INTEGER",
    "NUMERIC",
    "PINNED",
    "SINGLE",
    "TEXT",
    "TIMESTAMP",
    "TIMESTAMP_UTC",
    "UNKNOWN",
    "WHOLE",
    "ColumnType",
    "Kind",
    "decimal",
    "integer",
]

# Up to here every integer is a double, and the next one is not.
EXACT_IN_DOUBLE = 2**53


class Kind(Enum):
    """What a value is; the member's value is the word for it in messages."""

    INTEGER = "integer"
    DECIMAL = "decimal"
    DOUBLE = "number"
    TEXT = "text"
    BOOLEAN = "boolean"
    DATE = "date"
    TIMESTAMP = "timestamp"
    UNKNOWN = "unknown"


_INTEGERS = {8: "TINYINT", 16: "SMALLINT", 32: "INTEGER", 64: "BIGINT", 128: "HUGEINT"}
_NAMES = {
    Kind.DOUBLE: "DOUBLE",
    Kind.TEXT: "TEXT",
    Kind.BOOLEAN: "BOOLEAN",
    Kind.DATE: "DATE",
    Kind.TIMESTAMP: "TIMESTAMP",
    Kind.UNKNOWN: "BOOLEAN",
}


@dataclass(frozen=True)
class ColumnType:
    """A type as the engine holds it, and how much of it only the data showed.

    Two types are equal if the engine holds them alike and literals mean the same; what is said beside that (from `open`
    on) does not enter.

    Attributes:
        kind: the kind of value.
        low: the smallest value, in units of 10**-scale; integers and decimals only.
        high: the largest value, in units of 10**-scale; integers and decimals only.
        scale: digits after the point; 0 but for decimals.
        zoned: whether timestamps carry a time zone at the source; they are held in UTC.
        bits: how many significant bits the doubles have at the source; a literal compared with them has as many.
        open: whether the data, not a declaration, told numbers from texts, times and truths. The predicate must then
            say which of these it means.
        loose: whether another row could turn integers into decimals or doubles, or a column without values into any.
        large: whether there are integers beyond 2**53, which a double would round.
        length: the most characters of a text, where the source enforces that; None for any number.
        padded: whether texts are read without the spaces that pad them, so that none ends with a space.
        labels: the texts that there can be, where those are declared; None for any text.
        labelled: whether the source has texts for numbers, which a pinned type (`label`) would read.
        also: texts that there can be whatever `length` and `padded` say, since the value may be another one's.
        missing: what the source declares missing (`meaning.missing_codes`): ranges by both of their ends, as texts.
        required: of booleans, whether the source itself sees to it that each row has a value (NOT NULL).
    """

    kind: Kind
    low: int = 0
    high: int = 0
    scale: int = 0
    zoned: bool = False
    bits: int = BINARY64.bits
    open: bool = field(default=False, compare=False)
    loose: bool = field(default=False, compare=False)
    large: bool = field(default=False, compare=False)
    length: int | None = field(default=None, compare=False)
    padded: bool = field(default=False, compare=False)
    labels: tuple[str, ...] | None = field(default=None, compare=False)
    also: tuple[str, ...] = field(default=(), compare=False)
    labelled: bool = field(default=False, compare=False)
    missing: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    required: bool = field(default=False, compare=False)

    @property
    def format(self) -> FloatFormat:
        """The format of the doubles at the source."""
        return FORMATS[self.bits]

    @property
    def sql(self) -> str:
        """Its name in DuckDB; a DECIMAL without digits is one that only PostgreSQL has."""
        bits = (self.high - self.low).bit_length()
        if self.kind is Kind.INTEGER and bits in _INTEGERS:
            return _INTEGERS[bits] if self.low else f"U{_INTEGERS[bits]}"
        if self.exact:
            return f"DECIMAL({len(str(self.high))}, {self.scale})" if self.high else "DECIMAL"
        return _NAMES[self.kind]

    @property
    def word(self) -> str:
        """Its name for people."""
        if self.kind is Kind.TIMESTAMP and self.zoned:
            return "timestamp with offset"
        return "empty" if self.kind is Kind.UNKNOWN else self.kind.value

    @property
    def exact(self) -> bool:
        """Whether values are integers or decimals."""
        return self.kind in (Kind.INTEGER, Kind.DECIMAL)

    @property
    def numeric(self) -> bool:
        """Whether values are numbers."""
        return self.exact or self.kind is Kind.DOUBLE

    @property
    def limited(self) -> bool:
        """Whether there are texts that no value can be; see `meaning.text_limits`."""
        return self.padded or self.length is not None or self.labels is not None

    @property
    def temporal(self) -> bool:
        """Whether values are dates or timestamps."""
        return self.kind in (Kind.DATE, Kind.TIMESTAMP)


def integer(bits: int, signed: bool) -> ColumnType:
    """Return the integers of so many bits."""
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    return ColumnType(Kind.INTEGER, low, high)


def decimal(precision: int, scale: int) -> ColumnType:
    """Return DECIMAL(precision, scale)."""
    high = 10**precision - 1
    return ColumnType(Kind.DECIMAL, -high, high, scale)


INTEGER = integer(64, signed=True)
# Any whole number of up to 38 digits, which a double would round, and a decimal beside a fraction has no room for.
WHOLE = replace(decimal(38, 0), kind=Kind.INTEGER)
HUGE = integer(128, signed=True)
# Any decimal, however long, and infinity: what has no ends is compared as it is.
NUMERIC = ColumnType(Kind.DECIMAL)
DOUBLE = ColumnType(Kind.DOUBLE)
SINGLE = ColumnType(Kind.DOUBLE, bits=BINARY32.bits)
TEXT = ColumnType(Kind.TEXT)
BOOLEAN = ColumnType(Kind.BOOLEAN)
DATE = ColumnType(Kind.DATE)
TIMESTAMP = ColumnType(Kind.TIMESTAMP)
TIMESTAMP_UTC = ColumnType(Kind.TIMESTAMP, zoned=True)
# A column without any value: it compares as NULL with anything.
UNKNOWN = ColumnType(Kind.UNKNOWN)

PINNED = {
    "text": TEXT,
    "integer": WHOLE,
    "number": DOUBLE,
    "boolean": BOOLEAN,
    "date": DATE,
    "timestamp": TIMESTAMP_UTC,
    "label": TEXT,
}
"""What a pinned type promises of a column before it is read, except that timestamps may turn out to have no offset, and
that of value labels (`label`) only some may occur."""
