"""The M-ary symmetric channel, and rounding."""

from fractions import Fraction

import numpy as np
import pytest

from hushcount.errors import InvalidParameter, TooLarge
from hushcount.medium import rounding, symmetric_channel


@pytest.mark.parametrize("p", [0, "1e-300", 0.1, "1/3", Fraction(3, 4), 1])
@pytest.mark.parametrize("M", [2, 3, 4, 100])
def test_symmetric_channel(M, p):
    medium, exact = symmetric_channel(M, p), Fraction(p)
    expected = np.full((M, M), float(exact / (M - 1)))
    np.fill_diagonal(expected, float(1 - exact))
    assert np.array_equal(medium.matrix, expected)
    assert medium.is_circulant
    assert medium.is_mirrored
    assert medium.error_probability == pytest.approx(float(exact), rel=1e-14)


def test_symmetric_channel_refuses():
    for bad in (-0.1, 1.1, "nan", None):
        with pytest.raises(InvalidParameter, match=r"^p must be a"):
            symmetric_channel(4, bad)
    for bad in (1, 0, 2.0, None):
        with pytest.raises(InvalidParameter, match=r"^order must be"):
            symmetric_channel(bad, 0.1)
    with pytest.raises(TooLarge):
        symmetric_channel(4097, 0.1)


def images(medium):
    assert set(medium.matrix.ravel()) <= {0.0, 1.0}
    return np.argmax(medium.matrix, axis=1).tolist()


def test_rounding_to_the_nearest():
    assert images(rounding(11, 5)) == [0, 0, 0, 5, 5, 5, 5, 5, 10, 10, 10]
    assert images(rounding(10, 5)) == [0, 0, 0, 5, 5, 5, 5, 5, 5, 5]  # 10 is no count here
    assert images(rounding(9, 4)) == [0, 0, 4, 4, 4, 4, 8, 8, 8]  # halves up
    assert images(rounding(3, 10)) == [0, 0, 0]
    for M in (1, 2, 7):
        assert np.array_equal(rounding(M, 1).matrix, np.eye(M))


def test_rounding_below():
    assert images(rounding(10, 5, to="below")) == [0, 0, 0, 0, 0, 5, 5, 5, 5, 5]
    assert images(rounding(4, 2, to="below")) == [0, 0, 2, 2]


def test_random_rounding_is_unbiased():
    medium = rounding(16, 5, to="random")
    assert np.allclose(medium.matrix @ np.arange(16), np.arange(16), rtol=1e-15)
    assert medium.matrix[7].tolist() == [0, 0, 0, 0, 0, 0.6, 0, 0, 0, 0, 0.4, 0, 0, 0, 0, 0]
    assert rounding(15, 5, to="random").matrix[14, 10] == 1  # 15 is no count there


def test_rounding_refuses():
    for bad in (0, -5, 2.5, "5", None, True):
        with pytest.raises(InvalidParameter, match=r"^multiple must be an integer >= 1"):
            rounding(10, bad)
    for bad in ("up", None, "Nearest"):
        with pytest.raises(InvalidParameter, match=r"^to must be 'nearest', 'below' or 'random'"):
            rounding(10, 5, to=bad)
    with pytest.raises(InvalidParameter, match=r"^order must be"):
        rounding(0, 5)
