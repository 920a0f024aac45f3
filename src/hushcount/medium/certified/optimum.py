"""The least worst-case error probability behind a fixed medium T, certified.

    p_e*(T) = 1 - max over stochastic P, with P T private, of min_i [P T]_ii                       ([RV26] section V)

Where a bound in closed form meets p_e* or l(T), that is the answer; otherwise a linear program (`optimum_program`).
Both ends of the interval are proved: the upper one by a mechanism G whose G T is private by proof and whose error
probability is computed and rounded up; the lower one by p_e*, by l(T), and by the duals.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from enum import Enum
from fractions import Fraction
from typing import Any

from numpy.typing import ArrayLike

from hushcount.errors import TooLarge
from hushcount.linear_program import Method
from hushcount.mechanisms.explicit import Explicit
from hushcount.mechanisms.optima.nearest import Nearest
from hushcount.medium.certified.bounds import BoundSet
from hushcount.medium.certified.program import least_absolute_error, least_error
from hushcount.medium.certified.window import middle_rows_bound
from hushcount.medium.channels.given import as_medium
from hushcount.medium.channels.measured import MeasuredMedium
from hushcount.medium.channels.received import Received, received
from hushcount.medium.channels.true_medium import AS_OBSERVED, TrueMedium
from hushcount.medium.medium import Medium
from hushcount.numbers.arrays import UNIT
from hushcount.numbers.enclosure import refinements
from hushcount.numbers.exact import Number, exact_text
from hushcount.numbers.intervals import interval_of
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = [
    "LARGEST_OPTIMIZED",
    "Basis",
    "MediumOptimum",
    "closest",
    "error_probability_without",
    "optimum",
    "optimum_behind",
]

LARGEST_OPTIMIZED = 256
"""Symbols for which the linear program is solved."""

_MIDDLE_ROWS = (24, 40)
"""Of a circulant medium, which are tried before all rows are; the fewer only of a large one, where they are a small
part of the work and what is known if the rest comes to its limits."""

_LARGE, _LITTLE_DELTA = 64, Fraction(1, 10**5)
"""Up to so many symbols, only up to such a delta: u4 misses about delta / 3000, more than is promised there."""

_SETTLED = 1e-10
"""Width of an interval that is not worth a linear program to make smaller."""


class Basis(Enum):
    """Which argument gave the optimum; the value is the sentence for people."""

    WITHOUT_MEDIUM = "An upper bound meets p_e*: but for the width of the interval, the medium costs nothing."
    MEDIUM_ALONE = "An upper bound meets l(T), which no mechanism can undercut, private or not: the medium decides."
    MIDDLE_ROWS = "An upper bound of a circulant medium nearly meets what a linear program proves from the middle rows."
    LINEAR_PROGRAM = "A linear program; both ends of the interval are proved."
    BOUNDS = (
        "The linear program gave nothing usable; the interval is that of the bounds. Ask for fewer symbols, or a less "
        "extreme epsilon and delta."
    )


@dataclass(frozen=True, eq=False)
class MediumOptimum:
    """p_e*(T), between proved bounds, with the mechanism to use.

    Attributes:
        medium: T. If it is a `MeasuredMedium`, all this is of the observed frequencies; see `true_medium`.
        privacy: the epsilon and delta asked for, exactly.
        lower, upper: lower <= p_e*(T) <= upper.
        mechanism: G, to be used in front of T: G T is (epsilon, delta)-DP by proof, and wrong with chance at most
            `upper`.
        absolute_error: sum_j |j - i| [G T]_ij, worst case over true counts i, rounded up.
        least_absolute_error: certified: no mechanism that is wrong with chance at most `upper` has a smaller one; None
            if that was not asked for.
        basis: how it was found.
        tries: the methods that the solver was asked for, in order; empty where it was not needed for the whole program.
        stopped: those of them that were stopped at their limit of steps; what they had is used all the same.
    """

    medium: Medium = field(repr=False)
    privacy: EpsilonDelta
    lower: float
    upper: float
    mechanism: Explicit = field(repr=False)
    absolute_error: float
    least_absolute_error: float | None
    basis: Basis
    tries: tuple[Method, ...]
    stopped: tuple[Method, ...] = ()

    @property
    def width(self) -> float:
        return self.upper - self.lower

    @property
    def true_medium(self) -> TrueMedium | None:
        """What the mechanism is worth behind the true medium, if T is observed frequencies; None if T is exact."""
        if not isinstance(self.medium, MeasuredMedium):
            return None
        return TrueMedium.of(self.medium, self.privacy, self.upper)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        true = self.true_medium
        return {
            "true_medium": None if true is None else true.to_dict(),
            "epsilon": exact_text(self.privacy.epsilon),
            "delta": exact_text(self.privacy.delta),
            "lower": self.lower,
            "upper": self.upper,
            "absolute_error": self.absolute_error,
            "least_absolute_error": self.least_absolute_error,
            "basis": self.basis.name,
            "explanation": self.basis.value if true is None else f"{AS_OBSERVED} {self.basis.value}",
            "tries": [method.name for method in self.tries],
            "stopped": [method.name for method in self.stopped],
        }


def optimum(
    medium: Medium | ArrayLike, epsilon: Number, delta: Number = 0, *, least_absolute_error: bool = False
) -> MediumOptimum:
    """p_e*(T) at (epsilon, delta), and a mechanism for it; see the module.

    The interval is at most 1e-9 wide up to 16 symbols, 1e-7 up to 64 and 1e-5 beyond, save at extreme parameters and
    for large media in which every symbol is received as many others, where the program is stopped at a limit of steps:
    there it says how wide it is (for 128-PSK at 20 dB, epsilon = 0.5, delta = 0, 6e-4). It is never stopped by a clock:
    the interval is the same, byte for byte, on a busy machine.

    Args:
        medium: a medium, or its matrix (`from_matrix`), of up to 256 symbols.
        epsilon, delta: >= 0 in nats, and 0 <= delta < 1; kept exactly.
        least_absolute_error: of the mechanisms that reach `upper`, take one with the least worst-case expected |error|
            (one more linear program; `upper` may grow by a tenth of those widths).

    Raises:
        InvalidParameter, BadUse: a bad argument, naming it.
        TooLarge: more than 256 symbols.
    """
    T, privacy = as_medium(medium), EpsilonDelta.of(epsilon, delta)
    found = optimum_behind(T, privacy)
    return closest(T, found) if least_absolute_error else found


def optimum_behind(medium: Medium, privacy: EpsilonDelta, known: BoundSet | None = None) -> MediumOptimum:
    """The same for checked arguments, and with the bounds that are known already."""
    M = medium.order
    if not M <= LARGEST_OPTIMIZED:
        raise TooLarge(
            f"the optimum behind a medium takes a linear program of up to {LARGEST_OPTIMIZED} symbols (got {M:,})"
        )
    bounds = BoundSet(medium, privacy) if known is None else known
    without, alone = error_probability_without(M, privacy)[0], bounds.l.value or 0.0
    floor, best = max(without, alone), _best_of(bounds)
    if best.error_probability - floor <= _SETTLED:
        basis = Basis.WITHOUT_MEDIUM if without >= alone else Basis.MEDIUM_ALONE
        return _found(medium, privacy, floor, best, basis)
    for rows in _middle_rows(medium, privacy):
        floor = max(floor, middle_rows_bound(medium, privacy, (M - rows) // 2))
        if best.error_probability - floor <= _promised_width(M):
            return _found(medium, privacy, floor, best, Basis.MIDDLE_ROWS)
    bound, tries, stopped = -math.inf, tuple[Method, ...](), tuple[Method, ...]()
    for solution, matrix in least_error(medium, privacy):
        bound, tries, stopped = max(bound, solution.bound), solution.tries, solution.stopped
        if matrix is not None:
            best = min(best, received(matrix, medium, privacy), key=lambda used: used.error_probability)
        if best.error_probability - max(floor, 1 + bound) <= _promised_width(M):
            break
    basis = Basis.LINEAR_PROGRAM if math.isfinite(bound) else Basis.BOUNDS
    return _found(medium, privacy, max(floor, 1 + bound - 2 * UNIT), best, basis, tries, stopped)


def error_probability_without(M: int, privacy: EpsilonDelta) -> tuple[float, float]:
    """p_e*, rounded down and up."""
    value = next(refinements(lambda precision: Nearest(M - 1, privacy)._kernel(precision).error))
    found = interval_of(value)
    return found.lower, found.upper


def _best_of(bounds: BoundSet) -> Received:
    used = [bound.used for bound in bounds.uppers if bound.used is not None]
    return min(used, key=lambda found: found.error_probability)


def _found(
    medium: Medium,
    privacy: EpsilonDelta,
    lower: float,
    best: Received,
    basis: Basis,
    tries: tuple[Method, ...] = (),
    stopped: tuple[Method, ...] = (),
) -> MediumOptimum:
    upper, mechanism, absolute_error = best.error_probability, best.mechanism, best.absolute_error
    lower = min(lower, upper)
    return MediumOptimum(medium, privacy, lower, upper, mechanism, absolute_error, None, basis, tries, stopped)


def _middle_rows(medium: Medium, privacy: EpsilonDelta) -> tuple[int, ...]:
    """How many rows in the middle are worth a linear program of their own, one after another."""
    few, many = _MIDDLE_ROWS
    if not (medium.is_circulant and medium.is_mirrored and medium.order > many):
        return ()
    if medium.order > _LARGE:
        return few, many
    return (many,) if privacy.delta <= _LITTLE_DELTA else ()


def _promised_width(M: int) -> float:
    return 1e-9 if M <= 16 else 1e-7 if M <= _LARGE else 1e-5


def closest(medium: Medium, found: MediumOptimum) -> MediumOptimum:
    """The mechanism with the least worst-case expected |error| among those that are wrong as rarely."""
    traded = _promised_width(medium.order) / 10
    solution, matrix = least_absolute_error(medium, found.privacy, found.upper, traded)
    least = max(0.0, solution.bound)
    tries, stopped = (*found.tries, *solution.tries), (*found.stopped, *solution.stopped)
    found = replace(found, least_absolute_error=least, tries=tries, stopped=stopped)
    if matrix is None:
        return found
    ours = received(matrix, medium, found.privacy)
    if not (ours.error_probability <= found.upper + traded and ours.absolute_error < found.absolute_error):
        return found
    upper = max(found.upper, ours.error_probability)
    return replace(found, upper=upper, mechanism=ours.mechanism, absolute_error=ours.absolute_error)
