"""Audits without a matrix equal those of the matrix, and go on where no matrix fits."""

import itertools
import math
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from hypothesis import given, strategies as st

from hushcount import Mechanism, audit, canonical, from_matrix, nearest
from hushcount.errors import InvalidParameter, TooLarge
from hushcount.mechanisms import (
    clamped_canonical_noise,
    clamped_gaussian,
    explicit_fair,
    exponential,
    folded_geometric,
    randomized_response,
    redrawn_geometric,
    truncated_geometric,
)
from hushcount.privacy import AuditVerdict
from hushcount.privacy.closed_form_audit import ClosedFormAudit

MAKERS = [nearest, canonical]
EPSILONS = [0, Fraction(1, 10), Fraction(1, 2), 1, 3]
DELTAS = [0, Fraction(1, 10**6), Fraction(1, 100), Fraction(3, 10)]


def same(interval, other, tolerance=1e-12):
    """Both infinite, or as near as a matrix of floats lets them be."""
    for x, y in ((interval.lower, other.lower), (interval.upper, other.upper)):
        if math.isinf(x) or math.isinf(y):
            assert x == y
        else:
            assert abs(x - y) <= tolerance * max(1.0, x)


@pytest.mark.slow
@pytest.mark.parametrize("make", MAKERS)
@given(
    n=st.integers(0, 12),
    own=st.tuples(st.sampled_from(EPSILONS), st.sampled_from(DELTAS)),
    epsilon=st.sampled_from([*EPSILONS, Fraction(3, 10), 2, 6]),
    distance=st.integers(1, 5),
)
def test_least_delta_equals_the_matrix_audit(make, n, own, epsilon, distance):
    mechanism = make(n, *own)
    closed = audit(mechanism, epsilon=epsilon, distance=distance)
    listed = audit(mechanism.matrix(), epsilon=epsilon, distance=distance)
    same(closed.least_delta.interval, listed.least_delta.interval)
    assert closed.least_delta.interval.upper - closed.least_delta.interval.lower < 1e-15


@pytest.mark.slow
@pytest.mark.parametrize("make", MAKERS)
@given(
    n=st.integers(0, 12),
    own=st.tuples(st.sampled_from(EPSILONS), st.sampled_from(DELTAS)),
    delta=st.sampled_from([Fraction(1, 1000), Fraction(1, 50), Fraction(2, 5)]),
    distance=st.integers(1, 5),
)
def test_least_epsilon_equals_the_matrix_audit(make, n, own, delta, distance):
    mechanism = make(n, *own)
    closed = audit(mechanism, delta=delta, distance=distance).least_epsilon.interval
    listed = audit(mechanism.matrix(), delta=delta, distance=distance).least_epsilon.interval
    same(closed, listed, 1e-9)


@pytest.mark.grid
@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("n", [1, 2, 7, 300, 10**6, 10**12])
@pytest.mark.parametrize(("epsilon", "delta"), [("0.01", 0), (1, 0), (2, "0.001"), ("1e-11", "1e-12"), (0, "0.1")])
def test_the_promise_is_kept_and_tight(make, n, epsilon, delta):
    mechanism = make(n, epsilon, delta)
    found = audit(mechanism)
    assert (found.epsilon, found.delta) == (mechanism.epsilon, mechanism.delta)
    assert found.verdict is AuditVerdict.PRIVATE
    assert found.gap[1] == 0
    assert found.gap[0] >= -(mechanism.delta + Fraction(1, 10**30)) * Fraction(1, 10**15)
    interval = found.least_epsilon.interval
    assert interval.exact_lower <= mechanism.epsilon <= interval.exact_upper + Fraction(1, 10**30)
    assert interval.exact_upper - interval.exact_lower <= mechanism.epsilon * Fraction(1, 10**15) + Fraction(1, 10**30)


@pytest.mark.slow
@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("n", [1, 9, 10**12 - 1])
@pytest.mark.parametrize("epsilon", ["0.1", 2])
def test_profile_below_the_promise_is_the_curve_for_an_even_number_of_outcomes(make, n, epsilon):
    """delta + (1 - delta)(e^epsilon - e^epsilon') / (1 + e^epsilon): every optimum has it, in the middle."""
    own, delta = float(Fraction(epsilon)), 0.25
    for point in audit(make(n, epsilon, delta)).profile([0, Fraction(epsilon) / 3]):
        expected = delta + (1 - delta) * (math.exp(own) - math.exp(float(point.epsilon))) / (1 + math.exp(own))
        assert abs(point.least_delta.interval.lower - expected) < 1e-14
        assert point.least_delta.interval.upper - point.least_delta.interval.lower < 1e-15


@pytest.mark.slow
@pytest.mark.parametrize("make", MAKERS)
def test_larger_distances_at_any_size(make):
    mechanism = make(10**12, "0.01")
    for s in (2, 7):
        found = audit(mechanism, epsilon="0.01", distance=s)
        assert found.verdict is AuditVerdict.NOT_PRIVATE
        assert abs(found.least_epsilon.interval.lower - 0.01 * s) < 1e-15
        assert audit(mechanism, epsilon=Fraction(s, 100), distance=s).verdict is AuditVerdict.PRIVATE
    assert audit(mechanism, epsilon=0, distance=10**12).least_delta.interval.upper <= 1
    assert audit(mechanism, epsilon=0, distance=10**12 + 1).verdict is AuditVerdict.PRIVATE


@given(
    n=st.integers(1, 40),
    s=st.integers(1, 40),
    quotient=st.fractions(0, 12, max_denominator=4),
    delta=st.sampled_from([0, Fraction(1, 1000), Fraction(1, 3)]),
)
def test_the_canonical_event_is_the_arc_of_likelier_outcomes(n, s, quotient, delta):
    s = min(s, n)
    own = Fraction(1, 4)
    mechanism = canonical(n, own, delta)
    event = {j for a, b in mechanism._worst_event(0, s, quotient * own) for j in range(a, b + 1)}
    for j in range(n + 1):
        difference = mechanism._probability(0, j, 256) - (
            arb(1) * float(quotient * own)
        ).exp() * mechanism._probability(s, j, 256)
        if abs(float(difference.mid())) > 1e-60:
            assert (j in event) == (difference > 0)


@pytest.mark.slow
def test_beyond_enumeration_the_interval_is_honest():
    """delta > 0, an epsilon above the promise, and an odd number of outcomes: no closed form is known."""
    mechanism = nearest(10**6, "0.5", "0.001")
    found = audit(mechanism, epsilon=1, delta="0.0005")
    interval = found.least_delta.interval
    assert 0.0009 < interval.lower <= interval.upper <= 0.001
    assert found.verdict is AuditVerdict.NOT_PRIVATE
    assert audit(mechanism, epsilon=1, delta=interval.exact_lower).verdict is AuditVerdict.UNDECIDED
    assert found.least_epsilon.interval.upper == math.inf
    small = audit(nearest(300, "0.5", "0.001"), epsilon=1).least_delta.interval
    assert small.upper - small.lower < 1e-15


class Unproven(type(nearest(1, 1))):
    """The nearest optimum, of which nothing is taken for granted."""

    proven_privacy = None
    has_monotone_ratios = is_mirrored = False


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "delta"), [(1, Fraction(1, 50)), (2, 0)])
def test_without_proofs_all_probabilities_are_looked_at(epsilon, delta):
    proven = nearest(9, epsilon, delta)
    bare = Unproven(proven.n, proven.privacy)
    for asked in (Fraction(1, 3), 3):
        same(audit(bare, epsilon=asked).least_delta.interval, audit(proven, epsilon=asked).least_delta.interval, 1e-15)
    assert audit(bare).verdict is AuditVerdict.UNDECIDED  # the enclosure holds delta itself
    with pytest.raises(TooLarge, match=r"more than 128 outcomes in closed form; audit its matrix\(\)"):
        audit(Unproven(128, proven.privacy))


class BarelyProven(Unproven):
    """Only the promise is taken for granted."""

    proven_privacy = property(lambda self: self.privacy)


def test_a_promise_alone_meets_simple_events():
    found = audit(BarelyProven(10**6, nearest(1, 1).privacy))
    assert found.verdict is AuditVerdict.PRIVATE
    assert found.least_epsilon.interval.exact_upper == 1
    assert found.least_epsilon.interval.lower > 1 - 1e-12


PURE = [truncated_geometric, folded_geometric, exponential, redrawn_geometric, explicit_fair]
WITH_DELTA = [nearest, canonical, randomized_response, clamped_canonical_noise, clamped_gaussian]
ASKED_DELTAS = [Fraction(1, 1001), Fraction(877, 77_700), Fraction(400, 1001)]
"""No probability of a mechanism at epsilon 0, so that floats can tell on which side of it they are."""


def both_ways_agree(mechanism, epsilon, delta, distance):
    closed = audit(mechanism, epsilon=epsilon, delta=delta, distance=distance)
    listed = audit(mechanism.matrix(), epsilon=epsilon, delta=delta, distance=distance)
    same(closed.least_delta.interval, listed.least_delta.interval)
    same(closed.least_epsilon.interval, listed.least_epsilon.interval, 1e-9)
    assert (closed.verdict, closed.pairs) == (listed.verdict, listed.pairs)


@pytest.mark.slow
@pytest.mark.parametrize("make", [*PURE, *WITH_DELTA])
@given(
    n=st.integers(0, 8),
    own=st.tuples(st.sampled_from(EPSILONS), st.sampled_from(DELTAS[1:])),
    asked=st.tuples(st.sampled_from([0, Fraction(1, 20), Fraction(6, 5), 4]), st.sampled_from(ASKED_DELTAS)),
    distance=st.integers(1, 5),
)
def test_every_mechanism_equals_its_matrix(make, n, own, asked, distance):
    both_ways_agree(make(n, own[0]) if make in PURE else make(n, *own), *asked, distance)  # type: ignore[call-arg]


@pytest.mark.slow
@pytest.mark.parametrize("make", [*PURE, *WITH_DELTA])
def test_every_mechanism_equals_its_matrix_at_epsilon_0(make):
    """Where tails may end in an exact 0: all is rational there."""
    for n, delta in itertools.product(range(9), [None] if make in PURE else ["0.001", "0.1", "0.3", "0.5"]):
        mechanism = make(n, 0) if delta is None else make(n, 0, delta)
        for distance, asked in itertools.product((1, 2, 4), ASKED_DELTAS):
            both_ways_agree(mechanism, 1, asked, distance)


def flat_rows(n, delta):
    """The nearest optimum at epsilon 0 in rationals: a step of its recursion takes delta away."""
    a = (1 - delta) / (n + 1)

    def tails(row):
        return [max(Fraction(0), a * (row - k) - delta * (k - 1)) for k in range(1, row + 1)]

    def cells(row):
        return [x - y for x, y in itertools.pairwise(tails(row))]

    return [[*reversed(cells(i + 1)), a + delta, *cells(n + 1 - i)] for i in range(n + 1)]


@pytest.mark.slow
@given(n=st.integers(1, 12), delta=st.fractions(Fraction(1, 30), Fraction(9, 10), max_denominator=30))
def test_infinite_exactly_where_outcomes_the_neighbour_never_has_exceed_delta(n, delta):
    rows, mechanism = flat_rows(n, delta), nearest(n, 0, delta)
    assert np.allclose(np.array(rows, dtype=float), mechanism.matrix(), rtol=1e-12, atol=0)
    unseen = max(
        sum(x for x, y in zip(rows[k], rows[i], strict=True) if y == 0)
        for k, i in itertools.permutations(range(n + 1), 2)
        if abs(k - i) == 1
    )
    for asked, is_infinite in ((unseen * Fraction(999, 1000), unseen > 0), (unseen + Fraction(1, 10**9), False)):
        if asked < 1:
            found = audit(mechanism, delta=asked).least_epsilon
            assert found.interval.is_infinite is is_infinite
            assert is_infinite or found.interval.upper < math.inf


def test_the_case_of_an_exact_0():
    """a S(j) = delta (k - 1) for j = 3 and k = 2 at n = 6, delta 3/10: from a true 4 outcome 2 is just impossible."""
    mechanism = nearest(6, 0, "0.3")
    assert (mechanism.cdf(4, 2), mechanism.pmf(4, 2)) == (0, 0)
    assert mechanism.pmf(3, 2) > 0
    found = audit(mechanism, epsilon=1, delta="0.01").least_epsilon
    assert found.interval.is_infinite
    assert audit(mechanism.matrix(), epsilon=1, delta="0.01").least_epsilon.interval == found.interval


@pytest.mark.parametrize("epsilon", [0, "1e-400", "0.5", 3])
@pytest.mark.parametrize("n", [0, 1])
def test_redrawn_noise_on_two_counts_is_private_at_its_epsilon(n, epsilon):
    found = audit(redrawn_geometric(n, epsilon), epsilon=epsilon)
    assert found.verdict is AuditVerdict.PRIVATE
    assert found.least_epsilon.interval.exact_upper <= Fraction(epsilon)
    if n and Fraction(epsilon) > Fraction(1, 10**9):
        below = Fraction(epsilon) * Fraction(99, 100)
        assert audit(redrawn_geometric(n, epsilon), epsilon=below).verdict is AuditVerdict.NOT_PRIVATE


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 9, 900])
def test_redrawn_noise_at_epsilon_0_is_uniform_and_elsewhere_breaks_its_claim(n):
    assert audit(redrawn_geometric(n, 0), epsilon=0).verdict is AuditVerdict.PRIVATE
    assert audit(redrawn_geometric(n * 10**6, 0), epsilon=0).verdict is AuditVerdict.PRIVATE
    assert audit(redrawn_geometric(n, "0.5"), epsilon="0.5").verdict is AuditVerdict.NOT_PRIVATE


def test_negative_control():
    """An epsilon 30 % too large, at a size without a matrix."""
    found = audit(nearest(10**12, "1.3"), epsilon=1)
    assert found.verdict is AuditVerdict.NOT_PRIVATE
    assert found.gap[0] > 0.1


@pytest.mark.slow
@pytest.mark.parametrize("make", MAKERS)
def test_constant_memory(make):
    mechanism = make(10**12, "0.01")
    audit(mechanism)
    tracemalloc.start()
    audit(mechanism, epsilon="0.005", delta="0.001")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2**20


def test_explicit_and_closed_form_take_their_own_ways():
    assert isinstance(audit(nearest(3, 1))._subject, ClosedFormAudit)
    assert not isinstance(audit(from_matrix(np.eye(3)))._subject, ClosedFormAudit)
    assert issubclass(Unproven, Mechanism)


def test_randomized_response_keeps_its_promise_at_every_distance():
    for distance in (1, 2, 4):
        assert audit(randomized_response(4, 0.5, 1e-6), distance=distance).verdict is AuditVerdict.PRIVATE


def test_an_excess_below_the_first_precision():
    """Two-sided noise redrawn at 180 exceeds its epsilon by about e^-180."""
    assert audit(redrawn_geometric(5, 180), epsilon=180).verdict is AuditVerdict.NOT_PRIVATE
    assert audit(exponential(6, 700), epsilon=350).verdict is AuditVerdict.NOT_PRIVATE


def test_an_excess_that_no_fraction_shows():
    interval = audit(clamped_gaussian(200, 1, 1e-6), delta=0).least_epsilon.interval
    assert 11.1455 < interval.lower <= interval.upper < 11.1456


def test_more_counts_than_the_first_precision_tells_apart():
    found = audit(canonical(10**201, "1e-9"), distance=10**200)
    assert found.verdict is AuditVerdict.NOT_PRIVATE
    assert found.least_epsilon.interval.exact_lower <= 10**191 <= found.least_epsilon.interval.exact_upper


@pytest.mark.parametrize("make", [nearest, canonical, exponential, redrawn_geometric])
@pytest.mark.parametrize("epsilon", [1e308, "1e400"])
def test_an_epsilon_beyond_any_audit(make, epsilon):
    with pytest.raises(InvalidParameter, match=r"^the epsilon of the mechanism '.*' must be at most 1,000,000,000 for"):
        audit(make(5, epsilon), epsilon=1)
