"""The trade-off function of a matrix: how well any test tells two neighboring true counts apart.

For rows P and Q, T(P, Q)(a) is the least chance to take Q for P, over the tests that take P for Q with chance at most a
([DRS22]). By the Neyman-Pearson lemma it is linear between the points that the outcomes give, taken in order of falling
q / p. A mechanism's trade-off function is the largest convex function below T(P, Q) for all neighbors.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from hushcount.numbers.arrays import Floats

__all__ = ["tradeoff_points"]


def tradeoff_points(matrix: Floats) -> tuple[Floats, Floats]:
    """Return the corners of the trade-off function of a matrix, rows = true counts, in floats: (a, T(a)), a from 0
    to 1."""
    corners = [np.array([[0.0, 1.0], [1.0, 0.0]])]  # a test that ignores the outcome
    for P, Q in pairwise(matrix):
        corners += [_between(P, Q), _between(Q, P)]
    return _lower_hull(np.concatenate(corners))


def _between(P: Floats, Q: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = np.where((P > 0) | (Q > 0), Q / P, -1.0)  # outcomes that neither row has come last and change nothing
    order = np.argsort(-ratio, kind="stable")
    missed = np.concatenate(([1.0], 1 - np.cumsum(Q[order])))
    return np.column_stack([np.concatenate(([0.0], np.cumsum(P[order]))), missed]).clip(0.0, 1.0)


def _lower_hull(points: Floats) -> tuple[Floats, Floats]:
    """Return the corners of the convex hull's lower side, from left to right (monotone chain)."""
    found: list[tuple[float, float]] = []
    for x, y in points[np.lexsort((points[:, 1], points[:, 0]))].tolist():
        if found and x == found[-1][0]:
            continue
        while len(found) > 1 and _turns_down(found[-2], found[-1], (x, y)):
            found.pop()
        found.append((x, y))
    a, missed = np.array(found).T
    return a, missed


def _turns_down(first: tuple[float, float], middle: tuple[float, float], last: tuple[float, float]) -> bool:
    """Return whether the middle point is on or above the line between its neighbors."""
    return (middle[0] - first[0]) * (last[1] - first[1]) <= (middle[1] - first[1]) * (last[0] - first[0])
