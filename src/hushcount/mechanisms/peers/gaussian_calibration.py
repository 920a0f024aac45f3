"""The least sigma at which discrete Gaussian noise is (epsilon, delta)-DP for shifts by 1.

For the noise Y of `discrete_gaussian`, Pr(Y = z) > e^epsilon Pr(Y = z + 1) iff z > epsilon sigma^2 - 1/2; with kappa
the least such integer the worst event is Y >= kappa, and its excess is the largest of ([CKS20] Theorem 7)

    D_kappa = Pr(Y >= kappa) - e^epsilon Pr(Y >= kappa + 1) = Pr(Y = kappa) - (e^epsilon - 1) Pr(Y >= kappa + 1).

**The excess does not fall with sigma** everywhere: for epsilon from about 0.9 up it rises and falls once per integer of
epsilon sigma^2, so a plain bisection may miss the least sigma. But each D_kappa is simple in t = 1 / (2 sigma^2).
D_kappa > delta says that

    e^(-t kappa^2) - (e^epsilon - 1) sum_{z > kappa} e^(-t z^2) - delta sum_z e^(-t z^2) > 0,

a series in e^(-t z^2) whose coefficients, ordered by z^2, have the signs -, +, - (for kappa = 0: +, -). By Descartes'
rule of signs for exponentials it has at most two zeros (one), so {sigma : D_kappa > delta} is an interval (for kappa
= 0 it begins at 0). The sigmas that are not private are the union of these intervals, and the least private one is
found by walking along it: from the right end of one interval on to that of another that contains it, until none does.

Every comparison is decided by enclosures. The result is private for sure, and no sigma below (1 - 2**-48) of it is.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from flint import arb

from hushcount.mechanisms.peers.discrete_gaussian import discrete_gaussian
from hushcount.numbers.enclosure import at_most, ball

__all__ = ["PRECISION", "least_sigma_squared", "worst_threshold"]

PRECISION = Fraction(1, 2**48)
"""The relative precision of sigma^2."""


@lru_cache(maxsize=256)
def least_sigma_squared(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return the least sigma^2, rounded up by at most 2**-48 of it, to what a float holds; epsilon >= 0, 0 < delta <
    1."""

    def exceeds(kappa: int, variance: Fraction) -> bool:
        return _exceeds(kappa, variance, epsilon, delta)

    kappa, low = 0, Fraction(1)
    while not exceeds(0, low):
        low /= 2
    high = 2 * low
    # Invariant: nothing in (0, low] is private, D_kappa > delta at low and, once found, D_kappa <= delta at high.
    while True:
        while exceeds(kappa, high):
            low, high = high, 2 * high
        is_fine = high - low <= PRECISION * low
        other = worst_threshold(epsilon, high)
        if other != kappa and exceeds(other, high):
            if exceeds(other, low):  # D_other > delta at both ends, hence between them
                kappa, low, high = other, high, 2 * high
                continue
        elif is_fine:
            return high
        middle = (low + high) / 2 if is_fine else _short((low + high) / 2)
        if exceeds(kappa, middle):
            low = middle
        else:
            high = middle


def _short(x: Fraction) -> Fraction:
    """Return x to 52 or 53 significant bits, as a float holds it."""
    unit = Fraction(2) ** (x.numerator.bit_length() - x.denominator.bit_length() - 52)
    return round(x / unit) * unit


def worst_threshold(epsilon: Fraction, variance: Fraction) -> int:
    """Return kappa, the least integer above epsilon sigma^2 - 1/2."""
    return int((epsilon * variance - Fraction(1, 2)) // 1) + 1


@lru_cache(maxsize=1024)
def _exceeds(kappa: int, variance: Fraction, epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether D_kappa > delta.

    Raises:
        ArithmeticError: 2**15 bits do not decide; nothing suggests that the two can be equal.
    """

    def excess(precision: int) -> arb:
        noise = discrete_gaussian(variance, precision)
        peak = noise.probability(kappa)
        return peak if epsilon == 0 else peak - ball(epsilon).expm1() * noise.tail(kappa + 1)

    found = at_most(excess, delta)
    if found is None:
        raise ArithmeticError("the excess of the discrete Gaussian cannot be told from delta")
    return not found
