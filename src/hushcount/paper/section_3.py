"""Section III: what is minimised, and the constraints of the program, in fewer."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from hushcount.mechanisms import from_matrix
from hushcount.mechanisms.base import Floats
from hushcount.paper.generic import subsets
from hushcount.paper.grid import Grid
from hushcount.paper.statement import Case, Claim, Statement
from hushcount.paper.tolerances import FLOATS

__all__ = ["STATEMENTS"]


def _random_mechanisms(grid: Grid) -> Iterator[Floats]:
    rng = np.random.default_rng(1)
    for M in grid.subset_orders:
        for spread in (0.2, 1.0, 5.0):
            yield rng.dirichlet(np.full(M, spread), M)


def _worst_error(P: Floats) -> float:
    """1 - gamma(P)."""
    return float(1 - np.diagonal(P).min())


def _equation_5(claim: Claim, grid: Grid) -> Iterator[Case]:
    """(3) is linear in w: at a w that puts everything on one input it is as large as stated, and at none larger."""
    rng = np.random.default_rng(5)
    for number, P in enumerate(_random_mechanisms(grid)):
        M, stated = len(P), claim(P)
        on_one = max(float(1 - w @ np.diagonal(P)) for w in np.eye(M))
        mixed = float((1 - rng.dirichlet(np.ones(M), 100) @ np.diagonal(P)).max())
        by_library = from_matrix(P).error_probability
        off = max(abs(stated - on_one), mixed - stated, abs(stated - by_library))
        yield Case(f"M = {M}, random mechanism number {number + 1}", max(0.0, off))


def _positive_parts(upper: Floats, lower: Floats, k: float) -> float:
    """sum_j (p_kj - e^epsilon p_ij)^+ of two rows."""
    return float(np.maximum(upper - k * lower, 0).sum())


def _reduction(claim: Claim, grid: Grid) -> Iterator[Case]:
    """One sum instead of 2^M subsets, for each pair of rows, adjacent or not."""
    for number, P in enumerate(_random_mechanisms(grid)):
        chosen = subsets(len(P))
        for epsilon in grid.epsilons:
            k = np.exp(epsilon)
            pairs = permutations(P, 2)
            off = max(abs(claim(a, b, k) - max(0.0, float((chosen @ (a - k * b)).max()))) for a, b in pairs)
            yield Case(f"M = {len(P)}, random mechanism number {number + 1}, epsilon = {epsilon:g}", off)


STATEMENTS = (
    Statement(
        name="(5)",
        locator="section III, (3) to (5)",
        formula="max over the input distributions w of p_e(w, P) = 1 - gamma(P)",
        compared_with="(3) at every w with one input, and at random w",
        claim=_worst_error,
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
        implemented_by=("hushcount.audit", "hushcount.OptimalSet"),
        tested_by=("tests/privacy/test_audit.py::test_least_delta_is_the_worst_of_all_subsets",),
    ),
)
