"""What a user would pick instead: the laws as their papers state them, and what they really promise."""

import itertools
import math
from fractions import Fraction

import brute
import mpmath
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import linprog

from hushcount import EpsilonDelta, canonical, nearest
from hushcount.errors import InvalidParameter
from hushcount.mechanisms import (
    ExplicitFair,
    RandomizedResponse,
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

GRID = [(n, epsilon) for n in (1, 2, 3, 6, 9) for epsilon in (0.05, 0.5, 1, 3, 40)]
EPSILONS = st.floats(0.05, 5)


def close(mechanism, rows, rel=1e-12):
    """Every float right to 1e-12, or below the least normal float like the true value."""
    for got, want in zip(mechanism.matrix(), rows, strict=True):
        for a, b in zip(got.tolist(), want, strict=True):
            assert abs(a - b) <= rel * b + mpmath.mpf(2) ** -1060, (a, float(b))


def geometric_noise(n, epsilon):
    """(z, Pr(z)) until what is left out is 60 digits below the mass beyond n."""
    q = mpmath.exp(-brute.real(epsilon))
    last = n + int(140 / float(epsilon)) + 2
    return [(z, (1 - q) / (1 + q) * q ** abs(z)) for z in range(-last, last + 1)]


def moved(n, noise, bring_back):
    """Noise added and then brought back, outcome by outcome."""
    rows = []
    for i in range(n + 1):
        row = [mpmath.mpf(0)] * (n + 1)
        for z, p in noise:
            row[bring_back(i + z, n)] += p
        rows.append(row)
    return rows


def clamp(x, n):
    return min(max(x, 0), n)


def fold(x, n):
    while not 0 <= x <= n:
        x = -1 - x if x < 0 else 2 * n + 1 - x
    return x


def canonical_noise(n, epsilon, delta):
    """The definition of [AV23]: F(0) from symmetry, then F(x - 1) = g(F(x)), without any closed form. What lies beyond
    n is put together at n + 1."""
    _, g = brute.curves(epsilon, delta)
    low, high = mpmath.mpf(0), mpmath.mpf(1)
    for _ in range(250):
        middle = (low + high) / 2
        low, high = (low, middle) if middle + g(middle) > 1 else (middle, high)
    cdf = [low]
    for _ in range(n + 1):
        cdf.append(g(cdf[-1]))
    half = [a - b for a, b in itertools.pairwise([*cdf, mpmath.mpf(0)])]
    noise = {0: 2 * low - 1}
    for k, p in enumerate(half[1:], start=1):
        noise[k] = noise[-k] = p
    return sorted(noise.items())


def scored(n, epsilon):
    weights = [[mpmath.exp(-brute.real(epsilon) * abs(i - j)) for j in range(n + 1)] for i in range(n + 1)]
    return [[w / mpmath.fsum(row) for w in row] for row in weights]


def cks_fair(n, epsilon):
    q, gamma = mpmath.exp(-brute.real(epsilon)), brute.kernel_diagonal(n + 1, epsilon, 0)
    rows = []
    for i in range(n + 1):
        s = min(i, n - i)
        rows.append([gamma * q ** (d if d < s else -(-(d + s) // 2)) for d in (abs(i - j) for j in range(n + 1))])
    return rows


# --- closed form == definition --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("n", "epsilon"), GRID)
def test_every_closed_form_is_its_definition(n, epsilon):
    with mpmath.workdps(80):
        noise = geometric_noise(n, epsilon)
        close(truncated_geometric(n, epsilon), moved(n, noise, clamp))
        close(folded_geometric(n, epsilon), moved(n, noise, fold))
        close(explicit_fair(n, epsilon), cks_fair(n, epsilon))
        close(redrawn_geometric(n, epsilon), scored(n, epsilon))
        close(exponential(n, epsilon), scored(n, Fraction(epsilon) / 2))


@pytest.mark.slow
@given(st.integers(1, 12), EPSILONS)
def test_every_closed_form_is_its_definition_anywhere(n, epsilon):
    with mpmath.workdps(80):
        noise = geometric_noise(n, epsilon)
        close(truncated_geometric(n, epsilon), moved(n, noise, clamp))
        close(folded_geometric(n, epsilon), moved(n, noise, fold))
        close(explicit_fair(n, epsilon), cks_fair(n, epsilon))
        close(redrawn_geometric(n, epsilon), scored(n, epsilon))
        close(exponential(n, epsilon), scored(n, Fraction(epsilon) / 2))


@pytest.mark.slow
@given(st.integers(1, 15), st.one_of(st.just(0.0), EPSILONS), st.floats(1e-9, 0.95))
def test_canonical_noise_is_its_definition(n, epsilon, delta):
    with mpmath.workdps(80):
        close(clamped_canonical_noise(n, epsilon, delta), moved(n, canonical_noise(n, epsilon, delta), clamp))


@given(st.integers(1, 12), st.floats(0, 5), st.floats(0, 0.95))
def test_randomized_response_is_its_equations(n, epsilon, delta):
    """Rows sum to 1, and p(k, k) = e^epsilon p(i, k) + delta."""
    with mpmath.workdps(50):
        growth = mpmath.exp(brute.real(epsilon))
        other = (1 - brute.real(delta)) / (n + growth)
        rows = [[growth * other + brute.real(delta) if i == j else other for j in range(n + 1)] for i in range(n + 1)]
        close(randomized_response(n, epsilon, delta), rows)


# --- published values -----------------------------------------------------------------------------------------------


def test_truncated_geometric_of_ghosh_roughgarden_sundararajan():
    law = truncated_geometric(4, str(mpmath.log(2))).pmf(0)
    assert [round(p, 2) for p in law] == [0.67, 0.17, 0.08, 0.04, 0.04]


def test_canonical_noise_of_awan_and_vadhan():
    mechanism = clamped_canonical_noise(20, 1, "0.01")
    law = [0.4674959857, 0.1719821620, 0.0632687016, 0.0232752546, 0.0077258890, 0, 0]
    for sign in (1, -1):
        assert [round(mechanism.pmf(10, 10 + sign * k), 10) for k in range(7)] == law
    assert mechanism.reach == 4
    assert clamped_canonical_noise(20, 1, 0).reach is None
    assert clamped_canonical_noise(20, 0, "1/3").reach == 1  # G(2) = 2/3 - 2/3 is exactly 0
    assert clamped_canonical_noise(20, 0, "0.3").reach == 2


def test_error_probabilities_at_n_7():
    found = [make(7, 0.5).error_probability for make in (folded_geometric, truncated_geometric, nearest, explicit_fair)]
    assert [round(p, 4) for p in found] == [0.7448, 0.7551, 0.7167, 0.7167]


def test_uniform():
    mechanism = uniform(4)
    assert (mechanism.matrix() == 0.2).all()
    assert (mechanism.epsilon, mechanism.delta) == (0, 0)
    assert mechanism.error_probability == 0.8
    assert mechanism.expected_absolute_error() == 2


# --- what they promise ----------------------------------------------------------------------------------------------


def least_delta(mechanism, epsilon):
    return brute.excess_over_all_subsets(mechanism.matrix(), epsilon)


@pytest.mark.parametrize("n", [1, 2, 4, 7])
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1, 3])
@pytest.mark.parametrize("make", [truncated_geometric, explicit_fair])
def test_pure_promise_is_kept_and_active(make, n, epsilon):
    mechanism = make(n, epsilon)
    assert (mechanism.epsilon, mechanism.delta) == (Fraction(epsilon), 0)
    assert least_delta(mechanism, epsilon) < 1e-14
    assert least_delta(mechanism, epsilon * (1 - 1e-6)) > 1e-9


@pytest.mark.parametrize("n", [1, 2, 4, 7])
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1, 3])
@pytest.mark.parametrize("make", [folded_geometric, exponential])
def test_pure_promise_is_kept_with_something_to_spare(make, n, epsilon):
    mechanism = make(n, epsilon)
    assert least_delta(mechanism, epsilon) < 1e-14
    assert mechanism.real_epsilon <= epsilon
    assert least_delta(mechanism, mechanism.real_epsilon) < 1e-14
    assert least_delta(mechanism, mechanism.real_epsilon * (1 - 1e-6)) > 1e-10


@pytest.mark.parametrize("n", [1, 2, 4, 7])
@pytest.mark.parametrize(("epsilon", "delta"), [(0, 0.1), (0.1, 1e-3), (0.5, 0.05), (1, "0.3"), (3, 1e-6), (0.7, 0)])
@pytest.mark.parametrize("make", [randomized_response, clamped_canonical_noise])
def test_approximate_promise_is_kept_and_active(make, n, epsilon, delta):
    mechanism = make(n, epsilon, delta)
    assert (mechanism.epsilon, mechanism.delta) == (Fraction(epsilon), Fraction(delta))
    found = least_delta(mechanism, epsilon)
    assert math.isclose(found, mechanism.delta, abs_tol=1e-14)


@pytest.mark.parametrize(("n", "epsilon", "real"), [(2, 1, 1.1438), (10, 1, 1.2091), (5, 0.5, 0.6965)])
def test_redrawing_is_not_private_at_its_nominal_epsilon(n, epsilon, real):
    mechanism = redrawn_geometric(n, epsilon)
    assert mechanism.epsilon is None
    assert mechanism.delta is None
    assert mechanism.nominal_epsilon == epsilon
    assert round(mechanism.real_epsilon, 4) == real
    assert least_delta(mechanism, epsilon) > 0.01
    assert least_delta(mechanism, mechanism.real_epsilon) < 1e-14
    assert least_delta(mechanism, mechanism.real_epsilon * (1 - 1e-6)) > 1e-9


@pytest.mark.slow
@settings(max_examples=30)
@given(st.integers(1, 25), st.floats(1e-6, 20))
def test_real_epsilon_is_the_largest_ratio(n, epsilon):
    with mpmath.workdps(400):
        for mechanism, rows in (
            (redrawn_geometric(n, epsilon), scored(n, epsilon)),
            (exponential(n, epsilon), scored(n, Fraction(epsilon) / 2)),
            (folded_geometric(n, epsilon), images(n, epsilon)),
        ):
            worst = max(abs(mpmath.log(a / b)) for x, y in itertools.pairwise(rows) for a, b in zip(x, y, strict=True))
            worst *= 1 - mpmath.mpf(10) ** -390  # what 400 digits round
            assert worst <= mechanism.real_epsilon <= worst * (1 + mpmath.mpf(2) ** -52)


def images(n, epsilon):
    """Folding as a sum over images, cut where 400 digits end."""
    q, M = mpmath.exp(-brute.real(epsilon)), n + 1
    full = 1 - q ** (2 * M)

    def all_images(d):  # sum over r of q^|d + 2 M r|
        d %= 2 * M
        return (q**d + q ** (2 * M - d)) / full

    return [[(1 - q) / (1 + q) * (all_images(j - i) + all_images(-1 - j - i)) for j in range(M)] for i in range(M)]


@pytest.mark.parametrize("make", [folded_geometric, exponential, redrawn_geometric])
def test_real_epsilon_of_what_tells_nothing(make):
    assert make(0, 1).real_epsilon == 0
    assert make(5, 0).real_epsilon == 0
    assert 0 < make(5, "1e-400").real_epsilon < 1e-300


def best_between_all_pairs(M, epsilon, delta):
    """The largest least diagonal that is (epsilon, delta)-DP between any two counts, as a linear program."""
    growth = math.exp(epsilon)
    pairs = list(itertools.permutations(range(M), 2))
    size = M * M + len(pairs) * M + 1
    A, b = [], []
    for number, (k, i) in enumerate(pairs):
        slack = M * M + number * M
        for j in range(M):
            row = np.zeros(size)
            row[k * M + j], row[i * M + j], row[slack + j] = 1, -growth, -1
            A.append(row)
            b.append(0)
        total = np.zeros(size)
        total[slack : slack + M] = 1
        A.append(total)
        b.append(delta)
    for i in range(M):
        row = np.zeros(size)
        row[i * M + i], row[-1] = -1, 1
        A.append(row)
        b.append(0)
    sums = np.zeros((M, size))
    for i in range(M):
        sums[i, i * M : (i + 1) * M] = 1
    cost = np.zeros(size)
    cost[-1] = -1
    solution = linprog(cost, np.array(A), b, sums, np.ones(M), bounds=(0, None), method="highs")
    assert solution.status == 0
    return -solution.fun


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0), (1, 0.1), (0, 0.2)])
@pytest.mark.parametrize("n", [1, 2, 4])
def test_randomized_response_is_the_best_between_any_two_counts(n, epsilon, delta):
    mechanism = randomized_response(n, epsilon, delta)
    best = best_between_all_pairs(n + 1, epsilon, delta)
    assert math.isclose(1 - mechanism.error_probability, best, abs_tol=1e-8)


# --- what an audit may use ------------------------------------------------------------------------------------------


def excess(matrix, k, i, epsilon):
    return np.maximum(0, matrix[k] - np.exp(epsilon) * matrix[i]).sum()


@pytest.mark.slow
@given(st.integers(1, 12), st.floats(0.05, 4), st.floats(1e-6, 0.9), st.floats(0, 8))
def test_monotone_ratios_and_worst_pairs_are_what_they_say(n, epsilon, delta, asked):
    for mechanism in (
        truncated_geometric(n, epsilon),
        folded_geometric(n, epsilon),
        redrawn_geometric(n, epsilon),
        exponential(n, epsilon),
        clamped_canonical_noise(n, epsilon, delta),
        clamped_gaussian(n, epsilon, delta),
        randomized_response(n, epsilon, delta),
        explicit_fair(n, epsilon),
    ):
        matrix = mechanism.matrix()
        assert mechanism.is_mirrored
        assert np.allclose(matrix, matrix[::-1, ::-1], rtol=1e-12, atol=0)
        promised = None if mechanism.epsilon is None else EpsilonDelta(mechanism.epsilon, mechanism.delta)
        kept = EpsilonDelta.of(epsilon) if n == 1 else None
        assert mechanism.proven_privacy == (promised or kept)
        assert mechanism.has_monotone_ratios == (not isinstance(mechanism, RandomizedResponse | ExplicitFair))
        if mechanism.has_monotone_ratios:
            for i, k in itertools.combinations(range(n + 1), 2):
                # p(i, j) p(k, j + 1) >= p(i, j + 1) p(k, j)
                assert (matrix[i, :-1] * matrix[k, 1:] >= matrix[i, 1:] * matrix[k, :-1] * (1 - 1e-11)).all()
        for distance in range(1, n + 1):
            pairs = mechanism._worst_pairs(distance)
            if pairs is not None:
                everywhere = [(i, i + distance) for i in range(n + 1 - distance)]
                worst = max(excess(matrix, *pair, asked) for i, k in everywhere for pair in ((i, k), (k, i)))
                assert math.isclose(max(excess(matrix, *pair, asked) for pair in pairs), worst, abs_tol=1e-12)


@given(st.integers(1, 12), st.floats(0, 4), st.one_of(st.just(0.0), st.floats(1e-6, 0.9)), st.floats(0, 8))
def test_worst_event_of_randomized_response(n, epsilon, delta, asked):
    mechanism = randomized_response(n, epsilon, delta)
    matrix = mechanism.matrix()
    for at in (asked, epsilon):
        event = mechanism._worst_event(0, n, Fraction(at))
        assert event in ([], [(0, 0)])
        found = matrix[0, 0] - np.exp(at) * matrix[n, 0] if event else 0
        assert math.isclose(found, excess(matrix, 0, n, at), abs_tol=1e-14 * np.exp(at))


# --- how they compare -----------------------------------------------------------------------------------------------


@given(st.integers(1, 40), st.floats(0, 5))
def test_explicit_fair_is_an_optimum_between_canonical_and_nearest(n, epsilon):
    fair, best, circular = explicit_fair(n, epsilon), nearest(n, epsilon), canonical(n, epsilon)
    assert fair.error_probability == best.error_probability
    kernel = sorted(circular.pmf(0))
    for i in {0, n // 3, n // 2, n}:
        assert np.allclose(sorted(fair.pmf(i)), kernel, rtol=1e-12, atol=0)
        for t in range(n):
            inside = fair.probability_within(t, i)
            assert circular.probability_within(t, i) <= inside * (1 + 1e-13)
            assert inside <= best.probability_within(t, i) * (1 + 1e-13)


def test_explicit_fair_is_the_canonical_optimum_up_to_three_outcomes_only():
    for n in range(6):
        same = np.allclose(explicit_fair(n, 0.5).matrix(), canonical(n, 0.5).matrix(), rtol=1e-12, atol=0)
        assert same == (n <= 2)


@pytest.mark.parametrize(("epsilon", "delta"), [(1, "0.01"), (0.5, 0), (3, 1e-9), (0.1, 1e-3)])
def test_nearest_tends_to_canonical_noise(epsilon, delta):
    n, middle = 10**6, 10**6 // 2
    optimum, noisy = nearest(n, epsilon, delta), clamped_canonical_noise(n, epsilon, delta)
    for k in range(-30, 31):
        assert math.isclose(optimum.pmf(middle, middle + k), noisy.pmf(middle, middle + k), rel_tol=1e-12)


@given(st.integers(0, 30), EPSILONS)
def test_truncated_geometric_is_canonical_noise_at_delta_0(n, epsilon):
    plain, noisy = truncated_geometric(n, epsilon), clamped_canonical_noise(n, epsilon, 0)
    assert np.array_equal(plain.matrix(), noisy.matrix())
    assert plain != noisy


@pytest.mark.slow
@given(st.integers(2, 60), st.floats(1e-3, 10), st.one_of(st.just(0.0), st.floats(1e-6, 0.9)))
def test_no_true_count_is_worse_than_the_edge_and_the_middle(n, epsilon, delta):
    for mechanism in (
        clamped_canonical_noise(n, epsilon, delta),
        folded_geometric(n, epsilon),
        redrawn_geometric(n, epsilon),
        explicit_fair(n, epsilon),
        randomized_response(n, epsilon, delta),
    ):
        error = np.subtract.outer(np.arange(n + 1), np.arange(n + 1)).T
        matrix = mechanism.matrix()
        measures = [
            (mechanism.expected_absolute_error(), abs(error)),
            (mechanism.expected_squared_error(), error**2),
            *((mechanism.probability_beyond(t), abs(error) > t) for t in (0, 1, n // 3, n // 2)),
        ]
        for worst, loss in measures:
            assert math.isclose(worst, (matrix * loss).sum(axis=1).max(), rel_tol=1e-12)
        assert math.isclose(mechanism.bias(), abs((matrix * error).sum(axis=1)).max(), rel_tol=1e-12, abs_tol=1e-14 * n)


# --- the ends of the range ------------------------------------------------------------------------------------------


def test_epsilon_0_is_the_limit():
    assert np.allclose(truncated_geometric(4, 0).matrix(), [[0.5, 0, 0, 0, 0.5]] * 5, atol=0)
    for make in (folded_geometric, redrawn_geometric, exponential, explicit_fair):
        assert np.allclose(make(4, 0).matrix(), 0.2, rtol=1e-15)
    tiny = "1e-400"
    for make in (truncated_geometric, folded_geometric, redrawn_geometric, exponential, explicit_fair):
        assert np.array_equal(make(4, tiny).matrix(), make(4, 0).matrix())
        assert math.isclose(
            make(4, tiny).expected_absolute_error(), make(4, 0).expected_absolute_error(), rel_tol=1e-15
        )
    assert clamped_canonical_noise(9, tiny, "1e-400").quantile(5, 0.5) == 5


@pytest.mark.parametrize("epsilon", [1000, 1e5, "1e15"])
def test_huge_epsilon_is_the_truth(epsilon):
    for make in (truncated_geometric, folded_geometric, redrawn_geometric, exponential, explicit_fair):
        mechanism = make(4, epsilon)
        assert (mechanism.matrix().diagonal() == 1).all()
        assert mechanism.expected_squared_error() < 1e-200
        assert (mechanism.draw(np.full(100, 3)) == 3).all()
    assert clamped_canonical_noise(4, epsilon, 0.25).pmf(2, 2) == 1
    assert randomized_response(4, epsilon, 0.25).pmf(2, 2) == 1


@pytest.mark.parametrize("make", [truncated_geometric, folded_geometric, explicit_fair, exponential, redrawn_geometric])
def test_tails_are_right_where_floats_end(make):
    mechanism = make(700, 1)
    law = mechanism.pmf(0)
    for j in (1, 100, 600, 650, 700):
        assert math.isclose(law[j], mechanism.pmf(0, j), rel_tol=1e-12)
        assert mechanism.pmf(0, j) > 0
    assert mechanism.probability_beyond(699, 0) == mechanism.pmf(0, 700)


def test_messages_name_argument_value_and_rule():
    with pytest.raises(InvalidParameter, match=r"^delta must be a number >= 0 and < 1 \(got 1\)$"):
        randomized_response(3, 1, 1)
    with pytest.raises(InvalidParameter, match=r"^epsilon must be a finite number >= 0 \(got -1\)$"):
        redrawn_geometric(3, -1)
    with pytest.raises(InvalidParameter, match=r"^n must be an integer >= 0 \(got -1\)$"):
        uniform(-1)
