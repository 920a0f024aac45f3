"""The nearest optimum: its closed form, its theorem, its price."""

import json
import math
from fractions import Fraction
from pathlib import Path

import brute
import mpmath
import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from hushcount import canonical, nearest

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "nearest.json").read_text())
EPSILONS = st.one_of(
    st.sampled_from([0.0, 1e-300, 1e-17, 1e-9, math.log(2), math.log(3), 1.0986122886681096, 20.0, 709.0]),
    st.floats(1e-4, 12),
)
DELTAS = st.one_of(st.sampled_from([0.0, 1e-300, 1e-12, 0.1, 0.5]), st.floats(1e-9, 0.95))


@pytest.mark.parametrize("case", REFERENCE, ids=lambda c: f"M{c['M']}-{c['epsilon']}-{c['delta']}")
def test_reference_matrices(case):
    mechanism = nearest(case["M"] - 1, case["epsilon"], case["delta"])
    assert np.allclose(mechanism.matrix(), case["P"], rtol=1e-12, atol=1e-14)


def test_the_rows_of_ln_2():
    """M = 5, epsilon = ln 2, delta = 0, as known by hand."""
    rows = [[0.4, 0.4, 0.125, 0.05, 0.025], [0.2, 0.4, 0.25, 0.1, 0.05], [0.1, 0.2, 0.4, 0.2, 0.1]]
    expected = [*rows, rows[1][::-1], rows[0][::-1]]
    assert np.allclose(nearest(4, math.log(2)).matrix(), expected, rtol=0, atol=1e-15)


@pytest.mark.slow
@settings(max_examples=150)
@given(st.integers(0, 14), EPSILONS, DELTAS)
@example(2, 0.2377, 0.0)
@example(11, 21.155003140193216, 0.5)
def test_closed_form_is_the_recursion(n, epsilon, delta):
    """f and g applied step by step in 400 digits, against whole rows and single values."""
    rows = brute.nearest_matrix(n, epsilon, delta)
    mechanism = nearest(n, epsilon, delta)
    for i, row in enumerate(rows):
        expected = np.array([float(p) for p in row])
        clean = np.where(expected < 1e-290, 0, expected)
        whole = np.where(mechanism.pmf(i) < 1e-290, 0, mechanism.pmf(i))
        assert np.allclose(whole, clean, rtol=1e-12, atol=0)
        for j in range(n + 1):
            assert math.isclose(mechanism.pmf(i, j), expected[j], rel_tol=1e-14, abs_tol=1e-290)
        with mpmath.workdps(brute.digits(n, epsilon)):
            moments = [
                float(mpmath.fsum(weight(j - i) * p for j, p in enumerate(row)))
                for weight in (abs, lambda d: d * d, int)
            ]
        assert math.isclose(mechanism.expected_absolute_error(i), moments[0], rel_tol=1e-13, abs_tol=1e-200)
        assert math.isclose(mechanism.expected_squared_error(i), moments[1], rel_tol=1e-13, abs_tol=1e-200)
        assert math.isclose(mechanism.bias(i), moments[2], rel_tol=1e-13, abs_tol=1e-200)


@pytest.mark.parametrize(("M", "epsilon", "delta"), [(2, 1, 0), (3, 0.5, 0.1), (6, 1, 0.01), (7, 2, 0)])
def test_the_diagonal_is_the_root_of_the_last_c(M, epsilon, delta):
    """gamma from the trade-off curve alone, without (9): the argument that carries over to any f-DP curve."""
    with mpmath.workdps(100):
        assert mpmath.almosteq(brute.root_diagonal(M, epsilon, delta), brute.kernel_diagonal(M, epsilon, delta), 1e-60)


@pytest.mark.slow
@pytest.mark.parametrize("M", [3, 4, 5, 6])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.2, 0), (0.7, 0), (1.5, 0), (0.5, 0.02), (0.1, 0.1), (0, 0.05)])
def test_theorem_no_optimum_is_nearer(M, epsilon, delta):
    """For each true count, side and distance, a linear program finds no optimal mechanism with more mass within it."""
    mechanism = nearest(M - 1, epsilon, delta)
    gamma = mechanism.pmf(0, 0)
    for i in range(M):
        for t in range(1, M):
            gain = np.zeros((M, M))
            gain[i, max(0, i - t) : i + t + 1] = 1
            best = brute.best_linear(M, epsilon, delta, gain, diagonal=gamma - 1e-9)
            assert best <= mechanism.probability_within(t, i) + 1e-6
            assert best >= mechanism.probability_within(t, i) - 1e-6


@settings(max_examples=40)
@given(st.integers(2, 120), st.floats(1e-3, 6), st.one_of(st.just(0.0), st.floats(1e-9, 0.9)))
def test_never_farther_than_canonical(n, epsilon, delta):
    ours, theirs = nearest(n, epsilon, delta), canonical(n, epsilon, delta)
    assert ours.error_probability == theirs.error_probability
    for i in (0, n // 3, n // 2, n):
        for t in (1, 2, n // 2):
            assert ours.probability_beyond(t, i) <= theirs.probability_beyond(t, i) * (1 + 1e-12)
        assert ours.expected_absolute_error(i) <= theirs.expected_absolute_error(i) * (1 + 1e-12)


@pytest.mark.slow
@settings(max_examples=80)
@given(st.integers(1, 70), st.floats(1e-3, 8), st.one_of(st.just(0.0), st.floats(1e-9, 0.9)))
def test_the_worst_case_is_at_the_edge_or_in_the_middle(n, epsilon, delta):
    """Proved for every distance; for expected errors, which sum over distances, looked up at every true count."""
    mechanism = nearest(n, epsilon, delta)
    every = range(n + 1)
    for worst, measure in (
        (mechanism.probability_beyond(1), lambda i: mechanism.probability_beyond(1, i)),
        (mechanism.probability_beyond(3), lambda i: mechanism.probability_beyond(3, i)),
        (mechanism.expected_absolute_error(), mechanism.expected_absolute_error),
        (mechanism.expected_squared_error(), mechanism.expected_squared_error),
        (mechanism.bias(), lambda i: abs(mechanism.bias(i))),
    ):
        assert math.isclose(worst, max(measure(i) for i in every), rel_tol=1e-14)


@pytest.mark.parametrize("n", [500, 4095])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.001, 0), (0.02, 0), (0.02, 1e-4), (0.5, 1e-6), (1.2, 0)])
def test_large_rows_sum_to_their_moments(n, epsilon, delta):
    """Closed sums, blocks and single terms of `nearest_sums` against the plain sum over the row."""
    mechanism = nearest(n, epsilon, delta)
    for i in (0, 1, n // 10, n // 2 - 1, n):
        row, error = mechanism.pmf(i), np.arange(n + 1) - i
        assert math.isclose(math.fsum(row), 1, rel_tol=1e-13)
        assert math.isclose(mechanism.expected_absolute_error(i), math.fsum(row * abs(error)), rel_tol=1e-12)
        assert math.isclose(
            mechanism.expected_squared_error(i), math.fsum(row * error.astype(float) ** 2), rel_tol=1e-12
        )
        assert math.isclose(mechanism.bias(i), math.fsum(row * error), rel_tol=1e-12, abs_tol=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "delta"), [(1e-4, 0), (1e-4, 1e-9), (2e-3, 0)])
def test_smooth_sums_at_small_epsilon(epsilon, delta):
    """More than 40,000 outcomes in mixed blocks: the Euler-Maclaurin part of `nearest_sums`."""
    n = 300_000
    mechanism = nearest(n, epsilon, delta)
    for i in (0, n // 10):
        row, error = mechanism.pmf(i), np.arange(n + 1, dtype=float) - i
        assert math.isclose(mechanism.expected_absolute_error(i), math.fsum(row * abs(error)), rel_tol=1e-12)
        assert math.isclose(mechanism.expected_squared_error(i), math.fsum(row * error**2), rel_tol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", ["1e-400", 1e-17, 1e-9, 1e-6, 1e-3, 1, 40, 709, 710, 746, 1000, "1e5", "1e400"])
@pytest.mark.parametrize("delta", [0, "1e-400", 1e-6, 0.5])
def test_any_epsilon_at_any_n(epsilon, delta):
    for n in (1, 2, 7, 10**5, 10**12):
        mechanism = nearest(n, epsilon, delta)
        worst = mechanism.error_probability
        assert 0 <= worst < 1
        for value in (
            mechanism.expected_absolute_error(0),
            mechanism.bias(0),
            mechanism.probability_beyond(1),
            mechanism.pmf(0, 1),
            mechanism.cdf(n, n - 1),
        ):
            assert math.isfinite(value)
            assert value >= 0
        assert mechanism.bias(n) == -mechanism.bias(0)
        assert math.isclose(mechanism.cdf(n, n - 1), worst, rel_tol=1e-14)
        assert 0 <= mechanism.draw(n) <= n


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "delta"), [("0.5", 0), ("0.7", "1e-6"), ("1", 0), ("2.5", "0.01"), ("40", 0)])
def test_values_among_a_million_million_counts(epsilon, delta):
    """n = 10^12 by stepping g in high precision until the tail is spent, at the edge, near it and in the middle."""
    n = 10**12
    M, mechanism = n + 1, nearest(n, epsilon, delta)
    with mpmath.workdps(120):
        q, d = mpmath.exp(-brute.real(epsilon)), brute.real(delta)
        h = M // 2
        a = (1 - d) / (1 + 2 * q * (1 - q**h) / (1 - q))  # M is odd
        _, g = brute.curves(epsilon, delta)
        for row in (1, 3, 20, M // 2):

            def start(j, a=a):
                """c_j as a prefix sum of the canonical mechanism's first row."""
                near = d + a * (1 - q**j) / (1 - q)
                return near if j <= h + 1 else 1 - a * q * (1 - q ** (M - j)) / (1 - q)

            def tail(i, k):
                y = start(i - k)
                for _ in range(k):
                    y = g(y)
                return y

            reach = int(80 / float(epsilon)) + 12
            down = [tail(row, k) for k in range(1, min(row, reach))]
            up = [tail(M + 1 - row, k) for k in range(1, reach)]
            true = row - 1
            sums = [mpmath.fsum(side) for side in (down, up)]
            squares = [mpmath.fsum((2 * k + 1) * t for k, t in enumerate(side)) for side in (down, up)]
            assert math.isclose(mechanism.expected_absolute_error(true), float(sum(sums)), rel_tol=1e-13)
            assert math.isclose(mechanism.expected_squared_error(true), float(sum(squares)), rel_tol=1e-13)
            assert math.isclose(mechanism.bias(true), float(sums[1] - sums[0]), rel_tol=1e-12, abs_tol=1e-30)
            for t in (0, 1, 5):
                beyond = sum(side[t] if t < len(side) else 0 for side in (down, up))
                assert math.isclose(mechanism.probability_beyond(t, true), float(beyond), rel_tol=1e-13)
            for k in (1, 2, 7):
                cell = up[k - 1] - up[k]
                assert math.isclose(mechanism.pmf(true, true + k), float(cell), rel_tol=1e-13, abs_tol=1e-300)


def test_epsilon_zero_is_uniform_and_exact():
    mechanism = nearest(2, 0)
    assert mechanism.matrix().tolist() == [[1 / 3] * 3] * 3
    # A tie decided exactly: Pr(output <= 0) is 1/3 and not a rounding of it.
    assert mechanism.quantile(0, Fraction(1, 3)) == 0
    assert mechanism.quantile(0, Fraction(1, 3) + Fraction(1, 10**300)) == 1


def test_not_row_honest_at_small_epsilon():
    """The price, as the documentation says: an edge count is most often released one step inside."""
    mechanism = nearest(7, 0.1)
    assert mechanism.pmf(0, 1) > mechanism.pmf(0, 0)
    assert mechanism.pmf(3, 3) == max(mechanism.pmf(3))


def test_far_tails_keep_their_digits():
    """Below 1e-300 a probability is still right; a difference of floats would be 0."""
    mechanism = nearest(1000, 1)
    p = mechanism.pmf(500, 1000)
    assert math.isclose(p / mechanism.pmf(500, 990), math.exp(-10), rel_tol=1e-12)
    assert 0 < p < 1e-200
