"""Bounds as exact rationals, floats and text, each rounded to its safe side."""

from __future__ import annotations

import math
import sys
from fractions import Fraction

import pytest
from flint import arb

from hushcount.numbers.exact import exact
from hushcount.numbers.intervals import Interval, lower_fraction, outwards, upper_fraction


@pytest.mark.parametrize(
    ("lower", "upper", "text"),
    [
        (0, 0, "0"),
        ("1/3", "1/3", "0.333334"),
        ("0.7", "0.7", "0.7"),
        ("0.7", "0.7000000000000001", "0.700001"),  # what is shown can be claimed, however little it takes
        ("0.69999999999999999", "0.7", "0.7"),
        ("0.6", "0.7", "0.6 to 0.7"),
        ("1/3", "2/3", "0.333333 to 0.666667"),
        ("1e-300", "1e-299", "1e-300 to 1e-299"),
        ("0.5", None, "at least 0.5"),
        (None, None, "infinite"),
    ],
)
def test_an_interval_is_shown_rounded_outward(lower: str | int | None, upper: str | int | None, text: str) -> None:
    interval = Interval(*(None if end is None else exact(end) for end in (lower, upper)))
    assert interval.to_text() == text


def test_ends_beyond_every_float() -> None:
    huge = Interval(Fraction(10**400), Fraction(10**400))
    assert (huge.lower, huge.upper) == (sys.float_info.max, math.inf)


@pytest.mark.parametrize("bound", [Fraction(1, 3), Fraction(-1, 3), Fraction(1, 10**400), Fraction(0), Fraction(3)])
def test_floats_next_to_a_bound(bound: Fraction) -> None:
    low, high = outwards(bound, -math.inf), outwards(bound, math.inf)
    assert low <= bound <= high
    assert high in (low, math.nextafter(low, math.inf))
    assert (low == high) == (Fraction(float(bound)) == bound)


def test_ends_of_a_ball() -> None:
    third = arb(1) / 3
    assert lower_fraction(third) < Fraction(1, 3) < upper_fraction(third)
    assert (lower_fraction(-third), upper_fraction(-third)) == (0, 0)
    assert (lower_fraction(arb(2) ** -1200), upper_fraction(arb(2) ** -1200)) == (0, Fraction(1, 2**1100))
    with pytest.raises(ArithmeticError):
        upper_fraction(arb.pos_inf())
