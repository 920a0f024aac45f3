"""The least worst-case error probability behind a fixed medium T, certified.

    p_e*(T) = 1 - max over stochastic P, with P T private, of min_i [P T]_ii                       ([RV26] section V)

Tries follow one another, the cheapest first, until the interval is narrow enough; the best certificate counts. Both
ends are proved. The upper one is the error probability, computed and rounded up, of a mechanism G whose G T is private
by proof. The lower one is p_e*, l(T), or a bound by the duals of a linear program.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain

from numpy.typing import ArrayLike

from hushcount.errors import TooLarge
from hushcount.linear_program.methods import HUGE, LARGE, SMALL, Method
from hushcount.medium.at_promise import Received
from hushcount.medium.certified.bounds import Bounds
from hushcount.medium.certified.chain.program import ChainProgram
from hushcount.medium.certified.chain.solved import Solved, solved
from hushcount.medium.certified.identical_rows import identical_rows
from hushcount.medium.certified.medium_optimum import Basis, MediumOptimum
from hushcount.medium.certified.program import least_absolute_error as program_of_absolute_error, least_error
from hushcount.medium.medium import Medium
from hushcount.numbers.arrays import UNIT
from hushcount.numbers.exact import Number

__all__ = ["LARGEST_OPTIMIZED", "Certified", "optimum"]

LARGEST_OPTIMIZED = 256
"""The most symbols for which the linear program is solved; beyond, the bounds are all there is."""

_SMALL, _SOLVED_AGAIN = 32, 64
"""Up to so many symbols simplex is tried, and up to so many HiGHS' interior point, where ours leaves too much open."""

_AT_ONCE = 16
"""Up to so many symbols simplex is the first to be tried: it takes no longer, and its answer is a clean vertex."""

_MIDDLE_ROWS = (24, 40)
"""How many middle rows of a large circulant medium are tried before all rows are."""

_LITTLE_DELTA = Fraction(1, 10**5)
"""Middle rows are tried only up to such a delta: u4 misses about delta / 3000, more than is promised there."""

_HARDLY = 1e-6
"""Up to such an epsilon + delta identical rows are tried: an interior point fails up to 1e-7 where symbols are many."""

_CLEAN = 1e-12
"""The width of an interval that the linear program would not narrow much either."""

_SETTLED = 1e-10
"""The width of an interval that is not worth a linear program to narrow."""

_PROMISED = {32: 1e-9, 64: 1e-8, 128: 1e-7, LARGEST_OPTIMIZED: 1e-6}
"""The width that is aimed at, up to so many symbols."""


def optimum(
    medium: Medium | ArrayLike, epsilon: Number, delta: Number = 0, *, least_absolute_error: bool = False
) -> MediumOptimum:
    """Return p_e*(T) at (epsilon, delta), and a mechanism for it; see the module.

    The interval is at most 1e-9 wide up to 32 symbols, 1e-8 up to 64, 1e-7 up to 128 and 1e-6 beyond, but at extreme
    parameters: where epsilon is small and delta large, so that rows hardly differ, up to some 10 times as much. The
    program is stopped by steps and never by a clock: the interval is the same, byte for byte, on a busy machine. With
    outputs of its own (`DecidedMedium`), more than 2,048 pairs of a symbol and an output may leave 1e-6.

    Args:
        medium: a medium, or its matrix (`from_matrix`). Above 256 symbols the interval is that of the bounds, and so it
            is for more than 65,536 pairs of a symbol and an output.
        epsilon, delta: >= 0 in nats, and 0 <= delta < 1; kept exactly.
        least_absolute_error: whether to take, of the mechanisms that reach `upper`, one with the least worst-case
            expected |error| (one more linear program; `upper` may grow by a third of those widths).

    Raises:
        InvalidParameter, BadUse: a bad argument, naming it.
        TooLarge: more than 4,096 symbols; with `least_absolute_error`, wherever the interval is that of the bounds.
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
        tries, stopped: the method, where it is one, and whether it was stopped.
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
        lower, best, tries, stopped = -math.inf, self._best_bound, tuple[Method, ...](), tuple[Method, ...]()
        for found in chain(self._closed_forms(), self._identical_rows(), self._middle_rows(), self._linear_programs()):
            lower = max(lower, found.lower)
            if found.used is not None:
                best = min(best, found.used, key=_error_probability)
            tries, stopped = (*tries, *found.tries), (*stopped, *found.stopped)
            upper = best.error_probability
            if upper - lower <= found.enough:
                break
        lower, how = min(lower, upper), (found.basis, tries, stopped)
        return MediumOptimum(self.medium, self.privacy, lower, upper, best.mechanism, best.absolute_error, None, *how)

    @cached_property
    def closest(self) -> MediumOptimum:
        """The optimum with the least worst-case expected |error| among the mechanisms that are wrong as rarely.

        Raises:
            TooLarge: no linear program is tried.
        """
        if not self._is_optimized:
            raise TooLarge(
                f"the least |error| takes a linear program of up to {LARGEST_OPTIMIZED} symbols {self._size}"
            )
        found, traded = self.optimum, self._promised_width / 3  # half of it is more than a solver's tolerance
        solution, matrix = program_of_absolute_error(self.medium, self.privacy, found.upper, traded)
        tries, stopped = (*found.tries, *solution.tries), (*found.stopped, *solution.stopped)
        found = replace(found, least_absolute_error=max(0.0, solution.bound), tries=tries, stopped=stopped)
        others = [self.nearest.matrix()] if matrix is None else [matrix, self.nearest.matrix()]
        known = [*map(self.received, others), *(bound.used for bound in self.uppers if bound.used is not None)]
        as_good = [used for used in known if used.error_probability <= found.upper + traded]
        best = min(as_good, key=lambda used: used.absolute_error, default=None)
        if best is None or not best.absolute_error < found.absolute_error:
            return found
        upper = max(found.upper, best.error_probability)
        return replace(found, upper=upper, mechanism=best.mechanism, absolute_error=best.absolute_error)

    def _closed_forms(self) -> Iterator[_Certificate]:
        """Yield the bounds u0 to u4 against p_e* and l(T)."""
        without, alone = self.without.lower, self.l.value or 0.0
        basis = Basis.WITHOUT_MEDIUM if without >= alone else Basis.MEDIUM_ALONE
        yield _Certificate(max(without, alone), _SETTLED, basis)

    def _identical_rows(self) -> Iterator[_Certificate]:
        """Yield what identical rows come to, where others hardly differ from them."""
        if not (self._is_optimized and self._most_difference <= _HARDLY):
            return
        found = identical_rows(self.medium, self.privacy)
        if found is not None:
            yield self._of(found, _CLEAN, Basis.IDENTICAL_ROWS)

    def _middle_rows(self) -> Iterator[_Certificate]:
        """Yield what some rows in the middle prove, where u4 may meet it."""
        (few, many), T, M = _MIDDLE_ROWS, self.medium, self.medium.order
        if not (T.is_circulant and T.is_mirrored and _SOLVED_AGAIN < M <= LARGEST_OPTIMIZED):
            return
        if not self.privacy.delta <= _LITTLE_DELTA or self._most_difference <= UNIT:
            return
        enough, lower = self._promised_width, -math.inf
        for rows in (few, many):
            lower = solved(ChainProgram.of(T, self.privacy, (M - rows) // 2), enough / 4).bound
            yield _Certificate(lower, enough, Basis.MIDDLE_ROWS)
            # What is missed falls exponentially with the rows: `many` will do only if `few` nearly did.
            if self._best_bound.error_probability - lower > enough ** (few / many):
                return

    def _linear_programs(self) -> Iterator[_Certificate]:
        """Yield what all rows prove, by one method after another."""
        M = self.medium.order
        if not self._is_optimized:
            yield _Certificate(-math.inf, math.inf, Basis.BOUNDS)
        elif self.medium.is_decided:  # our own program bounds one entry from below, not a sum of outputs
            yield from self._by_highs(SMALL if self.medium.outputs.size <= 2 * _SMALL**2 else LARGE)
        elif M <= _AT_ONCE:
            yield from chain(self._by_highs((Method.SIMPLEX,)), self._by_chain(), self._by_highs(SMALL[1:]))
        elif M <= _SOLVED_AGAIN:
            yield from chain(self._by_chain(), self._by_highs(SMALL if M <= _SMALL else HUGE))
        else:
            yield from self._by_chain()

    def _by_chain(self) -> Iterator[_Certificate]:
        """Yield what our own interior point proves."""
        if self._most_difference <= UNIT:  # in floats, there is no inner point
            return
        enough = self._promised_width
        found = solved(ChainProgram.of(self.medium, self.privacy), enough / 4)
        yield self._of(found, enough, Basis.LINEAR_PROGRAM, (Method.CHAIN,))

    def _by_highs(self, methods: Sequence[Method]) -> Iterator[_Certificate]:
        """Yield what each of several methods of HiGHS proves."""
        for solution, matrix in least_error(self.medium, self.privacy, methods):
            used = None if matrix is None else self.received(matrix)
            basis = Basis.LINEAR_PROGRAM if math.isfinite(solution.bound) else Basis.BOUNDS
            lower = 1 + solution.bound - 2 * UNIT
            stopped = tuple(method for method in solution.tries[-1:] if method in solution.stopped)
            yield _Certificate(lower, self._promised_width, basis, used, solution.tries[-1:], stopped)

    def _of(self, found: Solved, enough: float, basis: Basis, tries: tuple[Method, ...] = ()) -> _Certificate:
        return _Certificate(found.bound, enough, basis, self.received(found.P), tries)

    @property
    def _is_optimized(self) -> bool:
        """Whether the linear program has no more columns than that of 256 symbols which are their outputs."""
        return self.medium.outputs.size <= LARGEST_OPTIMIZED**2

    @property
    def _size(self) -> str:
        M, N = self.medium.outputs.shape
        return f"and {LARGEST_OPTIMIZED**2 // M:,} outputs (got {M:,} and {N:,})" if N > M else f"(got {M:,})"

    @property
    def _most_difference(self) -> float:
        """1 - e^-epsilon + delta: how much of a row the next one may lack."""
        return 1 - self.privacy.shrinkage + float(self.privacy.delta)

    @property
    def _best_bound(self) -> Received:
        return min((bound.used for bound in self.uppers if bound.used is not None), key=_error_probability)

    @property
    def _promised_width(self) -> float:
        return next((width for most, width in _PROMISED.items() if self.medium.order <= most), math.inf)


def _error_probability(used: Received) -> float:
    return used.error_probability
