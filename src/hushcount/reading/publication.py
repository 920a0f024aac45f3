"""Rules for what a reader is shown of the cells of a table: small counts left out, wide sets marked, counts rounded.

All of it changes released counts only, so it costs no budget and protects nobody: that is done by the noise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hushcount.errors import BadUse
from hushcount.files.arrow_arrays import arrow_array
from hushcount.inputs.arguments import integer
from hushcount.reading.cells import CellSets

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["LEAST", "SUPPRESSED", "WIDE", "Publication", "Published", "rounded_together"]

SUPPRESSED, WIDE = "suppressed", "wide"
LEAST = {"suppress_below": 1, "widest": 0, "round_to": 2}
"""The least number of each rule."""


@dataclass(frozen=True)
class Publication:
    """What is shown; None for a rule that is not wanted.

    Attributes:
        suppress_below: the minimum frequency, >= 1: a cell whose released count is smaller is *suppressed*, its count
            and its sets are left out, and so are sums and the histogram, which would tell it. Of two cells that add up
            to a public total each would tell the other, so both are suppressed, or neither.
        widest: >= 0: a cell whose confidence set reaches farther from its least count to its largest is marked *wide*.
        round_to: >= 2: counts that are shown are rounded to multiples of this, `rounded_together`.

    Raises:
        InvalidParameter: not an integer, or one below its least value.
        BadUse: no rule at all.
    """

    suppress_below: int | None = None
    widest: int | None = None
    round_to: int | None = None

    def __post_init__(self) -> None:
        for name, least in LEAST.items():
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, integer(value, name, least=least))
        if all(getattr(self, name) is None for name in LEAST):
            raise BadUse(f"a publication has at least one of {', '.join(LEAST)}")

    def of(self, sets: CellSets) -> Published:
        """Return what is shown of the cells."""
        marks = tuple(map(self._mark, sets.released, (found.confidence_set for found in sets)))
        if sets.one_draw and SUPPRESSED in marks:
            marks = (SUPPRESSED,) * len(marks)
        shown = [None if mark == SUPPRESSED else count for count, mark in zip(sets.released, marks, strict=True)]
        if self.round_to is not None:
            rounded = iter(rounded_together([count for count in shown if count is not None], self.round_to))
            shown = [None if count is None else next(rounded) for count in shown]
        return Published(self, tuple(shown), marks)

    def _mark(self, released: int, spans: Sequence[tuple[int, int]]) -> str | None:
        if self.suppress_below is not None and released < self.suppress_below:
            return SUPPRESSED
        return WIDE if self.widest is not None and spans[-1][1] - spans[0][0] > self.widest else None


@dataclass(frozen=True)
class Published:
    """What is shown of each cell, in order.

    Attributes:
        rules: the rules that were followed.
        counts: the released count, rounded if that is a rule; None where it is suppressed.
        marks: "suppressed", "wide" or None.
    """

    rules: Publication
    counts: tuple[int | None, ...]
    marks: tuple[str | None, ...]

    @property
    def kept(self) -> list[bool]:
        """Whether each cell is not suppressed."""
        return [mark != SUPPRESSED for mark in self.marks]

    @property
    def are_rounded(self) -> bool:
        """Whether the counts are rounded."""
        return self.rules.round_to is not None

    @property
    def name(self) -> str:
        """What the counts are called: "released" or "rounded"."""
        return "rounded" if self.are_rounded else "released"

    def columns(self, others: Mapping[str, pa.Array]) -> dict[str, pa.Array]:
        """Return the counts, other columns of the cells (null where a cell is suppressed, but `maximum`), and marks."""
        import pyarrow as pa
        import pyarrow.compute as pc

        kept = arrow_array(self.kept, pa.bool_())
        masked = {
            name: column if name == "maximum" else pc.if_else(kept, column, pa.scalar(None, column.type))
            for name, column in others.items()
        }
        counts = {self.name: arrow_array(self.counts, pa.int64())}
        return {**counts, **masked, "mark": arrow_array(self.marks, pa.string())}

    def to_dict(self) -> dict[str, Any]:
        """Return the rules and what they made of the counts, as JSON has it."""
        return {**vars(self.rules), "counts": list(self.counts), "marks": list(self.marks)}


def rounded_together(counts: Sequence[int], base: int) -> list[int]:
    """Return each count as a multiple of `base` next to it, so that the sum is that of the counts, rounded to nearest.

    This is controlled rounding of a column. Multiples stay. Of the others, those with the largest remainders go up, as
    many as the sum needs, the first of equal ones first; a sum halfway between two multiples goes up. There are always
    enough: the remainders are below `base`, so their sum is not above `base` times their number.
    """
    below = [count - count % base for count in counts]
    up = ((2 * sum(counts) + base) // (2 * base) * base - sum(below)) // base
    first = sorted(range(len(counts)), key=lambda place: -(counts[place] % base))[:up]
    for place in first:
        below[place] += base
    return below
