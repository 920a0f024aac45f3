"""The decimal grid of three significant digits."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from hushcount.numbers.three_digits import LAST_PLACE, first_place, grid_number, place_at_least


def test_the_grid_is_what_its_page_says():
    assert [grid_number(place) for place in (0, 1, 2)] == [0, Decimal("1.00e-100"), Decimal("1.01e-100")]
    assert grid_number(900) == Decimal("9.99e-100")
    assert grid_number(901) == Decimal("1.00e-99")
    assert grid_number(LAST_PLACE) == Decimal("9.99e5")
    assert str(grid_number(place_at_least(Fraction("0.5381")))) == "0.539"
    assert str(grid_number(place_at_least(200.0))) == "200"


@given(st.integers(0, LAST_PLACE - 1))
def test_numbers_rise_by_at_most_one_in_a_hundred(place):
    low, high = Fraction(grid_number(place)), Fraction(grid_number(place + 1))
    assert low < high
    assert place == 0 or high <= low * Fraction(101, 100)
    digits = grid_number(place + 1).as_tuple().digits
    assert len("".join(map(str, digits)).rstrip("0")) <= 3


@given(st.floats(1e-99, 9e5))
def test_the_least_place_of_a_number(number):
    place = place_at_least(number)
    assert Fraction(grid_number(place - 1)) < Fraction(number) <= Fraction(grid_number(place))


@pytest.mark.parametrize("number", [0.0, -1.0, 1e6, 1e300])
def test_what_is_off_the_grid(number):
    assert place_at_least(number) == (0 if number <= 0 else LAST_PLACE)


@given(st.integers(0, 60), st.integers(0, 60), st.one_of(st.none(), st.integers(-5, 70)))
def test_the_first_place_is_found_from_anywhere(first, high, start):
    asked = []

    def holds(place):
        asked.append(place)
        return place >= first

    assert first_place(holds, 0, high, start) == min(first, high)
    assert all(0 <= place <= high for place in asked)
    if start is not None and 0 < first == start <= high:
        assert len(asked) == 2
