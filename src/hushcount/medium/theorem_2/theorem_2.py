"""When a medium costs nothing: Theorem 2 of [RV26], statement by statement.

T is lossless at (epsilon, delta) if p_e*(T) = p_e*: some mechanism G makes G T an optimum. Each function applies one
statement to a medium, or its matrix, of up to 256 symbols, and tells what it concludes, and from which number against
which threshold. All numbers are enclosed, with T the exact rationals that its floats are over the sums of their rows,
so that a conclusion is a proof; where the balls overlap, nothing is concluded. |A|_1 is the largest sum of a column of
|A|, |A|_inf that of a row, |A|_max the largest entry; phi = (1 - delta) alpha_M q^floor(M/2) is the least entry of P*
off its diagonal, and gamma its diagonal.

All functions raise InvalidParameter or BadUse for a bad argument, and TooLarge for more than 256 symbols.
"""

from __future__ import annotations

from flint import arb, arb_mat, ctx
from numpy.typing import ArrayLike

from hushcount.mechanisms.optima.kernel import Kernel, kernel
from hushcount.mechanisms.optima.nearest import Nearest
from hushcount.medium.channels.given import as_medium
from hushcount.medium.medium import Medium
from hushcount.medium.theorem_2.balls import absolute, column_sums, identity, largest, row_sums, smallest
from hushcount.medium.theorem_2.inverse import BITS, canonical_before, inverse, is_singular
from hushcount.medium.theorem_2.statement import AppliedStatement, Conclusion
from hushcount.medium.theorem_2.statement_3 import largest_epsilon
from hushcount.numbers.exact import Number
from hushcount.optimal_set.optimal_set import OptimalSet
from hushcount.optimal_set.rank import full_rank_guarantee
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = [
    "canonical_fits",
    "corollary_2_1",
    "statement_1",
    "statement_1_with_radius",
    "statement_2_max_norm",
    "statement_2_row_norm",
    "statement_3",
    "statement_4",
    "statement_5",
    "statement_6",
]

_INVERTIBLE = "T is known to be invertible"


def canonical_fits(medium: Medium | ArrayLike, epsilon: Number, delta: Number = 0) -> AppliedStatement:
    """If P* T^-1 >= 0 it is a mechanism, and T is lossless (before Theorem 2)."""
    T, privacy = as_medium(medium), EpsilonDelta.of(epsilon, delta)
    least = _least_entry(T, privacy)
    if least is None:
        return _inapplicable("P* T^-1 >= 0", _INVERTIBLE)
    found = Conclusion.LOSSLESS if least >= 0 else Conclusion.NOTHING
    return _compared("P* T^-1 >= 0", found, "min_ij [P* T^-1]_ij >= 0", least)


def statement_1(medium: Medium | ArrayLike, epsilon: Number, delta: Number = 0) -> AppliedStatement:
    """(25) with R_M: if min_ij [P* T^-1]_ij < -R_M |T^-1|_1, T is lossy."""
    T = as_medium(medium)
    optimal = OptimalSet(T.n, epsilon, delta)
    return _statement_1(T, optimal, "statement 1 (25) with R_M", optimal.radius_bound)


def statement_1_with_radius(medium: Medium | ArrayLike, epsilon: Number, delta: Number = 0) -> AppliedStatement:
    """(25) with the exact radius Delta_M instead of its bound, which the proof allows: sharper; up to 65 symbols.

    Raises:
        TooLarge, SolverFailed: see `OptimalSet.ranges`.
    """
    T = as_medium(medium)
    optimal = OptimalSet(T.n, epsilon, delta)
    return _statement_1(T, optimal, "statement 1 (25) with the exact radius", optimal.radius)


def statement_2_row_norm(medium: Medium | ArrayLike, epsilon: Number, delta: Number = 0) -> AppliedStatement:
    """(27): if |T^-1 - I|_inf <= phi, T is lossless."""
    T, privacy = as_medium(medium), EpsilonDelta.of(epsilon, delta)
    moved = _away_from_identity(T)
    if moved is None:
        return _inapplicable("statement 2 (27)", _INVERTIBLE)
    with ctx.workprec(BITS):
        norm, phi = largest(row_sums(absolute(moved))), _least_of_canonical(_kernel(T, privacy))
        return _if_at_most("statement 2 (27)", "|T^-1 - I|_inf <= phi", norm, phi)


def statement_2_max_norm(medium: Medium | ArrayLike, epsilon: Number, delta: Number = 0) -> AppliedStatement:
    """(28): if |T^-1 - I|_max <= phi / (M gamma), T is lossless."""
    T, privacy = as_medium(medium), EpsilonDelta.of(epsilon, delta)
    moved = _away_from_identity(T)
    if moved is None:
        return _inapplicable("statement 2 (28)", _INVERTIBLE)
    with ctx.workprec(BITS):
        K, norm = _kernel(T, privacy), largest(absolute(moved).entries())
        return _if_at_most(
            "statement 2 (28)", "|T^-1 - I|_max <= phi / (M gamma)", norm, _least_of_canonical(K) / (K.M * K.gamma)
        )


def statement_3(medium: Medium | ArrayLike, delta: Number = 0) -> AppliedStatement:
    """If all column sums of T^-1 are positive (1 lies inside the cone of the rows of T), T is lossless for all small
    enough epsilon and delta. `epsilon` says how small, by a sharper argument than the paper's (`statement_3.py`)."""
    return _statement_3(as_medium(medium), delta, "statement 3 (29)")


def statement_4(medium: Medium | ArrayLike) -> AppliedStatement:
    """If a column sum of T^-1 is negative (1 lies outside the cone of the rows of T), there are no epsilon and delta
    up to which T is always lossless: by its remark on (25), T is lossy at all small enough ones."""
    back = inverse(as_medium(medium))
    if back is None:
        return _inapplicable("statement 4", _INVERTIBLE)
    with ctx.workprec(BITS):
        least = smallest(column_sums(back))
    found = Conclusion.LOSSY_WHEN_SMALL if least < 0 else Conclusion.NOTHING
    return _compared("statement 4", found, "the least column sum of T^-1 < 0", least)


def statement_5(medium: Medium | ArrayLike, epsilon: Number, delta: Number = 0) -> AppliedStatement:
    """For circulant T and delta = 0: lossless if and only if P* T^-1 >= 0. T must be circulant float for float."""
    T, privacy = as_medium(medium), EpsilonDelta.of(epsilon, delta)
    if not (T.is_circulant and privacy.delta == 0):
        return _inapplicable("statement 5", "T is circulant and delta = 0")
    least = _least_entry(T, privacy)
    if least is None:
        return _inapplicable("statement 5", _INVERTIBLE)
    found = Conclusion.LOSSLESS if least >= 0 else Conclusion.LOSSY if least < 0 else Conclusion.NOTHING
    words = f"min_ij [P* T^-1]_ij {'<' if found is Conclusion.LOSSY else '>='} 0"
    return _compared("statement 5", found, words, least)


def statement_6(medium: Medium | ArrayLike, epsilon: Number, delta: Number = 0) -> AppliedStatement:
    """A singular T is lossy where every optimum is of full rank: by statement 4 of Theorem 1, or the sharper condition
    of docs/theory.md, "Full rank"."""
    T, privacy = as_medium(medium), EpsilonDelta.of(epsilon, delta)
    if not is_singular(T):
        return _inapplicable("statement 6", "T is singular")
    if not full_rank_guarantee(Nearest(T.n, privacy)):
        return _inapplicable("statement 6", "every optimum is of full rank")
    return AppliedStatement("statement 6", Conclusion.LOSSY, "T is singular, and every optimum is of full rank")


def corollary_2_1(medium: Medium | ArrayLike, delta: Number = 0) -> AppliedStatement:
    """An invertible doubly stochastic T is lossless for all small enough epsilon and delta: the column sums of T^-1 are
    all 1. The columns of its floats need only sum to 1 up to rounding, as what is proved is statement 3."""
    T = as_medium(medium)
    if not all(abs(total - 1) <= T.order * 2.0**-50 for total in T.matrix.sum(axis=0).tolist()):
        return _inapplicable("Corollary 2.1", "T is doubly stochastic")
    return _statement_3(T, delta, "Corollary 2.1")


def _statement_1(T: Medium, optimal: OptimalSet, name: str, radius: float) -> AppliedStatement:
    back, least = inverse(T), _least_entry(T, optimal.nearest.privacy)
    if back is None or least is None:
        return _inapplicable(name, _INVERTIBLE)
    with ctx.workprec(BITS):
        threshold = -arb(radius) * largest(column_sums(absolute(back)))
    found = Conclusion.LOSSY if least < threshold else Conclusion.NOTHING
    return _compared(name, found, "min_ij [P* T^-1]_ij < -radius |T^-1|_1", least, threshold)


def _statement_3(T: Medium, delta: Number, name: str) -> AppliedStatement:
    excused, back = EpsilonDelta.of(0, delta).delta, inverse(T)
    if back is None:
        return _inapplicable(name, _INVERTIBLE)
    with ctx.workprec(BITS):
        least = smallest(column_sums(back))
        words = "the least column sum of T^-1 > 0"
        if not least > 0:
            return _compared(name, Conclusion.NOTHING, words, least)
        room = least / (T.order * largest(column_sums(absolute(back))))
    epsilon = largest_epsilon(T.order, excused, room)
    if epsilon is None:
        return _compared(name, Conclusion.NOTHING, f"{words}, but delta is too large", least)
    return AppliedStatement(name, Conclusion.LOSSLESS_WHEN_SMALL, words, float(least.mid()), 0.0, epsilon)


def _least_entry(T: Medium, privacy: EpsilonDelta) -> arb | None:
    """The least entry of P* T^-1."""
    moved = canonical_before(T, privacy)
    if moved is None:
        return None
    with ctx.workprec(BITS):
        return smallest(moved.entries())


def _away_from_identity(T: Medium) -> arb_mat | None:
    """T^-1 - I."""
    back = inverse(T)
    if back is None:
        return None
    with ctx.workprec(BITS):
        return back - identity(T.order)


def _kernel(T: Medium, privacy: EpsilonDelta) -> Kernel:
    return kernel(T.order, privacy.epsilon, privacy.delta, BITS)


def _least_of_canonical(K: Kernel) -> arb:
    """phi"""
    return K.a * K.power(K.half)


def _if_at_most(name: str, words: str, quantity: arb, threshold: arb) -> AppliedStatement:
    found = Conclusion.LOSSLESS if quantity <= threshold else Conclusion.NOTHING
    return _compared(name, found, words, quantity, threshold)


def _compared(name: str, found: Conclusion, words: str, quantity: arb, threshold: arb | int = 0) -> AppliedStatement:
    return AppliedStatement(name, found, words, float(quantity.mid()), float(arb(threshold).mid()))


def _inapplicable(name: str, condition: str) -> AppliedStatement:
    return AppliedStatement(name, Conclusion.NOTHING, f"does not hold: {condition}")
