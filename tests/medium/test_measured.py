"""Media from counted trials: Clopper-Pearson bounds, shared out over a row."""

import json
import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy import optimize, stats

from hushcount.errors import BadData, BadUse, InvalidParameter, TooLarge
from hushcount.medium import MeasuredMedium, Medium, from_counts, is_lossless, optimum, psk, read_counts
from hushcount.medium.channels.true_medium import AS_OBSERVED, TrueMedium
from hushcount.promise.epsilon_delta import EpsilonDelta

COUNTS = [[90, 10, 0], [7, 13, 1], [0, 0, 5]]


def test_frequencies():
    medium = from_counts(COUNTS)
    assert isinstance(medium, MeasuredMedium)
    expected = [[0.9, 0.1, 0], [7 / 21, 13 / 21, 1 / 21], [0, 0, 1]]
    assert medium.matrix.tolist() == expected
    assert medium.counts.tolist() == COUNTS
    assert medium.confidence == Fraction("0.999")
    assert medium.description == "3 symbols, as observed in 126 trials"


def test_what_is_known_of_the_true_medium_tells_media_apart():
    medium, alike = from_counts(COUNTS), from_counts(COUNTS)
    assert medium == alike
    assert hash(medium) == hash(alike)
    others = [
        from_counts(COUNTS, confidence="0.99"),
        from_counts(COUNTS, all_rows=True),
        Medium(medium.matrix, medium.description),
    ]
    assert all(medium != other and other != medium for other in others)
    rarely, often = from_counts([[1, 1], [4, 4]]), from_counts([[4, 4], [1, 1]])
    assert np.array_equal(rarely.matrix, often.matrix)
    assert rarely.description == often.description
    assert rarely != often


def test_one_symbol_one_trial():
    medium = from_counts([[1]])
    assert medium.description == "1 symbol, as observed in 1 trial"
    assert 0 < medium.distance < 1e-13


@pytest.mark.parametrize("confidence", [0.5, "0.95", Fraction(999999, 1000000)])
def test_bounds(confidence):
    medium = from_counts(COUNTS, confidence=confidence)
    error = float(1 - Fraction(confidence)) / 6
    for i, row in enumerate(COUNTS):
        for j, x in enumerate(row):
            N = sum(row)
            low = 0 if x == 0 else stats.beta.ppf(error, x, N - x + 1)
            high = 1 if x == N else stats.beta.isf(error, x + 1, N - x)
            assert medium.lower[i, j] == pytest.approx(low, rel=1e-8)
            assert medium.upper[i, j] == pytest.approx(high, rel=1e-8)
    assert (medium.lower <= medium.matrix).all()
    assert (medium.matrix <= medium.upper).all()


@pytest.mark.slow
def test_a_row_is_covered_as_often_as_said():
    """At 80 %, the true row leaves its bounds in at most 20 % of 400 repetitions (10 % more by chance: p < 1e-6); with
    an SNR 3 dB off it is outside nearly always."""
    rng = np.random.default_rng(5)
    true, off = psk(4, es_n0_db=4).matrix[0], psk(4, es_n0_db=7).matrix[0]
    outside = np.zeros(2)
    for _ in range(400):
        counts = np.eye(4, dtype=int)
        counts[0] = rng.multinomial(300, true)
        medium = from_counts(counts, confidence="0.8")
        for k, row in enumerate((true, off)):
            outside[k] += not ((medium.lower[0] <= row) & (row <= medium.upper[0])).all()
    assert outside[0] / 400 <= 0.3
    assert outside[1] / 400 >= 0.9


def test_large_counts():
    medium = from_counts([[10**12, 10**12], [0, 10**12]])
    assert medium.matrix.tolist() == [[0.5, 0.5], [0, 1]]
    assert math.isclose(medium.lower[0, 0], 0.5, rel_tol=1e-5)
    assert 0 < medium.upper[1, 0] < 1e-11
    assert from_counts([[2**63 - 1, 2**63 - 1], [0, 1]]).matrix.tolist() == [[0.5, 0.5], [0, 1]]


def test_frozen_and_json():
    medium = from_counts(COUNTS)
    for array in (medium.matrix, medium.counts, medium.lower, medium.upper):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1
    read = json.loads(json.dumps(medium.to_dict(), allow_nan=False))
    assert read["confidence"] == "0.999"
    assert read["counts"] == COUNTS
    assert np.array_equal(read["upper"], medium.upper)


@pytest.mark.parametrize(
    ("counts", "kind", "message"),
    [
        ([[1, 0], [0, 0]], BadUse, "^row 1 of counts must have at least one trial$"),
        ([[1, -1], [0, 1]], InvalidParameter, "^counts must be a square table of integers >= 0"),
        ([[1.0, 0], [0, 1]], InvalidParameter, "^counts must be a square table of integers >= 0"),
        ([[1, 0]], InvalidParameter, "^counts must be a square table"),
        ([[]], InvalidParameter, "^counts must be a square table"),
        ([[1, 0], [1]], InvalidParameter, "^counts must be a square table"),
        ([[True, False], [False, True]], InvalidParameter, "^counts must be a square table"),
        (np.array([[2**63, 1], [1, 1]], dtype=np.uint64), InvalidParameter, "below"),
        (np.eye(4097, dtype=np.int8), TooLarge, "4,096"),
    ],
)
def test_bad_counts(counts, kind, message):
    with pytest.raises(kind, match=message):
        from_counts(counts)


@pytest.mark.parametrize("bad", [0, 1, -0.5, 1.5, "nan", None])
def test_bad_confidence(bad):
    with pytest.raises(InvalidParameter, match=r"^confidence must be"):
        from_counts(COUNTS, confidence=bad)


# --- what holds behind the true medium --------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("counts", [COUNTS, [[5, 0], [0, 7]], [[1]], [[900, 100, 10], [100, 800, 100], [5, 95, 900]]])
def test_distance_is_nearly_the_largest_total_variation_within_the_bounds(counts):
    medium = from_counts(counts, confidence="0.9")
    M, farthest, room = len(counts), 0.0, (medium.upper - medium.lower).max()
    for low, high, row in zip(medium.lower, medium.upper, medium.matrix, strict=True):
        for signs in np.ndindex(*[2] * M):  # sum_j |x_j - T_j| / 2 is linear where the signs are known
            ends = [(t, u) if s else (d, t) for s, d, t, u in zip(signs, low, row, high, strict=True)]
            cost = [-0.5 if s else 0.5 for s in signs]
            found = optimize.linprog(cost, A_eq=np.ones((1, M)), b_eq=[1.0], bounds=ends)
            assert found.status == 0
            farthest = max(farthest, -found.fun - (np.array(cost) * -row).sum())
    assert farthest - 1e-12 <= medium.distance <= farthest + room
    if M <= 2:
        assert medium.distance == pytest.approx(farthest, abs=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_distance_is_never_rounded_down(seed):
    """Whole sets of entries up and the others down, in exact arithmetic."""
    rng = np.random.default_rng(seed)
    M = int(rng.integers(2, 7))
    counts = rng.multinomial(int(rng.choice([5, 40, 90])), rng.dirichlet(np.ones(M)), M)
    medium, farthest = from_counts(counts, confidence="0.9"), Fraction(0)
    for low, row, high in zip(medium.lower.tolist(), counts.tolist(), medium.upper.tolist(), strict=True):
        up = [Fraction(u) - Fraction(hits, sum(row)) for u, hits in zip(high, row, strict=True)]
        down = [Fraction(hits, sum(row)) - Fraction(d) for d, hits in zip(low, row, strict=True)]
        for chosen in np.ndindex(*[2] * M):
            risen = sum(x for x, is_up in zip(up, chosen, strict=True) if is_up)
            fallen = sum(x for x, is_up in zip(down, chosen, strict=True) if not is_up)
            farthest = max(farthest, min(risen, fallen))
    assert farthest <= Fraction(medium.distance) <= farthest + Fraction(max(map(max, medium.upper - medium.lower)))


def test_what_is_private_behind_the_frequencies_is_behind_the_true_medium_at_the_stated_delta():
    rng = np.random.default_rng(8)
    true = psk(4, es_n0_db=6).matrix
    measured = from_counts([rng.multinomial(2000, row) for row in true], confidence="0.99", all_rows=True)
    assert ((measured.lower <= true) & (true <= measured.upper)).all()
    best = optimum(measured, 1)
    kept = best.true_medium
    arrives = best.mechanism.matrix() @ true
    assert hockey_stick(arrives, math.e) <= kept.delta
    assert 1 - arrives.diagonal().min() <= kept.error_probability
    assert hockey_stick(arrives, math.e) > 1e-6  # it is not private as it stands
    assert kept.delta == pytest.approx((1 + math.e) * measured.distance)


FEW = [[95, 5, 0], [6, 90, 4], [0, 3, 97]]
"""300 trials: as observed the medium costs nothing."""


def test_what_is_found_of_observed_frequencies_says_so():
    measured = from_counts(FEW, all_rows=True)
    found, best = is_lossless(measured, 1), optimum(measured, 1)
    assert found.verdict.name == "LOSSLESS"
    assert found.explanation == f"{AS_OBSERVED} {found.verdict.value}"
    assert found.to_dict()["is_observed"] is True
    assert all(each["explanation"].startswith(AS_OBSERVED) for each in found.to_dict()["statements"])
    assert best.to_dict()["explanation"].startswith(AS_OBSERVED)
    assert best.to_dict()["true_medium"] == best.true_medium.to_dict()
    exact = measured.matrix
    assert is_lossless(exact, 1).explanation == found.verdict.value
    assert optimum(exact, 1).true_medium is None
    assert "as observed" in measured.relabelled([2, 1, 0]).description


def test_the_least_error_is_that_of_the_mechanism_that_is_given():
    measured = from_counts(FEW, all_rows=True)
    for chosen in (False, True):
        best = optimum(measured, 2, least_absolute_error=chosen)
        assert best.true_medium.error_probability == math.nextafter(best.upper + measured.distance, math.inf)


def test_bounds_of_each_row_promise_with_what_is_left_of_the_confidence():
    assert from_counts(FEW, confidence="0.999").confidence_in_all_rows == Fraction("0.997")
    assert from_counts(FEW, confidence="0.999", all_rows=True).confidence_in_all_rows == Fraction("0.999")
    none = optimum(from_counts(FEW, confidence="0.5"), "0.1").true_medium
    assert (none.confidence, none.is_private) == (0, False)
    assert none.delta < 1
    assert none.to_dict()["delta"] is None


def test_a_claim_is_rounded_up_and_stays_below_1():
    asked = EpsilonDelta.of(1)
    said = TrueMedium(asked, Fraction("0.9999999999"), 0.1, 0.12345678, 0.5)
    assert said.claim == "0.123457"
    assert said.certainty == "with 99.9999% confidence"  # not 100 %
    assert Fraction(TrueMedium(asked, Fraction(1, 2), 0.1, 1 - 2.0**-40, 0.5).claim) == 1 - Fraction(1, 2**40)


def hockey_stick(matrix, growth):
    pairs = [*pairwise(matrix), *pairwise(matrix[::-1])]
    return max(np.maximum(a - growth * b, 0).sum() for a, b in pairs)


@pytest.mark.parametrize("epsilon", [701, 10**6])
def test_no_promise_for_the_true_medium_is_infinity(epsilon):
    assert from_counts(COUNTS).true_delta(epsilon) == math.inf


def test_true_delta_adds_to_delta():
    medium = from_counts(COUNTS)
    assert medium.true_delta(0, "0.25") == pytest.approx(0.25 + 2 * medium.distance)
    with pytest.raises(InvalidParameter, match="epsilon"):
        medium.true_delta(-1)


def test_bounds_of_all_rows_are_those_of_each_row_at_a_third_of_the_error():
    together = from_counts(COUNTS, confidence="0.97", all_rows=True)
    apart = from_counts(COUNTS, confidence="0.99")
    assert together.lower.tolist() == apart.lower.tolist()
    assert together.upper.tolist() == apart.upper.tolist()
    assert together.to_dict()["is_of_all_rows"] is True
    with pytest.raises(InvalidParameter, match="all_rows must be True or False"):
        from_counts(COUNTS, all_rows=1)


def test_counts_from_files(tmp_path):
    text, binary = tmp_path / "counts.csv", tmp_path / "counts.npy"
    text.write_text("90,10,0\n7,13,1\n0,0,5\n")
    np.save(binary, np.array(COUNTS))
    for file in (text, binary):
        assert read_counts(file, confidence="0.9").to_dict() == from_counts(COUNTS, confidence="0.9").to_dict()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1,0\n0.5,1\n", "line 2 holds something that is not an integer"),
        ("1,0\n0,0\n", "row 1 of counts must have at least one trial"),
        ("1,0,0\n0,1,0\n", "a square table"),
        ("1,-1\n0,1\n", "integers >= 0"),
    ],
    ids=["fraction", "no trial", "not square", "negative"],
)
def test_files_that_hold_no_counts(tmp_path, text, said):
    file = tmp_path / "counts.csv"
    file.write_text(text)
    with pytest.raises(BadData, match=said):
        read_counts(file)


def test_a_bad_confidence_is_no_fault_of_the_file(tmp_path):
    file = tmp_path / "counts.csv"
    file.write_text("1,0\n0,1\n")
    with pytest.raises(InvalidParameter, match="confidence"):
        read_counts(file, confidence=2)
