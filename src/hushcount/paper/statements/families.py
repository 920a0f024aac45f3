"""All optima with three outcomes (18), their determinant (Appendix D), and all with four outcomes at delta = 0 (19)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import product
from math import exp

import numpy as np

from hushcount.numbers.arrays import Floats
from hushcount.optimal_set import (
    four_outcome_optimum,
    four_outcome_ranges,
    three_outcome_determinant,
    three_outcome_optimum,
    three_outcome_range,
)
from hushcount.paper.generic import entry_ranges, subset_excess
from hushcount.paper.grid import Grid
from hushcount.paper.statement import Case, Claim, Statement, fact, largest
from hushcount.paper.statements.theorem_1 import at
from hushcount.paper.tolerances import EXACT, FLOATS, PROGRAMS

__all__ = ["STATEMENTS"]

_SHARES = (0.0, 0.3, 1.0)
"""Where between its limits a parameter is taken."""

Limits = tuple[float, float]


def _letters(epsilon: float, delta: float) -> tuple[float, float, float]:
    """Return k, delta' and the factor (1 - delta) / (k + 2) of (18)."""
    k = exp(epsilon)
    return k, (k + 2) / (1 - delta) * delta, (1 - delta) / (k + 2)


def _matrix_18(epsilon: float, delta: float, u: float, v: float) -> Floats:
    k, extra, factor = _letters(epsilon, delta)
    top = k + extra
    return factor * np.array([[top, 2 - u, u], [1, top, 1], [v, 2 - v, top]])


def _limits_18(epsilon: float, delta: float) -> tuple[Limits, Limits]:
    """Return the limits of u and of u' = 2 - u from all the inequalities in print: 1 <= u' <= k (k + delta'), (1 -
    delta')^+ / k <= u <= k and u + u' = 2."""
    k, extra, _ = _letters(epsilon, delta)
    least, most = max(1 - extra, 0) / k, k
    least_, most_ = 1.0, k * (k + extra)
    u = max(least, 2 - most_), min(most, 2 - least_)
    return u, (2 - u[1], 2 - u[0])


def _equation_18(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check that the whole family is private with every subset, and that u and u' range over what (6) gives for p_13
    and p_12."""
    for epsilon, delta in grid.promises:
        if epsilon == 0:
            continue
        factor, (lowest, highest) = _letters(epsilon, delta)[2], entry_ranges(3, epsilon, delta)
        limits = claim(epsilon, delta)
        off: list[float] = []
        for column, (low, high) in zip((2, 1), limits, strict=True):
            off += [abs(factor * low - lowest[0, column]), abs(factor * high - highest[0, column])]
        (low, high), _ = limits
        for first, second in product(_SHARES, repeat=2):
            u, v = (low + share * (high - low) for share in (first, second))
            off.append(subset_excess(_matrix_18(epsilon, delta, u, v), epsilon) - delta)
        by_library = three_outcome_range(epsilon, delta)
        off += [abs(by_library[0] - low), abs(by_library[1] - high)]
        inner = (by_library[0] + 1) / 2
        made = three_outcome_optimum(epsilon, delta, u=inner, v=1).matrix()
        off.append(float(np.abs(made - _matrix_18(epsilon, delta, inner, 1)).max()))
        shown = f"u' <= {limits[1][1]:.6g}; the limit k (k + delta') in print is {_printed_limit(epsilon, delta):.6g}"
        yield Case(at(3, epsilon, delta), largest(*off), shown)


def _printed_limit(epsilon: float, delta: float) -> float:
    k, extra, _ = _letters(epsilon, delta)
    return k * (k + extra)


def _factored_determinant(k: float, extra: float) -> float:
    """Return g(k, delta') of Appendix D, the least f(u, v)."""
    return (k + extra + 2) * (1 - 1 / k**2) * (k + extra - 1) ** 2


def _appendix_d(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check f and its least value against determinants of the matrix (18), divided by the cube of its factor."""
    for epsilon, delta in grid.promises:
        k, extra, factor = _letters(epsilon, delta)
        if epsilon == 0 or not extra < 1:
            continue
        least = (1 - extra) / k
        for first, second in product(_SHARES, repeat=2):
            u, v = (least + share * (1 - least) for share in (first, second))
            A = k + extra
            f = A**3 - A * (u * v + 4 - (u + v)) - 2 * (u * v - (u + v))
            generic = float(np.linalg.det(_matrix_18(epsilon, delta, u, v) / factor))
            exact = three_outcome_determinant(epsilon, delta, u=u, v=v) / factor**3 if first and second else f
            below = claim(k, extra) - generic
            reached = abs(claim(k, extra) - generic) if first == second == 0 else 0.0
            off = largest(abs(f - generic), abs(exact - f), below, reached, 0.0 if f > 0 else 1.0)
            yield Case(f"{at(3, epsilon, delta)}, u = {u:.3g}, v = {v:.3g}", off / A**3)


def _limits_19(epsilon: float) -> dict[int, Limits]:
    """Return the limits of x1, x2 and x3 from all the inequalities in print and x1 + x2 + x3 = 2 k + 1."""
    k = exp(epsilon)
    printed = {1: (k, k**3), 2: (1.0, k**2), 3: (1 / k, k)}
    total = 2 * k + 1
    return {
        place: (
            max(low, total - sum(end[1] for other, end in printed.items() if other != place)),
            min(high, total - sum(end[0] for other, end in printed.items() if other != place)),
        )
        for place, (low, high) in printed.items()
    }


def _matrix_19(epsilon: float, x: tuple[float, float, float], y: tuple[float, float, float]) -> Floats:
    k = exp(epsilon)
    rows = [[k**2, *x], [k, k**2, k, 1], [1, k, k**2, k], [*y[::-1], k**2]]
    return np.array(rows) / (k + 1) ** 2


def _equation_19(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check that the x range over what (6) gives for the first row, that corners are private with every subset, and
    that the product with B is as in the proof, and strictly diagonally dominant."""
    for epsilon in (epsilon for epsilon in grid.epsilons if epsilon > 0):
        k, (lowest, highest), limits = exp(epsilon), entry_ranges(4, epsilon, 0.0), claim(epsilon)
        off: list[float] = []
        for place, (low, high) in limits.items():
            off += [abs(low / (k + 1) ** 2 - lowest[0, place]), abs(high / (k + 1) ** 2 - highest[0, place])]
        third = limits[3]
        corners = [(2 * k + 1 - second - last, second, last) for second, last in ((limits[2][0], end) for end in third)]
        corners.append((limits[1][0], limits[2][1], 2 * k + 1 - limits[1][0] - limits[2][1]))
        B = np.array([[k, -1, 0, 0], [0, k, -1, 0], [0, -1, k, 0], [0, 0, -1, k]])
        for x, y in product(corners, repeat=2):
            matrix = _matrix_19(epsilon, x, y)
            off += [subset_excess(matrix, epsilon), float(-matrix.min())]
            combined = B @ matrix * (k + 1) ** 2
            off.append(float(np.abs(combined - _combined(k, x, y)).max()) / k**3)
            rest = np.abs(combined).sum(axis=1) - 2 * np.abs(np.diagonal(combined))
            off.append(0.0 if rest.max() < 0 else 1.0)
        middle, far = (1 + limits[2][1]) / 2, (third[0] + third[1]) / 2
        x, y = (2 * k - far, 1.0, far), (2 * k + 1 - middle - 1, middle, 1.0)
        made = four_outcome_optimum(epsilon, x2=x[1], x3=x[2], y2=y[1], y3=y[2]).matrix()
        off.append(float(np.abs(made - _matrix_19(epsilon, x, y)).max()))
        by_library = four_outcome_ranges(epsilon)
        for place, ends in ((1, by_library.x1), (2, by_library.x2), (3, by_library.x3)):
            off += [abs(ends[0] - limits[place][0]) / k, abs(ends[1] - limits[place][1]) / k]
        shown = (
            f"x1 <= {limits[1][1]:.6g} and x2 <= {limits[2][1]:.6g}; the limits k^3 and k^2 in print are {k**3:.6g} "
            f"and {k**2:.6g}"
        )
        yield Case(at(4, epsilon, 0), largest(*off), shown)


def _combined(k: float, x: tuple[float, float, float], y: tuple[float, float, float]) -> Floats:
    """Return (k + 1)^2 B P as printed."""
    return np.array(
        [
            [k**3 - k, k * x[0] - k**2, k * x[1] - k, k * x[2] - 1],
            [k**2 - 1, k**3 - k, 0, 0],
            [0, 0, k**3 - k, k**2 - 1],
            [k * y[2] - 1, k * y[1] - k, k * y[0] - k**2, k**3 - k],
        ]
    )


def _sums_20(k: Fraction) -> tuple[Fraction, Fraction]:
    """Return two sums of row 1 of (k + 1)^2 B P: the entries beside the diagonal together (20), and the diagonal
    (21)."""
    return k**2 - 1, k**3 - k


def _equations_20_and_21(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check in fractions that, whatever x1, x2 and x3 sum to 2 k + 1, the products of B with (19) have these sums,
    and that the first is below the second, since k > 1."""
    for k in map(Fraction, ("1.0001", "1.1", "3/2", "2", "7", "1000")):
        beside, diagonal = claim(k)
        for x1, x2 in product((k, Fraction(1), 2 * k - 1 / k, Fraction(-3, 7)), repeat=2):
            x = (x1, x2, 2 * k + 1 - x1 - x2)
            summed = (k * x[0] - k * k) + (k * x[1] - k) + (k * x[2] - 1)
            off = abs(summed - beside), abs(k * k * k - k - diagonal)  # k times k^2 minus 1 times k
            holds = max(off) == 0 and beside < diagonal
            yield fact(f"k = {k}, x1 = {x1}, x2 = {x2}", holds, f"{summed} beside {k * k * k - k}")


_TESTS = "tests/optimal_set/test_families.py::"

_in_proof = partial(Statement, locator="section IV, proof of statement 4", tolerance=PROGRAMS)

STATEMENTS = (
    _in_proof(
        name="(18)",
        formula="M = 3, epsilon > 0: all optima are (18), with 1 <= u' <= k (k + delta'), (1 - delta')^+ / k <= u "
        "<= k, u + u' = 2",
        compared_with="the ranges of p_13 and p_12 in (6), certified; all subsets of (2)",
        claim=_limits_18,
        check=_equation_18,
        implemented_by=("hushcount.optimal_set.three_outcome_optimum", "hushcount.optimal_set.three_outcome_range"),
        tested_by=(
            f"{_TESTS}test_equation_18",
            f"{_TESTS}test_equation_18_gives_members",
            f"{_TESTS}test_equation_18_gives_all_members",
        ),
        remark="The limits u <= k and u' <= k (k + delta') are never reached: the row sum leaves u <= 1 and "
        "u' <= 2 - (1 - delta')^+ / k.",
    ),
    Statement(
        name="Appendix D",
        locator="Appendix D",
        formula="f(u,v) >= (k + delta' + 2)(1 - 1/k^2)(k + delta' - 1)^2 > 0, reached at u = v = (1 - delta')/k, for "
        "delta' < 1",
        compared_with="determinants of the matrix (18)",
        claim=_factored_determinant,
        check=_appendix_d,
        tolerance=FLOATS,
        implemented_by=("hushcount.optimal_set.three_outcome_determinant",),
        tested_by=(f"{_TESTS}test_appendix_d_formula", f"{_TESTS}test_appendix_d_is_positive"),
    ),
    _in_proof(
        name="(19)",
        formula="M = 4, epsilon > 0, delta = 0: all optima are (19), with k <= x1 <= k^3, 1 <= x2 <= k^2, 1/k <= x3 "
        "<= k, x1 + x2 + x3 = 2 k + 1; B P is strictly diagonally dominant",
        compared_with="the ranges of row 1 in (6), certified; all subsets of (2); B P, multiplied out",
        claim=_limits_19,
        check=_equation_19,
        implemented_by=("hushcount.optimal_set.four_outcome_optimum", "hushcount.optimal_set.four_outcome_ranges"),
        tested_by=(
            f"{_TESTS}test_equation_19",
            f"{_TESTS}test_equation_19_gives_members",
            f"{_TESTS}test_equation_19_gives_all_members",
        ),
        remark="The limits x1 <= k^3 and x2 <= k^2 are never reached: the row sum leaves x1 <= 2 k - 1/k and "
        "x2 <= k + 1 - 1/k.",
    ),
    _in_proof(
        name="(20), (21)",
        formula="x1 + x2 + x3 = 2 k + 1: k x1 - k^2 + k x2 - k + k x3 - 1 = k^2 - 1 < k^3 - k for k > 1",
        compared_with="the sums, in fractions",
        claim=_sums_20,
        check=_equations_20_and_21,
        tolerance=EXACT,
        implemented_by=("hushcount.optimal_set.OptimalSet.full_rank_guarantee",),
        tested_by=("tests/optimal_set/test_rank.py::test_theorem_1_statement_4_reasons",),
    ),
)
