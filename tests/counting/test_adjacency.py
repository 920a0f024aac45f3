"""What adjacency means, and the range it makes public."""

from __future__ import annotations

import pytest

from hushcount.counting import Adjacency, public_range
from hushcount.errors import InvalidParameter


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


@pytest.mark.parametrize("cap", [-1, 1.0, True, "10", float("nan")])
def test_a_maximum_is_an_integer(cap: object) -> None:
    with pytest.raises(InvalidParameter, match="an integer >= 0"):
        public_range(Adjacency.ADD_REMOVE, 12, cap)  # type: ignore[arg-type]


def test_each_adjacency_says_what_it_means() -> None:
    assert Adjacency("replace-one") is Adjacency.REPLACE_ONE
    assert "number of rows is public" in Adjacency.REPLACE_ONE.meaning
    assert "number of rows is private" in Adjacency.ADD_REMOVE.meaning
