"""The normal distribution, enclosed."""

from __future__ import annotations

from flint import arb

__all__ = ["normal_cdf", "normal_density", "normal_quantile"]


def normal_cdf(x: arb) -> arb:
    """Enclose Phi(x) = Pr(Z <= x), with relative accuracy in the lower tail; 1 - Phi(x) is `normal_cdf(-x)`."""
    return (-x / arb(2).sqrt()).erfc() / 2


def normal_density(x: arb) -> arb:
    """Enclose phi(x) = e^(-x^2 / 2) / sqrt(2 pi)."""
    return (-(x**2) / 2).exp() / (2 * arb.pi()).sqrt()


def normal_quantile(y: arb, rest: arb) -> arb:
    """Enclose the x with Phi(x) = y, for y in (0, 1) with rest = 1 - y."""
    if y <= rest:
        return -arb(2).sqrt() * (2 * y).erfcinv()
    return arb(2).sqrt() * (2 * rest).erfcinv()
