"""What a released count says about the true one: confidence sets and the likeliest counts, by inverting the mechanism.

**Construction** [N37]. At each true count i, accept outcomes in a fixed order until their probability reaches the
level: the acceptance region A(i). The confidence set of a released j is C(j) = {i : j in A(i)}. Whatever the true
count i is, Pr(i in C(J)) = Pr(J in A(i)) >= level. The order needs no proof, and no rounding can hurt it; enclosures
decide whether the probability is reached.

- nearest, and audited closed forms: by distance |j - i|, both outcomes at a distance together. No optimal
  mechanism has smaller sets from this order than nearest has (docs/theory.md, "Reading a released count").
- canonical: by distance around the circle, along which its likelihood falls.
- groups that are shown only if they are released as more than 0: by distance, under the law given that
  (`confidence_sets`); a count of 0 is never shown, and in no set.
- a matrix: by likelihood ratio p(i, j) / max_i' p(i', j) [FC98], so that a set is never empty, whatever the matrix.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb

from hushcount.errors import InvalidParameter, TooLarge
from hushcount.mechanisms import Canonical, Explicit, Mechanism, Nearest, NeverInvented
from hushcount.mechanisms.base import LARGEST_MATRIX
from hushcount.mechanisms.chain.chain import Chain
from hushcount.mechanisms.optima.kernel import Kernel
from hushcount.mechanisms.optima.optimum import Optimum
from hushcount.numbers.arrays import Floats
from hushcount.numbers.enclosure import at_least, ball, refinements
from hushcount.numbers.exact import Number, exact

__all__ = [
    "Ranges",
    "check_size",
    "checked_level",
    "confidence_set",
    "confidence_sets",
    "last_that",
    "likeliest",
    "likeliest_counts",
    "likelihoods",
    "ranges",
]

Ranges = tuple[tuple[int, int], ...]
"""Counts as inclusive ranges (first, last), in ascending order, no two of them touching."""

_TIE_DIGITS = 9
"""Decimals of ln(likelihood ratio) that order the outcomes: rounded entries that stand for equal ones stay equal."""

_SAME = 1e-11
"""Likelihoods within this of one another, relatively, count as equal; they are right to 1e-12."""


def confidence_set(mechanism: Mechanism, released: int, level: Fraction) -> Ranges:
    """Return the true counts that are not ruled out at `level`; see the module.

    Args:
        mechanism: the mechanism that drew the count; the set takes O(log n) for `nearest`, `canonical` and steady
            chains at any n, O(n^2) for a matrix, O(n) for others.
        released: 0..n.
        level: > 0 and < 1.

    Returns:
        Inclusive ranges; for `canonical` they may be the two ends of an arc through n and 0.

    Raises:
        TooLarge: another closed form has more than 4,096 outcomes.
    """
    return next(confidence_sets(mechanism, [released], level))


def confidence_sets(
    mechanism: Mechanism, released: Iterable[int], level: Fraction, *, if_shown: bool = False
) -> Iterator[Ranges]:
    """Yield the sets of several released counts, one after the other.

    For ascending counts of `nearest` or a steady chain, a set is looked for where the one before had its ends, which is
    several times quicker.

    Args:
        if_shown: for `NeverInvented`, where a count is read because it was released as one above 0: whether the
            coverage holds among such releases, for every true count from 1 to n.

    Raises:
        TooLarge: as for `confidence_set`.
    """
    if if_shown and isinstance(mechanism, NeverInvented):
        yield from _intervals(_Shown(mechanism), released, level)
    elif isinstance(mechanism, Canonical):
        reach = _reach(mechanism, level)
        for count in released:
            yield _arc(mechanism.n, count, reach)
    elif isinstance(mechanism, Explicit):
        for count in released:
            yield ranges(_accepting_rows(mechanism.entries, count, level))
    elif isinstance(mechanism, Nearest) or (isinstance(mechanism, Chain) and mechanism.is_steady):
        yield from _intervals(mechanism, released, level)
    else:
        check_size(mechanism)
        counts = range(mechanism.n + 1)
        for count in released:
            yield ranges(i for i in counts if _is_accepted(mechanism, i, abs(i - count), 1 - level))


def checked_level(level: Number) -> Fraction:
    """Return the level, exactly, if it is > 0 and < 1.

    Raises:
        InvalidParameter: it is not.
    """
    exactly = exact(level, "level")
    if not 0 < exactly < 1:
        raise InvalidParameter("level", level, "a number > 0 and < 1")
    return exactly


def likeliest(mechanism: Mechanism, released: int) -> Ranges:
    """Return the true counts under which `released` has the largest probability.

    For `nearest`, `canonical` and chains this is decided rigorously; for others, all within 1e-11 of the largest count
    as largest.

    Raises:
        TooLarge: as for `confidence_set`.
    """
    return next(likeliest_counts(mechanism, [released]))


def likeliest_counts(mechanism: Mechanism, released: Iterable[int]) -> Iterator[Ranges]:
    """Yield the likeliest true counts of several released counts, one after the other; see `confidence_sets`.

    Raises:
        TooLarge: as for `confidence_set`.
    """
    n = mechanism.n
    if not isinstance(mechanism, (Canonical, Nearest, Chain, Explicit)):
        check_size(mechanism)
    below = 0
    for count in released:
        if isinstance(mechanism, Canonical):  # the diagonal is the largest, but for equal rows
            yield ((0, n),) if mechanism.epsilon == mechanism.delta == 0 else ((count, count),)
        elif isinstance(mechanism, Nearest):
            near = min(count, n - count)
            spans = _summit(mechanism, near, near, max(0, near - below))
            below = near - spans[-1][1]
            yield spans if near == count else tuple((n - last, n - first) for first, last in spans)
        elif isinstance(mechanism, Chain):
            yield _summit(mechanism, count, n, count)
        else:
            chances = likelihoods(mechanism, count, range(n + 1))
            yield ranges(np.flatnonzero(chances >= chances.max() * (1 - _SAME)).tolist())


def likelihoods(mechanism: Mechanism, released: int, counts: Iterable[int]) -> Floats:
    """Return Pr(output = released | true) for each of the true counts, right to 1e-12 relative."""
    if isinstance(mechanism, Explicit):
        rows = mechanism.entries[list(counts)]
        return np.array([row[released] / math.fsum(row) for row in rows])
    return np.array([mechanism.pmf(true, released) for true in counts])


def ranges(counts: Iterable[int]) -> Ranges:
    """Return ascending counts as ranges."""
    found: list[tuple[int, int]] = []
    for count in counts:
        if found and found[-1][1] == count - 1:
            found[-1] = (found[-1][0], count)
        else:
            found.append((count, count))
    return tuple(found)


def check_size(mechanism: Mechanism) -> None:
    """Check that every true count may be tried.

    Raises:
        TooLarge: more than 4,096 outcomes.
    """
    if not mechanism.n < LARGEST_MATRIX:
        raise TooLarge(
            f"{mechanism.n + 1:,} outcomes of {mechanism.name} are above the limit of {LARGEST_MATRIX:,}; nearest and "
            "canonical are read at any size, at any promise that they can keep"
        )


def last_that(holds: Callable[[int], bool], start: int, end: int, guess: int | None = None) -> int:
    """Return the last count on the way from `start` to `end` for which `holds`, which holds from `start` up to some
    count.

    Args:
        guess: a distance from `start` near which to look first.
    """
    step = 1 if end >= start else -1
    sure, limit = 0, abs(end - start)
    asked, stride = limit + 1 if guess is None else min(max(guess, 1), limit), 1
    while sure < asked <= limit and holds(start + step * asked):
        sure, asked, stride = asked, min(asked + stride, limit), 2 * stride
    if sure < asked <= limit:
        limit, stride = asked - 1, 1
        while sure < (asked := limit - stride) and not holds(start + step * asked):
            limit, stride = asked - 1, 2 * stride
        sure = max(sure, asked)
    while sure < limit:
        middle = (sure + limit + 1) // 2
        if holds(start + step * middle):
            sure = middle
        else:
            limit = middle - 1
    return start + step * sure


# --- by distance ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Shown:
    """The law of what is released for a true count above 0, given that it is not 0.

    Its sets are intervals, as those of the nearest optimum are, with h the chance to hide i. Moving down from the
    released j, Pr(output >= j | i, shown) falls, since ratios are monotone, and so does the chance on the other side,
    (N_i(2i - j) - h) / (1 - h): N_i(2i - j) falls, and h grows. Moving up, the same two chances fall, because N_i(j)
    keeps its monotone ratios and the chance of 2i - j or more, which falls, is over 1 - h, which grows.
    """

    mechanism: NeverInvented

    @property
    def n(self) -> int:
        return self.mechanism.n

    @property
    def epsilon(self) -> Fraction | None:
        return self.mechanism.epsilon

    def enclosed_beyond(self, true: int, t: int, precision: int) -> arb:
        law = self.mechanism
        below = law.enclosed_cdf_if_shown(true, true - t - 1, precision)
        return below + law.enclosed_above_if_shown(true, true + t, precision)


def _intervals(mechanism: Mechanism | _Shown, released: Iterable[int], level: Fraction) -> Iterator[Ranges]:
    """Yield the sets of `nearest`, of a steady chain or of shown counts, which are intervals: moving away from the
    released count, a count stays ruled out."""
    slack, least = 1 - level, int(isinstance(mechanism, _Shown))
    below: int | None = None
    above: int | None = None
    for count in released:

        def is_accepted(true: int, count: int = count) -> bool:
            return _is_accepted(mechanism, true, abs(true - count), slack)

        first = last_that(is_accepted, count, least, below)
        last = last_that(is_accepted, count, mechanism.n, above)
        below, above = count - first, last - count
        yield ((first, last),)


def _is_accepted(mechanism: Mechanism | _Shown, true: int, distance: int, slack: Fraction) -> bool:
    """Return whether the outcomes nearer than `distance` fall short of the level: Pr(|J - i| >= distance) > slack."""
    if distance == 0:
        return True
    rational = isinstance(mechanism, (Optimum, _Shown)) and mechanism.epsilon == 0
    return not _reaches(lambda p: -mechanism.enclosed_beyond(true, distance - 1, p), -slack, rational)


def _reaches(evaluate: Callable[[int], arb], level: Fraction, rational: bool) -> bool:
    """Return whether the enclosed probability is surely at least `level`.

    Where that is undecided, the answer is no, which only makes acceptance regions larger. But the rational numbers of
    an optimum at epsilon 0 are equal if they cannot be told apart.
    """
    for value in refinements(evaluate):
        limit = ball(level)
        if value >= limit:
            return True
        if value < limit:
            return False
    return rational


def _summit(mechanism: Mechanism, released: int, end: int, guess: int) -> Ranges:
    """Return the likeliest true counts, the first of them from 0 to `end`, looked for near `guess`.

    A column's probabilities rise up to some count and fall from there (docs/theory.md, "The likeliest count"); that of
    `nearest` falls from `released` on, if 2 released <= n.
    """

    def is_as_likely(true: int, other: int) -> bool:
        return at_least(
            lambda p: mechanism.enclosed_pmf(true, released, p) - mechanism.enclosed_pmf(other, released, p),
            Fraction(0),
            rational=True,  # what cannot be told apart is called equal
        )

    top = last_that(lambda true: is_as_likely(true, true - 1), 0, end, guess)
    first = last_that(lambda true: is_as_likely(true, top), top, 0, 0)
    return ((first, last_that(lambda true: is_as_likely(true, top), top, mechanism.n, 0)),)


# --- around the circle ------------------------------------------------------------------------------------------------


def _reach(mechanism: Canonical, level: Fraction) -> int:
    """Return the least t for which delta + a (S(t + 1) + q S(t)), the probability within t of the truth, reaches
    `level`."""

    def falls_short(t: int) -> bool:
        return not _reaches(lambda p: _within(mechanism.kernel(p), t), level, mechanism.epsilon == 0)

    return last_that(falls_short, 0, mechanism.n // 2) + 1 if falls_short(0) else 0


def _within(K: Kernel, t: int) -> arb:
    return K.delta + K.a * (K.series(t + 1) + K.q * K.series(t))


def _arc(n: int, centre: int, reach: int) -> Ranges:
    if 2 * reach + 1 >= n + 1:
        return ((0, n),)
    first, last = centre - reach, centre + reach
    if first < 0:
        return ((0, last), (first + n + 1, n))
    if last > n:
        return ((0, last - n - 1), (first, n))
    return ((first, last),)


# --- by likelihood ratio ----------------------------------------------------------------------------------------------


def _accepting_rows(entries: Floats, released: int, level: Fraction) -> list[int]:
    largest = entries.max(axis=0)
    return [i for i, row in enumerate(entries) if _accepts(row, largest, released, level)]


def _accepts(row: Floats, largest: Floats, released: int, level: Fraction) -> bool:
    """Return whether the outcomes with a larger likelihood ratio than `released` are less likely than `level`;
    exactly, for the rationals that the floats are, over their sum."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.round(np.log(row / largest), _TIE_DIGITS)
    before = row[ratio > ratio[released]]
    mass, margin = float(before.sum()), (len(row) + 4) * 2.0**-51
    if abs(mass - float(level)) > margin:
        return mass < float(level)
    return sum(map(Fraction, before.tolist())) < level * sum(map(Fraction, row.tolist()))
