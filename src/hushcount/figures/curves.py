"""Curves on one pair of axes, with their legend, their title and the names of the axes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from hushcount.figures.legend import legend
from hushcount.figures.style import SIZE, Curve, axes_or_new, axis_names, chances, looks, spaced, titled

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

__all__ = ["Curves"]


class Curves:
    """A number of curves on given axes, or on those of a new figure, each with a look of its own.

    Attributes:
        ax: the axes.
        looks: how each curve is drawn, in order.

    Raises:
        InvalidParameter: `ax` cannot be drawn on (`axes_or_new`), or there are too many curves (`looks`).
        BadUse: matplotlib is not installed.
    """

    def __init__(self, ax: Axes | None, count: int, size: tuple[float, float] = SIZE) -> None:
        self.ax = axes_or_new(ax, size)
        self.looks = looks(count, self.ax)
        self._entries: list[tuple[Artist, str]] = []
        self._heights: list[Any] = []

    def add(self, x: Any, y: Any, label: str, *, whole: str | None = None, **options: Any) -> Curve:
        """Draw the next curve.

        Args:
            label: what the legend calls it.
            whole: what the legend calls it beside other curves of that label.
            options: for `Axes.plot`; markers are `spaced` unless these set them.

        Returns:
            Its look.
        """
        number = len(self._heights)
        look = self.looks[number]
        given = {**look.options, "markevery": spaced(len(x), number, len(self.looks)), **options}
        (line,) = self.ax.plot(x, y, **given)
        if whole is not None:
            line.set_label(whole)
        self._heights.append(y)
        self.explain(line, label)
        return look

    def explain(self, artist: Artist, label: str) -> None:
        """Add one more entry to the legend."""
        self._entries.append((artist, label))

    def name(self, x: str, y: str, *, scale: str, others: Iterable[float] = ()) -> None:
        """Name the axes. The y axis is one of chances (`style.chances`); it holds the heights `others` too."""
        axis_names(self.ax, x, y)
        chances(self.ax, scale, [*self._heights, list(others)])

    def finish(self, title: str | None, default: str) -> Axes:
        """Set legend and title, and return the axes."""
        legend(self.ax, self._entries)
        titled(self.ax, title, default)
        return self.ax
