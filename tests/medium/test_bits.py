"""Channels that act bit by bit, against a product over bits."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from hushcount.errors import InvalidParameter
from hushcount.medium import binary_erasure, binary_symmetric, gray_code, symmetric_channel, z_channel

CHANNELS = [binary_symmetric, binary_erasure, z_channel]


def one_bit(make, p):
    """Pr(received bit | sent bit), exactly."""
    flip = {
        binary_symmetric: (p, p),
        binary_erasure: (p / 2, p / 2),
        z_channel: (0, p),
    }[make]
    return [[1 - flip[0], flip[0]], [flip[1], 1 - flip[1]]]


@pytest.mark.slow
@pytest.mark.parametrize("make", CHANNELS)
@pytest.mark.parametrize("labels", ["natural", "gray"])
@given(bits=st.integers(1, 5), p=st.fractions(0, 1, max_denominator=10**6) | st.floats(0, 1).map(Fraction))
def test_product_over_bits(make, labels, bits, p):
    matrix, bit = make(bits, p, labels=labels).matrix, one_bit(make, p)
    word = list(range(2**bits)) if labels == "natural" else gray_code(2**bits).tolist()
    for i in range(2**bits):
        for j in range(2**bits):
            expected = math.prod(bit[word[i] >> b & 1][word[j] >> b & 1] for b in range(bits))
            assert math.isclose(matrix[i, j], float(Fraction(expected)), rel_tol=2**-52, abs_tol=2**-1074)


def test_one_bit():
    assert binary_symmetric(1, 0.25).matrix.tolist() == [[0.75, 0.25], [0.25, 0.75]]
    assert binary_erasure(1, 0.5).matrix.tolist() == [[0.75, 0.25], [0.25, 0.75]]
    assert z_channel(1, 0.25).matrix.tolist() == [[1, 0], [0.25, 0.75]]
    assert np.array_equal(binary_symmetric(1, 0.25).matrix, symmetric_channel(2, 0.25).matrix)


@pytest.mark.parametrize("make", CHANNELS)
def test_extremes(make):
    assert np.array_equal(make(3, 0).matrix, np.eye(8))
    certain = {binary_symmetric: np.eye(8)[::-1], binary_erasure: np.full((8, 8), 1 / 8), z_channel: np.eye(8)[[0] * 8]}
    assert np.array_equal(make(3, 1).matrix, certain[make])
    tiny = make(3, "1e-100").matrix[7, 0]
    assert math.isclose(tiny, 1e-300 / (8 if make is binary_erasure else 1), rel_tol=1e-15)
    assert make(3, "1e-400").matrix[7, 0] == 0


@pytest.mark.slow
def test_as_many_bits_as_a_matrix_holds():
    matrix = binary_symmetric(12, 0.01, labels="gray").matrix
    assert matrix.shape == (4096, 4096)
    assert math.isclose(matrix[0, -1], 0.01 * 0.99**11, rel_tol=1e-14)


def test_gray_labels_spare_neighbours():
    for k in range(7):
        assert binary_symmetric(3, 0.01, labels="gray").matrix[k, k + 1] == pytest.approx(0.01 * 0.99**2)
    assert binary_symmetric(3, 0.01).matrix[3, 4] == pytest.approx(1e-6)


def test_symmetries():
    for labels in ("natural", "gray"):
        assert binary_symmetric(3, 0.1, labels=labels).is_mirrored
        assert not z_channel(3, 0.1, labels=labels).is_mirrored


@pytest.mark.parametrize("make", CHANNELS)
def test_bad_arguments(make):
    for bad in (-0.1, 1.1, "nan", None, True, math.nan, math.inf):
        with pytest.raises(InvalidParameter, match=r"^p must be a"):
            make(3, bad)
    for bad in (0, -1, 13, 2.0, "3", True, None):
        with pytest.raises(InvalidParameter, match=r"^bits must be an integer"):
            make(bad, 0.1)
    for bad in ("Gray", None, "row-major"):
        with pytest.raises(InvalidParameter, match=r"^labels must be 'natural' or 'gray'"):
            make(3, 0.1, labels=bad)
