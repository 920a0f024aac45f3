"""Sums of the discrete Gaussian, enclosed at any precision and any width.

Pr(Y = z) = f(z) / theta, f(x) = e^(-t x^2), t = 1 / (2 sigma^2), z any integer ([CKS20]).

- theta = sum of f over the integers; for wide noise by Poisson's formula, sqrt(pi / t) (1 + 2 sum e^(-pi^2 m^2 / t)).
- Upper sums of f, f' and f'' (the last two are the first and second moments): for sigma < 64 term by term; otherwise
  by Euler-Maclaurin,

      sum_{z >= k} h(z) = int_k^oo h + h(k) / 2 - sum_{s <= p} B_2s / (2s)! h^(2s-1)(k) + R,
      |R| <= |B_2p| / (2p)! int_k^oo |h^(2p)|,

  with f^(m)(x) = (-1)^m sigma^-m He_m(x / sigma) f(x) and Cramer's |He_m(u)| <= 1.0865 sqrt(m!) e^(u^2 / 4), so that
  int_k^oo |f^(m)| <= 1.0865 sqrt(pi m!) sigma^(1-m) e^(-t k^2 / 2).
- Where f(k) is below every float, the first term and a geometric bound of the rest are enough.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from flint import arb, ctx

from hushcount.numbers.enclosure import ball

__all__ = ["DiscreteGaussian", "discrete_gaussian"]

WIDE = 64
"""From this sigma up, sums are by Euler-Maclaurin."""

_CRAMER = arb("1.0865")
_NEGLIGIBLE = 2048
_GUARD_BITS = 32


@dataclass(frozen=True)
class DiscreteGaussian:
    """The noise at one working precision; all sums are for k >= 1."""

    t: arb
    sigma: arb
    theta: arb
    precision: int

    def probability(self, k: int) -> arb:
        """Return Pr(Y = k)."""
        return self._f(k) / self.theta

    def tail(self, k: int) -> arb:
        """Return Pr(Y >= k)."""
        return self._upper_sum(k, 0) / self.theta

    def moments(self, k: int) -> tuple[arb, arb]:
        """Return E of Y and of Y^2 over Y >= k."""
        plain, slope, bend = (self._upper_sum(k, order) for order in range(3))
        first = -slope / (2 * self.t)
        return first / self.theta, (bend / (2 * self.t) + plain) / (2 * self.t) / self.theta

    def _f(self, k: int) -> arb:
        return (-self.t * k**2).exp()

    def _upper_sum(self, k: int, order: int) -> arb:
        """Return the sum of the derivative of f of that order over the integers from k up."""
        if self.t * k**2 > 2 * self.precision + _NEGLIGIBLE:
            return self._far_out(k, order)
        return self._term_by_term(k, order) if self.sigma < WIDE else self._euler_maclaurin(k, order)

    def _weight(self, z: int, order: int) -> arb:
        """Return the derivative of f at z, over f(z)."""
        t = self.t
        return (arb(1), -2 * t * z, 4 * t**2 * z**2 - 2 * t)[order]

    def _term_by_term(self, k: int, order: int) -> arb:
        bits = (self.precision + _GUARD_BITS) * math.log(2) / float(self.t)
        last = k + int(bits / (k + math.sqrt(float(k) ** 2 + bits))) + 2
        term, ratio, shrink = self._f(k), (-self.t * (2 * k + 1)).exp(), (-2 * self.t).exp()
        total = arb(0)
        for z in range(k, last):
            total += term * self._weight(z, order)
            term, ratio = term * ratio, ratio * shrink
        return total + self._rest(last, order)

    def _far_out(self, k: int, order: int) -> arb:
        return self._f(k) * self._weight(k, order) + self._rest(k + 1, order)

    def _rest(self, k: int, order: int) -> arb:
        """Bound everything from k up, roughly: |weight| <= (2t + 2t z)^order, which grows by no more than (1 +
        1/z)^2 from z to z + 1, while f falls by e^(-t (2z + 1))."""
        ratio = (1 + 1 / arb(k)) ** order * (-self.t * (2 * k + 1)).exp()
        if not ratio < 1:
            return arb(0, arb.pos_inf())
        size = self._f(k) * self._largest_weight(k, order) / (1 - ratio)
        return (-size).union(size)

    def _largest_weight(self, z: int, order: int) -> arb:
        t = self.t
        return (arb(1), 2 * t * z, (4 * t**2 + 2 * t) * z**2)[order]

    def _euler_maclaurin(self, k: int, order: int) -> arb:
        pairs = self._pairs(k, order)
        derivatives = self._derivatives(k, order + 2 * pairs)
        whole = (arb.pi() / self.t).sqrt() / 2 * (self.t.sqrt() * k).erfc() if order == 0 else -derivatives[order - 1]
        total = whole + derivatives[order] / 2
        factorial = arb(1)
        for s in range(1, pairs + 1):
            factorial *= (2 * s - 1) * (2 * s)
            total -= arb.bernoulli(2 * s) / factorial * derivatives[order + 2 * s - 1]
        m = order + 2 * pairs
        size = abs(arb.bernoulli(2 * pairs)) / factorial * _CRAMER * (arb.pi() * arb.fac_ui(m)).sqrt()
        size *= self.sigma ** (1 - m) * (-self.t * k**2 / 2).exp()
        return total + (-size).union(size)

    def _derivatives(self, k: int, count: int) -> list[arb]:
        """Return f^(m)(k) for m < count: f^(m+1) = -2t (x f^(m) + m f^(m-1))."""
        values = [self._f(k)]
        previous = arb(0)
        for m in range(count - 1):
            following = -2 * self.t * (k * values[-1] + m * previous)
            previous = values[-1]
            values.append(following)
        return values

    def _pairs(self, k: int, order: int) -> int:
        """Return the p that brings the bound of R below the working precision (or as low as it gets).

        This is a guess in floats; the bound itself is a ball.
        """
        log_sigma = float(self.sigma.log() / arb.const_log2())
        depth = float(self.t * k**2 / arb.const_log2())
        target = -self.precision - _GUARD_BITS - depth - (order + 1) * log_sigma

        def bound(p: int) -> float:
            m = order + 2 * p
            half = math.lgamma(m + 1) / 2 / math.log(2)
            return 2 - 2 * p * math.log2(2 * math.pi) + half + (1 - m) * log_sigma - depth / 2

        p = 1
        while bound(p) > target and bound(p + 1) < bound(p):
            p += 1
        return p


@lru_cache(maxsize=512)
def discrete_gaussian(sigma_squared: Fraction, precision: int) -> DiscreteGaussian:
    """Return the noise of that variance parameter (a rational > 0), each ball with about `precision` bits."""
    with ctx.workprec(precision):
        t = 1 / (2 * ball(sigma_squared))
        return DiscreteGaussian(t, ball(sigma_squared).sqrt(), _theta(t, precision), precision)


def _theta(t: arb, precision: int) -> arb:
    is_wide = bool(t < 3)
    x = arb.pi() ** 2 / t if is_wide else t
    total, m = arb(1), 1
    while True:
        term = 2 * (-x * m**2).exp()
        total += term
        m += 1
        if not term > arb(2) ** -precision:
            break
    rest = 2 * (-x * m**2).exp() / (1 - (-x).exp())
    total += rest.union(arb(0))
    return (arb.pi() / t).sqrt() * total if is_wide else total
