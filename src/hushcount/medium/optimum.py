"""The least worst-case error probability behind a fixed medium T, certified.

    p_e*(T) = 1 - max over stochastic P, with P T private, of min_i [P T]_ii                       ([RV26] section V)

Where a bound in closed form meets p_e* or l(T), that is the answer; otherwise a linear program (`optimum_program`).
Both ends of the interval are proved: the upper one by a mechanism G whose G T is private by proof and whose error
probability is computed and rounded up; the lower one by p_e*, by l(T), and by the duals.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from numpy.typing import ArrayLike

from hushcount.enclosure import refinements
from hushcount.errors import TooLarge
from hushcount.exact import Number, exact_text
from hushcount.linear_program import Method
from hushcount.linear_program.model import UNIT
from hushcount.mechanisms.explicit import Explicit
from hushcount.mechanisms.nearest import Nearest
from hushcount.medium.bounds import BoundSet
from hushcount.medium.given import as_medium
from hushcount.medium.medium import Medium
from hushcount.medium.optimum_program import least_absolute_error, least_error
from hushcount.medium.received import Received, received
from hushcount.privacy.findings import interval_of
from hushcount.tradeoff import EpsilonDelta

__all__ = [
    "LARGEST_OPTIMIZED",
    "MediumBasis",
    "MediumOptimum",
    "error_probability_without",
    "optimum",
    "optimum_behind",
]

LARGEST_OPTIMIZED = 256
"""Symbols for which the linear program is solved."""

_SETTLED = 1e-10
"""Width of an interval that is not worth a linear program to make smaller."""


class MediumBasis(Enum):
    """Which argument gave the optimum; the value is the sentence for people."""

    WITHOUT_MEDIUM = "An upper bound meets p_e*: but for the width of the interval, the medium costs nothing."
    MEDIUM_ALONE = "An upper bound meets l(T), which no mechanism can undercut, private or not: the medium decides."
    LINEAR_PROGRAM = "A linear program; both ends of the interval are proved."
    BOUNDS = (
        "The linear program gave nothing usable; the interval is that of the bounds. Ask for fewer symbols, or a less "
        "extreme epsilon and delta."
    )


@dataclass(frozen=True, eq=False)
class MediumOptimum:
    """p_e*(T), between proved bounds, with the mechanism to use.

    Attributes:
        privacy: the epsilon and delta asked for, exactly.
        lower, upper: lower <= p_e*(T) <= upper.
        mechanism: G, to be used in front of T: G T is (epsilon, delta)-DP by proof, and wrong with chance at most
            `upper`.
        absolute_error: sum_j |j - i| [G T]_ij, worst case over true counts i, rounded up.
        least_absolute_error: certified: no mechanism that is wrong with chance at most `upper` has a smaller one; None
            if that was not asked for.
        basis: how it was found.
        tries: the methods that the solver was asked for, in order; empty where it was not needed.
    """

    privacy: EpsilonDelta
    lower: float
    upper: float
    mechanism: Explicit
    absolute_error: float
    least_absolute_error: float | None
    basis: MediumBasis
    tries: tuple[Method, ...]

    @property
    def width(self) -> float:
        return self.upper - self.lower

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "epsilon": exact_text(self.privacy.epsilon),
            "delta": exact_text(self.privacy.delta),
            "lower": self.lower,
            "upper": self.upper,
            "absolute_error": self.absolute_error,
            "least_absolute_error": self.least_absolute_error,
            "basis": self.basis.name,
            "explanation": self.basis.value,
            "tries": [method.name for method in self.tries],
        }


def optimum(
    medium: Medium | ArrayLike, epsilon: Number, delta: Number = 0, *, least_absolute_error: bool = False
) -> MediumOptimum:
    """p_e*(T) at (epsilon, delta), and a mechanism for it; see the module.

    The interval is at most 1e-9 wide up to 16 symbols and 1e-7 up to 64, save at extreme parameters, where it says how
    wide it is.

    Args:
        medium: a medium, or its matrix (`medium_from_matrix`), of up to 256 symbols.
        epsilon, delta: >= 0 in nats, and 0 <= delta < 1; kept exactly.
        least_absolute_error: of the mechanisms that reach `upper`, take one with the least worst-case expected |error|
            (one more linear program; `upper` may grow by a tenth of those widths).

    Raises:
        InvalidParameter, BadUse: a bad argument, naming it.
        TooLarge: more than 256 symbols.
    """
    T, privacy = as_medium(medium), EpsilonDelta.of(epsilon, delta)
    found = optimum_behind(T, privacy)
    return _closest(T, found) if least_absolute_error else found


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
        basis = MediumBasis.WITHOUT_MEDIUM if without >= alone else MediumBasis.MEDIUM_ALONE
        return _found(privacy, floor, best, basis, ())
    bound, tries = -math.inf, tuple[Method, ...]()
    for solution, matrix in least_error(medium, privacy):
        bound, tries = max(bound, solution.bound), solution.tries
        if matrix is not None:
            best = min(best, received(matrix, medium, privacy), key=lambda used: used.error_probability)
        if best.error_probability - max(floor, 1 + bound) <= _promised_width(M):
            break
    basis = MediumBasis.LINEAR_PROGRAM if math.isfinite(bound) else MediumBasis.BOUNDS
    return _found(privacy, max(floor, 1 + bound - 2 * UNIT), best, basis, tries)


def error_probability_without(M: int, privacy: EpsilonDelta) -> tuple[float, float]:
    """p_e*, rounded down and up."""
    value = next(refinements(lambda precision: Nearest(M - 1, privacy)._kernel(precision).error))
    found = interval_of(value)
    return found.lower, found.upper


def _best_of(bounds: BoundSet) -> Received:
    used = [bound.used for bound in bounds.uppers if bound.used is not None]
    return min(used, key=lambda found: found.error_probability)


def _found(
    privacy: EpsilonDelta, lower: float, best: Received, basis: MediumBasis, tries: tuple[Method, ...]
) -> MediumOptimum:
    upper = best.error_probability
    return MediumOptimum(privacy, min(lower, upper), upper, best.mechanism, best.absolute_error, None, basis, tries)


def _promised_width(M: int) -> float:
    return 1e-9 if M <= 16 else 1e-7


def _closest(medium: Medium, found: MediumOptimum) -> MediumOptimum:
    """The mechanism with the least worst-case expected |error| among those that are wrong as rarely."""
    traded = _promised_width(medium.order) / 10
    solution, matrix = least_absolute_error(medium, found.privacy, found.upper, traded)
    least = max(0.0, solution.bound)
    found = replace(found, least_absolute_error=least, tries=(*found.tries, *solution.tries))
    if matrix is None:
        return found
    ours = received(matrix, medium, found.privacy)
    if not (ours.error_probability <= found.upper + traded and ours.absolute_error < found.absolute_error):
        return found
    upper = max(found.upper, ours.error_probability)
    return replace(found, upper=upper, mechanism=ours.mechanism, absolute_error=ours.absolute_error)
