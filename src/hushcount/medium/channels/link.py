"""What lies between a modulator and its demodulator: noise of a given strength, and perhaps fading.

Noise is complex, white and Gaussian, with total variance N0 in each complex sample. That is N0 / 2 in each of I and Q,
which is also the variance in a real one-dimensional signal space. Es is the average energy of a symbol, Eb = Es /
log2(M) that of a bit. Es/N0 and Eb/N0 are given in decibels, 10 log10 of the ratio.

Under flat Rayleigh fading each symbol is multiplied by a gain of its own, whose power is exponentially distributed with
mean 1; Es/N0 is then the average over it. Where detection is coherent the receiver knows the gain and undoes it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Literal

from flint import arb

from hushcount.errors import BadUse, InvalidParameter
from hushcount.inputs.arguments import one_of
from hushcount.numbers.enclosure import ball
from hushcount.numbers.exact import Number, exact

__all__ = ["Fading", "Link", "decibels_text", "per_bit_db"]

Fading = Literal["rayleigh"]

MOST_DECIBELS = 1000
"""SNRs from -1,000 to 1,000 dB are computed.

60 dB beyond what a symbol can use, a medium without fading is the identity in floats.
"""


@dataclass(frozen=True)
class Link:
    """The SNR and the fading between a modulator of some order and its demodulator.

    Attributes:
        decibels: the SNR in dB, exactly; None if it is infinite.
        order_if_per_bit: M, if the SNR is Eb/N0, so that Es = Eb log2(M); None if it is Es/N0.
        fading: whether there is Rayleigh fading.
        text: the words for all this in a description; the ratio that was not given is told in brackets.
    """

    decibels: Fraction | None
    order_if_per_bit: int | None
    is_fading: bool
    text: str

    @classmethod
    def of(cls, order: int, es_n0_db: Number | None, eb_n0_db: Number | None, fading: Fading | None) -> Link:
        """Return the link for the arguments of a modulation.

        Args:
            order: M, for Es = Eb log2(M).
            es_n0_db, eb_n0_db: one of the two, from -1,000 to 1,000 or `math.inf`.
            fading: None or `"rayleigh"`.

        Raises:
            BadUse: both SNRs, or neither.
            InvalidParameter: a bad SNR or fading.
        """
        if (es_n0_db is None) == (eb_n0_db is None):
            raise BadUse("give either es_n0_db or eb_n0_db, the signal-to-noise ratio in decibels")
        if fading is not None:
            one_of(fading, "fading", ("rayleigh",), "None or 'rayleigh'")
        per_bit = es_n0_db is None
        given, argument = (eb_n0_db, "eb_n0_db") if per_bit else (es_n0_db, "es_n0_db")
        decibels = _decibels(given, argument)
        ratio = "Eb/N0" if per_bit else "Es/N0"
        shown = "infinite" if decibels is None else f"{given} dB{_in_other_ratio(decibels, order, per_bit)}"
        text = f"{ratio} = {shown}{', flat Rayleigh fading' if fading else ''}"
        return cls(decibels, order if per_bit else None, fading is not None, text)

    @property
    def is_noiseless(self) -> bool:
        return self.decibels is None

    def snr(self) -> arb:
        """Return Es/N0 as a plain ratio, a ball at the working precision."""
        assert self.decibels is not None
        ratio = arb(10) ** (ball(self.decibels) / 10)
        return ratio if self.order_if_per_bit is None else ratio * arb(self.order_if_per_bit).log_base(2)


def per_bit_db(es_n0_db: float, order: int) -> float:
    """Return Eb/N0 in dB for an Es/N0: less by 10 log10(log2 M)."""
    return es_n0_db - 10 * math.log10(math.log2(order))


def decibels_text(decibels: float) -> str:
    """Return decibels rounded to four decimals."""
    return f"{round(decibels, 4) + 0.0:.8g} dB"


def _in_other_ratio(decibels: Fraction, order: int, per_bit: bool) -> str:
    if order < 2:
        return ""
    given, less = float(decibels), per_bit_db(0.0, order)
    other, found = ("Es/N0", given - less) if per_bit else ("Eb/N0", given + less)
    return f" ({other} = {decibels_text(found)})"


def _decibels(value: Number | None, argument: str) -> Fraction | None:
    if isinstance(value, (Real, Decimal)) and value == math.inf:
        return None
    rule = f"a number from -{MOST_DECIBELS:,} to {MOST_DECIBELS:,}, or infinity"
    try:
        decibels = exact(value, argument)  # type: ignore[arg-type]
    except InvalidParameter:
        raise InvalidParameter(argument, value, rule) from None
    if not -MOST_DECIBELS <= decibels <= MOST_DECIBELS:
        raise InvalidParameter(argument, value, rule)
    return decibels
