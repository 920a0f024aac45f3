"""What a table costs as its cells grow in number, where each count is as accurate: in epsilon and in mu."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from importlib.util import find_spec
from itertools import pairwise
from typing import TYPE_CHECKING

from hushcount.errors import InvalidParameter, TooLarge
from hushcount.figures.curves import Curves
from hushcount.figures.errors import MOST_POINTS
from hushcount.figures.parameters import number, parameters
from hushcount.figures.style import checked_scale, in_fixed_style
from hushcount.inputs.arguments import integer
from hushcount.inputs.grid import Values, grid_integers
from hushcount.mechanisms.accuracy import epsilon_for, mu_for
from hushcount.numbers.exact import Number, exact
from hushcount.privacy.loss_grid import LossGrid
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP
from hushcount.promise.mu_delta import AT_DELTA

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CELLS", "checked_cells", "plot_prices"]

CELLS = tuple(sorted({round(10 ** (place / 20)) for place in range(61)}))
"""The numbers of cells by default: 1 to 1,000, evenly spaced on a logarithmic axis."""

LARGEST_CELLS = 10**9
_MOST_COMPOSED = 10_000


@in_fixed_style
def plot_prices(
    n: int,
    within: int,
    chance: Number,
    cells: Values = CELLS,
    ax: Axes | None = None,
    *,
    at_delta: Number = AT_DELTA,
    scale: str = "log",
    title: str | None = None,
) -> Axes:
    """Draw what a table promises against the number of cells that one change affects, at one accuracy of each cell.

    Each cell is drawn by `nearest` at the least promise with which it is off by at most `within` with at least this
    chance (`epsilon_for`, `mu_for`). In epsilon, k cells come to k epsilon at delta 0, which a budget with basic
    accounting is charged, and to less at `at_delta`, as tight accounting has it (`compose`, up to 10,000 cells; left
    out without the package dp-accounting). In mu they come to sqrt(k) mu, of which the epsilon that it implies at
    `at_delta` is drawn. All are rounded up.

    Args:
        n: the largest count of a cell, an integer >= 0.
        within, chance: how near, and how often at least, as for `epsilon_for`; such that it takes some data.
        cells: how many cells one change affects, in rising order, a list or a text such as "1:10,100,1000".
        ax: where to draw; by default the axes of a new figure.
        at_delta: the delta of the implied epsilon, > 0 and < 1.
        scale: the scale of both axes: linear or log.
        title: above the picture, as it is; "" for none.

    Returns:
        The axes.

    Raises:
        InvalidParameter, BadUse: a bad argument, naming it.
        TooLarge: more than 1,000 points.
        BadUse: matplotlib is not installed.
    """
    n, asked, delta = integer(n, "n", least=0), checked_cells(cells), exact(at_delta, "at_delta")
    if not 0 < delta < 1:
        raise InvalidParameter("at_delta", at_delta, "a number > 0 and < 1")
    checked_scale(scale)
    epsilon = EpsilonDelta.of(epsilon_for(n, within, chance))
    if not epsilon.epsilon:
        raise InvalidParameter("chance", chance, "one that is not reached without any data")
    gaussian = GaussianDP.of(mu_for(n, within, chance))
    curves = Curves(ax, 3)
    given = parameters(n=n, within=integer(within, "within"), chance=exact(chance, "chance"))
    each = f"epsilon {number(epsilon.epsilon)} a cell, summed (at delta 0)"
    curves.add(asked, [float(epsilon.of_cells(k).epsilon) for k in asked], each, whole=f"{each}, {given}")
    if composed := _composed(epsilon, asked, delta):
        each = f"epsilon {number(epsilon.epsilon)} a cell, composed"
        curves.add(asked, composed, each, whole=f"{each}, {given}")
    each = f"mu {number(Fraction(gaussian.exact_mu or 0))} a cell, whose square adds up"
    implied = [float(gaussian.of_cells(k).least_epsilon(delta) or 0) for k in asked]
    curves.add(asked, implied, each, whole=f"{each}, {given}")
    curves.ax.set_xscale(scale)
    curves.name("cells that one change affects", f"epsilon of the table at delta {number(delta)}", scale=scale)
    curves.ax.xaxis.set_major_formatter("{x:,.0f}")
    return curves.finish(title, f"The price of a table: {given}")


def _composed(epsilon: EpsilonDelta, cells: Sequence[int], delta: Fraction) -> list[float]:
    """Return the epsilon of so many cells at delta, as losses compose; nothing where that cannot be told."""
    if not (find_spec("dp_accounting") and cells[-1] <= _MOST_COMPOSED):
        return []
    sums = [float(epsilon.of_cells(k).epsilon) for k in cells]
    return [min(sum_, LossGrid.of(Counter({epsilon: k})).epsilon(delta)) for k, sum_ in zip(cells, sums, strict=True)]


def checked_cells(cells: Values, argument: str = "cells") -> tuple[int, ...]:
    """Return numbers of cells.

    Raises:
        InvalidParameter: not integers from 1 to 1,000,000,000 in rising order.
        TooLarge: more than 1,000 values.
    """
    found = grid_integers(cells, argument, 1)
    if not len(found) <= MOST_POINTS:
        raise TooLarge(f"a curve has at most {MOST_POINTS:,} points (got {len(found):,})")
    if not (found[-1] <= LARGEST_CELLS and all(a < b for a, b in pairwise(found))):
        raise InvalidParameter(argument, None, f"integers from 1 to {LARGEST_CELLS:,} in rising order")
    return found
