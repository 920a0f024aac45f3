"""A table that settles most draws of a bulk call from the first bits of their uniforms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hushcount.drawing.law import Law
from hushcount.numbers.arrays import Integers

__all__ = ["FEWEST_GUIDED", "GUIDE_BITS", "GuideTable"]

GUIDE_BITS = 16
"""A guide table settles most draws of a bulk call from this many bits, or fewer."""

SAMPLE = 2**13
"""Draws that are looked at to see how often which row is drawn."""

FEWEST_GUIDED = 2**10
"""The fewest draws of one row for which a table pays."""


@dataclass(frozen=True)
class GuideTable:
    """For each row and each value of the leading bits of U, the position that they settle, or -1.

    The inverse of a cumulative law is monotone, so a position that is sure at both ends of a bin is sure in all of it.
    Rows drawn more often get more bins; those not seen in a sample of the draws get one that settles nothing.
    """

    law: Law
    base: int
    start: Integers
    """Where the bins of a row begin, by row - base."""
    unused: NDArray[np.uint8]
    """How many of the leading bits a row leaves unused."""
    positions: Integers

    @classmethod
    def worth_building(cls, law: Law, true: Integers) -> GuideTable | None:
        """Return a table, or None if there are too few draws of a row.

        A bin costs about as much as a draw without a table, and draws without one are the fewer the more bins there
        are: the best number is a multiple of the root of the number of draws.
        """
        if len(true) < FEWEST_GUIDED:
            return None
        sample = true[:: -(-len(true) // SAMPLE)]
        rows, _ = law._alike(sample)
        base = int(rows.min()) - 1
        if not int(rows.max()) - base < len(true):
            return None
        counts = np.bincount(rows - base, minlength=int(rows.max()) - base + 2) * (len(true) / len(sample))
        if not counts.max() >= FEWEST_GUIDED:
            return None
        wanted = np.minimum(8 * np.sqrt(counts), counts / 4)
        bits = np.minimum(GUIDE_BITS, np.log2(np.maximum(wanted, 1))).astype(np.int64)
        bins = 2**bits
        start = np.cumsum(bins) - bins
        row = np.repeat(np.arange(len(bins)), bins)
        seen = np.flatnonzero(counts[row] > 0)
        width = 2.0 ** -bits[row]
        edges = (np.arange(len(row)) - start[row]) * width
        first, last = np.full(len(row), -1), np.full(len(row), -1)
        first[seen] = law._locate_many(row[seen] + base, edges[seen])
        # What is sure at the beginning of the next bin is sure just below it, or is not the same.
        last[:-1] = first[1:]
        ends = (start + bins - 1)[counts > 0]
        last[ends] = law._locate_many(row[ends] + base, np.full(len(ends), 1 - 2.0**-53))
        return cls(law, base, start, (GUIDE_BITS - bits).astype(np.uint8), np.where(first == last, first, -1))

    def positions_at(self, true: Integers, leading: NDArray[np.uint16]) -> Integers:
        """See `Guide`."""
        alike, shift = self.law._alike(true)
        row = np.clip(alike - self.base, 0, len(self.start) - 1)
        found = self.positions[self.start[row] + (leading.astype(np.int64) >> self.unused[row])]
        return np.where(found >= 0, found + shift, -1)
