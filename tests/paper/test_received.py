"""p_e*(T) from both sides: what is proved, and that nothing false is."""

import math

import numpy as np
import pytest

from hushcount import canonical
from hushcount.medium import optimum, psk
from hushcount.paper.received import _proved, least_received_error, received_error


@pytest.mark.parametrize("M", [2, 3, 5, 8])
@pytest.mark.parametrize(("epsilon", "delta"), [(0, 0), (0, 0.1), (0.5, 0), (1, 1e-6), (2, 0.4), (40, 0)])
def test_without_a_medium_it_is_the_least_error_probability(M, epsilon, delta):
    least = canonical(M - 1, epsilon, delta).error_probability
    assert least_received_error(np.eye(M), epsilon, delta) == pytest.approx(least, rel=0, abs=1e-11)
    P = canonical(M - 1, epsilon, delta).matrix()
    assert received_error(np.eye(M), epsilon, delta, P) == pytest.approx(least, rel=0, abs=1e-14)


def test_where_all_that_is_received_is_alike_nothing_can_be_told():
    assert least_received_error(np.full((4, 4), 0.25), 3, 0.2) == pytest.approx(0.75, abs=1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_no_multipliers_prove_what_is_false(seed):
    """Random ones, and an optimum behind a random medium: what they prove of gamma is never below what it reaches."""
    rng = np.random.default_rng(seed)
    M, epsilon, delta = int(rng.integers(2, 6)), float(rng.uniform(0.05, 3)), float(rng.choice([0, 0.1]))
    T = rng.dirichlet(np.ones(M), M)
    G = optimum(T / T.sum(axis=1, keepdims=True), epsilon, delta).mechanism.matrix()
    reached = 1 - received_error(T, epsilon, delta, G)
    assert math.isfinite(reached)
    pairs = [*((i, i + 1) for i in range(M - 1)), *((i + 1, i) for i in range(M - 1))]
    for scale in (0, 0.1, 1):
        z = scale * rng.exponential(size=(len(pairs), M))
        assert _proved(T, math.exp(-epsilon), delta, pairs, rng.dirichlet(np.ones(M)), z) >= reached - 1e-12


@pytest.mark.parametrize(
    "G",
    [
        np.eye(8),  # not private behind a good channel
        np.full((8, 8), 0.12),  # sums to .96
        np.full((8, 8), 1 / 8) + 0.2 * (np.eye(8) - np.roll(np.eye(8), 1, axis=1)),  # an entry below 0
        np.full((8, 8), np.nan),
    ],
    ids=["not private", "short", "negative", "nan"],
)
def test_what_is_no_private_mechanism_reaches_nothing(G):
    assert received_error(psk(8, es_n0_db=20).shares, 0.5, 0.01, G) == math.inf
