"""Corollary 1.1, and the example of an optimum that has not full rank."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product
from math import exp, log

import numpy as np
from flint import fmpq, fmpq_mat

from hushcount.mechanisms import canonical
from hushcount.optimal_set import OptimalSet
from hushcount.optimal_set.rank import determinant
from hushcount.paper.formulas import alpha, least_error
from hushcount.paper.generic import least_error_probability, subset_excess
from hushcount.paper.grid import Grid
from hushcount.paper.statement import Case, Claim, Erratum, Statement, fact, largest
from hushcount.paper.tolerances import EXACT, PROGRAMS

__all__ = ["STATEMENTS"]

_MANY, _VERY_MANY = 10**4, 10**9
_SMALL = 1e-12


def _limits(M: int, epsilon: float, delta: float) -> tuple[float, float]:
    """Return the limits of p_e*: as M grows, and as epsilon and delta vanish."""
    return 2 * (1 - delta) / (1 + exp(epsilon)), (M - 1) / M


def _by_the_sum(M: int, epsilon: float, delta: float) -> float:
    """Return p_e* (10), with 1 / alpha_M summed term by term."""
    away = np.minimum(np.arange(M), M - np.arange(M))
    return (1 - delta) * (1 - 1 / float(np.exp(-epsilon * away).sum()))


def _corollary_1_1(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check values of p_e* from (6), its neighbors in each parameter, and its limits.

    The limits are taken at ten thousand outcomes and at 1e-12 with alpha_M summed term by term, and at a billion
    outcomes as hushcount computes them.
    """
    promises = [(epsilon, delta) for epsilon, delta in grid.promises if epsilon > 0]
    for M, (epsilon, delta) in product(grid.subset_orders, promises):
        here = least_error_probability(M, epsilon, delta)
        crowded, private = claim(M, epsilon, delta)
        off = [
            abs(_by_the_sum(_MANY, epsilon, delta) - crowded),
            abs(_by_the_sum(M, _SMALL, _SMALL) - private),
            abs(canonical(_VERY_MANY - 1, epsilon, delta).error_probability - crowded),
            abs(canonical(M - 1, _SMALL, _SMALL).error_probability - private),
            abs(least_error(M, epsilon, delta) - here),
            here - crowded,
            here - private,
        ]
        yield Case(f"M = {M}, epsilon = {epsilon:g}, delta = {delta:g}, limits", largest(*off))
    for M, next_ in pairwise(grid.subset_orders):
        for epsilon, delta in grid.promises:
            grows = least_error_probability(next_, epsilon, delta) - least_error_probability(M, epsilon, delta)
            yield fact(f"M = {M} to {next_}, epsilon = {epsilon:g}, delta = {delta:g}, grows", grows > PROGRAMS.size)
    for M in grid.subset_orders:
        for axis, values in enumerate((grid.epsilons, grid.deltas)):
            for (low, high), other in product(pairwise(values), grid.deltas if axis == 0 else grid.epsilons):
                ends = [(x, other) if axis == 0 else (other, x) for x in (low, high)]
                falls = least_error_probability(M, *ends[0]) - least_error_probability(M, *ends[1])
                yield fact(f"M = {M}, (epsilon, delta) from {ends[0]} to {ends[1]}, falls", falls > PROGRAMS.size)


def _example_as_printed() -> list[list[Fraction]]:
    rows = """1.21 1.331 1 .9091 .9599
              1.1 1.21 1.1 1 1
              1 1.1 1.21 1.1 1
              .9524 1.0476 1.1 1.21 1.1
              1 1.1 1 1.1 1.21"""
    return [[Fraction(entry) / Fraction("5.41") for entry in row.split()] for row in rows.splitlines()]


def _example() -> list[list[Fraction]]:
    """Return the example, with 2 / 2.1 and 2.2 / 2.1 where .9524 and 1.0476 are printed."""
    rows = _example_as_printed()
    total = Fraction("5.41")
    rows[3][:2] = [Fraction(20, 21) / total, Fraction(22, 21) / total]
    return rows


def _example_check(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check in exact arithmetic, but for epsilon = ln 1.1: rows sum to 1, every subset is private, the diagonal is
    gamma, the determinant is 0 and column 2 is 1.1 times column 1."""
    rows, epsilon = claim(), log(1.1)
    matrix = np.array([[float(entry) for entry in row] for row in rows])
    yield fact("row sums", all(sum(row) == 1 for row in rows))
    yield fact("privacy, all subsets", subset_excess(matrix, epsilon) <= 1e-15)
    gamma = Fraction("1.21") / Fraction("5.41")
    yield fact(
        "diagonal", all(rows[i][i] == gamma for i in range(5)) and abs(float(gamma) - alpha(5, epsilon)) <= 1e-15
    )
    ratios = [row[1] / row[0] for row in rows]
    value, are_proportional = _determinant(rows), all(ratio == Fraction("1.1") for ratio in ratios)
    found = ", ".join(f"{float(ratio):.6g}" for ratio in ratios)
    shown = f"column 2 / column 1 is {found}; determinant {float(value):.2g}"
    yield fact("columns 1 and 2, and determinant", are_proportional and value == 0, shown)
    singular = float(np.linalg.svd(matrix, compute_uv=False)[-1])
    floats = float(determinant(matrix))
    yield fact("near-singular in floats", singular < 1e-5 and abs(floats) < 1e-9, f"singular value {singular:.3g}")
    yield fact("member of the optimal set", bool(OptimalSet(4, epsilon).contains(matrix)))


def _determinant(rows: list[list[Fraction]]) -> Fraction:
    """Return the determinant, exactly."""
    found = fmpq_mat([[fmpq(*entry.as_integer_ratio()) for entry in row] for row in rows]).det()
    return Fraction(int(found.p), int(found.q))


STATEMENTS = (
    Statement(
        name="Corollary 1.1",
        locator="section IV",
        formula="p_e* grows with M and falls with epsilon and delta; it tends to 2 (1 - delta) / (1 + e^epsilon) as M "
        "grows, and to (M - 1) / M as epsilon and delta vanish",
        compared_with="(6) with all subsets, certified; M = 10^4 and 10^9; epsilon = delta = 1e-12",
        claim=_limits,
        check=_corollary_1_1,
        tolerance=PROGRAMS,
        implemented_by=("hushcount.canonical", "hushcount.nearest"),
        tested_by=(
            "tests/mechanisms/test_theorem_1.py::test_corollary_1_1",
            "tests/mechanisms/test_theorem_1.py::test_corollary_1_1_limit_of_many_outcomes",
        ),
    ),
    Statement(
        name="Example, M = 5",
        locator="section IV, after Corollary 1.1",
        formula="M = 5, epsilon = ln 1.1, delta = 0: the matrix in print is an optimum, its second column is 1.1 times "
        "its first",
        compared_with="exact fractions; all subsets of (2)",
        claim=_example,
        check=_example_check,
        tolerance=EXACT,
        implemented_by=("hushcount.optimal_set.OptimalSet.contains", "hushcount.optimal_set.OptimalSet.rank"),
        tested_by=("tests/optimal_set/test_rank.py::test_example_after_corollary_1_1_has_no_guarantee",),
        erratum=Erratum(
            "row 4 begins with .9524 and 1.0476",
            "These are 2 / 2.1 and 2.2 / 2.1, rounded: with the printed digits the columns are not proportional and "
            "the matrix is of full rank.",
            _example_as_printed,
        ),
    ),
)
