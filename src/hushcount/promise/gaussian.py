"""Gaussian differential privacy: neighbors are as hard to tell apart as N(0, 1) and N(mu, 1) ([DRS22]).

    f(x) = Phi(Phi^-1(x) + mu),     g(y) = Phi(Phi^-1(y) - mu),     k times: k mu in place of mu.

mu^2 is kept exactly, since it is what adds up when releases are composed; mu is enclosed. A promise at distance s is
mu s.

What it means in the other currencies:

- (epsilon, Phi(-epsilon / mu + mu / 2) - e^epsilon Phi(-epsilon / mu - mu / 2))-DP for every epsilon, exactly;
- rho-zCDP with rho = mu^2 / 2. The converse is false: a release that is rho-zCDP need not be sqrt(2 rho)-GDP. `of_rho`
  is the promise that gives *at least* rho-zCDP; which mechanism is wrong least often under rho-zCDP itself is an open
  question, and its error may be below what is least here;
- a release that is epsilon-DP is mu-GDP with mu = 2 Phi^-1(1 / (1 + e^-epsilon)), and with no smaller one: the two
  chords of the Gaussian curve at its kink are the curve of epsilon.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from flint import arb, ctx

from hushcount.errors import InvalidParameter
from hushcount.inputs.arguments import integer
from hushcount.numbers.enclosure import at_most, ball, nearest_float, refinements
from hushcount.numbers.exact import LARGEST_BITS, Number, exact, exact_text
from hushcount.numbers.intervals import exactly, lower_fraction, upper_fraction
from hushcount.numbers.text import plain, rounded_down, rounded_up, typed
from hushcount.promise.curve import Curve
from hushcount.promise.normal import normal_cdf, normal_quantile
from hushcount.promise.together import at_most_keepable, sum_of
from hushcount.words.chances import chance_text

__all__ = ["FALSE_ALARMS", "GaussianDP", "mu_squared_of_pure_epsilon", "root_text"]

_ENOUGH_BITS = 62
_NEGLIGIBLE = Fraction(1, 2**1100)
_DIGITS = 20
"""Digits of a price in mu^2."""
FALSE_ALARMS = Fraction(1, 20)
"""How often whoever tells two tables apart may be wrong, in what mu means in words."""
_LEAST, _LARGE = Fraction(1, 10**330), 2**30
_ROOT_BITS = 256
_USELESS = 2**20


@dataclass(frozen=True)
class GaussianDP(Curve):
    """mu-GDP with an exact mu^2.

    Attributes:
        mu_squared: mu^2 > 0.
    """

    mu_squared: Fraction

    def __post_init__(self) -> None:
        if not isinstance(self.mu_squared, Fraction):
            rule = "a Fraction, the square of mu; for mu itself there is GaussianDP.of('0.2')"
            raise InvalidParameter("mu_squared", self.mu_squared, rule)
        if not self.mu_squared > 0:
            raise InvalidParameter("mu_squared", self.mu_squared, "a finite number > 0")
        if not max(self.mu_squared.numerator.bit_length(), self.mu_squared.denominator.bit_length()) <= LARGEST_BITS:
            raise InvalidParameter("mu_squared", None, f"a number of at most {LARGEST_BITS:,} bits")

    @classmethod
    def of(cls, mu: Number) -> GaussianDP:
        """Check mu and keep it exactly; see `hushcount.numbers.exact` for what is accepted.

        Raises:
            InvalidParameter: not a number, or not > 0.
        """
        kept = exact(mu, "mu")
        if not kept > 0:
            raise InvalidParameter("mu", mu, "a finite number > 0")
        return cls(kept**2)

    @classmethod
    def of_rho(cls, rho: Number) -> GaussianDP:
        """Return the promise with mu^2 = 2 rho, which gives at least rho-zCDP.

        Raises:
            InvalidParameter: not a number, or not > 0.
        """
        kept = exact(rho, "rho")
        if not kept > 0:
            raise InvalidParameter("rho", rho, "a finite number > 0")
        return cls(2 * kept)

    @property
    def rho(self) -> Fraction:
        """Return rho = mu^2 / 2, with which it is rho-zCDP."""
        return self.mu_squared / 2

    @property
    def exact_mu(self) -> Fraction | None:
        """Return mu where it is rational, else None."""
        return _rational_root(self.mu_squared)

    @property
    def mu(self) -> arb:
        """Enclose mu at the working precision."""
        return ball(self.mu_squared).sqrt()

    def at_distance(self, distance: int) -> GaussianDP:
        """Return what it promises between true counts at distance >= 1: distance mu, exactly."""
        return GaussianDP(self.mu_squared * distance**2)

    def least_after(self, y: arb, rest: arb, steps: int) -> arb:
        """Enclose Phi(Phi^-1(y) - steps mu)."""
        if steps == 0 or y.is_zero() or rest.is_zero():
            return y
        return normal_cdf(normal_quantile(y, rest) - steps * self.mu)

    def fixed_point(self) -> arb:
        """Enclose Phi(mu / 2)."""
        return normal_cdf(self.mu / 2)

    def least_delta(self, epsilon: Fraction) -> Fraction:
        """Return Phi(-epsilon / mu + mu / 2) - e^epsilon Phi(-epsilon / mu - mu / 2), rounded up."""
        best = Fraction(1)
        for value in refinements(lambda precision: self._excess(ball(epsilon))):
            if not value.is_finite():
                continue
            best = min(best, upper_fraction(value))
            if value.rel_accuracy_bits() >= _ENOUGH_BITS or best <= _NEGLIGIBLE:
                break
        return best

    def least_epsilon(self, delta: Fraction) -> Fraction | None:
        """Return the least epsilon, as in `Curve`; beyond mu 1024, which protects nobody, `enough_epsilon`."""
        return self.enough_epsilon(delta) if self.mu_squared > _USELESS else super().least_epsilon(delta)

    def is_implied(self, epsilon: Fraction, delta: Fraction) -> bool:
        """Return the same as in `Curve`, for a delta of any size."""
        return bool(at_most(lambda precision: self._excess(ball(epsilon)), delta))

    def enough_epsilon(self, delta: Fraction) -> Fraction | None:
        """Return mu^2 / 2 + mu sqrt(2 ln(1 / delta)), since delta_mu(epsilon) <= Phi(mu / 2 - epsilon / mu), which is
        at most e^(-(epsilon / mu - mu / 2)^2 / 2); None at delta 0, where no epsilon is promised."""
        if delta == 0:
            return None
        with ctx.workprec(_ROOT_BITS):
            return rounded_up(upper_fraction(ball(self.rho) + self.mu * (-2 * ball(delta).log()).sqrt()), _DIGITS)

    def _excess(self, epsilon: arb) -> arb:
        mu = self.mu
        return normal_cdf(mu / 2 - epsilon / mu) - epsilon.exp() * normal_cdf(-epsilon / mu - mu / 2)

    # --- what it is with others -------------------------------------------------------------------------------------

    def of_cells(self, changed: int) -> GaussianDP:
        """Return the promise at mu^2 times `changed`, rounded up where it is too long to keep exactly.

        Independent draws compose as the distance of a vector of means ([DRS22] Corollary 3.3).
        """
        return GaussianDP(sum_of(self.mu_squared, changed))

    def per_row(self, rows: int) -> GaussianDP:
        """Return mu / rows, exactly unless mu^2 / rows^2 is too long to keep; see `Curve.per_row`."""
        return GaussianDP(at_most_keepable(self.mu_squared / integer(rows, "rows", least=1) ** 2))

    # --- how it is spelled ------------------------------------------------------------------------------------------

    def to_fields(self, prefix: str = "") -> dict[str, str]:
        return {f"{prefix}mu_squared": exact_text(self.mu_squared)}

    def in_words(self, spelled: Callable[[Fraction], str] = plain, link: str = ", ") -> str:
        """Return "mu 0.5"; where mu is irrational, it is rounded up, and rho is added."""
        mu = self.exact_mu
        return f"mu {root_text(self.mu_squared)} (rho {spelled(self.rho)})" if mu is None else f"mu {spelled(mu)}"

    def to_options(self) -> str:
        """Return it as one types it: "--mu 0.5", or "--rho" where mu is irrational."""
        return f"--{self}"

    # --- what it means ----------------------------------------------------------------------------------------------

    def protection(self, released: str, truth: str) -> str:
        """Return what it means, in words, for what is `released` in place of the `truth`."""
        return (
            f"for any two tables that differ in this way, {released} tells them apart no better than one draw of a "
            "normal distribution of standard deviation 1 tells whether its mean is 0 or mu. A test that mistakes one "
            "table for the other 5% of the time recognizes that other one at most "
            f"{chance_text(self._power)} of the time."
        )

    def power(self) -> arb:
        """Enclose f(1/20)."""
        x = ball(FALSE_ALARMS)
        return self.largest_after(x, 1 - x, 1)

    @property
    def _power(self) -> float:
        """Return f(1/20), rounded up."""
        return min(1.0, math.nextafter(float(upper_fraction(self.power())), 1))

    @property
    def currency(self) -> str:
        return "mu"

    @property
    def adding_up(self) -> str:
        return "its own mu^2, and all of them together promise only the sum"

    def __str__(self) -> str:
        mu = self.exact_mu
        return f"rho {exact_text(self.rho)}" if mu is None else f"mu {exact_text(mu)}"

    def __float__(self) -> float:
        """Return the float nearest to mu."""
        return nearest_float(lambda precision: self.mu)


def mu_squared_of_pure_epsilon(epsilon: Number) -> Fraction:
    """Return mu^2 for the least mu at which every epsilon-DP release is mu-GDP, rounded up to 20 digits.

    mu = 2 Phi^-1(1 / (1 + e^-epsilon)), and mu^2 at least 10^-330; beyond epsilon 2^30 it is the bound 8 epsilon, since
    1 - Phi(x) <= e^(-x^2 / 2) / 2. A budget adds it up, so it is rounded the same on every machine.

    Raises:
        InvalidParameter: epsilon is not a finite number >= 0.
    """
    kept = exact(epsilon, "epsilon")
    if not kept >= 0:
        raise InvalidParameter("epsilon", epsilon, "a finite number >= 0")
    if kept == 0:
        return Fraction(0)
    if kept > _LARGE:
        return rounded_up(8 * kept, _DIGITS)

    def squared(precision: int) -> arb:
        q = (-ball(kept)).exp()
        return (2 * normal_quantile(1 / (1 + q), q / (1 + q))) ** 2

    for value in refinements(squared):
        if value < ball(_LEAST):
            return _LEAST
        if value.is_finite() and value > ball(_LEAST):
            low, high = (rounded_up(exactly(end), _DIGITS) for end in (value.lower(), value.upper()))
            if low == high:
                return high
    raise ArithmeticError("an enclosure did not shrink with the precision")


def root_text(squared: Fraction, *, down: bool = False) -> str:
    """Return the square root of a number >= 0 as text: in full where it is rational, else rounded up, or down."""
    root = _rational_root(squared)
    if root is not None:
        return plain(root)
    with ctx.workprec(_ROOT_BITS):
        enclosed = ball(squared).sqrt()
        return typed(rounded_down(lower_fraction(enclosed)) if down else rounded_up(upper_fraction(enclosed)))


def _rational_root(squared: Fraction) -> Fraction | None:
    root = Fraction(isqrt(squared.numerator), isqrt(squared.denominator))
    return root if root**2 == squared else None
