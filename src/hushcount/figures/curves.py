"""Curves on one pair of axes, with their legend, title and names; and how curves that coincide are all seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np

from hushcount.figures.legend import legend
from hushcount.figures.style import SIZE, Curve, axes_or_new, axis_names, chances, looks, spaced, titled
from hushcount.numbers.arrays import Floats

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

__all__ = ["Curves", "draw_in_turn", "told_apart"]

_SEEN, _SEEN_RATIO = 0.004, 1.02
"""By how much chances must differ, or on a logarithmic scale their ratio from 1, for two lines to be seen."""

_DASH = 3.0
"""The length of a dash, in widths of the line."""


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


def told_apart(curve: Floats, others: Sequence[Floats], scale: str) -> Floats:
    """Return a curve where it is told from all others, and one point beyond; elsewhere NaN."""
    apart = ~np.logical_or.reduce([_near(curve, other, scale) for other in others])
    beside = np.convolve(apart, np.ones(3), mode="full")[1:-1] > 0
    return np.where(beside, curve, np.nan)


def draw_in_turn(
    ax: Axes, x: Floats, curves: Sequence[Floats], colours: Sequence[str], width: float, scale: str
) -> None:
    """Draw the parts in which curves coincide anew, as dashes of each in turn."""
    from matplotlib.collections import LineCollection

    parts = list(_parts(len(x), curves, scale))
    if not parts:
        return
    lines, dashes, drawn = [], [], []
    for first, last, members in parts:
        for place, member in enumerate(members):
            lines.append(np.column_stack([x, curves[member]])[first : last + 1])
            dashes.append((-_DASH * place, (_DASH, _DASH * (len(members) - 1))))
            drawn.append(colours[member])
    ax.add_collection(
        LineCollection(lines, colors=drawn, linestyles=dashes, linewidths=width, capstyle="butt", zorder=2.1),
        autolim=False,
    )


def _near(one: Floats, other: Floats, scale: str) -> Any:
    """Return where two curves cannot be told apart."""
    if scale == "linear":
        return np.abs(one - other) <= _SEEN
    with np.errstate(divide="ignore", invalid="ignore"):
        return (one == other) | (np.abs(np.log(one / other)) <= log(_SEEN_RATIO))


def _parts(points: int, curves: Sequence[Floats], scale: str) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Yield the first and the last point of each part in which the same curves, at least two, coincide."""
    steps: list[list[tuple[int, ...]]] = []
    for at in range(points - 1):
        groups: list[list[int]] = []
        for number, curve in enumerate(curves):
            ends = slice(at, at + 2)
            for group in groups:
                if _near(curve[ends], curves[group[0]][ends], scale).all():
                    group.append(number)
                    break
            else:
                groups.append([number])
        steps.append([tuple(group) for group in groups if len(group) > 1])
    for members in dict.fromkeys(group for groups in steps for group in groups):
        at = 0
        for is_there, run in groupby(steps, key=lambda groups, members=members: members in groups):  # type: ignore[misc]
            length = len(list(run))
            if is_there:
                yield at, at + length, members
            at += length
