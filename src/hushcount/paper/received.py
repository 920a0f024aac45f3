"""p_e*(T) between two numbers, each with a proof that a few lines of arithmetic can check.

**From above** by a mechanism G: its rows are distributions, and S = G T is private for every subset of (2). Then 1 -
gamma(S) is reached, whoever proposed G.

**From below** by multipliers: w_i >= 0 that sum to 1, and for each ordered pair L = (k, i) of adjacent rows a vector
z_L >= 0. Whatever G is, with q = e^-epsilon and c_i = w_i e_i - q sum_{L=(i,.)} z_L + sum_{L=(.,i)} z_L,

    gamma(S) <= sum_i w_i S_ii = sum_i c_i . S_i + sum_L z_L . (q S_k - S_i)
             <= sum_i max_l (T c_i)_l + q delta sum_L max_j z_Lj,

since row i of S is a mixture of the rows of T, and by (2) the positive parts of q S_k - S_i sum to at most q delta.
This holds for all multipliers, whoever proposed them; a linear program proposes good ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hushcount.errors import SolverFailed
from hushcount.linear_program.model import ModelBuilder
from hushcount.linear_program.solver import solve
from hushcount.numbers.arrays import Floats
from hushcount.paper.formulas import worst_error
from hushcount.paper.generic import adjacent, subset_excess

__all__ = ["Bracket", "least_received_error", "received_error"]

_ROUNDING = 1e-13
"""The rounding of sums of some dozen products of floats up to 1."""


@dataclass(frozen=True)
class Bracket:
    """lower <= p_e*(T) <= upper, each proved up to rounding."""

    lower: float
    upper: float

    @property
    def width(self) -> float:
        return self.upper - self.lower


def received_error(T: Floats, epsilon: float, delta: float, G: Floats) -> float:
    """Return 1 - gamma(G T), which is no less than p_e*(T); infinite where G is no mechanism or G T is not private."""
    S = G @ T
    is_stochastic = G.min() >= 0 and np.abs(G.sum(axis=1) - 1).max() <= _ROUNDING
    is_private = subset_excess(S, epsilon) <= delta + _ROUNDING
    return worst_error(S) if is_stochastic and is_private else math.inf


def least_received_error(T: Floats, epsilon: float, delta: float) -> float:
    """Return a lower bound of p_e*(T), close to the best, by the multipliers of a linear program."""
    M, q = len(T), math.exp(-epsilon)
    pairs = adjacent(M)
    builder = ModelBuilder()
    w, z = builder.columns(M), builder.columns((len(pairs), M), upper=float(M))
    most = builder.columns(M, lower=-float(M), upper=float(M), cost=1.0)
    builder.rows([(w[None, :], 1.0)], lower=1.0, upper=1.0)
    for i in range(M):
        terms = [(np.full(M, w[i]), T[:, i]), (np.full(M, most[i]), np.full(M, -1.0))]
        for number, pair in enumerate(pairs):
            if i in pair:
                terms.append((np.broadcast_to(z[number], T.shape), -q * T if pair[0] == i else T))
        builder.rows(terms, upper=0.0)
    if delta > 0:
        worst = builder.columns(len(pairs), upper=float(M), cost=q * delta)
        builder.rows([(z.ravel(), 1.0), (np.repeat(worst, M), -1.0)], upper=0.0)
    found = solve(builder.build())
    if found.x is None:
        raise SolverFailed(f"no multipliers found: {found.outcome.value}")
    weights = found.x[w] / found.x[w].sum()  # not negative, since the solver keeps the columns' bounds
    return 1 - _proved(T, q, delta, pairs, weights, found.x[z])


def _proved(T: Floats, q: float, delta: float, pairs: list[tuple[int, int]], w: Floats, z: Floats) -> float:
    """Return what gamma(G T) cannot exceed, by multipliers (see the head of the module)."""
    c = np.diag(w)
    for (k, i), given in zip(pairs, z, strict=True):
        c[k] -= q * given
        c[i] += given
    return float((T @ c.T).max(axis=0).sum() + q * delta * z.max(axis=1).sum())
