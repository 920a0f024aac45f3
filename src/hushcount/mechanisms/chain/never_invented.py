"""Selection and count in one release: 0 is never released as anything else, and what is there is told best.

A group that nobody is in must not be invented, so a true count of 0 is always released as 0. In a chain that is x_0 =
1, and then the count i is released as 0, *hidden*, with chance g^i(1): the least that any mechanism under the promise
hides i with, for every i at once ([DVGM22]). Of all these chains this one is

    x_j = max(g^j(1), c_{j+1}),     c_1, c_2, ... the chain of the nearest optimum.

As f and g do not fall, chances are maxima too: Pr(output <= j | i) is the larger one of the nearest optimum's and
g^i(1). So the law is that of the nearest optimum whose lowest part, of mass g^i(1), is told as 0. With J the least j >=
1 for which c_{j+1} > g^j(1), the outcomes 1..J-1 are never released, and from J on the two laws are the same
(docs/theory.md, "Never an invented group").
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Protocol, cast

import numpy as np
from flint import arb
from numpy.typing import NDArray

from hushcount.drawing.guide_table import GUIDE_BITS
from hushcount.drawing.law import Guide, Law
from hushcount.errors import InvalidParameter
from hushcount.inputs.arguments import integer
from hushcount.mechanisms.base import Mechanism
from hushcount.mechanisms.chain.chain import LARGEST_SEARCH, Chain
from hushcount.mechanisms.chain.hiding import HIDING_ERROR, Hiding
from hushcount.numbers.arrays import Floats, Integers
from hushcount.numbers.enclosure import at_least, nearest_float, refinements
from hushcount.numbers.exact import Number, exact
from hushcount.promise.curve import Curve
from hushcount.promise.piecewise_linear import PiecewiseLinear

__all__ = ["NeverInvented", "check_hides"]

_BITS_OF_TIES = 2**12
_LEAST, _STEEPEST = 1e-300, Fraction(700)
_WORD, _BIN = 2.0**-53, 2.0**-GUIDE_BITS


class _Optimum(Law, Protocol):
    """What is asked of a nearest optimum beside being a mechanism."""

    def side_sums(self, true: int, is_below: bool, last: int | None, precision: int) -> tuple[arb, arb]: ...

    def _far_floats(self, true: Integers, j: Integers) -> Floats: ...


@dataclass(frozen=True)
class NeverInvented(Chain):
    """See the module and `nearest`.

    Attributes:
        optimum: the nearest optimum.
    """

    optimum: Mechanism

    name = "never-invented"

    def __post_init__(self) -> None:
        kept = self.optimum.proven_privacy if self.optimum.name == "nearest" else None
        if kept is None:
            raise InvalidParameter("optimum", self.optimum.name, "a nearest optimum")
        check_hides(kept)

    @property
    def n(self) -> int:  # type: ignore[override]
        return self.optimum.n

    @property
    def promise(self) -> PiecewiseLinear:
        return cast(PiecewiseLinear, self.optimum.proven_privacy)

    @property
    def _is_rational(self) -> bool:
        return True  # 1 is hidden with chance 1 - delta

    # --- what is hidden ---------------------------------------------------------------------------------------------

    def enclosed_shown(self, true: int, precision: int) -> arb:
        """Enclose the chance that a true count is released as a count above 0, 1 - g^true(1) = f^true(0)."""
        return self.promise.largest_after(arb(0), arb(1), true)

    def chance_shown(self, true: int) -> float:
        """Return the chance that a true count is released as a count above 0: 0 for 0, and else the largest possible
        for any mechanism under the promise that releases 0 as 0 only."""
        true = self._checked_true(true)
        return nearest_float(lambda p: self.enclosed_shown(true, p))

    def first_shown(self, chance: Number) -> int | None:
        """Return the least true count that is shown with at least this chance, and so is every larger one; None if
        none up to n is.

        Raises:
            InvalidParameter: a chance outside [0, 1].
        """
        level = exact(chance, "chance")
        if not 0 <= level <= 1:
            raise InvalidParameter("chance", chance, "a number from 0 to 1")
        low, high = 0, self.n + 1
        while low < high:
            middle = (low + high) // 2
            if at_least(lambda p, i=middle: self.enclosed_shown(i, p), level, rational=True):  # type: ignore[misc]
                high = middle
            else:
                low = middle + 1
        return low if low <= self.n else None

    @cached_property
    def least_shown(self) -> int:
        """J, the least count above 0 that is ever released, and so the least that may come out right; 0 if n = 0."""
        low, high = min(1, self.n), self.n
        while low < high:
            middle = (low + high) // 2
            if self._is_released(middle):
                high = middle
            else:
                low = middle + 1
        return low

    def _is_released(self, j: int) -> bool:
        """Return whether c_{j+1} > g^j(1); where that cannot be told they are equal, as they may be at epsilon 0."""

        def room(precision: int) -> arb:
            return self.enclosed_shown(j, precision) - self.optimum.enclosed_above(j, j, precision)

        for value in refinements(room, last=_BITS_OF_TIES):
            if value > 0:
                return True
            if value <= 0:
                break
        return False

    @property
    def never_released(self) -> range:
        return range(1, self.least_shown)

    # --- the law ----------------------------------------------------------------------------------------------------

    def _far(self, true: int, j: int, precision: int) -> arb:
        if true == 0:
            return arb(0)
        if j < self.least_shown:
            shown = self.enclosed_shown(true, precision)
            return 1 - shown if j < true else shown
        if j < true:
            return self.optimum.enclosed_cdf(true, j, precision)
        return self.optimum.enclosed_above(true, j, precision)

    def enclosed_pmf(self, true: int, released: int, precision: int) -> arb:
        if true == 0 or released in self.never_released:
            return arb(int(released == 0))
        if released > self.least_shown:
            return self.optimum.enclosed_pmf(true, released, precision)
        return super().enclosed_pmf(true, released, precision)

    def _row(self, true: int) -> Floats:
        row, J = self.optimum._row(true).copy(), self.least_shown
        row[:J] = 0.0
        row[[0, J]] = self.pmf(true, 0), self.pmf(true, J)
        if true == 0:
            row[1:] = 0.0
        return row

    def enclosed_cdf_if_shown(self, true: int, released: int, precision: int) -> arb:
        """Enclose Pr(output <= released | true, output > 0), for 1 <= true <= n and any integer `released`."""
        if released < max(self.least_shown, true):
            if released < self.least_shown:
                return arb(0)
            shown = self.enclosed_shown(true, precision)
            return (self.enclosed_cdf(true, released, precision) - (1 - shown)) / shown
        return 1 - self.enclosed_above_if_shown(true, released, precision)

    def enclosed_above_if_shown(self, true: int, released: int, precision: int) -> arb:
        """Enclose Pr(output > released | true, output > 0), for 1 <= true <= n and any integer `released`."""
        if released < max(self.least_shown, true):
            return 1 - self.enclosed_cdf_if_shown(true, released, precision)
        return self.enclosed_above(true, released, precision) / self.enclosed_shown(true, precision)

    def cdf_if_shown(self, true: int, released: int) -> float:
        """Return Pr(output <= released | true, output > 0), for a true count above 0.

        Raises:
            InvalidParameter: `true` is 0, which is never shown, or above n.
        """
        true, j = self._checked_true(true), integer(released, "released")
        if true == 0:
            raise InvalidParameter("true", None, f"an integer count from 1 to n = {self.n}")
        return nearest_float(lambda p: self.enclosed_cdf_if_shown(true, j, p))

    # --- its errors -------------------------------------------------------------------------------------------------

    is_steady = False
    """At j = J the chain may rise by more than g allows back: sets are looked for among all counts."""

    def _moments(self, true: int, precision: int) -> tuple[arb, arb, arb]:
        """Take the tails at thresholds below J from what is hidden, all others from the optimum."""
        if true == 0:
            return arb(0), arb(0), arb(0)
        J, optimum, shown = self.least_shown, cast(_Optimum, self.optimum), self.enclosed_shown(true, precision)
        near = max(true - J, 0)
        first, second = optimum.side_sums(true, True, near, precision)
        down, down_squared = first + (true - near) * (1 - shown), second + (true**2 - near**2) * (1 - shown)
        up, up_squared = optimum.side_sums(true, False, None, precision)
        if true < J:
            first, second = optimum.side_sums(true, False, J - true, precision)
            up, up_squared = up - first + (J - true) * shown, up_squared - second + (J - true) ** 2 * shown
        return down + up, down_squared + up_squared, up - down

    def _candidates(self, largest: int) -> list[int]:
        """Return the counts that may be hidden, and of the rest, whose rows are the optimum's, its worst."""
        hidden, others = self._hiding.length, {self.n // 2, self.n}
        if hidden <= largest:
            return sorted({*range(min(hidden, self.n + 1)), *others})
        return super()._candidates(largest)

    def _span(self) -> float:
        hidden = self._hiding.length
        return float(self.n) if hidden > LARGEST_SEARCH else min(float(self.n), hidden + self._reach)

    @property
    def _reach(self) -> float:
        """Return how far from the truth the optimum may be with a chance above 1e-300."""
        epsilons: list[Fraction] = [pair.epsilon for pair in self.promise.all_pairs()]
        return 700 / max(float(min(*epsilons, _STEEPEST)), _LEAST)

    def _far_floats(self, true: Integers, j: Integers) -> Floats:
        true, j = np.broadcast_arrays(true, j)
        hidden = self._hiding.at(true)
        below = np.where(j < true, hidden, 1 - hidden)
        tails = np.where(j < self.least_shown, below, cast(_Optimum, self.optimum)._far_floats(true, j))
        return np.where(true == 0, 0.0, tails)

    # --- draws, in the optimum's order: what is hidden is the first part of it, or the last ---------------------------

    @cached_property
    def _hiding(self) -> Hiding:
        return Hiding.of(self.promise, self.n)

    def _below(self, true: int, position: int, precision: int) -> arb:
        last = self._outcome(true, position - 1)
        if self._outcome(true, 0) == 0:
            return self.enclosed_cdf(true, last, precision)
        return self.enclosed_above(true, last - 1, precision)

    def _outcome(self, true: int, position: int) -> int:
        return self.optimum._outcome(true, position)

    def _outcomes(self, true: Integers, position: Integers) -> Integers:
        return self.optimum._outcomes(true, position)

    def _locate(self, true: int, u: float) -> int:
        hidden = self._hiding.one(true) if true else 2.0
        if hidden == 0:
            return self.optimum._locate(true, u)
        zero = self._outcome(true, 0)  # the map from outcomes to positions is its own inverse
        low = 1 - u - _WORD if zero else u
        if low + _WORD <= hidden - HIDING_ERROR:
            return zero
        return self.optimum._locate(true, u) if low >= hidden + HIDING_ERROR else -1

    def _locate_many(self, true: Integers, u: Floats) -> Integers:
        return self._unless_hidden(self.optimum._locate_many(true, u), true, u, _WORD)

    def _guide(self, true: Integers) -> Guide | None:
        guide = self.optimum._guide(true)
        return None if guide is None else _HidingGuide(self, guide)

    def _unless_hidden(self, found: Integers, true: Integers, u: Floats, width: float) -> Integers:
        """Return positions found for the optimum, and that of 0, or -1, where the uniform from u to u + width says
        so."""
        some = np.flatnonzero(true < self._hiding.length)
        if not len(some):
            return found
        few, low = true[some], u[some]
        hidden = self._hiding.at(few) + (few == 0)  # 0 is hidden whatever the uniform
        zero = self._outcomes(few, np.zeros_like(few))
        low = np.where(zero > 0, 1 - low - width, low)
        kept = np.where(low >= hidden + HIDING_ERROR, found[some], -1)
        found = found.copy()
        found[some] = np.where(low + width <= hidden - HIDING_ERROR, zero, kept)
        return found


@dataclass(frozen=True, eq=False)
class _HidingGuide:
    mechanism: NeverInvented
    guide: Guide

    def positions_at(self, true: Integers, leading: NDArray[np.uint16]) -> Integers:
        """See `Guide`."""
        found = self.guide.positions_at(true, leading)
        return self.mechanism._unless_hidden(found, true, leading.astype(np.float64) * _BIN, _BIN)


def check_hides(promise: Curve, mechanism: str | None = None) -> None:
    """Check that a count of 0 can always be released as 0 and another one as something else: f(0) > 0.

    Args:
        mechanism: the name under which it is asked for, if by name.

    Raises:
        InvalidParameter: it cannot.
    """
    if isinstance(promise, PiecewiseLinear) and not promise.starts_above_zero:
        reason = "at delta 0, what has chance 0 for a count of 0 has chance 0 for every other"
        raise InvalidParameter("delta", "0", f"> 0 where no group may be invented: {reason}")
    if not promise.starts_above_zero:
        reason = "under a promise in mu or rho, what has chance 0 for a count of 0 has chance 0 for every other"
        if mechanism is None:
            raise InvalidParameter("never_invented", None, f"left out here: {reason}")
        raise InvalidParameter("mechanism", mechanism, f"another one here: {reason}")
