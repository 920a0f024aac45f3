"""One loop from balls to floats and decisions."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from flint import arb, ctx

from hushcount.numbers.enclosure import (
    LAST_PRECISION,
    TooCoarse,
    at_least,
    at_most,
    ball,
    epsilon_rounded_up,
    nearest_float,
    refinements,
)

THIRD = Fraction(1, 3)


def too_coarse_below(bits: int) -> arb:
    if bits < 512:
        raise TooCoarse
    return ball(THIRD)


def test_precisions_grow_and_are_those_of_the_balls() -> None:
    before = ctx.prec
    assert list(refinements(lambda bits: (bits, ctx.prec), 256, 4096, times=16)) == [(256, 256), (4096, 4096)]
    assert next(refinements(lambda bits: bits)) == 128
    assert ctx.prec == before


def test_what_is_too_coarse_is_left_out_but_for_the_last() -> None:
    assert len(list(refinements(too_coarse_below, 128, 1024))) == 2
    with pytest.raises(TooCoarse):
        list(refinements(too_coarse_below, 128, 256))
    with pytest.raises(TooCoarse):
        list(refinements(too_coarse_below, 128, 500))  # of which 256 is the last


def test_decisions() -> None:
    root = Fraction(math.sqrt(2))
    assert at_most(lambda bits: arb(2).sqrt(), root) is (root**2 > 2)
    assert at_least(lambda bits: arb(2).sqrt(), root, rational=False) is (root**2 < 2)
    assert at_most(lambda bits: ball(THIRD), THIRD) is None
    assert at_least(lambda bits: ball(THIRD), THIRD, rational=True)
    with pytest.raises(ArithmeticError):
        at_least(lambda bits: ball(THIRD), THIRD, rational=False)


def test_floats() -> None:
    assert nearest_float(lambda bits: (1 + arb(10) ** -100) - 1) == 1e-100
    assert nearest_float(lambda bits: arb(2) ** -1200) == 0.0
    up = epsilon_rounded_up(lambda bits: arb(2).sqrt())
    assert Fraction(math.nextafter(up, 0)) ** 2 < 2 < Fraction(up) ** 2
    assert LAST_PRECISION == 2**15
