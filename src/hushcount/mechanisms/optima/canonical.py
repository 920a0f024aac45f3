"""The canonical optimum: the paper's closed form, a circulant matrix.

P* = (1 - delta) alpha_M [q^d(i,j)] + delta I with the cyclic distance d(i, j) = min(|i - j|, M - |i - j|) ([RV26]
Theorem 1 (11)). In words: with probability delta release the truth, otherwise add cyclic geometric noise. The noise
wraps around: a true 0 is released as n as often as it is released as 1. `nearest` never does that, and has the same
error probability. What only the canonical optimum has is algebra: it is circulant and positive definite, so products
and inverses cost O(n log n).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor

import numpy as np
from flint import arb, ctx
from numpy.typing import ArrayLike

from hushcount.errors import BadUse, InvalidParameter, Told, TooLarge
from hushcount.inputs.arrays import array
from hushcount.mechanisms.base import LARGEST_ROW
from hushcount.mechanisms.optima.canonical_fast import CanonicalFloats
from hushcount.mechanisms.optima.kernel import Kernel
from hushcount.mechanisms.optima.optimum import Optimum
from hushcount.mechanisms.optima.tail_sums import piece_sums
from hushcount.numbers.arrays import Floats, Integers
from hushcount.numbers.enclosure import FIRST_PRECISION, ball
from hushcount.numbers.exact import Number
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["Canonical", "canonical"]


@dataclass(frozen=True)
class Canonical(Optimum[CanonicalFloats]):
    """The canonical optimum; see the module and `canonical`."""

    name = "canonical"

    @property
    def spectrum(self) -> Floats:
        """Return the n + 1 eigenvalues, in the order of the discrete Fourier transform ([RV26] Appendix A, scaled
        and shifted by delta).

        With theta = 2 pi k / M and D = 1 - 2 q cos theta + q^2, the kernel's eigenvalues are

        - M = 2m + 1: (1 - q)(1 + q - 2 q^(m+1) cos(m theta)) / D,
        - M = 2m: (1 - q^2)(1 - (-1)^k q^m) / D. (In print it is 1 - q^2 - (1 - q)^2 q^m (-1)^k, which at
          M = 2, k = 0 gives (1 + q^2) / (1 - q) instead of the row sum 1 + q; see docs/theory.md.)

        They are positive unless epsilon = delta = 0, and eigenvalue 0 of P* is exactly 1.

        Raises:
            TooLarge: more than 2**24 outcomes.
        """
        self._fits("the spectrum")
        return self._floats.spectrum()

    def product(self, x: ArrayLike) -> Floats:
        """Return P* x, in O(n log n) time and O(n) memory.

        Args:
            x: real, shape (n + 1,) or (n + 1, columns). P* is symmetric, so this is also x P* for a row vector.

        Raises:
            InvalidParameter: x is not finite real numbers of that shape.
            TooLarge: more than 2**24 outcomes.
        """
        return self._filtered(x, self.spectrum)

    def solve(self, b: ArrayLike) -> Floats:
        """Return the x with P* x = b, in O(n log n): the unbiased estimate of a histogram of true counts from
        released ones.

        Its error grows as 1 / min(spectrum), the price of privacy. `b` has shape (n + 1,) or (n + 1, columns).

        Raises:
            InvalidParameter: b is not finite real numbers of that shape.
            BadUse: epsilon = delta = 0, where every row is uniform and nothing can be recovered; or an eigenvalue that
                is 0 in floats.
        """
        spectrum = self.spectrum
        if not spectrum.min() > 0:
            raise BadUse("the matrix has no inverse: epsilon and delta are 0, or too small for floats")
        return self._filtered(b, 1 / spectrum)

    def _filtered(self, x: ArrayLike, gains: Floats) -> Floats:
        values = array(x, "the vector", "finite real numbers")
        if values.dtype.kind not in "iuf" or not np.isfinite(values).all():
            raise InvalidParameter("the vector", None, "finite real numbers")
        if values.ndim not in (1, 2) or values.shape[0] != self.n + 1:
            raise InvalidParameter(
                "the vector", Told(values.shape), f"of shape ({self.n + 1},) or ({self.n + 1}, columns)"
            )
        half = gains[: (self.n + 1) // 2 + 1]
        transformed = np.fft.rfft(values, axis=0) * (half if values.ndim == 1 else half[:, None])
        return np.fft.irfft(transformed, n=self.n + 1, axis=0)

    def _fits(self, what: str) -> None:
        if not self.n < LARGEST_ROW:
            raise TooLarge(f"{what} has {self.n + 1:,} entries, above the limit of {LARGEST_ROW:,}")

    def _worst_candidates(self) -> list[int]:
        # Pairing the released counts at cyclic offset r and M - r shows the error at distance r or M - r, the
        # latter when the shorter way wraps; an edge wraps for every r, so no loss that grows with distance is
        # larger elsewhere.
        return [0]

    def _tail(self, row: int, k: int, precision: int) -> arb:
        K = self._kernel(precision)
        far = K.a * K.power(K.M - row + 1) * K.series(row - max(k, K.half + 1)) if row - 1 > K.half else arb(0)
        if k > K.half:
            return far
        end = min(row - 1, K.half)
        return far + K.a * K.power(k) * K.series(end + 1 - k)

    def _tail_sums(self, row: int, precision: int) -> tuple[arb, arb]:
        K = self._kernel(precision)
        end = min(row - 1, K.half)
        if K.is_flat:  # tail(k) = a (row - k): the sums of k and of k^2 over k < row
            return K.a * row * (row - 1) / 2, K.a * row * (row - 1) * (2 * row - 1) / 6
        whole = self._tail(row, K.half + 1, precision) if row - 1 > K.half else arb(0)
        scale = K.a / K.gap
        near = piece_sums(K, {0: whole - scale * K.power(end + 1), 1: scale}, 1, end)
        # Beyond half: a q^(M - row + 1) (1 - q^(row - k)) / (1 - q)
        wrapped = scale * K.power(K.M - row + 1)
        far = piece_sums(K, {0: wrapped, -1: -wrapped * K.power(row)}, K.half + 1, row - 1)
        return near[0] + far[0], near[1] + far[1]

    # Turning and mirroring the circle takes any pair of rows at distance s to (0, s), so that pair is the worst at
    # every epsilon. Between them, ln p(0, j) / p(s, j) is epsilon times the difference of two cyclic distances.

    def _worst_pairs(self, distance: int) -> list[tuple[int, int]]:
        return [(0, distance)]

    def _worst_event(self, true: int, other: int, epsilon: Fraction) -> list[tuple[int, int]]:
        """Return, for true = 0, the arc around 0 on which d(other, j) - d(0, j) > epsilon / own epsilon.

        With s = other, sigma = d(0, s) and t the least integer above that quotient, the arc reaches (sigma - t) / 2
        toward s (the short way) and (M - sigma - t) / 2 away from it, both rounded down. delta sits in outcome 0 alone
        and can only add that outcome.
        """
        M = self.n + 1
        sigma = min(other, M - other)
        t = floor(epsilon / self.epsilon) + 1 if self.epsilon > 0 else sigma + 1
        if t > sigma:
            only_truth = self.delta > 0 and not self._truth_is_covered(sigma, epsilon)
            return [(0, 0)] if only_truth else []
        towards, away = (sigma - t) // 2, (M - sigma - t) // 2
        up, down = (towards, away) if sigma == other else (away, towards)
        return [(0, up)] if down == 0 else [(0, up), (M - down, M - 1)]

    def _truth_is_covered(self, sigma: int, epsilon: Fraction) -> bool:
        """Return whether p(0, 0) <= e^epsilon p(s, 0) for sure."""
        with ctx.workprec(FIRST_PRECISION):
            K = self._kernel(FIRST_PRECISION)
            return bool(K.gamma <= (ball(epsilon) - K.epsilon * sigma).exp() * K.a)

    # Sampling walks the circle upwards from the true count, so that all rows have the same thresholds.

    def _below(self, true: int, position: int, precision: int) -> arb:
        K = self._kernel(precision)
        if position == 0:
            return arb(0)
        return prefix(K, position)

    def _outcome(self, true: int, position: int) -> int:
        return (true + position) % (self.n + 1)

    def _alike(self, true: Integers) -> tuple[Integers, Integers]:
        return np.zeros_like(true), np.zeros_like(true)

    def _outcomes(self, true: Integers, position: Integers) -> Integers:
        total = true + position
        return np.where(total > self.n, total - (self.n + 1), total)

    @staticmethod
    def _formulas() -> type[CanonicalFloats]:
        return CanonicalFloats

    def _row(self, true: int) -> Floats:
        return np.roll(self._floats.first_row(), true)

    def _locate(self, true: int, u: float) -> int:
        return self._scalars.locate(u)

    def _locate_many(self, true: Integers, u: Floats) -> Integers:
        return self._floats.locate_many(u)


def prefix(K: Kernel, count: int) -> arb:
    """Return c_count, the sum of the first `count` >= 1 entries of the first row: delta + a S(count), or 1 - a q S(M
    - count) beyond m."""
    if count <= K.m:
        return K.delta + K.a * K.series(count)
    return 1 - K.a * K.q * K.series(K.M - count)


def canonical(n: int, epsilon: Number, delta: Number = 0) -> Canonical:
    """Return the canonical optimal (epsilon, delta)-DP mechanism on 0..n ([RV26] Theorem 1 (11)).

    Args:
        n: the largest count, an integer >= 0.
        epsilon: >= 0, in nats; float, int, Fraction, Decimal or decimal string, kept exactly.
        delta: 0 <= delta < 1, kept exactly.

    Raises:
        InvalidParameter: naming the argument, its value and the rule.
    """
    return Canonical(n, EpsilonDelta.of(epsilon, delta))
