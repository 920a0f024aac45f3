"""What the interior point on a chain of rows proves about the optimum behind a medium."""

from __future__ import annotations

import math
from dataclasses import dataclass

from hushcount.medium.certified.chain.interior_point import iterates
from hushcount.medium.certified.chain.program import ChainProgram
from hushcount.numbers.arrays import UNIT, Floats

__all__ = ["Solved", "solved"]

_PATIENCE, _GAINED = 8, 0.9
"""So many steps must narrow the interval to this share of it."""


@dataclass(frozen=True)
class Solved:
    """The best of all iterates.

    Attributes:
        P: the rows of the best mechanism, private but for rounding.
        bound: no mechanism is wrong less often, in the worst case: a lower bound of p_e*(T), rounded down.
    """

    P: Floats
    bound: float


def solved(program: ChainProgram, enough: float) -> Solved:
    """Return the best mechanism and the best bound, stopping where they are as close as is `enough`, or where floats
    bring them no closer."""
    best, least, most, widths = None, -math.inf, math.inf, [math.inf] * _PATIENCE
    for found in iterates(program):
        if best is None or found.t > least:
            best, least = found.P, found.t
        most = min(most, found.bound)
        widths.append(most - least)
        if widths[-1] <= enough or widths[-1] > _GAINED * widths[-1 - _PATIENCE]:
            break
    assert best is not None
    return Solved(best, 1 - most - 2 * UNIT)
