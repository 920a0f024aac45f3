"""Whom a row belongs to: counting units (people, households) in place of rows.

A unit counts once if any of its rows matches. Whatever the rows of one unit are, a count then moves by at most 1, so
what is protected is all rows of a unit together.
"""

from __future__ import annotations

from dataclasses import dataclass

from hushcount.counting.meaning.types import ColumnType, Kind
from hushcount.errors import InvalidParameter
from hushcount.inputs.arguments import one_of

__all__ = ["WITHOUT_UNIT_RULES", "Unit"]

WITHOUT_UNIT_RULES = ("error", "one-unit")

_KINDS = (Kind.INTEGER, Kind.DECIMAL, Kind.TEXT, Kind.DATE, Kind.BOOLEAN, Kind.UNKNOWN)


@dataclass(frozen=True)
class Unit:
    """The column that tells the unit of a row.

    Two rows are of one unit if their values are equal: whole numbers, decimals, dates and truths as such, texts by
    their code points. A column of a CSV file is read as text unless its type is pinned, so that no other row has a say
    in which rows belong together.

    Attributes:
        column: its name.
        without: what rows are whose unit is missing: "error", or "one-unit" for a unit of their own, all together.
    """

    column: str
    without: str = "error"

    def __post_init__(self) -> None:
        if not (isinstance(self.column, str) and self.column):
            raise InvalidParameter("unit", self.column, "the name of a column")
        one_of(self.without, "without_unit", WITHOUT_UNIT_RULES)

    @classmethod
    def of(cls, column: str | None, without: str = "error") -> Unit | None:
        """The unit of a column; None for None.

        Raises:
            InvalidParameter: no name or no rule, or a rule for rows without a unit where there are no units.
        """
        if column is not None:
            return cls(column, without)
        if not (isinstance(without, str) and without == "error"):
            raise InvalidParameter("without_unit", without, "left out where rows are counted, not units")
        return None

    def check_type(self, kind: ColumnType) -> None:
        """See that equal values of the column are surely one unit.

        Raises:
            InvalidParameter: they are doubles or timestamps.
        """
        if kind.kind not in _KINDS:
            rule = "a column of whole numbers, decimals, texts, dates or booleans; or pin its type as text"
            raise InvalidParameter("unit", self.column, f"{rule} (it holds {kind.kind.value}s)")
