"""A primal-dual interior point for the linear program behind a medium, which knows that it is a chain of rows.

The constraints, each with a slack s > 0 and a multiplier z > 0, are

    P >= 0,   S_limited - share t >= 0,   sigma_L - r_L >= 0,   sigma_L >= 0,   q delta - sum_j sigma_Lj >= 0

(the third is -r_L >= 0, and there is no sigma, where q delta is 0, or less than rounding). Steps are those of
Mehrotra's predictor and corrector ([M92]). Every P is positive, and private but for rounding, as long as (epsilon,
delta) is not (0, 0) and no column of T is 0; and the multipliers of every iterate prove a bound (`ChainProgram.bound`).
So the best of both may be taken from different iterates, and stopping early costs nothing but width.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hushcount.medium.certified.chain.normal_equations import NormalEquations, NotPositive, Right, Step, Weights
from hushcount.medium.certified.chain.program import ChainProgram
from hushcount.numbers.arrays import Floats

__all__ = ["MOST_STEPS", "Iterate", "iterates"]

MOST_STEPS = 80
"""The most steps; 20 to 40 are usual."""

_PROXIMAL = 1e-9
"""What is added to the weights of entries, so that P does not wander where nothing holds it."""

_LEAST_SPARE = 2.0**-60
"""Of less delta than this, multiplied by q, no use is made: it is worth less than rounding, and its slacks overflow."""

_NEARLY = 0.995
"""The share of the way to the next wall that a step goes."""

_SHORTEST = 1e-6
"""A step that goes a smaller share of its way gains nothing any more."""

_CANCELLED = 1e-3
"""Where a slack computed anew is below this share of the updated one, it is rounding."""


@dataclass(frozen=True)
class Iterate:
    """What one step has found.

    Attributes:
        P: all rows of a mechanism, private but for rounding, or those in the middle.
        t: the largest that all limits allow there, in floats.
        bound: no mechanism has a larger one; rounded up.
    """

    P: Floats
    t: float
    bound: float


def iterates(program: ChainProgram) -> Iterator[Iterate]:
    """Yield what each step finds, until steps get too short or too many, or the equations are beyond floats."""
    state = _State.first(program)
    for _ in range(MOST_STEPS):
        yield Iterate(program.whole(state.P), state.least, program.bound(state.z[1], state.z[2]))
        try:
            following = state.next()
        except NotPositive:
            return
        if following is None:
            return
        state = following


@dataclass
class _State:
    """An iterate: P, t, sigma; slacks s and multipliers z in the order of the module; nu, of the row sums."""

    program: ChainProgram
    P: Floats
    t: float
    sigma: Floats | None
    s: list[Floats]
    z: list[Floats]
    nu: Floats

    @classmethod
    @np.errstate(all="ignore")
    def first(cls, program: ChainProgram) -> _State:
        """Return identical uniform rows, and multipliers in proportion to 1 / s."""
        R, M = program.rows, program.columns
        P = np.full((R, M), 1 / M)
        t = 0.5 * _least(program, P)
        sigma = np.full((program.links, M), program.spare / (2 * M)) if program.spare > _LEAST_SPARE else None
        s = _slacks(program, P, t, sigma)
        size = float(np.mean(s[1][:R])) / R
        return cls(program, P, t, sigma, s, [size / part for part in s], np.zeros(R))

    @property
    def least(self) -> float:
        """The largest t that all limits allow."""
        return _least(self.program, self.P)

    @np.errstate(all="ignore")
    def next(self) -> _State | None:
        """Return the next iterate; None where the step is too short, as it is where floats overflow.

        Raises:
            NotPositive: see `NormalEquations`.
        """
        s, z = self.s, self.z
        entries, *others = (b / a for a, b in zip(s, z, strict=True))
        equations = NormalEquations(self.program, Weights(entries + _PROXIMAL, *others))
        gap, count = _product(s, z), sum(part.size for part in s)
        # The predictor aims at a gap of 0.
        wanted = [-a * b for a, b in zip(s, z, strict=True)]
        ds, dz = self._changes(self._step(equations, wanted), wanted)
        along, across = _share(s, ds), _share(z, dz)
        left = _product(_moved(s, along, ds), _moved(z, across, dz))
        aim = min(1.0, max((left / gap) ** 3, 1e-6)) * gap / count
        # The corrector aims at a gap that is the smaller, the further the predictor got, and at equal products.
        wanted = [-a * b + aim - da * db for a, b, da, db in zip(s, z, ds, dz, strict=True)]
        step = self._step(equations, wanted)
        ds, dz = self._changes(step, wanted)
        along, across = _NEARLY * _share(s, ds), _NEARLY * _share(z, dz)
        if not along + across >= _SHORTEST:  # NaN is too short
            return None
        P = self.P + along * step.P
        P /= P.sum(axis=1, keepdims=True)
        t = self.t + along * step.t
        sigma = None if self.sigma is None or step.sigma is None else self.sigma + along * step.sigma
        anew = _slacks(self.program, P, t, sigma)
        kept = zip(anew, _moved(s, along, ds), strict=True)
        s = [np.where(a > _CANCELLED * np.abs(b), a, np.maximum(b, 1e-300)) for a, b in kept]
        return _State(self.program, P, t, sigma, s, _moved(z, across, dz), self.nu + across * step.nu)

    def _step(self, equations: NormalEquations, wanted: Sequence[Floats]) -> Step:
        """Return the step after which s z is as wanted, to the first order, and all residuals are 0."""
        program, z = self.program, self.z
        k = [a / b for a, b in zip(wanted, self.s, strict=True)]
        through = self._through(z[1], z[2])
        own = z[0] - self.nu[:, None] - through @ program.T.T + k[0]
        of_sigma = None if self.sigma is None else z[2] + z[3] - z[4][:, None] + k[2] + k[3] - k[4][:, None]
        of_t = 1 - float((z[1] + k[1]) @ program.limits.shares)
        return equations.solve(Right(own, -self._through(k[1], k[2]), of_t, of_sigma, 1 - self.P.sum(axis=1)))

    def _through(self, limits: Floats, links: Floats) -> Floats:
        """Return what multipliers of limits and of links pull on S."""
        found = self.program.pulled_back(links)
        self.program.limits.add(found, -limits)
        return found

    def _changes(self, step: Step, wanted: Sequence[Floats]) -> tuple[list[Floats], list[Floats]]:
        """Return the changes of s and z that go with a step."""
        S = step.P @ self.program.T
        excess = self.program.excess(S)
        limits = self.program.limits
        ds = [step.P, limits.of(S) - step.t * limits.shares, -excess if step.sigma is None else step.sigma - excess]
        if step.sigma is not None:
            ds += [step.sigma, -step.sigma.sum(axis=1)]
        return ds, [(w - b * d) / a for w, a, b, d in zip(wanted, self.s, self.z, ds, strict=True)]


def _slacks(program: ChainProgram, P: Floats, t: float, sigma: Floats | None) -> list[Floats]:
    S = P @ program.T
    excess, above = program.excess(S), program.limits.of(S) - t * program.limits.shares
    if sigma is None:
        return [P, above, -excess]
    return [P, above, sigma - excess, sigma, program.spare - sigma.sum(axis=1)]


def _least(program: ChainProgram, P: Floats) -> float:
    limits = program.limits
    return float((limits.of(P @ program.T) / limits.shares).min())


def _moved(values: Sequence[Floats], share: float, changes: Sequence[Floats]) -> list[Floats]:
    return [a + share * b for a, b in zip(values, changes, strict=True)]


def _product(s: Sequence[Floats], z: Sequence[Floats]) -> float:
    return sum(float(np.vdot(a, b)) for a, b in zip(s, z, strict=True))


def _share(values: Sequence[Floats], changes: Sequence[Floats]) -> float:
    """Return the largest share of the changes, up to 1, that leaves all values >= 0; NaN where there is one."""
    fall = np.max([(-b / a).max(initial=0.0) for a, b in zip(values, changes, strict=True)])
    return float(np.minimum(1.0, 1 / np.maximum(fall, 1.0)))
