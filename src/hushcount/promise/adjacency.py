"""Adjacency: which two tables must stay indistinguishable, and so which range the count has.

What is said of rows here holds of units (such as all rows of a person) where units are counted. The literature
disagrees on "neighboring tables", and epsilon means something else under each reading, so the relation is always
stated. *replace-one* changes the values of one row and keeps the number of rows; *add-remove* adds or deletes one row.
A counting query has sensitivity 1 under both.
"""

from __future__ import annotations

from enum import Enum

from hushcount.errors import InvalidParameter
from hushcount.inputs.arguments import integer, member_of

__all__ = ["Adjacency", "public_range"]


class Adjacency(Enum):
    """The pairs of tables that count as neighbors."""

    REPLACE_ONE = "replace-one"
    ADD_REMOVE = "add-remove"

    @property
    def meaning(self) -> str:
        """What is protected and what is taken as public, in a sentence for a curator to hand on."""
        return _MEANING[self]

    @property
    def meaning_for_units(self) -> str:
        """What is protected and what is taken as public where units are counted, not rows."""
        return _MEANING_FOR_UNITS[self]

    @classmethod
    def of(cls, name: str) -> Adjacency:
        """Return the adjacency of that name.

        Raises:
            InvalidParameter: neither "replace-one" nor "add-remove".
        """
        return member_of(cls, "adjacency", name)

    def changed_cells(self, max_cells: int, cells: int | None) -> int:
        """Return k, the number of a table's cells whose counts one change can affect.

        Adding or removing a row, or a unit, affects the cells that it is in. Replacing it affects the cells that it was
        in and those that it is in.

        Args:
            max_cells: the most cells in which a row, or a unit, counts.
            cells: how many cells there are; None where that is private.
        """
        changed = max_cells * (2 if self is Adjacency.REPLACE_ONE else 1)
        return changed if cells is None else min(changed, cells)


_MEANING = {
    Adjacency.REPLACE_ONE: (
        "The number of rows is public, and the content of any one row is protected: two tables differ in this way if "
        "one row holds different values."
    ),
    Adjacency.ADD_REMOVE: (
        "The number of rows is private, and the presence of any one row in the table is protected: two tables differ "
        "in this way if one has one more row. Counts above the declared maximum are treated as the maximum."
    ),
}

_MEANING_FOR_UNITS = {
    Adjacency.REPLACE_ONE: (
        "The number of units is public, and all rows of any one unit are protected: two tables differ in this way if "
        "one unit has different rows, in any number."
    ),
    Adjacency.ADD_REMOVE: (
        "The number of units is private, and the presence of any one unit, with all its rows, is protected: two tables "
        "differ in this way if one has one more unit. Counts above the declared maximum are treated as the maximum."
    ),
}


def public_range(adjacency: Adjacency, rows: int, max_count: int | None = None) -> int:
    """Return the public upper end n of the released count, whose outcomes are 0..n.

    Under replace-one n = `rows`, and a maximum is refused: it would only change n. Under add-remove n = `max_count`,
    which must be chosen without looking at the data; `rows` is private there and is not used.

    Args:
        adjacency: the neighboring relation under which the release is private.
        rows: the number of rows of the table, an integer >= 0.
        max_count: the declared maximum, an integer >= 0; required for add-remove only.

    Raises:
        InvalidParameter: `max_count` is missing, not wanted, or not an integer >= 0; or another argument is bad.
    """
    if not isinstance(adjacency, Adjacency):
        raise InvalidParameter("adjacency", adjacency, "a member of Adjacency")
    if adjacency is Adjacency.REPLACE_ONE:
        if max_count is not None:
            rule = (
                "left out under replace-one, where the number of rows is the maximum; `adjacency` add-remove takes it"
            )
            raise InvalidParameter("max_count", max_count, rule)
        return integer(rows, "rows", least=0)
    if max_count is None:
        raise InvalidParameter("max_count", None, "given under add-remove: a public maximum, chosen without the data")
    return integer(max_count, "max_count", least=0)
