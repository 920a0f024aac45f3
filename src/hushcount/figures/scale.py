"""Where the scale of a picture of released counts ends."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["scale_top"]

_APART = 2


def scale_top(highest: Sequence[int], other: int | None = None) -> int:
    """Return the largest count that a scale has to hold.

    The cell of all other keys may hold most rows. If its count is more than twice what is drawn for any declared cell,
    it stands beyond the end of the scale, so as not to press those together.

    Args:
        highest: the largest count that is drawn for each cell, its confidence set included; at least one.
        other: the count of the last cell, if that is the one of all other keys.
    """
    declared = 0 if other is None else max(highest[:-1], default=0)
    return declared if other is not None and 0 < _APART * declared < other else max(highest)
