"""The kernel in floats, for whole rows and for the fast path of draws."""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Self

import numpy as np

from hushcount.mechanisms.optima.kernel import Kernel

__all__ = ["LARGEST_FAST_M", "KernelFloats"]

LARGEST_FAST_M = 2**53
"""Above this many outcomes a float cannot hold a count, and draws take the exact path."""

_FLAT_BELOW = 1e-290
"""Below this epsilon, q^k and 1 differ by less than 1e-270 for k <= 2**53."""

_STEEPEST = 1e290
"""Above this epsilon q^k is 0 in floats for k >= 1, as it is at this one; an infinite epsilon would give 0 times
infinity."""

_BELOW_ONE = 1 - 2.0**-53
_SCALARS = SimpleNamespace(
    exp=math.exp, expm1=math.expm1, log=math.log, log1p=math.log1p, floor=math.floor, minimum=min, maximum=max
)


@dataclass(frozen=True)
class KernelFloats:
    """The constants of `Kernel`, correctly rounded.

    `ops` is numpy or its scalar stand-in: one draw costs a few Python floats, a million cost a few array passes,
    and a formula is written once for both.
    """

    M: int
    m: int
    epsilon: float
    q: float
    gap: float
    a: float
    gamma: float
    delta: float
    v: float
    """delta q / (1 - q)"""
    threshold: float
    """x* = q (1 - delta) / (1 + q)"""
    ops: Any

    @classmethod
    def of(cls, K: Kernel, *, scalar: bool = False) -> Self:
        epsilon = min(float(K.epsilon), _STEEPEST)
        flat = epsilon < _FLAT_BELOW
        return cls(
            M=K.M,
            m=K.m,
            epsilon=0.0 if flat else epsilon,
            q=float(K.q),
            gap=float(K.gap),
            a=float(K.a),
            gamma=float(K.gamma),
            delta=float(K.delta),
            v=0.0 if flat else float(K.delta * K.q / K.gap),
            threshold=float(K.q * (1 - K.delta) / (1 + K.q)),
            ops=_SCALARS if scalar else np,
        )

    def _power(self, k: Any) -> Any:
        """Return q^k."""
        return self.ops.exp(-self.epsilon * k)

    def _series(self, k: Any) -> Any:
        """Return S(k)."""
        return -self.ops.expm1(-self.epsilon * k) / self.gap if self.epsilon else k

    def _inverse_series(self, y: Any) -> Any:
        """Return the real k with S(k) = y; large where there is none."""
        if not self.epsilon:
            return y
        return -self.ops.log1p(-self.ops.minimum(y * self.gap, _BELOW_ONE)) / self.epsilon
