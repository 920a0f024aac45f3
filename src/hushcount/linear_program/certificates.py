"""What follows for sure from a solver's numbers.

Whatever y is, the rows' bounds limit sum_i y_i (A x)_i, and the columns' bounds limit the rest of the objective, whose
reduced costs are r = c - A^T y ([NS04] section 2):

    c . x >= sum_i (y_i > 0: y_i row_lower_i; y_i < 0: y_i row_upper_i) + sum_j min(r_j lower_j, r_j upper_j).

So any y bounds the optimum from below, and a good y does so closely; with c = 0 a bound above 0 proves that there is no
x at all (Farkas). Here it is evaluated in floats, with a bound on all rounding, for the true numbers that the model's
floats stand for (`LinearModel`).

**Rounding.** u = 2^-52. Column j has k_j terms a_ij y_i; each coefficient is off by 2 u, each product by u / 2, their
sum by at most k_j u / 2 of the sum of absolute values, the cost by 2 u and the difference by u / 2: r_j is within (k_j
+ 4) u (|c_j| + sum_i |a_ij y_i|) of the true one. A product with a bound, which is off by 2 u, adds 4 u of itself. What
underflows, in the model or here, is below 2^-1000 and covered by 2^-900 (1 + sum |y|) for each number.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from hushcount.linear_program.model import LinearModel
from hushcount.numbers.arrays import UNIT, Floats

__all__ = ["lower_bound", "polished", "proves_infeasible"]

_UNDERFLOW = 2.0**-900


def lower_bound(model: LinearModel, y: Floats) -> float:
    """Return a lower bound of cost . x for any feasible x; -inf where y is not finite.

    Args:
        y: one multiplier per row, such as a solver's duals; where a row has no bound on the side that the sign of y
            asks for, it counts as 0.
    """
    if not np.all(np.isfinite(y)):
        return -math.inf
    bound = np.where(y > 0, model.row_lower, model.row_upper)
    y = np.where((y == 0) | np.isinf(bound), 0.0, y)
    of_rows = y * np.where(y == 0, 0.0, bound)
    pulled, sizes = model.pulled_back(y)
    terms = np.bincount(model.indices, minlength=model.columns)
    reduced = model.cost - pulled
    doubt = (terms + 4) * UNIT * (np.abs(model.cost) + sizes)
    widest = np.maximum(np.abs(model.lower), np.abs(model.upper))
    of_columns = np.minimum(reduced * model.lower, reduced * model.upper)
    errors = doubt * widest * (1 + 8 * UNIT) + 4 * UNIT * np.abs(of_columns)
    tiny = _UNDERFLOW * (1 + float(np.abs(y).sum())) * (1 + len(model.values))
    total = math.fsum([*of_rows.tolist(), *of_columns.tolist()])
    error = math.fsum([*errors.tolist(), *(4 * UNIT * np.abs(of_rows)).tolist(), tiny])
    if not math.isfinite(total + error):
        return -math.inf
    return math.nextafter(total - error * (1 + 8 * UNIT), -math.inf)


def polished(model: LinearModel, y: Floats) -> Floats:
    """Return multipliers near y that often prove more.

    Where columns add up to at most 1 (a row of ones with upper bound 1, and lower bounds 0), sum_j r_j x_j is not only
    >= sum_j min(r_j, 0) but >= min(0, min_j r_j). Shifting that row's multiplier by a negative min_j r_j says the same.
    So of a solver's many small dual infeasibilities only the largest in each row costs anything.
    """
    pulled, _ = model.pulled_back(y)
    reduced = model.cost - pulled
    counts = np.diff(model.starts)
    filled = np.flatnonzero(counts)
    least, ones, free = (np.full(model.rows, fill) for fill in (0.0, 0.0, 1.0))
    starts = model.starts[filled]
    least[filled] = np.minimum.reduceat(reduced[model.indices], starts)
    ones[filled] = np.minimum.reduceat(model.values, starts)
    free[filled] = np.maximum.reduceat(np.abs(model.lower[model.indices]), starts)
    sums = (model.row_upper == 1) & (ones >= 1) & (free == 0)
    kept = np.where(sums & np.isinf(model.row_lower), np.minimum(y, 0.0), y)
    return np.where(sums, kept + np.minimum(least, 0.0), kept)


def proves_infeasible(model: LinearModel, y: Floats) -> bool:
    """Return whether y, such as a solver's dual ray, proves that no x meets the constraints."""
    scale = float(np.abs(y).max(initial=0.0))
    if not 0 < scale < math.inf:
        return False
    return lower_bound(replace(model, cost=np.zeros(model.columns)), y / scale) > 0
