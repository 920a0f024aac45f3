"""Undoing a mechanism: its inverse matrix Q = P^-1, held as its parts.

It gives estimates that are right on average. The estimate of x(true) from one release j is (Q x)(j). From many
releases, r(j) of which came out as j, the histogram of the true counts is estimated by r Q. Rows of P sum to 1, so
those of Q do, and the largest absolute row sum of Q is the condition number of P: by so much rounding errors grow.

- The canonical mechanism is circulant: everything by FFT, O(M log M).
- The nearest mechanism with delta = 0 has an inverse of a few bands, or none at all; see `_banded`.
- Any other: by elimination, up to 1,024 outcomes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from hushcount.mechanisms.base import Mechanism
from hushcount.mechanisms.optima.canonical import Canonical
from hushcount.mechanisms.optima.kernel import Kernel
from hushcount.mechanisms.optima.kernel_floats import KernelFloats
from hushcount.mechanisms.optima.nearest import Nearest
from hushcount.numbers.arrays import Floats
from hushcount.numbers.enclosure import at_least
from hushcount.promise.curve import Curve

__all__ = ["Inverse", "NoInverse", "inverse"]

LARGEST_CIRCULANT, LARGEST_BANDED, LARGEST_DENSE = 2**20, 2**17, 2**10
"""The most outcomes of each kind: seconds, and far below a gigabyte."""

LARGEST_CONDITION = 1e8
"""Beyond this, rounding errors of 1e-16 grow to more than 1e-8 of the range."""

_NEGLIGIBLE = 2.0**-70
"""A band whose entries are all below this does not change a float."""


class NoInverse(Enum):
    """Why there is no unbiased estimate. Values are sentences that say what helps where epsilon is promised."""

    SINGULAR = (
        "The mechanism has no inverse: there are released counts whose likelihoods are proportional, so that nothing "
        "tells them apart. A larger epsilon, or the canonical mechanism at any epsilon > 0, has one."
    )
    ILL_CONDITIONED = (
        "The mechanism is singular, or so near it that an unbiased estimate would be rounding errors. A larger epsilon "
        "helps; so does the canonical mechanism for an epsilon where another was used."
    )
    TOO_LARGE = "The range has more outcomes than an inverse is computed for: "

    HIDDEN = (
        "The groups come from the data, and how many of them are hidden is not known: nothing says what those add to a "
        "sum, or to a histogram."
    )

    def told(self, promise: Curve, mechanism: Mechanism) -> str:
        """Return the sentences for a promise of any kind, and what draws at it."""
        if self is NoInverse.TOO_LARGE:
            return f"{self.value}{_largest(mechanism)[1]}."
        return str(self.value).replace("A larger epsilon", f"A larger {promise.currency}")


class Inverse(ABC):
    """Q = P^-1 of a mechanism, shape (M, M), row = released count, column = true count; never held whole if large."""

    @abstractmethod
    def solve(self, x: Floats) -> Floats:
        """Return Q x: the estimates, by released count, of a quantity x(true); shape (M,)."""

    @abstractmethod
    def transposed(self, released: Floats) -> Floats:
        """Return r Q: the histogram of true counts from that of released ones, r; shape (M,)."""

    @abstractmethod
    def squares(self, released: Floats) -> Floats:
        """Return sum_j r(j) Q(j, l)^2, by l; shape (M,)."""

    @property
    @abstractmethod
    def condition(self) -> float:
        """Return max_j sum_l |Q(j, l)|: since P is stochastic, its condition number in the maximum norm."""


def inverse(mechanism: Mechanism) -> Inverse | NoInverse:
    """Return the inverse of a mechanism, or why there is none."""
    found = _form(mechanism)
    if isinstance(found, NoInverse) or found.condition <= LARGEST_CONDITION:
        return found
    return NoInverse.ILL_CONDITIONED


def _form(mechanism: Mechanism) -> Inverse | NoInverse:
    M = mechanism.n + 1
    if mechanism.epsilon == mechanism.delta == 0 and M > 1:
        return NoInverse.SINGULAR  # for all closed forms, equal rows
    if isinstance(mechanism, Canonical):
        return NoInverse.TOO_LARGE if _is_too_large(mechanism) else _circulant(mechanism)
    if isinstance(mechanism, Nearest) and mechanism.delta == 0 and M > 1:
        return _banded(mechanism)
    if _is_too_large(mechanism):
        return NoInverse.TOO_LARGE
    try:
        return _Dense(np.asarray(np.linalg.inv(mechanism.matrix()), dtype=np.float64))
    except np.linalg.LinAlgError:
        return NoInverse.ILL_CONDITIONED


def _largest(mechanism: Mechanism) -> tuple[int, str]:
    """Return the most outcomes of such a mechanism, and that in words."""
    if isinstance(mechanism, Canonical):
        return LARGEST_CIRCULANT, f"{LARGEST_CIRCULANT:,} of the canonical mechanism"
    if isinstance(mechanism, Nearest) and mechanism.delta == 0:
        return LARGEST_BANDED, f"{LARGEST_BANDED:,} of the nearest with delta 0"
    why = "delta is above 0, so " if isinstance(mechanism, Nearest) else ""
    return LARGEST_DENSE, f"{why}up to {LARGEST_DENSE:,}"


def _is_too_large(mechanism: Mechanism) -> bool:
    return not mechanism.n < _largest(mechanism)[0]


@dataclass(frozen=True, eq=False)
class _Dense(Inverse):
    matrix: Floats

    def solve(self, x: Floats) -> Floats:
        return np.asarray(self.matrix @ x)

    def transposed(self, released: Floats) -> Floats:
        return np.asarray(released @ self.matrix)

    def squares(self, released: Floats) -> Floats:
        return np.asarray(released @ self._squared)

    @cached_property
    def _squared(self) -> Floats:
        return np.asarray(self.matrix**2)

    @property
    def condition(self) -> float:
        return float(np.abs(self.matrix).sum(axis=1).max())


@dataclass(frozen=True, eq=False)
class _Circulant(Inverse):
    """A symmetric inverse in which every row is the first one rotated."""

    gains: Floats
    """1 / eigenvalue, for the frequencies of `rfft`."""
    size: int

    def solve(self, x: Floats) -> Floats:
        return self._filtered(x, self.gains)

    def transposed(self, released: Floats) -> Floats:
        return self.solve(released)

    def squares(self, released: Floats) -> Floats:
        return np.maximum(self._filtered(released, np.fft.rfft(self._first**2)), 0.0)

    @property
    def condition(self) -> float:
        return float(np.abs(self._first).sum())

    @cached_property
    def _first(self) -> Floats:
        return np.asarray(np.fft.irfft(self.gains, n=self.size))

    def _filtered(self, x: Floats, gains: NDArray[Any]) -> Floats:
        return np.asarray(np.fft.irfft(np.fft.rfft(x) * gains, n=self.size))


def _circulant(mechanism: Canonical) -> Inverse | NoInverse:
    M = mechanism.n + 1
    spectrum = mechanism.spectrum
    if not spectrum.min() > 1 / LARGEST_CONDITION:  # no norm of Q is below its spectral radius
        return NoInverse.ILL_CONDITIONED
    return _Circulant(1 / spectrum[: M // 2 + 1], M)


@dataclass(frozen=True, eq=False)
class _Banded(Inverse):
    """Rows 1..m; the others are their mirror images. `bands[o][i]` is the entry at row i, column i + o - 1."""

    M: int
    bands: tuple[Floats, ...]

    def solve(self, x: Floats) -> Floats:
        return self._both(self._lower(x), self._lower(x[::-1]))

    def _lower(self, x: Floats) -> Floats:
        rows = len(self.bands[0])
        padded = np.concatenate([[0.0], x, np.zeros(len(self.bands))])
        return np.asarray(sum(band * padded[o : o + rows] for o, band in enumerate(self.bands)))

    def _both(self, lower: Floats, upper: Floats) -> Floats:
        return np.concatenate([lower, upper[: self.M - len(lower)][::-1]])

    def transposed(self, released: Floats) -> Floats:
        return self._gathered(released, self.bands)

    def squares(self, released: Floats) -> Floats:
        return self._gathered(released, tuple(band**2 for band in self.bands))

    def _gathered(self, released: Floats, bands: tuple[Floats, ...]) -> Floats:
        rows = len(bands[0])
        upper = released[::-1].copy()
        upper[self.M - rows : rows] = 0.0  # the middle row, if there is one, is counted once
        ways = []
        for weights in (released[:rows], upper[:rows]):
            columns = np.zeros(self.M + len(bands) + 1)
            for o, band in enumerate(bands):
                columns[o : o + rows] += band * weights
            ways.append(columns[1 : self.M + 1])
        return ways[0] + ways[1][::-1]

    @property
    def condition(self) -> float:
        return float(np.asarray(sum(np.abs(band) for band in self.bands)).max())


def _banded(mechanism: Nearest) -> Inverse | NoInverse:
    """Return the inverse of the nearest mechanism at delta = 0 and epsilon > 0 (docs/theory.md, "Estimates without
    bias").

    Rows 1..M. Let U have the rows (1, -q, 0, ...), (-q, 1 + q^2, -q) around the diagonal, (..., -q, 1). If M <= 3 or

        1 + q > q^2 (S(m - 1) + q S(M - m - 1)),

    then row i <= m of U P has d_i on the diagonal and e_i beside it, on the side of the middle, and nothing else:

        e_i = (1 - q) a q^i (S(m - i) + q S(M - m - i)),   e_m = 0,
        d_i = (1 - q^2) a - q e_{i-1} > 0,  e_0 = 0;  for odd M, d_m = (1 - q^2) a - 2 q e_{m-1}.

    So (U P)^-1, and with it Q = (U P)^-1 U, comes by substitution from the middle outwards: Q_i = (U_i - e_i Q_{i+1}) /
    d_i, here for all rows at once, one band after the other. Otherwise the first two columns of P are proportional.
    """
    M = mechanism.n + 1
    if M > 3 and at_least(lambda p: -_margin(mechanism.kernel(p)), Fraction(0), rational=False):
        return NoInverse.SINGULAR
    if _is_too_large(mechanism):
        return NoInverse.TOO_LARGE
    K = KernelFloats.of(mechanism.kernel(256))
    q, m = K.q, K.m
    i = np.arange(1, m + 1, dtype=np.float64)
    e = K.gap * K.a * K.power(i) * (K.series(m - i) + q * K.series(np.maximum(M - m - i, 0)))
    e[-1] = 0.0
    before = np.concatenate([[0.0], e[:-1]])
    if M % 2:
        before[-1] *= 2
    d = (1 + q) * K.gap * K.a - q * before
    ends = np.arange(m) == 0
    own = {-1: np.where(ends, 0.0, -q), 0: np.where(ends, 1.0, 1 + q * q), 1: np.full(m, -q)}
    bands: list[Floats] = []
    band = np.zeros(m)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # d near 0: ill-conditioned
        for offset in range(-1, m + 1):
            following = np.concatenate([band[1:], [0.0]])
            band = (own.get(offset, 0.0) - e * following) / d
            if offset > 1 and np.abs(band).max() < _NEGLIGIBLE:
                break
            bands.append(band)
    return _Banded(M, tuple(bands))


def _margin(K: Kernel) -> arb:
    return 1 + K.q - K.q**2 * (K.series(K.m - 1) + K.q * K.series(K.M - K.m - 1))
