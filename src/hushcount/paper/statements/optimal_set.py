"""What all optima share: (12), (13), and the active constraints that show it, (17) and (49)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import exp

import numpy as np
from numpy.typing import NDArray

from hushcount.numbers.arrays import Floats
from hushcount.optimal_set import OptimalSet
from hushcount.paper.formulas import alpha, canonical_matrix, cyclic_distances
from hushcount.paper.generic import entry_ranges, optimal_set, run_of_row
from hushcount.paper.grid import Grid
from hushcount.paper.statement import Case, Claim, Erratum, Statement, fact, largest
from hushcount.paper.statements.theorem_1 import ROOM, at
from hushcount.paper.tolerances import EXACT, FLOATS, PROGRAMS

__all__ = ["STATEMENTS", "shared_by_12"]


def shared_by_12(M: int) -> NDArray[np.bool_]:
    """Return (12): the entries with min(j, floor((M+1)/2)) <= i <= max(j, ceil((M+1)/2)); shape (M, M)."""
    i, j = np.indices((M, M)) + 1
    return np.asarray((np.minimum(j, (M + 1) // 2) <= i) & (i <= np.maximum(j, (M + 2) // 2)))


def _equation_12(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check that every entry named has one value in all optima, that of P*."""
    epsilons = [epsilon for epsilon in grid.epsilons if epsilon > 0]
    for M, epsilon in product((M for M in grid.subset_orders if M > 2), epsilons):
        (low, high), center, named = entry_ranges(M, epsilon, 0.0), canonical_matrix(M, epsilon, 0.0), claim(M)
        yield Case(at(M, epsilon, 0), float(np.abs([center - low, high - center])[:, named].max()))
        by_library = OptimalSet(M - 1, epsilon).shared_entries
        yield fact(f"{at(M, epsilon, 0)}, as hushcount has it", np.array_equal(named, by_library))


def _count(M: int) -> int:
    sign = 1 if M % 2 == 0 else -1
    return (2 * M**2 + 10 * M - 1 + (2 * M + 1) * sign) // 8


def _equation_12_count(claim: Claim, grid: Grid) -> Iterator[Case]:
    for M in grid.orders:
        if M > 2:
            counted = int(shared_by_12(M).sum())
            yield Case(f"M = {M}", abs(claim(M) - counted), f"formula {claim(M)}, counted {counted}")


def _sums_of_13(M: int) -> list[Floats]:
    """Return the prefix sums up to the middle and the suffix sums from there, and what else they fix: the diagonal,
    p_21 and p_M-1,M."""
    middle = (M + 2) // 2
    sums = [run_of_row(M, i, 0, i) for i in range(middle)]
    sums += [run_of_row(M, i, i, M - 1) for i in range(middle - 1, M)]
    entries = [*((i, i) for i in range(M)), (1, 0), (M - 2, M - 1)]
    return [*sums, *(run_of_row(M, i, j, j) for i, j in entries)]


def _equation_13(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check that every sum named has one value in all optima, that of P*."""
    deltas = [delta for delta in grid.deltas if delta > 0]
    orders = (M for M in grid.subset_orders if M > 2)
    for M, epsilon, delta in product(orders, grid.epsilons, deltas):
        program, center, off = optimal_set(M, epsilon, delta), canonical_matrix(M, epsilon, delta), 0.0
        for gain in claim(M):
            low, high = program.range(gain)
            value = float((gain * center).sum())
            off = largest(off, abs(value - low), abs(high - value))
        yield Case(at(M, epsilon, delta), off)


def _letters_of_17(epsilon: float, delta: float) -> tuple[float, float, float]:
    """Return a, b and c of M = 5."""
    c = (1 - delta) * alpha(5, epsilon) * exp(-2 * epsilon)
    b = exp(epsilon) * c
    return exp(epsilon) * b + delta, b, c


def _equation_17(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check that the letters make P*, and that the 8 constraints of a b beside an a, and the two of the dashed
    rectangles, are active."""
    growths = [(epsilon, delta, exp(epsilon)) for epsilon, delta in grid.promises]
    for epsilon, delta, k in growths:
        a, b, c = claim(epsilon, delta)
        matrix = np.array([a, b, c])[cyclic_distances(5).astype(np.int64)]
        off = [float(np.abs(matrix - canonical_matrix(5, epsilon, delta)).max())]
        for above, below in ((i, k_) for i in range(5) for k_ in (i - 1, i + 1) if 0 <= k_ < 5):
            off.append(abs(matrix[above, above] - k * matrix[below, above] - delta))
        off.append(abs(matrix[1, :2].sum() - k * matrix[2, :2].sum() - delta))
        off.append(abs(matrix[3, 3:].sum() - k * matrix[2, 3:].sum() - delta))
        yield Case(at(5, epsilon, delta), largest(*off))


def _last_before_the_middle(M: int) -> int:
    """Return the last i for which (48) and (49) hold."""
    return M // 2


def _equation_48(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check the sums of q^d_M(i,j) and of e^epsilon q^d_M(i+1,j) over j <= i.

    Beyond the last i some d_M(i+1,j) is not one more than d_M(i,j), and so the second sum is larger.
    """
    for M in grid.orders:
        away, last = cyclic_distances(M), claim(M)
        for epsilon in grid.epsilons:
            kernel = np.exp(-epsilon * away)
            gaps = [kernel[i - 1, :i].sum() - exp(epsilon) * kernel[i, :i].sum() for i in range(1, last + 1)]
            yield Case(f"M = {M}, epsilon = {epsilon:g}", largest(*np.abs(gaps)))
        beyond = [i for i in range(last + 1, M) if (away[i, :i] == away[i - 1, :i] + 1).all()]
        yield fact(f"M = {M}, beyond i = {last}", not beyond)


def _equation_49(claim: Claim, grid: Grid) -> Iterator[Case]:
    for M, (epsilon, delta) in product(grid.orders, grid.promises):
        matrix, k = canonical_matrix(M, epsilon, delta), exp(epsilon)
        off = 0.0
        for i in range(1, claim(M) + 1):
            first = matrix[i - 1, :i].sum() - k * matrix[i, :i].sum() - delta
            last = matrix[M - i, M - i :].sum() - k * matrix[M - i - 1, M - i :].sum() - delta
            off = largest(off, abs(first), abs(last))
        yield Case(at(M, epsilon, delta), float(off))


def _floor_of_row(i: int) -> tuple[int, int]:
    """Return (row, count) of the F that sum_{j<=i-1} p_ij of an optimum cannot be smaller than."""
    return i, i - 1


def _floor_of_row_as_printed(i: int) -> tuple[int, int]:
    return i - 1, i


def _appendix_b(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check that the least sum_{j<=i-1} p_ij over all optima is not below the sum of that many entries of that row
    of P*."""
    deltas = [delta for delta in grid.deltas if delta > 0]
    for M, epsilon, delta in product((M for M in grid.subset_orders if M > 2), grid.epsilons, deltas):
        program, center = optimal_set(M, epsilon, delta), canonical_matrix(M, epsilon, delta)
        for i in range(2, (M + 1) // 2 + 1):
            row, count = claim(i)
            (least, _), floor = program.range(run_of_row(M, i - 1, 0, i - 2)), float(center[row - 1, :count].sum())
            shown = f"the least sum is {least:.6g}, F of row {row} and {count} entries {floor:.6g}"
            yield Case(f"{at(M, epsilon, delta)}, i = {i}", largest(floor - least), shown)


def _figure_1(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check that an entry is drawn as shared if and only if its range over the set of optima is a point."""
    for M in (4, 5):
        (low, high), drawn = entry_ranges(M, 0.5, 0.0), claim(M)
        for (i, j), room in np.ndenumerate(high - low):
            shown = f"p_{i + 1}{j + 1} has room {room:.3g}"
            yield fact(f"M = {M}, row {i + 1}, column {j + 1}", bool(drawn[i, j]) == (room < ROOM), shown)


_SHARED, _PROPAGATION = "tests/optimal_set/test_shared.py::", "tests/optimal_set/test_propagation.py::"

EQUATIONS_12_AND_13 = (
    Statement(
        name="Theorem 1 statement 3 (12)",
        locator="section IV",
        formula="delta = 0: all optima have p_ij = p*_ij for min(j, floor((M+1)/2)) <= i <= max(j, ceil((M+1)/2))",
        compared_with="the least and largest p_ij in (6) with all 2^M subsets, certified",
        claim=shared_by_12,
        check=_equation_12,
        tolerance=PROGRAMS,
        implemented_by=(
            "hushcount.optimal_set.OptimalSet.shared_entries",
            "hushcount.optimal_set.OptimalSet.shared_values",
        ),
        tested_by=(
            f"{_SHARED}test_theorem_1_statement_3_equation_12",
            f"{_SHARED}test_theorem_1_statement_3_against_programs",
        ),
    ),
    Statement(
        name="Theorem 1 statement 3 count",
        locator="section IV, after (12)",
        formula="(12) names (2 M^2 + 10 M - 1 + (2 M + 1)(-1)^M) / 8 entries",
        compared_with="counting them",
        claim=_count,
        check=_equation_12_count,
        tolerance=EXACT,
        implemented_by=("hushcount.optimal_set.shared_count",),
        tested_by=(f"{_SHARED}test_theorem_1_statement_3_count",),
    ),
    Statement(
        name="Theorem 1 statement 3 (13)",
        locator="section IV",
        formula="delta > 0: all optima share the diagonal, sum_{j<=i} p_ij for i <= ceil((M+1)/2) and sum_{j>=i} p_ij "
        "from there on; hence p_21 and p_M-1,M as well",
        compared_with="the least and largest sums in (6) with all 2^M subsets, certified",
        claim=_sums_of_13,
        check=_equation_13,
        tolerance=PROGRAMS,
        implemented_by=(
            "hushcount.optimal_set.OptimalSet.shared_sums",
            "hushcount.optimal_set.OptimalSet.shared_entries",
        ),
        tested_by=(
            f"{_SHARED}test_theorem_1_statement_3_equation_13_in_random_members",
            f"{_SHARED}test_theorem_1_statement_3_against_programs",
        ),
        remark="The paper does not list p_21 and p_M-1,M, which its sums fix beside the diagonal; they are checked "
        "here with the rest.",
    ),
)

ACTIVE_CONSTRAINTS = (
    Statement(
        name="(17)",
        locator="section IV, proof of Theorem 1",
        formula="M = 5: P* has a, b, c at the cyclic distances 0, 1, 2; a = e^epsilon b + delta and "
        "a + b = e^epsilon (b + c) + delta are active",
        compared_with="(11), and the constraints of (2)",
        claim=_letters_of_17,
        check=_equation_17,
        tolerance=FLOATS,
        implemented_by=("hushcount.optimal_set.propagate", "hushcount.optimal_set.OptimalSet.propagate"),
        tested_by=(f"{_PROPAGATION}test_equation_17_highlights", f"{_PROPAGATION}test_equation_17_rectangles"),
    ),
    Statement(
        name="(48)",
        locator="Appendix B",
        formula="i <= floor(M / 2): sum_{j<=i} e^(-epsilon d_M(i,j)) = e^epsilon sum_{j<=i} e^(-epsilon d_M(i+1,j))",
        compared_with="the sums, entry by entry, also where i is larger",
        claim=_last_before_the_middle,
        check=_equation_48,
        tolerance=FLOATS,
        implemented_by=("hushcount.optimal_set.propagate", "hushcount.optimal_set.OptimalSet.propagate"),
        tested_by=(f"{_PROPAGATION}test_the_rectangles_of_appendix_b",),
    ),
    Statement(
        name="(49)",
        locator="Appendix B",
        formula="i <= floor(M / 2): the first i entries of P* have F_i = e^epsilon F_{i+1} + delta in rows i and "
        "i + 1; likewise the last",
        compared_with="the sums, entry by entry",
        claim=_last_before_the_middle,
        check=_equation_49,
        tolerance=FLOATS,
        implemented_by=("hushcount.optimal_set.propagate", "hushcount.optimal_set.OptimalSet.propagate"),
        tested_by=(f"{_PROPAGATION}test_the_rectangles_of_appendix_b",),
    ),
    Statement(
        name="Appendix B, proof of (13)",
        locator="Appendix B",
        formula="i <= floor((M+1)/2): sum_{j<=i-1} p_ij of an optimum is not below F_i^(i-1), of i - 1 entries of row "
        "i of P*",
        compared_with="the least sum in (6) with all 2^M subsets, certified",
        claim=_floor_of_row,
        check=_appendix_b,
        tolerance=PROGRAMS,
        implemented_by=("hushcount.optimal_set.OptimalSet.shared_sums",),
        tested_by=(f"{_SHARED}test_theorem_1_statement_3_equation_13_in_random_members",),
        erratum=Erratum(
            "sum_{j<=i-1} p_ij cannot be smaller than F_{i-1}^i, which is of i entries of row i - 1",
            "The indices belong the other way round, F_i^{i-1}, as the rest of the argument has them.",
            _floor_of_row_as_printed,
        ),
    ),
)

FIGURE_1 = Statement(
    name="Fig. 1",
    locator="section IV",
    formula="The entries that (12) names for M = 4 and M = 5, and no others",
    compared_with="the room of each entry in (6) with all 2^M subsets, epsilon = 0.5",
    claim=shared_by_12,
    check=_figure_1,
    tolerance=EXACT,
    implemented_by=("hushcount.optimal_set.OptimalSet.shared_entries",),
    tested_by=(f"{_PROPAGATION}test_figure_1",),
)

STATEMENTS = (*EQUATIONS_12_AND_13, *ACTIVE_CONSTRAINTS, FIGURE_1)
