"""A vertex computed anew from its basis.

Simplex ends in the right place, but the numbers it reports there bear the rounding of thousands of pivots, up to 1e-6
in the duals of a nearly singular basis. Let B be the basic columns of [A, I]. Then x_B = B^-1 (-N x_N) and B^T y = c_B,
by iterative refinement with the solver's own factors of B, are about as good as floats allow. The residuals may be
those of other coefficients than the solver's, if they are near: the vertex is then that of the same basis for those
coefficients.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hushcount.linear_program.model import LinearModel
from hushcount.numbers.arrays import Floats

__all__ = ["vertex"]

_STEPS = 3
"""Steps of refinement: each gains the digits that the factors have; more gain nothing."""

Solve = Callable[[Floats], Floats]


def vertex(
    model: LinearModel,
    basic: NDArray[np.int32],
    start: tuple[Floats, Floats, Floats],
    solve: Solve,
    solve_transposed: Solve,
) -> tuple[Floats, Floats]:
    """Return the point and the duals of a basis; not finite where it is none.

    Args:
        model: the program.
        basic: a column number, or -1 - the number of a row, for each row of the program.
        start: x, A x and y near the vertex; what is not basic is moved to the nearer of its bounds.
        solve, solve_transposed: approximate solvers of B v = a and of B^T v = a; B's columns are in the order of
            `basic`.
    """
    x, activity, y = start
    columns, rows = np.flatnonzero(basic >= 0), np.flatnonzero(basic < 0)
    of_columns, of_rows = basic[columns], -1 - basic[rows]
    is_free, is_slack = np.ones(model.columns, dtype=bool), np.ones(model.rows, dtype=bool)
    is_free[of_columns], is_slack[of_rows] = False, False
    x = np.where(is_free, _nearer(x, model.lower, model.upper), x)
    activity = np.where(is_slack, _nearer(activity, model.row_lower, model.row_upper), activity)
    for _ in range(_STEPS):
        step = solve(activity - model.activity(x))
        x[of_columns] += step[columns]
        activity[of_rows] -= step[rows]
        short = np.zeros(model.rows)
        short[columns] = (model.cost - model.pulled_back(y)[0])[of_columns]
        short[rows] = -y[of_rows]
        y = y + solve_transposed(short)
    return x, y


def _nearer(values: Floats, lower: Floats, upper: Floats) -> Floats:
    """Return the nearer bound; infinite where neither is finite."""
    nearer: Floats = np.where(np.abs(values - lower) <= np.abs(upper - values), lower, upper)
    return nearer
