"""What identical rows come to, which are nearly the best where a promise lets rows hardly differ.

With all rows of P alike, t = min_i (r T)_i: its best row r is found by a linear program in M unknowns, whose dual has
weights w >= 0 of sum 1 with max_l (T w)_l = t. As multipliers of the whole program (`ChainProgram`) they are spread
over all rows: links carry z from row to row, so that at q = 1 every c_i is w / M and the bound is max_l (T w)_l. At any
other promise it loses about M (1 - q + delta) of it, at most. Where outputs are read as counts, what is read is no less
private than they are, so that the bound holds.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hushcount.medium.certified.chain.program import ChainProgram
from hushcount.medium.certified.chain.solved import Solved
from hushcount.medium.medium import Medium
from hushcount.medium.mixture import best_mixture
from hushcount.numbers.arrays import UNIT
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["identical_rows"]


def identical_rows(medium: Medium, privacy: EpsilonDelta) -> Solved | None:
    """Return the best identical rows, and the bound of their duals; None if a linear program fails."""
    T, M = medium.shares, medium.order
    row, weights = best_mixture(T), best_mixture(-T.T, least=-1.0)
    if row is None or weights is None:
        return None
    flow = np.cumsum(np.diag(weights) - weights / M, axis=0)[:-1]
    z = np.concatenate([np.maximum(flow, 0.0), np.maximum(-flow, 0.0)])
    program = replace(ChainProgram.of(medium, privacy), is_halved=False)
    return Solved(np.tile(row, (M, 1)), 1 - program.bound(weights, z) - 2 * UNIT)
