"""Whom a row belongs to: counting units (people, households) in place of rows, or so many rows of each at most.

A unit counts once if any of its rows matches. Whatever the rows of one unit are, they then move a count by at most 1,
so all rows of a unit are protected together. Where matching rows are counted instead, at most S of each unit, they move
it by at most S.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from hushcount.counting.meaning.types import ColumnType, Kind
from hushcount.errors import InvalidParameter
from hushcount.inputs.arguments import integer, one_of

__all__ = ["MOST_ROWS", "WITHOUT_UNIT_RULES", "Unit"]

WITHOUT_UNIT_RULES = ("error", "one-unit")

MOST_ROWS = 10**9
"""The largest number of rows of a unit that can be counted: more than any table has of one."""

_KINDS = (Kind.INTEGER, Kind.DECIMAL, Kind.TEXT, Kind.DATE, Kind.BOOLEAN, Kind.UNKNOWN)


@dataclass(frozen=True)
class Unit:
    """The column that tells the unit of a row.

    Two rows belong to one unit if their values are equal: whole numbers, decimals, dates and booleans by value, texts
    by their code points. A column of a CSV file is read as text unless its type is pinned, so that no other row affects
    which rows belong together.

    Attributes:
        column: its name.
        without: how to treat rows whose unit is missing: "error", or "one-unit" for one unit of all such rows.
        rows_per_unit: S, where matching rows are counted, at most so many of each unit and in all cells of a table
            together; None where units are.
    """

    column: str
    without: str = "error"
    rows_per_unit: int | None = None

    def __post_init__(self) -> None:
        if not (isinstance(self.column, str) and self.column):
            raise InvalidParameter("unit", self.column, "the name of a column")
        one_of(self.without, "without_unit", WITHOUT_UNIT_RULES)
        if self.rows_per_unit is not None:
            most = integer(self.rows_per_unit, "rows_per_unit", least=1)
            if not most <= MOST_ROWS:
                raise InvalidParameter("rows_per_unit", most, f"an integer from 1 to {MOST_ROWS:,}")
            object.__setattr__(self, "rows_per_unit", most)

    @classmethod
    def of(cls, column: str | None, without: str = "error", rows_per_unit: int | None = None) -> Unit | None:
        """Return the unit of a column; None for None.

        Raises:
            InvalidParameter: a bad name, rule or number, or one of the last two where there are no units.
        """
        if column is not None:
            return cls(column, without, rows_per_unit)
        if rows_per_unit is not None:
            rule = "left out without a unit, the column that tells whose rows they are"
            raise InvalidParameter("rows_per_unit", rows_per_unit, rule)
        if not (isinstance(without, str) and without == "error"):
            raise InvalidParameter("without_unit", without, "left out where rows are counted, not units")
        return None

    @property
    def moves(self) -> int:
        """How far one unit can move a count."""
        return 1 if self.rows_per_unit is None else self.rows_per_unit

    def counting(self, rows_per_unit: int | None) -> Unit:
        """Return the same units, with at most so many rows of each counted, or with units counted for None.

        Raises:
            InvalidParameter: not an integer from 1 to 10^9.
        """
        return replace(self, rows_per_unit=rows_per_unit)

    def to_fields(self) -> dict[str, Any]:
        """Return it as JSON has it; without `rows_per_unit` where units are counted."""
        rows = {} if self.rows_per_unit is None else {"rows_per_unit": self.rows_per_unit}
        return {"column": self.column, "without": self.without, **rows}

    def check_type(self, kind: ColumnType) -> None:
        """Check that equal values of the column surely are one unit.

        Raises:
            InvalidParameter: the values are doubles or timestamps.
        """
        if kind.kind not in _KINDS:
            rule = "a column of whole numbers, decimals, texts, dates or booleans; or pin its type as text"
            raise InvalidParameter("unit", self.column, f"{rule} (it holds {kind.kind.value}s)")
