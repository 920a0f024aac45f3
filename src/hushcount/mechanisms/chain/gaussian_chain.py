"""Mechanisms told by a chain on the curve of Gaussian differential privacy: Gaussian noise, cut at thresholds.

    Pr(output <= j | i) = Phi(mu (j + 1/2 - i) - y_j):     release the j with tau_{j-1} < i + Z / mu <= tau_j,

Z standard normal, tau_j = j + 1/2 - y_j / mu. **Privacy is exact**: i + Z / mu is mu-GDP, and cutting it is
post-processing, *whatever floats the y_j are*, as long as the tau do not fall, y_{j+1} - y_j <= mu. How well the floats
are chosen decides only the accuracy. What is released follows this law exactly: mu is enclosed and y_j is exact.

**In floats.** x = mu (j + 1/2 - i) - y_j is off by at most 2^-52 (|x| + 2 |y|), hence Phi(x) by at most
2^-52 (1/4 + 4/5 |y|), since |x| phi(x) < 1/4 and phi < 2/5. `erfc`, `inv_cdf` and `normal_floats` are taken to be right
to 2^-48. `_margin` covers both.

**Where to look.** y of a mirrored table falls, so the least j with z <= x_j lies between place = i + z / mu - 1/2 and
what place becomes when it is moved by y_j / mu, j the first integer from place on.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from statistics import NormalDist

import numpy as np
from flint import arb, ctx

from hushcount.drawing.guide_table import FEWEST_GUIDED
from hushcount.drawing.law import Guide
from hushcount.drawing.noise_guide import LARGEST_CUTS, Cuts, EvenCuts, FarCuts, NoiseGuide
from hushcount.errors import InvalidParameter
from hushcount.inputs.arguments import integer
from hushcount.mechanisms.chain.chain import Chain
from hushcount.mechanisms.chain.noise_table import noise_table
from hushcount.mechanisms.chain.normal_cells import Points, cells, lower_tails, two_sum
from hushcount.mechanisms.chain.shifts import Shifts
from hushcount.numbers.arrays import Floats, Integers
from hushcount.numbers.enclosure import nearest_float
from hushcount.promise.gaussian import GaussianDP
from hushcount.promise.normal import normal_cdf
from hushcount.promise.normal_floats import quantiles, upper_tails

__all__ = ["GaussianChain", "GivenGaussianChain"]

LARGEST_FAST_N = 2**53
_LARGEST = 1e150
_QUANTILE = NormalDist().inv_cdf
_HALF_ROOT = math.sqrt(0.5)
_MARGIN = 2.0**-46
_PER_SHIFT = 2.0**-52
_INNER = 5.0
_HALF_DENSITY = 7e-7
"""Below phi(5) / 2, the least density of a normal variable within `_INNER` (and a little beyond), halved."""
_STEPS = 2
_LEAST_UNIFORM = 2.0**-60
_FARTHEST = 40.0
"""Beyond, chances are below every float."""
_LEAST_GUIDED = 1e-3
"""The least mu at which 16 bits of the noise decide most draws."""
_LEAST = 1e-305
"""Chances below this are taken from enclosures, since floats that small have fewer digits."""


@dataclass(frozen=True)
class GaussianChain(Chain):
    """See the module."""

    n: int
    privacy: GaussianDP

    name = "gaussian-chain"

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", integer(self.n, "n", least=0))
        if not isinstance(self.privacy, GaussianDP):
            raise InvalidParameter("privacy", self.privacy, "a GaussianDP")

    @property
    def promise(self) -> GaussianDP:
        return self.privacy

    @property
    @abstractmethod
    def shifts(self) -> Shifts:
        """y_0..y_{n-1}, for n >= 1."""

    @cached_property
    def is_steady(self) -> bool:
        table, values = self.shifts.table, self.shifts.values
        rises = any(first_fall(self.privacy, table[start::2]) is not None for start in (0, 1))
        return not rises and not bool((np.diff(values) > 0).any())

    @cached_property
    def _mu(self) -> float:
        return min(nearest_float(lambda p: self.privacy.mu), _LARGEST)

    @cached_property
    def _mu_parts(self) -> tuple[float, float]:
        """mu as a float and the rest."""
        mu = self._mu
        if mu in (0, _LARGEST):
            return mu, 0.0
        with ctx.workprec(256):
            return mu, float((self.privacy.mu - arb(mu)).mid())

    @cached_property
    def _largest_shift(self) -> float:
        kept = self.shifts.table[np.isfinite(self.shifts.table)]
        return float(np.abs(kept).max(initial=0.0))

    @cached_property
    def _margin(self) -> float:
        return _MARGIN + _PER_SHIFT * self._largest_shift

    @cached_property
    def _sure(self) -> float:
        """Return how far from a quantile z of u, |z| <= 5, a threshold must be to lie 2 `_margin` or more from u."""
        return self._margin / _HALF_DENSITY

    def _span(self) -> float:
        reach = _FARTHEST + self._largest_shift
        return min(float(self.n), reach / self._mu + 1) if self._mu else float(self.n)

    def _far(self, true: int, j: int, precision: int) -> arb:
        y = self.shifts.at(j)
        if math.isinf(y):
            return arb(int((y < 0) == (j < true)))
        x = self.privacy.mu * (2 * (j - true) + 1) / 2 - arb(y)
        return normal_cdf(x if j < true else -x)

    def _far_floats(self, true: Integers, j: Integers) -> Floats:
        x = self._mu * (j - true + 0.5) - self.shifts.many(j)
        return upper_tails(np.where(j < true, -x, x))

    def _row(self, true: int) -> Floats:
        if self.n == 0:
            return np.ones(1)
        y = self.shifts.many(np.arange(self.n))
        x = Points.of(self._mu_parts, np.arange(self.n, dtype=np.float64) - true + 0.5, y)
        fall, lost = two_sum(y[:-1], -y[1:])
        total, more = two_sum(np.full_like(fall, self._mu_parts[0]), fall)
        width = total + (lost + more + self._mu_parts[1])
        width = np.where(np.isfinite(width), np.maximum(width, 0.0), np.where(y[:-1] == y[1:], 0.0, np.inf))
        row = np.concatenate([lower_tails(x[:1]), cells(x, width), lower_tails(-x[-1:])])
        for j in np.flatnonzero((row > 0) & (row < _LEAST)):
            row[j] = nearest_float(lambda p, j=int(j): self.enclosed_pmf(true, j, p))  # type: ignore[misc]
        return row

    # The inverse CDF: the least j with z <= x_j = mu (j + 1/2 - i) - y_j, z the quantile.

    def _locate(self, true: int, u: float) -> int:
        n, mu, at = self.n, self._mu, self.shifts.at
        if not 0 < u < 1 or n >= LARGEST_FAST_N:
            return -1
        z = _QUANTILE(u)
        low, high = 0, n
        if self.shifts.is_mirrored and mu * n >= _INNER:
            place = true + z / mu
            if n > LARGEST_CUTS and (found := self._far_cuts.settle_one(place, self._reach)) >= 0 and abs(z) <= _INNER:
                return found
            first = min(max(math.ceil(place - 0.5), 0), n)
            second = min(max(math.ceil(place - 0.5 + at(min(first, n - 1)) / mu), 0), n)
            low, high = (first, second) if first < second else (second, first)
            low, high = max(low - 1, 0), min(high + 1, n)
        while low < high:
            middle = (low + high) // 2
            if z <= mu * (middle + 0.5 - true) - at(middle):
                high = middle
            else:
                low = middle + 1
        return low if self._is_sure(true, low, u) else -1

    def _is_sure(self, true: int, j: int, u: float) -> bool:
        mu, margin, at = self._mu, self._margin, self.shifts.at
        if j > 0 and not 0.5 * math.erfc((at(j - 1) - mu * (j - 0.5 - true)) * _HALF_ROOT) + margin <= u:
            return False
        return j == self.n or u + margin <= 0.5 * math.erfc((at(j) - mu * (j + 0.5 - true)) * _HALF_ROOT)

    @cached_property
    def _reach(self) -> float:
        """Return `_sure` in counts, plus what floats lose of i + Z / mu and of the thresholds near it."""
        return self._sure / self._mu + (self.n + (_FARTHEST + self._largest_shift) / self._mu) * 2.0**-50

    @cached_property
    def _cuts(self) -> Cuts | FarCuts:
        if len(self.shifts.knots):
            return self._far_cuts
        return Cuts.of(self._tau)

    @property
    def _tau(self) -> Floats:
        return np.arange(self.n) + 0.5 - self.shifts.many(np.arange(self.n)) / self._mu

    @cached_property
    def _guiding_cuts(self) -> Cuts | EvenCuts | FarCuts:
        even = None if len(self.shifts.knots) else EvenCuts.of(self._tau)
        return even or self._cuts

    @cached_property
    def _far_cuts(self) -> FarCuts:
        ends = [min(max(2**e // 2 - 2, 0), self.n // 2) for e in range(self.n.bit_length() + 1)]
        return FarCuts(self.n, self.shifts.many(np.array(ends)) / self._mu)

    def _guide(self, true: Integers) -> Guide | None:
        if (true == true[:1]).all() or not self._mu >= _LEAST_GUIDED or not self._mu * self.n >= _INNER:
            return super()._guide(true)
        if not (len(true) >= FEWEST_GUIDED and self.n < LARGEST_FAST_N):
            return None
        table = noise_table()
        return NoiseGuide(self._guiding_cuts, table.middle / self._mu, table.half / self._mu + self._reach)

    def _locate_many(self, true: Integers, u: Floats) -> Integers:
        n, mu = self.n, self._mu
        if n >= LARGEST_FAST_N:
            return np.full(u.shape, -1)
        if mu * n < _INNER:  # thresholds may lie as near to one another as their shifts differ
            return self._locate_by_bisection(true, u)
        z, bend = noise_table().near(u)
        found = self._cuts.settle(true + z / mu, bend / mu + self._reach)
        unsure = np.flatnonzero(found < 0)
        if len(unsure) and isinstance(self._cuts, FarCuts):
            found[unsure] = self._locate_by_steps(true[unsure], z[unsure], bend[unsure])
            unsure = np.flatnonzero(found < 0)
        if len(unsure):
            found[unsure] = self._locate_by_bisection(true[unsure], u[unsure])
        return found

    def _locate_by_steps(self, true: Integers, z: Floats, bend: Floats) -> Integers:
        """From the shift of one threshold to the next one to look at; far from the edges shifts hardly differ."""
        place = true + (z / self._mu - 0.5)
        j = np.clip(np.ceil(place), 0, self.n).astype(np.int64)
        for _ in range(_STEPS):
            bent = place + self.shifts.many(np.minimum(j, self.n - 1)) / self._mu
            j = np.clip(np.ceil(bent), 0, self.n).astype(np.int64)
        low, high = self._around(true, j)
        reach = bend + self._sure
        return np.where((low + reach <= z) & (z <= high - reach), j, -1)

    def _locate_by_bisection(self, true: Integers, u: Floats) -> Integers:
        n, mu, z = self.n, self._mu, quantiles(np.maximum(u, _LEAST_UNIFORM))
        low, high = np.zeros_like(true), np.full_like(true, n)
        if self.shifts.is_mirrored and mu * n >= _INNER:
            place = true + (z / mu - 0.5)
            first = np.clip(np.ceil(place), 0, n).astype(np.int64)
            bent = place + self.shifts.many(np.minimum(first, n - 1)) / mu
            second = np.clip(np.ceil(bent), 0, n).astype(np.int64)
            low, high = np.maximum(np.minimum(first, second) - 1, 0), np.minimum(np.maximum(first, second) + 1, n)
        while (low < high).any():
            middle = (low + high) // 2
            holds = z <= self._around(true, middle)[1]
            low, high = np.where(holds, low, np.minimum(middle + 1, high)), np.where(holds, middle, high)
        below, above = self._around(true, low)
        sure = (upper_tails(-below) + self._margin <= u) | (low == 0)
        sure &= (u + self._margin <= upper_tails(-above)) | (low == n)
        found: Integers = np.where(sure, low, -1)
        return found

    def _around(self, true: Integers, j: Integers) -> tuple[Floats, Floats]:
        """Return the x of the thresholds below and above outcome j."""
        mu, n = self._mu, self.n
        at = mu * (j - true)
        low = np.where(j > 0, at - 0.5 * mu - self.shifts.many(np.maximum(j - 1, 0)), -np.inf)
        high = np.where(j < n, at + 0.5 * mu - self.shifts.many(np.minimum(j, n - 1)), np.inf)
        return low, high


@dataclass(frozen=True)
class GivenGaussianChain(GaussianChain):
    """A mechanism of any thresholds that do not fall."""

    given: tuple[float, ...]

    form = "shifts"
    """What `given` holds, as files call it."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.given) != self.n:
            raise InvalidParameter("given", None, f"{self.n} floats")
        for j, y in enumerate(self.given):
            if not isinstance(y, float) or math.isnan(y):
                raise InvalidParameter(f"shifts[{j}]", y, "a float")
        check_rising(self.privacy, np.array(self.given, dtype=np.float64))

    @property
    def is_mirrored(self) -> bool:  # type: ignore[override]
        return all(a == -b for a, b in zip(self.given, reversed(self.given), strict=True))

    @cached_property
    def shifts(self) -> Shifts:
        return Shifts.whole(np.array(self.given, dtype=np.float64))


def check_rising(privacy: GaussianDP, shifts: Floats) -> None:
    """Check that the thresholds do not fall: y_{j+1} - y_j <= mu, exactly.

    Raises:
        InvalidParameter: they do, naming the first that is below the one before it.
    """
    fall = first_fall(privacy, shifts)
    if fall is not None:
        rule = f"at most shifts[{fall - 1}] + mu: thresholds must not fall"
        raise InvalidParameter(f"shifts[{fall}]", float(shifts[fall]), rule)


def first_fall(privacy: GaussianDP, shifts: Floats) -> int | None:
    """Return the first j with y_j - y_{j-1} > mu, exactly; None if there is none."""
    with np.errstate(invalid="ignore"):
        rises = np.diff(shifts)
    rises[shifts[1:] == shifts[:-1]] = 0.0  # infinite alike
    for j in np.flatnonzero(~(rises <= 0.0)).tolist():
        if math.isinf(rises[j]):
            return int(j) + 1
        rise = Fraction(float(shifts[j + 1])) - Fraction(float(shifts[j]))
        if rise > 0 and rise**2 > privacy.mu_squared:
            return int(j) + 1
    return None
