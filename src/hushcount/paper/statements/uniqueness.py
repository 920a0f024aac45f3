"""The proof of Theorem 1 statement 2 at delta > 0: which constraints a second optimum P' has to be held against.

P' is P* with p_12 + zeta and p_1M - zeta. For a small zeta only those constraints matter that are active in P* and have
one of the two entries in their subset U, and not both. Between rows 1 and 2, with M >= 3 and epsilon > 0,

    p_1j - e^epsilon p_2j is delta at j = 1, 0 where d_M(2,j) = d_M(1,j) + 1, and negative elsewhere,
    p_2j - e^epsilon p_1j is delta at j = 2, 0 where d_M(1,j) = d_M(2,j) + 1, and negative elsewhere.

So the active ones are P_1(U) <= e^epsilon P_2(U) + delta for U = {1} and any outcomes from ceil(M/2) + 2 on, and
P_2(U) <= e^epsilon P_1(U) + delta for U = {2} and any outcomes from 3 to floor(M/2) + 1; at epsilon = 0 from 3 on in
both. Where one of the entries that move is in U, the constraint moves to the safe side by zeta or more: in the first
kind that is M, and P_1(U) falls; in the second it is 2, and P_1(U) rises. So P' is private, as the paper concludes.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations, product
from math import exp

import numpy as np

from hushcount.paper.formulas import canonical_matrix
from hushcount.paper.generic import subset_excess, subsets
from hushcount.paper.grid import Grid
from hushcount.paper.statement import Case, Claim, Erratum, Statement, fact
from hushcount.paper.statements.theorem_1 import at, second_optimum
from hushcount.paper.tolerances import EXACT

__all__ = ["STATEMENTS"]

_ORDERS = (3, 4, 5, 6, 7, 8)
"""Numbers of outcomes; sets of three outcomes begin to matter at M = 6."""

_ACTIVE = 1e-12
"""How near to delta an active constraint is; the others are much farther away at the parameters of the grid."""

Subsets = set[tuple[int, ...]]


def _active_with_a_moved_entry(M: int, epsilon: float) -> Subsets:
    """Return the U that P' has to be held against at delta > 0; outcomes from 1."""
    far = range((M + 1) // 2 + 2 if epsilon > 0 else 3, M + 1)
    near = range(3, M // 2 + 2 if epsilon > 0 else M + 1)
    with_last = {(1, *others) for others in _choices(far) if M in others}
    return with_last | {(2, *others) for others in _choices(near) if M not in others}


def _choices(outcomes: range) -> Iterator[tuple[int, ...]]:
    return chain.from_iterable(combinations(outcomes, size) for size in range(len(outcomes) + 1))


def _named_in_print(M: int, epsilon: float) -> Subsets:
    return {(2,), (1, 2), (1, M)}


def _proof_of_statement_2(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check all subsets and both directions: the active ones with one moved entry are named, and P' leaves them by
    zeta."""
    for M, epsilon, delta in product(_ORDERS, grid.epsilons, (delta for delta in grid.deltas if delta > 0)):
        zeta, moved = second_optimum(M, epsilon, delta)
        named, missing, k = claim(M, epsilon), set(), exp(epsilon)
        is_safe = subset_excess(moved, epsilon) <= delta + _ACTIVE
        for U in subsets(M):
            outcomes = tuple((np.flatnonzero(U) + 1).tolist())
            if (2 in outcomes) == (M in outcomes):
                continue
            before, after = (P[:, U].sum(axis=1) for P in (canonical_matrix(M, epsilon, delta), moved))
            for one, other in ((0, 1), (1, 0)):
                if abs(before[one] - k * before[other] - delta) <= _ACTIVE:
                    missing |= {outcomes} - named
                    is_safe &= bool(after[one] - k * after[other] <= delta - zeta + _ACTIVE)
        told = ", ".join(f"{{{', '.join(map(str, U))}}}" for U in sorted(missing))
        yield fact(at(M, epsilon, delta), is_safe and not missing, f"active and not named: {told}" if missing else "")


STATEMENTS = (
    Statement(
        name="Theorem 1 statement 2 proof",
        locator="section IV, proof of statement 2, delta > 0",
        formula="epsilon > 0: P' with p_12 + zeta and p_1M - zeta has to be held against U = {1,M} with any outcomes "
        "from ceil(M/2) + 2 on, and U = {2} with any from 3 to floor(M/2) + 1; all of them move to the safe side",
        compared_with="the active constraints among all 2^M subsets of (2), both ways",
        claim=_active_with_a_moved_entry,
        check=_proof_of_statement_2,
        tolerance=EXACT,
        implemented_by=("hushcount.optimal_set.OptimalSet.is_unique",),
        tested_by=("tests/optimal_set/test_shared.py::test_theorem_1_statement_2_against_programs",),
        erratum=Erratum(
            "it suffices to verify the constraints with U = {2}, {1,2} and {1,M}",
            "Those are not all that are active in P* and have one moved entry: from M = 4 on there is {2,3}, from "
            "M = 6 on {1,M-1,M}, and for larger M more of either kind. All of them move to the safe side, so that P' "
            "is private and the statement stands.",
            _named_in_print,
            "M = 6, epsilon = 1, delta = 0.1",
        ),
    ),
)
