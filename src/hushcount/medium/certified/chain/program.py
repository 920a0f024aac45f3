"""The linear program of a fixed medium T as a chain of rows, and what any multipliers prove about it.

    maximize t subject to: rows P_i distributions, S = P T, S_ii >= t, and for every link L = (a, b) of adjacent rows
    sum_j max(0, r_Lj) <= q delta, with r_L = q S_a - S_b and q = e^-epsilon.

Links go both ways. Where T is mirrored and M even, P may be mirrored too (averaging P with its mirror image keeps
everything), so that the rows of the first half are all there is: the next row of its last one is that row turned round,
and both links between them say the same.

*Middle rows alone.* Let the first a rows be left out (and the last a; it is the same from the other side). Privacy from
row a down to j < a holds d = a - j times, with slacks sigma_k >= 0 of sum at most delta each:

    S_aj >= q^d t - u_j,   u_j = sum_(k <= d) q^k sigma_kj,   so that   sum_(j >= a - D) u_j <= delta (q + ... + q^D).

So what remains, with S_aj >= q^d t - u_j, still bounds t. It misses something that falls exponentially with the number
of rows that remain, more slowly where a symbol is received as more others: the middle rows are the hardest to serve.

*Any multipliers bound t.* Write the lower limits of entries as S_(row, column) >= share t - u. For w >= 0 on them and z
>= 0 on links and columns, sum_j z_Lj r_Lj <= q delta max_j z_Lj, so

    t sum share w <= sum_i S_i . c_i + q delta sum_L max_j z_Lj + sum w u,
    c_i = sum_(row = i) w e_column - q sum_(L = (i, .)) z_L + sum_(L = (., i)) z_L,

S_i . c_i = P_i . T c_i <= max_l (T c_i)_l, because P_i is a distribution, and sum_j w_j u_j <= delta sum_D q^D
max_(d >= D) w_(a - d), because what the D-th step allows to be missing may lie at any d >= D.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hushcount.medium.medium import Medium
from hushcount.numbers.arrays import UNIT, Floats
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["ChainProgram", "Limits"]

_NEGLIGIBLE = 2.0**-60
"""A share of t that is not worth a limit."""

_UNSEEN = 1e-40
"""The share of a column's largest entry below which an entry does not matter to a step."""

_UNDERFLOW = 2.0**-900
"""More than all that underflows below, multiplied by the number of terms and the size of the multipliers."""


@dataclass(frozen=True, eq=False)
class Limits:
    """The entries of S that must be at least a share of t: their rows, columns and shares."""

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    shares: Floats

    def of(self, S: Floats) -> Floats:
        """Return these entries."""
        found: Floats = S[self.rows, self.columns]
        return found

    def add(self, S: Floats, values: Floats) -> None:
        """Add a number to each of these entries, which all differ."""
        S[self.rows, self.columns] += values


@dataclass(frozen=True, eq=False)
class ChainProgram:
    """The program for one medium and promise.

    Attributes:
        T: the medium, each row over its exact sum, within 2^-52 of itself.
        q: e^-epsilon, within 2^-52 of itself.
        delta: within 2^-52 of itself.
        is_halved: whether the rows of the first half stand for all.
        left_out: a, how many rows are left out at either end.
    """

    T: Floats
    q: float
    delta: float
    is_halved: bool
    left_out: int = 0

    @classmethod
    def of(cls, medium: Medium, privacy: EpsilonDelta, left_out: int = 0) -> ChainProgram:
        is_halved = medium.is_mirrored and medium.order % 2 == 0
        return cls(medium.shares, privacy.shrinkage, float(privacy.delta), is_halved, left_out)

    @property
    def columns(self) -> int:
        """M."""
        return len(self.T)

    @cached_property
    def rows(self) -> int:
        """How many rows are solved for."""
        return (self.columns // 2 if self.is_halved else self.columns - self.left_out) - self.left_out

    @cached_property
    def reach(self) -> int:
        """How many of the rows left out row a speaks of: as long as a power of q is not negligible."""
        return int((self.q ** np.arange(1, self.left_out + 1) > _NEGLIGIBLE).sum())

    @cached_property
    def seen(self) -> Floats:
        """T without what is negligible beside the largest entry of its column, for use where T is not judged.

        Products of such entries underflow, gradually, and processors take a hundred times as long for those numbers.
        """
        return np.where(_UNSEEN * self.T.max(axis=0) < self.T, self.T, 0.0)

    @property
    def spare(self) -> float:
        """q delta, what a link may have in excess."""
        return self.q * self.delta

    @cached_property
    def limits(self) -> Limits:
        """The lower limits of entries: the diagonal, then what row a says of the rows left out, nearest first."""
        own, a = np.arange(self.rows), self.left_out
        steps = np.arange(1, self.reach + 1)
        powers = self.q**steps
        ends = [(0, a - steps)] if self.is_halved else [(0, a - steps), (self.rows - 1, self.columns - 1 - a + steps)]
        return Limits(
            np.concatenate([own, *(np.full(len(steps), row) for row, _ in ends)]),
            np.concatenate([own + a, *(columns for _, columns in ends)]),
            np.concatenate([np.ones(self.rows), *(powers for _ in ends)]),
        )

    @cached_property
    def links(self) -> int:
        """How many links there are: those to the next row, those back, and the one to the turned row."""
        return 2 * (self.rows - 1) + self.is_halved

    def excess(self, S: Floats) -> Floats:
        """Return r_L for all links: those forward, those backward, and the one to the turned row."""
        parts = [self.q * S[:-1] - S[1:], self.q * S[1:] - S[:-1]]
        if self.is_halved:
            parts.append((self.q * S[-1] - S[-1, ::-1])[None])
        return np.concatenate(parts)

    def pulled_back(self, z: Floats, q: float | None = None, sign: float = -1.0) -> Floats:
        """Return sum_L z_L dr_L / dS, the adjoint of `excess`; with other factors for q and -1 where given."""
        q, R = self.q if q is None else q, self.rows
        forward, backward = z[: R - 1], z[R - 1 : 2 * R - 2]
        found = np.zeros((R, self.columns))
        found[:-1] += q * forward + sign * backward
        found[1:] += q * backward + sign * forward
        if self.is_halved:
            found[-1] += q * z[-1] + sign * z[-1, ::-1]
        return found

    def whole(self, P: Floats) -> Floats:
        """Return all rows."""
        return np.concatenate([P, P[::-1, ::-1]]) if self.is_halved else P

    def bound(self, w: Floats, z: Floats) -> float:
        """Return an upper bound of t by the multipliers w of the limits and z of the links, rounded up; infinite where
        they prove nothing.

        u = 2^-52. c_ij has at most seven terms, of which those with q are off by 2 u and the others exact: it is within
        8 u of the sum a_ij of their absolute values. A product with T_lj adds 2 u, and a sum of M terms M u / 2: (T
        c_i)_l is within (M / 2 + 12) u of (T a_i)_l, which in floats is off by less than (M + 12) u of itself. A power
        of q is off by 2 u for each factor.
        """
        if not (np.all(np.isfinite(w)) and np.all(np.isfinite(z))):
            return math.inf
        w, z, M, a = np.maximum(w, 0.0), np.maximum(z, 0.0), self.columns, self.reach
        c, sizes = -self.pulled_back(z), self.pulled_back(z, sign=1.0)
        self.limits.add(c, w)
        self.limits.add(sizes, w)
        tiny = _UNDERFLOW * M * (1 + float(z.sum()) + float(w.sum()))
        sent = c @ self.T.T + (sizes @ self.T.T) * ((M + 24) * UNIT)
        parts = (sent.max(axis=1) + tiny).tolist()
        parts += (self.spare * z.max(axis=1, initial=0.0) * (1 + 8 * UNIT)).tolist()
        for beyond in w[self.rows :].reshape(-1, a) if a else ():
            worst = np.maximum.accumulate(beyond[::-1])[::-1]
            parts += (self.delta * self.q ** np.arange(1, a + 1) * worst * (1 + (2 * a + 8) * UNIT)).tolist()
        total = math.fsum(parts)
        weight = math.fsum((w * self.limits.shares * (1 - (2 * a + 4) * UNIT)).tolist())
        if not (weight > 0 and total >= 0 and math.isfinite(total)):
            return math.inf
        return total / weight * (1 + 8 * UNIT)
