"""What each released count of a table says about its own true count: a confidence set for every cell.

The set of a cell is that of a single count with the same mechanism and maximum (`hushcount.reading.confidence`). So,
whatever its true count is, it is covered with probability at least the level of a cell; the other cells do not matter.
For all m cells together, each has the level 1 - (1 - L) / m: the chance that any of them is missed is then at most 1 -
L. Two cells that are one draw are an exception: the counts and true counts of one are n minus those of the other, and
so is its set the mirror image. Both contain their true counts or neither does, so that L is the level of both together.

Of groups from the data only those are seen that are shown. Their sets have the level among these, and no count is
called the likeliest: which it is depends on how many small groups there are (docs/theory.md, "Never an invented
group").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import repeat
from typing import TYPE_CHECKING, Any

from hushcount.errors import BadUse
from hushcount.files.arrow_arrays import arrow_array
from hushcount.mechanisms import Mechanism
from hushcount.numbers.exact import exact_text
from hushcount.numbers.text import typed, upper_text
from hushcount.reading.confidence import Ranges, confidence_sets, likeliest_counts

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["CellReading", "CellSets", "cell_sets", "ranges_field"]

_REPORTED = 64
"""Sets between two reports of progress."""

_BOUND_DIGITS = 3
_IF_SHOWN = "given that the group is shown"

HEADER = "cell,released,maximum,lower,upper,confidence_set,most_likely\n"


@dataclass(frozen=True)
class CellReading:
    """What one released count says at one maximum.

    Attributes:
        confidence_set: inclusive ranges of true counts.
        most_likely: the true counts under which the released count has the largest probability; None for a group from
            the data.
    """

    confidence_set: Ranges
    most_likely: Ranges | None = None

    def mirrored(self, top: int) -> CellReading:
        """Return what it says of `top` minus the true count."""
        return CellReading(*(tuple((top - b, top - a) for a, b in reversed(spans)) for spans in _kinds(self)))


@dataclass(frozen=True, eq=False)
class CellSets:
    """Confidence sets of the cells, in their order.

    Attributes:
        level: the level asked for.
        cell_level: the level of the set of each cell: `level`, or 1 - (1 - level) / m for all m cells together.
        simultaneous: whether all sets together contain the true counts with probability at least `level`; otherwise
            each set does, and of many sets some will not.
        released, maxima: of each cell.
        readings: the readings by maximum and released count; cells where both are the same say the same.
        one_draw: whether there are two cells whose counts are one draw (`TableReceipt.public_total`).
        if_shown: whether the level holds given that a cell is shown, for groups from the data: those released as 0 are
            not in the receipt. No count is then called the likeliest.
    """

    level: Fraction
    cell_level: Fraction
    simultaneous: bool
    released: Sequence[int] = field(repr=False)
    maxima: Sequence[int] = field(repr=False)
    readings: Mapping[tuple[int, int], CellReading] = field(repr=False)
    one_draw: bool = False
    if_shown: bool = False

    def __len__(self) -> int:
        return len(self.released)

    def __getitem__(self, cell: int) -> CellReading:
        """Return the reading of a cell, counted from 0."""
        return self.readings[self.maxima[cell], self.released[cell]]

    def __iter__(self) -> Iterator[CellReading]:
        return map(self.readings.__getitem__, zip(self.maxima, self.released, strict=True))

    @property
    def name(self) -> str:
        """What one of them is called."""
        return f"{self._level} confidence set"

    @property
    def full_name(self) -> str:
        """The same, with what the level is about, unless that is one cell whatever is released for it."""
        about = " for all cells together" if self.simultaneous else f", {_IF_SHOWN}" if self.if_shown else ""
        return self.name + about

    def coverage(self) -> str:
        """Return what the level means, in a paragraph."""
        size, at_least = f"{len(self):,}", f"with a chance of at least {self._level}"
        if self.one_draw:
            return (
                f"Whatever the true counts are, both confidence sets contain them {at_least}, or neither does: each is "
                "the other, seen from the total. That is about the noise alone."
            )
        if self.simultaneous:
            each = f"each has the level 1 - (1 - {typed(self.level)}) / {size}"
            return (
                f"Whatever the true counts are, all {size} confidence sets contain them {at_least}: {each}. That is "
                "about the noise alone."
            )
        cell, given = ("group", f", {_IF_SHOWN}") if self.if_shown else ("cell", "")
        one = f"the confidence set of a {cell} contains its true count {at_least}{given}"
        missed = upper_text(len(self) * (1 - self.level), _BOUND_DIGITS)
        many = f", and about one {cell}: of {size} sets, up to {missed} are expected to miss" if len(self) > 1 else ""
        return f"Whatever the true counts are, {one}. That is about the noise alone{many}."

    @property
    def _level(self) -> str:
        return f"{typed(100 * self.level)}%"

    def to_dict(self) -> dict[str, Any]:
        """Return the sets as JSON has them, in the order of the cells."""
        sets = {key: _lists(found.confidence_set) for key, found in self.readings.items()}
        best = {key: found.most_likely and _lists(found.most_likely) for key, found in self.readings.items()}
        keys = list(zip(self.maxima, self.released, strict=True))
        return {
            "level": exact_text(self.level),
            "cell_level": exact_text(self.cell_level),
            "simultaneous": self.simultaneous,
            "if_shown": self.if_shown,
            "confidence_sets": [sets[key] for key in keys],
            "most_likely": None if self.if_shown else [best[key] for key in keys],
        }

    def columns(self) -> dict[str, pa.Array]:
        """Return the sets as Arrow columns: the least and the largest count of each, and both kinds as in `to_csv`."""
        import pyarrow as pa

        said = {
            key: (found.confidence_set[0][0], found.confidence_set[-1][1], *map(ranges_field, _kinds(found)))
            for key, found in self.readings.items()
        }
        rows = [said[pair] for pair in zip(self.maxima, self.released, strict=True)]
        kinds = {"lower": pa.int64(), "upper": pa.int64(), "confidence_set": pa.string()}
        if not self.if_shown:
            kinds["most_likely"] = pa.string()
        columns = zip(*rows, strict=True) if rows else [()] * len(kinds)
        return {name: arrow_array(each, kind) for (name, kind), each in zip(kinds.items(), columns, strict=True)}

    def to_csv(self) -> str:
        """Return one line for each cell, numbered from 1.

        It has the released count and the maximum; the least and the largest count of the confidence set; the set and
        the likeliest counts, as ranges ("2-5", "9", "0-3 98-100"). Groups from the data have keys, and no such lines.
        """
        assert not self.if_shown
        rest = {
            (top, released): f",{released},{top},{found.confidence_set[0][0]},{found.confidence_set[-1][1]},"
            f"{','.join(map(ranges_field, _kinds(found)))}\n"
            for (top, released), found in self.readings.items()
        }
        pairs = zip(self.maxima, self.released, strict=True)
        return HEADER + "".join(f"{cell}{rest[pair]}" for cell, pair in enumerate(pairs, 1))


def cell_sets(
    laws: Mapping[int, Mechanism],
    released: Sequence[int],
    maxima: Sequence[int],
    level: Fraction,
    simultaneous: bool,
    progress: Callable[[float], None] | None = None,
    *,
    one_draw: bool = False,
    if_shown: bool = False,
) -> CellSets:
    """Read every cell, with one computation for each different pair of a maximum and a released count.

    Args:
        laws: the mechanisms by maximum.
        released, maxima: the released count and the maximum of each cell.
        level: > 0 and < 1.
        simultaneous: whether the level is for all sets together.
        progress: called from time to time with the part that is done, from 0 to 1.
        one_draw, if_shown: as in `CellSets`.

    Raises:
        BadUse: a level for all sets together where cells may be hidden.
        TooLarge: as for `confidence_set`.
    """
    if simultaneous and if_shown:
        raise BadUse("a level for all cells together needs their number, and how many groups are hidden is not known")
    draws = 1 if one_draw else len(released)
    cell_level = 1 - (1 - level) / draws if simultaneous else level
    counts: dict[int, set[int]] = {top: set() for top in laws}
    for top, count in set(zip(maxima[:draws], released[:draws], strict=True)):
        counts[top].add(count)
    total, readings = sum(map(len, counts.values())), {}
    for top, law in laws.items():
        ascending = sorted(counts[top])
        sets = confidence_sets(law, ascending, cell_level, if_shown=if_shown)
        best = repeat(None, len(ascending)) if if_shown else likeliest_counts(law, ascending)
        for count, found, likely in zip(ascending, sets, best, strict=True):
            readings[top, count] = CellReading(found, likely)
            if progress is not None and (len(readings) % _REPORTED == 0 or len(readings) == total):
                progress(len(readings) / total)
    if one_draw:
        top, first = maxima[0], released[0]
        readings[top, top - first] = readings[top, first].mirrored(top)
    return CellSets(level, cell_level, simultaneous, released, maxima, readings, one_draw, if_shown)


def ranges_field(spans: Ranges) -> str:
    """Return ranges with blanks between them, "2-5 9", which needs no quotes in CSV."""
    return " ".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)


def _kinds(found: CellReading) -> list[Ranges]:
    return [found.confidence_set, *([] if found.most_likely is None else [found.most_likely])]


def _lists(spans: Ranges) -> list[list[int]]:
    return [list(span) for span in spans]
