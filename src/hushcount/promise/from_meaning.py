"""From what a promise means to the promise: the weakest one that still means as much.

Each is the reverse of a figure that `hushcount explain` prints, on the grid of three significant digits
(`hushcount.numbers.three_digits`), and rounded down, so that it protects at least as well as asked:

- the factor by which odds shift, e^epsilon;
- how often a test that mistakes one table for the other 5% of the time recognizes that other one,
  Phi(Phi^-1(1/20) + mu);
- the epsilon at a delta that mu implies: delta_mu(epsilon) <= delta (`hushcount.promise.gaussian`).

All three grow with the promise. So the grid is bisected, and both sides of the result are decided by enclosures: it
means no more than asked, and the number of the grid just above means more.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

from hushcount.errors import InvalidParameter
from hushcount.numbers.enclosure import at_most, ball
from hushcount.numbers.exact import Number, exact
from hushcount.numbers.three_digits import LAST_PLACE, first_place, grid_number
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import FALSE_ALARMS, GaussianDP

__all__ = ["epsilon_for_odds", "largest_mu_implying", "mu_for_epsilon", "mu_for_power"]

_LARGEST_EPSILON = 10**9
_LOWEST, _HIGHEST = -1990, 40
"""The exponents of mu: mu^2 has at most 4,096 bits, and epsilon is at most 10^9."""
_STEPS = 48


def epsilon_for_odds(odds: Number) -> Decimal:
    """Return the largest epsilon with which odds shift by no more than a factor: e^epsilon <= odds.

    Args:
        odds: the factor, >= 1; taken exactly.

    Returns:
        An exact decimal of three significant digits, rounded down; 0 for a factor of 1.

    Raises:
        InvalidParameter: odds below 1.
    """
    kept = exact(odds, "odds")
    if not kept >= 1:
        raise InvalidParameter("odds", odds, "a number >= 1")

    def holds(epsilon: Fraction) -> bool:
        return epsilon == 0 or at_most(lambda p: ball(epsilon).exp(), kept) is True

    return _largest(holds)


def mu_for_power(power: Number) -> Decimal:
    """Return the largest mu with which whoever is wrong 5% of the time is right at most this often.

    Args:
        power: > 1/20, what is had without any data, and < 1; taken exactly.

    Returns:
        An exact decimal of three significant digits, rounded down.

    Raises:
        InvalidParameter: another power, or one that needs a mu below 10^-100.
    """
    kept = exact(power, "power")
    if not FALSE_ALARMS < kept < 1:
        raise InvalidParameter("power", power, "a number > 0.05 and < 1")

    def holds(mu: Fraction) -> bool:
        return at_most(lambda p: GaussianDP(mu**2).power(), kept) is True

    return _above_0(_largest(holds), "power")


def mu_for_epsilon(epsilon: Number, delta: Number) -> Decimal:
    """Return the largest mu that implies (epsilon, delta)-DP.

    Args:
        epsilon: >= 0 and at most 10^9, in nats; taken exactly.
        delta: > 0 and < 1; no mu implies an epsilon at delta 0. Taken exactly.

    Returns:
        An exact decimal of three significant digits, rounded down.

    Raises:
        InvalidParameter: a number out of range, or a delta that needs a mu below 10^-100.
    """
    holds = _implies(epsilon, delta)
    return _above_0(_largest(holds), "delta")


def largest_mu_implying(epsilon: Number, delta: Number) -> Fraction:
    """Return the same to 48 bits, rounded down.

    1 / mu is the least standard deviation of Gaussian noise that is (epsilon, delta)-DP for shifts by 1 ([BW18]).

    Raises:
        InvalidParameter: a number out of range, or a delta that needs a mu below 2^-1990.
    """
    holds = _implies(epsilon, delta)
    low, high = _LOWEST, _HIGHEST
    if not holds(Fraction(2) ** low):
        raise InvalidParameter("delta", None, "larger: it needs a mu below 2^-1990")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(Fraction(2) ** middle) else (low, middle)
    least, step = Fraction(2) ** low, Fraction(2) ** low
    for _ in range(_STEPS):
        step /= 2
        if holds(least + step):
            least += step
    return least


def _implies(epsilon: Number, delta: Number) -> Callable[[Fraction], bool]:
    asked = EpsilonDelta.of(epsilon, delta)
    if not asked.epsilon <= _LARGEST_EPSILON:
        raise InvalidParameter("epsilon", epsilon, f"at most {_LARGEST_EPSILON:,} for Gaussian noise")
    if not asked.delta > 0:
        raise InvalidParameter("delta", delta, "a number > 0 and < 1 for Gaussian noise")

    def holds(mu: Fraction) -> bool:
        return mu == 0 or GaussianDP(mu**2).is_implied(asked.epsilon, asked.delta)

    return holds


def _largest(holds: Callable[[Fraction], bool]) -> Decimal:
    """Return the last number of the grid at which a condition holds that holds at 0 and, once it fails, fails on."""
    first = first_place(lambda place: not holds(Fraction(grid_number(place))), 1, LAST_PLACE)
    is_last = first == LAST_PLACE and holds(Fraction(grid_number(first)))
    return grid_number(first if is_last else first - 1)


def _above_0(mu: Decimal, argument: str) -> Decimal:
    if mu == 0:
        raise InvalidParameter(argument, None, "larger: it needs a mu below 10^-100")
    return mu
