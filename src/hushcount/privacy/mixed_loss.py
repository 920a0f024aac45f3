"""Gaussian releases composed with pure ones: a normal privacy loss plus one of finitely many values.

f_{epsilon, delta} = f_{epsilon, 0} (x) f_{0, delta}, so all deltas together are one chance D = 1 - prod (1 - delta_r)
to give everything away, and all releases are (epsilon, D + (1 - D) e(epsilon))-DP. Gaussian releases are together one
at mu^2 = sum of mu_r^2. A pure epsilon_r is at worst a loss of epsilon_r with chance 1 / (1 + q_r) and -epsilon_r else
([KOV15]), and k equal ones are binomial. So with the distribution of the sum l of these losses,

    e(epsilon) = sum_l Pr(l) (Phi(mu / 2 - (epsilon - l) / mu) - e^(epsilon - l) Phi(-mu / 2 - (epsilon - l) / mu)),

which is the optimal composition. Where there would be more than 1,024 sums, the releases with the smallest epsilons are
counted as Gaussian ones at mu = 2 Phi^-1(1 / (1 + q)), which they are.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import arb

from hushcount.numbers.arrays import Floats
from hushcount.numbers.enclosure import at_most, ball
from hushcount.numbers.intervals import outwards
from hushcount.promise.gaussian import GaussianDP, mu_squared_of_pure_epsilon
from hushcount.promise.normal import normal_cdf
from hushcount.promise.normal_floats import log_upper_tails, upper_tails

__all__ = ["MixedLoss"]

_MOST_SUMS = 1024
_LARGEST_EPSILON = 2.0**20
_LEAST = Fraction(1, 2**200)
"""A smaller mu^2 is counted as this, which floats can hold the squares of."""


@dataclass(frozen=True)
class MixedLoss:
    """At least one Gaussian release, and pure ones.

    Attributes:
        mu_squared: mu^2 of all Gaussian releases together, > 0.
        pure: how many releases there are at each epsilon > 0.
    """

    mu_squared: Fraction
    pure: tuple[tuple[Fraction, int], ...]

    @classmethod
    def of(cls, mu_squared: Fraction, epsilons: Counter[Fraction]) -> MixedLoss:
        """Keep as many pure releases as such as there is room for, the largest epsilons first."""
        kept, sums = [], 1
        for epsilon, count in sorted(epsilons.items(), reverse=True):
            if epsilon > 0 and sums * (count + 1) <= _MOST_SUMS:
                kept.append((epsilon, count))
                sums *= count + 1
            elif epsilon > 0:
                mu_squared += count * mu_squared_of_pure_epsilon(epsilon)
        return cls(max(mu_squared, _LEAST), tuple(kept))

    def epsilon(self, excess: Fraction) -> float:
        """Return the least epsilon with e(epsilon) <= excess > 0, rounded up by 2^-26 of it; infinity above 2^20."""
        if not self.pure:
            return outwards(GaussianDP(self.mu_squared).least_epsilon(excess), math.inf)
        if self.mu_squared > _LARGEST_EPSILON:  # so is epsilon, if it is of any use
            return math.inf
        low, high, goal = 0.0, 1.0, float(excess)
        while self._in_floats(high) > goal:
            low, high = high, 2 * high
            if high > _LARGEST_EPSILON:
                return math.inf
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (low, middle) if self._in_floats(middle) <= goal else (middle, high)
        for bits in (44, 38, 32, 26):
            raised = high * (1 + 2.0**-bits) if high > 2.0**-40 else high + 2.0**-bits
            if at_most(lambda precision, at=raised: self._enclosed(Fraction(at)), excess):  # type: ignore[misc]
                return raised
        return math.inf

    def _enclosed(self, epsilon: Fraction) -> arb:
        """Enclose e(epsilon)."""
        mu, total = ball(self.mu_squared).sqrt(), arb(0)
        for loss, chance in self._sums():
            left = ball(epsilon) - loss
            total += chance * (normal_cdf(mu / 2 - left / mu) - left.exp() * normal_cdf(-mu / 2 - left / mu))
        return total

    def _sums(self) -> list[tuple[arb, arb]]:
        """Return the sums of the losses with their chances."""
        found = [(arb(0), arb(1))]
        for epsilon, count in self.pure:
            e = ball(epsilon)
            q = (-e).exp()
            here, there = 1 / (1 + q), q / (1 + q)
            losses = [
                (e * (2 * k - count), arb(math.comb(count, k)) * here**k * there ** (count - k))
                for k in range(count + 1)
            ]
            found = [(a + b, p * r) for a, p in found for b, r in losses]
        return found

    @cached_property
    def _float_sums(self) -> tuple[Floats, Floats]:
        both = [(float(loss.mid()), float(chance.mid())) for loss, chance in self._sums()]
        losses, chances = zip(*both, strict=True)
        return np.array(losses), np.array(chances)

    def _in_floats(self, epsilon: float) -> float:
        losses, chances = self._float_sums
        mu, left = math.sqrt(self.mu_squared), epsilon - losses
        other = np.exp(np.minimum(left + log_upper_tails(mu / 2 + left / mu), 0.0))
        falls = upper_tails(left / mu - mu / 2) - other
        return float((chances * np.maximum(falls, 0.0)).sum())
