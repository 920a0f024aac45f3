"""The inverse of a mechanism: three forms, one contract, and when there is none."""

import itertools
import math

import numpy as np
import pytest
from for_each import for_each
from hypothesis import given, strategies as st

from hushcount import canonical, from_matrix, nearest
from hushcount.mechanisms import explicit_fair, randomized_response, truncated_geometric, uniform
from hushcount.promise import EpsilonDelta
from hushcount.reading.inverse import LARGEST_CONDITION, NoInverse, inverse

pytestmark = pytest.mark.grid

GOLDEN = math.log((1 + math.sqrt(5)) / 2)
EPSILONS = [0, 1e-300, 1e-6, 0.01, 0.1, 0.3, 0.45, 0.5, 1, 3, 30, 1000]


def is_alike(found, P):
    """Q, Q transposed and the squares of Q, against elimination in floats."""
    M = len(P)
    unit = np.eye(M)
    Q = np.linalg.inv(P)
    scale = np.abs(Q).sum(axis=1).max() ** 2
    assert np.allclose(np.array([found.solve(x) for x in unit]).T, Q, rtol=0, atol=1e-15 * M * scale)
    assert np.allclose(np.array([found.transposed(r) for r in unit]), Q, rtol=0, atol=1e-15 * M * scale)
    assert np.allclose(np.array([found.squares(r) for r in unit]), Q**2, rtol=0, atol=1e-15 * M * scale**1.5)
    assert math.isclose(found.condition, np.abs(Q).sum(axis=1).max(), rel_tol=1e-15 * M * scale)
    r = np.linspace(1, 2, M)
    assert np.allclose(found.transposed(r) @ P, r, rtol=0, atol=1e-15 * M * scale)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("delta", [0, 1e-3, 0.3])
@pytest.mark.parametrize("make", [nearest, canonical])
@for_each("n", [0, 1, 2, 3, 4, 5, 6, 7, 12, 25])
def test_inverse_is_that_of_the_matrix(make, n, epsilon, delta):
    mechanism = make(n, epsilon, delta)
    P, found = mechanism.matrix(), inverse(mechanism)
    if isinstance(found, NoInverse):
        assert np.linalg.svd(P, compute_uv=False).min() < 10 / LARGEST_CONDITION
    else:
        is_alike(found, P)


@pytest.mark.parametrize("mechanism", [truncated_geometric(12, 0.5), explicit_fair(9, 0.5), randomized_response(7, 1)])
def test_other_closed_forms(mechanism):
    is_alike(inverse(mechanism), mechanism.matrix())


@given(st.integers(0, 12), st.randoms(use_true_random=False))
def test_matrices(n, random):
    P = np.array([[random.random() for _ in range(n + 1)] for _ in range(n + 1)]) + 2 * np.eye(n + 1)
    mechanism = from_matrix(P / P.sum(axis=1, keepdims=True))
    is_alike(inverse(mechanism), mechanism.matrix())


# --- when there is none -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [nearest, canonical])
def test_equal_rows(make):
    assert inverse(make(5, 0)) is NoInverse.SINGULAR
    assert inverse(uniform(5)) is NoInverse.SINGULAR
    assert inverse(make(0, 0)).solve(np.array([7.0])) == [7.0]
    assert inverse(make(5, 0, 0.5)).condition < 10


@pytest.mark.parametrize("n", [3, 4, 5, 6, 7, 10, 11, 30, 31])
def test_nearest_is_singular_exactly_below_a_threshold(n):
    """Below it columns 0 and 1 are proportional, in exact arithmetic; above, the singular values say full rank."""
    low, high = 0.0, 1.0
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if inverse(nearest(n, middle)) is NoInverse.SINGULAR else (low, middle)
    if low == 0:
        assert n == 3
        return
    below, above = nearest(n, low * (1 - 1e-6)), nearest(n, high * (1 + 1e-3)).matrix()
    ratios = [below.pmf(i, 1) / below.pmf(i, 0) for i in range(n + 1)]
    assert np.allclose(ratios, math.exp(below.epsilon), rtol=1e-13)
    assert np.linalg.svd(above, compute_uv=False).min() > 1e-6
    apart = above[:, 1] / above[:, 0]
    assert apart.max() > apart.min() * (1 + 1e-6)


def test_the_threshold_of_large_ranges_is_the_golden_ratio():
    assert inverse(nearest(10**5, GOLDEN - 1e-9)) is NoInverse.SINGULAR
    assert inverse(nearest(10**5, GOLDEN + 1e-9)) is NoInverse.ILL_CONDITIONED
    assert inverse(nearest(10**5, GOLDEN + 1e-2)).condition < LARGEST_CONDITION
    assert inverse(nearest(10**12, GOLDEN - 1e-9)) is NoInverse.SINGULAR


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("epsilon", [0.1, 1e-3])
def test_up_to_three_outcomes_nearest_always_has_one(n, epsilon):
    is_alike(inverse(nearest(n, epsilon)), nearest(n, epsilon).matrix())


@pytest.mark.parametrize("make", [nearest, canonical])
def test_near_zero_rounding_would_decide(make):
    for n, epsilon in itertools.product([1, 2], [1e-12, 1e-300, "1e-1000"]):
        assert inverse(make(n, epsilon)) is NoInverse.ILL_CONDITIONED


def test_singular_matrices():
    assert inverse(from_matrix([[0.5, 0.5], [0.5, 0.5]])) is NoInverse.ILL_CONDITIONED
    assert inverse(from_matrix([[0.5, 0.5], [0.5 - 2.0**-40, 0.5 + 2.0**-40]])) is NoInverse.ILL_CONDITIONED


def test_sizes():
    assert inverse(nearest(2**17, 1)) is NoInverse.TOO_LARGE
    assert inverse(nearest(2**10, 1, 1e-6)) is NoInverse.TOO_LARGE
    assert inverse(canonical(2**20, 1)) is NoInverse.TOO_LARGE
    assert inverse(truncated_geometric(2**10, 1)) is NoInverse.TOO_LARGE


@pytest.mark.parametrize(
    ("law", "said"),
    [
        (canonical(2**20, 1), "1,048,576 of the canonical mechanism."),
        (nearest(2**17, 1), "131,072 of the nearest with delta 0."),
        (nearest(20_000, 1, "1e-7"), "delta is above 0, so up to 1,024."),
        (truncated_geometric(2**10, 1), "up to 1,024."),
    ],
)
def test_only_the_limit_that_matters_is_told(law, said):
    promise = law.proven_privacy or EpsilonDelta.of(1, 0)
    assert inverse(law) is NoInverse.TOO_LARGE
    told = NoInverse.TOO_LARGE.told(promise, law)
    assert told == f"The range has more outcomes than an inverse is computed for: {said}"


@pytest.mark.parametrize(("make", "n"), [(nearest, 20_000), (nearest, 20_001), (canonical, 20_000)])
def test_large_ranges_are_undone(make, n):
    """Estimates of the count itself, against rows of the mechanism at the edges, in the middle and between."""
    mechanism = make(n, 0.7)
    found = inverse(mechanism).solve(np.arange(n + 1, dtype=float))
    for true in (0, 1, 2, 17, n // 4, n // 2, n // 2 + 1, n - 3, n):
        assert abs(mechanism.pmf(true) @ found - true) < 1e-7
