"""Exact draws of the peers: the law, and a float path that decides only what the enclosures confirm."""

from fractions import Fraction

import numpy as np
import pytest
from chi_square import p_value
from flint import ctx
from hypothesis import given, settings, strategies as st

from hushcount import simulate
from hushcount.drawing.sampler import _draw_from, _resolve
from hushcount.mechanisms import (
    clamped_canonical_noise,
    clamped_gaussian,
    explicit_fair,
    exponential,
    folded_geometric,
    randomized_response,
    redrawn_geometric,
    truncated_geometric,
    uniform,
)
from hushcount.mechanisms.peers.clamped_gaussian import ClampedGaussian
from hushcount.promise.epsilon_delta import EpsilonDelta

FALSE_ALARM = 1e-6
"""Each statistical test is wrong this often, and draws from a fixed seed."""

PURE = [truncated_geometric, folded_geometric, explicit_fair, exponential, redrawn_geometric]
APPROXIMATE = [randomized_response, clamped_canonical_noise, clamped_gaussian]
LAWS = [
    *(make(10, 0.5) for make in PURE),
    *(make(3, 1) for make in PURE),
    *(make(10, 0.5, 0.01) for make in APPROXIMATE),
    *(make(3, 1, 0.2) for make in APPROXIMATE),
    uniform(6),
]


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", LAWS, ids=lambda m: f"{m.name}-{m.n}")
def test_law_in_bulk_and_one_by_one(mechanism):
    rng = np.random.default_rng(7)
    for true in range(mechanism.n + 1):
        bulk = simulate(mechanism, np.full(100_000, true), rng=rng)
        assert p_value(bulk, mechanism.pmf(true)) > FALSE_ALARM
    single = np.array([simulate(mechanism, 1, rng=rng) for _ in range(4000)])
    assert p_value(single, mechanism.pmf(1)) > FALSE_ALARM


@pytest.mark.parametrize("make", PURE + APPROXIMATE)
def test_negative_control(make):
    """The same test rejects draws whose epsilon is 30 % too large."""
    rest = () if make in PURE else (0.01,)
    draws = simulate(make(10, 0.65, *rest), np.full(100_000, 4), rng=np.random.default_rng(7))
    assert p_value(draws, make(10, 0.5, *rest).pmf(4)) < FALSE_ALARM


EPSILONS = st.one_of(st.sampled_from([0.0, 1e-300, 1e-17, 1e-9, 1.0, 40.0, 709.0, 1000.0, 1e5]), st.floats(1e-3, 3))
DELTAS = st.one_of(st.sampled_from([0.5, 1e-6, 1e-300]), st.floats(1e-9, 0.8))
SIZES = st.sampled_from([0, 1, 2, 3, 8, 21, 101, 10**6, 10**12])


def peers(n, epsilon, delta):
    yield from (make(n, epsilon) for make in PURE)
    yield randomized_response(n, epsilon, delta)
    yield clamped_canonical_noise(n, epsilon, delta)


def check_paths_agree(mechanism, rng):
    """The two paths compute the same function of the uniform: this is what makes mixing them exact."""
    true = rng.integers(0, mechanism.n + 1, size=10)
    words = rng.integers(0, 2**64, size=10, dtype=np.uint64)
    words[:4] = 0, 2**64 - 1, 2**63, 2**11
    u = (words >> np.uint64(11)) * 2.0**-53
    many = mechanism._locate_many(true, u)
    for k in range(10):
        i, word = int(true[k]), int(words[k])
        assert mechanism._locate(i, float(u[k])) == many[k]
        position = _resolve(rng.bytes, mechanism, i, word)
        assert 0 <= mechanism._outcome(i, position) <= mechanism.n
        assert many[k] in (-1, position)


@pytest.mark.slow
@given(SIZES, EPSILONS, DELTAS, st.integers(0, 2**32))
def test_floats_decide_only_what_the_enclosures_confirm(n, epsilon, delta, seed):
    rng = np.random.default_rng(seed)
    for mechanism in peers(n, epsilon, delta):
        check_paths_agree(mechanism, rng)


@given(SIZES, st.one_of(st.sampled_from([0.02, 1e3, 1e9]), st.floats(0.1, 1e5)), st.integers(0, 2**32))
def test_floats_decide_only_what_the_enclosures_confirm_of_gaussian_noise(n, sigma, seed):
    mechanism = ClampedGaussian(n, EpsilonDelta.of(1, 0.5), Fraction(sigma) ** 2)
    check_paths_agree(mechanism, np.random.default_rng(seed))


def check_error_bound(mechanism, rng):
    """The float tail against its enclosure, at the ends and at random, with the 2**-53 of u set aside."""
    M = mechanism.n + 1
    row = np.array([M, M, M, *rng.integers(2, M + 1, size=12)], dtype=np.int64)
    k = np.minimum(row - 1, np.maximum(1, (row * 10.0 ** -rng.uniform(0, 12, size=15)).astype(np.int64)))
    k[:3] = 1, M - 1, max(1, M // 2)
    floats = mechanism._float_tail(row.astype(np.float64), k.astype(np.float64))
    with ctx.workprec(256):
        for r, d, value in zip(row.tolist(), k.tolist(), floats.tolist(), strict=True):
            truth = float(mechanism._tail(r, d, 256).mid())
            if value < 0:
                assert truth <= mechanism._margin - 2.0**-53
            else:
                assert abs(value - truth) <= mechanism._margin - 2.0**-53


@pytest.mark.slow
@settings(max_examples=150)
@given(st.sampled_from([1, 2, 3, 8, 21, 101, 10**6, 10**12]), EPSILONS, DELTAS, st.integers(0, 2**32))
def test_float_tails_keep_their_error_bound(n, epsilon, delta, seed):
    rng = np.random.default_rng(seed)
    for mechanism in peers(n, epsilon, delta):
        check_error_bound(mechanism, rng)


@given(st.sampled_from([1, 2, 8, 101, 10**6, 10**12]), st.floats(0.05, 1e5), st.integers(0, 2**32))
def test_float_tails_of_gaussian_noise_keep_their_error_bound(n, sigma, seed):
    mechanism = ClampedGaussian(n, EpsilonDelta.of(1, 0.5), Fraction(sigma) ** 2)
    check_error_bound(mechanism, np.random.default_rng(seed))


def test_fallback_is_rare_and_counted():
    rng = np.random.default_rng(3)
    for mechanism in (
        *(make(100, 0.1) for make in PURE),
        *(make(100, 0.1, 1e-6) for make in APPROXIMATE),
        truncated_geometric(10**12, 0.1),
        clamped_gaussian(10**12, 0.1, 1e-6),
    ):
        draws = _draw_from(rng.bytes, mechanism, np.full(200_000, 50))
        assert draws.exact <= 2


def test_counts_above_what_floats_hold_are_drawn_by_enclosures():
    for mechanism in (make(10**17, "0.1") for make in PURE):
        draws = _draw_from(np.random.default_rng(3).bytes, mechanism, np.full(20, 5 * 10**16))
        assert draws.exact == 20
        assert np.abs(draws.released - 5 * 10**16).max() < 1000
