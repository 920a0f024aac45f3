"""A table that settles most draws of a bulk call from the first bits of their uniforms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hushcount.mechanisms.base import Integers, Mechanism

__all__ = ["GUIDE_BITS", "GuideTable"]

GUIDE_BITS = 16
"""A guide table settles most draws of a bulk call from this many bits (or fewer of them)."""

DRAWS_PER_ENTRY = 16
"""A table entry costs about as much as ten draws without a table."""

FEWEST_GUIDED = 2**10
"""Draws per row below which a table would not pay."""


@dataclass(frozen=True)
class GuideTable:
    """For each row and each value of the leading bits of U, the position that they settle, or -1.

    The inverse of a cumulative law is monotone, so a position that is sure at both ends of a bin is sure in all of it.
    """

    mechanism: Mechanism
    bits: int
    base: int
    slots: Integers
    positions: Integers

    @classmethod
    def worth_building(cls, mechanism: Mechanism, true: Integers) -> GuideTable | None:
        """A table with an entry for every 16 draws, if there are enough draws for one; else None."""
        if len(true) < FEWEST_GUIDED:
            return None
        rows = mechanism._sampling_rows(true)
        base = int(rows.min())
        span = int(rows.max()) - base + 1
        if span > len(true) // FEWEST_GUIDED:
            return None
        present = np.flatnonzero(np.bincount(rows - base, minlength=span))
        bits = min(GUIDE_BITS, (len(true) // (DRAWS_PER_ENTRY * len(present))).bit_length() - 1)
        slots = np.zeros(span, dtype=np.int64)
        slots[present] = np.arange(len(present)) << bits
        edges = np.tile(np.arange(2**bits) * 2.0**-bits, len(present))
        whole = np.repeat(present + base, 2**bits)
        first = mechanism._locate_many(whole, edges)
        last = mechanism._locate_many(whole, edges + (2.0**-bits - 2.0**-53))
        return cls(mechanism, bits, base, slots, np.where(first == last, first, -1))

    def positions_at(self, true: Integers, leading: NDArray[np.uint16]) -> Integers:
        """The positions that the 16 leading bits settle for each true count, or -1."""
        bins = leading >> np.uint16(GUIDE_BITS - self.bits)
        return self.positions[self.slots[self.mechanism._sampling_rows(true) - self.base] + bins]
