"""The least worst-case error probability behind a fixed medium T, certified.

    p_e*(T) = 1 - max over stochastic P, with P T private, of min_i [P T]_ii                       ([RV26] section V)

Tries follow one another, the cheapest first, until the interval is narrow enough; the best certificate counts. Both
ends are proved. The upper one is the error probability, computed and rounded up, of a mechanism G whose G T is private
by proof. The lower one is p_e*, l(T), or a bound by the duals of a linear program.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain

from numpy.typing import ArrayLike

from hushcount.errors import TooLarge
from hushcount.linear_program.methods import Method
from hushcount.medium.at_promise import Received
from hushcount.medium.certified.bounds import Bounds
from hushcount.medium.certified.medium_optimum import Basis, MediumOptimum
from hushcount.medium.certified.program import least_absolute_error as program_of_absolute_error, least_error
from hushcount.medium.certified.window import middle_rows_bound
from hushcount.medium.medium import Medium
from hushcount.numbers.arrays import UNIT
from hushcount.numbers.exact import Number

__all__ = ["LARGEST_OPTIMIZED", "Certified", "optimum"]

LARGEST_OPTIMIZED = 256
"""The most symbols for which the linear program is solved; beyond, the bounds are all there is."""

_MIDDLE_ROWS = (24, 40)
"""How many middle rows of a circulant medium are tried before all rows are.

The fewer are tried only for a large medium, where they are a small part of the work, and are what is known if the rest
reaches its limits.
"""

_LARGE, _LITTLE_DELTA = 64, Fraction(1, 10**5)
"""Up to so many symbols, middle rows are tried only up to such a delta: u4 misses about delta / 3000, more than is
promised there."""

_SETTLED = 1e-10
"""The width of an interval that is not worth a linear program to narrow."""


def optimum(
    medium: Medium | ArrayLike, epsilon: Number, delta: Number = 0, *, least_absolute_error: bool = False
) -> MediumOptimum:
    """Return p_e*(T) at (epsilon, delta), and a mechanism for it; see the module.

    The interval is at most 1e-9 wide up to 16 symbols, 1e-7 up to 64 and 1e-5 beyond. It is wider at extreme
    parameters, and for large media in which every symbol is received as many others, where the program is stopped at a
    limit of steps (6e-4 for 128-PSK at 20 dB, epsilon = 0.5, delta = 0). The program is never stopped by a clock: the
    interval is the same, byte for byte, on a busy machine.

    Args:
        medium: a medium, or its matrix (`from_matrix`). Above 256 symbols the interval is that of the bounds.
        epsilon, delta: >= 0 in nats, and 0 <= delta < 1; kept exactly.
        least_absolute_error: whether to take, of the mechanisms that reach `upper`, one with the least worst-case
            expected |error| (one more linear program; `upper` may grow by a tenth of those widths).

    Raises:
        InvalidParameter, BadUse: a bad argument, naming it.
        TooLarge: more than 4,096 symbols, or more than 256 and `least_absolute_error`.
    """
    at = Certified.of(medium, epsilon, delta)
    return at.closest if least_absolute_error else at.optimum


@dataclass(frozen=True)
class _Certificate:
    """What one try proves.

    Attributes:
        lower: a lower bound of p_e*(T).
        enough: the width of an interval that needs no further try.
        basis: the argument that this is, if it is the last one.
        used: a mechanism, and what it is worth; None if the try gave none.
        tries, stopped: see `MediumOptimum`.
    """

    lower: float
    enough: float
    basis: Basis
    used: Received | None = None
    tries: tuple[Method, ...] = ()
    stopped: tuple[Method, ...] = ()


@dataclass(frozen=True, eq=False)
class Certified(Bounds):
    """The least error probability behind one medium at one promise, and mechanisms that reach it."""

    @cached_property
    def optimum(self) -> MediumOptimum:
        """p_e*(T), as `optimum` returns it."""
        lower, best = -math.inf, self._best_bound
        for found in chain(self._closed_forms(), self._middle_rows(), self._linear_program()):
            lower = max(lower, found.lower)
            if found.used is not None:
                best = min(best, found.used, key=_error_probability)
            upper = best.error_probability
            if upper - lower <= found.enough:
                break
        lower, tried = min(lower, upper), (found.basis, found.tries, found.stopped)
        return MediumOptimum(self.medium, self.privacy, lower, upper, best.mechanism, best.absolute_error, None, *tried)

    @cached_property
    def closest(self) -> MediumOptimum:
        """The optimum with the least worst-case expected |error| among the mechanisms that are wrong as rarely.

        Raises:
            TooLarge: more than 256 symbols.
        """
        if not (M := self.medium.order) <= LARGEST_OPTIMIZED:
            raise TooLarge(f"the least |error| takes a linear program of up to {LARGEST_OPTIMIZED} symbols (got {M:,})")
        found, traded = self.optimum, self._promised_width / 10
        solution, matrix = program_of_absolute_error(self.medium, self.privacy, found.upper, traded)
        tries, stopped = (*found.tries, *solution.tries), (*found.stopped, *solution.stopped)
        found = replace(found, least_absolute_error=max(0.0, solution.bound), tries=tries, stopped=stopped)
        if matrix is None:
            return found
        ours = self.received(matrix)
        if not (ours.error_probability <= found.upper + traded and ours.absolute_error < found.absolute_error):
            return found
        upper = max(found.upper, ours.error_probability)
        return replace(found, upper=upper, mechanism=ours.mechanism, absolute_error=ours.absolute_error)

    def _closed_forms(self) -> Iterator[_Certificate]:
        """Yield the bounds u0 to u4 against p_e* and l(T)."""
        without, alone = self.without.lower, self.l.value or 0.0
        basis = Basis.WITHOUT_MEDIUM if without >= alone else Basis.MEDIUM_ALONE
        yield _Certificate(max(without, alone), _SETTLED, basis)

    def _middle_rows(self) -> Iterator[_Certificate]:
        """Yield what some rows in the middle prove, where they are worth a linear program of their own."""
        few, many = _MIDDLE_ROWS
        T, M = self.medium, self.medium.order
        if not (T.is_circulant and T.is_mirrored and many < M <= LARGEST_OPTIMIZED):
            return
        for rows in (few, many) if M > _LARGE else (many,) if self.privacy.delta <= _LITTLE_DELTA else ():
            lower = middle_rows_bound(T, self.privacy, (M - rows) // 2)
            yield _Certificate(lower, self._promised_width, Basis.MIDDLE_ROWS)

    def _linear_program(self) -> Iterator[_Certificate]:
        """Yield what all rows prove, by one method after another."""
        if self.medium.order > LARGEST_OPTIMIZED:
            yield _Certificate(-math.inf, math.inf, Basis.BOUNDS)
            return
        bound = -math.inf
        for solution, matrix in least_error(self.medium, self.privacy):
            bound, used = max(bound, solution.bound), None if matrix is None else self.received(matrix)
            basis = Basis.LINEAR_PROGRAM if math.isfinite(bound) else Basis.BOUNDS
            lower = 1 + bound - 2 * UNIT
            yield _Certificate(lower, self._promised_width, basis, used, solution.tries, solution.stopped)

    @property
    def _best_bound(self) -> Received:
        return min((bound.used for bound in self.uppers if bound.used is not None), key=_error_probability)

    @property
    def _promised_width(self) -> float:
        return 1e-9 if self.medium.order <= 16 else 1e-7 if self.medium.order <= _LARGE else 1e-5


def _error_probability(used: Received) -> float:
    return used.error_probability
