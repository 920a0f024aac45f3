"""Which entries all optimal mechanisms share ([RV26] Fig. 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hushcount.errors import InvalidParameter, TooLarge
from hushcount.figures.cells import LARGEST_WRITTEN, chance_text, draw_spans, fill_cells, matrix_axes, write_cell
from hushcount.figures.legend import legend
from hushcount.figures.parameters import parameters
from hushcount.figures.style import HATCHED, PALE, axes_or_new, in_fixed_style, titled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hushcount.optimal_set import OptimalSet

__all__ = ["plot_shared_entries"]

LARGEST_DRAWN = 512
"""The most outcomes whose entries can be told apart in a picture."""

_SIZE = (5.0, 5.6)
_LARGEST_FRAMED = 32
"""The most outcomes at which frames still let one see what they frame."""

_INSET = 0.1
"""How far inside a cell its frame is, as a fraction of the cell."""

_FRAME: dict[str, Any] = {"fill": False, "edgecolor": "black", "linewidth": 0.9}


@in_fixed_style
def plot_shared_entries(
    optimal: OptimalSet,
    ax: Axes | None = None,
    *,
    values: bool = True,
    ranges: bool = False,
    sums: bool = False,
    title: str | None = None,
) -> Axes:
    """Draw what all optimal mechanisms have in common: rows = true count, columns = released count.

    Entries that are the same in every one (`OptimalSet.shared_entries`) are filled, with their values up to n = 8;
    those that differ are hatched.

    Args:
        optimal: the set; which entries are shared depends only on n and on whether epsilon and delta are 0.
        ax: where to draw; by default the axes of a new figure.
        values: write the shared values, to three decimals, up to n = 8.
        ranges: write the least and largest values into the others, up to n = 8; each takes two linear programs.
        sums: frame, in each row, the outcomes left of the true count and those right of it, where they differ, up to n
            = 31. Their sums are still the same in every optimal mechanism (`OptimalSet.shared_sums`).
        title: above the picture, as it is; "" for none.

    Returns:
        The axes.

    Raises:
        InvalidParameter: a bad argument, naming it.
        TooLarge: more than 512 outcomes.
        BadUse: matplotlib is not installed.
    """
    from hushcount.optimal_set import OptimalSet

    if not isinstance(optimal, OptimalSet):
        raise InvalidParameter("optimal", optimal, "an OptimalSet")
    M = optimal.n + 1
    if not M <= LARGEST_DRAWN:
        raise TooLarge(f"shared entries are drawn up to {LARGEST_DRAWN} outcomes (got {M:,})")
    ax = axes_or_new(ax, _SIZE)
    from matplotlib.patches import Patch

    shared = optimal.shared_entries
    looks: list[tuple[Any, str, dict[str, Any]]] = [
        (shared, "the same in all optimal mechanisms", {"facecolor": PALE, "edgecolor": "none"}),
        (~shared, "differs", HATCHED),
    ]
    entries: list[tuple[Any, str]] = []
    for cells, label, look in looks:
        if cells.any():
            fill_cells(ax, cells, **look)
            entries.append((Patch(**{**look, "linewidth": 0.5, "edgecolor": HATCHED["edgecolor"]}), label))
    matrix_axes(ax, M)
    if M <= LARGEST_WRITTEN:
        _lines_between(ax, M)
        _written(ax, optimal, values, ranges)
    if sums and M <= _LARGEST_FRAMED and not shared.all():
        _framed(ax, ~shared)
        entries.append((Patch(**_FRAME), "the same in all, taken together"))
    legend(ax, entries)
    asked = parameters(n=optimal.n, epsilon=optimal.nearest.epsilon, delta=optimal.nearest.delta)
    titled(ax, title, f"What all optimal mechanisms share: {asked}")
    return ax


def _lines_between(ax: Axes, M: int) -> None:
    """Draw white lines between cells, and a thin frame around all."""
    for place in np.arange(M - 1) + 0.5:
        ax.axhline(place, color="white", linewidth=1.5)
        ax.axvline(place, color="white", linewidth=1.5)


def _written(ax: Axes, optimal: OptimalSet, values: bool, ranges: bool) -> None:
    for (i, j), value in np.ndenumerate(optimal.shared_values):
        if not np.isnan(value):
            if values:
                write_cell(ax, i, j, chance_text(value, 3))
        elif ranges:
            between = optimal.ranges[i, j]
            ends = [chance_text(end, 3) for end in (between.lower, between.upper)]
            write_cell(ax, i, j, "\nto\n".join(ends), behind="white")


def _framed(ax: Axes, free: NDArray[np.bool_]) -> None:
    M = len(free)
    sides = [(i, first, end) for i in range(M) for first, end in ((0, i), (i + 1, M))]
    draw_spans(ax, [(i, first, end) for i, first, end in sides if free[i, first:end].any()], _INSET, **_FRAME)
