"""Exact numbers in, exact text out."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from hushcount.errors import InvalidParameter
from hushcount.numbers.exact import exact, exact_text


@pytest.mark.parametrize(
    ("given_value", "kept"),
    [
        ("0.5", Fraction(1, 2)),
        (0.1, Fraction(3602879701896397, 36028797018963968)),
        ("0.1", Fraction(1, 10)),
        (Decimal("0.1"), Fraction(1, 10)),
        ("1e-400", Fraction(1, 10**400)),
        (Decimal("1e-400"), Fraction(1, 10**400)),
        ("1/3", Fraction(1, 3)),
        (Fraction(1, 3), Fraction(1, 3)),
        (2, Fraction(2)),
        (np.float64(0.25), Fraction(1, 4)),
        (np.float32(0.25), Fraction(1, 4)),
        (np.int64(3), Fraction(3)),
        (" 7 ", Fraction(7)),
        (".5", Fraction(1, 2)),
        ("5.", Fraction(5)),
        (5e-324, Fraction(1, 2**1074)),
        ("-0", Fraction(0)),
    ],
)
def test_taken_exactly(given_value, kept):
    assert exact(given_value) == kept


WRITTEN_OTHERWISE = ["1_0", "１０", "٣", "½", "1,0", "0x10", "1\n", "e", "1e", "", " ", "1/0", "1/-3"]  # noqa: RUF001
NOT_FINITE = ["nan", "inf", "-inf", float("nan"), float("inf"), Decimal("nan")]
TOO_LONG = ["1e99999999", "1e-2001", "9" * 5000, Decimal("1e999999")]
NO_NUMBERS = [None, True, [], 1j, b"1"]


@pytest.mark.parametrize("bad", [*WRITTEN_OTHERWISE, *NOT_FINITE, *TOO_LONG, *NO_NUMBERS])
def test_refused(bad):
    with pytest.raises(InvalidParameter, match=r"^epsilon must be "):
        exact(bad, "epsilon")


@given(st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.fractions(), st.decimals(-1000, 1000, places=12)))
def test_text_reads_back(number):
    kept = exact(number)
    assert exact(exact_text(kept)) == kept


@given(st.integers(1, 2**4095), st.integers(0, 4095))
def test_text_of_the_longest_numbers_reads_back(numerator, exponent):
    for kept in (Fraction(numerator, 2**exponent), Fraction(numerator, 10 ** (exponent // 4))):
        assert exact(exact_text(kept)) == kept


@pytest.mark.parametrize(
    ("number", "text"),
    [("0.5", "0.5"), ("1e-6", "0.000001"), ("1e-400", "1e-400"), ("1/3", "1/3"), ("-2.50", "-2.5"), (0, "0")],
)
def test_text_is_short(number, text):
    assert exact_text(exact(number)) == text
