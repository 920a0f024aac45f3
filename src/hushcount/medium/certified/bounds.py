"""Bounds on p_e*(T) that take no linear program of full size ([RV26] Proposition 1), each with its mechanism.

With q = e^-epsilon, P* the canonical optimum, gamma(A) the least diagonal entry of A:

    l   1 - gamma(Q T), Q choosing for each j the input that most often yields j: no mechanism is better     (34)
    u0  G = P*: post-processing                                                                              (36)
    u1  G = x P* T^-1 + (1 - x) P*, the largest x <= 1 with G >= 0; T invertible                             (37)
    u2  G = P* + y T'v v', v the unit vector with v'1 = 0 that maximizes |T'v|; T > 0                        (42)
    u3  G = z Q + (1 - z) P*; T > 0                                                                          (46)
    u4  G circulant, by a linear program in M unknowns; T circulant
    u5  the best mixture of the others and of the nearest optimum, by a linear program in as many weights

Where v is not unique, u2 takes the best of three phases (`_directions`). This is so for circulant T, whose largest
singular value is mostly double.

u2 and u3 take the largest step at which (I + X) T of the paper's decomposition T = (I + X)^-1 T_2 keeps no negative
entry, since then G T = P* T_2 is P* post-processed. (The paper also asks that I + X be invertible; G T = P* T_2 holds
without it, so no step has to be avoided.) u3 needs z <= 1 as well, which the paper leaves out: for z > 1, z Q + (1 - z)
P* has negative entries and (46) falls below p_e*(T) (docs/theory.md, "A fixed medium").

Whatever the floats did on the way, each G is proved private behind T, and its value is computed from its entries and
rounded up (`AtPromise.received`). So a bound is valid even where T is nearly singular; it is only less tight there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hushcount.linear_program.model import ModelBuilder
from hushcount.linear_program.polytope import add_distributions, add_privacy
from hushcount.linear_program.solver import solve
from hushcount.mechanisms.explicit import Explicit
from hushcount.medium.at_promise import AtPromise, Received
from hushcount.medium.medium import Medium, circulant
from hushcount.medium.mixture import best_mixture
from hushcount.numbers.arrays import UNIT, Floats
from hushcount.numbers.exact import Number
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["Bound", "Bounds", "best_inputs", "bounds"]

_WELL_CONDITIONED = 1e14
"""The largest condition number of T; beyond, its inverse in floats says nothing."""

_SMALLEST_EIGENVALUE = 1e-14
"""The smallest eigenvalue of P*; below, its inverse in floats says nothing."""


@dataclass(frozen=True, eq=False)
class Bound:
    """One bound on p_e*(T).

    Attributes:
        name: "l" or "u0" to "u5".
        value: the lower bound rounded down, or an upper bound rounded up; None where it does not apply.
        used: the mechanism that attains an upper bound, and what it is worth; None for l, and where it does not apply.
        condition: what must hold for it and does not; empty where it applies.
    """

    name: str
    value: float | None
    used: Received | None = field(default=None, repr=False)
    condition: str = ""

    @property
    def mechanism(self) -> Explicit | None:
        """G, which attains an upper bound; None for l, and where the bound does not apply."""
        return None if self.used is None else self.used.mechanism

    def to_dict(self) -> dict[str, Any]:
        """Return the bound, ready for JSON."""
        return {"name": self.name, "value": self.value, "condition": self.condition or None}


def best_inputs(T: Floats) -> Floats:
    """Return Q_T (32): row i has its 1 at the input from which i is received most often (the first of several)."""
    M = len(T)
    Q = np.zeros((M, M))
    Q[np.arange(M), T.argmax(axis=0)] = 1.0
    return Q


def bounds(medium: Medium | ArrayLike, epsilon: Number, delta: Number = 0) -> tuple[Bound, ...]:
    """Return l, u0, u1, u2, u3, u4 and u5 for a medium at (epsilon, delta): l <= p_e*(T) <= u; see the module.

    Args:
        medium: a medium, or its matrix (`from_matrix`).
        epsilon, delta: >= 0 in nats, and 0 <= delta < 1; kept exactly.

    Raises:
        InvalidParameter, BadUse, TooLarge: a bad argument, naming it.
    """
    return Bounds.of(medium, epsilon, delta).bounds


@dataclass(frozen=True, eq=False)
class Bounds(AtPromise):
    """All bounds for one medium and promise, each computed when it is asked for."""

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """Return l, u0, ..., u5."""
        return (self.l, self.u0, self.u1, self.u2, self.u3, self.u4, self.u5)

    @cached_property
    def l(self) -> Bound:  # noqa: E743 - the paper's name
        """1 - gamma(Q T): a column's largest entry is all that [P T]_ii can be.

        It is summed from the errors of the best inputs instead, so that it is accurate however small it is.
        """
        missed = max(_missed(self.medium.shares, j) for j in range(self.medium.order))
        return Bound("l", max(0.0, missed * (1 - 4 * UNIT) - self.medium.order * 2.0**-1074))

    @cached_property
    def u0(self) -> Bound:
        return self._upper("u0", self._canonical_matrix)

    @cached_property
    def u1(self) -> Bound:
        if (inverse := _float_inverse(self.medium.shares)) is None:
            return _inapplicable("u1", "T must be invertible, beyond rounding")
        moved, P = self._canonical_matrix @ inverse, self._canonical_matrix
        share = min(1.0, _reach(P, P - moved, otherwise=1.0))
        return self._upper("u1", share * moved + (1 - share) * P)

    @cached_property
    def u2(self) -> Bound:
        if (reason := self._not_spread) is not None:
            return _inapplicable("u2", reason)
        T, P = self.medium.shares, self._canonical_matrix
        best, most = P, 0.0
        for v in _directions(self.medium):
            seen = v @ T
            step = np.outer(seen, v)
            length = min(_reach(P, -step), _reach(T, -np.outer(self.canonical.solve(seen), seen)))
            if (gained := length * float((seen**2).min())) >= most:  # at least what the least [G T]_ii gains
                best, most = P + length * step, gained
        return self._upper("u2", best)

    @cached_property
    def u3(self) -> Bound:
        if (reason := self._not_spread) is not None:
            return _inapplicable("u3", reason)
        T, P = self.medium.shares, self._canonical_matrix
        Q = best_inputs(T)
        share = min(1.0, _reach(T, T - self.canonical.solve(Q @ T)))
        return self._upper("u3", share * Q + (1 - share) * P)

    @cached_property
    def u4(self) -> Bound:
        if not self.medium.is_circulant:
            return _inapplicable("u4", "T must be circulant")
        row = _best_circulant(self.medium.shares, self.privacy)
        return self._upper("u4", None if row is None else circulant(row))

    @cached_property
    def u5(self) -> Bound:
        near = self._upper("u5", self.nearest.matrix())
        parts = [bound.mechanism.entries for bound in (*self.uppers, near) if bound.mechanism is not None]
        shares = best_mixture(np.array([np.einsum("il,li->i", part, self.medium.shares) for part in parts]))
        mixed = None if shares is None else np.tensordot(shares / shares.sum(), np.array(parts), axes=1)
        return self._upper("u5", mixed)

    @property
    def uppers(self) -> tuple[Bound, ...]:
        """u0 to u4, as far as they apply."""
        return tuple(bound for bound in (self.u0, self.u1, self.u2, self.u3, self.u4) if bound.value is not None)

    def _upper(self, name: str, matrix: Floats | None) -> Bound:
        if matrix is None:
            return _inapplicable(name, "its linear program must be solved, and failed")
        found = self.received(matrix)
        return Bound(name, found.error_probability, found)

    @cached_property
    def _canonical_matrix(self) -> Floats:
        return self.canonical.matrix()

    @cached_property
    def _not_spread(self) -> str | None:
        """Return the condition that u2 and u3 lack, if any."""
        if not np.all(self.medium.shares > 0):
            return "every entry of T must be positive"
        if not self.canonical.spectrum.min() > _SMALLEST_EIGENVALUE:
            return "P* must be invertible, beyond rounding: epsilon and delta must not both be (nearly) 0"
        return None


def _float_inverse(T: Floats) -> Floats | None:
    """Return the inverse in floats; None where it would be rounding only."""
    try:
        inverse = np.asarray(np.linalg.inv(T), dtype=np.float64)
    except np.linalg.LinAlgError:
        return None
    return inverse if float(np.abs(inverse).sum(axis=1).max()) < _WELL_CONDITIONED else None


def _directions(medium: Medium) -> list[Floats]:
    """Return unit vectors v with v'1 = 0 that maximize |T'v|: one, or three for circulant T.

    Those of a circulant T are waves cos(2 pi k j / M + phase) of the frequency k with the largest |eigenvalue|. A shift
    by one symbol, which changes no bound, moves the phase by 2 pi k / M, and v -> -v moves it by pi. So the phases that
    are their own mirror images are tried: 0, pi / N and half-way, N = M / gcd(k, M).
    """
    T, M = medium.shares, medium.order
    if not medium.is_circulant or M <= 2:
        found = np.linalg.svd(T.T - T.T.mean(axis=1, keepdims=True))[2][:1]
    else:
        k = 1 + int(np.argmax(np.abs(np.fft.rfft(T[0])[1:])))
        places = np.arange(M) * k % M
        phases = np.array([0, 1, 2]) * np.pi * math.gcd(k, M) / (2 * M)
        found = np.cos(2 * np.pi * places / M + phases[: 2 if 2 * k == M else 3, None])  # then pi / N is no wave at all
    found = found - found.mean(axis=1, keepdims=True)
    norms = np.linalg.norm(found, axis=1, keepdims=True)
    return list(found / np.where(norms > 0, norms, 1.0))


def _missed(T: Floats, j: int) -> float:
    """Return 1 - max_l T_lj within 3 u of itself, u = 2^-52. Where it may cancel, it is the sum of what else the
    inputs yield whose T_lj may be the largest."""
    largest = float(T[:, j].max())
    if largest <= 0.5:
        return 1 - largest
    return min(math.fsum(np.delete(T[i], j)) for i in np.flatnonzero(T[:, j] >= largest * (1 - 4 * UNIT)))


def _inapplicable(name: str, condition: str) -> Bound:
    return Bound(name, None, condition=condition)


def _reach(start: Floats, fall: Floats, otherwise: float = 0.0) -> float:
    """Return the largest x >= 0 with start - x fall >= 0; `otherwise` where nothing falls.

    The rows of `fall` sum to 0, so nothing falls only where nothing moves.
    """
    falls = fall > 0
    with np.errstate(over="ignore"):
        return float((start[falls] / fall[falls]).min()) if falls.any() else otherwise


def _best_circulant(T: Floats, privacy: EpsilonDelta) -> Floats | None:
    """Return the first row of the circulant G that makes [G T]_00 largest.

    G T is circulant, so rows 0 and 1 stand for all pairs.
    """
    M = len(T)
    builder = ModelBuilder()
    p, s = builder.columns((1, M), cost=-T[:, 0][None, :]), builder.columns((1, M))
    add_distributions(builder, p)
    builder.rows([(np.tile(p, (M, 1)), T.T), (s[0], -1.0)], lower=0.0, upper=0.0)
    following = np.roll(s, 1, axis=1)
    for above, below in ((s, following), (following, s)) if M > 1 else ():
        add_privacy(builder, above, below, privacy)
    found = solve(builder.build())
    return None if found.x is None else np.maximum(found.x[p[0]], 0.0)
