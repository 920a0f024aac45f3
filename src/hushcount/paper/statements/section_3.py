"""Sections II and III: what private means, of data and of counts, what is minimized, and under how few constraints."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, permutations, product

import numpy as np

from hushcount.mechanisms import from_matrix
from hushcount.numbers.arrays import Floats
from hushcount.paper.formulas import worst_error
from hushcount.paper.generic import SubsetProgram, subset_excess, subsets
from hushcount.paper.grid import Grid
from hushcount.paper.statement import Case, Claim, Statement, largest
from hushcount.paper.tolerances import FLOATS, PROGRAMS
from hushcount.privacy import audit

__all__ = ["STATEMENTS"]

_CORNERS = 6
"""How many vertices of a set of private mechanisms."""


def _random_mechanisms(grid: Grid) -> Iterator[Floats]:
    rng = np.random.default_rng(1)
    for M in grid.subset_orders:
        for spread in (0.2, 1.0, 5.0):
            yield rng.dirichlet(np.full(M, spread), M)


def _least_delta(P: Floats, epsilon: float) -> float:
    """Return the least delta at which P is in the set of (2): the largest of 0 and P_k(U) - e^epsilon P_i(U), |k -
    i| = 1."""
    return max(0.0, subset_excess(P, epsilon))


def _equation_1(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check all data sets of M - 1 records that satisfy a predicate or not, and all that differ from them in one
    record: their counts q_f, through P, on every subset of outcomes."""
    for number, P in enumerate(_random_mechanisms(grid)):
        M, chosen = len(P), subsets(len(P))
        counts = {
            (sum(data), sum(data[:place]) + sum(data[place + 1 :]) + other)
            for data, place, other in product(product((0, 1), repeat=M - 1), range(M - 1), (0, 1))
        }
        for epsilon in grid.epsilons:
            k, stated = np.exp(epsilon), claim(P, epsilon)
            generic = largest(*(float((chosen @ (P[one] - k * P[other])).max()) for one, other in counts))
            by_library = audit(P, epsilon=epsilon, normalise=True).least_delta
            assert by_library is not None  # since there is an epsilon
            ends = by_library.interval
            off = largest(abs(stated - generic), ends.lower - stated, stated - ends.upper)
            yield Case(f"M = {M}, random mechanism number {number + 1}, epsilon = {epsilon:g}", off)


def _mixture(P: Floats, Q: Floats, share: float) -> Floats:
    """Return lambda P + (1 - lambda) P' of (2)."""
    return share * P + (1 - share) * Q


def _convexity(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check vertices of the set (2) in random directions, two by two: every matrix between them is private."""
    rng = np.random.default_rng(2)
    for M, (epsilon, delta) in product(grid.subset_orders, grid.promises):
        program = SubsetProgram(M, epsilon, delta)
        corners = [program.vertex(rng.standard_normal((M, M))) for _ in range(_CORNERS)]
        mixed = [claim(P, Q, share) for P, Q in pairwise(corners) for share in (0.1, 0.5, 0.75)]
        off = largest(*(subset_excess(each, epsilon) - delta for each in mixed), *(-float(P.min()) for P in mixed))
        yield Case(f"M = {M}, epsilon = {epsilon:g}, delta = {delta:g}", off)


def _equation_5(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check that (3) is linear in w: at a w that puts everything on one input it is as large as stated, and at none
    larger."""
    rng = np.random.default_rng(5)
    for number, P in enumerate(_random_mechanisms(grid)):
        M, stated = len(P), claim(P)
        on_one = max(float(1 - w @ np.diagonal(P)) for w in np.eye(M))
        mixed = float((1 - rng.dirichlet(np.ones(M), 100) @ np.diagonal(P)).max())
        by_library = from_matrix(P).error_probability
        off = largest(abs(stated - on_one), mixed - stated, abs(stated - by_library))
        yield Case(f"M = {M}, random mechanism number {number + 1}", off)


def _positive_parts(upper: Floats, lower: Floats, k: float) -> float:
    """Return sum_j (p_kj - e^epsilon p_ij)^+ of two rows."""
    return float(np.maximum(upper - k * lower, 0).sum())


def _reduction(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check one sum against 2^M subsets, for each pair of rows, adjacent or not."""
    for number, P in enumerate(_random_mechanisms(grid)):
        chosen = subsets(len(P))
        for epsilon in grid.epsilons:
            k = np.exp(epsilon)
            pairs = permutations(P, 2)
            off = largest(*(abs(claim(a, b, k) - max(0.0, float((chosen @ (a - k * b)).max()))) for a, b in pairs))
            yield Case(f"M = {len(P)}, random mechanism number {number + 1}, epsilon = {epsilon:g}", off)


STATEMENTS = (
    Statement(
        name="(1)",
        locator="section II, with the counting query",
        formula="A mechanism on counts satisfies (1) for all adjacent data sets if and only if its matrix is in (2), "
        "for adjacent counts",
        compared_with="(1) for all data sets of M - 1 records and all their neighbors, all subsets",
        claim=_least_delta,
        check=_equation_1,
        tolerance=FLOATS,
        implemented_by=("hushcount.audit",),
        tested_by=("tests/privacy/test_audit.py::test_least_delta_is_the_worst_of_all_subsets",),
        remark="Adjacent data sets differ in one record that is replaced. Where one is added or taken away, n is a "
        "public cap and the counts of neighbors differ by at most 1 as well.",
    ),
    Statement(
        name="(2), convexity",
        locator="section III",
        formula="lambda P + (1 - lambda) P' is private for private P and P', 0 < lambda < 1",
        compared_with="all 2^M subsets of (2), mixtures of vertices of (2)",
        claim=_mixture,
        check=_convexity,
        tolerance=PROGRAMS,
        implemented_by=("hushcount.medium.bounds", "hushcount.optimal_set.OptimalSet"),
        tested_by=("tests/medium/test_bounds.py::test_u5_is_the_best",),
    ),
    Statement(
        name="(5)",
        locator="section III, (3) to (5)",
        formula="max over the input distributions w of p_e(w, P) = 1 - gamma(P)",
        compared_with="(3) at every w with one input, and at random w",
        claim=worst_error,
        check=_equation_5,
        tolerance=FLOATS,
        implemented_by=("hushcount.mechanisms.Mechanism.error_probability",),
        tested_by=("tests/mechanisms/test_contract.py::test_error_probability_is_the_worst_diagonal",),
    ),
    Statement(
        name="(6), fewer constraints",
        locator="section IV, proof of Theorem 1",
        formula="The 2^M subsets of a pair of rows in (2) are one constraint: sum_j (p_kj - e^epsilon p_ij)^+ <= delta",
        compared_with="all 2^M subsets of (2), random mechanisms",
        claim=_positive_parts,
        check=_reduction,
        tolerance=FLOATS,
        implemented_by=("hushcount.audit", "hushcount.optimal_set.OptimalSet"),
        tested_by=("tests/privacy/test_audit.py::test_least_delta_is_the_worst_of_all_subsets",),
    ),
)
