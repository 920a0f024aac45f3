"""Optima found by linear programs that know nothing of their structure but the least error probability."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import brute
import numpy as np
from brute import Number
from scipy.optimize import linprog

from hushcount import canonical


def _programs(M: int, epsilon: Number, delta: Number) -> Callable[[np.ndarray], np.ndarray]:
    """Solves for the optimum of least cost; costs are (M, M) arrays."""
    A, b, size = brute.privacy_program(M, epsilon, delta)
    rows = np.zeros((M, size))
    for i in range(M):
        rows[i, i * M : (i + 1) * M] = 1
    gamma = canonical(M - 1, epsilon, delta).pmf(0, 0)
    bounds: list[tuple[float, None]] = [(0, None)] * size
    for i in range(M):
        bounds[i * M + i] = (gamma - 1e-11, None)

    def solve(cost: np.ndarray) -> np.ndarray:
        whole = np.concatenate([np.asarray(cost, dtype=float).ravel(), np.zeros(size - M * M)])
        found = linprog(whole, A_ub=A, b_ub=b, A_eq=rows, b_eq=np.ones(M), bounds=bounds, method="highs")
        assert found.status == 0, found.message
        return np.asarray(found.x[: M * M]).reshape(M, M)

    return solve


def entry_ranges(M: int, epsilon: Number, delta: Number) -> tuple[np.ndarray, np.ndarray]:
    """The least and the largest value of every entry over all optima, each shape (M, M), within about 1e-9."""
    solve = _programs(M, epsilon, delta)
    least, largest = np.zeros((M, M)), np.zeros((M, M))
    for i in range(M):
        for j in range(M):
            one = np.zeros((M, M))
            one[i, j] = 1
            least[i, j], largest[i, j] = solve(one)[i, j], solve(-one)[i, j]
    return least, largest


def random_members(M: int, epsilon: Number, delta: Number, count: int, seed: int = 0) -> Iterator[np.ndarray]:
    """Vertices of the set of optima in random directions, and a random mixture of them after every second one."""
    rng, solve = np.random.default_rng(seed), _programs(M, epsilon, delta)
    vertices: list[np.ndarray] = []
    for number in range(count):
        vertices.append(solve(rng.normal(size=(M, M))))
        yield vertices[-1]
        if number % 2:
            yield np.tensordot(rng.dirichlet(np.ones(len(vertices))), np.array(vertices), axes=1)
