"""What is known about a released count before any data is seen: its range, its promise, and how often it is off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from hushcount.counting.declared.units import Unit
from hushcount.promise.adjacency import Adjacency
from hushcount.promise.curve import Curve
from hushcount.promise.given import with_null
from hushcount.release.findings import Findings

if TYPE_CHECKING:
    from hushcount.mechanisms import Mechanism
    from hushcount.release.law import Law

__all__ = ["DISTANCES", "Guarantee"]

DISTANCES = (1, 2, 5)
"""The distances between released and true count whose chance of being exceeded is always stated."""


@dataclass(frozen=True)
class Guarantee:
    """What is guaranteed about one draw. Every chance is the worst case over the true counts 0..maximum.

    Attributes:
        maximum: the largest count, n; the least is 0.
        promise: the epsilon and delta promised of the draw.
        adjacency: the tables between which it holds.
        unit: whom a row belongs to; None where rows are counted.
        mechanism, audit: the name of what draws, and its audit, as in `Law`.
        chances: the chances of being off by more than 0, 1, 2 and 5, right to 1e-12.
    """

    maximum: int
    promise: Curve
    adjacency: Adjacency
    unit: Unit | None
    mechanism: str
    audit: Findings | None
    chances: Mapping[int, float]

    @classmethod
    def of(cls, law: Law, mechanism: Mechanism, adjacency: Adjacency, unit: Unit | None = None) -> Guarantee:
        """Return what is guaranteed about a count of rows or of units that `mechanism` draws, which `law` has made."""
        chances = {0: mechanism.error_probability} | {far: mechanism.probability_beyond(far) for far in DISTANCES}
        return cls(mechanism.n, law.promise, adjacency, unit, law.name, law.audit, chances)

    @property
    def meaning(self) -> str:
        """The adjacency in words."""
        return self.adjacency.meaning if self.unit is None else self.adjacency.meaning_for_units

    @property
    def public(self) -> str:
        """What is counted under replace-one, where its number is public: "rows" or "units"."""
        return "rows" if self.unit is None else "units"

    def to_fields(self) -> dict[str, Any]:
        """Return the guarantee as a receipt has it."""
        return {
            "minimum": 0,
            "maximum": self.maximum,
            **with_null(self.promise),
            "adjacency": self.adjacency.value,
            "adjacency_meaning": self.meaning,
            "mechanism": self.mechanism,
            "audit": None if self.audit is None else asdict(self.audit),
            "unit": None if self.unit is None else asdict(self.unit),
            "error_probability": self.chances[0],
            "chance_off_by_more_than": {far: self.chances[far] for far in DISTANCES},
        }
