"""Adjacency: which two tables must stay indistinguishable, and with it which range the count has.

What is said of rows here holds of units (all rows of a person, say) where units are counted. The literature disagrees
on "neighbouring tables", and epsilon means something else under each reading, so it is always stated: *replace-one*
changes the values of one row and keeps the number of rows, *add-remove* adds or deletes one row. A counting query has
sensitivity 1 under both.
"""

from __future__ import annotations

from enum import Enum

from hushcount.errors import InvalidParameter
from hushcount.inputs.arguments import integer, member_of

__all__ = ["Adjacency", "public_range"]


class Adjacency(Enum):
    """Which pairs of tables count as neighbours."""

    REPLACE_ONE = "replace-one"
    ADD_REMOVE = "add-remove"

    @property
    def meaning(self) -> str:
        """What is protected and what is taken as public, in a sentence for a curator to hand on."""
        return _MEANING[self]

    @property
    def meaning_for_units(self) -> str:
        """The same where units are counted, not rows."""
        return _MEANING_FOR_UNITS[self]

    @classmethod
    def of(cls, name: str) -> Adjacency:
        """The adjacency of that name.

        Raises:
            InvalidParameter: neither "replace-one" nor "add-remove".
        """
        return member_of(cls, "adjacency", name)

    def changed_cells(self, max_cells: int, cells: int) -> int:
        """k, the number of a table's cells whose counts one change can move.

        Adding or removing a row, or a unit, moves those where it is; replacing it moves those where it was and those
        where it is.

        Args:
            max_cells: in how many cells a row, or a unit, counts at most.
            cells: how many there are.
        """
        return min(max_cells * (2 if self is Adjacency.REPLACE_ONE else 1), cells)


_MEANING = {
    Adjacency.REPLACE_ONE: (
        "The number of rows is public; what is protected is the content of any one row: two tables differ in this way "
        "if one row holds other values."
    ),
    Adjacency.ADD_REMOVE: (
        "The number of rows is private; what is protected is whether any one row is in the table at all: two tables "
        "differ in this way if one has a row more. Counts above the declared maximum are treated as the maximum."
    ),
}

_MEANING_FOR_UNITS = {
    Adjacency.REPLACE_ONE: (
        "The number of units is public; what is protected are all rows of any one unit: two tables differ in this way "
        "if one unit has other rows, in whatever number."
    ),
    Adjacency.ADD_REMOVE: (
        "The number of units is private; what is protected is whether any one unit, with all its rows, is in the table "
        "at all: two tables differ in this way if one has a unit more. Counts above the declared maximum are treated "
        "as the maximum."
    ),
}


def public_range(adjacency: Adjacency, rows: int, max_count: int | None = None) -> int:
    """The public upper end n of the released count, whose outcomes are 0..n.

    Under replace-one n = `rows`, and a maximum is refused: it would do nothing but change n. Under add-remove
    n = `max_count`, which must be chosen without looking at the data; `rows` is private there and does not enter.

    Args:
        adjacency: the neighbouring relation the release is private under.
        rows: number of rows of the table, >= 0.
        max_count: the declared maximum, an integer >= 0; required for add-remove only.

    Raises:
        InvalidParameter: `max_count` is missing, not wanted, or not an integer >= 0; another argument is not as above.
    """
    if not isinstance(adjacency, Adjacency):
        raise InvalidParameter("adjacency", adjacency, "a member of Adjacency")
    if adjacency is Adjacency.REPLACE_ONE:
        if max_count is not None:
            rule = "left out under replace-one, where the number of rows is the maximum"
            raise InvalidParameter("max_count", max_count, rule)
        return integer(rows, "rows", least=0)
    if max_count is None:
        raise InvalidParameter("max_count", None, "given under add-remove: a public maximum, chosen without the data")
    return integer(max_count, "max_count", least=0)
