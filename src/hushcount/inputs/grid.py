"""The values of one axis of a grid, exactly.

`"0.1:4:0.1"` is 0.1, 0.2, ..., 4: forty numbers, the last of which is 4, since nothing is rounded on the way.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from hushcount.errors import InvalidParameter, TooLarge
from hushcount.inputs.arguments import listed
from hushcount.numbers.exact import Number, exact

__all__ = ["LARGEST_GRID", "Values", "grid_integers", "grid_texts", "grid_values"]

Values = Number | Iterable[Number]
"""The forms in which the values of an axis may be given."""

LARGEST_GRID = 1_000_000
"""The most points of a grid; at a hundredth of a second each, that takes hours."""

_RULE = "numbers and ranges FIRST:LAST:STEP separated by commas, such as 0.1,0.5 or 0.1:4:0.1"


def grid_values(values: Values, argument: str = "values") -> tuple[Fraction, ...]:
    """Return the exact numbers that a number, a text or a list of numbers stands for.

    Args:
        values: a number; a text of numbers and ranges `FIRST:LAST:STEP` separated by commas (`"0.5,1:4:1"`); or numbers
            in any iterable. A range holds FIRST + k STEP for k = 0, 1, ... up to LAST, and LAST if it is one of them. A
            number is an int, float, Fraction, Decimal or decimal string, kept exactly.
        argument: the name of the axis in an error.

    Returns:
        The numbers in the order given, each once, at its first place.

    Raises:
        InvalidParameter: not a number, no number at all, a step that is not positive, or a range whose LAST is below
            its FIRST.
        TooLarge: more than 1,000,000 numbers in a range.
    """
    if isinstance(values, str):
        found = [number for part in values.split(",") for number in _part(part.strip(" "), values, argument)]
    elif isinstance(values, Iterable):
        found = [exact(value, argument) for value in listed(values, argument, _RULE)]
    else:
        found = [exact(values, argument)]
    if not found:
        raise InvalidParameter(argument, None, "at least one number")
    return tuple(dict.fromkeys(found))


def grid_integers(values: Values, argument: str, least: int) -> tuple[int, ...]:
    """Return the integers >= `least` that `values` stands for; in a range the step may be left out and is then 1."""
    if isinstance(values, str):
        values = ",".join(f"{part}:1" if part.count(":") == 1 else part for part in values.split(","))
    found = grid_values(values, argument)
    for number in found:
        if not (number.denominator == 1 and least <= number < 2**63):
            raise InvalidParameter(argument, number, f"integers >= {least} of at most 63 bits")
    return tuple(int(number) for number in found)


def grid_texts(values: str | Iterable[str], argument: str, known: Iterable[str]) -> tuple[str, ...]:
    """Return names among the known ones, given as a text separated by commas or in any iterable; each once, in this
    order.

    Raises:
        InvalidParameter: an unknown name, or none.
    """
    allowed = tuple(known)
    rule = f"out of {', '.join(allowed)}"
    if isinstance(values, str):
        values = [name.strip(" ") for name in values.split(",")]
    found = listed(values, argument, rule)
    if not found:
        raise InvalidParameter(argument, None, f"at least one, {rule}")
    for name in found:
        if name not in allowed:
            raise InvalidParameter(argument, name, rule)
    return tuple(dict.fromkeys(found))


def _part(part: str, whole: str, argument: str) -> Iterable[Fraction]:
    ends = part.split(":")
    if len(ends) == 1:
        return [_number(part, whole, argument)]
    if len(ends) != 3:
        raise InvalidParameter(argument, whole, _RULE)
    first, last, step = (_number(end, whole, argument) for end in ends)
    if not step > 0:
        raise InvalidParameter(argument, part, "a range FIRST:LAST:STEP with a STEP above 0")
    if not first <= last:
        raise InvalidParameter(argument, part, "a range FIRST:LAST:STEP whose LAST is not below its FIRST")
    count = math.floor((last - first) / step) + 1
    if not count <= LARGEST_GRID:
        raise TooLarge(f"the range {part} holds {_about(count)} numbers, above the limit of {LARGEST_GRID:,}")
    return (first + k * step for k in range(count))


def _number(text: str, whole: str, argument: str) -> Fraction:
    try:
        return exact(text, argument)
    except InvalidParameter:
        raise InvalidParameter(argument, whole, _RULE) from None


def _about(count: int) -> str:
    return f"{count:,}" if count < 10**15 else "far too many"
