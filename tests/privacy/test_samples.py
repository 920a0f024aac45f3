"""The black-box test: it finds what is wrong, and leaves alone what is right."""

import json
import math
import time
from fractions import Fraction

import numpy as np
import pyarrow
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from hushcount import audit_samples, canonical, from_matrix, nearest, simulate
from hushcount.errors import BadUse, InvalidParameter
from hushcount.privacy import SampleVerdict
from hushcount.privacy.binomial import largest_probability, least_probability


def sampler(mechanism, seed):
    """Fast draws from the rows, repeatable."""
    rng = np.random.default_rng(seed)
    return lambda true, size: rng.choice(mechanism.n + 1, size=size, p=mechanism.pmf(true))


# --- Clopper-Pearson -------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(
    st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.sampled_from([0.1, 1e-3, 1e-9])
)
def test_bounds_are_clopper_pearson(counts, error):
    x, n = counts
    low, high = least_probability(x, n, Fraction(error)), largest_probability(x, n, Fraction(error))
    assert low == pytest.approx(0.0 if x == 0 else stats.beta.ppf(error, x, n - x + 1), rel=1e-8)
    assert high == pytest.approx(1.0 if x == n else stats.beta.isf(error, x + 1, n - x), rel=1e-8)
    assert 0 <= low <= x / n <= high <= 1


def test_bounds_are_on_the_safe_side():
    low, high = least_probability(30, 100, Fraction(1, 1000)), largest_probability(30, 100, Fraction(1, 1000))
    assert stats.binom.sf(29, 100, low) <= 1e-3 * (1 + 1e-9)
    assert stats.binom.cdf(30, 100, high) <= 1e-3 * (1 + 1e-9)


# --- power, with a million draws -------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("make", [nearest, canonical])
@pytest.mark.parametrize(("claimed", "delta"), [(0.1, 0), (0.5, 0), (1, 0), (1, 0.01), (2, 1e-6)])
def test_an_epsilon_30_percent_too_large_is_rejected(make, claimed, delta):
    mechanism = make(5, claimed * 1.3, delta)
    found = audit_samples(sampler(mechanism, 1), epsilon=claimed, delta=delta, true_counts=[2, 3], draws=1_000_000)
    assert found.verdict is SampleVerdict.REJECTED
    assert claimed < found.epsilon_at_least <= claimed * 1.3
    assert abs(found.witness.true - found.witness.other) == 1
    assert found.draws == 1_000_000


@pytest.mark.slow
def test_the_rejection_also_comes_from_many_true_counts_and_a_table():
    rng = np.random.default_rng(3)
    mechanism = nearest(6, 1.3)
    true = rng.integers(0, 7, 1_000_000)
    table = np.column_stack([true, simulate(mechanism, true, rng=rng)])
    found = audit_samples(table, epsilon=1)
    assert found.verdict is SampleVerdict.REJECTED
    assert found.pairs == 12
    assert audit_samples(table[::-1], epsilon=1).verdict is SampleVerdict.REJECTED
    assert audit_samples(table[np.lexsort(table.T)], epsilon=1).verdict is SampleVerdict.REJECTED
    assert audit_samples(table, epsilon="1.3").verdict is SampleVerdict.NOT_REJECTED


def test_a_delta_that_is_not_there():
    """A mechanism that releases the truth one time in ten is not (1, 0.01)-DP."""
    found = audit_samples(sampler(nearest(5, 1, 0.1), 4), epsilon=1, delta=0.01, true_counts=[0, 1], draws=200_000)
    assert found.verdict is SampleVerdict.REJECTED


# --- error rate ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0), (1, 0.05)])
def test_right_mechanisms_are_rejected_no_more_often_than_stated(epsilon, delta):
    """At confidence 0.5 up to 1 in 2 may be; over 40 logs more than 30 have a chance below 1e-3 (binomial)."""
    mechanism = nearest(3, epsilon, delta)
    rejected = 0
    for seed in range(40):
        found = audit_samples(
            sampler(mechanism, seed), epsilon=epsilon, delta=delta, confidence=0.5, true_counts=[1, 2], draws=1_000
        )
        rejected += found.verdict is SampleVerdict.REJECTED
    assert stats.binom.sf(30, 40, 0.5) < 1e-3
    assert rejected <= 30


def test_choosing_and_testing_on_the_same_draws_would_fail(monkeypatch):
    """Why the halves: of 400 outcomes that tell nothing, some look telling, and a chosen sum of them always does."""
    rng = np.random.default_rng(7)
    log = np.column_stack([np.repeat([0, 1], 20_000), rng.integers(0, 400, 40_000)])
    honest = audit_samples(log, epsilon=0)
    assert honest.verdict is SampleVerdict.NOT_REJECTED
    monkeypatch.setattr("hushcount.privacy.sample_table.SampleTable.halves", lambda self, rng: (self, self))
    assert audit_samples(log, epsilon=0).verdict is SampleVerdict.REJECTED


# --- what is told besides ---------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_frequencies_and_the_estimate_they_give():
    mechanism = nearest(5, 1, 0.01)
    found = audit_samples(sampler(mechanism, 5), delta=0.01, true_counts=[2, 3], draws=400_000)
    mine, theirs = found.frequencies
    assert mine.draws == theirs.draws == 100_000  # the half that tests
    for true, seen in ((found.witness.true, mine), (found.witness.other, theirs)):
        chance = sum(mechanism.pmf(true)[j] for j in range(6) if j in found.witness)
        assert abs(seen.share - chance) < 5 * math.sqrt(chance / seen.draws)
    assert found.estimate == pytest.approx(math.log((float(mine.share) - 0.01) / float(theirs.share)))
    assert found.epsilon_at_least < found.estimate
    error = Fraction(1, 1000) / 4  # of two pairs, each with two bounds
    low, high = least_probability(mine.hits, mine.draws, error), largest_probability(theirs.hits, theirs.draws, error)
    assert found.epsilon_at_least == pytest.approx(math.log((low - 0.01) / high), rel=1e-12)
    told = found.to_dict()
    assert told["frequencies"][0] == {"hits": mine.hits, "draws": 100_000, "share": float(mine.share)}
    assert told["estimate"] == found.estimate


def test_an_infinite_and_a_missing_estimate():
    found = audit_samples(lambda true, size: np.full(size, true), true_counts=[0, 1], draws=10_000)
    assert found.estimate == math.inf
    assert found.to_dict()["estimate"] is None
    told = (
        "Estimate epsilon infinite: the outcomes were released 2,500 of 2,500 times, against 0 of 2,500, in the draws"
    )
    assert told in " ".join(str(found).split())
    found = audit_samples(lambda true, size: np.zeros(size, dtype=int), true_counts=[0, 1], draws=10_000)
    assert found.frequencies is found.estimate is found.witness is None
    assert found.to_dict()["frequencies"] is None
    assert "Estimate" not in str(found)


def test_every_draw_is_used():
    asked = []

    def sampler(true, size):
        asked.append(size)
        return np.full(size, true)

    found = audit_samples(sampler, true_counts=[0, 1, 2], draws=1_000_000)
    assert asked == [333_334, 333_333, 333_333]
    assert found.draws == 1_000_000


# --- what is taken and what is not -----------------------------------------------------------------------------------


def test_any_integers_may_be_released():
    rng = np.random.default_rng(0)
    found = audit_samples(lambda true, size: true + rng.integers(-40, 40, size), true_counts=[5, 4, 18], draws=3000)
    assert found.verdict is None
    assert found.epsilon is None
    assert 0 <= found.epsilon_at_least < math.inf


def test_an_outcome_that_the_neighbour_never_has():
    found = audit_samples(lambda true, size: np.full(size, true), epsilon=3, true_counts=[0, 1], draws=100_000)
    assert found.verdict is SampleVerdict.REJECTED
    assert 6 < found.epsilon_at_least < 12
    assert found.witness.outcomes in (((0, 0),), ((1, 1),))


def test_distance():
    log = np.column_stack([np.repeat([0, 2], 1000), np.repeat([0, 2], 1000)])
    assert audit_samples(log, distance=2).epsilon_at_least > 3
    assert audit_samples(log, distance=np.uint8(2)) == audit_samples(log, distance=2)
    with pytest.raises(InvalidParameter, match=r"^distance must be at most that of any two true counts, 2 \(got 3\)$"):
        audit_samples(log, distance=3)
    with pytest.raises(
        BadUse, match=r"^no two true counts at distance 1 have at least 100 draws each; of 2 true counts with"
    ):
        audit_samples(log)


class Frame:
    """What pandas and polars look like from outside."""

    def __init__(self, values, columns):
        self._values, self.columns = np.asarray(values), columns

    def __array__(self, dtype=None, copy=None):
        return self._values


def test_columns_with_names_must_have_the_right_ones():
    log = np.column_stack([np.repeat([0, 1], 500), np.repeat([0, 1], 500)])
    told = audit_samples(log)
    assert audit_samples(Frame(log, ["true", "released"])) == told
    assert audit_samples(Frame(log, range(2))) == told  # pandas, without names
    assert audit_samples(pyarrow.table({"true": log[:, 0], "released": log[:, 1]})) == told
    for names in (["released", "true"], ["a", "b"], ["true", "released", "at"], ["true", 1]):
        columns = [log[:, 0]] * len(names)
        tables = [Frame(np.column_stack(columns), names)]
        if all(isinstance(name, str) for name in names):
            tables.append(pyarrow.table(columns, names=names))
        for table in tables:
            with pytest.raises(
                InvalidParameter, match=r"^the columns of pairs must be true and released, in this order \(got \["
            ):
                audit_samples(table)


def test_a_mechanism_is_audited_otherwise():
    for mechanism in (nearest(5, 1), from_matrix(np.eye(2))):
        with pytest.raises(BadUse, match=rf"^a mechanism such as '{mechanism.name}' is judged by audit\(\), exactly"):
            audit_samples(mechanism, epsilon=1)
        with pytest.raises(BadUse, match=r"^the sampler must be a function of \(true, size\) .*: m\.draw\("):
            audit_samples(mechanism.draw, epsilon=1, true_counts=[0, 1])
    mechanism = nearest(5, 1)
    found = audit_samples(
        lambda true, size: mechanism.draw(np.full(size, true)), epsilon=1, true_counts=[0, 1], draws=2000
    )
    assert found.draws == 2000


@pytest.mark.slow
def test_many_true_counts():
    """Pairs are found in one pass: looking at all 400 million would take minutes."""
    log = np.column_stack([np.repeat(np.arange(20_000), 100), np.zeros(2_000_000, dtype=int)])
    start = time.perf_counter()
    assert audit_samples(log, distance=19_998).pairs == 4
    assert time.perf_counter() - start < 20  # about a second; a busy machine is allowed for
    assert audit_samples(log[:30_000], distance=3).pairs == 2 * 297


@pytest.mark.slow
def test_same_draws_same_answer_and_json():
    log = np.column_stack([np.repeat([0, 1], 5000), np.random.default_rng(1).integers(0, 3, 10_000)])
    log[:5000, 1] //= 2
    first, second = audit_samples(log, epsilon="0.1"), audit_samples(log, epsilon="0.1")
    assert first == second
    assert json.loads(json.dumps(first.to_dict(), allow_nan=False)) == first.to_dict()
    other = audit_samples(log, epsilon="0.1", rng=np.random.default_rng(9))
    assert other.epsilon_at_least != first.epsilon_at_least


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([[0, 1.5]], r"^pairs must be integers of at most 64 bits \(got 'float64'\)"),
        ([["0", "1"]], r"^pairs must be integers of at most 64 bits"),
        ([[True, False]], r"^pairs must be integers of at most 64 bits"),
        (np.array([[2**63, 0]], dtype=np.uint64), r"^pairs must be integers below 2\*\*63$"),
        ([[0, 1, 2]], r"^pairs must be a table of integers with two columns"),
        ([0, 1], r"^pairs must be a table"),
        ([], r"^pairs must be a table"),
        ([[0, 1], [2]], r"^pairs must be a table"),
        ([[0, 1], [3, 0], [-1, 2]], r"^the true count in row 2 of pairs must be an integer >= 0$"),
        (np.ma.array([[0, 1], [1, 1]], mask=[[0, 1], [0, 0]]), r"^pairs must be a table .*, without masked entries$"),
        (
            [[0, 1]] * 1000,
            r"^no two true counts at distance 1 .*; of 1 true counts with draws 0 have fewer$",
        ),
        ([[0, 1], [1, 1]] * 99, r"^no two true counts .*; of 2 true counts with draws 2 have fewer \(at most 99\)$"),
    ],
)
def test_bad_tables(bad, message):
    with pytest.raises(BadUse, match=message):
        audit_samples(bad)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "^true_counts must be a list of true counts for the sampler to try"),
        ({"true_counts": [1]}, "^true_counts must be a list of at least two different"),
        ({"true_counts": [1, 1]}, "^true_counts must be a list of at least two different"),
        ({"true_counts": [0.5, 1]}, r"^true_counts\[0\] must be an integer >= 0 \(got 0\.5\)$"),
        ({"true_counts": [0, -1]}, r"^true_counts\[1\] must be an integer >= 0 \(got -1\)$"),
        ({"true_counts": 5}, r"^true_counts must be a list of true counts for the sampler to try \(got 5\)$"),
        ({"true_counts": "01"}, "^true_counts must be a list"),
        ({"true_counts": [0, 1], "draws": 0}, "^draws must be at least one for each true count"),
        ({"true_counts": [0, 1], "draws": 1.5}, "^draws must be an integer"),
        ({"true_counts": [0, 1], "draws": 20}, "^no two true counts at distance 1"),
        ({"true_counts": [0, 1], "epsilon": -1}, "^epsilon must be a finite number >= 0"),
        ({"true_counts": [0, 1], "delta": 1}, "^delta must be a number >= 0 and < 1"),
        ({"true_counts": [0, 1], "confidence": 1}, "^confidence must be a number > 0 and < 1"),
        ({"true_counts": [0, 1], "distance": 0}, "^distance must be an integer >= 1"),
        ({"true_counts": [0, 1], "distance": 1.0}, "^distance must be an integer >= 1"),
        ({"true_counts": [0, 1], "rng": 7}, r"^rng must be a numpy\.random\.Generator \(got 7\)$"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(BadUse, match=message):
        audit_samples(lambda true, size: np.zeros(size, dtype=int), **arguments)


def test_bad_samplers():
    with pytest.raises(BadUse, match=r"^the sampler must return 500,000 integers \(got an array of shape \(3,\)\)$"):
        audit_samples(lambda true, size: [1, 2, 3], true_counts=[0, 1])
    with pytest.raises(InvalidParameter, match=r"^what the sampler returns must be integers"):
        audit_samples(lambda true, size: np.zeros(size), true_counts=[0, 1])
    with pytest.raises(InvalidParameter, match=r"^what the sampler returns must be .*, without masked entries$"):
        audit_samples(
            lambda true, size: np.ma.array(np.zeros(size, int), mask=np.arange(size) == 3), true_counts=[0, 1]
        )
    with pytest.raises(InvalidParameter, match=r"^what the sampler returns must be integers"):
        audit_samples(lambda true, size: [[1], [1, 2]], true_counts=[0, 1])
    with pytest.raises(BadUse, match=r"^true_counts is for a sampler"):
        audit_samples([[0, 1]], true_counts=[0, 1])
    for wrong in (lambda: 0, lambda true: 0, lambda true, size, more: 0, lambda *, true, size: 0):
        with pytest.raises(BadUse, match=r"^the sampler must be a function of \(true, size\)"):
            audit_samples(wrong, true_counts=[0, 1])

    def faulty(true, size):
        raise TypeError("of its own")

    with pytest.raises(TypeError, match="of its own"):
        audit_samples(faulty, true_counts=[0, 1])


def test_an_error_below_every_float():
    log = np.repeat([[0, 0], [1, 1]], 100_000, axis=0)
    confidence = 1 - Fraction(1, 10**330)
    assert 3 < audit_samples(log, confidence=confidence).epsilon_at_least < audit_samples(log).epsilon_at_least
    assert audit_samples(log[99_500:100_500], confidence=confidence).epsilon_at_least == 0
