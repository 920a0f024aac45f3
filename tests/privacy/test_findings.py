"""Intervals, gaps and witnesses as people and programs see them."""

import math
import sys
from fractions import Fraction

import pytest

from hushcount.numbers import Interval
from hushcount.numbers.exact import exact
from hushcount.privacy import Witness
from hushcount.privacy.findings import Gap

THIRD = Fraction(1, 3)


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
def test_an_interval_is_shown_rounded_outward(lower, upper, text):
    interval = Interval(*(None if end is None else exact(end) for end in (lower, upper)))
    assert interval.to_text() == text


def test_a_gap_of_either_sign():
    gap = Gap(-THIRD, Fraction(1, 10**17))
    assert (gap[0], gap.exact_upper) == (-THIRD, Fraction(1, 10**17))
    assert str(gap) == "1e-17"
    assert gap.lower <= -THIRD <= -0.3333333333333333
    assert gap.to_dict() == {"lower": gap.lower, "upper": gap.upper}
    assert Fraction(gap.upper) >= Fraction(1, 10**17)


def test_a_witness_tells_chances_that_are_known():
    plain = Witness(1, 2, ((0, 3), (5, 5)))
    assert plain.to_dict() == {"true": 1, "other": 2, "outcomes": [[0, 3], [5, 5]]}
    assert str(plain) == "true count 1 against 2, outcomes {0..3, 5}"
    known = Witness(1, 2, ((5, 5),), Interval(THIRD, THIRD), Interval(Fraction(0), Fraction(0)))
    assert known.to_dict()["other_probability"] == {"lower": 0.0, "upper": 0.0}
    assert str(known) == "true count 1 against 2, outcomes {5}, of chance 0.333334 against 0"


def test_ends_beyond_every_float():
    huge = Interval(Fraction(10**400), Fraction(10**400))
    assert (huge.lower, huge.upper) == (sys.float_info.max, math.inf)
