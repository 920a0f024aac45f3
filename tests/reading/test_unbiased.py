"""Estimates without bias: right on average at every true count, with the variance they are said to have."""

import math

import numpy as np
import pytest

from hushcount import canonical, from_matrix, nearest
from hushcount.mechanisms import explicit_fair
from hushcount.reading.inverse import NoInverse
from hushcount.reading.unbiased import estimator, released_errors

MECHANISMS = [
    nearest(0, 1),
    nearest(1, "0.01"),
    nearest(2, "0.1"),
    nearest(9, "0.7"),
    nearest(60, "0.5"),
    nearest(60, "0.5", "0.01"),
    nearest(5, 1000),
    canonical(0, 0),
    canonical(1, "0.01"),
    canonical(8, "0.1"),
    canonical(60, "0.5", "0.01"),
    canonical(7, 0, "0.2"),
    canonical(7, 1000),
    explicit_fair(10, "0.5"),
    from_matrix([[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.0, 0.4, 0.6]]),
]


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: f"{m.name}-{m.n}-{m.epsilon}-{m.delta}")
def test_mean_and_variance_at_every_true_count(mechanism):
    found = estimator(mechanism)
    P, true = mechanism.matrix(), np.arange(mechanism.n + 1)
    assert np.allclose(P @ found.values, true, rtol=0, atol=1e-14 * found.inverse.condition**2 * len(P))
    variances = (P * (found.values - true[:, None]) ** 2).sum(axis=1)
    assert math.isclose(found.standard_error**2, variances.max(), rel_tol=1e-10, abs_tol=1e-25)


@pytest.mark.parametrize("mechanism", MECHANISMS[:-1], ids=lambda m: f"{m.name}-{m.n}-{m.epsilon}-{m.delta}")
def test_the_worst_error_of_one_cell_of_the_histogram(mechanism):
    found = estimator(mechanism)
    P, Q = mechanism.matrix(), np.linalg.inv(mechanism.matrix())
    worst = (P @ Q**2 - np.eye(len(P))).max()
    assert math.isclose(found.histogram_error**2, worst, rel_tol=1e-8, abs_tol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    "mechanism",
    [
        nearest(127, "0.49"),
        nearest(128, "0.4813"),
        nearest(129, "0.5"),
        nearest(400, "0.485"),
        nearest(256, "0.4813"),
        nearest(257, "0.4813"),
        nearest(1500, "0.485"),
        nearest(1501, "0.6"),
        nearest(1500, 2),
        nearest(150, "0.5", "0.01"),
        canonical(128, "0.01"),
        canonical(129, "0.5"),
        canonical(1500, "0.2"),
        canonical(1501, 1, "0.1"),
    ],
    ids=lambda m: f"{m.name}-{m.n}-{m.epsilon}-{m.delta}",
)
def test_the_worst_row_of_large_ranges(mechanism):
    """Not all rows are looked at there; here they are."""
    found = estimator(mechanism)
    P, true = mechanism.matrix(), np.arange(mechanism.n + 1)
    assert np.abs(P @ found.values - true).max() < 1e-7
    variances = (P * (found.values - true[:, None]) ** 2).sum(axis=1)
    assert math.isclose(found.standard_error**2, variances.max(), rel_tol=1e-9)
    for i in range(0, len(P), 15):
        added = found.inverse.squares(P[i])
        added[i] -= 1
        assert added.max() <= found.histogram_error**2 * (1 + 1e-9)


def test_canonical_in_closed_form():
    """n = 1: P = [[1, q], [q, 1]] / (1 + q), so Q = [[1, -q], [-q, 1]] / (1 - q)."""
    q = math.exp(-0.5)
    assert np.allclose(estimator(canonical(1, "0.5")).values, [-q / (1 - q), 1 / (1 - q)], rtol=1e-14)
    assert np.allclose(estimator(nearest(1, "0.5")).values, [-q / (1 - q), 1 / (1 - q)], rtol=1e-14)


def test_far_from_the_edges_nearest_estimates_what_was_released():
    found = estimator(nearest(4820, "0.5"))
    assert np.abs(found.values - np.arange(4821))[40:-40].max() < 1e-7
    assert np.allclose(found.values + found.values[::-1], 4820, rtol=0, atol=1e-7)
    q = math.exp(-0.5)
    assert found.standard_error**2 >= 2 * q / (1 - q) ** 2


def test_none():
    assert estimator(nearest(10, "0.1")) is NoInverse.SINGULAR
    assert estimator(canonical(10, 0)) is NoInverse.SINGULAR
    assert estimator(canonical(10, "1e-9")) is NoInverse.ILL_CONDITIONED
    assert estimator(canonical(10**12, 1)) is NoInverse.TOO_LARGE


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: f"{m.name}-{m.n}-{m.epsilon}-{m.delta}")
def test_errors_of_the_released_count_itself(mechanism):
    bias, error = released_errors(mechanism)
    assert math.isclose(bias, mechanism.bias(), rel_tol=1e-12, abs_tol=1e-300)
    assert math.isclose(error**2, mechanism.expected_squared_error(), rel_tol=1e-12, abs_tol=1e-300)
