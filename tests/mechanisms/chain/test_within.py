"""Right within t: the largest chance, and the largest chance to be right among those, against linear programs."""

import math
from fractions import Fraction

import numpy as np
import pytest
from neighbours import excess
from several_programs import largest_chance_within

from hushcount import nearest
from hushcount.errors import InvalidParameter, TooLarge
from hushcount.mechanisms.chain.best_within import best_chance_within
from hushcount.mechanisms.chain.float_curves import FloatPieces
from hushcount.mechanisms.chain.within import within
from hushcount.promise import EpsilonDelta, GaussianDP, SeveralPairs
from hushcount.promise.float_lines import FloatLines

ROUNDED_DOWN = 1e-12
SLACK = Fraction(1, 2**150)
PAIRS = [
    [(0.3, 0)],
    [(0.5, 0.02)],
    [(0.1, 0.1), (0.6, 0.01)],
    [(0, 0.1)],
    [(0.03, 0.23), (0.64, 0)],
    [(2.5, 0.001)],
]


@pytest.mark.parametrize(
    ("M", "promise", "t", "chance"),
    [
        (9, EpsilonDelta.of(0.1), 1, "0.4029599111828765935093316"),
        (21, EpsilonDelta.of(0.2), 2, "0.4752807281963339597691875"),
        (30, EpsilonDelta.of(0.1, 0.01), 3, "0.4475226844547688252294567"),
        (10, GaussianDP.of(0.3), 1, "0.4937343199062651551455758"),
    ],
)
def test_reference_values(M, promise, t, chance):
    assert within(M - 1, promise, t).probability_within(t) == pytest.approx(float(chance), abs=ROUNDED_DOWN)


def test_what_it_gains_over_the_nearest_optimum():
    for n, epsilon, t, here, there in ((8, 0.1, 1, 0.40296, 0.28959), (100, 0.05, 5, 0.2761, 0.1854)):
        assert within(n, epsilon, t).probability_within(t) == pytest.approx(here, abs=5e-5)
        assert nearest(n, epsilon).probability_within(t) == pytest.approx(there, abs=5e-5)


@pytest.mark.slow
@pytest.mark.parametrize("pairs", PAIRS, ids=str)
@pytest.mark.parametrize(
    ("M", "t"), [(2, 0), (3, 1), (4, 1), (5, 0), (5, 1), (6, 1), (7, 1), (7, 2), (8, 1), (8, 2), (8, 3)]
)
def test_both_chances_are_the_linear_programs(pairs, M, t):
    pairs = [(float(epsilon), float(delta)) for epsilon, delta in pairs]
    mechanism = within(M - 1, SeveralPairs.of(pairs), t)
    best = largest_chance_within(M, pairs, t)
    assert mechanism.probability_within(t) == pytest.approx(best, abs=1e-9)
    right = largest_chance_within(M, pairs, t, at_least=mechanism.probability_within(t) - 1e-13)
    assert mechanism.probability_within(0) == pytest.approx(right, abs=2e-8)


@pytest.mark.parametrize("mu", ["1e-9", 0.05, 0.3, 1, 3, 20])
@pytest.mark.parametrize("n", [0, 1, 2, 7, 31, 200])
@pytest.mark.parametrize("t", [0, 1, 3, 40])
def test_never_worse_than_the_nearest_optimum(mu, n, t):
    mechanism, other = within(n, mu=mu, t=t), nearest(n, mu=mu)
    assert mechanism.probability_within(t) >= other.probability_within(t) - ROUNDED_DOWN
    if t == 0:
        assert mechanism.error_probability == pytest.approx(other.error_probability, abs=ROUNDED_DOWN)


@pytest.mark.parametrize("t", [1, 2, 5])
def test_a_range_of_2_t_plus_1_is_always_right_within_t(t):
    for promise in (GaussianDP.of(1), EpsilonDelta.of(1), EpsilonDelta.of(0, "0.1")):
        assert within(2 * t, promise, t).probability_beyond(t) <= ROUNDED_DOWN


@pytest.mark.parametrize("t", [1, 2])
def test_private(t):
    for pairs in PAIRS:
        mechanism = within(7, SeveralPairs.of(pairs), t)
        assert all(excess(mechanism, pair.epsilon) <= pair.delta + SLACK for pair in mechanism.promise.pairs)
    for mu in (0.1, 1, 3):
        mechanism = within(7, mu=mu, t=t)
        for epsilon in (Fraction(0), Fraction(1, 2), Fraction(2)):
            assert excess(mechanism, epsilon) <= mechanism.promise.least_delta(epsilon) + SLACK


@pytest.mark.parametrize(
    "promise", [GaussianDP.of("0.5"), EpsilonDelta.of("0.4"), EpsilonDelta.of("0.2", "0.05")], ids=str
)
def test_rows_draws_and_measures(promise):
    mechanism = within(12, promise, 2)
    matrix = mechanism.matrix()
    assert np.allclose(matrix.sum(axis=1), 1, rtol=0, atol=1e-14)
    single = [[mechanism.pmf(i, j) for j in range(13)] for i in range(13)]
    assert np.allclose(matrix, single, rtol=1e-12, atol=0)
    distance = np.abs(np.subtract.outer(np.arange(13), np.arange(13)))
    for t in (0, 1, 2, 3):
        assert mechanism.probability_within(t) == pytest.approx((matrix * (distance <= t)).sum(axis=1).min(), rel=1e-12)
    assert mechanism.expected_absolute_error() == pytest.approx((matrix * distance).sum(axis=1).max(), rel=1e-12)
    assert mechanism.draw(np.arange(13)).shape == (13,)
    assert mechanism == within(12, promise, 2)
    assert mechanism != within(12, promise, 1)


def test_leans_to_neither_side():
    """Bias of a count and of its mirror image nearly cancel."""
    mechanism = within(40, mu="0.2", t=3)
    sums = [mechanism.bias(i) + mechanism.bias(40 - i) for i in range(21)]
    assert max(map(abs, sums)) < 0.2


@pytest.mark.parametrize("pairs", [*PAIRS, [(0, 0)], [(12, 0)], [(800, 1e-9)], [(1e-9, 0.3)]], ids=str)
@pytest.mark.parametrize("steps", [0, 1, 2, 7, 60])
def test_iterates_read_off_between_kinks_are_those_step_by_step(pairs, steps):
    """Up to a rounding of the chance they are taken of, which they multiply near 1."""
    curve, rng = FloatPieces(FloatLines.of(SeveralPairs.of(pairs))), np.random.default_rng(5)
    kinks = [end for k in curve._pieces(steps)[0] for end in (math.nextafter(k, 0), k, math.nextafter(k, 1))]
    for y in [0.0, 1.0, *rng.random(200).tolist(), *(10.0 ** -rng.uniform(0, 20, 50)).tolist(), *kinks]:
        low, high = (curve._iterated(min(max(y + side, 0.0), 1.0), steps) for side in (-(2.0**-51), 2.0**-51))
        assert low - 1e-14 <= curve.least(y, steps) <= high + 1e-14, (y, steps)


def test_many_outcomes():
    """A range that a search over all numbers would not get through."""
    for promise in (EpsilonDelta.of("0.5", "1e-6"), GaussianDP.of("0.3")):
        mechanism = within(20_000, promise, 5)
        low, high = best_chance_within(20_000, promise, 5)
        assert all(mechanism.probability_within(5, i) >= low - ROUNDED_DOWN for i in (0, 1, 6, 9_999, 10_000, 19_999))
        assert min(mechanism.probability_within(5, i) for i in range(9_990, 10_011)) <= high + ROUNDED_DOWN


def test_refusals():
    with pytest.raises(InvalidParameter, match=r"^t must be an integer >= 0"):
        within(5, 1, -1)
    with pytest.raises(InvalidParameter, match=r"^n must be an integer"):
        within(-5, 1, 1)
    with pytest.raises(InvalidParameter, match=r"^epsilon must be"):
        within(5, -1, 1)
    with pytest.raises(TooLarge, match=r"too large to be sought; at most 131,072"):
        within(10**6, 1, 1).draw(0)
