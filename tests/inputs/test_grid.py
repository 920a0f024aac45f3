"""Axes: exact, in order, judged."""

from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from hushcount.errors import InvalidParameter, TooLarge
from hushcount.inputs.grid import LARGEST_GRID, grid_integers, grid_texts, grid_values


def test_the_issue_s_range_ends_with_exactly_4():
    values = grid_values("0.1:4:0.1")
    assert len(values) == 40
    assert values[0] == Fraction(1, 10)
    assert values[-1] == 4
    assert {later - before for before, later in pairwise(values)} == {Fraction(1, 10)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.5", ["1/2"]),
        ("-10:0:5", [-10, -5, 0]),
        ("0.1,0.5,1:4:1", ["1/10", "1/2", 1, 2, 3, 4]),
        ("0:1:0.3", [0, "3/10", "6/10", "9/10"]),
        ("1/3:1:1/3", ["1/3", "2/3", 1]),
        ("2:2:1", [2]),
        (" 1 , 1e-400 ", [1, "1e-400"]),
        ("3,1,3,2,1", [3, 1, 2]),
    ],
    ids=str,
)
def test_texts(text, expected):
    assert grid_values(text) == tuple(map(Fraction, expected))


def test_other_ways_to_give_numbers():
    assert grid_values(0.1) == (Fraction(0.1),)
    assert grid_values([Decimal("0.1"), "1/3", 2, 2.0]) == (Fraction(1, 10), Fraction(1, 3), Fraction(2))
    assert grid_values(x for x in (1, 2)) == (Fraction(1), Fraction(2))


@pytest.mark.parametrize(
    "bad",
    ["", ",", "1,", "1:2", "1:2:3:4", "a", "nan", "inf", "1:2:0", "1:2:-1", "4:0.1:0.1", "0:inf:1", "1_0", "1e99999"],
    ids=repr,
)
def test_bad_texts(bad):
    with pytest.raises(InvalidParameter, match=r"^epsilon must be "):
        grid_values(bad, "epsilon")


@pytest.mark.parametrize("bad", [[], None, True, float("nan"), [[1]], b"1"], ids=repr)
def test_bad_values(bad):
    with pytest.raises(InvalidParameter, match=r"^delta must be "):
        grid_values(bad, "delta")


@pytest.mark.parametrize("text", ["0:1:1e-6", "0:1e300:1e-300"])
def test_a_range_that_is_too_long_is_not_made(text):
    with pytest.raises(TooLarge, match=f"range {text} holds .* above the limit of 1,000,000"):
        grid_values(text)


def test_the_longest_range(monkeypatch):
    assert LARGEST_GRID == 10**6
    monkeypatch.setattr("hushcount.inputs.grid.LARGEST_GRID", 10)
    assert len(grid_values("1:10:1")) == 10
    with pytest.raises(TooLarge):
        grid_values("1:11:1")


@given(
    first=st.fractions(-100, 100, max_denominator=1000),
    step=st.fractions("1/1000", 10, max_denominator=1000),
    count=st.integers(1, 50),
    over=st.fractions(0, "99/100", max_denominator=100),
)
def test_a_range_is_the_multiples_of_its_step(first, step, count, over):
    last = first + (count - 1 + over) * step
    assert grid_values(f"{first}:{last}:{step}") == tuple(first + k * step for k in range(count))


def test_integers():
    assert grid_integers("1:4,7, 9:13:2", "n", 0) == (1, 2, 3, 4, 7, 9, 11, 13)
    assert grid_integers([3.0, 2], "n", 0) == (3, 2)
    for bad in ("0.5", "1:2:0.5", "-1", str(2**63), "1:2:3:4", "2:1"):
        with pytest.raises(InvalidParameter, match=r"^n must be "):
            grid_integers(bad, "n", 0)


def test_names():
    assert grid_texts("b, a,b", "mechanism", ["a", "b"]) == ("b", "a")
    assert grid_texts(["a"], "mechanism", ["a", "b"]) == ("a",)
    for bad in ("c", "", [], None, 3):
        with pytest.raises(InvalidParameter, match=r"^mechanism must be .*out of a, b"):
            grid_texts(bad, "mechanism", ["a", "b"])
