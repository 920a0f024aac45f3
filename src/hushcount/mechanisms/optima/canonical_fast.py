"""The canonical optimum in floats: its first row, its spectrum, and the inverse CDF of the cyclic offset with an
error bound.

**Error bound of the thresholds** c_k = delta + a S(k) and 1 - a q S(M - k), in units of 2**-53: S has a relative
error below 12 (`nearest_fast`), both terms are at most 1, so the sum's error is below 32. `MARGIN` stands above it
and covers the 2**-53 of u.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hushcount.mechanisms.optima.kernel_floats import LARGEST_FAST_M, KernelFloats
from hushcount.numbers.arrays import Floats, Integers

__all__ = ["CanonicalFloats"]

MARGIN = 2.0**-47
_TINY = 1e-30


@dataclass(frozen=True)
class CanonicalFloats(KernelFloats):
    """Formulas in the cyclic offset r = (released - true) mod M."""

    def first_row(self) -> Floats:
        r = np.arange(self.M, dtype=np.float64)
        row: Floats = self.a * self._power(np.minimum(r, self.M - r))
        row[0] = self.gamma
        return row

    def spectrum(self) -> Floats:
        """Return `Canonical.spectrum`; every difference is taken by expm1 or sin^2, so that nothing cancels."""
        M, q, gap, h = self.M, self.q, self.gap, self.M // 2
        k = np.arange(M, dtype=np.float64)
        sign = 1 - 2 * (k % 2)
        if M % 2 == 0:
            numerator = (1 + q) * np.where(sign > 0, gap * self._series(np.float64(h)), 1 + self._power(np.float64(h)))
        else:
            # 1 + q - 2 q^(h+1) (-1)^k cos(pi k / M), by whether the last term is taken away
            end = self._power(np.float64(h + 1))
            close = gap * (self._series(np.float64(h + 1)) + q * self._series(np.float64(h)))
            numerator = np.where(
                sign > 0, close + 4 * end * np.sin(np.pi * k / (2 * M)) ** 2, 1 + q + 2 * end * np.cos(np.pi * k / M)
            )
        with np.errstate(invalid="ignore"):
            kernel = gap * numerator / (gap**2 + 4 * q * np.sin(np.pi * k / M) ** 2)
        spectrum: Floats = self.a * kernel + self.delta
        spectrum[0] = 1.0
        return spectrum

    def _prefix(self, count: Any) -> Any:
        return self.delta + self.a * self._series(count)

    def _rest(self, count: Any) -> Any:
        """Return 1 - c_count."""
        return self.a * self.q * self._series(self.M - count)

    def locate(self, u: float) -> int:
        """Return the offset that is sure for every uniform in [u, u + 2**-53], or -1.

        A guess comes first, then the thresholds around it.
        """
        if not self.M <= LARGEST_FAST_M:
            return -1
        if u < self._prefix(self.m):
            r = int(self._guess_up(u))
            low = self._prefix(r) if r else 0.0
            return r if (not r or low + MARGIN <= u) and u + MARGIN <= self._prefix(r + 1) else -1
        r = int(self._guess_down(u))
        return r if r < self.M and self._rest(r + 1) + MARGIN <= 1 - u <= self._rest(r) - MARGIN else -1

    def locate_many(self, u: Floats) -> Integers:
        """Apply `locate` elementwise."""
        if not self.M <= LARGEST_FAST_M:
            return np.full(u.shape, -1)
        near = u < self._prefix(np.float64(self.m))
        up, down = self._guess_up(u), self._guess_down(u)
        sure_up = ((up == 0) | (self._prefix(up) + MARGIN <= u)) & (u + MARGIN <= self._prefix(up + 1))
        sure_down = (self._rest(np.minimum(down + 1, self.M)) + MARGIN <= 1 - u) & (1 - u <= self._rest(down) - MARGIN)
        return np.where(near, np.where(sure_up, up, -1.0), np.where(sure_down, down, -1.0)).astype(np.int64)

    def _guess_up(self, u: Any) -> Any:
        k = self.ops.floor(self._inverse_series(self.ops.maximum((u - self.delta) / self.a, 0.0)))
        return self.ops.minimum(k, self.m - 1.0)

    def _guess_down(self, u: Any) -> Any:
        # Beyond the middle lie M - m outcomes; when q is tiny all but the last of them are out of reach of u.
        left = self._inverse_series((1 - u) / (self.a * self.q)) if self.q > _TINY else u * 0 + self.M
        return self.M - self.ops.minimum(self.ops.maximum(self.ops.floor(left) + 1, 1.0), self.M - self.m * 1.0)
