"""Does every optimum have full rank? A proof, or a member that has not ([RV26] Theorem 1 statement 4 and the
example)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from hushcount.errors import TooLarge
from hushcount.mechanisms.explicit import Explicit
from hushcount.mechanisms.optima.canonical import Canonical
from hushcount.mechanisms.optima.nearest import Nearest
from hushcount.numbers.arrays import Floats
from hushcount.optimal_set.members import FaceWalk
from hushcount.optimal_set.rank import RankGuarantee, determinant, full_rank_guarantee

__all__ = ["LARGEST_SEARCHED", "RankFinding", "RankVerdict", "rank_search"]

LARGEST_SEARCHED = 33
"""The most outcomes for which a rank-deficient optimum is looked for."""

_STARTS, _DESCENTS, _POINTS = 20, 12, 33
"""Random vertices to start from, steps down from each, and points looked at on each step. It takes seconds at 33
outcomes; where a determinant can be below 0, the first start mostly finds it."""


class RankVerdict(Enum):
    """What is known of the rank of all optima; the value is the sentence for people."""

    ALL_FULL_RANK = "Every optimum is of full rank, and so can be inverted: by proof."
    SOME_SINGULAR = (
        "Some optimum is singular, as far as floats tell: the one found. Choose canonical, which can always be "
        "inverted, where that is needed."
    )
    NONE_FOUND = (
        "No theorem says that every optimum is of full rank, and the search found none that is not. Check the one that "
        "is used."
    )


@dataclass(frozen=True, eq=False)
class RankFinding:
    """The result of `OptimalSet.rank`.

    Attributes:
        verdict: what is known.
        guarantee: the argument that decided, or the reason why none does.
        singular: a member that is singular up to its rounding to floats; None where none was found.
        opposite: an optimum up to rounding, whose determinant is below 0 by exact arithmetic on its floats. The
            canonical optimum's is above 0, so one on the way between them is singular. (It is evidence, not proof: the
            exact optimum beside `opposite` may have another sign where the determinant is as small as rounding.) None
            where none was found, or at epsilon = delta = 0, where the only optimum is singular.
        smallest_singular_value: that of `singular`, in floats.
        looked_at: how many members the search looked at.
    """

    verdict: RankVerdict
    guarantee: RankGuarantee
    singular: Explicit | None = None
    opposite: Explicit | None = None
    smallest_singular_value: float | None = None
    looked_at: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return the finding, ready for JSON."""
        return {
            "verdict": self.verdict.name,
            "explanation": self.verdict.value,
            "guarantee": self.guarantee.to_dict(),
            "smallest_singular_value": self.smallest_singular_value,
            "looked_at": self.looked_at,
        }


def rank_search(optimum: Nearest, rng: np.random.Generator) -> RankFinding:
    """Return the guarantee where there is one; otherwise search for an optimum with a determinant below 0.

    The search descends along the face. At P the determinant changes at the rate of its cofactors, so the vertex that
    minimizes sum_ij cof_ij p_ij points down; the best point on the way there is next. The determinant is linear in each
    row, so its least value is taken at a vertex of each row's set.

    Raises:
        TooLarge: more than 33 outcomes, and no guarantee.
    """
    guarantee = full_rank_guarantee(optimum)
    if guarantee:
        return RankFinding(RankVerdict.ALL_FULL_RANK, guarantee)
    M = optimum.n + 1
    if not M <= LARGEST_SEARCHED:
        raise TooLarge(f"a singular optimum is looked for up to {LARGEST_SEARCHED} outcomes (got {M:,})")
    walk = FaceWalk(optimum)
    center = Canonical(optimum.n, optimum.privacy).matrix()
    if optimum.epsilon == optimum.delta == 0:
        only = walk.private(center)
        return RankFinding(RankVerdict.SOME_SINGULAR, guarantee, only, None, 0.0, 1)
    looked_at = 0
    for _ in range(_STARTS):
        point = walk.random(rng)
        for _ in range(_DESCENTS):
            looked_at += 1
            if np.linalg.det(point) < 0:
                opposite = walk.private(point)
                if determinant(opposite.entries) < 0:
                    singular = walk.private(_between(center, opposite.entries))
                    least = float(np.linalg.svd(singular.entries, compute_uv=False)[-1])
                    return RankFinding(RankVerdict.SOME_SINGULAR, guarantee, singular, opposite, least, looked_at)
            vertex = walk.towards(_cofactors(point))
            steps = np.linspace(0, 1, _POINTS)[:, None, None]
            on_the_way = point + (vertex - point) * steps
            lowest = int(np.argmin(np.linalg.det(on_the_way)))
            if lowest == 0:
                break
            point = on_the_way[lowest]
    return RankFinding(RankVerdict.NONE_FOUND, guarantee, looked_at=looked_at)


def _cofactors(matrix: Floats) -> Floats:
    """Return the derivative of the determinant, up to a factor > 0, also where the matrix is singular."""
    u, values, v = np.linalg.svd(matrix)
    sign = np.linalg.det(u) * np.linalg.det(v)
    others = np.array([np.prod(np.delete(values, i)) for i in range(len(values))])
    # All are 0 where two singular values are: the determinant is then stationary
    cofactors: Floats = sign * (u * (others / (others.max() or 1.0))) @ v
    return cofactors


def _between(center: Floats, opposite: Floats) -> Floats:
    """Return the matrix on the way from a determinant above 0 to one below 0 at which the sign changes."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if np.linalg.det(center + (opposite - center) * middle) > 0 else (low, middle)
    return center + (opposite - center) * low
