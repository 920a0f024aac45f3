"""Theorem 1: the least worst-case error probability, the canonical optimum, uniqueness and rank."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np

from hushcount.mechanisms import canonical
from hushcount.numbers.arrays import Floats
from hushcount.paper.formulas import alpha, canonical_matrix, cyclic_distances, least_error
from hushcount.paper.generic import entry_ranges, least_error_probability, members, optimal_set, subset_excess
from hushcount.paper.grid import Grid
from hushcount.paper.statement import Case, Claim, Statement, fact, largest
from hushcount.paper.tolerances import EXACT, FLOATS, PROGRAMS

__all__ = ["ROOM", "STATEMENTS", "STATEMENT_4", "all_are_full_rank", "at", "second_optimum"]

ROOM = 1e-7
"""A distance between the ends of an entry's range that is no rounding."""


def at(M: int, epsilon: float, delta: float) -> str:
    """Return the parameters in words."""
    return f"M = {M}, epsilon = {epsilon:g}, delta = {delta:g}"


def _equation_9(claim: Claim, grid: Grid) -> Iterator[Case]:
    for M, epsilon in product(grid.orders, grid.epsilons):
        total = float(np.exp(-epsilon * cyclic_distances(M)[0]).sum())
        computed = canonical(M - 1, epsilon).pmf(0, 0)
        stated = claim(M, epsilon)
        yield Case(f"M = {M}, epsilon = {epsilon:g}", largest(abs(stated - 1 / total), abs(stated - computed)))


def _equation_10(claim: Claim, grid: Grid) -> Iterator[Case]:
    for M, (epsilon, delta) in product(grid.subset_orders, grid.promises):
        stated, optimum = claim(M, epsilon, delta), least_error_probability(M, epsilon, delta)
        computed = canonical(M - 1, epsilon, delta).error_probability
        shown = f"formula {stated:.10g}, linear program {optimum:.10g}"
        yield Case(at(M, epsilon, delta), largest(abs(stated - optimum), abs(stated - computed)), shown)


def _equation_11(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check that P* is stochastic and private for every subset, and that its diagonal entries are 1 - p_e*."""
    for M, (epsilon, delta) in product(grid.subset_orders, grid.promises):
        matrix = claim(M, epsilon, delta)
        deviations = [
            float(np.abs(matrix.sum(axis=1) - 1).max()),
            float(-matrix.min()),
            subset_excess(matrix, epsilon) - delta,
            float(np.abs(1 - np.diagonal(matrix) - least_error_probability(M, epsilon, delta)).max()),
            float(np.abs(matrix - canonical(M - 1, epsilon, delta).matrix()).max()),
        ]
        yield Case(at(M, epsilon, delta), largest(*deviations))


def _is_definite(M: int, epsilon: float, delta: float) -> bool:
    return (epsilon, delta) != (0, 0)


def _statement_1(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check that it is definite where the least eigenvalue is positive beyond rounding, and only semidefinite where
    it is 0."""
    rounding = 1e-13
    for M, (epsilon, delta) in product(grid.orders, grid.promises):
        least = float(np.linalg.eigvalsh(canonical_matrix(M, epsilon, delta)).min())
        holds = least > rounding if claim(M, epsilon, delta) else abs(least) <= rounding
        yield fact(at(M, epsilon, delta), holds, f"least eigenvalue {least:.6g}")


def _is_unique(M: int, epsilon: float, delta: float) -> bool:
    return M == 2 or (epsilon, delta) == (0, 0)


def second_optimum(M: int, epsilon: float, delta: float) -> tuple[float, Floats]:
    """Return zeta, and the P' of the paper's proof: P* with p_12 + zeta and p_1M - zeta."""
    zeta = min(delta, 1e-3) if epsilon == 0 else 1e-7 * epsilon
    moved = canonical_matrix(M, epsilon, delta)
    moved[0, 1] += zeta
    moved[0, M - 1] -= zeta
    return zeta, moved


def _statement_2(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check that no entry has room where there is one optimum.

    Where there are infinitely many, the matrix of the paper's proof, with p_12 + zeta and p_1M - zeta, is private and
    another one, and so are all between.
    """
    for M, (epsilon, delta) in product(grid.subset_orders, grid.promises):
        if claim(M, epsilon, delta):
            low, high = entry_ranges(M, epsilon, delta)
            room = float((high - low).max())
            yield fact(at(M, epsilon, delta), room < ROOM, f"an entry has room {room:.3g}")
            continue
        zeta, moved = second_optimum(M, epsilon, delta)
        off = largest(subset_excess(moved, epsilon) - delta, float(-moved.min())) if M > 2 else np.inf
        yield fact(at(M, epsilon, delta), off <= 1e-14 and zeta > 0, f"p_12 + {zeta:g} is private but for {off:.3g}")


def all_are_full_rank(M: int, epsilon: float, delta: float) -> bool:
    """Return whether statement 4 says so of all optima."""
    gamma = delta + (1 - delta) * alpha(M, epsilon)
    return gamma > 0.5 or (M == 3 and epsilon > 0) or (M == 4 and epsilon > 0 and delta == 0)


def _statement_4(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check the least singular value of vertices of the set of optima, including those with the least determinants."""
    for M, (epsilon, delta) in product((M for M in grid.subset_orders if M > 2), grid.promises):
        if claim(M, epsilon, delta):
            found = [*members(M, epsilon, delta, grid.members), *_towards_singular(M, epsilon, delta)]
            least = min(float(np.linalg.svd(member, compute_uv=False)[-1]) for member in found)
            yield fact(at(M, epsilon, delta), least > 1e-7, f"least singular value of {len(found)} optima {least:.3g}")


def _towards_singular(M: int, epsilon: float, delta: float) -> Iterator[Floats]:
    """Yield steps from vertex to vertex down the determinant, which is linear in each row: its gradient is the
    cofactors."""
    program, matrix = optimal_set(M, epsilon, delta), canonical_matrix(M, epsilon, delta)
    for _ in range(M):
        if abs(np.linalg.det(matrix)) < 1e-12:
            return
        cofactors = np.linalg.det(matrix) * np.linalg.inv(matrix).T
        matrix = program.vertex(cofactors / np.abs(cofactors).max())
        yield matrix


_TESTS = "tests/mechanisms/test_theorem_1.py::"

_in_section_4 = partial(Statement, locator="section IV")

STATEMENTS = (
    _in_section_4(
        name="(9)",
        formula="1 / sum_j e^(-epsilon d_M(1,j)) = (e^epsilon - 1) e^(h epsilon) / (e^(h epsilon) (e^epsilon + 1) - "
        "e^(epsilon [M even]) - 1), h = floor(M / 2)",
        compared_with="the sum, term by term",
        claim=alpha,
        check=_equation_9,
        tolerance=FLOATS,
        implemented_by=("hushcount.canonical",),
        tested_by=(f"{_TESTS}test_theorem_1_equation_9",),
    ),
    _in_section_4(
        name="Theorem 1 (10)",
        formula="p_e* = (1 - delta)(1 - alpha_M)",
        compared_with="the linear program (6) with all 2^M subsets, certified",
        claim=least_error,
        check=_equation_10,
        tolerance=PROGRAMS,
        implemented_by=(
            "hushcount.canonical",
            "hushcount.nearest",
            "hushcount.optimal_set.OptimalSet.error_probability",
        ),
        tested_by=(
            f"{_TESTS}test_theorem_1_equation_10",
            f"{_TESTS}test_theorem_1_equation_10_is_the_optimum_of_the_program",
        ),
    ),
    _in_section_4(
        name="Theorem 1 (11)",
        locator="section IV, (14)-(16)",
        formula="P* = (1 - delta) alpha_M [e^(-epsilon d_M(i,j))] + delta I is private, with the diagonal 1 - p_e*",
        compared_with="all 2^M subsets of (2), and the linear program (6)",
        claim=canonical_matrix,
        check=_equation_11,
        tolerance=PROGRAMS,
        implemented_by=("hushcount.canonical",),
        tested_by=(
            f"{_TESTS}test_theorem_1_equation_11",
            f"{_TESTS}test_both_optima_are_private_on_all_subsets",
        ),
    ),
    _in_section_4(
        name="Theorem 1 statement 1",
        formula="P* is positive definite, unless epsilon = delta = 0: then it is positive semidefinite",
        compared_with="eigenvalues of the matrix",
        claim=_is_definite,
        check=_statement_1,
        tolerance=EXACT,
        implemented_by=("hushcount.mechanisms.Canonical.spectrum", "hushcount.mechanisms.Canonical.solve"),
        tested_by=(f"{_TESTS}test_theorem_1_statement_1",),
    ),
    _in_section_4(
        name="Theorem 1 statement 2",
        formula="There is one optimum if M = 2 or epsilon = delta = 0, and infinitely many otherwise",
        compared_with="the room of every entry in (6); the proof's P' against all subsets of (2)",
        claim=_is_unique,
        check=_statement_2,
        tolerance=EXACT,
        implemented_by=("hushcount.optimal_set.OptimalSet.is_unique",),
        tested_by=(
            "tests/optimal_set/test_shared.py::test_theorem_1_statement_2",
            "tests/optimal_set/test_shared.py::test_theorem_1_statement_2_against_programs",
        ),
    ),
)

STATEMENT_4 = (
    _in_section_4(
        name="Theorem 1 statement 4",
        formula="All optima are of full rank if delta + (1 - delta) alpha_M > 1/2, or M = 3 and epsilon > 0, or M = 4, "
        "epsilon > 0 and delta = 0",
        compared_with="singular values of vertices, also down the determinant",
        claim=all_are_full_rank,
        check=_statement_4,
        tolerance=EXACT,
        implemented_by=(
            "hushcount.optimal_set.OptimalSet.full_rank_guarantee",
            "hushcount.optimal_set.OptimalSet.rank",
        ),
        tested_by=(
            "tests/optimal_set/test_rank.py::test_theorem_1_statement_4_reasons",
            "tests/optimal_set/test_rank.py::test_theorem_1_statement_4_by_determinants",
        ),
        remark="These conditions are sufficient; docs/theory.md (Full rank) proves a weaker one for every M.",
    ),
)
