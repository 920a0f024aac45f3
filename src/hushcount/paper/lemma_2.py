"""Lemma 2: how far an optimum can be from the canonical one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import exp

import numpy as np

from hushcount.optimal_set import OptimalSet
from hushcount.paper.formulas import alpha, canonical_matrix
from hushcount.paper.generic import optimal_set
from hushcount.paper.grid import Grid
from hushcount.paper.statement import Case, Claim, Statement
from hushcount.paper.theorem_1 import at
from hushcount.paper.tolerances import PROGRAMS

__all__ = ["STATEMENTS", "radius_bound"]


def radius_bound(M: int, epsilon: float, delta: float) -> float:
    """R_M (23)."""
    k, a, center = exp(epsilon), alpha(M, epsilon), delta + (1 - delta) * alpha(M, epsilon)
    lift = k ** (M - 1)
    powers = (1 - lift) / (1 - k) if epsilon > 0 else M - 1
    most = min(lift * center + delta * powers, (1 - a) * (1 - delta))
    least = max((center - delta * powers) / lift, 0.0)
    smallest = (1 - delta) * a * exp(-(M // 2) * epsilon)
    largest = (1 - delta) * a * exp(-epsilon)
    return max(most - smallest, largest - least)


def _lemma_2(claim: Claim, grid: Grid) -> Iterator[Case]:
    """The radius, entry by entry, from (6); and the bound in floats, against the enclosed one."""
    for M, (epsilon, delta) in product(grid.subset_orders, grid.promises):
        program, center = optimal_set(M, epsilon, delta), canonical_matrix(M, epsilon, delta)
        radius = 0.0
        for place in np.ndindex(M, M):
            gain = np.zeros((M, M))
            gain[place] = 1.0
            low, high = program.range(gain)
            radius = max(radius, high - float(center[place]), float(center[place]) - low)
        bound, enclosed = claim(M, epsilon, delta), OptimalSet(M - 1, epsilon, delta).radius_bound
        off = max(0.0, radius - bound, abs(bound - enclosed))
        yield Case(at(M, epsilon, delta), off, f"radius {radius:.6g}, bound {bound:.6g}")


def _vanishes(claim: Claim, grid: Grid) -> Iterator[Case]:
    """R_M is of the order of epsilon and delta: halving both about halves it."""
    for M in grid.orders[:6]:
        sizes = [claim(M, step, step) for step in (2e-4, 1e-4)]
        yield Case(f"M = {M}, epsilon = delta = 1e-4", max(0.0, sizes[1] - 0.51 * sizes[0], sizes[1] - 1e-3 * M))


STATEMENTS = (
    Statement(
        name="Lemma 2 (22), (23)",
        locator="section IV, Appendix C",
        formula="Delta_M <= R_M = max(Phi_0 - phi(P*), Phi(P*) - phi_0)",
        compared_with="the radius: the range of every entry in (6) with all 2^M subsets, certified",
        claim=radius_bound,
        check=_lemma_2,
        tolerance=PROGRAMS,
        implemented_by=("hushcount.OptimalSet.radius_bound", "hushcount.OptimalSet.radius"),
        tested_by=(
            "tests/optimal_set/test_radius.py::test_lemma_2_equation_23",
            "tests/optimal_set/test_radius.py::test_lemma_2_equation_22_against_programs",
        ),
        remark="At epsilon = 0 the quotient (1 - e^((M-1) epsilon)) / (1 - e^epsilon) in print is 0 / 0; it is read as "
        "its limit M - 1.",
    ),
    Statement(
        name="Lemma 2, limit",
        locator="Appendix C",
        formula="R_M tends to 0 as epsilon and delta do",
        compared_with="values at 2e-4 and 1e-4",
        claim=radius_bound,
        check=_vanishes,
        tolerance=PROGRAMS,
        implemented_by=("hushcount.OptimalSet.radius_bound",),
        tested_by=("tests/optimal_set/test_radius.py::test_lemma_2_vanishes_as_epsilon_and_delta_do",),
    ),
)
