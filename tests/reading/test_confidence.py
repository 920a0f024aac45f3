"""Confidence sets: coverage at every true count, no larger than the construction makes them, and any size of range."""

import itertools
import math
from fractions import Fraction

import brute
import mpmath
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from hushcount import canonical, from_matrix, nearest, simulate
from hushcount.errors import InvalidParameter, TooLarge
from hushcount.mechanisms import (
    clamped_canonical_noise,
    explicit_fair,
    exponential,
    randomized_response,
    truncated_geometric,
    uniform,
)
from hushcount.reading.confidence import checked_level, confidence_set, likeliest, likelihoods, ranges

LEVELS = [Fraction(1, 100), Fraction(1, 2), Fraction(9, 10), Fraction(95, 100), Fraction(999, 1000)]
RIM = Fraction(1) - Fraction(1, 10**30)


def counts(spans):
    return {count for first, last in spans for count in range(first, last + 1)}


def sets_of(mechanism, level):
    return [counts(confidence_set(mechanism, j, level)) for j in range(mechanism.n + 1)]


def by_distance(rows, level, distance):
    """The construction, word by word: at each true count the least distance within which `level` is reached."""
    size = len(rows)
    found = [set() for _ in range(size)]
    for i, row in enumerate(rows):
        reach = next(t for t in range(size) if sum(p for j, p in enumerate(row) if distance(i, j) <= t) >= level)
        for j in range(size):
            if distance(i, j) <= reach:
                found[j].add(i)
    return found


def straight(i, j):
    return abs(i - j)


def around(size):
    return lambda i, j: min(abs(i - j), size - abs(i - j))


def flat_nearest(n, delta):
    """The nearest optimum at epsilon 0, in rationals."""
    M = n + 1
    gamma = delta + (1 - delta) / M
    rows = []
    for i in range(M):
        cdf = [Fraction(0)]
        for j in range(M):
            c = min(Fraction(1), gamma * (j + 1) - delta * j)
            shift = delta * abs(j - i)
            cdf.append(min(Fraction(1), c + shift) if j >= i else max(Fraction(0), c - shift))
        rows.append([b - a for a, b in itertools.pairwise(cdf)])
    return rows


# --- coverage, by enumeration of every outcome, in many digits --------------------------------------------------------


@pytest.mark.grid
@pytest.mark.parametrize("n", [0, 1, 2, 3, 8, 20, 60])
@pytest.mark.parametrize(
    ("epsilon", "delta"), [("1e-30", 0), ("0.05", 0), ("0.5", "1e-6"), ("0.35", "0.2"), (1, 0), (40, "1e-3")]
)
@pytest.mark.parametrize("make", [nearest, canonical])
def test_coverage_at_every_true_count(make, n, epsilon, delta):
    """The sets are those of the construction, so that each true count is covered, and with nothing to spare."""
    if make is nearest:
        rows, distance = brute.nearest_matrix(n, epsilon, delta), straight
    else:
        rows, distance = brute.canonical_matrix(n, epsilon, delta), around(n + 1)
    with mpmath.workdps(brute.digits(n, Fraction(epsilon))):
        for level in [*LEVELS, RIM]:
            bound = brute.real(level)
            found = sets_of(make(n, epsilon, delta), level)
            assert found == by_distance(rows, bound, distance)
            for i, row in enumerate(rows):
                assert mpmath.fsum(p for j, p in enumerate(row) if i in found[j]) >= bound


@pytest.mark.grid
@pytest.mark.parametrize("n", range(61))
@pytest.mark.parametrize("make", [nearest, canonical])
def test_coverage_up_to_60(make, n):
    """Every n, true count and outcome; probabilities are right to 1e-12, and no level is met that closely by chance."""
    for (epsilon, delta), level in itertools.product([("0.3", 0), ("0.7", "0.01")], [0.6, 0.95]):
        mechanism = make(n, epsilon, delta)
        P, found = mechanism.matrix(), sets_of(mechanism, Fraction(level))
        for i in range(n + 1):
            assert P[i, [i in accepted for accepted in found]].sum() > level + 1e-12 or P[i].max() > 1 - 1e-12
        assert all(j in accepted for j, accepted in enumerate(found))


@pytest.mark.slow
@settings(max_examples=40)
@given(
    st.integers(0, 25),
    st.fractions(0, 6, max_denominator=1000),
    st.sampled_from([Fraction(0), Fraction(1, 10**9), Fraction(1, 50), Fraction(2, 5)]),
    st.fractions(Fraction(1, 1000), Fraction(999, 1000), max_denominator=10**4),
)
def test_nearest_is_the_construction(n, epsilon, delta, level):
    rows = flat_nearest(n, delta) if epsilon == 0 else brute.nearest_matrix(n, epsilon, delta)
    with mpmath.workdps(brute.digits(n, epsilon)):
        bound = level if epsilon == 0 else brute.real(level)
        assert sets_of(nearest(n, epsilon, delta), level) == by_distance(rows, bound, straight)


@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1, 7)])
def test_epsilon_0_is_exact(delta):
    """All is rational: a level that is met exactly is met."""
    for n in range(9):
        for level in {Fraction(k, n + 1) for k in range(1, n + 1)} | {Fraction(1, 2)}:
            assert sets_of(nearest(n, 0, delta), level) == by_distance(flat_nearest(n, delta), level, straight)
    assert confidence_set(canonical(3, 0), 0, Fraction(3, 4)) == ((0, 1), (3, 3))


PEERS = [
    truncated_geometric(30, "0.2"),
    clamped_canonical_noise(30, "0.2", "0.01"),
    explicit_fair(30, "0.2"),
    exponential(30, "0.7"),
    randomized_response(30, 3),
    uniform(30),
]


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", PEERS, ids=lambda mechanism: mechanism.name)
def test_closed_forms_that_were_audited(mechanism):
    P = mechanism.matrix()
    for level in LEVELS:
        found = sets_of(mechanism, level)
        assert found == by_distance(P.tolist(), float(level) - 1e-12, straight)
        for i in range(31):
            assert P[i, [i in accepted for accepted in found]].sum() >= float(level) - 1e-12


# --- matrices ---------------------------------------------------------------------------------------------------------


def covers(matrix, found, level):
    """In the rationals that the floats are."""
    for i, row in enumerate(matrix.tolist()):
        exactly = [Fraction(p) for p in row]
        if sum(p for j, p in enumerate(exactly) if i in found[j]) < level * sum(exactly):
            return False
    return True


@settings(max_examples=40)
@given(st.integers(0, 12), st.randoms(use_true_random=False), st.sampled_from(LEVELS))
def test_any_matrix(n, random, level):
    """Zeros, ties and near-zeros; coverage is exact, and no set is empty."""
    P = np.array([[random.choice([0, 1, 1, 2, 1e-9, 40]) for _ in range(n + 1)] for _ in range(n + 1)])
    P[:, random.randrange(n + 1)] += 1
    P = P / P.sum(axis=1, keepdims=True)
    mechanism = from_matrix(P)
    found = sets_of(mechanism, level)
    assert covers(mechanism.entries, found, level)
    for j in range(n + 1):
        assert counts(likeliest(mechanism, j)) <= found[j]


@pytest.mark.slow
@pytest.mark.parametrize("n", [0, 1, 2, 60])
def test_matrix_that_is_known(n):
    """The canonical mechanism as a matrix gives the canonical sets: rounding of its entries does not decide a tie."""
    closed = canonical(n, "0.4", "0.01")
    mechanism = from_matrix(closed.matrix())
    for level in LEVELS:
        assert sets_of(mechanism, level) == sets_of(closed, level)
        assert covers(mechanism.entries, sets_of(mechanism, level), level)


def test_a_level_that_is_met_exactly():
    mechanism = from_matrix([[0.75, 0.25, 0, 0], [0.25, 0.5, 0.25, 0], [0, 0.25, 0.5, 0.25], [0, 0, 0.25, 0.75]])
    assert sets_of(mechanism, Fraction(3, 4))[0] == {0}
    assert sets_of(mechanism, Fraction(3, 4) + Fraction(1, 10**30))[0] == {0, 1}


def test_sets_may_have_gaps():
    mechanism = from_matrix([[0.6, 0.2, 0.2], [0.1, 0.8, 0.1], [0.6, 0.2, 0.2]])
    assert confidence_set(mechanism, 0, Fraction(1, 2)) == ((0, 0), (2, 2))


# --- no optimum has smaller ones --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "epsilon"), [(5, "0.3"), (12, "0.5"), (25, "0.1")])
def test_nearest_has_the_smallest_sets_of_all_optima(n, epsilon):
    ours = nearest(n, epsilon)
    for other, level in itertools.product([canonical(n, epsilon), explicit_fair(n, epsilon)], LEVELS):
        theirs = by_distance(other.matrix().tolist(), float(level), straight)
        assert all(mine <= their for mine, their in zip(sets_of(ours, level), theirs, strict=True))


# --- large ranges -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "delta"), [("0.1", 0), (1, "1e-9"), ("1e-6", 0), (300, 0)])
def test_nearest_at_a_trillion(epsilon, delta):
    """The ends of the interval are accepted and their neighbours are not; inside, it is the same wherever it is."""
    n, level = 10**12, Fraction(95, 100)
    mechanism = nearest(n, epsilon, delta)
    for released in (0, 1, 77, n // 2, n - 77, n):
        ((first, last),) = confidence_set(mechanism, released, level)
        for true in (first, last):
            assert true == released or mechanism.probability_beyond(abs(true - released) - 1, true) > 0.05
        for true in {first - 1, last + 1} & set(range(max(0, first - 1), min(n, last + 1) + 1)):
            assert mechanism.probability_beyond(abs(true - released) - 1, true) <= 0.05
        ((mirrored_first, mirrored_last),) = confidence_set(mechanism, n - released, level)
        assert (n - mirrored_last, n - mirrored_first) == (first, last)


def test_canonical_at_a_trillion_goes_around():
    n, level = 10**12, Fraction(99, 100)
    ((first, last),) = confidence_set(canonical(n, "0.01"), n // 2, level)
    reach = last - n // 2
    assert (first, reach) == (n // 2 - reach, 461)
    assert confidence_set(canonical(n, "0.01"), 3, level) == ((0, 3 + reach), (n + 1 + 3 - reach, n))
    assert confidence_set(canonical(n, "0.01"), n, level) == ((0, reach - 1), (n - reach, n))
    assert confidence_set(canonical(n, "1e-400"), 3, level)[0][0] == 0


def test_two_sided_geometric_limit():
    """Far from the edges nearest and canonical are the two-sided geometric noise, with its quantile in closed form."""
    q = math.exp(-0.01)
    reach = math.ceil(math.log((1 + q) * 0.05 / (2 * q)) / -0.01)
    for make in (nearest, canonical):
        ((first, last),) = confidence_set(make(10**12, "0.01"), 5 * 10**11, Fraction(95, 100))
        assert last - 5 * 10**11 == 5 * 10**11 - first == reach


def test_other_closed_forms_have_a_limit():
    mechanism = truncated_geometric(4096, 1)
    with pytest.raises(TooLarge, match="nearest and canonical are read at any size"):
        confidence_set(mechanism, 0, Fraction(1, 2))
    with pytest.raises(TooLarge):
        likeliest(mechanism, 0)


# --- the likeliest count ----------------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=80)
@given(
    st.integers(0, 30),
    st.sampled_from(["1e-9", "0.01", "0.1", "0.3", "1", "20"]),
    st.sampled_from(["0", "1e-9", "0.02", "0.4"]),
)
def test_likeliest_by_looking_at_all(n, epsilon, delta):
    for make in (nearest, canonical):
        mechanism = make(n, epsilon, delta)
        P = mechanism.matrix()
        for j in range(n + 1):
            found = likeliest(mechanism, j)
            assert counts(found) == set(np.flatnonzero(P[:, j] > P[:, j].max() * (1 - 1e-11)).tolist()) or (
                epsilon == "1e-9" and all(P[i, j] > P[:, j].max() * (1 - 1e-7) for i in counts(found))
            )


def test_likeliest_is_not_always_what_was_released():
    """nearest is not column honest: at epsilon 0.1 a released 1 of 7 is likeliest to stand for 0."""
    assert likeliest(nearest(7, "0.1"), 1) == ((0, 0),)
    assert likeliest(nearest(7, "0.1"), 6) == ((7, 7),)
    n, released = 10**12, 10**6
    mechanism = nearest(n, "1e-6")
    ((top, last),) = likeliest(mechanism, released)
    assert 0 < top == last < released
    others = (0, top - 1, top + 1, released, 2 * released)
    assert all(mechanism.pmf(i, released) <= mechanism.pmf(top, released) for i in others)


def test_ties():
    assert likeliest(nearest(5, 0), 2) == ((0, 5),) == likeliest(canonical(5, 0), 4)
    assert likeliest(canonical(5, 0, "0.1"), 4) == ((4, 4),)
    rows = flat_nearest(6, Fraction(1, 9))
    for j in range(7):
        column = [row[j] for row in rows]
        best = {i for i, p in enumerate(column) if p == max(column)}
        assert counts(likeliest(nearest(6, 0, Fraction(1, 9)), j)) == best
    assert likeliest(nearest(0, 1), 0) == ((0, 0),)


def test_likelihoods():
    mechanism = from_matrix([[0.5, 0.5], [0.25, 0.75]])
    assert likelihoods(mechanism, 1, [1, 0]).tolist() == [0.75, 0.5]
    assert likelihoods(nearest(3, 1), 1, [2]).tolist() == [nearest(3, 1).pmf(2, 1)]


# --- by simulation, with a negative control ---------------------------------------------------------------------------

DRAWS = 20_000
BAR = 4.0
"""Standard deviations: one side, an error rate of 3e-5 a test."""


def misses(drawn_from, read_as, true, level):
    """How many standard deviations above 1 - level the rate of sets is that miss the true count."""
    drawn = simulate(drawn_from, np.full(DRAWS, true), rng=np.random.default_rng(7))
    missed = sum(
        int(times)
        for released, times in zip(*np.unique(drawn, return_counts=True), strict=True)
        if true not in counts(confidence_set(read_as, int(released), level))
    )
    expected = DRAWS * (1 - float(level))
    return (missed - expected) / math.sqrt(expected * float(level))


@pytest.mark.parametrize("make", [nearest, canonical])
@pytest.mark.parametrize("true", [0, 3, 100, 200])
def test_simulated_coverage(make, true):
    level = Fraction(9, 10)
    honest, wrong = make(200, "0.3"), make(200, "0.39")
    assert misses(honest, honest, true, level) < BAR
    # The negative control: read as if epsilon were 30 % larger, the same sets miss too often.
    assert misses(honest, wrong, true, level) > BAR


# --- small things -----------------------------------------------------------------------------------------------------


def test_ranges():
    assert ranges([]) == ()
    assert ranges([0, 1, 2, 5, 7, 8]) == ((0, 2), (5, 5), (7, 8))


@pytest.mark.parametrize("level", [0, 1, "1.0", -0.5, 95, math.nan, "often", None, True])
def test_bad_levels(level):
    with pytest.raises(InvalidParameter, match="level"):
        checked_level(level)


def test_levels_are_exact():
    assert checked_level("0.95") == Fraction(19, 20) != checked_level(0.95)
