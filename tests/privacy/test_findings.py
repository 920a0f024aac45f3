"""Gaps and witnesses as people and programs see them."""

from fractions import Fraction

from hushcount.numbers.intervals import Interval
from hushcount.privacy import Witness
from hushcount.privacy.findings import Gap

THIRD = Fraction(1, 3)


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
