"""Media that treat the bits of a symbol alike and independently."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Literal

import numpy as np
from flint import arb

from hushcount.errors import InvalidParameter
from hushcount.inputs.arguments import integer, one_of
from hushcount.medium.channels.decided import DecidedMedium
from hushcount.medium.channels.gray import gray_code
from hushcount.medium.medium import Medium
from hushcount.numbers.arrays import Floats, Integers
from hushcount.numbers.enclosure import ball, nearest_float
from hushcount.numbers.exact import Number, exact

__all__ = ["BitLabels", "binary_erasure", "binary_symmetric", "probability", "z_channel"]

BitLabels = Literal["natural", "gray"]

MOST_BITS = 12

MOST_ERASABLE_BITS = 8
"""The most bits of a word whose erasures are outputs: 256 counts, 6,561 outputs."""


def binary_symmetric(bits: int, p: Number, *, labels: BitLabels = "natural") -> Medium:
    """Return the medium of `bits` uses of a binary symmetric channel: each bit is flipped with probability p.

    T[i, j] = p^d (1 - p)^(bits - d), where d is the Hamming distance of the words of i and j; mirrored and symmetric.

    Args:
        bits: the bits of a symbol, 1 to 12; the order is 2^bits.
        p: the crossover probability, 0 <= p <= 1, kept exactly.
        labels: count k is sent as its binary digits (`"natural"`) or as those of k ^ (k >> 1) (`"gray"`).

    Returns:
        A medium whose entries are right to one unit in the last place.

    Raises:
        InvalidParameter: naming the argument, its value and the rule.
    """
    crossover = probability(p, "p")
    return _bitwise(bits, crossover, crossover, labels, f"binary symmetric channel, p = {p}")


def binary_erasure(
    bits: int, p: Number, *, labels: BitLabels = "natural", decide: Literal["guess", "likeliest"] = "guess"
) -> Medium:
    """Return the medium of `bits` uses of a binary erasure channel: each bit is erased with probability p.

    Either erased bits are guessed where they are heard: each is read as 0 or 1 by a fair coin, and nobody learns that
    it was erased. This is a binary symmetric channel with crossover probability p / 2. Or the erasures are outputs,
    which must be private, and are then read as a count: a `DecidedMedium`. Its 3^bits outputs are the words of the
    digits 0, 1 and 2, in their order, where 2 is an erasure. A word with e erasures has the chance p^e
    (1 - p)^(bits - e) where it agrees with what was sent, and is read as the least count that it agrees with; all of
    these are as likely.

    Args:
        bits: 1 to 12, or to 8 where erasures are outputs; the order is 2^bits.
        p, labels: as for `binary_symmetric`.
        decide: `"guess"` for the former, `"likeliest"` for the latter.

    Returns, raises: see `binary_symmetric`.
    """
    erased = probability(p, "p")
    one_of(decide, "decide", ("guess", "likeliest"), "'guess' or 'likeliest'")
    if decide == "guess":
        return _bitwise(bits, erased / 2, erased / 2, labels, f"binary erasure channel with guesses, p = {p}")
    words = _words(bits, labels, MOST_ERASABLE_BITS)
    count, heard = len(words).bit_length() - 1, np.arange(3 ** (len(words).bit_length() - 1))
    places = np.arange(count)
    digits = heard[:, None] // 3**places % 3
    agrees = ((digits == 2) | (digits == (words[:, None, None] >> places & 1))).all(axis=2)
    chances = np.array([nearest_float(partial(_erased_chance, count, e, erased)) for e in range(count + 1)])
    rows = np.where(agrees, chances[(digits == 2).sum(axis=1)], 0.0)
    text = f"{count} {labels}-labeled bits over a binary erasure channel, p = {p}"
    return DecidedMedium.of(rows, np.argmax(agrees, axis=0).tolist(), text)


def z_channel(bits: int, p: Number, *, labels: BitLabels = "natural") -> Medium:
    """Return the medium of `bits` uses of a Z channel: a 0 always arrives, a 1 arrives as 0 with probability p.

    Let the word of i have w ones. T[i, j] = p^d (1 - p)^(w - d) if the ones of j are among those of i, d fewer; else 0.
    Arguments, result and errors are those of `binary_symmetric`.
    """
    return _bitwise(bits, Fraction(0), probability(p, "p"), labels, f"Z channel, p = {p}")


def probability(value: Number, argument: str) -> Fraction:
    """Return a probability as an exact rational.

    Raises:
        InvalidParameter: not a number from 0 to 1.
    """
    found = exact(value, argument)
    if not 0 <= found <= 1:
        raise InvalidParameter(argument, value, "a number from 0 to 1")
    return found


def _bitwise(bits: int, up: Fraction, down: Fraction, labels: BitLabels, channel: str) -> Medium:
    """Return the medium from the chances that a 0 arrives as 1 (`up`) and a 1 as 0 (`down`)."""
    words = _words(bits, labels, MOST_BITS)
    count = len(words).bit_length() - 1
    sent = words[:, None]
    ones, falls = np.bitwise_count(sent), np.bitwise_count(sent & ~words)
    rises = np.bitwise_count(~sent & words)
    table = _chances(count, up, down)
    return Medium(table[ones, rises, falls], f"{count} {labels}-labeled bits over a {channel}")


def _words(bits: int, labels: BitLabels, most: int) -> Integers:
    """Return the word that each count is sent as."""
    count = integer(bits, "bits", least=1)
    if not count <= most:
        raise InvalidParameter("bits", bits, f"an integer from 1 to {most}")
    one_of(labels, "labels", ("natural", "gray"), "'natural' or 'gray'")
    return np.arange(2**count, dtype=np.int64) if labels == "natural" else gray_code(2**count)


def _erased_chance(bits: int, erasures: int, p: Fraction, precision: int) -> arb:
    return ball(p) ** erasures * ball(1 - p) ** (bits - erasures)


def _chances(bits: int, up: Fraction, down: Fraction) -> Floats:
    """Return the chances by the number of ones sent, and of bits that rose and fell."""

    def chance(ones: int, rises: int, falls: int, precision: int) -> arb:
        zeros_kept, ones_kept = ball(1 - up) ** (bits - ones - rises), ball(1 - down) ** (ones - falls)
        return zeros_kept * ball(up) ** rises * ones_kept * ball(down) ** falls

    table = np.zeros((bits + 1,) * 3)
    for ones in range(bits + 1):
        for rises in range(bits - ones + 1):
            for falls in range(ones + 1):
                table[ones, rises, falls] = nearest_float(partial(chance, ones, rises, falls))
    return table
