"""Accuracy first: the least promise with which a released count is near enough, often enough.

The promise is sought on the grid of three significant digits (`hushcount.numbers.three_digits`), so that what is found
is short to write and at most 1 % above the least real number. The least Pr(|output - i| <= t | i) over the true counts
i grows with the promise:

- `nearest`, epsilon at a fixed delta: proved; the worst true count is the edge or the middle (docs/theory.md,
  "Accuracy first");
- `nearest`, mu: proved for t + 1 <= (n + 2) / 2, where the edge is the worst; for larger t it held wherever tried;
- within:T at its own T: its chance is the best there is, and what keeps a promise keeps a weaker one as well.

So the grid is searched, from a guess by floats where one question takes long. Both sides of the result are then decided
directly: the chance is reached there, and it is not reached at the number of the grid just below. For `nearest`
enclosures decide, of (epsilon, delta) in closed form, of mu from the one threshold that the edge needs; for within:T
bounds that are 2e-12 apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from statistics import NormalDist

from hushcount.errors import InvalidParameter, TooLarge
from hushcount.inputs.arguments import integer
from hushcount.mechanisms.base import Mechanism
from hushcount.mechanisms.chain.best_within import LARGEST_T, outcomes_of, reaches_within
from hushcount.mechanisms.chain.nearest import NearestGaussian
from hushcount.mechanisms.chain.nearest_shifts import NearestShifts
from hushcount.mechanisms.optima.nearest import Nearest
from hushcount.numbers.enclosure import at_least
from hushcount.numbers.exact import Number, exact
from hushcount.numbers.roots import root_near
from hushcount.numbers.three_digits import LAST_PLACE, first_place, grid_number, place_at_least
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP
from hushcount.promise.normal import normal_cdf

__all__ = ["Accuracy", "epsilon_for", "mu_for"]

_QUANTILE = NormalDist().inv_cdf
_LEAST_MU, _TINY = 1e-12, 1e-300
_FIRST_MU = place_at_least(_LEAST_MU)
_LARGEST_OF_WITHIN = 1 - 1e-9
"""The largest chance that bounds 2e-12 apart can still tell from 1."""
_LARGEST_DELTA = Fraction(99, 100)
_LIKE_MANY = 128
"""The t of a small range; its epsilon times its t is about that of any larger one in proportion, for a first guess."""


@dataclass(frozen=True)
class Accuracy:
    """How near a released count has to be, and how often, whatever the true count is.

    Attributes:
        within: how far off is still right, >= 0.
        chance: how often at least, > 0 and <= 1.
    """

    within: int
    chance: Fraction

    @classmethod
    def of(cls, within: int, chance: Number) -> Accuracy:
        """Check both, and keep them exactly.

        Raises:
            InvalidParameter: `within` is no integer >= 0, or `chance` no number > 0 and <= 1.
        """
        kept = exact(chance, "chance")
        if not 0 < kept <= 1:
            raise InvalidParameter("chance", chance, "a number > 0 and <= 1")
        return cls(integer(within, "within", least=0), kept)

    def least_epsilon(self, n: int, delta: Fraction, mechanism: str = "nearest", *, rows: int = 1) -> Decimal:
        """Return the least epsilon that reaches it; see `epsilon_for`.

        Args:
            rows: how far one change may move a count; what draws it then keeps `EpsilonDelta.per_row`. With a delta
                above 0 only 1: the chance is not known to grow with epsilon there.
        """
        assert rows == 1 or delta == 0
        self._check(mechanism, n)
        is_certain = n <= self.within if mechanism == "nearest" else n <= 2 * self.within
        if self.chance == 1 and not is_certain and (delta == 0 or self.within == 0):
            reason = "with delta 0" if delta == 0 else "of a count that is exactly right"
            raise InvalidParameter("chance", 1, f"a number < 1 {reason}: then no epsilon makes it certain")

        def reached(place: int) -> bool:
            return self.is_reached(n, EpsilonDelta(Fraction(grid_number(place)), delta).per_row(rows), mechanism)

        start = self._guessed_epsilon(n, delta) if mechanism != "nearest" and self.within > _LIKE_MANY else None
        if start is not None and rows > 1:
            start = min(place_at_least(float(grid_number(start)) * rows), LAST_PLACE)
        return grid_number(self._found(first_place(reached, 0, LAST_PLACE, start), reached))

    def _guessed_epsilon(self, n: int, delta: Fraction) -> int:
        """Return about the place of the least epsilon of within:T, from a range that is smaller in proportion."""
        share = Fraction(2 * self.within + 1, 2 * _LIKE_MANY + 1)
        smaller = outcomes_of(n, self.within) * (2 * _LIKE_MANY + 1) - 1
        less = Accuracy(_LIKE_MANY, self.chance)

        def reached(place: int) -> bool:
            promise = EpsilonDelta(Fraction(grid_number(place)) * share, min(delta * share, _LARGEST_DELTA))
            return less.is_reached(smaller, promise, f"within:{_LIKE_MANY}")

        return first_place(reached, 0, LAST_PLACE)

    def least_mu(self, n: int, mechanism: str = "nearest", *, rows: int = 1) -> Decimal:
        """Return the least mu that reaches it; see `mu_for`, and `least_epsilon` for `rows`."""
        self._check(mechanism, n)
        if self.chance == 1 and n > self.within and (mechanism == "nearest" or n > 2 * self.within):
            raise InvalidParameter("chance", 1, "a number < 1: no mu makes it certain")

        def reached(place: int) -> bool:
            return self.is_reached(n, GaussianDP.of(grid_number(place)).per_row(rows), mechanism)

        guess = min(place_at_least(rows * self._guessed_mu(n, mechanism)), LAST_PLACE)
        return grid_number(self._found(first_place(reached, _FIRST_MU, LAST_PLACE, guess), reached))

    def _guessed_mu(self, n: int, mechanism: str) -> float:
        """Return about the least mu, from rough thresholds."""
        t, chance, is_nearest = self.within, min(float(self.chance), 1 - 2.0**-52), self._is_of_nearest(mechanism)
        if n <= (t if is_nearest else 2 * t):
            return _LEAST_MU
        wanted = -_QUANTILE(max(float(1 - self.chance), _TINY)) if chance > 0.5 else _QUANTILE(max(chance, _TINY))

        def missing(logarithm: float) -> float:
            mu = _LEAST_MU * math.exp(logarithm - 1)
            if not is_nearest:
                return chance - NearestShifts.rough(mu * (2 * t + 1), outcomes_of(n, t) - 1).gamma
            return wanted - mu * (t + 0.5) + NearestShifts.rough(mu, n).at(t)

        first = max(_LEAST_MU, 2 * _QUANTILE((1 + chance) / 2) / (2 * t + 1))
        return _LEAST_MU * math.exp(root_near(missing, 1 + math.log(first / _LEAST_MU), 0.3, 3e-6, least=1.0) - 1)

    def is_reached(self, n: int, promise: EpsilonDelta | GaussianDP, mechanism: str = "nearest") -> bool:
        """Return whether the mechanism of this promise on 0..n reaches it for every true count.

        Where bounds cannot tell, it counts as not reached.
        """
        if n <= self.within:
            return True
        if not self._is_of_nearest(mechanism):
            return reaches_within(n, promise, self.within, float(self.chance))
        if isinstance(promise, GaussianDP):
            shift = NearestGaussian(n, promise).shift_at_most(self.within)
            return at_least(
                lambda p: -normal_cdf(shift - promise.mu * (2 * self.within + 1) / 2), self.chance - 1, rational=True
            )
        made = Nearest(n, promise)

        def reaches(true: int) -> bool:
            return at_least(
                lambda precision: -made.enclosed_beyond(true, self.within, precision),
                self.chance - 1,
                rational=promise.epsilon == 0,
            )

        return all(map(reaches, made._worst_beyond(self.within)))

    def _is_of_nearest(self, mechanism: str) -> bool:
        """Return whether it is nearest, or as right as nearest: at a distance of 0, which nearest decides exactly."""
        return mechanism == "nearest" or self.within == 0

    def check_mechanism(self, mechanism: object) -> None:
        """Check that it is a mechanism for which the least promise is found.

        Raises:
            InvalidParameter: neither "nearest" nor "within:T" with the distance asked for.
        """
        if mechanism not in ("nearest", f"within:{self.within}"):
            told = mechanism.name if isinstance(mechanism, Mechanism) else mechanism
            raise InvalidParameter("mechanism", told, f"nearest or within:{self.within}, the distance asked for")

    def _check(self, mechanism: str, n: int) -> None:
        self.check_mechanism(mechanism)
        if mechanism == "nearest":
            return
        if not self.within <= LARGEST_T:
            raise TooLarge(f"the best chance to be within {self.within:,} is not computed; at most {LARGEST_T:,}")
        if self.within and n > 2 * self.within and self.chance > _LARGEST_OF_WITHIN:
            raise InvalidParameter("chance", float(self.chance), f"at most {_LARGEST_OF_WITHIN} with {mechanism}")

    def _found(self, place: int, reached: Callable[[int], bool]) -> int:
        if place == LAST_PLACE and not reached(place):
            raise InvalidParameter("chance", None, f"one that is reached at {grid_number(place)}")
        return place


def epsilon_for(n: int, within: int, chance: Number, delta: Number = 0, *, mechanism: str = "nearest") -> Decimal:
    """Return the least epsilon with which the released count is off by at most `within` with at least this chance.

    "Least" means to three significant digits, rounded up: 0, or a number of the grid 1.00e-100, 1.01e-100, ..., 9.99e5.
    The chance is reached there, and not at the number of the grid just below; both are decided by enclosures.

    Args:
        n: the largest count, >= 0; any size takes some milliseconds.
        within: how far off is still right, an integer >= 0; 0 asks for the true count itself.
        chance: > 0 and <= 1, whatever the true count is; taken exactly.
        delta: >= 0 and < 1.
        mechanism: "nearest", or "within:T" with T = `within`, for the least that any mechanism at all needs, up to
            1e-12 in the chance.

    Returns:
        An exact decimal, which can be given wherever an epsilon is asked for. 0 where the chance is reached without any
        data, as it is at n <= `within`.

    Raises:
        InvalidParameter: naming the argument, its value and the rule; also chance 1, where no epsilon makes it certain.
        TooLarge: within:T beyond 4,096.
    """
    wanted, kept = Accuracy.of(within, chance), EpsilonDelta.of(0, delta).delta
    return wanted.least_epsilon(integer(n, "n", least=0), kept, mechanism)


def mu_for(n: int, within: int, chance: Number, *, mechanism: str = "nearest") -> Decimal:
    """Return the same for Gaussian differential privacy: the least mu, of three significant digits, from 1e-12 on.

    Arguments, what is returned and errors are those of `epsilon_for`.
    """
    return Accuracy.of(within, chance).least_mu(integer(n, "n", least=0), mechanism)
