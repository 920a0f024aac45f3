"""[RV26] Definition 1 and Lemma 2."""

import json
import math
from fractions import Fraction
from pathlib import Path

import brute
import mpmath
import numpy as np
import pytest
import random_optima
from for_each import for_each
from hypothesis import given, strategies as st

from hushcount import canonical, nearest
from hushcount.optimal_set.radius import _enclosed, _largest, _least, radius_bound

pytestmark = pytest.mark.grid

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "optimal_set.json").read_text())


def lemma_2(M, epsilon, delta):
    """(R_M, phi_0, Phi_0) as printed, in mpmath; the geometric sums term by term."""
    E, d = mpmath.exp(brute.real(epsilon)), brute.real(delta)
    gamma = brute.kernel_diagonal(M, epsilon, delta)
    alpha = (gamma - d) / (1 - d)
    powers = mpmath.fsum(E**k for k in range(M - 1))
    largest = min(E ** (M - 1) * gamma + d * powers, (1 - alpha) * (1 - d))
    least = max((gamma - d * powers) / E ** (M - 1), mpmath.mpf(0))
    top, bottom = (1 - d) * alpha / E, (1 - d) * alpha / E ** (M // 2)
    return max(largest - bottom, top - least), least, largest


def is_just_above(value, exact):
    """The least float >= exact, or the next."""
    return exact <= mpmath.mpf(value) and mpmath.mpf(math.nextafter(math.nextafter(value, 0), 0)) < exact


def entry_bounds(optimum):
    """phi_0 and Phi_0 of Lemma 2, rounded outward."""
    return _enclosed(optimum, _least).lower, _enclosed(optimum, _largest).upper


@pytest.mark.parametrize("delta", [0, 1e-300, 1e-6, 0.01, 0.3, 0.9])
@pytest.mark.parametrize("epsilon", [0, 1e-9, 0.01, 0.3, 1, 5, 40, 700])
@for_each("M", [3, 4, 5, 8, 9, 40])
def test_lemma_2_equation_23(M, epsilon, delta):
    optimum = canonical(M - 1, epsilon, delta)
    with mpmath.workdps(15_000 if epsilon == 700 else 1200):
        radius, least, largest = lemma_2(M, epsilon, delta)
        low, high = entry_bounds(optimum)
        if (epsilon, delta) != (0, 0):
            assert is_just_above(radius_bound(optimum), radius)
        assert is_just_above(high, largest)
        assert mpmath.mpf(low) <= least
        assert least <= mpmath.mpf(math.nextafter(math.nextafter(low, 1), 1))


@pytest.mark.parametrize("case", REFERENCE, ids=lambda c: f"M{c['M']}-{c['epsilon']}-{c['delta']}")
def test_lemma_2_equation_22_against_reference_radii(case):
    assert radius_bound(canonical(case["M"] - 1, case["epsilon"], case["delta"])) >= case["radius"] - case["tol"]


@pytest.mark.parametrize("delta", [0, 0.003, 0.2])
@pytest.mark.parametrize("epsilon", [0.02, 0.4, 2])
@pytest.mark.parametrize("M", [3, 4, 6])
def test_lemma_2_equation_22_against_programs(M, epsilon, delta):
    lowest, highest = random_optima.entry_ranges(M, epsilon, delta)
    optimum = canonical(M - 1, epsilon, delta)
    P = optimum.matrix()
    assert max((highest - P).max(), (P - lowest).max()) <= radius_bound(optimum) + 1e-8
    off, (low, high) = ~np.eye(M, dtype=bool), entry_bounds(optimum)
    assert highest[off].max() <= high + 1e-8
    assert lowest[off].min() >= low - 1e-8


def test_lemma_2_vanishes_where_the_optimum_is_unique():
    """For M = 2 and at (0, 0) the formula gives 0, and so does the function."""
    for M, epsilon, delta in ((2, 0, 0), (2, 0.7, 0), (2, 0.7, 0.2), (2, 0, 0.2), (3, 0, 0), (9, 0, 0)):
        with mpmath.workdps(60):
            assert abs(lemma_2(M, epsilon, delta)[0]) < 1e-50
        assert radius_bound(canonical(M - 1, epsilon, delta)) == 0
    assert radius_bound(canonical(0, 1)) == 0


def test_lemma_2_vanishes_as_epsilon_and_delta_do():
    bounds = [radius_bound(canonical(6, Fraction(1, 10**k), Fraction(1, 10**k))) for k in (2, 10, 300, 1200)]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[1] < 1e-8
    assert 0 < bounds[-1] < 1e-320


@given(st.integers(2, 40), st.floats(0, 30), st.floats(0, 0.99))
def test_the_bound_is_at_most_the_error_probability(n, epsilon, delta):
    optimum = canonical(n, epsilon, delta)
    assert 0 <= radius_bound(optimum) <= math.nextafter(optimum.error_probability, 1)


@pytest.mark.parametrize("n", [2, 3, 10**12])
@pytest.mark.parametrize("epsilon", [0, "1e-1000", 1e-17, 1000, 10**9, 2**4000])
@pytest.mark.parametrize("delta", [0, "1e-1000", 0.5])
def test_extreme_parameters(n, epsilon, delta):
    radius = radius_bound(canonical(n, epsilon, delta))
    assert 0 <= radius <= 1
    assert (radius == 0) == (epsilon == delta == 0)


def test_any_member_tells_the_set():
    assert radius_bound(nearest(5, 0.4, 0.01)) == radius_bound(canonical(5, 0.4, 0.01))
