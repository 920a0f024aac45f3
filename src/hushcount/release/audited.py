"""A mechanism that the user brought along and an audit found private; `admission` is where that is decided."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from hushcount.errors import InvalidParameter
from hushcount.promise.epsilon_delta import EpsilonDelta

if TYPE_CHECKING:
    from hushcount.mechanisms import Mechanism

__all__ = ["AuditFigures", "Audited"]


@dataclass(frozen=True)
class AuditFigures:
    """What an audit found of a mechanism before a release. The names are those of the receipt.

    Attributes:
        name: what the mechanism is called.
        matrix_sha256: of its matrix (`hushcount.saved.saved.matrix_sha256`); None in closed form.
        least_delta: the least delta at the epsilon of the release, between true counts at distance 1; rounded up.
    """

    name: str
    matrix_sha256: str | None
    least_delta: float


@dataclass(frozen=True)
class Audited:
    """A mechanism with the (epsilon, delta) that it was found to keep, and draws like it."""

    mechanism: Mechanism
    promise: EpsilonDelta
    audit: AuditFigures

    name = "audited"

    def for_counts(self, n: int) -> Audited:
        """Itself, if its counts are 0..n.

        Raises:
            InvalidParameter: they are others.
        """
        if self.n != n:
            rule = f"one for the range of the release, 0 to {n}: its own is 0 to {self.n}"
            raise InvalidParameter("mechanism", self.mechanism.name, rule)
        return self

    @property
    def n(self) -> int:
        return self.mechanism.n

    @property
    def epsilon(self) -> Fraction:
        return self.promise.epsilon

    @property
    def delta(self) -> Fraction:
        return self.promise.delta

    @property
    def error_probability(self) -> float:
        return self.mechanism.error_probability

    def probability_beyond(self, t: int) -> float:
        return self.mechanism.probability_beyond(t)

    def draw(self, true: Any) -> Any:
        return self.mechanism.draw(true)
