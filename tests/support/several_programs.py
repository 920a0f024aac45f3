"""Linear programs under several (epsilon, delta) at once, by scipy."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix

Pairs = Sequence[tuple[float, float]]


class Program:
    """Stochastic M x M matrices P, each entry a variable, that keep all pairs between rows up to a distance; with
    `extra` more variables."""

    def __init__(self, M: int, pairs: Pairs, extra: int = 0, distance: int = 1) -> None:
        self.M = M
        self.rows: list[dict[int, float]] = []
        self.bounds: list[float] = []
        size = M * M
        for epsilon, delta in pairs:
            growth = math.exp(epsilon)
            for a, b in [(i, k) for i in range(M) for k in range(M) if 0 < abs(i - k) <= distance]:
                slacks = range(size, size + M)
                for j, slack in enumerate(slacks):
                    self.at_most({a * M + j: 1.0, b * M + j: -growth, slack: -1.0}, 0.0)
                self.at_most(dict.fromkeys(slacks, 1.0), delta)
                size += M
        self.first_extra, self.size = size, size + extra

    def at_most(self, row: dict[int, float], bound: float) -> None:
        self.rows.append(row)
        self.bounds.append(bound)

    def largest(self, gain: dict[int, float]) -> tuple[float, np.ndarray]:
        """Return the optimum and its matrix."""
        entries = [(i, column, value) for i, row in enumerate(self.rows) for column, value in row.items()]
        i, columns, values = zip(*entries, strict=True)
        M = self.M
        sums = coo_matrix((np.ones(M * M), (np.repeat(np.arange(M), M), np.arange(M * M))), shape=(M, self.size))
        cost = np.zeros(self.size)
        for column, value in gain.items():
            cost[column] = -value
        tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
        A = coo_matrix((values, (i, columns)), shape=(len(self.rows), self.size))
        found = linprog(cost, A, self.bounds, sums, np.ones(M), bounds=(0, 1), method="highs", options=tight)
        assert found.status == 0, found.message
        return -found.fun, found.x[: M * M].reshape(M, M)


def largest_chance_within(M: int, pairs: Pairs, t: int, *, right: int = 0, at_least: float = 0.0) -> float:
    """Return the largest chance, in the worst case, of being off by at most t.

    With `at_least`, return that of being off by at most `right`, among those whose chance within t is at least that.
    """
    program = Program(M, pairs, extra=1)
    for i in range(M):
        within = {i * M + j: -1.0 for j in range(M) if abs(i - j) <= t}
        if at_least:
            program.at_most(within, -at_least)
            within = {i * M + j: -1.0 for j in range(M) if abs(i - j) <= right}
        program.at_most({**within, program.first_extra: 1.0}, 0.0)
    return program.largest({program.first_extra: 1.0})[0]


def random_private(M: int, pairs: Pairs, rng: np.random.Generator) -> np.ndarray:
    """Return a vertex of the polytope, in a random direction."""
    found: np.ndarray = np.maximum(Program(M, pairs).largest(dict(enumerate(rng.standard_normal(M * M))))[1], 0)
    found /= found.sum(axis=1, keepdims=True)
    return found
