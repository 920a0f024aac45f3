"""What adjacency means, and the range it makes public."""

from __future__ import annotations

import numpy as np
import pytest

from hushcount.errors import InvalidParameter
from hushcount.promise.adjacency import Adjacency, public_range


def test_replace_one_takes_the_number_of_rows() -> None:
    assert public_range(Adjacency.REPLACE_ONE, 12) == 12
    assert public_range(Adjacency.REPLACE_ONE, 0, None) == 0


def test_replace_one_refuses_a_maximum() -> None:
    with pytest.raises(InvalidParameter, match="left out under replace-one"):
        public_range(Adjacency.REPLACE_ONE, 12, 10)


def test_add_remove_takes_the_maximum_whatever_the_rows() -> None:
    assert public_range(Adjacency.ADD_REMOVE, 12, 100) == 100
    assert public_range(Adjacency.ADD_REMOVE, 12, 0) == 0
    assert public_range(Adjacency.ADD_REMOVE, 0, 10**12) == 10**12


def test_add_remove_needs_a_maximum() -> None:
    with pytest.raises(InvalidParameter, match="given under add-remove") as caught:
        public_range(Adjacency.ADD_REMOVE, 12)
    assert "12" not in str(caught.value)  # the number of rows is private here


@pytest.mark.parametrize("maximum", [-1, 1.0, True, "10", float("nan")])
def test_a_maximum_is_an_integer(maximum: object) -> None:
    with pytest.raises(InvalidParameter, match="an integer >= 0"):
        public_range(Adjacency.ADD_REMOVE, 12, maximum)


def test_numpy_integers_are_integers() -> None:
    for found in (public_range(Adjacency.ADD_REMOVE, 0, np.int64(7)), public_range(Adjacency.REPLACE_ONE, np.int32(7))):
        assert (found, type(found)) == (7, int)


def test_the_argument_is_named() -> None:
    with pytest.raises(InvalidParameter, match="max_count must be an integer >= 0"):
        public_range(Adjacency.ADD_REMOVE, 0, max_count=-1)
    with pytest.raises(InvalidParameter, match="rows must be an integer >= 0"):
        public_range(Adjacency.REPLACE_ONE, -1)
    with pytest.raises(InvalidParameter, match="adjacency must be"):
        public_range("replace-one", 3)


def test_each_adjacency_says_what_it_means() -> None:
    assert Adjacency("replace-one") is Adjacency.REPLACE_ONE
    assert "number of rows is public" in Adjacency.REPLACE_ONE.meaning
    assert "number of rows is private" in Adjacency.ADD_REMOVE.meaning
