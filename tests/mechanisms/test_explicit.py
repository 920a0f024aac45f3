"""Any matrix as a mechanism."""

import math
from fractions import Fraction

import numpy as np
import pytest

from hushcount import from_matrix, nearest
from hushcount.errors import BadUse, HushcountError, InvalidParameter, TooLarge


def test_claims_nothing():
    mechanism = from_matrix(np.eye(3))
    assert (mechanism.n, mechanism.epsilon, mechanism.delta) == (2, None, None)
    assert mechanism.error_probability == 0
    assert mechanism.draw([0, 1, 2]).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([[0.5, 0.4999], [0, 1]], r"^row 0 of matrix must sum to 1 \(its sum is 0\.9999\); if"),
        ([[1, 0], [0.5, 0.501]], r"^row 1 of matrix must sum to 1 \(its sum is 1\.001\); if"),
        ([[0.5, 0.5 + 1e-12], [0, 1]], r"^row 0 of matrix must sum to 1"),
        ([[float("nan"), 1], [0, 1]], r"^row 0, column 0 of matrix must be a finite number >= 0 \(got nan\)$"),
        ([[1, 0], [1.25, -0.25]], r"^row 1, column 1 of matrix must be a finite number >= 0 \(got -0\.25\)$"),
        ([[1, 0], [float("inf"), 0]], r"^row 1, column 0 of matrix must be a finite number >= 0 \(got inf\)$"),
        ([[0.5, 0.5]], r"^matrix must be square"),
        ([1.0], r"^matrix must be square"),
        ([], r"^matrix must be square"),
        (np.zeros((0, 0)), r"^matrix must be square"),
        (1.0, r"^matrix must be square"),
        ([[1, 0], [1]], r"^matrix must be rectangular"),
        ([[1j, 0], [0, 1]], r"^matrix must be of real numbers"),
        (np.array([[Fraction(1)]], dtype=object), r"^matrix must be of real numbers"),
        ([["1"]], r"^matrix must be of real numbers"),
        ([[True]], r"^matrix must be of real numbers"),
    ],
)
def test_refused(bad, message):
    with pytest.raises(BadUse, match=message):
        from_matrix(bad)


def test_too_large():
    with pytest.raises(TooLarge, match="4,096"):
        from_matrix(np.zeros((4097, 4097), dtype=np.int8))


def test_rounded_rows_are_divided_by_their_exact_sum():
    third = from_matrix(np.full((3, 3), 1 / 3))
    assert math.fsum(third.pmf(0)) == pytest.approx(1, abs=1e-16)
    assert third.quantile(0, Fraction(1, 3)) == 0
    tenth = from_matrix(np.full((10, 10), 0.1))
    assert math.isclose(tenth.cdf(0, 4), 0.5, rel_tol=1e-15)


def test_a_copy_that_nobody_can_change():
    given = np.eye(2)
    mechanism = from_matrix(given)
    given[0] = 0.5
    assert mechanism.pmf(0, 0) == 1
    with pytest.raises(ValueError, match="read-only"):
        mechanism.entries[0, 0] = 0


def test_equals_the_closed_form():
    closed = nearest(12, 0.4, 1e-3)
    copy = from_matrix(closed.matrix())
    assert math.isclose(copy.error_probability, closed.error_probability, rel_tol=1e-12)
    assert math.isclose(copy.expected_squared_error(), closed.expected_squared_error(), rel_tol=1e-12)
    assert math.isclose(copy.probability_beyond(3), closed.probability_beyond(3), rel_tol=1e-12)


def test_subnormal_entries_count():
    tiny = 5e-324
    mechanism = from_matrix([[1.0, tiny], [tiny, 1.0]])
    assert mechanism.pmf(0, 1) == tiny
    assert mechanism.error_probability == tiny


def test_every_refusal_is_ours():
    for bad in (None, {}, "abc", object(), [[None]], [[[1.0]]]):
        with pytest.raises(HushcountError):
            from_matrix(bad)
    with pytest.raises(InvalidParameter):
        from_matrix(np.array([[np.longdouble(1)]]))
