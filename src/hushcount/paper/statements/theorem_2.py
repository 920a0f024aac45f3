"""Theorem 2: when a medium costs nothing.

A claim is the condition of a statement, evaluated in floats as it is printed. Wherever the condition holds, the check
holds the conclusion against what is proved of the optimum behind the medium.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product

import numpy as np

from hushcount.medium import (
    AppliedStatement,
    Conclusion,
    canonical_fits,
    statement_1,
    statement_2_max_norm,
    statement_2_row_norm,
    statement_3,
    statement_4,
    statement_5,
    statement_6,
)
from hushcount.numbers.arrays import Floats
from hushcount.paper.formulas import alpha, canonical_matrix, column_sum_norm, inverse, row_sum_norm
from hushcount.paper.grid import Grid
from hushcount.paper.media import (
    PROVED,
    TINY,
    circulant_media,
    invertible_media,
    loss,
    lossy_case,
    near_identities,
    promises,
    singular_media,
    words_of,
)
from hushcount.paper.statement import Case, Claim, Statement, fact
from hushcount.paper.statements.lemma_2 import radius_bound
from hushcount.paper.statements.theorem_1 import all_are_full_rank
from hushcount.paper.statements.theorem_2_proof import room_of_31
from hushcount.paper.tolerances import EXACT, RECEIVED

__all__ = ["STATEMENTS"]

_CLEAR = 1e-9
"""An entry of P* T^-1 farther from 0 has a sign that is no rounding."""


def _condition_25(T: Floats, epsilon: float, delta: float) -> bool:
    back = inverse(T)
    least = (canonical_matrix(len(T), epsilon, delta) @ back).min()
    return bool(least < -radius_bound(len(T), epsilon, delta) * column_sum_norm(back) - 1e-12)


def _phi(M: int, epsilon: float, delta: float) -> float:
    """Return the least entry of P* off its diagonal."""
    return (1 - delta) * alpha(M, epsilon) * float(np.exp(-(M // 2) * epsilon))


def _condition_27(T: Floats, epsilon: float, delta: float) -> bool:
    return row_sum_norm(inverse(T) - np.eye(len(T))) <= _phi(len(T), epsilon, delta)


def _condition_28(T: Floats, epsilon: float, delta: float) -> bool:
    M, away = len(T), np.abs(inverse(T) - np.eye(len(T))).max()
    return bool(away <= _phi(M, epsilon, delta) / (M * ((1 - delta) * alpha(M, epsilon) + delta)))


def _lossless_where(implementation: Callable[..., AppliedStatement]) -> Callable[[Claim, Grid], Iterator[Case]]:
    """Return a check that, where the condition holds, the medium costs nothing and the implementation concludes so."""

    def check(claim: Claim, grid: Grid) -> Iterator[Case]:
        for T, (epsilon, delta) in product([*invertible_media(grid), *near_identities()], promises(grid)):
            if claim(T.matrix, epsilon, delta):
                words = words_of(T, epsilon, delta)
                yield Case(words, loss(T, epsilon, delta))
                by_library = implementation(T, epsilon, delta).conclusion
                yield fact(f"{words}, by hushcount", by_library is Conclusion.LOSSLESS)

    return check


def _statement_1(claim: Claim, grid: Grid) -> Iterator[Case]:
    for T, (epsilon, delta) in product(invertible_media(grid), promises(grid)):
        if claim(T.matrix, epsilon, delta):
            yield lossy_case(T, epsilon, delta)
            by_library = statement_1(T, epsilon, delta).conclusion
            yield fact(f"{words_of(T, epsilon, delta)}, by hushcount", by_library is Conclusion.LOSSY)


def _reach_of_3(T: Floats) -> float | None:
    """Return an epsilon_0 = delta_0 of statement 3, from its proof: |p*_ij - 1/M| < s / (M^2 |T^-1|_max), where s is
    the least column sum of T^-1; None where s <= 0."""
    if not inverse(T).sum(axis=0).min() > 1e-12:
        return None
    M, room, reach = len(T), room_of_31(T), 1.0
    while not np.abs(canonical_matrix(M, reach, reach) - 1 / M).max() < room:
        reach /= 1.25
    return reach


def _statement_3(claim: Claim, grid: Grid) -> Iterator[Case]:
    for T in invertible_media(grid):
        reach = claim(T.matrix)
        if reach is None:
            continue
        for epsilon, delta in ((reach, 0.0), (reach, reach), (reach / 3, reach), (reach / 10, 0.0)):
            yield Case(words_of(T, epsilon, delta), loss(T, epsilon, delta))
        found = statement_3(T, 0).epsilon
        yield fact(f"{T.description}, by hushcount", found is not None and found >= reach)


def _misses_1(T: Floats) -> bool:
    """Return the condition of statement 4: 1 is outside the cone of the rows, since T^-1 has a column with a
    negative sum."""
    return bool(inverse(T).sum(axis=0).min() < -1e-12)


def _statement_4(claim: Claim, grid: Grid) -> Iterator[Case]:
    for T in invertible_media(grid):
        if claim(T.matrix):
            for epsilon, delta in ((0.0, 0.0), *TINY):
                yield lossy_case(T, epsilon, delta)
            yield fact(f"{T.description}, by hushcount", statement_4(T).conclusion is Conclusion.LOSSY_WHEN_SMALL)


def _moved_is_stochastic(T: Floats, epsilon: float, delta: float) -> bool:
    """Return whether P* T^-1 >= 0, up to rounding."""
    return _least_moved(T, epsilon, delta) >= -1e-13


def _least_moved(T: Floats, epsilon: float, delta: float) -> float:
    return float((canonical_matrix(len(T), epsilon, delta) @ inverse(T)).min())


def _canonical_fits(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check that the medium costs nothing where P* T^-1 is a mechanism; it may cost nothing elsewhere too."""
    nevertheless = False
    for T, (epsilon, delta) in product([*invertible_media(grid), *near_identities()], promises(grid)):
        least, words = _least_moved(T.matrix, epsilon, delta), words_of(T, epsilon, delta)
        if claim(T.matrix, epsilon, delta):
            yield Case(words, loss(T, epsilon, delta))
        elif least < -_CLEAR:
            nevertheless |= loss(T, epsilon, delta) <= RECEIVED.size
        if abs(least) > _CLEAR:
            expected = Conclusion.LOSSLESS if least > 0 else Conclusion.NOTHING
            yield fact(f"{words}, by hushcount", canonical_fits(T, epsilon, delta).conclusion is expected)
    yield fact("footnote 2", nevertheless)


def _statement_5(claim: Claim, grid: Grid) -> Iterator[Case]:
    epsilons = sorted({*(epsilon for epsilon, delta in promises(grid) if epsilon > 0), 1.5, 3.0})
    for T, epsilon in product(circulant_media(grid), epsilons):
        fits, words = claim(T.matrix, epsilon, 0.0), words_of(T, epsilon, 0.0)
        yield Case(words, loss(T, epsilon, 0.0)) if fits else lossy_case(T, epsilon, 0.0)
        expected = Conclusion.LOSSLESS if fits else Conclusion.LOSSY
        yield fact(f"{words}, by hushcount", statement_5(T, epsilon).conclusion is expected)


def _statement_6(claim: Claim, grid: Grid) -> Iterator[Case]:
    for T, (epsilon, delta) in product(singular_media(), [*promises(grid), *TINY]):
        if claim(T.order, epsilon, delta):
            yield lossy_case(T, epsilon, delta)
            if T.order in (3, 4, 8):  # exactly singular in floats
                by_library = statement_6(T, epsilon, delta).conclusion
                yield fact(f"{words_of(T, epsilon, delta)}, by hushcount", by_library is Conclusion.LOSSY)


_TESTS = "tests/medium/test_theorem_2.py::"

_in_section_5 = partial(Statement, locator="section V", compared_with=PROVED)

STATEMENTS = (
    _in_section_5(
        name="P* T^-1 >= 0",
        locator="section V, with footnote 2",
        formula="T invertible and P* T^-1 >= 0: p_e*(T) = p_e*; this is not necessary",
        claim=_moved_is_stochastic,
        check=_canonical_fits,
        tolerance=RECEIVED,
        implemented_by=("hushcount.medium.canonical_fits",),
        tested_by=(f"{_TESTS}test_canonical_fits",),
    ),
    _in_section_5(
        name="Theorem 2 statement 1 (25)",
        formula="min_ij [P* T^-1]_ij < -R_M |T^-1|_1 (25): p_e*(T) > p_e* (26)",
        claim=_condition_25,
        check=_statement_1,
        tolerance=EXACT,
        implemented_by=("hushcount.medium.statement_1", "hushcount.medium.statement_1_with_radius"),
        tested_by=(f"{_TESTS}test_theorem_2_statement_1",),
    ),
    _in_section_5(
        name="Theorem 2 statement 2 (27)",
        formula="|T^-1 - I|_inf <= (1 - delta) alpha_M q^floor(M/2): p_e*(T) = p_e*",
        claim=_condition_27,
        check=_lossless_where(statement_2_row_norm),
        tolerance=RECEIVED,
        implemented_by=("hushcount.medium.statement_2_row_norm",),
        tested_by=(f"{_TESTS}test_theorem_2_statement_2",),
    ),
    _in_section_5(
        name="Theorem 2 statement 2 (28)",
        formula="|T^-1 - I|_max <= (1 - delta) alpha_M q^floor(M/2) / (M ((1 - delta) alpha_M + delta)): p_e*(T) = "
        "p_e*",
        claim=_condition_28,
        check=_lossless_where(statement_2_max_norm),
        tolerance=RECEIVED,
        implemented_by=("hushcount.medium.statement_2_max_norm",),
        tested_by=(f"{_TESTS}test_theorem_2_statement_2",),
    ),
    _in_section_5(
        name="Theorem 2 statement 3 (29)",
        formula="All column sums of T^-1 > 0: p_e*(T) = p_e* up to some epsilon_0 and delta_0 > 0",
        compared_with=f"{PROVED}, at and below the epsilon_0 and delta_0 of the proof",
        claim=_reach_of_3,
        check=_statement_3,
        tolerance=RECEIVED,
        implemented_by=("hushcount.medium.statement_3",),
        tested_by=(f"{_TESTS}test_theorem_2_statement_3_and_4",),
    ),
    _in_section_5(
        name="Theorem 2 statement 4",
        formula="A column sum of T^-1 < 0: there are no such epsilon_0 and delta_0",
        compared_with=f"{PROVED}, at 0 and at tiny epsilon and delta",
        claim=_misses_1,
        check=_statement_4,
        tolerance=EXACT,
        implemented_by=("hushcount.medium.statement_4",),
        tested_by=(f"{_TESTS}test_theorem_2_statement_3_and_4",),
    ),
    _in_section_5(
        name="Theorem 2 statement 5",
        formula="T circulant, delta = 0: p_e*(T) = p_e* if and only if P* T^-1 >= 0",
        claim=_moved_is_stochastic,
        check=_statement_5,
        tolerance=RECEIVED,
        implemented_by=("hushcount.medium.statement_5",),
        tested_by=(f"{_TESTS}test_theorem_2_statement_5",),
    ),
    _in_section_5(
        name="Theorem 2 statement 6",
        formula="T singular, and (1 - delta) alpha_M + delta > 1/2, or M = 3 and epsilon > 0, or M = 4, epsilon > 0 "
        "and delta = 0: p_e*(T) > p_e*",
        claim=all_are_full_rank,
        check=_statement_6,
        tolerance=EXACT,
        implemented_by=("hushcount.medium.statement_6",),
        tested_by=(
            f"{_TESTS}test_theorem_2_statement_6",
            f"{_TESTS}test_statement_6_needs_every_optimum_to_be_of_full_rank",
        ),
        remark='The theorem begins with "For an invertible T"; this statement is about a singular one.',
    ),
)
