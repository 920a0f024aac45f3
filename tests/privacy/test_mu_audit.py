"""Audits against Gaussian differential privacy."""

import math
from fractions import Fraction
from itertools import chain, combinations
from statistics import NormalDist

import numpy as np
import pytest
from flint import arb, ctx

from hushcount.errors import BadUse, InvalidParameter, TooLarge
from hushcount.mechanisms import canonical, nearest, within
from hushcount.privacy import AuditVerdict, audit
from hushcount.promise.gaussian import GaussianDP, mu_squared_of_pure_epsilon
from hushcount.promise.normal import normal_quantile
from hushcount.promise.normal_floats import quantiles

NORMAL = NormalDist()
PRIVATE, NOT_PRIVATE = AuditVerdict.PRIVATE, AuditVerdict.NOT_PRIVATE


def by_all_events(matrix, distance=1):
    """Return the least mu over all 2^M events and both orders of every pair."""
    worst, columns = 0.0, range(matrix.shape[1])
    events = list(chain.from_iterable(combinations(columns, size) for size in range(1, len(columns))))
    for i in range(len(matrix) - distance):
        for k, other in ((i, i + distance), (i + distance, i)):
            for event in events:
                mine, theirs = matrix[k, list(event)].sum(), matrix[other, list(event)].sum()
                if mine > 1e-15 and theirs <= 0:
                    return math.inf
                if 0 < mine < 1 and 0 < theirs < 1:
                    worst = max(worst, NORMAL.inv_cdf(mine) - NORMAL.inv_cdf(theirs))
    return worst


@pytest.mark.parametrize("distance", [1, 2])
def test_a_matrix_is_judged_by_its_worst_event(distance):
    source = np.random.default_rng(1)
    for _ in range(25):
        matrix = source.dirichlet(np.ones(6), size=5)
        found = audit(matrix, mu=1, distance=distance)
        expected = by_all_events(matrix, distance)
        assert found.least_mu.interval.lower - 1e-9 <= expected <= found.least_mu.interval.upper + 1e-9
        assert found.least_mu.interval.upper - found.least_mu.interval.lower < 1e-12
        assert found.verdict is (PRIVATE if expected <= 1 else NOT_PRIVATE)


def test_prefixes_of_the_outcomes_are_not_enough_for_a_matrix():
    """The worst event is {0, 2}, which is no prefix and no suffix."""
    found = audit([[0.4, 0.1, 0.4, 0.1], [0.25, 0.25, 0.25, 0.25]], mu=1)
    assert found.least_mu.witness.outcomes == ((0, 0), (2, 2))
    expected = NORMAL.inv_cdf(0.8) - NORMAL.inv_cdf(0.5)
    assert found.least_mu.interval.upper == pytest.approx(expected, abs=1e-12)


def test_the_witness_asks_for_what_is_found():
    found = audit(np.random.default_rng(2).dirichlet(np.ones(9), size=7), mu="0.1")
    witness = found.least_mu.witness
    mine, theirs = (NORMAL.inv_cdf(chance.lower) for chance in (witness.probability, witness.other_probability))
    assert mine - theirs == pytest.approx(found.least_mu.interval.lower, rel=1e-9)


@pytest.mark.parametrize("mu", ["0.1", "0.8", "2"])
@pytest.mark.parametrize("n", [1, 2, 7, 40, 1000, 10**6])
def test_nearest_keeps_its_own_mu_and_no_smaller(n, mu):
    made = nearest(n, mu=mu)
    assert audit(made, mu=mu).verdict is PRIVATE
    refuted = audit(made, mu=Fraction(mu) * 9 / 10)
    assert refuted.verdict is NOT_PRIVATE
    assert refuted.least_mu.interval.lower == pytest.approx(float(Fraction(mu)), rel=1e-9)


def test_other_promises_of_mu():
    assert audit(nearest(7, rho="0.1"), mu=GaussianDP.of_rho("0.1")).verdict is PRIVATE
    assert audit(nearest(7, rho="0.1"), mu=GaussianDP.of_rho("0.09")).verdict is NOT_PRIVATE
    assert audit(within(12, t=2, mu="0.5"), mu="0.5").verdict is PRIVATE
    assert audit(within(12, t=2, mu="0.5"), mu="0.45").verdict is NOT_PRIVATE


@pytest.mark.parametrize("distance", [1, 2, 3])
def test_distances(distance):
    assert audit(nearest(9, mu="0.3"), mu=Fraction(3 * distance, 10), distance=distance).verdict is PRIVATE
    assert audit(nearest(9, mu="0.3"), mu="0.29", distance=distance).verdict is NOT_PRIVATE


@pytest.mark.parametrize("n", [1, 3, 7, 41, 101])
def test_a_pure_epsilon_takes_twice_the_quantile(n):
    """2 Phi^-1(1 / (1 + e^-epsilon)), attained in the middle for an even number of outcomes."""
    found = audit(nearest(n, 1), mu=2)
    assert found.verdict is PRIVATE
    squared = mu_squared_of_pure_epsilon(1)
    assert found.least_mu.interval.upper**2 == pytest.approx(float(squared), rel=1e-12)
    assert found.least_mu.interval.lower**2 == pytest.approx(float(squared), rel=1e-12)


@pytest.mark.parametrize("made", [nearest(6, "0.7"), nearest(7, mu="0.8"), nearest(6, 1, "1e-3"), within(8, "0.3", 1)])
def test_closed_form_and_matrix_agree(made):
    by_form, by_matrix = (audit(subject, mu=1).least_mu.interval for subject in (made, made.matrix()))
    if by_form.is_infinite:
        assert by_matrix.is_infinite
    else:
        assert by_form.upper == pytest.approx(by_matrix.upper, rel=1e-9)
        assert by_form.lower == pytest.approx(by_matrix.lower, rel=1e-9)


def test_delta_is_no_mu():
    """An outcome that only one of two counts can have."""
    found = audit(nearest(9, 1, "0.01"), mu=100)
    assert found.verdict is NOT_PRIVATE
    assert found.least_mu.interval.is_infinite
    assert found.sufficient is None
    assert found.to_dict()["least_mu"]["upper"] is None
    assert "infinite" in str(found)


def test_rounding_is_told_apart():
    matrix = nearest(5, mu="0.8").matrix()
    found = audit(matrix, mu="0.8")
    assert (found.verdict, found.by_rounding) in {(PRIVATE, False), (NOT_PRIVATE, True)}
    assert audit(matrix, mu="0.79").by_rounding is False
    underflown = audit(nearest(100, mu=1).matrix(), mu=1)
    assert (underflown.verdict, underflown.by_rounding) == (NOT_PRIVATE, True)
    assert audit(nearest(100, mu=1).matrix(), mu="0.99").by_rounding is False


def rounded_gaussian(n, mu):
    """Return the noise of standard deviation 1 / mu, rounded and clamped: every entry right to a few units."""
    rows = []
    for i in range(n + 1):
        ends = [-math.inf, *((j + 0.5 - i) * mu for j in range(n)), math.inf]
        tails = [math.erfc(abs(end) / math.sqrt(2)) / 2 for end in ends]
        sides = [(tails[j], tails[j + 1], ends[j] < 0, ends[j + 1] <= 0) for j in range(n + 1)]
        rows.append(
            [high - low if right else (1 - low - high if left else low - high) for low, high, left, right in sides]
        )
    return np.array(rows)


@pytest.mark.parametrize(("n", "mu"), [(40, "0.3"), (100, "0.3"), (40, "1")])
@pytest.mark.parametrize("make", [rounded_gaussian, lambda n, mu: nearest(n, mu=mu).matrix()], ids=["gauss", "nearest"])
def test_rounding_is_told_apart_where_more_pairs_tie_than_are_enclosed(make, n, mu):
    matrix = make(n, float(mu) if make is rounded_gaussian else mu)
    found = audit(matrix, mu=mu)
    assert (found.verdict, found.by_rounding) == (NOT_PRIVATE, True)
    assert "not private, by rounding only" in str(found)
    assert "by no more than rounding explains" in " ".join(str(found).split())
    slightly = audit(matrix, mu=Fraction(mu) * (1 - Fraction(1, 10**10)))
    assert (slightly.verdict, slightly.by_rounding) == (NOT_PRIVATE, False)


@pytest.mark.parametrize("less", ["0", "1e-14", "1e-9"])
def test_a_claim_that_fails_is_below_what_is_shown_to_be_needed(less):
    claim = Fraction("0.3") - Fraction(less)
    found = audit(rounded_gaussian(40, 0.3), mu=claim)
    assert found.verdict is NOT_PRIVATE
    needs = next(line.split()[1] for line in str(found).splitlines() if line.startswith("mu "))
    assert Fraction(needs) > claim


def test_quantiles_are_as_right_as_the_screening_takes_them_to_be():
    u = np.concatenate([2.0 ** -np.linspace(1, 900, 2000), np.linspace(1e-3, 0.5, 500)])
    with ctx.workprec(200):
        for z, p in zip(quantiles(u).tolist(), u.tolist(), strict=True):
            exactly = normal_quantile(arb(p), 1 - arb(p))
            assert abs(exactly - z) <= 2.0**-46 * abs(exactly)


def test_nothing_given_away():
    found = audit(np.full((4, 3), [0.25, 0.25, 0.5]), mu="1e-9")
    assert found.verdict is PRIVATE
    assert (found.least_mu.interval.lower, found.least_mu.interval.upper) == (0, 0)
    assert audit(np.ones((1, 1)), mu=1).pairs == 0


def test_text_and_json():
    found = audit(nearest(5, mu="0.8").matrix(), mu="0.72")
    assert str(found).startswith("Claim       mu 0.72, between true counts 1 apart\nVerdict     not private\n")
    assert "Private at  mu 0.8" in str(found)
    told = found.to_dict()
    assert told["mu_squared"] == "0.5184"
    assert told["verdict"] == "NOT_PRIVATE"


@pytest.mark.parametrize("mu", [0, -1, math.nan, "x"])
def test_bad_claims(mu):
    with pytest.raises(InvalidParameter, match="mu must be a finite number"):
        audit(np.eye(2), mu=mu)


def test_other_refusals():
    with pytest.raises(InvalidParameter, match="left out beside epsilon or delta"):
        audit(np.eye(2), mu=1, epsilon=1)  # type: ignore[call-overload]
    with pytest.raises(BadUse, match=r"'canonical' is not proven to have; audit its matrix\(\)"):
        audit(canonical(5, 1), mu=1)
    with pytest.raises(TooLarge, match="more than 128 outcomes"):
        audit(nearest(200, 1, "1e-3"), mu=1)
    with pytest.raises(BadUse, match="normalise is for a matrix"):
        audit(nearest(5, 1), mu=1, normalise=True)


@pytest.mark.parametrize("n", [1, 200, 10**6, 10**12])
@pytest.mark.parametrize("mu", ["5", "40", "1e6", "1e400"])
def test_chances_that_no_precision_tells_from_0_and_1(n, mu):
    mechanism = nearest(n, mu=mu)
    found = audit(mechanism, mu=mu)
    assert found.verdict is AuditVerdict.PRIVATE
    assert found.least_mu.interval.exact_upper == Fraction(mu)
    less = audit(mechanism, mu=Fraction(mu) * Fraction(9, 10)).verdict
    assert less is (AuditVerdict.UNDECIDED if mu == "1e400" else AuditVerdict.NOT_PRIVATE)
