"""Where a medium begins to cost something: an epsilon, an SNR or a p, next to one at which it costs nothing.

That there is only one such place is not proved. A bisection finds one, and proves what it says of both sides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hushcount.errors import InvalidParameter
from hushcount.medium.behind import Behind
from hushcount.medium.channels.given import as_medium
from hushcount.medium.medium import Medium
from hushcount.medium.theorem_2.lossless import Verdict
from hushcount.numbers.exact import Number, exact_text
from hushcount.numbers.text import rounded_down
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["Modulation", "Threshold", "largest_lossless_epsilon", "largest_lossless_p", "required_snr"]

_LARGEST_EPSILON = Fraction(64)
LEAST_SNR, LARGEST_SNR = Fraction(-40), Fraction(80)
_RESOLUTION = Fraction(1, 2**20)
RESOLUTION_DB = Fraction(1, 10**4)
_DIGITS_OF_P, _WIDTH_OF_P, _LEAST_P = 7, Fraction(1, 10**5), Fraction(1, 2**64)
_LOSSLESS, _LOSSY = Verdict.LOSSLESS, Verdict.LOSSY

Modulation = Callable[..., Medium]
"""A function of `es_n0_db`, such as `functools.partial(psk, 8)`, or of `p`."""


@dataclass(frozen=True)
class Threshold:
    """Two proved points, one on each side of a threshold.

    Attributes:
        lossless_at: a point at which the medium costs nothing; None where none was found.
        lossy_at: a point at which it costs something; None where none was found.
    """

    lossless_at: Fraction | None
    lossy_at: Fraction | None

    @property
    def width(self) -> float | None:
        """The distance between the two; None where one is missing."""
        if self.lossless_at is None or self.lossy_at is None:
            return None
        return float(abs(self.lossless_at - self.lossy_at))

    def to_dict(self) -> dict[str, Any]:
        """Return both, ready for JSON, as exact texts."""
        ends = {"lossless_at": self.lossless_at, "lossy_at": self.lossy_at}
        return {name: None if end is None else exact_text(end) for name, end in ends.items()}


def largest_lossless_epsilon(medium: Medium | ArrayLike, delta: Number = 0) -> Threshold:
    """Return an epsilon at which a medium costs nothing, next to one at which it costs something, by `is_lossless`.

    The search goes from 2^-20 to 64 nats, until the two points are within 2^-20 of the larger one, or what lies between
    cannot be decided. Both points are proved. It is not proved that the medium costs nothing at every smaller epsilon
    (statement 3 proves it up to a smaller one). Where the medium is lossless, lossy and lossless again, one of the
    changes is found.

    Args:
        medium: a medium, or its matrix (`from_matrix`).
        delta: 0 <= delta < 1; kept exactly.

    Raises:
        InvalidParameter, BadUse: a bad argument, naming it.
        TooLarge, SolverFailed: see `is_lossless`.
    """
    T, excused = as_medium(medium), EpsilonDelta.of(0, delta).delta
    return _bisected(
        lambda epsilon: Behind(T, EpsilonDelta(epsilon, excused)).verdict,
        _RESOLUTION,
        _LARGEST_EPSILON,
        lambda here, there: abs(here - there) > max(here, there) * _RESOLUTION,
        lambda here, there: (here + there) / 2,
    )


def required_snr(modulation: Modulation, epsilon: Number, delta: Number = 0) -> Threshold:
    """Return an SNR at which a physical medium costs nothing at (epsilon, delta), next to one at which it costs
    something.

    At the first, money spent on a better channel is wasted: p_e*(T) = p_e*, and no medium gives less. It is not proved
    that the medium costs nothing at every larger SNR, or something at every smaller one.

    Args:
        modulation: a function of `es_n0_db` that gives the medium, such as `functools.partial(psk, 8)`.
        epsilon, delta: >= 0 in nats, and 0 <= delta < 1; kept exactly.

    Returns:
        The two points, Es/N0 in dB: multiples of 1e-4 dB from -40 to 80 dB, neighbors unless what lies between cannot
        be decided. Both are proved.

    Raises:
        InvalidParameter: a bad epsilon or delta, or something that is not such a function.
        TooLarge, SolverFailed: see `is_lossless`.
    """
    privacy, made = EpsilonDelta.of(epsilon, delta), _made(modulation, "modulation", "es_n0_db")
    return _bisected(
        lambda decibels: Behind(made(decibels), privacy).verdict,
        LARGEST_SNR,
        LEAST_SNR,
        lambda here, there: abs(here - there) > RESOLUTION_DB,
        lambda here, there: round((here + there) / 2 / RESOLUTION_DB) * RESOLUTION_DB,
    )


def largest_lossless_p(channel: Modulation, epsilon: Number, delta: Number = 0) -> Threshold:
    """Return an error probability p at which a channel costs nothing at (epsilon, delta), next to one at which it costs
    something.

    The search goes from 0 to the first p out of 1/2, 1 - 1/M and 1 at which what arrives tells nothing, as all rows are
    the same. It ends where the points are within 1e-5 of the larger one, or 2^-64, or what lies between cannot be
    decided. Both are proved. It is not proved that the channel costs nothing at every smaller p, or something at every
    larger one.

    Args:
        channel: a function of `p` that gives the medium, such as `functools.partial(binary_symmetric, 3)`.
        epsilon, delta: >= 0 in nats, and 0 <= delta < 1; kept exactly.

    Returns:
        The two points, decimals of seven digits.

    Raises:
        InvalidParameter: a bad epsilon or delta, or something that is not such a function.
        TooLarge, SolverFailed: see `is_lossless`.
    """
    privacy, made = EpsilonDelta.of(epsilon, delta), _made(channel, "channel", "p")
    useless = (Fraction(1, 2), 1 - Fraction(1, made(Fraction(0)).order), Fraction(1))
    last = next((p for p in useless if not np.ptp(made(p).arriving, axis=0).any()), None)
    if last is None:
        raise InvalidParameter("channel", channel, "of no use at p = 1/2, 1 - 1/M or 1")
    return _bisected(
        lambda p: Behind(made(p), privacy).verdict,
        Fraction(0),
        last,
        lambda here, there: abs(here - there) > max(max(here, there) * _WIDTH_OF_P, _LEAST_P),
        lambda here, there: rounded_down((here + there) / 2, _DIGITS_OF_P),
    )


def _made(function: Modulation, argument: str, varied: str) -> Callable[[Fraction], Medium]:
    """Return the medium as a function of what varies.

    Raises:
        InvalidParameter: `function` is not a function of that, or (when called) gives something else.
    """
    rule = f"a function of {varied} that gives a medium"
    if not (callable(function) and _takes(function, varied)):
        raise InvalidParameter(argument, function, rule)

    def made(value: Fraction) -> Medium:
        medium = function(**{varied: value})
        if not isinstance(medium, Medium):
            raise InvalidParameter(argument, function, rule)
        return medium

    return made


def _takes(function: Modulation, name: str) -> bool:
    try:
        signature(function).bind(**{name: 0})
    except TypeError:
        return False
    except ValueError:  # a function that cannot tell
        return True
    return True


def _bisected(
    verdict: Callable[[Fraction], Verdict],
    good: Fraction,
    bad: Fraction,
    is_wide: Callable[[Fraction, Fraction], bool],
    between: Callable[[Fraction, Fraction], Fraction],
) -> Threshold:
    """Return the threshold between `good`, lossless if anything is, and `bad`, lossy if anything is; what is
    UNDECIDED stays in between.

    Args:
        is_wide: tells whether two points are too far apart, so that one `between` them is tried.
    """
    verdicts: dict[Fraction, Verdict] = {}

    def is_(wanted: Verdict, point: Fraction) -> bool:
        if point not in verdicts:
            verdicts[point] = verdict(point)
        return verdicts[point] is wanted

    def narrowed(wanted: Verdict, here: Fraction, there: Fraction) -> tuple[Fraction, Fraction]:
        """Return points closer together, of which `here` has the verdict and `there` has not."""
        while is_wide(here, there):
            middle = between(here, there)
            here, there = (middle, there) if is_(wanted, middle) else (here, middle)
        return here, there

    if not is_(_LOSSLESS, good):
        return Threshold(None, good if is_(_LOSSY, good) else None)
    if is_(_LOSSLESS, bad):
        return Threshold(bad, None)
    lossless, beyond = narrowed(_LOSSLESS, good, bad)
    if is_(_LOSSY, beyond):
        return Threshold(lossless, beyond)
    known = [point for point, found in verdicts.items() if found is _LOSSY]
    if not known:
        return Threshold(lossless, None)
    return Threshold(lossless, narrowed(_LOSSY, min(known, key=lambda point: abs(point - beyond)), beyond)[0])
