"""Lemma 2: how far an optimum can be from the canonical one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from math import exp

import numpy as np

from hushcount.numbers.arrays import Floats
from hushcount.optimal_set import OptimalSet
from hushcount.paper.formulas import alpha, canonical_matrix, least_error, row_sum_norm
from hushcount.paper.generic import entry_ranges, members
from hushcount.paper.grid import Grid
from hushcount.paper.statement import Case, Claim, Statement, largest
from hushcount.paper.statements.theorem_1 import at
from hushcount.paper.tolerances import PROGRAMS

__all__ = ["STATEMENTS", "radius_bound"]

_MEMBERS = 4
"""How many random optima, besides a mixture of them."""


def _off_diagonal_bounds(M: int, epsilon: float, delta: float) -> tuple[float, float]:
    """Return phi_0 and Phi_0."""
    k, a, center = exp(epsilon), alpha(M, epsilon), delta + (1 - delta) * alpha(M, epsilon)
    lift = k ** (M - 1)
    powers = (1 - lift) / (1 - k) if epsilon > 0 else M - 1
    most = min(lift * center + delta * powers, (1 - a) * (1 - delta))
    return max((center - delta * powers) / lift, 0.0), most


def radius_bound(M: int, epsilon: float, delta: float) -> float:
    """Return R_M (23)."""
    least, most = _off_diagonal_bounds(M, epsilon, delta)
    smallest, largest = ((1 - delta) * alpha(M, epsilon) * exp(-d * epsilon) for d in (M // 2, 1))
    return max(most - smallest, largest - least)


def _radius(M: int, epsilon: float, delta: float) -> float:
    """Return Delta_M, entry by entry, from (6)."""
    (low, high), center = entry_ranges(M, epsilon, delta), canonical_matrix(M, epsilon, delta)
    return float(np.abs([high - center, center - low]).max())


def _lemma_2(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check the radius from (6), and the bound in floats against the enclosed one."""
    for M, (epsilon, delta) in product(grid.subset_orders, grid.promises):
        radius, bound = _radius(M, epsilon, delta), claim(M, epsilon, delta)
        enclosed = OptimalSet(M - 1, epsilon, delta).radius_bound
        off = largest(radius - bound, abs(bound - enclosed))
        yield Case(at(M, epsilon, delta), off, f"radius {radius:.6g}, bound {bound:.6g}")


def _appendix_c(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check the ranges of the entries off the diagonal, and the radius, which is also below the simpler bound of
    (51)."""
    for M, (epsilon, delta) in product(grid.subset_orders, grid.promises):
        (least, most), (low, high) = claim(M, epsilon, delta), entry_ranges(M, epsilon, delta)
        off = ~np.eye(M, dtype=np.bool_)
        lowest, highest, radius = float(low[off].min()), float(high[off].max()), _radius(M, epsilon, delta)
        shown = f"off the diagonal from {lowest:.6g} to {highest:.6g}, bounds {least:.6g} and {most:.6g}"
        excess = largest(least - lowest, highest - most, radius - least_error(M, epsilon, delta))
        yield Case(at(M, epsilon, delta), excess, shown)


def _half_of_the_row_norm(E: Floats) -> float:
    """Return (50): |E|_inf / 2."""
    return row_sum_norm(E) / 2


def _equation_50(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check E = P - P* of random optima, and an E with two entries in a row, for which the largest entry is all that
    (50) allows."""
    for M, (epsilon, delta) in product((M for M in grid.subset_orders if M > 2), grid.promises):
        center = canonical_matrix(M, epsilon, delta)
        moves = [P - center for P in members(M, epsilon, delta, _MEMBERS)]
        off = [largest(float(np.abs(E).max()) - claim(E), claim(E) - least_error(M, epsilon, delta)) for E in moves]
        pair = np.zeros((M, M))
        pair[0, 1], pair[0, M - 1] = 1e-3, -1e-3
        yield Case(at(M, epsilon, delta), largest(*off, abs(claim(pair) - 1e-3)))


def _vanishes(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check that R_M is of the order of epsilon and delta: halving both about halves it."""
    for M in grid.orders[:6]:
        sizes = [claim(M, step, step) for step in (2e-4, 1e-4)]
        yield Case(f"M = {M}, epsilon = delta = 1e-4", largest(sizes[1] - 0.51 * sizes[0], sizes[1] - 1e-3 * M))


_statement = partial(Statement, tolerance=PROGRAMS, implemented_by=("hushcount.optimal_set.OptimalSet.radius_bound",))

STATEMENTS = (
    _statement(
        name="Lemma 2 (22), (23)",
        locator="section IV, Appendix C",
        formula="Delta_M <= R_M = max(Phi_0 - phi(P*), Phi(P*) - phi_0)",
        compared_with="the radius: the range of every entry in (6) with all 2^M subsets, certified",
        claim=radius_bound,
        check=_lemma_2,
        implemented_by=("hushcount.optimal_set.OptimalSet.radius_bound", "hushcount.optimal_set.OptimalSet.radius"),
        tested_by=(
            "tests/optimal_set/test_radius.py::test_lemma_2_equation_23",
            "tests/optimal_set/test_radius.py::test_lemma_2_equation_22_against_programs",
        ),
        remark="At epsilon = 0 the quotient (1 - e^((M-1) epsilon)) / (1 - e^epsilon) in print is 0 / 0; it is read as "
        "its limit M - 1.",
    ),
    _statement(
        name="(50)",
        locator="Appendix C",
        formula="|P - P*|_max <= |P - P*|_inf / 2 <= (1 - delta)(1 - alpha_M) for every optimum P",
        compared_with="random optima; a difference of two entries, where it is an equality",
        claim=_half_of_the_row_norm,
        check=_equation_50,
        tested_by=("tests/optimal_set/test_radius.py::test_the_bound_is_at_most_the_error_probability",),
    ),
    _statement(
        name="Appendix C (51)",
        locator="Appendix C, with phi_0 and Phi_0",
        formula="Delta_M <= (1 - delta)(1 - alpha_M); off the diagonal, phi_0 <= p_ij <= Phi_0 in every optimum",
        compared_with="the range of every entry in (6) with all 2^M subsets, certified",
        claim=_off_diagonal_bounds,
        check=_appendix_c,
        tested_by=(
            "tests/optimal_set/test_radius.py::test_lemma_2_equation_23",
            "tests/optimal_set/test_radius.py::test_the_bound_is_at_most_the_error_probability",
        ),
    ),
    _statement(
        name="Lemma 2, limit",
        locator="Appendix C",
        formula="R_M tends to 0 as epsilon and delta do",
        compared_with="values at 2e-4 and 1e-4",
        claim=radius_bound,
        check=_vanishes,
        tested_by=("tests/optimal_set/test_radius.py::test_lemma_2_vanishes_as_epsilon_and_delta_do",),
    ),
)
