"""The draws of a table: each cell independently, and all cells with one maximum in one call."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hushcount.mechanisms import Mechanism

__all__ = ["draw_cells"]

Counts = NDArray[np.int64]

CHUNK = 2**17
"""Draws in one call: many enough for its set-up not to matter."""

REPORTED = 2**13
"""The least number of draws between two reports of progress."""

FEW = 8
"""Up to so many draws, single draws are quicker than the set-up of a bulk call."""


def draw_cells(
    law: Callable[[int], Mechanism], matching: Counts, maxima: Counts, progress: Callable[[float], None] | None = None
) -> Counts:
    """Draw released counts in place of the true ones, independently.

    Args:
        law: gives the mechanism that draws a cell, from its largest count.
        matching: the true counts; one above the maximum of its cell is treated as the maximum.
        maxima: the largest count of each cell, or one for all.
        progress: called from time to time with the part that is done, from 0 to 1.
    """
    cells = len(matching)
    maxima = np.broadcast_to(maxima, (cells,))
    true = np.minimum(matching, maxima)
    released = np.empty(cells, dtype=np.int64)
    order = np.argsort(maxima, kind="stable")
    starts = np.flatnonzero(np.diff(maxima[order], prepend=-1))
    reported = 0
    for start, end in zip(starts.tolist(), [*starts[1:].tolist(), cells][: len(starts)], strict=True):
        mechanism = law(int(maxima[order[start]]))
        for first in range(start, end, CHUNK):
            part = order[first : min(first + CHUNK, end)]
            if len(part) <= FEW:
                for cell in part.tolist():
                    released[cell] = mechanism.draw(int(true[cell]))
            else:
                released[part] = mechanism.draw(true[part])
            done = first + len(part)
            if progress is not None and (done - reported >= REPORTED or done == cells):
                progress(done / cells)
                reported = done
    return released
