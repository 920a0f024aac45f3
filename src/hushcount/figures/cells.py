"""A matrix as a picture: a cell for each entry, rows = true count from the top, columns = released count."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hushcount.figures.style import axis_names, counted, widen

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.backend_bases import RendererBase
    from matplotlib.text import Text

__all__ = ["LARGEST_WRITTEN", "chance_text", "draw_spans", "fill_cells", "matrix_axes", "write_cell"]

LARGEST_WRITTEN = 9
"""The most outcomes for which values are written into the cells."""

_SMALLEST_SIZE, _LARGEST_SIZE = 4.0, 10.0
"""The sizes of such a value, in points."""


def matrix_axes(ax: Axes, M: int) -> None:
    """Set limits, ticks at whole counts and names for the axes of an M x M matrix; all cells are square."""
    ax.set(xscale="linear", yscale="linear")  # before the limits, which a logarithmic axis would refuse
    widen(ax, (-0.5, M - 0.5), (M - 0.5, -0.5))
    ax.set_aspect("equal")
    axis_names(ax, "released count", "true count")
    for axis in (ax.xaxis, ax.yaxis):
        counted(axis, M - 1, nbins=M if M <= LARGEST_WRITTEN else 6)
    ax.tick_params(length=2)


def fill_cells(ax: Axes, cells: NDArray[np.bool_], **look: Any) -> None:
    """Fill the cells that are true, as one area: few strokes for any size, and no seams within a row."""
    spans = []
    for i, row in enumerate(cells):
        edges = np.flatnonzero(np.diff(np.concatenate(([False], row, [False])).astype(np.int8)))
        spans += [(i, first, end) for first, end in edges.reshape(-1, 2).tolist()]
    draw_spans(ax, spans, 0.0, **look)


def draw_spans(ax: Axes, spans: list[tuple[int, int, int]], inset: float, **look: Any) -> None:
    """Draw rectangles as one area: each from column `first` to before column `end` of row i, inset by `inset`."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    if not spans:
        return
    i, first, end = np.array(spans).T - 0.5
    left, right, top, bottom = first + inset, end - inset, i + inset, i + 1 - inset
    corners = np.stack([(left, top), (right, top), (right, bottom), (left, bottom), (left, top)])
    codes = np.tile([Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY], len(spans))
    ax.add_patch(PathPatch(Path(corners.transpose(2, 0, 1).reshape(-1, 2), codes), **look))


def write_cell(ax: Axes, i: int, j: int, text: str, colour: str = "black", behind: str = "none") -> None:
    """Write text in the middle of a cell, as large as fits, up to 10 points; write none that would be too small to
    read. The size follows that of the axes. `behind` is the color of a box around it."""
    made = _cell_text()(j, i, text, ha="center", va="center", color=colour, parse_math=False)
    made.set_bbox({"facecolor": behind, "edgecolor": "none", "pad": 1.0})
    made.set_in_layout(False)
    ax.add_artist(made)


def chance_text(value: float, places: int) -> str:
    """Return a chance to `places` decimals; a chance that is only near 0 or 1 never reads as 0 or 1."""
    if value in (0, 1):
        return f"{value:.0f}"
    half = 0.5 * 10**-places
    if value < half:
        return f"<.{1:0{places}d}"
    return f">.{'9' * places}" if value >= 1 - half else f"{value:.{places}f}"


@cache
def _cell_text() -> type[Text]:
    """Return a class, which can only be made once matplotlib is imported."""
    from matplotlib.text import Text

    class CellText(Text):
        """Text whose size is known only once its axes have their place."""

        def draw(self, renderer: RendererBase) -> None:
            axes, figure = self.axes, self.get_figure(root=True)
            assert axes is not None
            assert figure is not None
            (left, top), (right, bottom) = axes.transData.transform([(0, 0), (1, 1)])
            cell = min(abs(right - left), abs(bottom - top)) / figure.dpi * 72
            lines = self.get_text().split("\n")
            size = cell / max(1.6 * len(lines), 0.78 * max(map(len, lines)))
            self.set_fontsize(min(size, _LARGEST_SIZE))
            if size >= _SMALLEST_SIZE:
                super().draw(renderer)

    return CellText
