"""When every optimum has full rank, so that true counts can be estimated without bias whichever optimum is used.

Rows are numbered 1..M in this head. Let k = e^epsilon > 1, h = floor(M / 2) and S(h) = 1 + 1/k + ... + k^(1-h). As the
paper does for M = 4, look at combinations of the rows of P:

    k P_r - P_{r+1} for r <= h,    k P_r - P_{r-1} for r > M - h,
    (k + 1/k) P_r - P_{r-1} - P_{r+1} in the middle, r = h + 1, of an odd M.

They are the rows of B P, and det B = k^(M-2) (k^2 - 1) is not 0, so P has full rank if B P is strictly diagonally
dominant. What is known of all optima (docs/theory.md, "The whole set of optima") makes it so if

    2 (k gamma - min(a S(h), gamma) / k) > k - 1 + 2 delta,
    and, for odd M, (k - 1)^2 > 4 delta.

What is subtracted from k gamma is the largest value of entry (h + 1, h) in any optimum, its value in the nearest one.
At delta = 0 the first condition is gamma > 1 / (2 (1 + 1/k)), which holds for M = 3, for M = 4, and for every M if
epsilon >= ln 2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

from flint import arb, fmpq, fmpq_mat
from numpy.typing import ArrayLike

from hushcount.errors import TooLarge
from hushcount.inputs.stochastic import stochastic_rows
from hushcount.mechanisms.optima.kernel import Kernel
from hushcount.mechanisms.optima.optimum import Optimum
from hushcount.numbers.enclosure import at_least
from hushcount.privacy.row_pairs import Rows

__all__ = ["FullRankReason", "RankGuarantee", "determinant", "full_rank_guarantee"]

_MOST_ROWS = 128


class FullRankReason(Enum):
    """What is known of the rank of all optima; the value is the sentence for people."""

    FEW_OUTCOMES = "There are at most two outcomes: the only optimum is the canonical one, which is positive definite."
    HALF = "The diagonal is above 1/2: every optimum is strictly diagonally dominant."
    THREE_OUTCOMES = "There are three outcomes and epsilon > 0: the determinant of every optimum is positive."
    FOUR_OUTCOMES = (
        "There are four outcomes, epsilon > 0 and delta = 0: every optimum has strictly diagonally dominant "
        "combinations of its rows."
    )
    ROW_COMBINATIONS = (
        "Every optimum has strictly diagonally dominant combinations of its rows: each, times e^epsilon, less its "
        "neighbor towards the middle."
    )
    SINGULAR = "Epsilon and delta are 0: all rows of the only optimum are equal, and its rank is 1."
    NONE = (
        "No reason is known: some optima may be of lower rank. Check the one you use by its determinant; from some "
        "larger epsilon on, all are of full rank."
    )


@dataclass(frozen=True)
class RankGuarantee:
    """Whether every optimum has full rank (then its determinant is positive); true where it is proved.

    Attributes:
        reason: why, or why not.
        row: where combinations of rows decide, the true count whose row is not proved dominant; if all are, that of the
            row beside the middle, the last to become so. The mirrored row n - row serves as well. Otherwise None.
    """

    reason: FullRankReason
    row: int | None = None

    def __bool__(self) -> bool:
        return self.reason not in {FullRankReason.SINGULAR, FullRankReason.NONE}

    def to_dict(self) -> dict[str, Any]:
        """Return the guarantee, ready for JSON."""
        return {"guaranteed": bool(self), "reason": self.reason.name, "explanation": self.reason.value, "row": self.row}

    def __str__(self) -> str:
        return self.reason.value if self.row is None else f"{self.reason.value} (True count {self.row} decides.)"


def full_rank_guarantee(optimum: Optimum[Any]) -> RankGuarantee:
    """Return whether every optimum is proved to have full rank, and why: [RV26] Theorem 1 statement 4, or the
    argument in this module's head.

    The decision is rigorous, and takes O(1) at any n. The optima form a convex set, so if none is singular, all have a
    positive determinant, as the canonical one has.
    """
    n, epsilon, delta = optimum.n, optimum.epsilon, optimum.delta
    if n == 0:
        return RankGuarantee(FullRankReason.FEW_OUTCOMES)
    if epsilon == delta == 0:
        return RankGuarantee(FullRankReason.SINGULAR)
    if n == 1:
        return RankGuarantee(FullRankReason.FEW_OUTCOMES)
    if _is_above_half(optimum):
        return RankGuarantee(FullRankReason.HALF)
    if epsilon == 0:  # B is singular
        return RankGuarantee(FullRankReason.NONE)
    if n == 2:
        return RankGuarantee(FullRankReason.THREE_OUTCOMES)
    if n == 3 and delta == 0:
        return RankGuarantee(FullRankReason.FOUR_OUTCOMES)
    inner, middle = (n - 1) // 2, n // 2
    if not _is_positive(optimum, _dominance_beside_the_middle):
        return RankGuarantee(FullRankReason.NONE, inner)
    if n % 2 == 0 and not _is_positive(optimum, _dominance_in_the_middle):
        return RankGuarantee(FullRankReason.NONE, middle)
    return RankGuarantee(FullRankReason.ROW_COMBINATIONS, inner)


def determinant(matrix: ArrayLike) -> Fraction:
    """Return the determinant of a stochastic matrix exactly; its floats are taken as exact rationals, each row over
    its sum.

    Args:
        matrix: real numbers >= 0, shape (M, M), rows summing to 1 (`hushcount.inputs.stochastic.stochastic_rows`).

    Raises:
        InvalidParameter, BadUse: the matrix is not square and stochastic.
        TooLarge: more than 128 rows.
    """
    rows = Rows(stochastic_rows(matrix))
    if not rows.count <= _MOST_ROWS:
        raise TooLarge(f"an exact determinant of {rows.count:,} rows is above the limit of {_MOST_ROWS}")
    exact = fmpq_mat([[fmpq(*entry.as_integer_ratio()) for entry in row.tolist()] for row in rows.entries]).det()
    value = Fraction(int(exact.p), int(exact.q))
    for total in rows.sums:
        value /= total
    return value


def _is_above_half(optimum: Optimum[Any]) -> bool:
    if optimum.epsilon == 0:  # gamma is rational
        return (1 - optimum.delta) / (optimum.n + 1) + optimum.delta > Fraction(1, 2)
    return _is_positive(optimum, lambda K: K.gamma - arb(0.5))


def _dominance_beside_the_middle(K: Kernel) -> arb:
    """Return 2 (gamma - q^2 min(a S(h), gamma)) - (1 - q) - 2 q delta."""
    return 2 * (K.gamma - K.power(2) * (K.a * K.series(K.half)).min(K.gamma)) - K.gap - 2 * K.q * K.delta


def _dominance_in_the_middle(K: Kernel) -> arb:
    """Return (1 - q)^2 - 4 q^2 delta."""
    return K.gap**2 - 4 * K.power(2) * K.delta


def _is_positive(optimum: Optimum[Any], measure: Callable[[Kernel], arb]) -> bool:
    """Return whether a non-constant function of e^-epsilon, epsilon > 0, is positive; it is never 0."""
    return at_least(lambda p: measure(optimum._kernel(p)), Fraction(0), rational=False)
