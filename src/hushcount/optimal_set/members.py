"""Members of the set of optima: vertices, and points between them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hushcount.errors import SolverFailed
from hushcount.inputs.arguments import integer
from hushcount.linear_program.model import LinearModel
from hushcount.linear_program.solver import Solver
from hushcount.mechanisms.explicit import Explicit
from hushcount.mechanisms.optima.nearest import Nearest
from hushcount.numbers.arrays import Floats
from hushcount.optimal_set.face import Face
from hushcount.privacy.made_private import made_private

__all__ = ["FaceWalk", "sampled", "vertices"]

_TRIES = 16
"""After so many directions without a new vertex there are probably no more."""

_SAME = 1e-9
"""Vertices whose entries all agree to this are one: ten times a solver's tolerance."""


class FaceWalk:
    """The face with one warm solver, which finds the best member in a direction, as the solver's floats."""

    def __init__(self, optimum: Nearest) -> None:
        self.optimum = optimum
        face = Face.of(optimum)
        self._entries = face.entries
        self._solver = Solver(face.builder.build())

    @property
    def model(self) -> LinearModel:
        return self._solver.model

    def towards(self, direction: Floats) -> Floats:
        """Return a vertex that minimizes sum_ij direction_ij p_ij, within the solver's accuracy."""
        cost = np.zeros(self.model.columns)
        largest = float(np.abs(direction).max())
        cost[self._entries] = direction / largest if largest else 0.0
        found = self._solver.minimise(cost)
        if found.x is None:
            raise SolverFailed(f"no member found: {found.outcome.value}")
        vertex: Floats = found.x[self._entries]
        return vertex

    def random(self, rng: np.random.Generator) -> Floats:
        """Return the vertex in a direction drawn uniformly."""
        return self.towards(rng.standard_normal(self._entries.shape))

    def private(self, matrix: Floats) -> Explicit:
        """Return the matrix as a mechanism that the exact audit passes."""
        kept = made_private(matrix, self.optimum.privacy)
        kept.setflags(write=False)
        return Explicit(kept)


def vertices(optimum: Nearest, limit: int, rng: np.random.Generator) -> Iterator[Explicit]:
    """Yield different vertices in random directions, at most `limit`; stop early where 16 directions in a row bring
    none.

    Each is private by proof, and an optimum up to rounding and the solver's accuracy: `contains` tells how far it is
    off (about 1e-14, up to 1e-9 where probabilities span many orders of magnitude).
    """
    limit = integer(limit, "limit", least=0)
    walk, seen, misses = FaceWalk(optimum), list[Floats](), 0
    while len(seen) < limit and misses < _TRIES:
        vertex = walk.random(rng)
        if any(np.abs(vertex - old).max() < _SAME for old in seen):
            misses += 1
            continue
        seen.append(vertex)
        misses = 0
        yield walk.private(vertex)


def sampled(optimum: Nearest, rng: np.random.Generator) -> Explicit:
    """Return a random mixture of M random vertices; not uniform in volume, but its support is the whole face."""
    walk, M = FaceWalk(optimum), optimum.n + 1
    weights = rng.dirichlet(np.ones(M))
    return walk.private(sum((w * walk.random(rng) for w in weights), np.zeros((M, M))))
