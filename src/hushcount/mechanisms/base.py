"""The contract that every mechanism keeps, whatever its form."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import Any, ClassVar, overload

import numpy as np
from flint import arb
from numpy.typing import ArrayLike

from hushcount.drawing.guide_table import GuideTable
from hushcount.drawing.law import Guide
from hushcount.drawing.sampler import draw
from hushcount.errors import InvalidParameter, TooLarge
from hushcount.inputs.arguments import integer
from hushcount.inputs.stochastic import LARGEST_MATRIX
from hushcount.numbers.arrays import Floats, Integers
from hushcount.numbers.enclosure import at_least, nearest_float
from hushcount.numbers.exact import Number, exact
from hushcount.promise.curve import Curve

__all__ = ["LARGEST_MATRIX", "LARGEST_ROW", "Mechanism"]

LARGEST_ROW = 2**24
"""The most outcomes for which `pmf(true)` without `released` answers (128 MiB of floats)."""


class Mechanism(ABC):
    """A stochastic matrix with rows = true count and columns = released count, both 0..n, rarely held as a matrix.

    `true` is always the true count, `released` the released count, `t` a distance; all are integers. Every float
    returned is right to 1e-12 relative (most to one unit in the last place), and 0.0 where the true value is below
    the least positive float. Errors about a true count never repeat it.

    Attributes:
        n: the largest count; there are `n + 1` outcomes.
        epsilon, delta: what the mechanism promises, epsilon in nats, both exact; None where nothing is claimed
            (`from_matrix`).
        name: the name of its kind, one word, as in `--mechanism`.

    What is proved of a mechanism, for an audit in closed form (docs/theory.md, "Auditing"); nothing by default:

    Attributes:
        proven_privacy: the promise that it keeps between true counts at distance 1, by proof; None if nothing is
            proved.
        has_monotone_ratios: whether, for true counts i < k, p(i, j) / p(k, j) does not increase with the released j
            (leaving out j where both are 0).
        is_mirrored: whether p(n - i, n - j) = p(i, j).
    """

    n: int
    name: str
    has_monotone_ratios: ClassVar[bool] = False
    is_mirrored: ClassVar[bool] = False

    @property
    @abstractmethod
    def epsilon(self) -> Fraction | None: ...

    @property
    @abstractmethod
    def delta(self) -> Fraction | None: ...

    # What a mechanism supplies: one rigorous enclosure, one float row, its moments, and its order for sampling.
    # Precisions are in bits, those of the working precision under which it is called (`numbers.enclosure`).

    @abstractmethod
    def enclosed_cdf(self, true: int, released: int, precision: int) -> arb:
        """Enclose Pr(output <= released | true), for 0 <= true <= n and any integer `released`."""

    def enclosed_above(self, true: int, released: int, precision: int) -> arb:
        """Enclose Pr(output > released | true)."""
        return 1 - self.enclosed_cdf(true, released, precision)

    def enclosed_pmf(self, true: int, released: int, precision: int) -> arb:
        """Enclose Pr(output = released | true), for released in 0..n."""
        return self.enclosed_cdf(true, released, precision) - self.enclosed_cdf(true, released - 1, precision)

    def enclosed_beyond(self, true: int, t: int, precision: int) -> arb:
        """Enclose Pr(|output - true| > t | true)."""
        return self.enclosed_cdf(true, true - t - 1, precision) + self.enclosed_above(true, true + t, precision)

    @abstractmethod
    def _row(self, true: int) -> Floats:
        """Return the n + 1 probabilities of one true count, each right to 1e-12 relative."""

    @abstractmethod
    def _moments(self, true: int, precision: int) -> tuple[arb, arb, arb]:
        """Enclose E|error|, E error^2 and E error, with error = released - true, at one true count."""

    @abstractmethod
    def worst_candidates(self) -> list[int]:
        """Return true counts among which the worst case of every error measure of this contract is found."""

    def _worst_beyond(self, t: int) -> list[int]:
        """Return true counts with one among them that is off by more than t >= 0 most often."""
        return self.worst_candidates()

    def _below(self, true: int, position: int, precision: int) -> arb:
        """Enclose the probability of the first `position` outcomes in the order that sampling uses."""
        return self.enclosed_cdf(true, position - 1, precision)

    def _outcome(self, true: int, position: int) -> int:
        """Return the outcome at a position of that order; any order gives the same law."""
        return position

    def _outcomes(self, true: Integers, position: Integers) -> Integers:
        """Apply `_outcome` elementwise."""
        return position

    def _alike(self, true: Integers) -> tuple[Integers, Integers]:
        """Return (alike, shift): what `_locate_many` finds for `true` is what it finds for `alike`, plus `shift`.

        True counts with the same `alike` share a guide table. An unsure position of one may be sure for the other.
        """
        return true, np.zeros_like(true)

    def _guide(self, true: Integers) -> Guide | None:
        """Return what settles most of these draws from their leading bits, or None if it would not pay."""
        return GuideTable.worth_building(self, true)

    @abstractmethod
    def _locate(self, true: int, u: float) -> int:
        """Return the position that is sure for every uniform in [u, u + 2**-53], or -1."""

    @abstractmethod
    def _locate_many(self, true: Integers, u: Floats) -> Integers:
        """Apply `_locate` elementwise."""

    # What an audit may use.

    @property
    def proven_privacy(self) -> Curve | None:
        return None

    def worst_pairs(self, distance: int) -> list[tuple[int, int]] | None:
        """Return ordered pairs of true counts at this distance, 1..n, of which one is worst at every epsilon, by
        proof; None if none are known."""
        return None

    def worst_event(self, true: int, other: int, epsilon: Fraction) -> list[tuple[int, int]] | None:
        """Return {j : p(true, j) > e^epsilon p(other, j)} as inclusive ranges of outcomes, for a pair of
        `worst_pairs`; None if it must be searched for."""
        return None

    @property
    def never_released(self) -> range:
        """Return the outcomes that no true count is released as, if those are some in the middle."""
        return range(0)

    # What users call.

    @property
    def error_probability(self) -> float:
        """The chance that the released count is not the true one, worst case over true counts."""
        return self.probability_beyond(0)

    @overload
    def pmf(self, true: int) -> Floats: ...

    @overload
    def pmf(self, true: int, released: int) -> float: ...

    def pmf(self, true: int, released: int | None = None) -> Floats | float:
        """Return Pr(output = released | true); the whole row, shape (n + 1,), when `released` is None.

        A single probability takes O(1) memory at any n; outside 0..n it is 0.0.

        Raises:
            InvalidParameter: `true` outside 0..n.
            TooLarge: a whole row of more than 2**24 outcomes.
        """
        true = self._checked_true(true)
        if released is None:
            if not self.n < LARGEST_ROW:
                raise TooLarge(f"a row of {self.n + 1:,} outcomes is too large; ask for pmf(true, released)")
            return self._row(true)
        j = integer(released, "released")
        if not 0 <= j <= self.n:
            return 0.0
        return nearest_float(lambda p: self.enclosed_pmf(true, j, p))

    def cdf(self, true: int, released: int) -> float:
        """Return Pr(output <= released | true); 0.0 below 0 and 1.0 from n up."""
        true, j = self._checked_true(true), integer(released, "released")
        return nearest_float(lambda p: self.enclosed_cdf(true, j, p))

    def quantile(self, true: int, probability: Number) -> int:
        """Return the least j with cdf(true, j) >= probability, decided rigorously; `probability` in [0, 1], kept
        exactly."""
        true, level = self._checked_true(true), exact(probability, "probability")
        if not 0 <= level <= 1:
            raise InvalidParameter("probability", probability, "a number from 0 to 1")
        if level == 0:
            return 0
        low, high = 0, self.n
        while low < high:
            middle = (low + high) // 2
            if self._reaches(true, middle, level):
                high = middle
            else:
                low = middle + 1
        return low

    def probability_within(self, t: int, true: int | None = None) -> float:
        """Return Pr(|output - true| <= t); the least over all true counts when `true` is None."""
        t = integer(t, "t", least=0)
        return self._worst(lambda i, p: 1 - self.enclosed_beyond(i, t, p), true, min, self._worst_beyond(t))

    def probability_beyond(self, t: int, true: int | None = None) -> float:
        """Return Pr(|output - true| > t), accurate when tiny; the largest over all true counts when `true` is None."""
        t = integer(t, "t", least=0)
        return self._worst(lambda i, p: self.enclosed_beyond(i, t, p), true, max, self._worst_beyond(t))

    def expected_absolute_error(self, true: int | None = None) -> float:
        """Return E|output - true|; the largest over all true counts when `true` is None."""
        return self._worst(lambda i, p: self._moments(i, p)[0], true, max)

    def expected_squared_error(self, true: int | None = None) -> float:
        """Return E(output - true)^2; the largest over all true counts when `true` is None."""
        return self._worst(lambda i, p: self._moments(i, p)[1], true, max)

    def bias(self, true: int | None = None) -> float:
        """Return E(output - true), positive when too large on average; the largest |bias| over all true counts when
        `true` is None."""
        if true is None:
            return self._worst(lambda i, p: abs(self._moments(i, p)[2]), None, max)
        return self._worst(lambda i, p: self._moments(i, p)[2], true, max)

    def draw(self, true: int | ArrayLike) -> Any:
        """Draw released counts, exactly and from the operating system's randomness.

        Args:
            true: one true count, or an array of them of any shape and integer type.

        Returns:
            An int, or an int64 array of independent draws in the same shape. The law is exactly this mechanism's, for
            the exact epsilon and delta; see `hushcount.drawing.sampler`.

        Raises:
            InvalidParameter: a true count that is not an integer in 0..n; the message does not repeat it.
        """
        return draw(self, true)

    def matrix(self) -> Floats:
        """Return the whole matrix, shape (n + 1, n + 1), rows = true count.

        Raises:
            TooLarge: more than 4,096 outcomes; use pmf, cdf and draw, which need no matrix.
        """
        if not self.n < LARGEST_MATRIX:
            raise TooLarge(
                f"a matrix of {self.n + 1:,} x {self.n + 1:,} is above the limit of {LARGEST_MATRIX:,} outcomes; "
                "pmf, cdf and draw need no matrix"
            )
        return np.vstack([self._row(i) for i in range(self.n + 1)])

    def _reaches(self, true: int, released: int, level: Fraction) -> bool:
        # Ask the smaller side, which is known with relative precision.
        if released < true:
            return at_least(lambda p: self.enclosed_cdf(true, released, p), level, rational=self._is_rational)
        return at_least(lambda p: -self.enclosed_above(true, released, p), level - 1, rational=self._is_rational)

    @property
    def _is_rational(self) -> bool:
        """Whether a chance other than 0 and 1 may be rational."""
        return not self.epsilon

    def _worst(
        self,
        measure: Callable[[int, int], arb],
        true: int | None,
        pick: Callable[..., float],
        candidates: list[int] | None = None,
    ) -> float:
        rows = [self._checked_true(true)] if true is not None else candidates or self.worst_candidates()
        return pick(nearest_float(lambda p, i=i: measure(i, p)) for i in rows)  # type: ignore[misc]

    def _checked_true(self, true: object) -> int:
        try:
            value = integer(true, "true")
        except InvalidParameter:
            value = -1
        if not 0 <= value <= self.n:
            # The true count is secret, so the message leaves it out.
            raise InvalidParameter("true", None, f"an integer count from 0 to n = {self.n}")
        return value
