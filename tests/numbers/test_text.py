"""Numbers as people type them, and rounded to the side that is safe to claim."""

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from hushcount.numbers.exact import exact
from hushcount.numbers.text import lower_text, nearest_text, plain, rounded_down, rounded_up, short, typed, upper_text


@pytest.mark.parametrize(
    "text", ["0", "1", "0.5", "0.25", "0.0001", "1e-5", "1.5e-7", "1e-400", "1000000", "1/3", "0.123456789"]
)
def test_spelled_as_typed(text):
    assert typed(exact(text)) == short(exact(text)) == text


@pytest.mark.parametrize(
    ("text", "as_typed", "as_plain"),
    [("0.00001", "1e-5", "0.00001"), ("1/3", "1/3", "1/3"), ("1/100000000000000000001", "about 1e-20", "about 1e-20")],
)
def test_two_spellings(text, as_typed, as_plain):
    assert (short(exact(text)), plain(exact(text))) == (as_typed, as_plain)


@given(st.one_of(st.floats(0, 1e300).map(Fraction), st.fractions(0, max_denominator=10**30)))
def test_typed_loses_nothing(number):
    assert exact(typed(number)) == number


def test_what_is_too_long_is_about_a_number():
    assert short(Fraction(0.1)) == "about 0.1"
    assert short(Fraction(1, 10**20 + 1)) == "about 1e-20"
    assert nearest_text(Fraction(2, 3), 4) == "0.6667"
    assert nearest_text(-Fraction(1, 10**9)) == "-1e-9"


@given(st.fractions(0, 10**9), st.integers(1, 17))
def test_rounding_is_outward_and_by_less_than_the_last_digit(number, digits):
    low, high = rounded_down(number, digits), rounded_up(number, digits)
    assert low <= number <= high
    assert high - low <= high * Fraction(10) ** (1 - digits)
    assert (low == high) is (typed(number) == upper_text(number, digits) == lower_text(number, digits))


def test_no_noise_is_forgiven():
    assert upper_text(Fraction(0.7)) == "0.7"  # the float is below
    assert upper_text(Fraction(0.1)) == "0.100001"
    assert lower_text(Fraction(0.7)) == "0.699999"
    assert upper_text(Fraction(7, 10) + Fraction(1, 10**300)) == "0.700001"
    assert upper_text(Fraction(1, 3 * 10**320)) == "3.33334e-321"
