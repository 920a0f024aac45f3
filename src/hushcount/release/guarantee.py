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
from hushcount.words.counted import counted
from hushcount.words.printable import printable

if TYPE_CHECKING:
    from hushcount.mechanisms import Mechanism
    from hushcount.release.law import Law

__all__ = ["DISTANCES", "Guarantee", "too_small"]

DISTANCES = (1, 2, 5)
"""The distances between released and true count whose chance of being exceeded is always stated."""


@dataclass(frozen=True)
class Guarantee:
    """What is guaranteed about one draw. Every chance is the worst case over the true counts 0..maximum.

    Attributes:
        maximum: the largest count, n; the least is 0.
        promise: the epsilon and delta promised of it, whatever one change does to the count.
        adjacency: the tables between which it holds.
        unit: whom a row belongs to, and how many of its rows count; None where each row stands for itself.
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
    def moves(self) -> int:
        """How far one change may move the count."""
        return 1 if self.unit is None else self.unit.moves

    @property
    def drawn_at(self) -> Curve:
        """The promise of one row: between counts at distance 1."""
        return self.promise.per_row(self.moves)

    @property
    def counts_rows_of_units(self) -> bool:
        """Whether rows are counted, at most so many of each unit."""
        return self.unit is not None and self.unit.rows_per_unit is not None

    @property
    def meaning(self) -> str:
        """The adjacency in words."""
        return self.adjacency.meaning if self.unit is None else self.adjacency.meaning_for_units

    @property
    def limited(self) -> list[str]:
        """What to know of a count where some rows of a unit may not count, in a paragraph."""
        if self.unit is None or self.unit.rows_per_unit is None:
            return []
        most = self.moves
        return [too_small(self.unit, f"with more than {counted(most, 'matching row')} counts with {most:,} of them")]

    def public_words(self, largest: int) -> str:
        """Return what is public under replace-one, where `largest` is what the largest count is by that alone."""
        if self.unit is not None and self.unit.rows_per_unit is not None:
            return f"With {self.moves:,} rows of each unit a count is at most {largest:,}, which is public."
        return f"The number of {'rows' if self.unit is None else 'units'} is {largest:,}."

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
            "unit": None if self.unit is None else self.unit.to_fields(),
            "error_probability": self.chances[0],
            "chance_off_by_more_than": {far: self.chances[far] for far in DISTANCES},
        }


def too_small(unit: Unit, which: str) -> str:
    """Return that counts may be too small where a unit counts in part only; `which` do, and in what."""
    return (
        f"A unit ({printable(unit.column)}) {which} only. Counts may be too small by any amount; chances, confidence "
        "sets and estimates are about the limited counts."
    )
