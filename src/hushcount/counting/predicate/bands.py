"""Bands of a number: which of several ranges, none of which meets another, a number lies in.

Bands are written one by one, `0-17, 18-64, 65+`, or as steps of one width, `by 10 from 0 to 100`. `0-17` has both of
its ends, and so is for whole numbers alone; `[0, 18)` has its first end and not its second, `65+` is 65 and more, `<0`
is less than 0. An end that is inf is no end: infinite values are in such a band.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise, repeat

from hushcount.errors import InvalidParameter
from hushcount.numbers.exact import exact_text

__all__ = ["BAND", "MISSING_BAND", "MOST_BANDS", "NUMBER", "Band", "bands_of", "equal_bands", "gaps"]

MISSING_BAND = "missing"
"""What declares a cell for missing values among bands."""

MOST_BANDS = 1_000_000

NUMBER = r"[+-]?[0-9]{1,38}(?:\.[0-9]{1,38})?"
_END = rf"{NUMBER}|[+-]?inf"
BAND = (
    rf"(?:[\[(]\s*(?:{_END})\s*,\s*(?:{_END})\s*\)|{NUMBER}\s*(?:-|\bto\b)\s*{NUMBER}|<\s*{NUMBER}|{NUMBER}\s*\+"
    rf"|{NUMBER}|\b{MISSING_BAND}\b)"
)
"""A regular expression for a band."""

_ONE_BAND = re.compile(
    rf"(?P<mark>[\[(])\s*(?P<low>{_END})\s*,\s*(?P<high>{_END})\s*\)"
    rf"|(?P<first>{NUMBER})\s*(?:-|\bto\b)\s*(?P<last>{NUMBER})"
    rf"|<\s*(?P<below>{NUMBER})|(?P<least>{NUMBER})\s*\+|(?P<only>{NUMBER})"
)
_IN_THOUSANDS = re.compile(r"(?<![0-9])[0-9]{1,3},[0-9]{3}(?![0-9])", re.ASCII)
_RULE = "0-17 or 65+ for whole numbers, and [0, 18) for any"


@dataclass(frozen=True)
class Band:
    """The numbers from `low` up to, but without, `high`.

    Attributes:
        low, high: None where there is no end.
        label: how it is shown, which is its key.
        is_whole: whether it is a band of whole numbers alone.
    """

    low: Fraction | None
    high: Fraction | None
    label: str
    is_whole: bool = False

    @classmethod
    def half_open(cls, low: Fraction, high: Fraction) -> Band:
        """Return the band [low, high)."""
        return cls(low, high, f"[{exact_text(low)}, {exact_text(high)})")


def bands_of(column: str, texts: Sequence[str]) -> tuple[Band, ...]:
    """Return the bands that are written, in that order.

    Raises:
        InvalidParameter: a band is empty, ends before it begins, or meets another.
    """
    found = tuple(map(_band, texts))
    ordered = sorted(found, key=lambda band: (band.low is not None, band.low or 0))
    for one, other in pairwise(ordered):
        if one.high is None or other.low is None or not one.high <= other.low:
            rule = f"bands of {column!r} that do not overlap: {one.label} and {other.label} do"
            if _IN_THOUSANDS.search(",".join(texts)):
                rule += "; a number has no commas in it, 1000 and not 1,000"
            raise InvalidParameter("by", None, rule)
    return found


def equal_bands(low: Fraction, high: Fraction, width: Fraction) -> tuple[Band, ...]:
    """Return the half-open bands of one width that lead from one number to another.

    Raises:
        InvalidParameter: not a whole number of them, none, or more than a million.
    """
    if not (width > 0 and low < high and (high - low) % width == 0):
        told = f"by {exact_text(width)} from {exact_text(low)} to {exact_text(high)}"
        raise InvalidParameter("by", None, f"a whole number of steps upward, such as by 10 from 0 to 100 (got {told})")
    steps = int((high - low) / width)
    if not steps <= MOST_BANDS:
        raise InvalidParameter("by", None, f"at most {MOST_BANDS:,} bands")
    edges = list(accumulate(repeat(width, steps), initial=low))
    texts = map(exact_text, edges)  # each once: it takes longer than all else
    return tuple(
        Band(*ends, f"[{first}, {last})") for ends, (first, last) in zip(pairwise(edges), pairwise(texts), strict=True)
    )


def gaps(bands: Sequence[Band]) -> tuple[str, ...]:
    """Return the ranges between bands that are in none of them."""
    ordered = sorted(bands, key=lambda band: (band.low is not None, band.low or 0))
    pairs = [(one.high, other.low) for one, other in pairwise(ordered)]
    return tuple(
        Band.half_open(low, high).label for low, high in pairs if low is not None and high is not None and low < high
    )


def _band(text: str) -> Band:
    match = _ONE_BAND.fullmatch(text.strip())
    if match is None:
        raise InvalidParameter("by", text, f"bands such as {_RULE}")
    if match["mark"]:
        return _half_open(match["mark"], _end(match["low"]), _end(match["high"]), text)
    if match["below"]:
        high = Fraction(match["below"])
        return Band(None, high, f"<{exact_text(high)}")
    if match["least"]:
        low = Fraction(match["least"])
        return Band(low, None, f"{exact_text(low)}+")
    first, last = Fraction(match["first"] or match["only"]), Fraction(match["last"] or match["only"])
    if not (first.denominator == last.denominator == 1):
        raise InvalidParameter("by", text, f"a band of whole numbers, or half-open: write {_as_half_open(first, last)}")
    if not first <= last:
        raise InvalidParameter("by", text, "a band that ends where it begins, or later")
    mark = "-" if first >= 0 else " to "
    label = exact_text(first) if match["only"] else f"{exact_text(first)}{mark}{exact_text(last)}"
    return Band(first, last + 1, label, is_whole=True)


def _half_open(mark: str, low: Fraction | None, high: Fraction | None, text: str) -> Band:
    if mark == "(" and low is not None:
        raise InvalidParameter("by", text, "a half-open band, which has its first end and not its second: [0, 18)")
    if low is None and high is None:
        raise InvalidParameter("by", text, "a band with an end")
    if low is None or high is None:
        label = f"<{exact_text(high)}" if high is not None else f"{exact_text(low or Fraction(0))}+"
        return Band(low, high, label)
    if not low < high:
        raise InvalidParameter("by", text, "a band that ends after it begins")
    return Band.half_open(low, high)


def _as_half_open(first: Fraction, last: Fraction) -> str:
    return Band.half_open(first, last).label if first < last else f"[{exact_text(first)}, ...)"


def _end(text: str) -> Fraction | None:
    return None if text.endswith("inf") else Fraction(text)
