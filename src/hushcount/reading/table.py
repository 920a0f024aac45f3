"""What many releases say together: their true sum, the histogram of the true counts, and a set for each; in words.

`hushcount.reading.together` finds it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from hushcount.errors import TooLarge
from hushcount.files.arrow_arrays import arrow_array
from hushcount.files.arrow_tables import AsArrow
from hushcount.mechanisms import Mechanism
from hushcount.numbers.arrays import Floats
from hushcount.numbers.exact import Number
from hushcount.numbers.text import typed
from hushcount.promise.given import with_null
from hushcount.reading.cells import CellSets
from hushcount.reading.inverse import NoInverse
from hushcount.reading.publication import SUPPRESSED, WIDE, Publication, Published
from hushcount.reading.text import (
    FREE,
    MOST_CELLS,
    capped,
    inner,
    key_cut,
    mechanism_row,
    range_row,
    ranges_text,
    reason,
    unbiased,
    up,
)
from hushcount.reading.unbiased import Estimate
from hushcount.release.receipt import Receipt
from hushcount.release.table.columns import cell_columns
from hushcount.release.table.names import CellNames
from hushcount.release.table.receipt import TableReceipt
from hushcount.release.text import implied, privacy_rows, row_rows
from hushcount.words.counted import counted
from hushcount.words.markup import escaped, markup_table
from hushcount.words.paragraphs import dashed, row
from hushcount.words.tables import aligned

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Histogram", "TableInterpretation", "common_facts", "of_table_alone", "promise_rows"]

_MOST_ROWS = 32
"""The most true counts for which a histogram is printed."""
_ZERO = 1e-9
"""An estimated number of cells nearer to 0 is the rounding of floats."""
_MOST_QUESTIONS = 5
"""The most questions of single releases that are printed."""

_ONE_DRAW = (
    "Both counts are one draw: the second is {total} minus the first, which the true counts are too. So what one is "
    "above its true count, the other is below."
)

_KIND = {True: "cells", False: "releases"}


@dataclass(frozen=True, eq=False)
class Histogram:
    """How many of the true counts are 0, 1, ..., n.

    Attributes:
        values: unbiased estimates, shape (n + 1,); they sum to the number of releases and may be negative.
        standard_errors: the standard errors, estimated from the releases themselves; the squares are unbiased before
            those below 0 are set to 0. Few releases say little about them.
        largest_standard_error: an upper bound on every standard error, whatever the true counts are.
    """

    values: Floats
    standard_errors: Floats
    largest_standard_error: float


@dataclass(frozen=True, eq=False)
class TableInterpretation(AsArrow):
    """What the releases of a table say about their true counts together (under add-remove: each capped at the maximum).

    As a table (`to_arrow` and so on, as a `TableReceipt`) it has the keys of the cells, or their numbers where the
    receipt has none, `released`, `maximum` and, if a level was given, the ends `lower` and `upper` of each confidence
    set, the set and the likeliest counts.

    Attributes:
        receipts: the receipts that were read: several of counts, or one of a table.
        mechanism: what drew the counts; where the cells have totals of their own, that of the largest.
        releases: how many counts there are; in a table, the count of undeclared keys is one of them.
        released_sum: the sum of the released counts.
        released_bias: the sum is too large or too small by at most this on average, worst case; None for groups from
            the data, of which it is the sum of those shown.
        released_error: its standard deviation is at most this, whatever the true counts are; None for such groups.
        total: the unbiased estimate of the sum of the true counts, or why there is none. Two cells that are one draw
            add up to the public total, released and true.
        difference: of such cells, the unbiased estimate of the first true count minus the second, or why there is none;
            else None.
        histogram: the unbiased estimate of the histogram; None where there is none, and for cells with different
            maxima.
        cells: a confidence set for each, if a level was given, else None.
        publication: the rules for what is shown of the cells, if there are any. A table then leaves suppressed counts
            and their sets out, has `rounded` in the place of `released` where counts are rounded, and `mark`.
    """

    receipts: tuple[Receipt | TableReceipt, ...]
    mechanism: Mechanism
    releases: int
    released_sum: int
    released_bias: float | None
    released_error: float | None
    total: Estimate | NoInverse
    histogram: Histogram | None
    cells: CellSets | None = None
    difference: Estimate | NoInverse | None = None
    publication: Publication | None = None

    @cached_property
    def published(self) -> Published | None:
        """What is shown of each cell; None where there are no rules."""
        rules, cells = self.publication, self.cells
        return None if rules is None or cells is None else rules.of(cells)

    @property
    def table(self) -> TableReceipt | None:
        """The receipt, if it is one of a table."""
        first = self.receipts[0]
        return first if isinstance(first, TableReceipt) else None

    def to_dict(self, at_delta: Number | None = None) -> dict[str, Any]:
        """Return the interpretation as JSON has it; `at_delta` as in `to_text`."""
        first, shown, sums = self.receipts[0], self.published, self.shows_sums
        found = self.histogram if sums else None
        keys = None if self.table is None else self.table.keys
        return {
            "releases": self.releases,
            "questions": self.questions,
            **common_facts(first),
            **({} if self.table is None else of_table_alone(self.table)),
            **implied(first.price, at_delta),
            "released_sum": self.released_sum if sums else None,
            "released_sum_bias": self.released_bias if sums else None,
            "released_sum_standard_error": self.released_error if sums else None,
            "sum": _estimate_facts(self.total) if sums else None,
            **({} if self.difference is None else {"difference": _estimate_facts(self.difference) if sums else None}),
            "no_unbiased": None if self.no_unbiased is None else self.no_unbiased.told(first.promise, self.mechanism),
            "histogram": None if found is None else found.values.tolist(),
            "histogram_standard_errors": None if found is None else found.standard_errors.tolist(),
            "histogram_largest_standard_error": None if found is None else found.largest_standard_error,
            "maximum_means_or_more": first.adjacency == "add-remove",
            "cells": None if self.cells is None else self._cells_facts(self.cells),
            "publication": None if shown is None else shown.to_dict(),
            "keys": None if keys is None else [column.model_dump() for column in keys],
        }

    @property
    def shows_sums(self) -> bool:
        """Whether sums, their estimates and the histogram are shown: not beside suppressed counts, which they tell."""
        return self.published is None or all(self.published.kept)

    @property
    def useful_histogram(self) -> Histogram | None:
        """The histogram if it is printed: if its standard errors are at most the number of cells."""
        found = self.histogram if self.shows_sums else None
        return None if found is None or found.largest_standard_error > self.releases else found

    @property
    def no_unbiased(self) -> NoInverse | None:
        """Why there is no unbiased estimate, where there is none and one would be shown."""
        if not self.shows_sums:
            return None
        return next((each for each in (self.total, self.difference) if isinstance(each, NoInverse)), None)

    def _cells_facts(self, cells: CellSets) -> dict[str, Any]:
        """Return the sets, null for those of suppressed cells."""
        facts, shown = cells.to_dict(), self.published
        if shown is not None:
            for name in ("confidence_sets", "most_likely"):
                said = facts[name]
                facts[name] = said and [spans if kept else None for spans, kept in zip(said, shown.kept, strict=True)]
        return facts

    @property
    def questions(self) -> list[str]:
        """What was asked, in words: of a table, or the different questions of single releases, in their order."""
        return list(dict.fromkeys(receipt.asked for receipt in self.receipts))

    @property
    def limited(self) -> list[str]:
        """What to know where a unit counts in part only, in paragraphs."""
        return list(dict.fromkeys(each for receipt in self.receipts for each in receipt.guarantee.limited))

    @property
    def names(self) -> CellNames:
        """What the cells, or the releases, are called."""
        return CellNames(None, self.releases) if self.table is None else self.table.names

    def to_arrow(self) -> pa.Table:
        return self.beside_keys()

    def beside_keys(self, *, spelled: bool = False) -> pa.Table:
        """Return the rows as an Arrow table, with the keys as texts, as they were declared, if they are to be
        `spelled`."""
        import pyarrow as pa

        first, table = self.receipts[0], self.table
        tops = [
            top for each in self.receipts for top in (each.tops if isinstance(each, TableReceipt) else [each.maximum])
        ]
        if not max(tops, default=0) < 2**63:
            raise TooLarge("a table has counts of at most 64 bits, and the maximum of the receipts has more")
        more = {"maximum": arrow_array(tops, pa.int64()), **({} if self.cells is None else self.cells.columns())}
        shown = self.published
        if shown is not None:
            more = shown.columns(more)
        if table is not None:
            found = table.beside(more, spelled=spelled)
        else:
            released = arrow_array([each.released for each in self.receipts], pa.int64())
            found = cell_columns(None, self.releases, first.reading.types, {"released": released, **more})
        return found.drop_columns(["released"]) if shown is not None and shown.are_rounded else found

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, at_delta: Number | None = None) -> str:
        """Return the text of the interpretation, without a newline at the end.

        Args:
            at_delta: as in `Receipt.to_text`; for a table, of its promise.
        """
        return _text(self, at_delta)

    def _repr_html_(self) -> str:
        """Return the first cells with their confidence sets as a table in HTML, or else the text."""
        if self.cells is None:
            return f"<pre>{'<br>'.join(map(escaped, str(self).splitlines()))}</pre>\n"
        head, rows, title, more = _shown(self)
        keys = len(self.names.columns)
        said = [*([more] if more else []), *self.limited]
        return markup_table(title, head, rows, keys, [keys]) + "".join(f"<p>{escaped(each)}</p>\n" for each in said)


def _estimate_facts(found: Estimate | NoInverse) -> dict[str, float] | None:
    return vars(found) if isinstance(found, Estimate) else None


def common_facts(receipt: Receipt | TableReceipt) -> dict[str, Any]:
    """Return what the releases of one table have in common, with the audit of an audited mechanism."""
    return {
        "mechanism": receipt.mechanism,
        "maximum": receipt.maximum,
        **with_null(receipt.promise),
        "adjacency": receipt.adjacency,
    }


def of_table_alone(receipt: TableReceipt) -> dict[str, Any]:
    """Return what is promised of the table; the promise of `_common` is that of each cell."""
    total = {} if receipt.public_total is None else {"public_total": receipt.public_total}
    return {**with_null(receipt.price, "table_"), "changed_cells": receipt.changed_cells, **total}


def _text(found: TableInterpretation, at_delta: Number | None) -> str:
    """Return the promise, what the releases say about the true counts, and what that means, without a newline at the
    end."""
    first, histogram = found.receipts[0], _histogram_lines(found)
    said = [*_sum_lines(found), *(histogram if len(histogram) == 1 else [])]
    notes = [
        *([] if found.cells is None else [found.cells.coverage()]),
        *found.limited,
        *_about_likeliest(found.cells),
        *_about_publication(found),
        *_about_histogram_lines(found),
        *capped(first),
        *([] if found.no_unbiased is None else reason(found.no_unbiased, first.promise, found.mechanism)),
    ]
    if found.difference is not None:
        notes.insert(0, _ONE_DRAW.format(total=f"{found.released_sum:,}"))
    if found.cells is None:
        notes.append("A level, such as 0.95, gives a confidence set for each of them too.")
    draws = found.releases if found.table is None else found.table.guarantee.draws
    notes += first.promise.given_away(draws, "release" if found.table is None else "cell")
    notes.append(FREE.format(s="" if found.table is not None else "s"))
    return "\n".join(
        [
            row("Releases" if found.table is None else "Cells", f"{found.releases:,}"),
            *_question_rows(found.questions),
            range_row(first),
            *promise_rows(first, at_delta),
            mechanism_row(first),
            *(["", "What they say of the true counts", *said] if said else []),
            *_cells(found),
            *(histogram if len(histogram) > 1 else []),
            "",
            *map(dashed, notes),
        ]
    )


def _sum_lines(found: TableInterpretation) -> list[str]:
    if not found.shows_sums:
        return []
    if found.difference is not None:
        return [
            inner("sum", f"{found.released_sum}, exactly: the public total"),
            unbiased("unbiased difference", found.difference),
        ]
    if found.released_bias is None or found.released_error is None:
        errs = "of the groups shown, whatever is hidden"
    else:
        errs = f"biased by at most {up(found.released_bias)}, standard error at most {up(found.released_error)}"
    return [inner("sum of the released", f"{found.released_sum}: {errs}"), unbiased("unbiased sum", found.total)]


def _question_rows(questions: list[str]) -> list[str]:
    more = len(questions) - _MOST_QUESTIONS
    told = [*questions[:_MOST_QUESTIONS], *([f"... and {counted(more, 'other')}"] if more > 0 else [])]
    return [row("" if place else "Question", each) for place, each in enumerate(told)]


def promise_rows(receipt: Receipt | TableReceipt, at_delta: Number | None) -> list[str]:
    """Return what is promised; of a table, and separately how a single cell was drawn."""
    if isinstance(receipt, Receipt):
        return [*privacy_rows(receipt.promise, receipt.adjacency, at_delta), *row_rows(receipt.guarantee)]
    k, moves = receipt.changed_cells, receipt.moves
    affects = f"a change affects at most {counted(k, 'cell')}"
    if receipt.public_total is not None:
        affects = "both are one draw"
    elif moves > 1:
        affects = f"a change moves them by at most {k * moves:,} together"
    return [
        *privacy_rows(receipt.price, f"{receipt.adjacency}, for the table", at_delta),
        row("", f"{receipt.promise.in_words()} for each cell: {affects}"),
        *row_rows(receipt.guarantee.cell),
    ]


def _cells(found: TableInterpretation) -> list[str]:
    """Return the first cells with their confidence sets."""
    if found.cells is None:
        return []
    head, rows, title, more = _shown(found)
    keys = len(found.names.columns)
    cut = key_cut((head, *rows), keys)
    numbers = range(keys + 1) if found.names.keys is None else [keys]
    return ["", title, *(f"  {line}" for line in aligned(cut, to_right=numbers)), *([f"  {more}"] if more else [])]


def _shown(found: TableInterpretation) -> tuple[list[str], list[list[str]], str, str]:
    """Return head and rows of the first cells with their confidence sets, what they are, and how many more there
    are."""
    sets, names, shown = found.cells, found.names, found.published
    assert sets is not None
    cap = found.receipts[0].adjacency == "add-remove"
    rows = []
    for cell, reading in enumerate(islice(sets, MOST_CELLS)):
        top = sets.maxima[cell] if cap else None
        count = sets.released[cell] if shown is None else shown.counts[cell]
        said = [reading.confidence_set, *([] if reading.most_likely is None else [reading.most_likely])]
        told = ["-"] * (1 + len(said)) if count is None else [str(count), *(ranges_text(spans, top) for spans in said)]
        rows.append([*names.row(cell), *told, *([] if shown is None else [shown.marks[cell] or ""])])
    level, more = f"{typed(100 * sets.level)}%", len(sets) - MOST_CELLS
    each = f"at {level} for all cells together" if sets.simultaneous else f"at {level} for each cell"
    counts, likely = "released" if shown is None else shown.name, [] if sets.if_shown else ["most likely"]
    head = [*names.columns, counts, "confidence set", *likely, *([] if shown is None else ["mark"])]
    return head, rows, f"What each says, {each}", f"... and {more:,} more" if more > 0 else ""


def _about_likeliest(sets: CellSets | None) -> list[str]:
    if sets is None or not sets.if_shown:
        return []
    few = "that depends on how many small groups there are, few of which are shown"
    return [f"No true count is called the likeliest: {few}."]


def _about_publication(found: TableInterpretation) -> list[str]:
    """Return what the rules did, and that they are about what is shown."""
    rules, shown = found.publication, found.published
    if rules is None or shown is None:
        return []
    notes = []
    if rules.suppress_below is not None:
        with_it = " and what is left of the total, which would tell them" if found.difference is not None else ""
        notes.append(
            f"Suppressed: {shown.marks.count(SUPPRESSED):,} of {len(shown.marks):,} released counts, those below "
            f"{rules.suppress_below}{with_it}. The true counts may be larger."
            f"{'' if found.shows_sums else ' Sums over all cells would tell them too, and are left out.'}"
        )
    if rules.widest is not None:
        notes.append(
            f"Wide: {shown.marks.count(WIDE):,} confidence sets, which reach over more than {rules.widest} counts from "
            "the least to the largest."
        )
    if rules.round_to is not None:
        notes.append(
            f"Rounded to multiples of {rules.round_to}, so that the counts shown add up to their sum, rounded. That is "
            "for the output only: sets, sums and the receipt are about the counts as they were released."
        )
    return [*notes, "None of these rules protects anybody, or costs anything: what protects is the noise."]


def _histogram_lines(found: TableInterpretation) -> list[str]:
    histogram = found.useful_histogram
    if histogram is None:
        return []
    size = len(histogram.values)
    largest = f"standard error of at most {up(histogram.largest_standard_error)}"
    if size > _MOST_ROWS:
        return [inner("histogram", f"of {size:,} true counts, {largest}; --json has it")]
    rows = [("true count", _KIND[found.table is not None], "standard error")]
    pairs = zip(histogram.values.tolist(), histogram.standard_errors.tolist(), strict=True)
    rows += [(str(count), _cents(value), _cents(error)) for count, (value, error) in enumerate(pairs)]
    title = f"Estimated number of {_KIND[found.table is not None]} with each true count,"
    return ["", title, f"each with a {largest}", *("".join(f"{cell:>16}" for cell in row) for row in rows)]


def _cents(value: float) -> str:
    return "0" if abs(value) < _ZERO else f"{value:.2f}"


def _about_histogram_lines(found: TableInterpretation) -> list[str]:
    histogram = found.useful_histogram
    if histogram is None or len(histogram.values) > _MOST_ROWS or float(histogram.values.min()) > -_ZERO:
        return []
    return [
        f"No number of {_KIND[found.table is not None]} is negative, but an estimate is: only so is it right on "
        "average. A sum over many true counts errs less if negative numbers are left in it."
    ]
