"""What (epsilon, delta) at distance 1 implies elsewhere, against the trade-off curve applied step by step."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from hushcount.promise.at_distance import AtDistance
from hushcount.promise.epsilon_delta import EpsilonDelta

GRID = np.concatenate([[0.0], np.linspace(0, 1, 20_001), np.geomspace(1e-12, 1, 5_001)])


def at_distance(epsilon, delta, distance):
    return AtDistance(EpsilonDelta(epsilon, delta), distance)


def supremum(epsilon, delta, distance, other):
    y = GRID.copy()
    for _ in range(distance):
        y = np.minimum(1, np.minimum(math.exp(epsilon) * y + delta, 1 - math.exp(-epsilon) * (1 - delta - y)))
    return float((y - math.exp(other) * GRID).max())


@given(
    epsilon=st.sampled_from([0, 0.125, 0.5, 1, 3]),
    delta=st.sampled_from([0, 0.001, 0.01, 0.1, 0.4]),
    distance=st.integers(1, 12),
    other=st.sampled_from([0, 0.0625, 0.5, 1, 2, 5, 9]),
)
def test_least_delta_is_the_supremum(epsilon, delta, distance, other):
    found = float(at_distance(Fraction(epsilon), Fraction(delta), distance).least_delta(Fraction(other)))
    expected = supremum(epsilon, delta, distance, other)
    assert expected - 1e-12 <= found <= expected + 1e-3


def test_at_the_promise_it_is_exact():
    assert at_distance(Fraction(1, 3), Fraction(1, 7), 1).least_delta(Fraction(1, 3)) == Fraction(1, 7)
    assert at_distance(Fraction(1, 3), Fraction(0), 4).least_delta(Fraction(4, 3)) == 0
    assert at_distance(Fraction(0), Fraction(1, 7), 3).least_delta(Fraction(0)) == Fraction(3, 7)
    assert at_distance(Fraction(0), Fraction(1, 7), 9).least_delta(Fraction(5)) == 1


def test_least_epsilon():
    promise = at_distance(Fraction(1), Fraction(1, 100), 1)
    assert promise.least_epsilon(Fraction(1, 100)) == 1
    assert promise.least_epsilon(Fraction(1, 200)) is None
    found = promise.least_epsilon(Fraction(1, 10))
    assert promise.least_delta(found) <= Fraction(1, 10) < promise.least_delta(found * (1 - Fraction(1, 10**9)))
    assert promise.least_epsilon(Fraction(9, 10)) == 0


@pytest.mark.parametrize("distance", [10**3, 10**9])
def test_any_distance(distance):
    assert 0.99 < at_distance(Fraction(1, 10), Fraction(1, 10**9), distance).least_delta(Fraction(1)) <= 1
    assert at_distance(Fraction(1, 10), Fraction(0), distance).least_delta(Fraction(distance, 10)) == 0
