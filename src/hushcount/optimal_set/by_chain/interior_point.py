"""An interior point method for the least of the largest of many sums, dense and small.

    minimise t   subject to   A v + b <= t,   C v <= d,   0 <= v <= 1.

Mehrotra's predictor and corrector on the primal and dual conditions; the normal equations have a row for each row of A
and C. Both of their diagonals are raised by a trifle, since where many v are as good as one another they lose all else.
General solvers take tens of times as long here, where A is dense and has many more columns than rows. Nothing is
believed of the answer: what is made of it is judged elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hushcount.numbers.arrays import Floats

__all__ = ["LeastWorst", "least_worst", "longest"]

_MOST_STEPS = 60
_ENOUGH = 1e-12
_BACK = 0.9995
_LEAST_DIAGONAL, _RAISED = 1e-10, 1 + 1e-13
_FIRST = 0.1


@dataclass(frozen=True, eq=False)
class LeastWorst:
    """v, and the multipliers of the rows of A (they sum to 1) and of C."""

    v: Floats
    weights: Floats
    joined: Floats


def least_worst(A: Floats, b: Floats, C: Floats, d: Floats) -> LeastWorst:
    """See the module; A v + b should be about 1 in size."""
    with np.errstate(all="ignore"):  # a step that is not finite ends the search
        return _least_worst(A, b, C, d)


def _least_worst(A: Floats, b: Floats, C: Floats, d: Floats) -> LeastWorst:
    rows, size = A.shape
    both = np.vstack([A, C])
    border = np.concatenate([np.ones(rows), np.zeros(len(C))])  # of t
    v, rest = np.full(size, 0.5), np.full(size, 0.5)  # rest = 1 - v
    t = float((A @ v + b).max()) + _FIRST
    s = np.concatenate([t - A @ v - b, np.maximum(d - C @ v, _FIRST)])
    y = np.concatenate([np.full(rows, 1 / rows), np.full(len(C), 1 / rows)])
    low, high = np.full(size, 1 / rows), np.full(size, 1 / rows)
    limit = np.concatenate([-b, d])
    for _ in range(_MOST_STEPS):
        r_dual = both.T @ y - low + high
        r_sum = 1 - y[:rows].sum()
        r_rows = both @ v - border * t + s - limit
        gap = float(y @ s + low @ v + high @ rest)
        if gap <= _ENOUGH * max(1.0, abs(t)) and np.abs(r_rows).max() <= 1e-12:
            break
        diagonal = low / v + high / rest + _LEAST_DIAGONAL
        scaled = both / diagonal
        matrix = scaled @ both.T
        entries = np.diag_indices_from(matrix)
        matrix[entries] = (matrix[entries] + s / y) * _RAISED
        average = gap / (2 * size + len(y))
        target: tuple[Floats | float, ...] = (0.0, 0.0, 0.0)
        step: tuple[Floats, float, Floats, Floats, Floats, Floats] = (v, t, s, y, low, high)
        for is_corrector in (False, True):
            c_s, c_low, c_high = target
            # Complementarity: y ds + s dy = c_s - y s, and so on.
            r1 = -r_dual + (c_low - low * v) / v - (c_high - high * rest) / rest
            r2 = -r_rows - (c_s - y * s) / y
            right = both @ (r1 / diagonal) - r2
            try:
                solved = np.linalg.solve(matrix, np.column_stack([right, border]))
            except np.linalg.LinAlgError:  # as near as floats come
                return LeastWorst(v, y[:rows], y[rows:])
            dt = (solved[:, 0] @ border - r_sum) / (solved[:, 1] @ border)
            dy = solved[:, 0] - dt * solved[:, 1]
            dv = (r1 - both.T @ dy) / diagonal
            ds = (c_s - y * s - s * dy) / y
            d_low = (c_low - low * v - low * dv) / v
            d_high = (c_high - high * rest + high * dv) / rest
            primal = longest((v, dv), (rest, -dv), (s, ds))
            dual = longest((y, dy), (low, d_low), (high, d_high))
            step = (dv, dt, ds, dy, d_low, d_high)
            if not all(np.isfinite(part).all() for part in step):
                return LeastWorst(v, y[:rows], y[rows:])
            if not is_corrector:
                ahead = float(
                    (y + dual * dy) @ (s + primal * ds)
                    + (low + dual * d_low) @ (v + primal * dv)
                    + (high + dual * d_high) @ (rest - primal * dv)
                )
                centre = average * min(1.0, (ahead / gap)) ** 3
                target = (centre - dy * ds, centre - d_low * dv, centre + d_high * dv)
        primal, dual = min(1.0, _BACK * primal), min(1.0, _BACK * dual)
        v, t, s = v + primal * step[0], t + primal * step[1], s + primal * step[2]
        y, low, high = y + dual * step[3], low + dual * step[4], high + dual * step[5]
        rest = rest - primal * step[0]
    return LeastWorst(v, y[:rows], y[rows:])


def longest(*pairs: tuple[Floats, Floats]) -> float:
    """Return the longest step, at most 2, that keeps all numbers >= 0."""
    longest = 2.0
    for value, change in pairs:
        falls = change < 0
        if falls.any():
            longest = min(longest, float((value[falls] / -change[falls]).min()))
    return longest
