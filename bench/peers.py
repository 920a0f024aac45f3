"""The peers' ways of drawing a noisy count, each as its documentation shows it. Built once, outside the clock."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["diffprivlib_truncated", "numpy_gaussian_line", "numpy_line", "opendp_scalar", "opendp_vector"]


def diffprivlib_truncated(n: int, epsilon: float) -> Callable[[int], int]:
    """Truncated geometric noise by inverting a float's logarithm: not exact."""
    from diffprivlib.mechanisms import GeometricTruncated

    return GeometricTruncated(epsilon=epsilon, lower=0, upper=n).randomise


def opendp_scalar(epsilon: float, bounds: tuple[int, int] | None = None) -> Callable[[int], int]:
    """Exact geometric noise on one integer; with `bounds` truncated, in nearly constant time."""
    dp = _opendp()
    space = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    return dp.m.make_geometric(*space, scale=1 / epsilon, bounds=bounds)


def opendp_vector(epsilon: float) -> Callable[[Any], Any]:
    """Exact geometric noise on a vector, unbounded: OpenDP's bounded vector takes more than ten times as long."""
    dp = _opendp()
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    return dp.m.make_geometric(*space, scale=1 / epsilon)


def numpy_line(n: int, epsilon: float) -> Callable[[Any], Any]:
    """What one would write without thinking of attacks: the clipped difference of two geometrics, by floats."""
    rng = np.random.default_rng()
    p = -math.expm1(-epsilon)

    def noisy(counts: Any) -> Any:
        return np.clip(counts + rng.geometric(p, counts.size) - rng.geometric(p, counts.size), 0, n)

    return noisy


def numpy_gaussian_line(n: int, mu: float) -> Callable[[Any], Any]:
    """Gaussian noise of a float, rounded and clipped."""
    rng = np.random.default_rng()

    def noisy(counts: Any) -> Any:
        return np.clip(np.rint(counts + rng.normal(0, 1 / mu, counts.size)), 0, n)

    return noisy


def _opendp() -> Any:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    return dp
