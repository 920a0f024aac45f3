"""Accuracy first: the least promise with which a released count is as near as is asked, at least as often as is asked.

The promise is sought on the grid of three significant digits (`hushcount.numbers.three_digits`), so that what is found
is short to say and at most 1 % above the least real one. Pr(|output - i| <= t | i), least over the true counts i, grows
with the promise:

- `nearest`, epsilon at a fixed delta: proved, the worst true count being the edge or the middle (docs/theory.md,
  "Accuracy first");
- `nearest`, mu: proved for t + 1 <= (n + 2) / 2, the edge being the worst; for larger t it held wherever it was tried;
- within:T at its own T: it is the best chance there is, and what keeps a promise keeps a weaker one as well.

So the grid is bisected. Of what is returned, both sides are decided for themselves: the chance is reached there, and it
is not reached at the number of the grid just below. Of `nearest` by enclosures, of within:T by bounds 2e-12 apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from statistics import NormalDist

from hushcount.errors import InvalidParameter, TooLarge
from hushcount.inputs.arguments import integer
from hushcount.mechanisms.base import Mechanism
from hushcount.mechanisms.chain.best_within import LARGEST_T, reaches_within
from hushcount.mechanisms.chain.nearest import NearestGaussian
from hushcount.mechanisms.optima.nearest import Nearest
from hushcount.numbers.enclosure import at_least
from hushcount.numbers.exact import Number, exact
from hushcount.numbers.three_digits import LAST_PLACE, first_place, grid_number, place_at_least
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP

__all__ = ["Accuracy", "epsilon_for", "mu_for"]

_QUANTILE = NormalDist().inv_cdf
_FIRST_MU = place_at_least(1e-12)
_LARGEST_OF_WITHIN = 1 - 1e-9
"""What bounds 2e-12 apart can still tell from 1."""
_LIKE_MANY = 256
"""Outcomes of a small range whose chances are near those of any larger one, for a first guess."""


@dataclass(frozen=True)
class Accuracy:
    """How near a released count has to be, and how often, whatever the true count is.

    Attributes:
        within: how far off is still right, >= 0.
        chance: at least so often, > 0 and <= 1.
    """

    within: int
    chance: Fraction

    @classmethod
    def of(cls, within: int, chance: Number) -> Accuracy:
        """Check and keep exactly.

        Raises:
            InvalidParameter: `within` is no integer >= 0, or `chance` no number > 0 and <= 1.
        """
        kept = exact(chance, "chance")
        if not 0 < kept <= 1:
            raise InvalidParameter("chance", chance, "a number > 0 and <= 1")
        return cls(integer(within, "within", least=0), kept)

    def least_epsilon(self, n: int, delta: Fraction, mechanism: str = "nearest") -> Decimal:
        """See `epsilon_for`."""
        self._check(mechanism, n)
        is_certain = n <= self.within if mechanism == "nearest" else n <= 2 * self.within
        if self.chance == 1 and not is_certain and (delta == 0 or self.within == 0):
            reason = "with delta 0" if delta == 0 else "of a count that is exactly right"
            raise InvalidParameter("chance", 1, f"a number < 1 {reason}: then no epsilon makes it certain")

        def reached(place: int) -> bool:
            return self.is_reached(n, EpsilonDelta(Fraction(grid_number(place)), delta), mechanism)

        return grid_number(self._found(first_place(reached, 0, LAST_PLACE), reached))

    def least_mu(self, n: int, mechanism: str = "nearest") -> Decimal:
        """See `mu_for`."""
        self._check(mechanism, n)
        if self.chance == 1 and n > self.within and (mechanism == "nearest" or n > 2 * self.within):
            raise InvalidParameter("chance", 1, "a number < 1: no mu makes it certain")
        start = place_at_least(
            2 * _QUANTILE((1 + min(float(self.chance), _LARGEST_OF_WITHIN)) / 2) / (2 * self.within + 1)
        )
        for size in sorted({min(n, _LIKE_MANY + 4 * self.within), n}):

            def reached(place: int, size: int = size) -> bool:
                return self.is_reached(size, GaussianDP.of(grid_number(place)), mechanism)

            place = first_place(reached, _FIRST_MU, LAST_PLACE, start)
            start = place
        return grid_number(self._found(place, reached))

    def is_reached(self, n: int, promise: EpsilonDelta | GaussianDP, mechanism: str = "nearest") -> bool:
        """Whether the mechanism of this promise on 0..n is so near so often, for every true count; where bounds cannot
        tell, it is not."""
        if n <= self.within:
            return True
        if mechanism != "nearest" and self.within > 0:  # at 0 both are right equally often: decide nearest, exactly
            return reaches_within(n, promise, self.within, float(self.chance))
        made: Mechanism = Nearest(n, promise) if isinstance(promise, EpsilonDelta) else NearestGaussian(n, promise)
        is_rational = isinstance(promise, EpsilonDelta) and promise.epsilon == 0

        def reaches(true: int) -> bool:
            return at_least(
                lambda precision: -made._beyond(true, self.within, precision), self.chance - 1, rational=is_rational
            )

        return all(map(reaches, made._worst_beyond(self.within)))

    def check_mechanism(self, mechanism: object) -> None:
        """Check that it is one of which the least promise is found.

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
    """The least epsilon with which the released count is off by at most `within` with at least this chance.

    "Least" is of three significant digits, rounded up: 0, or a number of the grid 1.00e-100, 1.01e-100, ..., 9.99e5.
    The chance is reached there, and not at the number of the grid just below; both are decided by enclosures.

    Args:
        n: the largest count, >= 0; any size takes a few milliseconds.
        within: how far off is still right, an integer >= 0; 0 asks for the true count itself.
        chance: > 0 and <= 1, whatever the true count is; taken exactly.
        delta: >= 0 and < 1.
        mechanism: "nearest", or "within:T" with T = `within`: the least that any mechanism whatever needs, up to
            1e-12 in the chance.

    Returns:
        An exact decimal, which everything here takes as an epsilon. 0 where the chance is reached without any data, as
        it is at n <= `within`.

    Raises:
        InvalidParameter: naming the argument, its value and the rule; also chance 1, where no epsilon makes it certain.
        TooLarge: within:T beyond 4,096.
    """
    wanted, kept = Accuracy.of(within, chance), EpsilonDelta.of(0, delta).delta
    return wanted.least_epsilon(integer(n, "n", least=0), kept, mechanism)


def mu_for(n: int, within: int, chance: Number, *, mechanism: str = "nearest") -> Decimal:
    """The same for Gaussian differential privacy: the least mu, of three significant digits, from 1e-12 on.

    It takes a few set-ups of `nearest` for mu: 50 ms for thousands of outcomes, about a second for a million and more.

    Args, returns and errors are as those of `epsilon_for`.
    """
    return Accuracy.of(within, chance).least_mu(integer(n, "n", least=0), mechanism)
