"""Accuracy first: the least promise that reaches a chance."""

import math
import random
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from hushcount.errors import InvalidParameter, TooLarge
from hushcount.mechanisms import Accuracy, canonical, epsilon_for, mu_for, nearest
from hushcount.mechanisms.chain.best_within import LARGEST_T, best_chance_within
from hushcount.mechanisms.chain.within import within
from hushcount.numbers.three_digits import grid_number, place_at_least
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP


def below(number):
    """Return the number of the grid just below."""
    place = place_at_least(Fraction(number))
    assert grid_number(place) == number > 0
    return grid_number(place - 1)


def chance_within(matrix, t):
    """Return it from the whole matrix, not from what the search uses."""
    i, j = np.indices(matrix.shape)
    return np.where(abs(i - j) <= t, matrix, 0).sum(axis=1).min()


CASES = [
    (7, 0, "0.3", "0"),
    (7, 1, "0.8", "0"),
    (8, 3, "0.95", "1/100"),
    (40, 5, "0.95", "1e-6"),
    (41, 2, "0.9", "0.2"),
    (30, 20, "0.999", "0"),
    (30, 20, "0.999", "0.01"),
    (60, 1, "0.999999", "1e-9"),
]


@pytest.mark.parametrize(("n", "t", "chance", "delta"), CASES)
def test_the_chance_is_reached_there_and_not_below(n, t, chance, delta):
    found = epsilon_for(n, t, chance, delta)
    low = below(found)
    assert chance_within(nearest(n, found, delta).matrix(), t) >= float(Fraction(chance)) - 1e-14
    assert chance_within(nearest(n, low, delta).matrix(), t) < float(Fraction(chance))


@pytest.mark.parametrize(("n", "t", "chance"), [(7, 0, "0.3"), (8, 3, "0.95"), (40, 5, "0.9"), (41, 30, "0.999")])
def test_the_same_for_mu(n, t, chance):
    found = mu_for(n, t, chance)
    low = below(found)
    assert chance_within(nearest(n, mu=found).matrix(), t) >= float(Fraction(chance)) - 1e-12
    assert chance_within(nearest(n, mu=low).matrix(), t) < float(Fraction(chance))


@pytest.mark.parametrize(
    ("n", "t", "chance", "delta"), [(9, 1, "0.6", "0"), (40, 5, "0.4", "0"), (30, 3, "0.5", "0.01")]
)
def test_the_same_for_within(n, t, chance, delta):
    found = epsilon_for(n, t, chance, delta, mechanism=f"within:{t}")
    low = below(found)
    assert within(n, found, t, delta).probability_within(t) >= float(chance)
    assert within(n, low, t, delta).probability_within(t) < float(chance)
    assert found < epsilon_for(n, t, chance, delta)
    found = mu_for(n, t, chance, mechanism=f"within:{t}")
    assert within(n, t=t, mu=found).probability_within(t) >= float(chance)
    assert within(n, t=t, mu=below(found)).probability_within(t) < float(chance)
    assert found < mu_for(n, t, chance)


def test_no_mechanism_needs_less_than_within():
    """Also not the canonical optimum, nor nearest, at any promise below."""
    low = below(epsilon_for(30, 2, "0.6", mechanism="within:2"))
    assert max(made(30, low).probability_within(2) for made in (nearest, canonical)) < 0.6


def test_the_figures_of_the_page_on_theory():
    """MATH.md 8: n = 8, epsilon .1, t = 1 and n = 100, 1000, epsilon .05, t = 5."""
    for n, epsilon, t, chance in ((8, "0.1", 1, 0.40296), (99, "0.05", 5, 0.2761), (10**12, "0.05", 5, 0.24067)):
        low, high = best_chance_within(n, EpsilonDelta.of(epsilon), t)
        assert high - low < 3e-12
        assert low == pytest.approx(chance, abs=6e-5)
    limit = 1 - 2 * math.exp(-0.05 * 6) / (1 + math.exp(-0.05))
    assert best_chance_within(10**12, EpsilonDelta.of("0.05"), 5)[0] == pytest.approx(limit, abs=1e-11)


def reference_chance(curve, n, t):
    """Return gamma_t by the recursion, one g at a time, and bisection."""
    q, delta = math.exp(-float(curve.epsilon)), float(curve.delta)

    def g(y):
        return max(0.0, q * (y - delta), 1 - delta - (1 - y) / q)

    low, high = 0.0, 1.0
    for _ in range(60):
        gamma = (low + high) / 2
        c = gamma
        for _ in range(-(-(n + 1) // (2 * t + 1)) - 1):
            for _ in range(2 * t + 1):
                c = g(c)
            c += gamma
        low, high = (gamma, high) if c <= 1 else (low, gamma)
    return low


def test_the_best_chance_is_the_root_of_its_recursion():
    source = random.Random(3)
    for _ in range(200):
        n, t = source.randint(0, 50), source.randint(0, 6)
        epsilon = source.choice([0, source.random() * 3, source.random() / 10, 10 ** -source.uniform(1, 9), 12])
        curve = EpsilonDelta.of(epsilon, source.choice([0, source.random() / 3, 1e-6]))
        low, high = best_chance_within(n, curve, t)
        assert low - 1e-12 <= reference_chance(curve, n, t) <= high + 1e-12, (n, t, curve)


def test_the_best_chance_under_mu_is_that_of_wider_steps():
    low, high = best_chance_within(29, GaussianDP.of("0.2"), 2)
    assert low <= within(29, t=2, mu="0.2").probability_within(2) + 1e-12
    assert low <= nearest(5, mu=1).probability_within(0) <= high


def worst(made, t):
    return made.probability_within(t)


def test_the_chance_grows_with_epsilon():
    """Theory, "Accuracy first": also where delta is so large that the middle alone would fall."""
    source = random.Random(4)
    for _ in range(150):
        n, t = source.randint(1, 60), source.randint(0, 12)
        delta = source.choice([0, 1e-6, source.random() / (2 * t + 1), source.random()])
        grid = sorted(source.choice([1, 0.1, 0.01]) * source.random() * 4 for _ in range(8))
        chances = [worst(nearest(n, epsilon, delta), t) for epsilon in grid]
        assert all(a <= b + 1e-14 for a, b in pairwise(chances)), (n, t, delta, grid)


def test_the_middle_alone_may_fall():
    """Why the proof needs the edge as well: n = 400, t = 1 and a delta just below 1/3."""
    middles = [nearest(400, epsilon, "0.33").probability_within(1, 200) for epsilon in (0, "0.01")]
    assert middles[1] < middles[0]
    edges = [nearest(400, epsilon, "0.33").probability_within(1, 0) for epsilon in (0, "0.01")]
    assert edges[0] < edges[1] < middles[1]


@pytest.mark.slow
def test_the_chance_grows_with_mu():
    source = random.Random(5)
    for _ in range(200):
        n, t = source.randint(1, 60), source.randint(0, 60)
        grid = sorted(source.choice([1, 0.1, 0.01]) * source.uniform(0.01, 4) for _ in range(8))
        chances = [worst(nearest(n, mu=mu), t) for mu in grid]
        assert all(a <= b + 1e-11 for a, b in pairwise(chances)), (n, t, grid)


def test_what_needs_no_data_costs_nothing():
    assert epsilon_for(5, 5, 1) == epsilon_for(0, 0, 1) == 0
    assert epsilon_for(7, 0, "1/8") == 0
    assert epsilon_for(7, 0, "0.1251") > 0
    assert epsilon_for(10, 3, "1e-300") == 0
    assert epsilon_for(10, 5, 1, mechanism="within:5") == 0
    assert mu_for(7, 0, "1/8") == mu_for(5, 5, 1) == Decimal("1e-12")


def test_huge_ranges():
    assert epsilon_for(10**12, 0, "0.9") == Decimal("2.95")
    tight = 1 - 2 * math.exp(-2.95) / (1 + math.exp(-2.95))
    assert tight > 0.9
    assert epsilon_for(10**12, 10**6, "0.999999") < Decimal("2e-5")
    assert 0 < epsilon_for(10**12, 0, "1.00001e-12") < Decimal("1e-15")


@pytest.mark.parametrize(
    ("n", "t", "chance"), [(10**6, 0, "0.01"), (10**6, 5_000, "0.5"), (10**7, 2 * 10**6, "0.9"), (10**12, 7, "0.3")]
)
def test_mu_of_large_ranges_is_that_of_the_mechanism(n, t, chance):
    """What is decided by one threshold alone holds of the mechanism with all of its thresholds."""
    found = mu_for(n, t, chance)
    assert nearest(n, mu=found).probability_within(t, 0) >= float(Fraction(chance))
    assert nearest(n, mu=below(found)).probability_within(t, 0) < float(Fraction(chance)) + 1e-11


@pytest.mark.parametrize(("n", "t", "delta"), [(10**6, 1_000, "0"), (10**12, 4_096, "1e-6"), (10**4, 1_000, "0.0001")])
def test_within_of_large_ranges_is_reached_there_and_not_below(n, t, delta):
    for chance in ("0.05", "0.95"):
        found = epsilon_for(n, t, chance, delta, mechanism=f"within:{t}")
        assert best_chance_within(n, EpsilonDelta.of(found, delta), t)[0] >= float(chance)
        assert found == 0 or best_chance_within(n, EpsilonDelta.of(below(found), delta), t)[0] < float(chance) + 1e-12


def test_certainty():
    """Tails end where delta > 0 and t >= 1, and never otherwise."""
    found = epsilon_for(40, 2, 1, "1e-3")
    assert nearest(40, found, "1e-3").probability_beyond(2) == 0
    assert nearest(40, below(found), "1e-3").probability_beyond(2) > 0
    for asked in ((7, 0, 1), (7, 0, 1, "0.1"), (7, 3, 1)):
        with pytest.raises(InvalidParameter, match="chance must be a number < 1"):
            epsilon_for(*asked)
    with pytest.raises(InvalidParameter, match="no mu makes it certain"):
        mu_for(7, 3, 1)
    with pytest.raises(InvalidParameter, match=r"chance must be at most 0.999999999 with within:3"):
        epsilon_for(10, 3, 1 - 2**-40, mechanism="within:3")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ((-1, 5, 0.9), "n must be an integer >= 0"),
        ((9, -1, 0.9), "within must be an integer >= 0"),
        ((9, 1.5, 0.9), "within must be an integer >= 0"),
        ((9, 1, 0), "chance must be a number > 0 and <= 1"),
        ((9, 1, 1.5), "chance must be a number > 0 and <= 1"),
        ((9, 1, math.nan), "chance must be a finite number"),
        ((9, 1, 0.9, 1), "delta must be a number >= 0 and < 1"),
    ],
)
def test_bad_requests(asked, message):
    with pytest.raises(InvalidParameter, match=message):
        epsilon_for(*asked)


@pytest.mark.parametrize("mechanism", ["canonical", "within:2", "within", "", None])
def test_other_mechanisms_are_refused(mechanism):
    for call in (epsilon_for, mu_for):
        with pytest.raises(InvalidParameter, match="nearest or within:3, the distance asked for"):
            call(9, 3, 0.9, mechanism=mechanism)


def test_within_too_wide():
    with pytest.raises(TooLarge, match="at most 4,096"):
        epsilon_for(10**6, LARGEST_T + 1, 0.9, mechanism=f"within:{LARGEST_T + 1}")


def test_an_accuracy_is_kept_exactly():
    assert Accuracy.of(5, 0.95).chance == Fraction(0.95) != Accuracy.of(5, "0.95").chance == Fraction(19, 20)
