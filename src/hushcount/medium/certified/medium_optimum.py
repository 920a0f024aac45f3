"""The result of `optimum`, with its text for people."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import Any

from hushcount.linear_program.methods import Method
from hushcount.mechanisms.explicit import Explicit
from hushcount.medium.channels.decided import DecidedMedium
from hushcount.medium.channels.measured import MeasuredMedium
from hushcount.medium.channels.true_medium import AS_OBSERVED, TrueMedium
from hushcount.medium.medium import Medium
from hushcount.medium.words import between, observed, protects, title
from hushcount.numbers.exact import exact_text
from hushcount.numbers.text import upper_text
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.words.paragraphs import wrapped
from hushcount.words.printable import printable

__all__ = ["Basis", "MediumOptimum"]


class Basis(Enum):
    """Which argument gave the optimum; the value is the sentence for people."""

    WITHOUT_MEDIUM = "An upper bound meets p_e*: but for the width of the interval, the medium costs nothing."
    MEDIUM_ALONE = "An upper bound meets l(T), which no mechanism can undercut, private or not: the medium decides."
    IDENTICAL_ROWS = (
        "The promise lets rows hardly differ: identical ones are nearly the best, as a linear program proves."
    )
    MIDDLE_ROWS = "An upper bound of a circulant medium nearly meets what a linear program proves from the middle rows."
    LINEAR_PROGRAM = "A linear program; both ends of the interval are proved."
    BOUNDS = (
        "The interval is that of the bounds: no linear program is tried above 256 symbols, or none gave anything "
        "usable. Ask for fewer symbols, or, below, for a less extreme promise."
    )


@dataclass(frozen=True, eq=False)
class MediumOptimum:
    """p_e*(T) between proved bounds, with the mechanism to use. Printed, it is what `hushcount medium` says of it.

    Attributes:
        medium: T. If it is a `MeasuredMedium`, all this holds for the observed frequencies; see `true_medium`.
        privacy: the epsilon and delta asked for, exactly.
        lower, upper: certified bounds, lower <= p_e*(T) <= upper.
        mechanism: G, to be used in front of T: G T is (epsilon, delta)-DP by proof, and wrong with chance at most
            `upper`.
        absolute_error: sum_j |j - i| [G T]_ij, worst case over true counts i, rounded up.
        least_absolute_error: certified and rounded down: no mechanism that is wrong with chance at most `upper` has a
            smaller one; None if not asked for.
        basis: the argument that found it.
        tries: the methods with which the solver was tried on the whole program, in order; empty where that was not
            needed.
        stopped: those of them that were stopped at their limit of steps; what they had found is used all the same.
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

    def __str__(self) -> str:
        figures = [title(self.true_medium is not None), self.least(), *self.absolute()]
        remarks = [*self.of_true_medium(), *self.where_left_open(), *self.protects()]
        parts = ["\n".join(self.head()), "\n".join(figures), *remarks]
        return "\n\n".join(parts)

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
        """Return the optimum, ready for JSON."""
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

    def head(self) -> list[str]:
        """Return what the medium is and what is promised behind it, as `hushcount medium` prints it."""
        made, true, asked = self.medium, self.true_medium, self.privacy.in_words()
        seen = observed(true is not None)
        lines = [
            f"Medium      {printable(made.description)}",
            f"Symbols     {made.order}, received wrong with chance {made.error_probability:.6g}, worst case{seen}",
            f"            symbol error rate {made.mean_error_probability:.6g}, the mean over all symbols{seen}",
        ]
        if isinstance(made, DecidedMedium):
            kept = f"{asked}, of what arrives, before it is read as a count"
            return [*lines, f"Outputs     {made.reading}", f"Promise     {kept}"]
        if true is None:
            return [*lines, f"Promise     {asked}, of what arrives"]
        return [
            *lines,
            f"Promise     {true.promise()}",
            f"Wrong       there with chance at most {upper_text(Fraction(true.error_probability))}",
            f"Asked       {asked}: kept behind the observed frequencies alone",
        ]

    def least(self) -> str:
        """Return the line with both bounds."""
        return f"  behind it, least (proved)       {between(self.lower, self.upper)}"

    def absolute(self) -> list[str]:
        """Return the lines about the expected |error|."""
        told = f"{self.absolute_error:.6g}{observed(self.true_medium is not None)}"
        lines = [f"Expected |error| of what arrives, worst   {told}"]
        if self.least_absolute_error is not None:
            lines.append(f"  with as rare an error, at least         {self.least_absolute_error:.6g}")
        return lines

    def of_true_medium(self) -> list[str]:
        """Return the remark on the true medium, if T is observed frequencies."""
        return [] if self.true_medium is None else [wrapped(str(self.true_medium))]

    def protects(self) -> list[str]:
        """Return the remark on what the promise is kept against, if there is one."""
        true = self.true_medium
        return [wrapped(protects(is_decided=self.medium.is_decided))] if true is None or true.is_private else []

    def where_left_open(self) -> list[str]:
        """Return the remark on a program that was stopped, or not tried."""
        if self.basis is Basis.BOUNDS and not self.tries:
            return [wrapped(self.basis.value)]
        if self.tries[-1:] != self.stopped[-1:] or not self.stopped:
            return []
        return [
            wrapped(
                f"The linear program was stopped at its limits of steps ({len(self.stopped)} of {len(self.tries)} "
                "tries): the least chance is proved to lie in the interval, which is as wide on any machine."
            )
        ]
