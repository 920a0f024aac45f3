"""An optimum that comes out of a medium: is there a mechanism G with G T in the set of optima?

There are two ways to a proof, both for invertible T.

- *A mixture of optima in closed form* (the canonical one, the nearest one, and the fair one that has all seven
  properties): weights are found by a linear program, and the mixture times T^-1 is enclosed: >= 0 for sure, or not.
- *An inner point.* A linear program looks for S in the face of optima and G >= 0 with S = G T such that G and all
  inequalities of the face on entries that are not known keep a margin m. A solver's S meets the equalities only up to
  its violation v, and in floats; let c = (M + 1)(v + 2^-50). The known entries can be made exact, and then the known
  sums of a row by one more entry for each, that is not known: no entry moves by more than c, so an inequality loses at
  most 2 c, the sum of a pair of rows over its outcomes at most (M + 2) c, and of G = S T^-1 an entry at most 2 c
  |T^-1|_1. If m > 2 max(M + 2, |T^-1|_1) c, there is an exact optimum S with an exact G >= 0 (docs/theory.md, "A fixed
  medium").
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from flint import arb, arb_mat, ctx

from hushcount.linear_program.solver import solve
from hushcount.mechanisms.base import Mechanism
from hushcount.mechanisms.optima.explicit_fair import ExplicitFair
from hushcount.medium.mixture import best_mixture
from hushcount.medium.theorem_2.balls import identity, middles
from hushcount.medium.theorem_2.inverse import BITS
from hushcount.medium.theorem_2.theorem_2 import Theorem2
from hushcount.numbers.arrays import Floats
from hushcount.numbers.enclosure import TooCoarse
from hushcount.optimal_set.face import Face
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["inner_member", "mixed_member"]


def mixed_member(at: Theorem2) -> Floats | None:
    """Return G, in floats, for a mixture of known optima that is proved to be G T for some G >= 0; None if there is
    none."""
    M = at.medium.order
    if at.inverse is None:
        return None
    with ctx.workprec(BITS):
        back = at.inverse.dense()
        moved = [member * back for member in _closed_forms(at)]
        weights = _best_weights(np.array([middles(matrix).ravel() for matrix in moved]))
        mixture = sum((matrix * arb(weight) for matrix, weight in zip(moved, weights, strict=True)), arb_mat(M, M))
        return middles(mixture) if all(entry >= 0 for entry in mixture.entries()) else None


def inner_member(at: Theorem2) -> Floats | None:
    """Return G, in floats, near an exact one whose G T is an optimum, by the argument of the module; None if none is
    found."""
    if at.inverse is None:
        return None
    M, T, face = at.medium.order, at.medium.shares, Face.of(at.nearest, with_margin=True)
    builder, margin = face.builder, face.margin
    assert margin is not None
    G = builder.columns((M, M))
    for j in range(M):
        used = np.flatnonzero(T[:, j])
        sent = np.broadcast_to(T[used, j], (M, len(used)))
        builder.rows([(G[:, used], sent), (face.entries[:, j], -1.0)], lower=0.0, upper=0.0)
    builder.rows([(np.full(M * M, margin), 1.0), (G.ravel(), -1.0)], upper=0.0)
    builder.add_cost(np.array([margin]), -1.0)
    found = solve(builder.build())
    if found.x is None:
        return None
    norm = float(at.inverse_norm.upper())
    moves = (M + 1) * (found.violation + 2.0**-50)
    if not found.x[margin] > 2.01 * max(M + 2, norm) * moves:
        return None
    member: Floats = found.x[G]
    return member


def _closed_forms(at: Theorem2) -> list[arb_mat]:
    """Return the optima in closed form for which the working precision suffices."""
    members, M = [], at.medium.order
    for mechanism in (at.canonical, at.nearest):
        with suppress(TooCoarse):
            members.append(_enclosed(mechanism))
    fair = _enclosed(ExplicitFair(M - 1, EpsilonDelta.of(at.privacy.epsilon)))
    excused = at.kernel.delta
    return [*members, fair * (1 - excused) + identity(M) * excused]


def _enclosed(mechanism: Mechanism) -> arb_mat:
    M = mechanism.n + 1
    return arb_mat(M, M, [mechanism.enclosed_pmf(i, j, BITS) for i in range(M) for j in range(M)])


def _best_weights(values: Floats) -> list[float]:
    """Return weights >= 0 that sum to 1, exactly in floats, with the largest least entry of the mixture.

    Args:
        values: the matrices to mix, flattened, one per row.
    """
    found = best_mixture(values / np.abs(values).max(), least=-1.0)
    if found is None:
        return [1.0, *[0.0] * (len(values) - 1)]
    kept = np.round(found * 2**30)
    kept[kept.argmax()] += 2**30 - kept.sum()
    shares: list[float] = (kept / 2**30).tolist()
    return shares
