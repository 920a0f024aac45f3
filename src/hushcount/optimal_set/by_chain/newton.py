"""The chain whose worst expected loss is least under Gaussian differential privacy, by Newton's method.

    minimise t   subject to   L_i(z) + s_i = t,   s_i >= 0   for all true counts i,

where z_j = Phi^-1(x_j) and L_i is the loss of i. With weights w of the true counts, the optimum is where

    sum_i w_i dL_i/dz_j = 0,   w_i s_i = 0,   w >= 0,   sum_i w_i = 1,

and an interior point method lets w_i s_i fall to 0. Losses are convex and separable in x, so the matrix of second
derivatives of sum_i w_i L_i is diagonal; taken in x, times (dx/dz)^2, it is >= 0 away from the optimum too:

    h_j = mu sum_i w_i |l(i, j + 1) - l(i, j)| k phi(z_j - k mu),   k = i - j,

since Phi(z - k mu) has the second derivative k mu phi(z - k mu) / phi(z)^2 in x = Phi(z). What is left to solve for w
has the matrix J diag(1 / h) J' + diag(s / w), J = (dL_i/dz_j).

**Any size.** Threshold j concerns only true counts within about 9 / mu of it. So J is a band; with blocks of columns
and blocks of rows that are shifted by half a block, each of at least twice that width, a block of columns concerns two
blocks of rows, and the matrix is block tridiagonal. Conditions of a chain are left aside: they bind for unusual losses
only. Nothing is believed of the answer: what is made of it is judged elsewhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hushcount.numbers.arrays import Floats
from hushcount.optimal_set.by_chain.interior_point import longest
from hushcount.optimal_set.by_chain.loss_steps import LossSteps, mirrored
from hushcount.promise.normal_floats import upper_tails

__all__ = ["BlockTridiagonal", "LeastWorstQuantiles", "least_worst_quantiles"]

_REACH = 12.0
_MOST_STEPS = 60
_ENOUGH = 1e-12
_IDLE, _ROUGHLY = 4, 1e-8
_FIRST = 0.1
_BACK = 0.995
_LONGEST_MOVE = 1.0
_LEAST_BLOCK = 256
_ROOT = math.sqrt(2 * math.pi)


@dataclass(frozen=True, eq=False)
class LeastWorstQuantiles:
    """Quantiles z of all thresholds, and weights w of all true counts, which sum to 1."""

    z: Floats
    weights: Floats


def least_worst_quantiles(mu: float, steps: LossSteps, lift: float, *, is_mirrored: bool) -> LeastWorstQuantiles:
    """See the module; losses times `lift` should be about 1 in size."""
    with np.errstate(all="ignore"):  # a step that is not finite ends the search
        z, weights = _least_worst(_Losses(mu, steps, lift, is_mirrored=is_mirrored))
    if is_mirrored:
        z = np.concatenate([z, np.full(steps.n % 2, mu / 2), mu - z[::-1]])
        weights = mirrored(weights, steps.n)
    return LeastWorstQuantiles(z, weights)


def _least_worst(problem: _Losses) -> tuple[Floats, Floats]:
    z, w = np.full(problem.free, problem.mu / 2), np.full(problem.rows, 1 / problem.rows)
    losses, every, h = problem.at(z, w)
    t = float(losses.max()) + _FIRST
    s = t - losses
    best, least, idle = (z, w), math.inf, 0
    for _ in range(_MOST_STEPS):
        r_rows, r_sum, r_dual = losses - t + s, 1 - w.sum(), problem.transposed(every, w)
        gap = float(w @ s)
        left = gap + float(np.abs(r_rows).max())
        idle = idle + 1 if left > least / 2 else 0
        if left < least:
            best, least = (z, w), left
        if least <= _ENOUGH or not math.isfinite(left) or (idle > _IDLE and least < _ROUGHLY):
            break
        try:
            matrix = problem.normal_matrix(every, h, s / w)
        except np.linalg.LinAlgError:  # as near as floats come
            break
        target: Floats | float = 0.0
        for is_corrector in (False, True):
            # w ds + s dw = target - w s, and so on; the matrix is that of dw
            right = r_rows + (target - w * s) / w - problem.times(every, r_dual / h)
            solved = matrix.solve(np.column_stack([right, np.ones(problem.rows)]))
            dt = float((solved[:, 0].sum() - r_sum) / solved[:, 1].sum())
            dw = solved[:, 0] - dt * solved[:, 1]
            ds = (target - w * s - s * dw) / w
            dz = -(r_dual + problem.transposed(every, dw)) / h
            primal, dual = min(1.0, longest((s, ds))), min(1.0, longest((w, dw)))
            if not is_corrector:
                ahead = float((w + dual * dw) @ (s + primal * ds))
                target = max(gap * (ahead / gap) ** 3, _ENOUGH / 10) / problem.rows - dw * ds
        primal = min(_BACK * primal, _LONGEST_MOVE / float(np.abs(dz).max(initial=_LONGEST_MOVE)))
        z, t, s, w = z + primal * dz, t + primal * dt, s + primal * ds, w + _BACK * dual * dw
        losses, every, h = problem.at(z, w)
    return best


@dataclass(frozen=True, eq=False)
class _Block:
    """Thresholds first..last - 1, and the true counts that they concern.

    Attributes:
        factors: |l(i, j + 1) - l(i, j)|, one row for each true count.
        away: i - j.
        kept: how many true counts are in the half that is kept.
        start, back: the row of the first of those, and of the last one of the others, which is kept at n - i.
        height: of the two blocks of rows.
    """

    first: int
    last: int
    factors: Floats
    away: Floats
    kept: int
    start: int
    back: int
    height: int

    def folded(self, values: Floats) -> Floats:
        """Return values of true counts as rows of the two blocks, i and n - i added up."""
        found = np.zeros((self.height, *values.shape[1:]))
        found[self.start : self.start + self.kept] = values[: self.kept]
        others = values[: self.kept - 1 if self.kept else None : -1]
        found[self.back : self.back + len(others)] += others
        return found


class _Losses:
    """Losses and their derivatives, by blocks.

    Attributes:
        free, rows: how many thresholds and true counts (of a half, where the other is its mirror image).
        edges: where each block of rows begins, and the last one ends.
    """

    def __init__(self, mu: float, steps: LossSteps, lift: float, *, is_mirrored: bool) -> None:
        self.mu, self.n = mu, steps.n
        self.free, self.rows = (self.n // 2, self.n // 2 + 1) if is_mirrored else (self.n, self.n + 1)
        self.base = steps.base[: self.rows] * lift
        reach = min(math.ceil(_REACH / mu) + 1, self.n)
        count = max(1, self.free // max(2 * reach + 4, _LEAST_BLOCK))
        cuts = [round(self.free * c / (2 * count)) for c in range(2 * count + 1)]
        self.edges = [0, *cuts[1::2], self.rows]
        self.blocks = [self._block(steps, lift, cuts[2 * c], cuts[2 * c + 2], c, reach) for c in range(count)]
        if is_mirrored and self.n % 2:
            middle = self.n // 2
            block = self._block(steps, lift / 2, middle, middle + 1, count - 1, reach)
            self.base[self.edges[count - 1] :] += self._values(block, np.array([mu / 2]))

    def _block(self, steps: LossSteps, lift: float, first: int, last: int, c: int, reach: int) -> _Block:
        j = np.arange(first, last)
        i = np.arange(max(0, first - reach), min(self.n, last + reach) + 1)
        factors = steps.between(i, j) * lift
        kept = min(self.rows - int(i[0]), len(i))
        if self.rows <= self.n and self.n % 2 == 0:
            factors[i == self.n // 2] *= 2  # its own mirror image
        edge = self.edges[c]
        away = (i[:, None] - j).astype(np.float64)
        return _Block(
            first, last, factors, away, kept, int(i[0]) - edge, self.n - int(i[-1]) - edge, self.edges[c + 2] - edge
        )

    def _places(self, block: _Block, z: Floats) -> Floats:
        """Return how far each threshold is on the near side."""
        x = z - self.mu * block.away
        return np.where(block.away > 0, -x, x)

    def _values(self, block: _Block, z: Floats) -> Floats:
        return block.folded((block.factors * upper_tails(self._places(block, z))).sum(axis=1))

    def at(self, z: Floats, w: Floats) -> tuple[Floats, list[Floats], Floats]:
        """Return the losses, their derivatives by blocks of thresholds, and h for weights w."""
        losses, every, h = self.base.copy(), [], np.empty(self.free)
        for c, block in enumerate(self.blocks):
            rows, columns = slice(self.edges[c], self.edges[c + 2]), slice(block.first, block.last)
            x = self._places(block, z[columns])
            density = block.factors * (np.exp(-0.5 * x * x) / _ROOT)
            losses[rows] += block.folded((block.factors * upper_tails(x)).sum(axis=1))
            every.append(block.folded(np.where(block.away > 0, density, -density)))
            h[columns] = self.mu * (w[rows] @ block.folded(density * np.abs(block.away)))
        return losses, every, h

    def transposed(self, every: list[Floats], w: Floats) -> Floats:
        """Return sum_i w_i dL_i/dz."""
        return np.concatenate([w[self.edges[c] : self.edges[c + 2]] @ part for c, part in enumerate(every)])

    def times(self, every: list[Floats], v: Floats) -> Floats:
        """Return sum_j v_j dL/dz_j."""
        found = np.zeros(self.rows)
        for c, (block, part) in enumerate(zip(self.blocks, every, strict=True)):
            found[self.edges[c] : self.edges[c + 2]] += part @ v[block.first : block.last]
        return found

    def normal_matrix(self, every: list[Floats], h: Floats, diagonal: Floats) -> BlockTridiagonal:
        """Return J diag(1 / h) J' + a diagonal."""
        parts = [np.diag(diagonal[a:b]) for a, b in pairwise(self.edges)]
        beside = []
        for c, (block, part) in enumerate(zip(self.blocks, every, strict=True)):
            middle = self.edges[c + 1] - self.edges[c]
            whole = (part / h[block.first : block.last]) @ part.T
            parts[c] += whole[:middle, :middle]
            parts[c + 1] += whole[middle:, middle:]
            beside.append(whole[:middle, middle:])
        return BlockTridiagonal.of(parts, beside)


@dataclass(frozen=True, eq=False)
class BlockTridiagonal:
    """A symmetric matrix, positive definite, of blocks on the diagonal and beside it, after elimination.

    Attributes:
        eliminated: the inverse of each block of the diagonal, after elimination of those before.
        beside: the blocks to the right of the diagonal.
    """

    eliminated: list[Floats]
    beside: list[Floats]

    @classmethod
    def of(cls, diagonal: list[Floats], beside: list[Floats]) -> BlockTridiagonal:
        eliminated = [_inverse(diagonal[0])]
        for block, upper in zip(diagonal[1:], beside, strict=True):
            eliminated.append(_inverse(block - upper.T @ eliminated[-1] @ upper))
        return cls(eliminated, beside)

    def solve(self, right: Floats) -> Floats:
        """Solve for several columns at once."""
        parts = np.split(right, np.cumsum([len(block) for block in self.eliminated])[:-1])
        for k, upper in enumerate(self.beside):
            parts[k + 1] = parts[k + 1] - upper.T @ (self.eliminated[k] @ parts[k])
        found = [self.eliminated[-1] @ parts[-1]]
        for k in range(len(self.beside) - 1, -1, -1):
            found.append(self.eliminated[k] @ (parts[k] - self.beside[k] @ found[-1]))
        return np.concatenate(found[::-1])


def _inverse(block: Floats) -> Floats:
    return np.asarray(np.linalg.inv(block), dtype=np.float64)
