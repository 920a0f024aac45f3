"""Arrays and generators judged alike wherever they come in."""

import numpy as np
import pytest

from hushcount.errors import InvalidParameter
from hushcount.inputs.arrays import array, generator


@pytest.mark.parametrize(
    "given", [[1, 2], (1, 2), np.array([1, 2]), np.ma.array([1, 2]), np.ma.array([1, 2], mask=False)]
)
def test_arrays(given):
    found = array(given, "x", "rectangular")
    assert type(found) is np.ndarray
    assert found.tolist() == [1, 2]


@pytest.mark.parametrize("bad", [[[1, 2], [3]], np.ma.array([1, 2], mask=[0, 1]), [np.ma.masked], [[np.ma.masked]]])
def test_not_arrays(bad):
    with pytest.raises(InvalidParameter, match=r"^x must be rectangular"):
        array(bad, "x", "rectangular")


def test_a_list_that_holds_itself():
    endless = []
    endless.append(endless)
    with pytest.raises(InvalidParameter, match=r"^x must be rectangular"):
        array(endless, "x", "rectangular")


def test_generators():
    rng = np.random.default_rng(1)
    assert generator(rng, "rng") is rng
    for bad in (None, 1, np.random, np.random.RandomState(1)):
        with pytest.raises(InvalidParameter, match=r"^rng must be a numpy\.random\.Generator"):
            generator(bad, "rng")
