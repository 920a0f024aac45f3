"""What a mechanism in front of one medium keeps where what it sends is heard through another, or more than once.

G is made so that G T is private, for those who see one reading of one transmission through exactly T. Through T' one
sees G T'. From k independent transmissions of the same symbol l one has the readings y_1, ..., y_k with the chance
T'_l,y_1 ... T'_l,y_k. Their order tells nothing, as all orders are equally likely whatever was sent; so readings that
differ in order count as one outcome, and there are C(N + k - 1, k) of N symbols instead of N^k.

The floats of G and T' are exact rationals over the sums of their rows, and enclosed. For rows a and b of what is heard,
excess(E) = sum_j (a_j - E b_j)^+ falls and is convex, so that E = e^epsilon is approached from below by Newton's method
(`privacy.pair_growth`), and every event {j : a_j > E b_j} proves a lower end. The upper end is proved apart from it:
there no excess is above delta.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from flint import arb, arb_mat
from numpy.typing import ArrayLike

from hushcount.errors import BadUse, TooLarge
from hushcount.inputs.arguments import integer
from hushcount.inputs.stochastic import stochastic_rows
from hushcount.mechanisms.base import Mechanism
from hushcount.medium.channels.given import as_medium
from hushcount.medium.channels.measured import MeasuredMedium
from hushcount.medium.medium import Medium
from hushcount.numbers.arrays import Floats
from hushcount.numbers.enclosure import TooCoarse, ball, refinements
from hushcount.numbers.exact import Number, exact_text
from hushcount.numbers.intervals import Interval, lower_fraction, upper_fraction
from hushcount.numbers.text import short
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["Heard", "checked_readings", "heard"]

_MOST_TERMS = 2**21
"""The most products M C(N + k, k) of k readings of N symbols; these take seconds."""

_FIRST_BITS, _LAST_BITS = 192, 2**12
_SLACK_BITS = 62
"""The upper end of E is above the lower one by 2^-62 of it."""


@dataclass(frozen=True)
class Heard:
    """What is left of a promise where a symbol is heard through some medium, once or more often.

    Attributes:
        medium: the medium through which it is heard, described.
        times: how many independent transmissions of the same symbol are heard.
        delta: the delta asked about.
        epsilon: the least epsilon that is kept at this delta, enclosed; infinite where none is.
    """

    medium: str
    times: int
    delta: Fraction
    epsilon: Interval

    def __str__(self) -> str:
        return f"{self.medium}, heard {self.often}: epsilon {self.epsilon.to_text()} at delta {short(self.delta)}"

    @property
    def often(self) -> str:
        """`times` in words."""
        return {1: "once", 2: "twice"}.get(self.times, f"{self.times:,} times")

    def to_dict(self) -> dict[str, Any]:
        """Return the result, ready for JSON; a bound of epsilon that is infinite is null."""
        kept = {"epsilon": self.epsilon.to_dict(), "delta": exact_text(self.delta)}
        return {"medium": self.medium, "times": self.times, **kept}


def heard(mechanism: Mechanism | ArrayLike, medium: Medium | ArrayLike, delta: Number = 0, *, times: int = 1) -> Heard:
    """Return the least epsilon kept at delta by those who hear what a mechanism sends through a medium.

    Args:
        mechanism: G, such as `optimum(T, epsilon).mechanism` or what `read_mechanism` returns, or its matrix.
        medium: the medium through which it is heard, which need not be the one that G was made for, or its matrix.
        delta: 0 <= delta < 1, kept exactly.
        times: k >= 1, how many independent transmissions of the same symbol are heard, each through the medium.

    Returns:
        Both ends of epsilon, which agree to 62 bits. If G was made for this medium at this delta, and is heard once,
        it is at most the epsilon promised.

    Raises:
        InvalidParameter, BadUse: a bad argument; a mechanism and a medium of different sizes; a medium that is known
            from trials only, behind which a promise has a delta of its own (`MediumOptimum.true_medium`).
        TooLarge: more than 2^21 products M C(N + k, k) of chances for M symbols and N outputs, mostly as many: twice
            for up to 160 symbols, thirteen times for 8.
    """
    T, excused = as_medium(medium), EpsilonDelta.of(0, delta).delta
    G = stochastic_rows(mechanism.matrix() if isinstance(mechanism, Mechanism) else mechanism)
    if len(G) != len(T.matrix):
        raise BadUse(f"a mechanism of {len(G):,} outcomes does not fit a medium of {len(T.matrix):,} symbols")
    often = checked_readings(T, times)
    return Heard(T.description, often, excused, _least_epsilon(G, T.arriving, excused, often))


def checked_readings(medium: Medium, times: int) -> int:
    """Return the number of readings, if what they tell can be computed.

    Raises:
        InvalidParameter, BadUse, TooLarge: see `heard`.
    """
    if isinstance(medium, MeasuredMedium):
        raise BadUse("what is heard is told of media that are known, not of one that was measured")
    often, (sent, received) = integer(times, "times", least=1), medium.arriving.shape
    if often > _MOST_TERMS or sent * math.comb(received + often, often) > _MOST_TERMS:
        raise TooLarge(
            f"{often:,} readings of {received:,} symbols have too many outcomes: k of N symbols take M C(N + k, k) "
            f"products of chances, at most {_MOST_TERMS:,}"
        )
    return often


def _least_epsilon(G: Floats, T: Floats, delta: Fraction, times: int) -> Interval:
    differing = [i for i in range(len(G) - 1) if not np.array_equal(G[i], G[i + 1])]
    if not differing or not np.ptp(T, axis=0).any():
        return Interval(Fraction(0), Fraction(0))
    pairs = [pair for i in differing for pair in ((i, i + 1), (i + 1, i))]
    return next(refinements(partial(_enclosed, G, T, delta, times, pairs), _FIRST_BITS, _LAST_BITS))


def _enclosed(
    G: Floats, T: Floats, delta: Fraction, times: int, pairs: list[tuple[int, int]], precision: int
) -> Interval:
    """Return ln of the least E at which no pair of rows has an excess above delta.

    Raises:
        TooCoarse: the working precision does not prove an upper end; at the last one, it is infinity.
    """
    rows, excused = _heard_rows(G, T, times), ball(delta)
    growth = enough = arb(1)
    for k, i in pairs:
        if _excess(rows[k], rows[i], enough) <= excused:
            continue
        needed = _least_growth(rows[k], rows[i], excused, growth)
        if needed is None:
            return Interval(None, None)
        growth = needed.max(growth)
        enough = (growth * (1 + arb(2) ** -_SLACK_BITS)).upper()
        if not _excess(rows[k], rows[i], enough) <= excused:
            if precision < _LAST_BITS:
                raise TooCoarse
            return Interval(lower_fraction(growth.log()), None)
    return Interval(lower_fraction(growth.log()), upper_fraction(enough.log()))


def _least_growth(a: list[arb], b: list[arb], delta: arb, start: arb) -> arb | None:
    """Return the largest E >= `start`, exact, that some event surely needs, (a(U) - delta) / b(U); None for infinity.

    Raises:
        TooCoarse: b(U) = 0, and whether a(U) exceeds delta cannot be told.
    """
    growth = start
    while True:
        event = [(x, y) for x, y in zip(a, b, strict=True) if x > growth * y]
        mine, theirs = (sum(part, arb(0)) for part in (zip(*event, strict=True) if event else ((), ())))
        if theirs == 0:
            if mine > delta:
                return None
            if event and not mine <= delta:
                raise TooCoarse
            return growth
        better = ((mine - delta) / theirs).lower()
        if not better > growth:
            return growth
        growth = better


def _excess(a: list[arb], b: list[arb], growth: arb) -> arb:
    return sum(((x - growth * y).nonnegative_part() for x, y in zip(a, b, strict=True)), arb(0))


def _heard_rows(G: Floats, T: Floats, times: int) -> list[list[arb]]:
    """Return the rows of what is heard, one entry for each outcome; those that are 0 are so exactly."""
    outcomes = list(_outcomes(_shares(T), times))
    chances = arb_mat(_shares(G)) * arb_mat([list(row) for row in zip(*outcomes, strict=True)])
    possible = (G > 0).astype(int) @ np.array([[x != 0 for x in outcome] for outcome in outcomes], dtype=int).T
    return [
        [chances[i, j] if here else arb(0) for j, here in enumerate(row)] for i, row in enumerate(possible.tolist())
    ]


def _outcomes(shares: list[list[arb]], times: int) -> Iterator[list[arb]]:
    """Yield the chances of each multiset of readings, by the symbol sent.

    A reading is added at the end of a sequence that does not fall; `run` is how often its last symbol is there.
    """
    columns = [list(column) for column in zip(*shares, strict=True)]
    found = [(0, 0, [arb(1)] * len(shares))]
    for size in range(1, times + 1):
        found = [
            (j, run, [x * y * size / run for x, y in zip(chances, columns[j], strict=True)])
            for last, before, chances in found
            for j in range(last, len(columns))
            for run in ((before if j == last else 0) + 1,)
        ]
    for *_, chances in found:
        yield chances


def _shares(matrix: Floats) -> list[list[arb]]:
    """Return each row over its sum, enclosed."""
    rows = [[arb(x) for x in row] for row in matrix.tolist()]
    return [[x / total for x in row] for row in rows for total in (sum(row, arb(0)),)]
