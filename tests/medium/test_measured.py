"""Media from counted trials: Clopper-Pearson bounds, shared out over a row."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from hushcount.errors import BadUse, InvalidParameter, TooLarge
from hushcount.medium import MeasuredMedium, medium_from_counts, psk

COUNTS = [[90, 10, 0], [7, 13, 1], [0, 0, 5]]


def test_frequencies():
    medium = medium_from_counts(COUNTS)
    assert isinstance(medium, MeasuredMedium)
    expected = [[0.9, 0.1, 0], [7 / 21, 13 / 21, 1 / 21], [0, 0, 1]]
    assert medium.matrix.tolist() == expected
    assert medium.counts.tolist() == COUNTS
    assert medium.confidence == Fraction("0.999")
    assert medium.description == "3 symbols, measured in 126 trials"


@pytest.mark.parametrize("confidence", [0.5, "0.95", Fraction(999999, 1000000)])
def test_bounds(confidence):
    medium = medium_from_counts(COUNTS, confidence=confidence)
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


def test_a_row_is_covered_as_often_as_said():
    """At 80 %, the true row leaves its bounds in at most 20 % of 400 repetitions (10 % more by chance: p < 1e-6); with
    an SNR 3 dB off it is outside nearly always."""
    rng = np.random.default_rng(5)
    true, off = psk(4, es_n0_db=4).matrix[0], psk(4, es_n0_db=7).matrix[0]
    outside = np.zeros(2)
    for _ in range(400):
        counts = np.eye(4, dtype=int)
        counts[0] = rng.multinomial(300, true)
        medium = medium_from_counts(counts, confidence="0.8")
        for k, row in enumerate((true, off)):
            outside[k] += not ((medium.lower[0] <= row) & (row <= medium.upper[0])).all()
    assert outside[0] / 400 <= 0.3
    assert outside[1] / 400 >= 0.9


def test_large_counts():
    medium = medium_from_counts([[10**12, 10**12], [0, 10**12]])
    assert medium.matrix.tolist() == [[0.5, 0.5], [0, 1]]
    assert math.isclose(medium.lower[0, 0], 0.5, rel_tol=1e-5)
    assert 0 < medium.upper[1, 0] < 1e-11
    assert medium_from_counts([[2**63 - 1, 2**63 - 1], [0, 1]]).matrix.tolist() == [[0.5, 0.5], [0, 1]]


def test_frozen_and_json():
    medium = medium_from_counts(COUNTS)
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
        medium_from_counts(counts)


@pytest.mark.parametrize("bad", [0, 1, -0.5, 1.5, "nan", None])
def test_bad_confidence(bad):
    with pytest.raises(InvalidParameter, match=r"^confidence must be"):
        medium_from_counts(COUNTS, confidence=bad)
