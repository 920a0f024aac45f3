"""Mechanisms on the curve of one or several (epsilon, delta): the optimum against linear programs, privacy, draws."""

import math
from fractions import Fraction

import numpy as np
import pytest
from chi_square import p_value
from flint import ctx
from neighbours import excess
from several_programs import largest_chance_within, random_private

from hushcount import nearest, simulate
from hushcount.drawing.sampler import _resolve
from hushcount.errors import InvalidParameter, TooLarge
from hushcount.mechanisms.chain.nearest_points import NearestPoints
from hushcount.mechanisms.chain.point_chain import GivenPointChain
from hushcount.promise import EpsilonDelta, SeveralPairs
from hushcount.promise.float_lines import FloatLines

FALSE_ALARM = 1e-6
PAIRS = [
    [(0.3, 0)],
    [(0.5, 0.02)],
    [(0.1, 0.1), (0.6, 0.01)],
    [(0.2, 0.15), (0.8, 0.02), (2, 0)],
    [(0, 0.1)],
    [(0, 0.25), (1, 0.01)],
    [(0.03, 0.23), (0.64, 0)],
    [(0.03, 0.25), (0.69, 0.013)],
    [(0.05, 0.01), (0.3, 0)],
    [(2.5, 0.001)],
]
each_promise = pytest.mark.parametrize("pairs", PAIRS, ids=str)


def made(n, pairs):
    """Return the nearest optimum of its own class, also where one pair has a closed form."""
    return NearestPoints(n, SeveralPairs.of(pairs))


# --- the optimum ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("M", "pairs", "gamma"),
    [
        (4, [(0.1, 0.1), (0.6, 0.01)], "0.3480428325574432164499075"),
        (11, [(0.05, 0.01), (0.3, 0)], "0.1128185502724566426896539"),
    ],
)
def test_reference_values(M, pairs, gamma):
    mechanism = nearest(M - 1, SeveralPairs.of(pairs))
    assert 1 - mechanism.error_probability == pytest.approx(float(gamma), rel=1e-14)
    assert np.ptp(np.diag(mechanism.matrix())) < 1e-15


@each_promise
@pytest.mark.parametrize("M", range(2, 9))
def test_gamma_is_the_linear_program_s(M, pairs):
    optimum = largest_chance_within(M, [(float(e), float(d)) for e, d in pairs], 0)
    assert 1 - made(M - 1, pairs).error_probability == pytest.approx(optimum, abs=1e-9)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 8, 30])
@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [(0.5, 1e-3), (0, 0.1), (1, 0.5), (1, 0), (3, 1e-12), (0.01, 1e-3), (1000, 0), ("1e-17", 0), (30, 1e-9), (0, 0)],
)
def test_one_pair_is_the_closed_form(n, epsilon, delta):
    one, other = nearest(n, epsilon, delta), made(n, [(epsilon, delta)])
    assert np.allclose(one.matrix(), other.matrix(), rtol=0, atol=1e-14)
    for measure in ("expected_absolute_error", "expected_squared_error", "bias"):
        assert getattr(other, measure)() == pytest.approx(getattr(one, measure)(), rel=1e-11, abs=1e-15)


def test_pairs_that_follow_from_others_change_nothing():
    plain = nearest(9, SeveralPairs.of([(0.1, 0.1), (0.6, 0.01)])).matrix()
    more = nearest(9, SeveralPairs.of([(0.1, 0.1), (0.6, 0.01), (0.1, 0.2), (2, 0.01), (0.7, 0.5)])).matrix()
    assert np.allclose(plain, more, rtol=0, atol=1e-15)


def test_all_pairs_matter_together():
    """Two pairs at once allow less than the stricter one alone."""
    one, other = [nearest(5, *pair).error_probability for pair in ((0.03, 0.23), (0.64, 0))]
    assert nearest(5, SeveralPairs.of([(0.03, 0.23), (0.64, 0)])).error_probability > max(one, other) + 0.02


@pytest.mark.parametrize("n", [10**3, 10**6, 10**12])
def test_any_n(n):
    mechanism = nearest(n, SeveralPairs.of([(0.05, 0.02), (0.3, 0)]))
    assert len(mechanism.points.values) < 2000
    assert mechanism.error_probability == pytest.approx(
        nearest(3000, mechanism.promise).error_probability, rel=3e-12 if n > 10**3 else 1e-9
    )
    with ctx.workprec(128):
        assert float(mechanism.enclosed_pmf(n // 2, n // 2, 128).mid()) == pytest.approx(
            1 - mechanism.error_probability
        )
    assert 0 <= mechanism.draw(n // 3) <= n


@pytest.mark.parametrize("epsilon", ["1e5", "1e6", "1e9", "3e9"])
@pytest.mark.parametrize("delta", ["0", "0.3"])
@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_any_epsilon(n, epsilon, delta):
    """Chances next to the middle, e^-epsilon, are far below what 1 - (1 - e^-epsilon) keeps at any precision."""
    mechanism = made(n, [(epsilon, delta)])
    assert 0 <= mechanism.error_probability <= 2.0**-59  # floats keep 1 - x_j no better than that
    assert abs(mechanism.matrix() - np.eye(n + 1)).max() <= 2.0**-59
    assert mechanism.draw(np.arange(n + 1)).tolist() == list(range(n + 1))


def test_too_many_different_thresholds_are_refused():
    with pytest.raises(TooLarge, match=r"different thresholds are too many"):
        nearest(10**12, SeveralPairs.of([("1e-9", 0), (1, 0)])).draw(0)


# --- nearest: no mechanism that keeps the promise is nearer -----------------------------------------------------------


def chain_cdf(x, pairs):
    """Return it by the definition, in floats."""
    grow = [(math.exp(e), d) for e, d in pairs]

    def f(y):
        return min([1.0, *(k * y + d for k, d in grow), *(1 - (1 - d - y) / k for k, d in grow)])

    def g(y):
        return max([0.0, *((y - d) / k for k, d in grow), *(1 - d - k * (1 - y) for k, d in grow)])

    M = len(x)
    cdf = np.zeros((M, M))
    for j in range(M):
        cdf[j, j] = x[j]
        for i in range(j - 1, -1, -1):
            cdf[i, j] = f(cdf[i + 1, j])
        for i in range(j + 1, M):
            cdf[i, j] = g(cdf[i - 1, j])
    return cdf


@pytest.mark.slow
def test_two_hundred_random_private_matrices_are_dominated_by_their_chain():
    rng = np.random.default_rng(12)
    for number in range(200):
        M, pairs = int(rng.integers(2, 8)), PAIRS[number % len(PAIRS)]
        cdf = np.cumsum(random_private(M, pairs, rng), axis=1)
        cdf[:, -1] = 1
        chain = chain_cdf(np.diag(cdf), pairs)
        above = np.triu(np.ones((M, M), dtype=bool))
        assert (cdf - chain)[above].max() < 1e-8
        assert (chain - cdf)[~above].max(initial=0.0) < 1e-8
        assert np.diff(np.c_[np.zeros(M), chain], axis=1).min() > -1e-8


# --- privacy ----------------------------------------------------------------------------------------------------------


SLACK = Fraction(1, 2**200)


def random_chain(rng, n, pairs):
    """Return x_0..x_{n-1}, some as low as the condition lets them be (rounded up), some at 0 or 1."""
    lines = FloatLines.of(SeveralPairs.of(pairs))
    chain, x = [], 0.0
    for j in range(n):
        least = float(lines.least(np.array(x), np.array(1 - x))[0]) if j else 0.0
        least = min(1.0, least + 2.0**-44) if least > 0 else 0.0
        x = float(rng.choice([least, least + (1 - least) * rng.random() ** 4, max(least, rng.random())]))
        if rng.random() < 0.05:
            x = 1.0
        chain.append(x)
    return tuple(chain)


@each_promise
def test_random_chains_are_private(pairs):
    rng = np.random.default_rng(5)
    promise = SeveralPairs.of(pairs)
    for _ in range(12):
        n = int(rng.integers(1, 8))
        mechanism = GivenPointChain(n, promise, random_chain(rng, n, pairs))
        with ctx.workprec(256):
            assert all(mechanism.enclosed_pmf(i, j, 256) > -1e-60 for i in range(n + 1) for j in range(n + 1))
        for pair in promise.pairs:
            assert excess(mechanism, pair.epsilon) <= pair.delta + SLACK


@each_promise
def test_the_optimum_is_private_and_uses_its_promise_up(pairs):
    for n in (1, 2, 5, 8):
        mechanism = made(n, pairs)
        found = [(excess(mechanism, pair.epsilon), pair.delta) for pair in mechanism.promise.pairs]
        assert all(delta <= promised + SLACK for delta, promised in found)
        tighter = [(excess(mechanism, pair.epsilon * 9 / 10), pair.delta * 9 / 10) for pair in mechanism.promise.pairs]
        assert any(delta > less for delta, less in tighter)


@pytest.mark.parametrize("given", [(0.9, 0.1), (1.0, 0.9), (0.5, math.nextafter(0.25, 0))])
def test_what_is_no_chain_is_refused(given):
    with pytest.raises(InvalidParameter, match=r"^points\[0\] must be one of a chain: g\(x_j\) <= x_\(j\+1\)$"):
        GivenPointChain(2, EpsilonDelta.of(Fraction(math.log(2)) if given[0] != 0.5 else 0), given)


@pytest.mark.parametrize("given", [(0.5,), (0.5, 1.5), (-1.0, 0.5), (0, 1), (math.nan, 0.5)])
def test_points_are_floats_above_minus_1_and_at_most_1(given):
    with pytest.raises(
        InvalidParameter, match=r"^(given must be 2 floats|points\[[01]\] must be a float above -1 and at most 1)"
    ):
        GivenPointChain(2, EpsilonDelta.of(1), given)


# --- draws ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_law_in_bulk_and_one_by_one():
    mechanism, rng = nearest(10, SeveralPairs.of([(0.2, 0.15), (0.8, 0.02)])), np.random.default_rng(7)
    for true in range(11):
        bulk = simulate(mechanism, np.full(100_000, true), rng=rng)
        assert p_value(bulk, mechanism.pmf(true)) > FALSE_ALARM
    single = np.array([simulate(mechanism, 1, rng=rng) for _ in range(4000)])
    assert p_value(single, mechanism.pmf(1)) > FALSE_ALARM


def test_negative_control():
    """The same test rejects draws of pairs whose epsilons are 30 % too large."""
    loose = nearest(10, SeveralPairs.of([(0.26, 0.15), (1.04, 0.02)]))
    strict = nearest(10, SeveralPairs.of([(0.2, 0.15), (0.8, 0.02)]))
    draws = simulate(loose, np.full(200_000, 4), rng=np.random.default_rng(7))
    assert p_value(draws, strict.pmf(4)) < FALSE_ALARM


@each_promise
@pytest.mark.parametrize("n", [1, 2, 9, 40])
def test_floats_decide_only_what_the_enclosures_confirm(pairs, n):
    mechanism, rng = made(n, pairs), np.random.default_rng(n)
    true = rng.integers(0, n + 1, size=12)
    words = rng.integers(0, 2**64, size=12, dtype=np.uint64)
    words[:4] = 0, 2**64 - 1, 2**63, 2**11
    u = (words >> np.uint64(11)) * 2.0**-53
    many = mechanism._locate_many(true, u)
    for k in range(12):
        i, word = int(true[k]), int(words[k])
        exact = _resolve(rng.bytes, mechanism, i, word)
        assert many[k] in (-1, exact)
        assert mechanism._locate(i, float(u[k])) in (-1, exact)
    assert (many[4:] >= 0).all()


@pytest.mark.parametrize("n", [7, 10_000, 10**6, 10**12])
@pytest.mark.parametrize(
    "pairs", [[(0.5, 1e-6), (0.1, 0.01)], [(0.01, 1e-6), (0.001, 0.001)], [(2, 0), (0.5, 0.2)]], ids=str
)
def test_optimal_to_a_millionth_of_a_millionth_at_any_n(n, pairs):
    """The least error probability lies between the least and the largest over the true counts of any chain."""
    mechanism = nearest(n, SeveralPairs.of(pairs))
    kept = len(mechanism.points.values)
    assert kept <= 2**20
    rows = {min(i, n) for i in (0, 1, 2, 10, 100, kept // 2, kept - 1, kept, kept + 1, n // 2, n)}
    errors = [mechanism.probability_beyond(0, i) for i in rows]
    assert max(errors) - min(errors) < 1e-12
