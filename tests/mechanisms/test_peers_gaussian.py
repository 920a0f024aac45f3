"""Clamped discrete Gaussian noise: sums, and the least sigma."""

import math
from fractions import Fraction

import brute
import mpmath
import numpy as np
import pytest
from flint import ctx
from hypothesis import given, settings, strategies as st

from hushcount.errors import InvalidParameter
from hushcount.mechanisms import clamped_canonical_noise, clamped_gaussian
from hushcount.mechanisms.peers.clamped_gaussian import ClampedGaussian
from hushcount.mechanisms.peers.discrete_gaussian import WIDE, discrete_gaussian
from hushcount.mechanisms.peers.gaussian_calibration import PRECISION, least_sigma_squared, worst_threshold
from hushcount.promise.epsilon_delta import EpsilonDelta

CASES = [
    (0, 0.5),
    (0, 1e-3),
    ("1e-400", 1e-2),
    (0.01, 1e-4),
    (0.1, 1e-9),
    (0.5, 0.05),
    (1, 1e-6),
    (1, 0.9),
    (2, 1e-3),
    (3, 1e-12),
    (10, 0.01),
    (10, 1e-5),
    (8, 1e-40),
    (1000, 1e-6),
    (1e5, 1e-6),
    (1e9, 0.1),
]


def density(variance):
    """Pr(Y = z) as a function, in mpmath."""
    t = 1 / (2 * brute.real(variance))
    total = mpmath.jtheta(3, 0, mpmath.exp(-t)) if t > 1e-3 else mpmath.sqrt(mpmath.pi / t)
    return lambda z: mpmath.exp(-t * z * z) / total


def excess(epsilon, variance):
    """Sum over z of the positive part of Pr(Y = z) - e^epsilon Pr(Y = z + 1), nothing assumed about where that is."""
    p, growth = density(variance), mpmath.exp(brute.real(epsilon))
    reach = int(float(variance) ** 0.5 * 20 + float(epsilon) * float(variance)) + 3
    return mpmath.fsum(max(mpmath.mpf(0), p(z) - growth * p(z + 1)) for z in range(-reach, reach + 1))


# --- sums -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("sigma", [0.01, 0.3, 1, 7, 63, 64, 65, 200])
@pytest.mark.parametrize("precision", [64, 128, 600])
def test_sums_hold_the_truth_and_are_narrow(sigma, precision):
    variance = Fraction(sigma) ** 2
    noise = discrete_gaussian(variance, precision)
    with mpmath.workdps(precision // 3 + 60), ctx.workprec(precision):
        p = density(variance)
        reach = int(float(sigma) * math.sqrt(2 * (precision + 200))) + 3
        for k in {1, 2, max(1, round(float(sigma))), round(float(sigma) * 5) + 1, round(float(sigma) * 12) + 1}:
            z = range(k, k + reach)
            masses = [p(x) for x in z]
            truth = [
                mpmath.fsum(masses),
                *(mpmath.fsum(x**power * mass for x, mass in zip(z, masses, strict=True)) for power in (1, 2)),
            ]
            for ball, value in zip([noise.tail(k), *noise.moments(k)], truth, strict=True):
                found = mpmath.mpf(ball.mid().str(300, radius=False))
                assert abs(found - value) <= mpmath.mpf(ball.rad().str(20, radius=False)) * 1.01
                assert ball.rel_accuracy_bits() > precision - 40


@pytest.mark.slow
@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("sigma", [WIDE, 100, 3000])
def test_both_ways_to_sum_agree(sigma, order):
    with ctx.workprec(200):
        noise = discrete_gaussian(Fraction(sigma) ** 2, 200)
        for k in (1, 10, sigma, 6 * sigma, 15 * sigma):
            one, other = noise._term_by_term(k, order), noise._euler_maclaurin(k, order)
            assert one.overlaps(other)
            assert one.rel_accuracy_bits() > 150
            assert other.rel_accuracy_bits() > 150


def test_far_out_sums_are_rough_but_hold_the_truth():
    with ctx.workprec(128):
        noise = discrete_gaussian(Fraction(100) ** 2, 128)
        for order in (0, 1, 2):
            for k in (8000, 10_000):
                assert noise._far_out(k, order).overlaps(noise._euler_maclaurin(k, order))
        assert noise.tail(10**30) < 1e-300
    assert clamped_gaussian(10**40, 1, 1e-6).pmf(10**39, 0) == 0


# --- calibration ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "delta"), CASES)
def test_sigma_is_private_and_a_little_less_is_not(epsilon, delta):
    epsilon, delta = Fraction(epsilon), Fraction(delta)
    variance = least_sigma_squared(epsilon, delta)
    with mpmath.workdps(80):
        assert excess(epsilon, variance) <= brute.real(delta)
        assert excess(epsilon, variance * (1 - 2 * PRECISION)) > brute.real(delta)


@pytest.mark.slow
@settings(max_examples=25)
@given(st.floats(0.05, 12), st.floats(1e-12, 0.9))
def test_no_smaller_sigma_is_private(epsilon, delta):
    """On 3,000 smaller sigmas, by the definition in floats."""
    variance = float(least_sigma_squared(Fraction(epsilon), Fraction(delta)))
    smaller = variance * np.linspace(1e-4, 0.9999, 3000)[:, None]
    reach = int(math.sqrt(variance) * 12 + epsilon * variance) + 3
    z = np.arange(-reach, reach + 1)
    weight = np.exp(-(z**2) / (2 * smaller))
    law = weight / weight.sum(axis=1, keepdims=True)
    found = np.maximum(0, law[:, :-1] - np.exp(epsilon) * law[:, 1:]).sum(axis=1)
    assert (found > delta * (1 - 1e-9)).all()


def test_the_excess_does_not_fall_with_sigma():
    """At epsilon 10, delta 0.01: 0.05 and 1 are private, 0.13 between them is not. A bisection may miss 0.05."""
    with mpmath.workdps(40):
        found = [excess(10, variance) > 0.01 for variance in ("0.049", "0.05", "0.13", "1")]
    assert found == [True, False, True, False]
    assert math.isclose(least_sigma_squared(Fraction(10), Fraction(1, 100)), 0.04995, rel_tol=1e-4)


@given(st.floats(0, 20), st.floats(1e-3, 1e3))
def test_worst_threshold_is_the_first_outcome_that_is_too_likely(epsilon, variance):
    epsilon, variance = Fraction(epsilon), Fraction(variance)
    kappa = worst_threshold(epsilon, variance)
    ratio = [Fraction(2 * z + 1) / (2 * variance) for z in (kappa - 1, kappa)]
    assert ratio[0] <= epsilon < ratio[1]


@pytest.mark.slow
@given(st.floats(0, 5), st.floats(1e-9, 0.5), st.floats(1.01, 3))
def test_more_budget_never_needs_more_noise(epsilon, delta, factor):
    base = least_sigma_squared(Fraction(epsilon), Fraction(delta))
    assert least_sigma_squared(Fraction(epsilon * factor), Fraction(delta)) <= base * (1 + PRECISION)
    assert least_sigma_squared(Fraction(epsilon), Fraction(min(0.9, delta * factor))) <= base * (1 + PRECISION)


@pytest.mark.parametrize(("epsilon", "delta"), [(0, "1e-300"), ("1e-9", 1e-9), (1e-6, 1e-12), (0.001, "1e-400")])
def test_wide_noise_has_the_continuous_gaussian_s_sigma(epsilon, delta):
    """Balle and Wang's calibration of the continuous Gaussian, which the lattice no longer tells from this one."""
    variance = least_sigma_squared(Fraction(epsilon), Fraction(delta))
    with mpmath.workdps(450):
        sigma, e = mpmath.sqrt(brute.real(variance)), brute.real(epsilon)
        upper = mpmath.ncdf(1 / (2 * sigma) - e * sigma) - mpmath.exp(e) * mpmath.ncdf(-1 / (2 * sigma) - e * sigma)
        assert abs(upper / brute.real(delta) - 1) < 1e-6


# --- the mechanism --------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 4, 9])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.05), (1, 1e-6), (3, 1e-12), (0, 0.01), (10, 0.01)])
def test_law_is_the_clamped_noise(n, epsilon, delta):
    mechanism = clamped_gaussian(n, epsilon, delta)
    with mpmath.workdps(50):
        p = density(mechanism.sigma_squared)
        reach = int(mechanism.sigma * 40) + 3
        for i in range(n + 1):
            row = [mpmath.mpf(0)] * (n + 1)
            for z in range(-reach, reach + 1):
                row[min(max(i + z, 0), n)] += p(z)
            for got, want in zip(mechanism.pmf(i), row, strict=True):
                assert abs(got - want) <= 1e-12 * want + mpmath.mpf(2) ** -1060


@pytest.mark.parametrize("n", [1, 2, 4, 7])
@pytest.mark.parametrize(("epsilon", "delta"), [(0, 0.1), (0.1, 0.01), (0.5, 0.05), (1, 0.3), (3, 1e-6), (10, 0.01)])
def test_promise_is_kept_and_active_where_the_range_holds_the_worst_event(n, epsilon, delta):
    mechanism = clamped_gaussian(n, epsilon, delta)
    assert (mechanism.epsilon, mechanism.delta) == (Fraction(epsilon), Fraction(delta))
    found = brute.excess_over_all_subsets(mechanism.matrix(), epsilon)
    rounding = 1e-15 * math.exp(epsilon)
    assert found <= delta + rounding
    if worst_threshold(mechanism.epsilon, mechanism.sigma_squared) < n:
        assert math.isclose(found, delta, rel_tol=1e-12, abs_tol=rounding)


@pytest.mark.slow
@given(st.integers(2, 60), st.floats(0.1, 60))
def test_no_true_count_is_worse_than_the_edge_and_the_middle(n, sigma):
    mechanism = ClampedGaussian(n, EpsilonDelta.of(1, 0.5), Fraction(sigma) ** 2)
    error = np.subtract.outer(np.arange(n + 1), np.arange(n + 1)).T
    matrix = mechanism.matrix()
    for worst, loss in (
        (mechanism.expected_absolute_error(), abs(error)),
        (mechanism.expected_squared_error(), error**2),
        *((mechanism.probability_beyond(t), abs(error) > t) for t in (0, 1, n // 3, n // 2)),
    ):
        assert math.isclose(worst, (matrix * loss).sum(axis=1).max(), rel_tol=1e-12)


def test_canonical_noise_errs_less():
    for epsilon, delta in ((1, 1e-6), (0.5, 0.01), (0.1, 1e-9)):
        gaussian, tight = (make(100, epsilon, delta) for make in (clamped_gaussian, clamped_canonical_noise))
        assert tight.error_probability < gaussian.error_probability


def test_sigma_is_exact_and_shown():
    mechanism = clamped_gaussian(7, 1, 1e-6)
    assert isinstance(mechanism.sigma_squared, Fraction)
    assert math.isclose(mechanism.sigma**2, mechanism.sigma_squared, rel_tol=1e-15)
    assert float(mechanism.sigma_squared) == mechanism.sigma_squared  # a float holds it


def test_refusals():
    for delta in (0, "0", 0.0):
        with pytest.raises(InvalidParameter, match=r"^delta must be a number > 0 and < 1 for Gaussian noise \(got"):
            clamped_gaussian(5, 1, delta)
    with pytest.raises(InvalidParameter, match=r"^epsilon must be at most 1,000,000,000 for Gaussian noise"):
        clamped_gaussian(5, "1e10", 0.1)


def test_noise_too_wide_for_a_table_is_drawn_by_enclosures():
    mechanism = clamped_gaussian(10**12, 0, 1e-9)
    assert not mechanism._is_fast
    draws = mechanism.draw(np.full(40, 5 * 10**11))
    assert np.abs(draws - 5 * 10**11).max() < 8 * mechanism.sigma
    assert len(set(draws.tolist())) == 40
    assert clamped_gaussian(9, 0, 1e-9)._is_fast
    assert clamped_gaussian(9, 0, "1e-400").draw(4) in (0, 9)
