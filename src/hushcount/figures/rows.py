"""Single rows of a mechanism: what a true count is released as."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from hushcount.errors import InvalidParameter, TooLarge
from hushcount.figures.curves import Curves
from hushcount.figures.named import mechanism_of, name_of
from hushcount.figures.style import checked_scale, counted, in_fixed_style, widen
from hushcount.inputs.arguments import integer, listed
from hushcount.mechanisms.base import LARGEST_ROW

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hushcount.mechanisms import Mechanism
    from hushcount.numbers.arrays import Floats, Integers

__all__ = ["plot_rows"]

LARGEST_DRAWN = 2**16
"""The most released counts of one row."""

_TAIL = {"linear": "0.0005", "log": "1e-9"}
"""The chance left out of the picture at either end of a row."""

_ONE_BY_ONE = 512
"""The most released counts for which probabilities are asked for one at a time, rather than as a whole row of any
length."""

_FAR_APART = 256
_MARKED = 80
"""The most points of a curve that each have a marker."""

_NEAR = 2
"""All counts from 0 to n are shown if they are at most so many times those that have nearly all of the probability."""

_TRUE = ", true count "
"""Stands between the mechanism and the count in the whole label of a curve."""

_RING: dict[str, Any] = {
    "linestyle": "none",
    "marker": "o",
    "markersize": 9.0,
    "markerfacecolor": "none",
    "markeredgewidth": 1.4,
    "clip_on": False,
}


@in_fixed_style
def plot_rows(
    mechanism_or_matrix: Mechanism | ArrayLike,
    true_counts: Iterable[int] | None = None,
    ax: Axes | None = None,
    *,
    scale: str = "linear",
    title: str | None = None,
) -> Axes:
    """Draw Pr(released | true) against the released count, one curve for each true count.

    The true count is marked by a vertical line and by a ring on its curve. Each row is shown but for the tails with
    0.1% of the probability (2e-9 on a logarithmic scale), so n may have any size; the axis goes from 0 to n where that
    is at most twice as long. On axes with rows of another
    mechanism the curves look different, and the legend names both mechanisms.

    Args:
        mechanism_or_matrix: a mechanism, or a square stochastic matrix.
        true_counts: up to 11 different ones in 0..n; by default 0, the middle and n, but for n >= 256, where these are
            far apart, only the middle.
        ax: where to draw; by default the axes of a new figure.
        scale: the scale of the probabilities: linear or log.
        title: above the picture, as it is; "" for none.

    Returns:
        The axes.

    Raises:
        InvalidParameter, BadUse: a bad argument, naming it.
        TooLarge: a row spread over more than 65,536 outcomes.
        BadUse: matplotlib is not installed.
    """
    mechanism = mechanism_of(mechanism_or_matrix)
    checked_scale(scale)
    wanted = _checked(true_counts, mechanism.n)
    curves = Curves(ax, len(wanted))
    rows = [_row(mechanism, true, _TAIL[scale]) for true in wanted]
    from matplotlib.lines import Line2D

    ax = curves.ax
    for true, (released, chance), look in zip(wanted, rows, curves.looks, strict=True):
        ax.axvline(true, color=look.colour, linestyle=look.dashes, linewidth=0.7)
        every = None if len(released) <= _MARKED else (0, len(released) // 20)
        whole = f"{name_of(mechanism)}{_TRUE}{true:,}"
        curves.add(released, chance, f"true count {true:,}", whole=whole, markevery=every)
        at = float(chance[released == true][0])
        ax.plot([true], [at], **{**_RING, "markeredgecolor": look.colour})
    curves.explain(Line2D([], [], **{**_RING, "markeredgecolor": "black"}), "the true count itself")
    low, high = min(int(released[0]) for released, _ in rows), max(int(released[-1]) for released, _ in rows)
    if mechanism.n <= _NEAR * (high - low):
        low, high = 0, mechanism.n
    counted(ax.xaxis, high)
    room = 0.02 * max(high - low, 1)
    widen(ax, (low - room, high + room))
    curves.name("released count", "probability", scale=scale)
    drawn = {str(line.get_label()).partition(_TRUE)[0] for line in ax.lines if _TRUE in str(line.get_label())}
    return curves.finish(title, name_of(mechanism) if len(drawn) == 1 else "What true counts are released as")


def _checked(true_counts: Iterable[int] | None, n: int) -> list[int]:
    if true_counts is None:
        return sorted({0, n // 2, n}) if n < _FAR_APART else [n // 2]
    rule = f"different counts from 0 to n = {n}, at least one"
    found = [integer(true, "true_counts") for true in listed(true_counts, "true_counts", rule)]
    if not (found and len(set(found)) == len(found) and all(0 <= true <= n for true in found)):
        raise InvalidParameter("true_counts", found, rule)
    return found


def _row(mechanism: Mechanism, true: int, tail: str) -> tuple[Integers, Floats]:
    """Return the outcomes with nearly all the probability, the true count among them, and their probabilities."""
    from hushcount.numbers.exact import exact

    low = min(true, mechanism.quantile(true, exact(tail)))
    high = max(true, mechanism.quantile(true, 1 - exact(tail)))
    if not high - low < LARGEST_DRAWN:
        raise TooLarge(f"a row is drawn over at most {LARGEST_DRAWN:,} released counts (got {high - low + 1:,})")
    released = np.arange(low, high + 1)
    if high - low < _ONE_BY_ONE or not mechanism.n < LARGEST_ROW:
        return released, np.array([mechanism.pmf(true, int(j)) for j in released])
    return released, mechanism.pmf(true)[low : high + 1]
