"""Computations that know nothing of the theorems, against which the statements are checked.

They go through all subsets of (2), solve the linear program (6) as it is printed, or multiply plain matrices.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hushcount.errors import SolverFailed
from hushcount.linear_program.model import ModelBuilder
from hushcount.linear_program.polytope import Columns, add_distributions, matrix_columns
from hushcount.linear_program.solution import Solution
from hushcount.linear_program.solver import Solver
from hushcount.numbers.arrays import Floats
from hushcount.paper.formulas import alpha
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = [
    "SubsetProgram",
    "adjacent",
    "entry_ranges",
    "least_error_probability",
    "members",
    "optimal_set",
    "run_of_row",
    "subset_excess",
    "subsets",
]


_CLOSE = 1e-10
"""How close a bound must be to the objective; otherwise the program is solved again."""


@lru_cache(maxsize=16)
def subsets(M: int) -> NDArray[np.bool_]:
    """Return all nonempty subsets of M outcomes, shape (2^M - 1, M)."""
    found = ((np.arange(1, 2**M)[:, None] >> np.arange(M)) & 1).astype(np.bool_)
    found.setflags(write=False)
    return found


def adjacent(M: int) -> list[tuple[int, int]]:
    """Return all ordered pairs (k, i) of rows with |k - i| = 1."""
    down = list(pairwise(range(M)))
    return [*down, *((k, i) for i, k in down)]


def subset_excess(matrix: Floats, epsilon: float) -> float:
    """Return the least delta in (2): the maximum of P_k(U) - e^epsilon P_i(U) over adjacent rows and all subsets U,
    one by one."""
    mass = subsets(matrix.shape[1]) @ matrix.T
    growth = math.exp(epsilon)
    return float(np.max([(mass[:, k] - growth * mass[:, i]).max() for k, i in adjacent(len(matrix))]))


class SubsetProgram:
    """The constraints of (6) as printed, among them 2 (M - 1) (2^M - 1) of privacy, each multiplied by q.

    Args:
        M: the number of outcomes.
        epsilon, delta: the promise.
        diagonal: the least value of every diagonal entry. At the largest that is possible, the program describes the
            set of all optima.
    """

    def __init__(self, M: int, epsilon: float, delta: float, diagonal: float = 0.0) -> None:
        privacy, builder, chosen = EpsilonDelta.of(epsilon, delta), ModelBuilder(), subsets(M)
        q, lower = privacy.shrinkage, np.where(np.eye(M, dtype=np.bool_), diagonal, 0.0)
        self.M, self.entries = M, matrix_columns(builder, M, lower)
        self.least = int(builder.columns(1)[0])
        add_distributions(builder, self.entries)
        for k, i in adjacent(M):
            rows = [np.broadcast_to(self.entries[r], chosen.shape) for r in (k, i)]
            builder.rows([(rows[0], q * chosen), (rows[1], -1.0 * chosen)], upper=q * delta)
        diagonals = np.diagonal(self.entries)
        builder.rows([(np.full(M, self.least), 1.0), (diagonals, -1.0)], upper=0.0)
        self._solver = Solver(builder.build())

    def lowest(self, gain: Floats) -> float:
        """Return a lower bound of sum_ij gain_ij p_ij, close to its least value and certified by the duals."""
        return self._minimised(self.entries, gain).bound

    def range(self, gain: Floats) -> tuple[float, float]:
        """Return bounds of sum_ij gain_ij p_ij, rounded outward.

        They are infinite if no matrix meets the constraints, since anything is true of the members of an empty set.
        """
        low, high = self.lowest(gain), -self.lowest(-gain)
        return (low, high) if low <= high + _CLOSE else (-math.inf, math.inf)

    def vertex(self, gain: Floats) -> Floats:
        """Return a matrix that minimizes sum_ij gain_ij p_ij, up to a solver's accuracy."""
        found = self._minimised(self.entries, gain)
        if found.x is None:
            raise SolverFailed(f"no optimum found: {found.outcome.value}")
        point: Floats = found.x[self.entries]
        return point

    def largest_diagonal(self) -> float:
        """Return an upper bound of the objective of (6), certified."""
        return -self._minimised(self.least, -1.0).bound

    def _minimised(self, columns: Columns | int, weights: Floats | float) -> Solution:
        cost = np.zeros(self._solver.model.columns)
        cost[columns] = weights
        found = self._solver.minimise(cost)
        if found.gap > _CLOSE:  # the last vertex was a bad place to start from
            self._solver = Solver(self._solver.model)
            found = self._solver.minimise(cost)
        return found


@lru_cache(maxsize=1024)
def least_error_probability(M: int, epsilon: float, delta: float) -> float:
    """Return p_e* from (6), by the linear program and its duals, rounded down."""
    return 1 - SubsetProgram(M, epsilon, delta).largest_diagonal()


def optimal_set(M: int, epsilon: float, delta: float) -> SubsetProgram:
    """Return all optima as a program: private, with every diagonal entry at least 1 - p_e* by (10).

    (10) is itself checked against `least_error_probability`.
    """
    return SubsetProgram(M, epsilon, delta, delta + (1 - delta) * alpha(M, epsilon))


def run_of_row(M: int, i: int, first: int, last: int) -> Floats:
    """Return the gain that sums a run of entries of row i: 1 from column `first` to `last`, all counted from 0; 0
    elsewhere."""
    found = np.zeros((M, M))
    found[i, first : last + 1] = 1.0
    return found


@lru_cache(maxsize=256)
def entry_ranges(M: int, epsilon: float, delta: float) -> tuple[Floats, Floats]:
    """Return bounds of each p_ij over the optima, rounded outward: two matrices, by two programs for each entry."""
    program = optimal_set(M, epsilon, delta)
    ends = np.array([program.range(run_of_row(M, i, j, j)) for i, j in np.ndindex(M, M)])
    low, high = np.ascontiguousarray(ends.T).reshape(2, M, M)
    low.setflags(write=False)
    high.setflags(write=False)
    return low, high


def members(M: int, epsilon: float, delta: float, count: int) -> list[Floats]:
    """Return vertices of the set of optima in random directions, and a random mixture of all of them."""
    rng, program = np.random.default_rng(M), optimal_set(M, epsilon, delta)
    found = [program.vertex(rng.standard_normal((M, M))) for _ in range(count)]
    return [*found, np.tensordot(rng.dirichlet(np.ones(count)), np.array(found), axes=1)]
