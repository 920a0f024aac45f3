"""The nearest optimum as noise and thresholds, for bulk draws of mixed true counts (docs/theory.md, "Any promise").

The canonical noise of (epsilon, delta) has g(G(z)) = G(z - 1) and is uniform between x* = G(-1/2) and y* = G(1/2). With
v = delta q / (1 - q) a step of g below y* is y + v -> q (y + v). So for u <= y*, with k the least number for which
w = q^-k (u + v) - v is at least x*,

    G^-1(u) = (w - x*) / (y* - x*) - 1/2 - k.

Thresholds are tau_j = j + G^-1(c_j) up to the middle, mirrored beyond.

**Error.** q^-k is at most 1 / u <= 2^16 for quantiles and (1 + q) / (1 - q) for thresholds, and y* - x* >= (1 - q) / 2.
For epsilon >= 1e-3 the floats of `nearest_fast` (its bounds hold here) leave an error below 1e-8 count, and for single
draws, where q^-k may be 2^53, below 5e-8: `_SLACK` is twenty times as much.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hushcount.drawing.guide_table import GUIDE_BITS
from hushcount.drawing.noise_guide import LARGEST_CUTS, Cuts, FarCuts, NoiseGuide
from hushcount.mechanisms.optima.kernel_floats import LARGEST_FAST_M, KernelFloats
from hushcount.numbers.arrays import Floats, Integers

__all__ = ["MirroredGuide", "NoiseDraw", "noise_guide"]

_LEAST_EPSILON, _LARGEST_EPSILON = 1e-3, 30.0
"""Beyond, 16 bits of the noise decide too little, or floats are too coarse."""

_SLACK = 1e-6
_ANYWHERE = 1e300
_BINS = 2**GUIDE_BITS


@dataclass(frozen=True, eq=False)
class MirroredGuide:
    """Positions are counted from the end that is nearer to the true count."""

    n: int
    guide: NoiseGuide

    def positions_at(self, true: Integers, leading: NDArray[np.uint16]) -> Integers:
        """See `Guide`."""
        return self.guide.positions_at(np.minimum(true, self.n - true), leading)


def _is_fit(K: KernelFloats) -> bool:
    return _LEAST_EPSILON <= K.epsilon <= _LARGEST_EPSILON and 2 <= K.M <= LARGEST_FAST_M


def noise_guide(K: KernelFloats) -> MirroredGuide | None:
    """Return what settles most draws from 16 bits, or None where it would settle too few."""
    n = K.M - 1
    if not _is_fit(K):
        return None
    half = _quantiles(K, np.arange(1, _BINS // 2 + 1) / _BINS)
    z = np.concatenate([half[:1], half, -half[-2::-1], -half[:1]])
    reach = np.diff(z) / 2 + _SLACK + n * 2.0**-50
    reach[0] = reach[-1] = _ANYWHERE
    return MirroredGuide(n, NoiseGuide(_cuts(K, n), (z[:-1] + z[1:]) / 2, reach))


def _quantiles(K: KernelFloats, u: Floats) -> Floats:
    """Return G^-1(u), 0 < u <= y*."""
    x, v = K.threshold, K.v
    k = np.maximum(np.ceil(np.log((x + v) / (u + v)) / K.epsilon), 0.0)
    w = (u + v) * np.exp(K.epsilon * k) - v
    return (w - x) / (1 - 2 * x) - 0.5 - k


def _thresholds(K: KernelFloats, j: Floats) -> Floats:
    """Return tau_j, j = 1, 2, ... <= M / 2, for outcomes counted from 0."""
    return j - 1 + _quantiles(K, np.minimum(K.delta + K.a * K._series(j), 1 - K.threshold))


def _cuts(K: KernelFloats, n: int) -> Cuts | FarCuts:
    if n > LARGEST_CUTS:
        ends = np.array([min(max(2**e // 2 - 2, 0), n // 2 - 1) for e in range(n.bit_length() + 1)]) + 1.0
        return FarCuts(n, np.abs(_thresholds(K, ends) - (ends - 0.5)))
    tau = _thresholds(K, np.arange(1, K.M // 2 + 1, dtype=np.float64))
    return Cuts.of(np.concatenate([tau, (n - tau[::-1])[K.M % 2 == 0 :]]))


@dataclass(frozen=True, eq=False)
class NoiseDraw:
    """Single draws. Only thresholds near the edge are kept: in saturated rows (`nearest_fast`) they are at j + 1/2.

    Attributes:
        even: from where on they are.
        limit: up to where that holds.
        unit: what 2^-53 of U amounts to in the middle, in counts.
        slack: what floats lose.
    """

    K: KernelFloats
    base: int
    below: Sequence[int]
    cut: Sequence[float]
    even: int
    limit: int
    unit: float
    slack: float

    @classmethod
    def of(cls, K: KernelFloats) -> NoiseDraw | None:
        """Return None where floats are too coarse."""
        if not _is_fit(K):
            return None
        n, edge = K.M - 1, math.ceil(48 / K.epsilon) + 8
        is_whole = n < 4 * edge
        cuts = _cuts(K, n) if is_whole else Cuts.of(_thresholds(K, np.arange(1, edge + 9, dtype=np.float64)))
        assert isinstance(cuts, Cuts)
        even, limit = (n + len(cuts.cut), n + len(cuts.cut)) if is_whole else (edge, n - 2 * edge)
        unit, slack = 2.0**-52 / (1 - 2 * K.threshold), _SLACK + n * 2.0**-50
        return cls(K, cuts.base, cuts.below.tolist(), cuts.cut.tolist(), even, limit, unit, slack)

    def locate(self, true: int, u: float) -> int:
        """Return the position that is sure for every uniform in [u, u + 2**-53], true <= n / 2, or -1."""
        if not u > 0:
            return -1
        K = self.K
        less = min(u, 1 - u) + K.v
        k = max(math.ceil(math.log((K.threshold + K.v) / less) / K.epsilon), 0)
        growth = math.exp(K.epsilon * k)
        noise = (less * growth - K.v - K.threshold) / (1 - 2 * K.threshold) - 0.5 - k
        place = true + (noise if u <= 0.5 else -noise)
        start = math.floor(place)
        if start >= self.limit:
            return -1
        if start >= self.even:
            below, cut = start, 0.5
        else:
            interval = min(max(start - self.base, 0), len(self.cut) - 1)
            below, cut = self.below[interval], self.cut[interval]
        part, reach = place - start, self.slack + growth * self.unit
        beyond = part - cut
        if reach < part < 1 - reach and abs(beyond) > reach:
            return below + (beyond > 0)
        return -1
