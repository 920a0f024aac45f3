"""The matrix of a mechanism as a heat map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from hushcount.errors import TooLarge
from hushcount.figures.cells import LARGEST_WRITTEN, chance_text, fill_cells, matrix_axes, write_cell
from hushcount.figures.legend import legend
from hushcount.figures.named import mechanism_of, name_of
from hushcount.figures.style import HATCHED, axes_or_new, checked_scale, in_fixed_style, luminance, titled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hushcount.mechanisms import Mechanism
    from hushcount.numbers.arrays import Floats

__all__ = ["plot_mechanism"]

COLOUR_MAP = "YlGnBu"
"""From pale yellow to dark blue, darker at every step, for the color-blind and in gray too."""

LARGEST_DRAWN = 1024
"""The most outcomes; a picture has no more pixels for them."""

_LARGEST_AS_LINES = 64
"""The most outcomes whose cells are drawn one by one in an SVG or PDF; larger heat maps are embedded as images."""

_SIZE = (6.2, 5.4)
_HIDDEN = 0.18
"""The luminance below which black text cannot be read."""


@in_fixed_style
def plot_mechanism(
    mechanism_or_matrix: Mechanism | ArrayLike,
    ax: Axes | None = None,
    *,
    scale: str = "linear",
    values: bool = True,
    title: str | None = None,
) -> Axes:
    """Draw Pr(released | true) as a heat map: rows = true count from the top, columns = released count.

    Darker cells are likelier. Hatched cells are exactly 0 (or below the least positive float), which no color stands
    for.

    Args:
        mechanism_or_matrix: a mechanism or a square stochastic matrix, up to 1,024 outcomes.
        ax: where to draw; by default the axes of a new figure.
        scale: the scale of the colors: linear from 0, or log from the least probability above 0.
        values: write the probabilities into the cells, to two decimals, up to n = 8.
        title: above the picture, as it is; "" for none.

    Returns:
        The axes; the colors are explained on axes next to them.

    Raises:
        InvalidParameter, BadUse: a bad argument, naming it.
        TooLarge: more than 1,024 outcomes.
        BadUse: matplotlib is not installed.
    """
    mechanism = mechanism_of(mechanism_or_matrix)
    checked_scale(scale)
    M = mechanism.n + 1
    if not M <= LARGEST_DRAWN:
        raise TooLarge(f"a heat map has at most {LARGEST_DRAWN:,} outcomes (got {M:,}); plot_rows draws single rows")
    ax = axes_or_new(ax, _SIZE)
    from matplotlib.patches import Patch

    matrix = mechanism.matrix()
    zeros = matrix == 0
    mesh = ax.pcolormesh(
        np.arange(M + 1) - 0.5,
        np.arange(M + 1) - 0.5,
        np.ma.masked_where(zeros, matrix),
        norm=_norm(matrix, scale),
        cmap=COLOUR_MAP,
        rasterized=M > _LARGEST_AS_LINES,
    )
    fill_cells(ax, zeros, **HATCHED)
    matrix_axes(ax, M)
    if values and M <= LARGEST_WRITTEN:
        _written(ax, matrix, mesh)
    titled(ax, title, name_of(mechanism))
    if zeros.any():
        legend(ax, [(Patch(**{**HATCHED, "linewidth": 0.5}), "exactly 0")])
    bar = ax.figure.colorbar(mesh, ax=ax, shrink=0.9, pad=0.03)
    bar.set_label("probability" + (", logarithmic" if scale == "log" else ""), fontsize="small")
    bar.ax.tick_params(labelsize="small", which="both")
    return ax


def _norm(matrix: Floats, scale: str) -> Any:
    from matplotlib.colors import LogNorm, Normalize

    largest = float(matrix.max())
    if scale == "linear":
        return Normalize(0.0, largest)
    least = float(matrix[matrix > 0].min())
    return LogNorm(min(least, largest / 10), largest)  # a scale needs two ends, also where all entries are equal


def _written(ax: Axes, matrix: Floats, mesh: Any) -> None:
    for (i, j), value in np.ndenumerate(matrix):
        colour = luminance(mesh.cmap(mesh.norm(value))[:3])
        is_light = value == 0 or colour > _HIDDEN
        write_cell(ax, i, j, chance_text(value, 2), "black" if is_light else "white", "white" if value == 0 else "none")
