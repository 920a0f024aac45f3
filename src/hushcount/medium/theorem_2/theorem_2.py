"""Theorem 2 of [RV26], when a medium costs nothing, as an object: T at one promise, enclosed.

T is lossless at (epsilon, delta) if p_e*(T) = p_e*: some mechanism G makes G T an optimum. Each statement compares one
number with one threshold. All numbers are enclosed, with the floats of T taken as exact rationals over the sums of
their rows, so a conclusion is a proof; where the balls overlap, nothing is concluded. |A|_1 is the largest sum of a
column of |A|, |A|_inf that of a row, |A|_max the largest entry; phi = (1 - delta) alpha_M q^floor(M/2) is the least
entry of P* off its diagonal, and gamma is its diagonal.

Balls are computed under a working precision of their own, whatever it is where they are asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from operator import ge, gt, le, lt

from flint import arb, ctx

from hushcount.mechanisms.optima.kernel import Kernel, kernel
from hushcount.medium.at_promise import AtPromise
from hushcount.medium.theorem_2.balls import largest, phi, smallest
from hushcount.medium.theorem_2.enclosed import Enclosed
from hushcount.medium.theorem_2.inverse import BITS, MOST_BITS, inverse, is_singular
from hushcount.medium.theorem_2.statement import AppliedStatement, Conclusion
from hushcount.medium.theorem_2.statement_3 import largest_epsilon
from hushcount.optimal_set.optimal_set import OptimalSet
from hushcount.optimal_set.rank import full_rank_guarantee

__all__ = ["Theorem2"]

_Sides = tuple[arb, arb | int]
"""The sides of a comparison."""

_LITTLE_NOISE = "the channel adds less noise than the mechanism needs, which can leave out as much"
_NONE_CAN_BE_MOVED = "the channel adds so much noise that no best mechanism can be moved behind it"

_RELATIONS = {"<": lt, "<=": le, ">": gt, ">=": ge}

_LOSSLESS = (Conclusion.LOSSLESS, Conclusion.LOSSLESS_WHEN_SMALL)
"""What is not concluded of a medium with outputs of its own: P* T^-1 in front of it is private after the decision."""


def _concluding(
    conclusion: Conclusion, name: str, words: str, reason: str
) -> Callable[[Callable[[Theorem2, Enclosed], _Sides]], cached_property[AppliedStatement]]:
    """Return a decorator for a statement that concludes so where T is known to be invertible, and the two sides that
    the method makes from T^-1 are surely related as the words say; the reason says what that means."""
    (holds,) = (_RELATIONS[word] for word in words.split() if word in _RELATIONS)

    def of(sides: Callable[[Theorem2, Enclosed], _Sides]) -> cached_property[AppliedStatement]:
        @wraps(sides)
        def judged(at: Theorem2) -> AppliedStatement:
            if at.medium.is_decided and conclusion in _LOSSLESS:
                return _inapplicable(name, "what arrives is a count, and no output that is read as one")
            if at.inverse is None:
                return _inapplicable(name, "T is known to be invertible")
            with ctx.workprec(BITS):
                quantity, threshold = sides(at, at.inverse)
                sides_in_floats = float(quantity.mid()), float(arb(threshold).mid())
                if not holds(quantity, threshold):
                    return AppliedStatement(name, Conclusion.NOTHING, words, *sides_in_floats)
                return AppliedStatement(name, conclusion, words, *sides_in_floats, reason=reason)

        return cached_property(judged)

    return of


def _inapplicable(name: str, condition: str) -> AppliedStatement:
    return AppliedStatement(name, Conclusion.NOTHING, f"does not hold: {condition}")


@dataclass(frozen=True, eq=False)
class Theorem2(AtPromise):
    """What the theorem's statements say of a medium at one promise; each is also a function in `statements`.

    Raises:
        TooLarge: what needs the inverse, or the rank, is asked of more than 256 symbols that are not circulant.
    """

    @property
    def kernel(self) -> Kernel:
        """alpha_M, q and so on, with the precision of what is computed from the inverse."""
        return kernel(self.medium.order, self.privacy.epsilon, self.privacy.delta, BITS)

    @cached_property
    def inverse(self) -> Enclosed | None:
        """T^-1; None where T is singular, or not told from a singular matrix (`inverse`)."""
        return inverse(self.medium)

    @cached_property
    @ctx.workprec(BITS)
    def inverse_norm(self) -> arb:
        """|T^-1|_1, where there is one."""
        assert self.inverse is not None
        return largest(self.inverse.absolute().column_sums())

    @cached_property
    @ctx.workprec(BITS)
    def moved(self) -> Enclosed | None:
        """P* T^-1, which in front of T gives the canonical optimum where it is >= 0; None where `inverse` is.

        Where its entries are about as large as the least entry phi of P*, telling their signs takes as many more bits
        as phi is small. These are spent, up to 4,096 in all, if the first try leaves the sign of the least entry open.
        """
        found = self._moved(BITS)
        if found is None or (least := smallest(found.entries())) >= 0 or least < 0:
            return found
        K = self.kernel
        needed = BITS + math.ceil(min(MOST_BITS, float(K.epsilon.upper()) * K.half / math.log(2)))
        again = self._moved(needed) if BITS < needed <= MOST_BITS else None
        return found if again is None else again

    @_concluding(
        Conclusion.LOSSLESS,
        "P* T^-1 >= 0",
        "min_ij [P* T^-1]_ij >= 0",
        "the mechanism can be moved behind the channel: P* T^-1 has no negative entry",
    )
    def canonical_fits(self, back: Enclosed) -> _Sides:
        """Return the remark before the theorem."""
        return self._least_moved, 0

    @_concluding(
        Conclusion.LOSSY, "statement 1 (25) with R_M", "min_ij [P* T^-1]_ij < -radius |T^-1|_1", _NONE_CAN_BE_MOVED
    )
    def statement_1(self, back: Enclosed) -> _Sides:
        """(25) with R_M."""
        return self._least_moved, -arb(self._optimal_set.radius_bound) * self.inverse_norm

    @_concluding(
        Conclusion.LOSSY,
        "statement 1 (25) with the exact radius",
        "min_ij [P* T^-1]_ij < -radius |T^-1|_1",
        _NONE_CAN_BE_MOVED,
    )
    def statement_1_with_radius(self, back: Enclosed) -> _Sides:
        """(25) with the exact radius; see `OptimalSet.ranges` for what may fail."""
        return self._least_moved, -arb(self._optimal_set.radius) * self.inverse_norm

    @_concluding(Conclusion.LOSSLESS, "statement 2 (27)", "|T^-1 - I|_inf <= phi", _LITTLE_NOISE)
    def statement_2_row_norm(self, back: Enclosed) -> _Sides:
        """(27)."""
        return largest(back.less_identity().absolute().row_sums()), phi(self.kernel)

    @_concluding(Conclusion.LOSSLESS, "statement 2 (28)", "|T^-1 - I|_max <= phi / (M gamma)", _LITTLE_NOISE)
    def statement_2_max_norm(self, back: Enclosed) -> _Sides:
        """(28)."""
        K = self.kernel
        return largest(back.less_identity().absolute().entries()), phi(K) / (K.M * K.gamma)

    @cached_property
    def statement_3(self) -> AppliedStatement:
        """(29), at this delta; epsilon does not matter."""
        found = self._is_inside
        if self.inverse is None or found.conclusion is Conclusion.NOTHING:
            return found
        with ctx.workprec(BITS):
            room = smallest(self.inverse.column_sums()) / (self.medium.order * self.inverse_norm)
        epsilon = largest_epsilon(self.medium.order, self.privacy.delta, room)
        if epsilon is None:
            words = f"{found.comparison}, but delta is too large"
            return replace(found, conclusion=Conclusion.NOTHING, comparison=words, reason="")
        return replace(found, epsilon=epsilon)

    @_concluding(
        Conclusion.LOSSY_WHEN_SMALL,
        "statement 4",
        "the least column sum of T^-1 < 0",
        "no mix of symbols arrives as every count equally often, which much privacy asks for",
    )
    def statement_4(self, back: Enclosed) -> _Sides:
        """Statement 4; the promise does not matter."""
        return smallest(back.column_sums()), 0

    @property
    def statement_5(self) -> AppliedStatement:
        """Statement 5, both ways."""
        if not (self.medium.is_circulant and self.privacy.delta == 0):
            return _inapplicable("statement 5", "T is circulant and delta = 0")
        if self._fits_not.conclusion is Conclusion.LOSSY:
            return self._fits_not
        return replace(self.canonical_fits, name="statement 5")

    @property
    def statement_6(self) -> AppliedStatement:
        """Statement 6, with the sharper condition."""
        if not is_singular(self.medium):
            return _inapplicable("statement 6", "T is singular")
        if not full_rank_guarantee(self.nearest):
            return _inapplicable("statement 6", "every optimum is of full rank")
        return AppliedStatement(
            "statement 6",
            Conclusion.LOSSY,
            "T is singular, and every optimum is of full rank",
            reason="what the channel has mixed up no longer tells all counts apart, as every best mechanism does",
        )

    @property
    def corollary_2_1(self) -> AppliedStatement:
        """Corollary 2.1, at this delta."""
        sums, M = self.medium.matrix.sum(axis=0).tolist(), self.medium.order
        if not all(abs(total - 1) <= M * 2.0**-50 for total in sums):
            return _inapplicable("Corollary 2.1", "T is doubly stochastic")
        return replace(self.statement_3, name="Corollary 2.1")

    @_concluding(
        Conclusion.LOSSY,
        "statement 5",
        "min_ij [P* T^-1]_ij < 0",
        "the mechanism cannot be moved behind the channel, and neither can another that is as good, since the channel "
        "treats all symbols alike: P* T^-1 has a negative entry",
    )
    def _fits_not(self, back: Enclosed) -> _Sides:
        return self._least_moved, 0

    @_concluding(
        Conclusion.LOSSLESS_WHEN_SMALL,
        "statement 3 (29)",
        "the least column sum of T^-1 > 0",
        "a mix of all symbols arrives as every count equally often, and leaves room for the small differences that "
        "much privacy allows",
    )
    def _is_inside(self, back: Enclosed) -> _Sides:
        return smallest(back.column_sums()), 0

    @cached_property
    @ctx.workprec(BITS)
    def _least_moved(self) -> arb:
        """min_ij [P* T^-1]_ij."""
        assert self.moved is not None
        return smallest(self.moved.entries())

    @cached_property
    def _optimal_set(self) -> OptimalSet:
        return OptimalSet(self.medium.n, self.privacy.epsilon, self.privacy.delta)

    def _moved(self, bits: int) -> Enclosed | None:
        back = inverse(self.medium, bits)
        if back is None:
            return None
        with ctx.workprec(bits):
            return back.behind_canonical(kernel(self.medium.order, self.privacy.epsilon, self.privacy.delta, bits))
