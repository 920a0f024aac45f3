"""How often a released count can be within t of the truth at best, whatever the mechanism, at any n.

The largest gamma_t with Pr(|output - i| <= t | i) >= gamma_t for every true count i is the root of c_K = 1, where
c_1 = gamma_t, c_{r+1} = g^(2t+1)(c_r) + gamma_t and K = ceil(M / (2t + 1)) (see `within`). So it is the diagonal of the
nearest optimum of K outcomes on the curve f^(2t+1), and there are closed forms:

- Gaussian: f^(2t+1) is the curve of (2t + 1) mu.
- (epsilon, delta): by reflection, c_r is followed up to the fixed point f^t(y*) of g^(2t+1) only, y* that of g. A
  chance between f^(s-1)(y*) and f^s(y*), s <= t, is above y* for its first s steps, so that its image is

      q^(2t+1-s) (1 - q^-s (1 - c) - delta A_s) - delta q S(2t + 1 - s),     A_s = 1 + q^-1 + ... + q^(1-s),

  S(k) = 1 + q + ... + q^(k-1), or 0 if that is larger: c_r follows a geometric sum on each of these pieces.

gamma_t grows with the promise, since what keeps a promise keeps a weaker one as well.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hushcount.mechanisms.chain.nearest_shifts import LARGEST_MU, NearestShifts
from hushcount.numbers.roots import root_of_falling
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP

__all__ = ["LARGEST_T", "best_chance_within", "outcomes_of", "reaches_within"]

LARGEST_T = 2**12
"""The largest t for which the pieces of an (epsilon, delta) curve are followed: their rounding is below the slack."""

_SLACK = 1e-12


def best_chance_within(n: int, promise: EpsilonDelta | GaussianDP, t: int) -> tuple[float, float]:
    """Return bounds of gamma_t, 2e-12 apart, for n >= 0 and 0 <= t <= `LARGEST_T`."""
    count = outcomes_of(n, t)
    if count == 1:
        return 1.0, 1.0
    if isinstance(promise, GaussianDP):
        gamma = NearestShifts.of(min(float(promise.at_distance(2 * t + 1)), LARGEST_MU), count - 1).gamma
    else:
        pieces = _pieces(promise, t)
        gamma = root_of_falling(lambda gamma: _lateness(pieces, gamma, count), 0.0, 1.0)
    return max(0.0, gamma - _SLACK), min(1.0, gamma + _SLACK)


def outcomes_of(n: int, t: int) -> int:
    """Return K = ceil(M / (2t + 1))."""
    return -(-(n + 1) // (2 * t + 1))


def reaches_within(n: int, promise: EpsilonDelta | GaussianDP, t: int, chance: float) -> bool:
    """Return whether gamma_t is surely at least a chance < 1 - `_SLACK`."""
    if isinstance(promise, GaussianDP) or outcomes_of(n, t) == 1:
        return best_chance_within(n, promise, t)[0] >= chance
    return _lateness(_pieces(promise, t), chance + _SLACK, outcomes_of(n, t)) >= 0


@dataclass(frozen=True)
class _Piece:
    """A piece of g^(2t+1): up to `end`, c -> slope (c - start), or 0 if that is negative."""

    end: float
    slope: float
    start: float

    def image(self, c: float) -> float:
        return max(0.0, self.slope * (c - self.start)) if self.slope else 0.0


def _pieces(promise: EpsilonDelta, t: int) -> list[_Piece]:
    """Return the pieces up to the fixed point, which is the last end."""
    epsilon, delta, width = float(promise.epsilon), float(promise.delta), 2 * t + 1
    q, s = math.exp(-epsilon), np.arange(t + 1.0)

    def series(count: np.ndarray) -> np.ndarray:
        return count if epsilon == 0 else np.expm1(-epsilon * count) / np.expm1(-epsilon)

    ends = 1 - (np.exp(-epsilon * s) * (q * (1 - delta) / (1 + q)) - delta * q * series(s))
    slopes = np.exp(-epsilon * (width - 2 * s))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        left = delta * q * series(width - s) / slopes if delta else np.zeros(t + 1)
    starts = -np.expm1(-epsilon * s) + delta * q * series(s) + left
    pieces = []
    for end, slope, start in zip(ends.tolist(), slopes.tolist(), starts.tolist(), strict=True):
        pieces.append(_Piece(min(end, 1.0), slope if math.isfinite(start) else 0.0, start))
        if end >= 1:
            break
    return pieces


def _lateness(pieces: Sequence[_Piece], gamma: float, count: int) -> float:
    """Return a number > 0 if c_(count / 2) is below the fixed point, count >= 2: gamma is below gamma_t."""
    c, image = _follow(pieces, gamma, count // 2)
    return pieces[-1].end - c if count % 2 == 0 else (1 - gamma) / 2 - image


def _follow(pieces: Sequence[_Piece], gamma: float, count: int) -> tuple[float, float]:
    """Return c_count and its image; 2 and 1 where a chance passes the fixed point, since the root is below."""
    c, left = gamma, count - 1
    for piece in pieces:
        while left and c <= piece.end:
            after = piece.image(c) + gamma
            if after <= c:  # it rests
                return c, piece.image(c)
            steps = _steps(piece, c, after - c, left)
            c += (after - c) * _series(piece.slope, steps)
            left -= steps
        if not left and c <= piece.end:
            return c, piece.image(c)
    return 2.0, 1.0


def _steps(piece: _Piece, c: float, rise: float, most: int) -> int:
    """Return how many steps start on a piece, at least one: each rise is its slope times the one before."""
    if piece.image(c) == 0 or piece.slope == 0:
        return 1
    if piece.slope == 1:
        return max(1, min(most, math.ceil((piece.end - c) / rise)))
    share = 1 - (1 - piece.slope) * (piece.end - c) / rise  # q^steps that brings c to the end
    return most if share <= 0 else max(1, min(most, math.ceil(math.log(share) / math.log(piece.slope))))


def _series(q: float, steps: int) -> float:
    """Return 1 + q + ... + q^(steps-1)"""
    return float(steps) if q == 1 or steps == 1 else math.expm1(steps * math.log(q)) / (q - 1)
