"""The least error probability behind a medium as it is handed on: an interval, a mechanism, and how they were found."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from hushcount.linear_program import Method
from hushcount.mechanisms.explicit import Explicit
from hushcount.medium.channels.measured import MeasuredMedium
from hushcount.medium.channels.true_medium import AS_OBSERVED, TrueMedium
from hushcount.medium.medium import Medium
from hushcount.numbers.exact import exact_text
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["Basis", "MediumOptimum"]


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
