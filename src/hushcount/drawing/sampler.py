"""Exact draws.

A draw inverts the cumulative law at a uniform U in [0, 1) whose bits come from the operating system as they are needed:
64 first, and more as long as a threshold lies inside the interval that the known bits leave. Thresholds are rigorous
enclosures at a precision above the bits drawn. So the released count follows the mechanism's law exactly, for the exact
epsilon and delta: there is no rounding of a float whose size would depend on the true count [M12], and no modulo bias.

Most draws are decided by floats: from the top 53 bits a mechanism names the position that is sure for every completion
of them, by a proved bound on its own rounding (`nearest_fast`, `canonical_fast`, `explicit`), or none. Where there is
none, the enclosures decide about the same bits. A bulk call asks the same question once for each value of the 16
leading bits (`Guide`) and draws the other bits only where those do not settle it. All ways compute the same
function of U, so none of them changes the law. Where 0 is the only outcome, nothing is drawn.

Nothing is buffered, so a forked worker shares no randomness with its parent. How long a draw takes varies a little with
U; this does not protect against an observer who times single draws closely.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb, ctx
from numpy.typing import ArrayLike, NDArray

from hushcount.drawing.guide_table import GUIDE_BITS
from hushcount.drawing.law import Guide, Law
from hushcount.errors import InvalidParameter, TooLarge
from hushcount.inputs.arrays import array
from hushcount.numbers.arrays import Integers
from hushcount.numbers.enclosure import TooCoarse

__all__ = ["draw", "draw_from"]

Entropy = Callable[[int], bytes]
"""A source of randomness: number of bytes -> that many uniform, independent bytes."""

WORD_BITS = 64
CHUNK = 2**15
"""Draws in one pass, whose arrays stay in the processor's cache."""


@dataclass(frozen=True)
class Draws:
    """Released counts, and how many of them needed the enclosures."""

    released: Any
    exact: int


def draw(law: Law, true: int | ArrayLike) -> Any:
    """Draw independently and exactly from the operating system's generator; see `Mechanism.draw`."""
    return draw_from(os.urandom, law, true).released


def draw_from(entropy: Entropy, law: Law, true: int | ArrayLike) -> Draws:
    """Draw from a given source of bytes. Only tests and simulations pass another source than the operating system's.

    Raises:
        InvalidParameter: a true count that is not an integer from 0 to n; it is not repeated.
        TooLarge: an array of counts with n of 2**62 or more.
    """
    if isinstance(true, (int, np.integer, np.bool_)):
        count = law._checked_true(true)
        if law.n == 0:
            return Draws(0, 0)
        word = int.from_bytes(entropy(WORD_BITS // 8), "little")
        position = law._locate(count, (word >> 11) * 2.0**-53)
        if position >= 0:
            return Draws(law._outcome(count, position), 0)
        return Draws(law._outcome(count, _resolve(entropy, law, count, word)), 1)
    if not law.n < 2**62:
        raise TooLarge("arrays hold counts below 2**62; with a larger n, draw one count at a time")
    counts = _checked_counts(law, true)
    if law.n == 0:
        return Draws(counts, 0)
    flat = counts.ravel()
    positions = np.empty(len(flat), dtype=np.int64)
    guide = law._guide(flat)
    if guide is None:
        exact = _decide(entropy, law, flat, positions, None)
    else:
        unsure, leading = _settle(entropy, guide, flat, positions)
        left = np.empty(len(unsure), dtype=np.int64)
        exact = _decide(entropy, law, flat[unsure], left, leading)
        positions[unsure] = left
    for part in _parts(len(flat)):
        positions[part] = law._outcomes(flat[part], positions[part])
    return Draws(positions.reshape(counts.shape), exact)


def _parts(count: int) -> Iterator[slice]:
    return (slice(start, start + CHUNK) for start in range(0, count, CHUNK))


def _settle(entropy: Entropy, guide: Guide, true: Integers, positions: Integers) -> tuple[Integers, NDArray[np.uint16]]:
    """Write the positions that 16 leading bits settle. Return where they do not, and these bits there."""
    unsure, bits = [], []
    for part in _parts(len(true)):
        leading = np.frombuffer(entropy(GUIDE_BITS // 8 * len(true[part])), dtype="<u2")
        found = guide.positions_at(true[part], leading)
        positions[part] = found
        left = np.flatnonzero(found < 0)
        unsure.append(left + part.start)
        bits.append(leading[left])
    return np.concatenate(unsure), np.concatenate(bits)


def _decide(entropy: Entropy, law: Law, true: Integers, positions: Integers, leading: NDArray[np.uint16] | None) -> int:
    """Write the positions of uniforms, whose leading bits may be known. Return how many needed the enclosures."""
    exact = 0
    for part in _parts(len(true)):
        words = np.frombuffer(entropy(WORD_BITS // 8 * len(true[part])), dtype="<u8")
        if leading is not None:
            words = leading[part].astype(np.uint64) << np.uint64(WORD_BITS - GUIDE_BITS) | words >> np.uint64(
                GUIDE_BITS
            )
        found = law._locate_many(true[part], (words >> np.uint64(11)).astype(np.float64) * 2.0**-53)
        for k in np.flatnonzero(found < 0).tolist():
            found[k] = _resolve(entropy, law, int(true[part][k]), int(words[k]))
            exact += 1
        positions[part] = found
    return exact


def _resolve(entropy: Entropy, law: Law, true: int, word: int) -> int:
    """Return the position of the uniform whose first 64 bits are `word`, asking for more bits as needed."""
    bits = WORD_BITS
    low, high = 0, law.n
    while True:
        precision = bits + WORD_BITS
        with ctx.workprec(precision):
            unit = arb(2) ** -bits
            least, bound = word * unit, (word + 1) * unit
            while low < high:
                middle = (low + high + 1) // 2
                try:
                    threshold = law._below(true, middle, precision)
                except TooCoarse:
                    break
                if threshold <= least:
                    low = middle
                elif threshold >= bound:
                    high = middle - 1
                else:
                    break
            else:
                return low
        word = word << WORD_BITS | int.from_bytes(entropy(WORD_BITS // 8), "little")
        bits += WORD_BITS


def _checked_counts(law: Law, true: ArrayLike) -> NDArray[np.int64]:
    rule = f"integer counts from 0 to n = {law.n}"
    counts = array(true, "true", rule)
    if not counts.size:
        return np.zeros(counts.shape, dtype=np.int64)
    if counts.dtype.kind not in "iu" or not (counts.min() >= 0 and counts.max() <= law.n):
        raise InvalidParameter("true", None, rule)
    return counts.astype(np.int64)
