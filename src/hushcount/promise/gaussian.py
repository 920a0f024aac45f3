"""Gaussian differential privacy: neighbours are as hard to tell apart as N(0, 1) and N(mu, 1) ([DRS22]).

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

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from flint import arb

from hushcount.errors import InvalidParameter
from hushcount.numbers.enclosure import ball, nearest_float, refinements
from hushcount.numbers.exact import Number, exact, exact_text
from hushcount.numbers.intervals import upper_fraction
from hushcount.promise.curve import Curve
from hushcount.promise.normal import normal_cdf, normal_quantile

__all__ = ["GaussianDP", "mu_squared_of_pure_epsilon"]

_ENOUGH_BITS = 62
_NEGLIGIBLE = Fraction(1, 2**1100)


@dataclass(frozen=True)
class GaussianDP(Curve):
    """mu-GDP with an exact mu^2.

    Attributes:
        mu_squared: > 0.
    """

    mu_squared: Fraction

    def __post_init__(self) -> None:
        if not isinstance(self.mu_squared, Fraction):
            raise InvalidParameter("mu_squared", self.mu_squared, "a Fraction; GaussianDP.of takes other numbers")
        if not self.mu_squared > 0:
            raise InvalidParameter("mu_squared", self.mu_squared, "a finite number > 0")

    @classmethod
    def of(cls, mu: Number) -> GaussianDP:
        """Check and keep exactly; see `hushcount.numbers.exact` for what is accepted.

        Raises:
            InvalidParameter: not a number, or not > 0.
        """
        kept = exact(mu, "mu")
        if not kept > 0:
            raise InvalidParameter("mu", mu, "a finite number > 0")
        return cls(kept**2)

    @classmethod
    def of_rho(cls, rho: Number) -> GaussianDP:
        """mu^2 = 2 rho, which gives at least rho-zCDP.

        Raises:
            InvalidParameter: not a number, or not > 0.
        """
        kept = exact(rho, "rho")
        if not kept > 0:
            raise InvalidParameter("rho", rho, "a finite number > 0")
        return cls(2 * kept)

    @property
    def rho(self) -> Fraction:
        """mu^2 / 2: it is rho-zCDP."""
        return self.mu_squared / 2

    @property
    def exact_mu(self) -> Fraction | None:
        """mu, where it is rational."""
        top, bottom = self.mu_squared.numerator, self.mu_squared.denominator
        root = Fraction(isqrt(top), isqrt(bottom))
        return root if root**2 == self.mu_squared else None

    @property
    def mu(self) -> arb:
        """mu, enclosed at the working precision."""
        return ball(self.mu_squared).sqrt()

    def at_distance(self, distance: int) -> GaussianDP:
        """What it promises between true counts at distance >= 1: distance mu, exactly."""
        return GaussianDP(self.mu_squared * distance**2)

    def least_after(self, y: arb, rest: arb, steps: int) -> arb:
        """Phi(Phi^-1(y) - steps mu)."""
        if steps == 0 or y.is_zero() or rest.is_zero():
            return y
        return normal_cdf(normal_quantile(y, rest) - steps * self.mu)

    def fixed_point(self) -> arb:
        """Phi(mu / 2)."""
        return normal_cdf(self.mu / 2)

    def least_delta(self, epsilon: Fraction) -> Fraction:
        """Phi(-epsilon / mu + mu / 2) - e^epsilon Phi(-epsilon / mu - mu / 2), rounded up."""
        best = Fraction(1)
        for value in refinements(lambda precision: self._excess(ball(epsilon))):
            if not value.is_finite():
                continue
            best = min(best, upper_fraction(value))
            if value.rel_accuracy_bits() >= _ENOUGH_BITS or best <= _NEGLIGIBLE:
                break
        return best

    def least_epsilon(self, delta: Fraction) -> Fraction | None:
        """See `Curve`; None at delta 0, where no epsilon is promised."""
        return None if delta == 0 else super().least_epsilon(delta)

    def _excess(self, epsilon: arb) -> arb:
        mu = self.mu
        return normal_cdf(mu / 2 - epsilon / mu) - epsilon.exp() * normal_cdf(-epsilon / mu - mu / 2)

    def fields(self) -> dict[str, object]:
        return {"mu_squared": exact_text(self.mu_squared)}

    def __str__(self) -> str:
        mu = self.exact_mu
        return f"rho {exact_text(self.rho)}" if mu is None else f"mu {exact_text(mu)}"

    def __float__(self) -> float:
        """mu, the nearest float."""
        return nearest_float(lambda precision: self.mu)


def mu_squared_of_pure_epsilon(epsilon: Number) -> Fraction:
    """mu^2 with the least mu at which every epsilon-DP release is mu-GDP, rounded up by at most 2^-60 of it (to at
    least 2^-1100).

    mu = 2 Phi^-1(1 / (1 + e^-epsilon)). For a budget that adds up mu^2.

    Raises:
        InvalidParameter: epsilon is not a finite number >= 0.
    """
    kept = exact(epsilon, "epsilon")
    if not kept >= 0:
        raise InvalidParameter("epsilon", epsilon, "a finite number >= 0")
    if kept == 0:
        return Fraction(0)

    def squared(precision: int) -> arb:
        q = (-ball(kept)).exp()
        return (2 * normal_quantile(1 / (1 + q), q / (1 + q))) ** 2

    for value in refinements(squared):
        if value.is_finite() and value.rel_accuracy_bits() >= _ENOUGH_BITS:
            return upper_fraction(value)
    raise ArithmeticError("an enclosure did not shrink with the precision")
