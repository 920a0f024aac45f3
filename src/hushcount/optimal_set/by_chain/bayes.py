"""The chain that costs least for given weights of the true counts, and a proof of how good it can be at most.

    minimise   sum_j phi_j(x_j)   subject to   g(x_j) <= x_(j+1),

phi_j convex. From the last threshold on, let V_j(y) = min over x >= y of phi_j(x) + V_(j+1)(g(x)): it is convex and
does not fall, since g is convex and does not fall. So phi_j + V_(j+1)(g(.)) is convex, and with x* where it is least,
V_j(y) is its value at max(x*, y). Hence **pooling**: going down in j, a threshold that alone is least where
g(x_j) <= x_(j+1) holds stays alone; otherwise it moves together with its neighbour, x_(j+1) = g(x_j), and so on.

**Lower bound.** For any multipliers m_j >= 0 of the conditions, the least is at least

    sum_j min over x in [0, 1] of phi_j(x) + m_j g(x) - m_(j-1) x,

one-dimensional convex minima that are bounded from below rigorously (`thresholds.lower_bound`). "Designs by
thresholds" in docs/theory.md has both with proofs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from hushcount.numbers.arrays import UNIT, Floats
from hushcount.optimal_set.by_chain.loss_steps import LossSteps
from hushcount.optimal_set.by_chain.thresholds import Column, Thresholds

__all__ = ["BestForWeights", "best_for_weights"]


@dataclass(frozen=True, eq=False)
class BestForWeights:
    """The places of the best chain, and a lower bound of sum_i w_i (loss of i - l(i, i)) for every private
    mechanism."""

    places: list[Any]
    lower_bound: float
    pooled: int
    """Conditions of the chain that hold with equality, as far as pooling found."""


@dataclass
class _Block:
    """Thresholds first..last, of which each is at g of the one before."""

    first: int
    last: int
    place: Any


def best_for_weights(thresholds: Thresholds, steps: LossSteps, weights: Floats) -> BestForWeights:
    """See the module; weights >= 0, each within 2^-52 of the true one."""

    def columns(block: _Block) -> list[Column]:
        return [_column(steps, weights, j) for j in range(block.first, block.last + 1)]

    stack: list[_Block] = []  # from the last threshold to the first
    near = None
    for j in range(steps.n - 1, -1, -1):
        block = _Block(j, j, None)
        block.place = near = thresholds.least(columns(block), None, near)
        while stack:
            following = stack[-1]
            length = block.last - block.first + 1
            if thresholds.carried(block.place, length) <= following.place:
                break
            low = thresholds.first_above(following.place, length)
            block.last = following.last
            stack.pop()
            block.place = thresholds.least(columns(block), low, block.place)
        stack.append(block)
    places: list[Any] = []
    bounds: list[float] = []
    for block in reversed(stack):
        members = columns(block)
        joined = thresholds.multipliers(members, block.place) if len(members) > 1 else np.zeros(0)
        around = np.concatenate([[0.0], joined, [0.0]])
        for k, column in enumerate(members):
            place = thresholds.carried(block.place, k)
            places.append(place)
            whole = Column(column.costs, float(around[k + 1]), float(around[k]))
            bounds.append(thresholds.lower_bound(whole, place))
    total = math.fsum(bounds)
    return BestForWeights(places, total - 4 * UNIT * abs(total), steps.n - len(stack))


def _column(steps: LossSteps, weights: Floats, j: int) -> Column:
    below, above = steps.of_threshold(j)
    return Column((weights[j + 1 :] * below, weights[j::-1] * above))
