"""A table that settles most draws of a bulk call from the first bits of their uniforms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hushcount.drawing.law import Law
from hushcount.numbers.arrays import Integers

__all__ = ["FEWEST_GUIDED", "GUIDE_BITS", "Guide", "GuideTable"]

GUIDE_BITS = 16
"""A guide table settles most draws of a bulk call from this many bits, or fewer."""

DRAWS_PER_BIN = 16
"""Draws for each bin: a bin costs about as much as two draws without a table, and must pay."""

FEWEST_GUIDED = 2**10
"""The fewest draws of one row for which a table pays."""


class Guide(Protocol):
    """What settles most draws from 16 leading bits."""

    def positions_at(self, true: Integers, leading: NDArray[np.uint16]) -> Integers:
        """Return the positions that the 16 leading bits settle for each true count, or -1."""


@dataclass(frozen=True)
class GuideTable:
    """For each row and each value of the leading bits of U, the position that they settle, or -1.

    The inverse of a cumulative law is monotone, so a position that is sure at both ends of a bin is sure in all of it.
    Rows drawn more often get more bins.
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
        """Return a table with at most one bin for every 16 draws; None if there are too few draws of a row."""
        if len(true) < FEWEST_GUIDED:
            return None
        rows, _ = law._alike(true)
        base = int(rows.min())
        if not int(rows.max()) - base < len(true):
            return None
        counts = np.bincount(rows - base)
        if not counts.max() >= FEWEST_GUIDED:
            return None
        bits = np.minimum(GUIDE_BITS, np.log2(np.maximum(counts / DRAWS_PER_BIN, 1)).astype(np.int64))
        bins = np.where(counts > 0, 2**bits, 0)
        start = np.cumsum(bins) - bins
        row_of_bin = np.repeat(np.arange(len(bins)), bins)
        width = 2.0 ** -bits[row_of_bin]
        edges = (np.arange(len(row_of_bin)) - start[row_of_bin]) * width
        first = law._locate_many(row_of_bin + base, edges)
        last = law._locate_many(row_of_bin + base, edges + (width - 2.0**-53))
        return cls(law, base, start, (GUIDE_BITS - bits).astype(np.uint8), np.where(first == last, first, -1))

    def positions_at(self, true: Integers, leading: NDArray[np.uint16]) -> Integers:
        """See `Guide`."""
        alike, shift = self.law._alike(true)
        row = alike - self.base
        found = self.positions[self.start[row] + (leading.astype(np.int64) >> self.unused[row])]
        return np.where(found >= 0, found + shift, -1)
