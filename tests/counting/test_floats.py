"""The number of a floating-point format that is nearest to a literal."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import numpy as np
import pytest
from hypothesis import given, strategies as st

from hushcount.counting.meaning.floats import BINARY16, BINARY32, BINARY64, FloatFormat, meant
from hushcount.counting.predicate import nodes as n

_FORMATS = {BINARY16: np.float16, BINARY32: np.float32, BINARY64: np.float64}
_formats = st.sampled_from(list(_FORMATS))


def _meant(text: str, format: FloatFormat) -> tuple[float, int]:
    return meant(n.Number(Fraction(text), text), format)


@pytest.mark.parametrize("format", _FORMATS)
def test_the_largest_and_the_smallest(format: FloatFormat) -> None:
    known = np.finfo(_FORMATS[format])
    assert format.largest == float(known.max)
    assert 2.0**format.low == float(known.smallest_subnormal)
    assert format.nearest(Fraction(format.largest)) == format.largest
    assert format.nearest(Fraction(0)) == 0


@given(_formats, st.data())
def test_between_two_neighbours(format: FloatFormat, data: st.DataObject) -> None:
    """What is nearer to one of them is that one, by however little; half-way it is the even one."""
    kind = _FORMATS[format]
    width = {16: 16, 128: 32, 1024: 64}[format.high]
    drawn = data.draw(st.floats(0, float(np.finfo(kind).max), exclude_max=True, width=width))
    low, high = (Fraction(float(number)) for number in (kind(drawn), np.nextafter(kind(drawn), kind(inf))))  # type: ignore[call-overload]
    middle, little = (low + high) / 2, (high - low) / 2**70
    is_even = low / (high - low) % 2 == 0
    for sign in (1, -1):
        assert format.nearest(sign * low) == sign * low
        assert format.nearest(sign * (middle - little)) == sign * low
        assert format.nearest(sign * (middle + little)) == sign * high
        assert format.nearest(sign * middle) == sign * (low if is_even else high)


@given(st.fractions().filter(lambda number: number == 0 or abs(number) > Fraction(1, 2**1074)))
def test_doubles_are_those_of_python(number: Fraction) -> None:
    assert BINARY64.nearest(number) == float(number)


def test_rounded_once() -> None:
    """The double nearest to it is half-way between two singles, of which the even one is the wrong one."""
    number = 1 + Fraction(3, 2**24) - Fraction(1, 2**60)
    assert np.float32(float(number)) == 1 + 2.0**-22
    assert BINARY32.nearest(number) == 1 + 2.0**-23


@pytest.mark.parametrize(
    ("text", "format", "expected"),
    [
        ("2.1", BINARY32, (float(np.float32(2.1)), 0)),
        ("0.1", BINARY64, (0.1, 0)),
        ("16777217", BINARY32, (2.0**24, 1)),
        ("16777217.0", BINARY32, (2.0**24, 1)),
        ("-16777217", BINARY32, (-(2.0**24), -1)),
        ("16777219", BINARY32, (2.0**24 + 4, -1)),
        ("1.3421774e8", BINARY32, (134217744.0, 0)),
        ("134217740", BINARY32, (134217744.0, -1)),
        ("16777216", BINARY32, (2.0**24, 0)),
        ("16777217", BINARY64, (16777217.0, 0)),
        ("9007199254740993", BINARY64, (2.0**53, 1)),
        ("1e23", BINARY64, (1e23, 0)),
        ("4503599627370497.2", BINARY64, (4503599627370497.0, 1)),
        ("3.4028235e38", BINARY32, (BINARY32.largest, 0)),
        ("3.4028236e38", BINARY32, (BINARY32.largest, 1)),
        ("-1e39", BINARY32, (-BINARY32.largest, -1)),
        ("1e-45", BINARY32, (2.0**-149, 0)),
        ("1e-46", BINARY32, (0.0, 1)),
        ("-1e-46", BINARY32, (0.0, -1)),
        ("65519", BINARY16, (65504.0, 1)),
        ("65520.0", BINARY16, (65504.0, 1)),
        ("-0.0", BINARY32, (0.0, 0)),
    ],
)
def test_what_a_literal_means(text: str, format: FloatFormat, expected: tuple[float, int]) -> None:
    assert _meant(text, format) == expected


def test_the_end_of_the_range() -> None:
    end = Fraction(2**128 - 2**103)
    assert BINARY32.nearest(end) == inf
    assert BINARY32.nearest(end - 1) == BINARY32.largest == 2.0**128 - 2.0**104
    assert BINARY32.nearest(-end) == -inf
