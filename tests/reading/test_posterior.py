"""Posteriors: Bayes' rule, whatever form the prior has, and what a window leaves out."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from hushcount import canonical, from_matrix, nearest
from hushcount.errors import BadUse, InvalidParameter, TooLarge
from hushcount.reading.posterior import LARGEST_SUPPORT, posterior

MECHANISMS = [
    nearest(12, "0.3"),
    nearest(12, "0.3", "0.05"),
    canonical(12, "0.3"),
    from_matrix(canonical(12, "0.3").matrix()),
]


@given(st.sampled_from(MECHANISMS), st.integers(0, 12), st.lists(st.floats(0.01, 100), min_size=13, max_size=13))
def test_bayes(mechanism, released, weights):
    found = posterior(mechanism, released, weights)
    joint = np.array(weights) * mechanism.matrix()[:, released]
    assert found.counts == tuple(i for i in range(13))
    assert np.allclose(found.probabilities, joint / joint.sum(), rtol=1e-11, atol=0)
    assert found.is_whole
    mean = found.probabilities @ np.arange(13)
    assert math.isclose(found.mean, mean, rel_tol=1e-12)
    assert math.isclose(found.standard_deviation**2, found.probabilities @ (np.arange(13) - mean) ** 2, rel_tol=1e-11)
    assert found.probabilities[found.most_likely] == found.probabilities.max()


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_forms_of_a_prior(mechanism):
    weights = [0.0, 1.0, 2.5, *[0.0] * 9, 4.0]
    named = {1: 1, 2: Fraction(5, 2), 12: np.float64(4)}
    ways = [weights, np.array(weights), tuple(weights), named, lambda i: weights[i], [8 * w for w in weights]]
    first, *others = [posterior(mechanism, 3, prior) for prior in ways]
    assert first.counts == (1, 2, 12)
    for other in others:
        assert other.counts == first.counts
        assert np.allclose(other.probabilities, first.probabilities, rtol=1e-15, atol=0)
    uniform = posterior(mechanism, 3, "uniform")
    assert np.array_equal(uniform.probabilities, posterior(mechanism, 3, [1] * 13).probabilities)


def test_credible_sets():
    found = posterior(from_matrix([[0.6, 0.2, 0.2], [0.1, 0.8, 0.1], [0.3, 0.2, 0.5]]), 0, "uniform")
    assert np.allclose(found.probabilities, [0.6, 0.1, 0.3])
    assert found.credible_set("0.5") == ((0, 0),)
    assert found.credible_set("0.7") == ((0, 0), (2, 2))
    assert found.credible_set(Fraction(95, 100)) == ((0, 2),)
    assert found.credible_set("0.99999999999999999999") == ((0, 2),)
    with pytest.raises(InvalidParameter, match="level"):
        found.credible_set(1)
    with pytest.raises(ValueError, match="read-only"):
        found.probabilities[0] = 1


@pytest.mark.parametrize("make", [nearest, canonical])
def test_large_ranges_have_a_window(make):
    """Two-sided geometric, far from the edges: the window holds all of it, to the last bit of a float."""
    n, released, q = 10**12, 5 * 10**11, math.exp(-0.05)
    found = posterior(make(n, "0.05"), released, "uniform")
    assert not found.is_whole
    assert (found.counts[0] + found.counts[-1]) / 2 == released == found.mean
    assert math.isclose(found.standard_deviation**2, 2 * q / (1 - q) ** 2, rel_tol=1e-12)
    tilted = posterior(make(n, "0.05"), released, lambda i: math.exp(0.01 * (i - released)))
    # The two sides are geometric with q e^-0.01 and q e^0.01.
    up, down = q * math.exp(0.01), q * math.exp(-0.01)
    mean = (up / (1 - up) ** 2 - down / (1 - down) ** 2) / (1 / (1 - up) + down / (1 - down))
    assert math.isclose(tilted.mean - released, mean, rel_tol=1e-3)


def test_around_the_circle():
    found = posterior(canonical(10**12, 1), 0, "uniform")
    assert (found.counts[0], found.counts[-1]) == (0, 10**12)
    assert found.credible_set("0.99")[1][1] == 10**12
    assert math.isclose(found.probabilities.sum(), 1, rel_tol=1e-14)


def test_few_counts_of_a_huge_range_need_no_window():
    found = posterior(nearest(10**30, "1e-9"), 5, {0: 1, 10**29: 1})
    assert found.counts == (0, 10**29)
    assert found.probabilities.tolist() == [1, 0]
    assert found.is_whole


def test_epsilon_0_leaves_the_prior():
    found = posterior(nearest(3, 0), 1, [1, 2, 3, 4])
    assert np.allclose(found.probabilities, [0.1, 0.2, 0.3, 0.4], rtol=1e-15)


def test_n_0_and_extreme_weights():
    assert posterior(nearest(0, 1), 0, "uniform").probabilities.tolist() == [1]
    found = posterior(nearest(1, 1), 0, [1e308, 1e308])
    assert np.allclose(found.probabilities, nearest(1, 1).pmf(0), rtol=1e-15)


def test_a_prior_that_rules_out_the_release():
    with pytest.raises(BadUse, match="no weight on counts that could have been released as 2"):
        posterior(from_matrix(np.eye(3)), 2, [1, 1, 0])
    for prior in ([0, 0, 0], {}, lambda _: 0):
        with pytest.raises(BadUse, match="no count a weight"):
            posterior(nearest(2, 1), 2, prior)


@pytest.mark.parametrize(
    "prior", ["flat", [1, 2], [[1, 2, 3]], 7, {5: 1}, {-1: 1}, {1.5: 1}, {"1": 1}, [1, 2, math.nan], [1, 2, -1],
              [1, 2, math.inf], ["1", "2", "3"], [1, 2, 3j], {0: None}, lambda _: True, lambda _: -1, b"abc"]
)  # fmt: skip
def test_bad_priors(prior):
    with pytest.raises(InvalidParameter, match=r"prior|the prior's weight"):
        posterior(nearest(2, 1), 1, prior)


def test_too_many_counts():
    with pytest.raises(TooLarge, match="give the prior as a mapping"):
        posterior(nearest(10**9, "1e-6"), 10**8, "uniform")
    with pytest.raises(TooLarge, match="32,769 counts"):
        posterior(nearest(10**9, 1), 5, dict.fromkeys(range(LARGEST_SUPPORT + 1), 1))
