"""The audit of matrices: values of the literature, the definition over all subsets, exact rationals, and the edges."""

import json
import math
import time
import tracemalloc
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from brute import excess_over_all_subsets
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from hushcount import audit, canonical, from_matrix, nearest
from hushcount.errors import BadUse, InvalidParameter
from hushcount.mechanisms import redrawn_geometric, truncated_geometric
from hushcount.numbers.exact import exact_text
from hushcount.numbers.text import typed
from hushcount.privacy import AuditVerdict, Witness
from hushcount.privacy.findings import BY_ROUNDING
from hushcount.privacy.matrix_audit import MatrixAudit
from hushcount.privacy.row_pairs import Growth, Rows

U = 2.0**-52


def exact_rows(matrix):
    rows = [[Fraction(float(x)) for x in row] for row in np.asarray(matrix, dtype=float)]
    return [[x / sum(row) for x in row] for row in rows]


def ordered_pairs(rows, distance=1):
    return [(k, i) for k in range(len(rows)) for i in range(len(rows)) if abs(k - i) == distance]


def exact_delta(matrix, epsilon, distance=1):
    """The least delta in 800 digits, straight from the formula."""
    rows = exact_rows(matrix)
    with mpmath.workdps(800):
        growth = mpmath.exp(mpmath.mpf(epsilon))

        def real(x):
            return mpmath.mpf(x.numerator) / x.denominator

        return max(
            (
                mpmath.fsum(
                    max(mpmath.mpf(0), real(x) - growth * real(y)) for x, y in zip(rows[k], rows[i], strict=True)
                )
                for k, i in ordered_pairs(rows, distance)
            ),
            default=mpmath.mpf(0),
        )


def excess_of(matrix, witness, epsilon):
    """P(event | true) - e^epsilon P(event | other), in 800 digits (a witness may exceed by 1e-300 of 1)."""
    rows = exact_rows(matrix)
    mine, theirs = (sum(rows[i][j] for j in range(len(rows[0])) if j in witness) for i in (witness.true, witness.other))
    with mpmath.workdps(800):
        return (
            mpmath.mpf(mine.numerator) / mine.denominator - mpmath.exp(epsilon) * theirs.numerator / theirs.denominator
        )


def redrawn(n, epsilon):
    """Geometric noise redrawn until it lands in 0..n."""
    weights = np.exp(-epsilon * np.abs(np.subtract.outer(np.arange(n + 1), np.arange(n + 1))))
    return weights / weights.sum(axis=1, keepdims=True)


def clamped(n, epsilon):
    """Geometric noise clamped to 0..n."""
    q = math.exp(-epsilon)
    d = np.abs(np.subtract.outer(np.arange(n + 1), np.arange(n + 1))).astype(float)
    matrix = (1 - q) / (1 + q) * q**d
    matrix[:, 0] = q ** np.arange(n + 1) / (1 + q)
    matrix[:, n] = matrix[::-1, 0]
    return matrix


# --- values to hit ---------------------------------------------------------------------------------------------------


def test_one_sided_pair():
    found = audit([[1, 0], [0.1, 0.9]], epsilon=1)
    assert 0.9 in found.least_delta.interval
    assert found.least_delta.interval.upper - found.least_delta.interval.lower <= U
    assert (found.least_delta.witness.true, found.least_delta.witness.other) == (1, 0)
    assert found.least_delta.witness.outcomes == ((1, 1),)
    assert found.verdict is AuditVerdict.NOT_PRIVATE
    assert found.least_epsilon.interval.is_infinite
    assert found.least_epsilon.witness.outcomes == ((1, 1),)


def test_rectangular_ln_3():
    found = audit([[0.5, 0.5], [0.3, 0.7], [0.1, 0.9]], delta=0)
    interval = found.least_epsilon.interval
    assert abs(interval.lower - math.log(3)) < 1e-15
    assert abs(interval.upper - math.log(3)) < 1e-15
    assert interval.upper - interval.lower <= 2 * U
    assert (found.least_epsilon.witness.true, found.least_epsilon.witness.other) == (1, 2)
    assert found.least_delta is None
    assert found.verdict is None


def test_an_exact_zero_beside_a_positive_entry_is_infinite():
    tiny = [[1.0, 5e-324], [1.0, 0.0]]
    found = audit(tiny)
    assert found.least_epsilon.interval.is_infinite
    assert str(found.least_epsilon.interval) == "infinite"
    assert found.least_epsilon.to_dict()["upper"] is None
    assert audit(tiny, delta=1e-300).least_epsilon.interval.upper == 0.0
    finite = audit([[1.0, 5e-324], [0.5, 0.5]])
    assert abs(finite.least_epsilon.interval.lower - 1073 * math.log(2)) < 1e-12


@pytest.mark.parametrize(("n", "claimed", "real"), [(2, 1, 1.1438), (10, 1, 1.2091), (5, 0.5, 0.6965)])
def test_redrawing_geometric_noise_breaks_the_claim(n, claimed, real):
    found = audit(redrawn(n, claimed), epsilon=claimed)
    assert found.verdict is AuditVerdict.NOT_PRIVATE
    assert abs(found.least_epsilon.interval.lower - real) < 5e-5
    assert found.gap[0] > 0.01


@pytest.mark.parametrize(("n", "claimed"), [(2, 1), (10, 1), (5, 0.5)])
def test_clamping_geometric_noise_keeps_the_claim_exactly(n, claimed):
    found = audit(clamped(n, claimed), epsilon=claimed, delta=1e-15)
    assert found.verdict is AuditVerdict.PRIVATE
    assert abs(audit(clamped(n, claimed)).least_epsilon.interval.upper - claimed) < 1e-14


# --- against the definition ------------------------------------------------------------------------------------------


@st.composite
def matrices(draw, most_columns=6):
    shape = (draw(st.integers(2, 5)), draw(st.integers(1, most_columns)))
    elements = st.one_of(st.just(0.0), st.floats(1e-12, 1.0), st.sampled_from([0.25, 0.5, 1e-300, 5e-324]))
    weights = draw(hnp.arrays(np.float64, shape, elements=elements))
    weights[:, 0] += weights.sum(axis=1) < 0.1
    return weights / weights.sum(axis=1, keepdims=True)


@given(matrices(), st.sampled_from([0, 0.1, 1, 5, 40, 700, 2000]), st.integers(1, 4))
def test_least_delta_is_enclosed(matrix, epsilon, distance):
    found = audit(matrix, epsilon=epsilon, distance=distance).least_delta
    with mpmath.workdps(800):
        low, high = (
            mpmath.mpf(x.numerator) / x.denominator for x in (found.interval.exact_lower, found.interval.exact_upper)
        )
        assert (
            low * (1 - mpmath.mpf(2) ** -100)
            <= exact_delta(matrix, epsilon, distance)
            <= high * (1 + mpmath.mpf(2) ** -100)
        )
        width = found.interval.upper - found.interval.lower
        assert width <= max(2 * U * found.interval.upper, 2 * 5e-324)  # outwards on both sides
        if found.witness is not None:
            assert excess_of(matrix, found.witness, epsilon) >= low * (1 - mpmath.mpf(10) ** -30)
            assert abs(found.witness.true - found.witness.other) == distance
        else:
            assert high < 1e-300


@given(matrices(most_columns=5).filter(lambda m: m.shape[0] <= m.shape[1]), st.sampled_from([0, 0.3, 1, 3]))
def test_least_delta_is_the_worst_of_all_subsets(matrix, epsilon):
    square = matrix[: matrix.shape[1]]
    height = len(square)
    assert (
        abs(
            audit(square, epsilon=epsilon).least_delta.interval.upper
            - max(
                0.0, excess_over_all_subsets(np.pad(square, ((0, square.shape[1] - height), (0, 0)), "edge"), epsilon)
            )
        )
        < 1e-12
    )


@given(matrices(), st.sampled_from([0, Fraction(1, 10**9), Fraction(1, 10), Fraction(1, 2)]), st.integers(1, 3))
def test_least_epsilon_is_the_edge(matrix, delta, distance):
    found = audit(matrix, delta=delta, distance=distance).least_epsilon
    low, high = found.interval.exact_lower, found.interval.exact_upper
    subject = MatrixAudit(np.ascontiguousarray(matrix), distance)
    if low is None:
        witness = found.witness
        rows = exact_rows(matrix)
        assert sum(rows[witness.true][j] for j in range(matrix.shape[1]) if j in witness) > delta
        assert sum(rows[witness.other][j] for j in range(matrix.shape[1]) if j in witness) == 0
        return
    assert found.interval.upper - found.interval.lower <= 4 * U * found.interval.upper
    assert subject.least_delta(high).interval.exact_lower <= delta
    if low > 0:
        below = subject.least_delta(low * (1 - Fraction(1, 10**6)))
        assert below.interval.exact_upper > delta
        assert excess_of(matrix, found.witness, float(low)) >= float(delta) - 1e-12


def test_distance():
    matrix = [[1, 0], [0, 1], [1, 0]]
    assert audit(matrix, epsilon=0).least_delta.interval.upper == 1
    assert audit(matrix, epsilon=0, distance=2).least_delta.interval.upper == 0
    assert audit(matrix, epsilon=0, distance=3).verdict is AuditVerdict.PRIVATE
    assert audit([[1.0]], epsilon=0).verdict is AuditVerdict.PRIVATE


@pytest.mark.parametrize("kind", [np.int64, np.uint8])
def test_numpy_integers_are_distances(kind):
    for subject in ([[1, 0], [0, 1], [1, 0]], nearest(3, 1)):
        found = audit(subject, epsilon=0, distance=kind(2))
        assert found == audit(subject, epsilon=0, distance=2)
        assert type(found.distance) is int


@pytest.mark.parametrize(("distance", "pairs"), [(1, 6), (2, 4), (3, 2), (4, 0), (5, 0)])
def test_pairs_are_counted(distance, pairs):
    for subject in (nearest(3, 1), nearest(3, 1).matrix(), from_matrix(np.eye(4)), np.full((4, 2), 0.5)):
        assert audit(subject, epsilon=1, distance=distance).pairs == pairs
    assert audit(nearest(3, 1), distance=distance).to_dict()["pairs"] == pairs


def test_identical_rows_reveal_nothing():
    found = audit([[0.2, 0.8]] * 3, epsilon=0)
    assert found.verdict is AuditVerdict.PRIVATE
    assert found.least_delta.interval.upper == 0
    assert found.least_delta.witness is None
    assert found.least_epsilon.interval.upper == 0


# --- verdicts, profile, output ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("delta", [0, "1e-6", "0.01", 0.3])
@pytest.mark.parametrize("make", [nearest, canonical, truncated_geometric, clamped])
def test_rounded_matrices_exceed_by_rounding(make, delta):
    """Computed by this package, and with numpy in the plainest way."""
    own = () if make in (truncated_geometric, clamped) else (delta,)
    mechanism = make(10, 0.5, *own)
    matrix = getattr(mechanism, "matrix", lambda: mechanism)()
    found = audit(matrix, epsilon=0.5, delta=own[0] if own else 0)
    assert found.verdict is AuditVerdict.NOT_PRIVATE
    assert found.by_rounding
    assert 0 < found.gap.exact_lower <= found.gap.exact_upper < 1e-14
    assert found.explanation == found.to_dict()["explanation"] == BY_ROUNDING
    assert "rounding" not in found.verdict.value
    held = found.sufficient[0]
    assert held.epsilon == Fraction(0.5)
    assert found.delta + found.gap.exact_upper <= held.delta <= found.delta + 2 * found.gap.exact_upper
    assert audit(matrix, epsilon=0.5, delta=held.delta).verdict is AuditVerdict.PRIVATE


def test_a_leak_is_no_rounding():
    """Whatever its size: rounding changes no entry by more than 1e-12 of itself, unless it underflows."""
    for matrix, claim in (
        (redrawn(10, 1), {"epsilon": 1}),
        ([[1 - 1e-15, 1e-15], [1, 0]], {"epsilon": 1}),
        ([[0.5, 0.5], [0.5 + 1e-9, 0.5 - 1e-9]], {"epsilon": "1e-9"}),
        (nearest(5, 1, "1e-9").matrix(), {"epsilon": 1}),
        (nearest(5, 1, "1.1e-9").matrix(), {"epsilon": 1, "delta": "1e-9"}),
    ):
        found = audit(matrix, **claim)
        assert found.verdict is AuditVerdict.NOT_PRIVATE
        assert not found.by_rounding
        assert found.explanation == AuditVerdict.NOT_PRIVATE.value
    closed = audit(redrawn_geometric(2, "1e-13"), epsilon="1e-13")
    assert (closed.verdict, closed.by_rounding) == (AuditVerdict.NOT_PRIVATE, False)  # nothing was rounded


@pytest.mark.slow
def test_underflow_is_rounding():
    matrix = nearest(900, 1).matrix()
    found = audit(matrix, epsilon=1)
    assert found.by_rounding
    assert found.least_epsilon.interval.is_infinite
    assert 0 < found.finite_from.interval.upper < 1e-300
    assert audit([[1.0, 5e-324], [1.0, 0.0]], epsilon=1).by_rounding
    assert not audit([[1.0, 1e-300], [1.0, 0.0]], epsilon=1).by_rounding


def test_the_tolerance_of_rounding_is_the_named_one():
    """One row times e^(2 t) is at the edge: a factor e^t in either."""
    t = 1e-12
    for factor, is_rounding in ((1.9, True), (2.2, False)):
        rows = np.array([[0.25, 0.75], [0.25, 0.75]])
        rows[0] *= (1 + factor * t, 1 - factor * t / 3)
        found = audit(rows, epsilon=0)
        assert found.verdict is AuditVerdict.NOT_PRIVATE
        assert found.by_rounding is is_rounding


# --- claims that hold ------------------------------------------------------------------------------------------------


@given(matrices(), st.sampled_from([None, 0, "0.3", 2]), st.sampled_from([0, "1e-9", 0.1]), st.integers(1, 2))
def test_what_is_sufficient_passes(matrix, epsilon, delta, distance):
    found = audit(matrix, epsilon=epsilon, delta=delta, distance=distance)
    for claim in found.sufficient:
        again = audit(matrix, epsilon=claim.epsilon, delta=claim.delta, distance=distance)
        assert again.verdict is AuditVerdict.PRIVATE
        assert len(typed(claim.epsilon)) <= 12
        told = {"epsilon": exact_text(claim.epsilon), "delta": exact_text(claim.delta)}
        assert told in found.to_dict()["sufficient"]
    assert (found.sufficient == ()) <= found.least_epsilon.interval.is_infinite


def test_what_is_printed_passes():
    """0.7 is what the mechanism keeps, and its floats by 4.7e-17 do not."""
    matrix = nearest(10, "0.7").matrix()
    found = audit(matrix, epsilon="0.7")
    assert "\nepsilon at delta 0       0.700001 " in str(found)
    assert [str(claim) for claim in found.sufficient] == ["(0.7, 0.00000000000000005)", "(0.700001, 0)"]
    assert found.least_epsilon.interval.upper > 0.7
    assert audit(matrix, epsilon=found.least_epsilon.interval.upper).verdict is AuditVerdict.PRIVATE


@pytest.mark.slow
def test_a_claim_that_holds_bounds_the_least_epsilon():
    matrix = nearest(10, "0.7").matrix()
    found = audit(matrix, epsilon="0.7", delta=1e-16)
    assert found.verdict is AuditVerdict.PRIVATE
    assert found.least_epsilon.interval.exact_upper <= Fraction("0.7")
    for mechanism in (nearest(10**6, "0.5", "0.001"), truncated_geometric(30, "0.3")):
        closed = audit(mechanism)
        assert closed.verdict is AuditVerdict.PRIVATE
        assert closed.least_epsilon.interval.exact_upper == mechanism.epsilon
    assert audit(nearest(10**6, "0.5", "0.001"), epsilon=1, delta="0.001").least_epsilon.interval.upper <= 1


# --- where no epsilon is enough --------------------------------------------------------------------------------------


@given(matrices(), st.sampled_from([0, 1e-12, 0.05]), st.integers(1, 2))
def test_from_where_on_an_epsilon_is_enough(matrix, delta, distance):
    found = audit(matrix, delta=delta, distance=distance)
    rows = exact_rows(matrix)
    mass = max(
        (sum(x for x, y in zip(rows[k], rows[i], strict=True) if y == 0) for k, i in ordered_pairs(rows, distance)),
        default=Fraction(0),
    )
    assert (found.finite_from is not None) == (mass > delta) == found.least_epsilon.interval.is_infinite
    if found.finite_from is None:
        assert found.to_dict()["finite_from"] is None
        return
    low, high = found.finite_from.interval.known
    assert low <= mass <= high
    assert high - low <= mass * Fraction(1, 2**60)
    assert found.to_dict()["finite_from"]["upper"] >= mass
    if high < 1:
        assert not audit(matrix, delta=high, distance=distance).least_epsilon.interval.is_infinite


# --- chances of the witness ------------------------------------------------------------------------------------------


@given(matrices(), st.sampled_from([0, 0.5, 3]))
def test_the_chances_of_a_witness_are_exact(matrix, epsilon):
    found, rows = audit(matrix, epsilon=epsilon), exact_rows(matrix)
    for finding in (found.least_delta, found.least_epsilon, found.profile([1])[0].least_delta):
        if (witness := finding.witness) is None:
            continue
        for true, chance in ((witness.true, witness.probability), (witness.other, witness.other_probability)):
            mass = sum(rows[true][j] for j in range(matrix.shape[1]) if j in witness)
            assert chance.known == (mass, mass)


@pytest.mark.slow
@pytest.mark.parametrize("make", [nearest, canonical])
def test_the_chances_of_a_witness_in_closed_form(make):
    mechanism, matrix = make(6, "0.5", "0.01"), make(6, "0.5", "0.01").matrix()
    for finding in (audit(mechanism, epsilon="0.2").least_delta, audit(mechanism, delta="0.1").least_epsilon):
        witness = finding.witness
        for true, chance in ((witness.true, witness.probability), (witness.other, witness.other_probability)):
            mass = sum(matrix[true, j] for j in range(7) if j in witness)
            assert chance.lower == pytest.approx(mass, rel=1e-12)
            assert chance.upper - chance.lower <= 2 * U * chance.upper
    far = audit(nearest(10**9, "0.01"), epsilon="0.001").least_delta.witness
    assert 0 < far.other_probability.lower < far.probability.upper < 1


# --- other ways out --------------------------------------------------------------------------------------------------


def test_rows_are_divided_where_that_is_asked():
    rounded = redrawn(5, 0.5).round(4)
    with pytest.raises(BadUse, match="if that is rounding, divide each row by its sum, as `normalise` does"):
        audit(rounded)
    divided = rounded / rounded.sum(axis=1, keepdims=True)
    assert audit(rounded, epsilon=1, normalise=True).verdict is audit(divided, epsilon=1).verdict
    assert audit([[1, 3], [2, 6]], normalise=True).least_epsilon.interval.upper == 0
    for mechanism in (nearest(3, 1), from_matrix(np.eye(2))):
        with pytest.raises(BadUse, match=r"^normalise is for a matrix"):
            audit(mechanism, normalise=True)


def test_negative_control():
    """A mechanism whose epsilon is 30 % too large."""
    found = audit(nearest(10, 1.3).matrix(), epsilon=1, delta=1e-9)
    assert found.verdict is AuditVerdict.NOT_PRIVATE
    assert found.gap[0] > 0.05


def test_undecided_only_inside_the_interval():
    matrix = nearest(6, 1).matrix()
    inside = audit(matrix, epsilon="0.7").least_delta.interval
    middle = (inside.exact_lower + inside.exact_upper) / 2
    assert audit(matrix, epsilon="0.7", delta=middle).verdict is AuditVerdict.UNDECIDED
    assert audit(matrix, epsilon="0.7", delta=inside.exact_upper).verdict is AuditVerdict.PRIVATE
    assert (
        audit(matrix, epsilon="0.7", delta=inside.exact_lower - Fraction(1, 10**30)).verdict is AuditVerdict.NOT_PRIVATE
    )


def test_profile():
    matrix = nearest(7, 1, 0.01).matrix()
    found = audit(matrix, epsilon=1, delta=0.01)
    points = found.profile([0, "0.5", 1, 2, 30])
    lows = [point.least_delta.interval.lower for point in points]
    assert lows == sorted(lows, reverse=True)
    assert points[2].least_delta == found.least_delta
    assert found.profile([]) == ()
    with pytest.raises(InvalidParameter, match=r"^epsilons must be a finite number >= 0.* \(got -1\)$"):
        found.profile([1, -1])
    with pytest.raises(InvalidParameter, match=r"^epsilons must be a list of numbers >= 0 \(got 0\.5\)$"):
        found.profile(0.5)


def test_explicit_mechanisms_are_their_matrix():
    matrix = nearest(4, 1).matrix()
    assert audit(from_matrix(matrix), epsilon=1) == audit(matrix, epsilon=1)


def test_output_is_json():
    for found in (audit([[1, 0], [0.1, 0.9]], epsilon=1), audit([[0.5, 0.5]]), audit(nearest(5, 1))):
        assert json.loads(json.dumps(found.to_dict(), allow_nan=False)) == found.to_dict()
    found = audit([[1, 0], [0.1, 0.9]], epsilon=1).to_dict()
    assert found["verdict"] == "NOT_PRIVATE"
    assert found["least_epsilon"]["upper"] is None
    witness = found["least_delta"]["witness"]
    assert (witness["true"], witness["other"], witness["outcomes"]) == (1, 0, [[1, 1]])
    assert witness["probability"] == {"lower": pytest.approx(0.9), "upper": pytest.approx(0.9)}
    assert witness["other_probability"] == {"lower": 0.0, "upper": 0.0}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"epsilon": -1}, "^epsilon must be a finite number >= 0"),
        ({"epsilon": "1e300"}, r"^epsilon must be a finite number >= 0, at most 1,000,000,000 for an audit"),
        ({"epsilon": float("nan")}, "^epsilon must be a finite number"),
        ({"delta": 1}, "^delta must be a number >= 0 and < 1"),
        ({"delta": -0.1}, "^delta must be a number >= 0 and < 1"),
        ({"distance": 0}, "^distance must be an integer >= 1"),
        ({"distance": 1.5}, "^distance must be an integer >= 1"),
        ({"distance": True}, "^distance must be an integer >= 1"),
        ({"distance": np.int64(-1)}, "^distance must be an integer >= 1"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(InvalidParameter, match=message):
        audit([[1.0]], **arguments)


def test_huge_epsilons_leave_what_only_one_row_has():
    for epsilon in (746, 10**5, 10**9):
        assert 0.9 in audit([[1, 0], [0.1, 0.9]], epsilon=epsilon).least_delta.interval
        assert audit([[1 - 2**-53, 5e-324], [0.5, 0.5]], epsilon=epsilon).least_delta.interval.upper == 0


def test_what_people_see():
    found = audit([[1, 0], [0.1, 0.9]], epsilon=1)
    assert repr(found.least_delta.interval) == "Interval([0.8999999999999999, 0.9])"
    assert str(found.least_delta.witness) == "true count 1 against 0, outcomes {1}, of chance 0.9 against 0"
    assert str(Witness(1, 0, ((1, 1),))) == "true count 1 against 0, outcomes {1}"
    assert str(found.gap) == "0.9"
    assert str(audit(nearest(10, "0.7").matrix(), epsilon="0.7").gap) == "4.7e-17"
    assert str(audit([[0.5, 0.5]] * 2, epsilon=1, delta="0.25").gap) == "-0.25"
    assert 1 in found.least_delta.witness
    assert 0 not in found.least_delta.witness
    assert "Fraction(0, 1)" not in repr(found.least_delta)


# --- the levels of certainty, and size -------------------------------------------------------------------------------


@given(matrices(), st.sampled_from([0, 1e-3, 0.7, 20, 690, 745, 3000]))
def test_screening_errors_are_bounded(matrix, epsilon):
    rows, growth = Rows(np.ascontiguousarray(matrix)), Growth.of_epsilon(Fraction(epsilon))
    scaled = rows.scaled(growth)
    for k, i in ordered_pairs(matrix):
        exact = exact_delta(matrix[[k, i]], epsilon) if k < i else None
        with mpmath.workdps(60):
            settled, _ = rows.settled(k, i, growth)
            value, error = rows.fine(k, i, growth, scaled[i], Fraction(0))
            low, high = (mpmath.mpf(x.numerator) / x.denominator for x in (settled.exact_lower, settled.exact_upper))
            assert low <= value + error
            assert value - error <= high
            assert abs(rows.coarse(k, i, growth) - low) <= rows.coarse_error + (high - low)
            assert exact is None or low <= exact * (1 + mpmath.mpf(10) ** -40)


def test_row_sums_are_exact():
    rng = np.random.default_rng(5)
    matrix = rng.random((4, 50)) * 10.0 ** rng.integers(-300, 0, (4, 50))
    matrix[0, :3] = (5e-324, 0.0, 1.0)
    assert Rows(matrix).sums == [sum(map(Fraction, row.tolist())) for row in matrix]


@pytest.mark.slow
@pytest.mark.parametrize("make", [nearest, canonical])
def test_two_thousand_outcomes_in_seconds(make):
    """The canonical optimum is the hard case: all its pairs tie."""
    matrix = from_matrix(make(1999, 0.01, 1e-6).matrix())
    start = time.perf_counter()
    found = audit(matrix, epsilon=0.01, delta=1e-5)
    elapsed = time.perf_counter() - start
    assert found.verdict is AuditVerdict.PRIVATE
    assert abs(found.least_delta.interval.lower - 1e-6) < 1e-12
    assert found.least_epsilon.interval.upper - found.least_epsilon.interval.lower < 1e-17
    assert elapsed < 60  # 1 to 4 seconds on two cores; a busy machine is allowed for


@pytest.mark.slow
def test_memory_beyond_the_matrix():
    matrix = from_matrix(canonical(599, 0.1, 1e-6).matrix())
    tracemalloc.start()
    audit(matrix, epsilon=0.1, delta=1e-6)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < matrix.entries.nbytes / 2


@pytest.mark.parametrize("bits", [41, 45, 52, 60])
def test_a_delta_just_below_the_excess(bits):
    """Where floats see no excess over delta, the exact question is asked all the same."""
    found = audit([[1, 0], [0, 1]], epsilon=50, delta=1 - Fraction(1, 2**bits))
    assert found.verdict is AuditVerdict.NOT_PRIVATE
    assert found.least_epsilon.interval.is_infinite
    found = audit([[0.5, 0.5], [0.25, 0.75]], epsilon=0, delta=Fraction(1, 4) * (1 - Fraction(1, 2**bits)))
    assert found.verdict is AuditVerdict.NOT_PRIVATE
    assert found.least_epsilon.interval.upper > 0
    assert audit([[0.5, 0.5], [0.25, 0.75]], epsilon=0, delta="0.25").verdict is AuditVerdict.PRIVATE


def test_more_ties_than_are_settled_one_by_one():
    """Pairs of rows that are rearrangements of one another are one question."""
    third = [[0.5, 0.5], [0.25, 0.75]] * 40
    for matrix in (np.full((60, 60), 1 / 60), np.full((70, 2), 0.5)):
        found = audit(matrix, epsilon=0)
        assert found.verdict is AuditVerdict.PRIVATE
        assert found.least_delta.interval.upper == 0
        assert found.least_epsilon.interval.upper == 0
    assert audit(third, epsilon=0, delta="0.25").verdict is AuditVerdict.PRIVATE
    assert audit(third, epsilon=0, delta="0.2499").verdict is AuditVerdict.NOT_PRIVATE
    circulant = audit(canonical(99, 1).matrix(), epsilon=1, delta=1e-15)
    assert circulant.verdict is AuditVerdict.PRIVATE


def test_a_growth_beyond_floats_is_no_warning():
    """E b_j above the largest float is surely above a_j: infinity compares as it should."""
    matrix = [
        [0.25, 0.7499999999999984, 1.5099033134902129e-15],
        [0.9999999999999984, 5e-324, 1.5099033134902129e-15],
    ]
    found = audit(matrix, delta=0.1, normalise=True)
    rows = exact_rows(matrix)
    shares = [max(rows[0][1] - Fraction(1, 10), 0) / rows[1][1], (rows[1][0] - Fraction(1, 10)) / rows[0][0]]
    with mpmath.workdps(50):
        wanted = max(mpmath.log(mpmath.mpf(share.numerator) / share.denominator) for share in shares)
    interval = found.least_epsilon.interval
    assert float(interval.lower) <= wanted <= float(interval.upper)
    assert float(interval.upper - interval.lower) < 1e-12
