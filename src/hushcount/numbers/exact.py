"""Numbers as the user wrote them: exact rationals in, exact text out.

A privacy parameter that is rounded on the way in is a promise silently changed. `1e-400` is a legal, tiny epsilon and
not 0, and the float 0.1 means its exact binary value. Everything here is a `fractions.Fraction`.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational

from hushcount.errors import InvalidParameter

__all__ = ["LARGEST_BITS", "Number", "exact", "exact_text"]

Number = int | float | Fraction | Decimal | str
"""The types that users may pass for epsilon and delta."""

LARGEST_BITS = 4096
"""The most bits of numerator and denominator (1,233 digits).

Every float and `1e-1000` pass, and a few typed characters cannot ask for gigabytes.
"""

LONGEST_DECIMAL = 1100
"""The most decimal places of a number written as a decimal (every float has fewer); beyond, it is written as a
ratio."""

_LONGEST_PERCENT = 12
_LARGEST_EXPONENT = 2000
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE]([+-]?[0-9]{1,6}))?", re.ASCII)
_RATIO = re.compile(r"[+-]?[0-9]+/[0-9]+", re.ASCII)


def exact(value: Number, argument: str = "value") -> Fraction:
    """Return the exact rational that `value` stands for.

    Args:
        value: an int, float (its exact binary value), Fraction, Decimal, NumPy scalar, or plain ASCII text: a decimal
            such as `"0.5"` or `"1e-400"`, or a ratio such as `"1/3"`.
        argument: the name used in an error message.

    Raises:
        InvalidParameter: NaN, infinite, not a number, or more than 4,096 bits.
    """
    rule = "a finite number, such as 0.5, 1e-6 or 1/3"
    if isinstance(value, bool):
        raise InvalidParameter(argument, value, rule)
    if isinstance(value, str):
        number = _from_text(value, argument, rule)
    elif isinstance(value, Integral):
        number = Fraction(int(value))
    elif isinstance(value, Rational):
        number = Fraction(int(value.numerator), int(value.denominator))
    elif isinstance(value, Decimal):
        if not value.is_finite() or abs(value.adjusted()) > _LARGEST_EXPONENT:
            raise InvalidParameter(argument, value, rule)
        number = Fraction(value)
    elif hasattr(value, "as_integer_ratio"):
        try:
            number = Fraction(*value.as_integer_ratio())
        except (OverflowError, ValueError):  # infinity, NaN
            raise InvalidParameter(argument, value, rule) from None
    else:
        raise InvalidParameter(argument, value, rule)
    if not max(number.numerator.bit_length(), number.denominator.bit_length()) <= LARGEST_BITS:
        raise InvalidParameter(argument, None, f"a number of at most {LARGEST_BITS:,} bits")
    return number


def _from_text(text: str, argument: str, rule: str) -> Fraction:
    # Stricter than Fraction(text), which accepts "1_0" and full-width digits.
    stripped = text.strip(" ")
    match = _DECIMAL.fullmatch(stripped)
    if len(stripped) > LARGEST_BITS or not (match or _RATIO.fullmatch(stripped)):
        percent = _DECIMAL.fullmatch(stripped.removesuffix("%").rstrip(" ")) if stripped.endswith("%") else None
        raise InvalidParameter(argument, text, rule, _hundredth(percent))
    if match is None:
        numerator, denominator = stripped.split("/")
        if int(denominator) == 0:
            raise InvalidParameter(argument, text, rule)
        return Fraction(int(numerator), int(denominator))
    if match[1] is not None and abs(int(match[1])) > _LARGEST_EXPONENT:
        raise InvalidParameter(argument, text, f"{rule}, with an exponent between -2,000 and 2,000")
    return Fraction(stripped)


def _hundredth(percent: re.Match[str] | None) -> str | None:
    """Return what somebody meant who typed 95%."""
    if percent is None or len(percent[0]) > _LONGEST_PERCENT:
        return None
    return exact_text(Fraction(percent[0]) / 100)


def exact_text(number: Fraction) -> str:
    """Return `number` in full: a plain or scientific decimal where that is exact, else `"p/q"`; `exact` reads it
    back."""
    if number.denominator == 1:
        return str(number.numerator)
    twos = fives = 0
    rest = number.denominator
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1 or max(twos, fives) > LONGEST_DECIMAL:
        return f"{number.numerator}/{number.denominator}"
    places = max(twos, fives)
    digits = str(abs(number.numerator) * 10**places // number.denominator)
    sign = "-" if number < 0 else ""
    if places <= 30:
        digits = digits.rjust(places + 1, "0")
        whole, part = digits[: len(digits) - places], digits[len(digits) - places :]
        return sign + whole + ("." + part if part else "")
    exponent = len(digits) - 1 - places
    tail = digits[1:].rstrip("0")
    if exponent >= -6:
        point = len(digits) - places
        whole, part = (digits[:point], digits[point:]) if point > 0 else ("0", "0" * -point + digits)
        return f"{sign}{whole}.{part}"
    return f"{sign}{digits[0]}{'.' + tail if tail else ''}e{exponent}"
