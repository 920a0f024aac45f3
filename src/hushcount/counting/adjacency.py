"""Adjacency: which two tables must stay indistinguishable, and with it which range the count has.

The literature disagrees on "neighbouring tables", and epsilon means something else under each reading, so it is
always stated: *replace-one* changes the values of one row and keeps the number of rows, *add-remove* adds or deletes
one row. A counting query has sensitivity 1 under both.
"""

from __future__ import annotations

from enum import Enum

from hushcount.errors import InvalidParameter

__all__ = ["Adjacency", "public_range"]


class Adjacency(Enum):
    """Which pairs of tables count as neighbours."""

    REPLACE_ONE = "replace-one"
    ADD_REMOVE = "add-remove"

    @property
    def meaning(self) -> str:
        """What is protected and what is taken as public, in a sentence for a curator to hand on."""
        return _MEANING[self]


_MEANING = {
    Adjacency.REPLACE_ONE: (
        "The number of rows is public; what is protected is the content of any one row: the release would look almost "
        "the same if one row held other values."
    ),
    Adjacency.ADD_REMOVE: (
        "The number of rows is private; what is protected is whether any one row is in the table at all: the release "
        "would look almost the same if one row were added or taken out, and counts above the declared maximum are "
        "treated as the maximum."
    ),
}


def public_range(adjacency: Adjacency, rows: int, cap: int | None = None) -> int:
    """The public upper end n of the released count, whose outcomes are 0..n.

    Under replace-one n = `rows`, and a cap is refused: it would do nothing but change n. Under add-remove n = `cap`,
    which must be chosen without looking at the data; `rows` is private there and does not enter.

    Args:
        adjacency: the neighbouring relation the release is private under.
        rows: number of rows of the table, >= 0.
        cap: the declared maximum, an integer >= 0; required for add-remove only.

    Raises:
        InvalidParameter: `cap` is missing, not wanted, or not an integer >= 0.
    """
    if adjacency is Adjacency.REPLACE_ONE:
        if cap is not None:
            raise InvalidParameter("max", cap, "left out under replace-one, where the number of rows is the maximum")
        return rows
    if cap is None:
        raise InvalidParameter("max", None, "given under add-remove: a public maximum, chosen without the data")
    if isinstance(cap, bool) or not isinstance(cap, int) or not cap >= 0:
        raise InvalidParameter("max", cap, "an integer >= 0")
    return cap
