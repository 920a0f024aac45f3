"""The one check of matrices that everything shares."""

import math
from fractions import Fraction

import numpy as np
import pytest

from hushcount import audit, from_matrix
from hushcount.errors import BadUse, HushcountError, InvalidParameter, TooLarge
from hushcount.inputs.stochastic import LARGEST_WIDTH, ROW_SUM_TOLERANCE, stochastic_rows
from hushcount.privacy import properties


@pytest.mark.parametrize("use", [from_matrix, audit, properties])
@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (
            [[0.5, 0.4999], [0, 1]],
            r"^row 0 of matrix must sum to 1 \(its sum is 0\.9999\); if that is rounding, divide each row by its sum, "
            r"as `normalise` does$",
        ),
        ([[0.5, 0.25], [0, 1]], r"^row 0 of matrix must sum to 1 \(its sum is 0\.75\)$"),
        ([[float("nan"), 1], [0, 1]], r"^row 0, column 0 of matrix must be a finite number >= 0 \(got nan\)$"),
        ([[1, 0], [1.25, -0.25]], r"^row 1, column 1 of matrix must be a finite number >= 0 \(got -0\.25\)$"),
        ([[1, 0], [float("inf"), 0]], r"^row 1, column 0 of matrix must be a finite number >= 0 \(got inf\)$"),
        ([[1e308, 1e308], [0, 1]], r"^row 0 of matrix must sum to 1 \(its sum is inf\)$"),
        ([1.0], r"^matrix must be (square|two-dimensional)"),
        ([], r"^matrix must be (square|two-dimensional)"),
        (np.zeros((0, 3)), r"^matrix must be (square|two-dimensional)"),
        (np.zeros((2, 2, 2)), r"^matrix must be (square|two-dimensional)"),
        ([[1, 0], [1]], r"^matrix must be rectangular$"),
        (np.ma.array(np.eye(2), mask=[[0, 1], [0, 0]]), r"^matrix must be rectangular, without masked entries$"),
        (
            [np.ma.array([1.0, 0.0], mask=[False, True]), [0, 1]],
            r"^matrix must be rectangular, without masked entries$",
        ),
        ([[1j, 0], [0, 1]], r"^matrix must be of real numbers"),
        (np.array([[Fraction(1)]], dtype=object), r"^matrix must be of real numbers"),
        ([["1"]], r"^matrix must be of real numbers"),
        ([[True]], r"^matrix must be of real numbers"),
        (None, r"^matrix must be of real numbers"),
        (
            [[0.9, 0.2], [0.1, 0.8]],
            r"^row 0 of matrix must sum to 1 \(its sum is 1\.1\); every column sums to 1 instead: transpose it$",
        ),
    ],
)
def test_refused(use, bad, message):
    with pytest.raises(BadUse, match=message):
        use(bad)


def test_rectangular_only_where_it_makes_sense():
    tall = [[0.5, 0.5], [0.3, 0.7], [0.1, 0.9]]
    assert audit(tall).least_epsilon.witness is not None
    for use in (from_matrix, properties):
        with pytest.raises(InvalidParameter, match=r"^matrix must be square"):
            use(tall)


def test_tolerance_is_of_rounding_size():
    width = 8
    row = np.full(width, 1 / width)
    row[0] += 0.75 * ROW_SUM_TOLERANCE * width
    assert stochastic_rows([row] * width).shape == (width, width)
    row[0] += 0.75 * ROW_SUM_TOLERANCE * width
    with pytest.raises(BadUse, match="must sum to 1"):
        stochastic_rows([row] * width)
    tenths = stochastic_rows(np.full((10, 10), 0.1))
    assert math.fsum(tenths[0]) == 1.0


SEVENTH = np.full((7, 7), 1 / 7)
ROUNDED = r"; if that is rounding, divide each row by its sum, as `normalise` does$"


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        (SEVENTH.astype(np.float32), "; the entries have 32 bits: divide each row by its sum in 64 bits, as"),
        (SEVENTH.astype(np.float16), "; the entries have 16 bits: divide each row by its sum in 64 bits, as"),
        (SEVENTH.astype(np.float32).astype(np.float64), ROUNDED),
        (SEVENTH.round(10), ROUNDED),
        (SEVENTH.round(8), ROUNDED),
        (SEVENTH.round(3), ROUNDED),
        (np.full((3, 3), 0.333) @ np.full((3, 3), 0.3333), ROUNDED),
    ],
)
def test_what_may_be_rounding_is_refused_with_what_to_do(given, hint):
    with pytest.raises(BadUse, match=rf"^row 0 of matrix must sum to 1 \(its sum is .*\){hint}"):
        stochastic_rows(given)
    mended = given.astype(np.float64)
    mended /= mended.sum(axis=1, keepdims=True)
    assert np.allclose(stochastic_rows(given, normalise=True), stochastic_rows(mended), rtol=1e-15, atol=0)


def test_numbers_of_32_bits_may_be_exact():
    assert np.array_equal(stochastic_rows(np.eye(3, dtype=np.float32)), np.eye(3))


def test_rows_are_divided_where_that_is_asked():
    assert stochastic_rows([[2, 6], [0, 1]], normalise=True).tolist() == [[0.25, 0.75], [0, 1]]
    huge = stochastic_rows([[1e308, 1e308], [5e-324, 0]], normalise=True)
    assert huge.tolist() == [[0.5, 0.5], [1, 0]]
    given = np.array([[1.0, 1.0], [1.0, 0.0]])
    stochastic_rows(given, normalise=True)
    assert given[0, 0] == 1
    with pytest.raises(BadUse, match=r"^row 1 of matrix must have an entry above 0 to be divided by its sum$"):
        stochastic_rows([[1, 0], [0, 0]], normalise=True)
    for bad in ([[1, -1], [0, 1]], [[float("nan"), 1], [0, 1]]):
        with pytest.raises(InvalidParameter, match=r"^row 0, column . of matrix must be a finite number >= 0"):
            stochastic_rows(bad, normalise=True)


def test_masks_that_hide_nothing():
    assert np.array_equal(stochastic_rows(np.ma.array(np.eye(2), mask=False)), np.eye(2))


def test_sizes():
    with pytest.raises(TooLarge, match="4,096"):
        stochastic_rows(np.zeros((4097, 2)), square=False)
    with pytest.raises(TooLarge, match="65,536"):
        stochastic_rows(np.zeros((1, LARGEST_WIDTH + 1)), square=False)


def test_every_refusal_is_ours():
    for bad in ({}, "abc", object(), [[None]], [[[1.0]]], np.array([[np.longdouble(1)]])):
        with pytest.raises(HushcountError):
            audit(bad)  # type: ignore[call-overload]


def test_a_read_only_copy():
    given = np.eye(2)
    kept = stochastic_rows(given)
    given[0] = 0.5
    assert kept[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        kept[0, 0] = 0
