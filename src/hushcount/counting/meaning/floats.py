"""Floating-point formats, and which number of a format a literal means."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from math import frexp

from hushcount.counting.predicate import nodes as n

__all__ = ["BINARY16", "BINARY32", "BINARY64", "FORMATS", "FloatFormat", "meant"]

_WHOLE = re.compile("-?[0-9]+")


@dataclass(frozen=True)
class FloatFormat:
    """A binary format of IEEE 754.

    Attributes:
        bits: significant bits of a number; up to 2**bits every integer is one, and the next is not.
        low: all finite numbers are multiples of 2**low.
        high: all finite numbers are smaller than 2**high in size.
    """

    bits: int
    low: int
    high: int

    def nearest(self, number: Fraction) -> float:
        """Return the number of the format that is nearest to a number in the range of doubles, a tie going to the
        even one.

        Infinity from the number on that is half a step above the largest.
        """
        _, exponent = frexp(number)
        step = Fraction(2) ** max(exponent - self.bits, self.low)
        rounded = round(number / step) * step
        if abs(rounded) < 2**self.high:
            return float(rounded)
        return float("inf") if number > 0 else float("-inf")

    @property
    def largest(self) -> float:
        """The largest finite number."""
        return float(2**self.high - 2 ** (self.high - self.bits))


BINARY16 = FloatFormat(11, -24, 16)
BINARY32 = FloatFormat(24, -149, 128)
BINARY64 = FloatFormat(53, -1074, 1024)
FORMATS = {format.bits: format for format in (BINARY16, BINARY32, BINARY64)}
"""The formats by their significant bits."""


def meant(literal: n.Number, format: FloatFormat) -> tuple[float, int]:
    """Return the number of a format nearest to a literal, and on which side of it a comparison has to see the literal.

    That side is -1, 0 or 1. 0 means that the two count as the same: a field 0.1 is to equal the literal 0.1. That must
    not make a literal equal an integer it is not, nor one written in digits alone equal any other number. Beyond the
    largest number a literal is above it and below infinity.
    """
    value = literal.value
    nearest = format.nearest(value)
    if abs(nearest) > format.largest:
        return (format.largest, 1) if value > 0 else (-format.largest, -1)
    if value == nearest or not nearest.is_integer():
        return nearest, 0
    if abs(nearest) > 2**format.bits and not _WHOLE.fullmatch(literal.text):
        return nearest, 0
    return nearest, 1 if value > nearest else -1
