"""Numbers that must fit into a column."""

from fractions import Fraction

import pytest

from hushcount.numbers.exact import exact
from hushcount.numbers.intervals import Interval
from hushcount.words.decimals import at_most, decimals


@pytest.mark.parametrize(
    ("lower", "upper", "text"),
    [
        (0, 0, "0"),
        ("0.5", "0.5", "0.5"),
        ("1/3", "1/3", "0.333334"),
        ("0.123456789", "0.123456789", "0.123457"),
        ("1.234567e-12", "1.234567e-12", "1.235e-12"),
        ("0.1", "0.2", "<=0.2"),
        ("0.1", "0.123456789", "<=0.12346"),
        ("0.123456789", None, ">=0.12345"),
        (None, None, "infinite"),
    ],
)
def test_at_most(lower, upper, text):
    """With as many digits as there is room for, and never below the truth."""
    shown = at_most(Interval(*(None if end is None else exact(end) for end in (lower, upper))))
    assert shown == text
    assert len(shown) <= 9
    if upper is not None:
        assert exact(shown.removeprefix("<=")) >= exact(upper)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0.0000"), (1e-9, "<.0001"), (0.99999, ">.9999"), (1.0, "1.0000"), (12.3456, "12.346"), (999.0, "999.00")],
)
def test_decimals(value, text):
    assert decimals(value) == text
    assert len(text) <= 6


def test_a_bound_is_not_lost_to_noise():
    just_above = Fraction(1, 2) + Fraction(1, 10**30)
    assert at_most(Interval(just_above, just_above)) == "0.500001"
