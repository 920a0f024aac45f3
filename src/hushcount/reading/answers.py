"""At least so many? Yes or no for each released count of a receipt, and what the answer is worth, in words.

`hushcount.reading.threshold` has the test. No data is read and no budget is spent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from hushcount.errors import BadUse, InvalidParameter
from hushcount.files.arrow_arrays import arrow_array
from hushcount.files.arrow_tables import AsArrow
from hushcount.inputs.arguments import integer
from hushcount.mechanisms import Mechanism, NeverInvented
from hushcount.numbers.exact import Number, exact, exact_text
from hushcount.numbers.text import typed
from hushcount.reading.law import law_of, laws_of
from hushcount.reading.table import common_facts, of_table_alone, promise_rows
from hushcount.reading.text import FREE, MOST_CELLS, capped, inner, key_cut, mechanism_row, range_row
from hushcount.reading.threshold import TOLD, ThresholdTest
from hushcount.release.receipt import Receipt
from hushcount.release.table.columns import cell_columns
from hushcount.release.table.names import CellNames
from hushcount.release.table.receipt import TableReceipt
from hushcount.release.text import implied
from hushcount.words.chances import chance_text
from hushcount.words.paragraphs import dashed, row
from hushcount.words.tables import aligned

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["AtLeast", "at_least"]

_YES = {True: "yes", False: "no"}


@dataclass(frozen=True, eq=False)
class AtLeast(AsArrow):
    """Whether true counts are at least `count`, as far as released ones tell (add-remove: true counts or the cap).

    As a table (`to_arrow` and so on) it has the keys of the cells, or their numbers, `released`, `maximum`, `threshold`
    and `at_least`, which is true where the answer is yes.

    Attributes:
        receipt: the receipt that was read.
        count: t, the count asked about.
        false_alarm: alpha, as it was asked for.
        simultaneous: whether alpha bounds the chance of any wrong yes in the table; otherwise of one in each cell.
        tests: the test by maximum, ascending; cells with the same maximum have the same test.
    """

    receipt: Receipt | TableReceipt
    count: int
    false_alarm: Fraction
    simultaneous: bool
    tests: Mapping[int, ThresholdTest]

    @cached_property
    def answers(self) -> tuple[bool, ...]:
        """The answer for each released count, in the order of the cells; a count is a single cell."""
        return tuple(self.tests[top].says(each) for top, each in zip(self._tops, self._released, strict=True))

    @property
    def test(self) -> ThresholdTest:
        """The test, or where cells have maxima of their own that of the largest."""
        return list(self.tests.values())[-1]

    @property
    def _released(self) -> Sequence[int]:
        return [self.receipt.released] if isinstance(self.receipt, Receipt) else self.receipt.released

    @property
    def _tops(self) -> Sequence[int]:
        return [self.receipt.maximum] if isinstance(self.receipt, Receipt) else self.receipt.tops

    def to_arrow(self) -> pa.Table:
        return self.beside_keys()

    def beside_keys(self, *, spelled: bool = False) -> pa.Table:
        """Return the rows as an Arrow table, with the keys as texts if they are to be `spelled`."""
        import pyarrow as pa

        more = {
            "maximum": arrow_array(self._tops, pa.int64()),
            "threshold": arrow_array([self.tests[top].threshold for top in self._tops], pa.int64()),
            "at_least": arrow_array(self.answers, pa.bool_()),
        }
        if isinstance(self.receipt, TableReceipt):
            return self.receipt.beside(more, spelled=spelled)
        released = arrow_array(self._released, pa.int64())
        return cell_columns(None, 1, {}, {"released": released, **more})

    def to_dict(self, at_delta: Number | None = None) -> dict[str, Any]:
        """Return the answers as JSON has them; those of a table are a list, with a test for each maximum."""
        receipt = self.receipt
        single = isinstance(receipt, Receipt)
        keys = receipt.keys if isinstance(receipt, TableReceipt) else None
        tests = [_test_facts(test) for test in self.tests.values()]
        return {
            "receipt_id": str(receipt.receipt_id),
            "released": self._released[0] if single else list(self._released),
            "count": self.count,
            "at_least": self.answers[0] if single else list(self.answers),
            "false_alarm": exact_text(self.false_alarm),
            "simultaneous": self.simultaneous,
            "test": tests[0] if single else tests,
            **common_facts(receipt),
            **(of_table_alone(receipt) if isinstance(receipt, TableReceipt) else {}),
            **implied(receipt.price, at_delta),
            "keys": None if keys is None else [column.model_dump() for column in keys],
        }

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, at_delta: Number | None = None) -> str:
        """Return the answers and their worth, without a newline at the end; `at_delta` as in `Receipt.to_text`."""
        receipt, is_found = self.receipt, False
        if isinstance(receipt, Receipt):
            head = [f"Released count: {receipt.released}, at least {self.count}? {_YES[self.answers[0]]}", ""]
            cells: list[str] = []
        else:
            yes, is_found = sum(self.answers), receipt.keys_from is not None
            head = [f"Cells: {len(self.answers):,}, at least {self.count}? yes for {yes:,}", ""]
            cells = ["", *self._cell_lines(receipt)]
        return "\n".join(
            [
                *head,
                row("Question", receipt.asked),
                range_row(receipt),
                *promise_rows(receipt, at_delta),
                mechanism_row(receipt),
                "",
                *_test_lines(self.test, len(self.tests), is_found=is_found),
                *cells,
                "",
                *map(dashed, self._notes()),
            ]
        )

    def _cell_lines(self, receipt: TableReceipt) -> list[str]:
        names: CellNames = receipt.names
        head = [*names.columns, "released", f"at least {self.count}?"]
        rows = [
            [*names.row(cell), str(count), _YES[answer]]
            for cell, (count, answer) in enumerate(islice(zip(self._released, self.answers, strict=True), MOST_CELLS))
        ]
        more = len(self.answers) - MOST_CELLS
        keys = len(names.columns)
        numbers = range(keys + 1) if names.keys is None else [keys]
        lines = aligned(key_cut([head, *rows], keys), to_right=numbers)
        return [*(f"  {line}" for line in lines), *([f"  ... and {more:,} more"] if more > 0 else [])]

    def _notes(self) -> list[str]:
        notes, tops = [self._level()], list(self.tests)
        if not all(self.answers) and self.count <= tops[-1]:
            notes.append("A no is not evidence that the true count is smaller.")
        if tops[0] < self.count <= tops[-1]:
            notes.append(f"Where the largest count of a cell is below {self.count:,}, the answer is always no.")
        return [*notes, *self.receipt.guarantee.limited, *capped(self.receipt), FREE.format(s="")]

    @property
    def _says_yes(self) -> bool:
        """Whether some released count is answered by yes."""
        return any(test.threshold is not None for test in self.tests.values())

    def _level(self) -> str:
        """Return what an answer is worth."""
        alpha, size = f"{typed(100 * self.false_alarm)}%", len(self.answers)
        if self.count == 0:
            return "Every count is at least 0."
        if self.count > self.test.mechanism.n:
            return f"No released count can be {self.count:,}: the largest is {self.test.mechanism.n:,}."
        if not self._says_yes:
            return "No released count is evidence enough here: the answer is always no."
        if isinstance(self.receipt, TableReceipt) and self.receipt.keys_from is not None:
            return (
                f"If a group has fewer than {self.count}, the chance that it is shown, and with yes, is at most "
                f"{alpha}. Among groups that are shown it may be larger."
            )
        if isinstance(self.receipt, TableReceipt) and _one_is_as_large(self.receipt, self.count):
            return (
                f"Whatever the true counts are, at most one of them is below {self.count}, since they add up to "
                f"{self.receipt.public_total:,}. The chance of a yes for it is at most {alpha}."
            )
        if self.simultaneous:
            return (
                f"Whatever the true counts are, the chance of a yes for any cell below {self.count} is at most {alpha}"
                f": for each it is at most {typed(self.false_alarm)} / {size:,}."
            )
        each = "" if size == 1 else f" That is about one cell: if all {size:,} were below, some might say yes."
        return f"If the true count is below {self.count}, the chance of yes is at most {alpha}.{each}"


def at_least(
    receipt: Receipt | TableReceipt,
    count: int,
    *,
    false_alarm: Number = "0.05",
    simultaneous: bool = False,
    mechanism: Mechanism | None = None,
) -> AtLeast:
    """Tell whether true counts are at least `count`, with a bounded chance of a wrong yes; costs nothing.

    Args:
        receipt: the receipt of a count or of a table, whose cells are all asked about.
        count: t >= 0. At 0 the answer is yes, above the maximum it is no.
        false_alarm: alpha, > 0 and < 1, kept exactly: whatever the true count below t is, the chance of yes is at most
            alpha, decided rigorously.
        simultaneous: for a table, whether alpha bounds the chance that any of its cells has a wrong yes. Each of m
            cells is then tested with alpha / m; but with alpha where two add up to a public total of more than 2 (t -
            1), so that both cannot be below t.
        mechanism: as for `interpret`.

    Raises:
        InvalidParameter: an argument breaks its rule, or the mechanism is missing or not the one of the receipt.
        BadUse: a mechanism that is not needed, or `simultaneous` for a single count or for groups from the data.
        BadData: the receipt was changed since the release.
        TooLarge: an audited closed form without monotone ratios and with more than 4,096 outcomes.
    """
    asked, alpha = integer(count, "count", least=0), exact(false_alarm, "false_alarm")
    if not 0 < alpha < 1:
        raise InvalidParameter("false_alarm", false_alarm, "a number > 0 and < 1")
    if isinstance(receipt, TableReceipt):
        if simultaneous and receipt.keys_from is not None:
            raise BadUse("a chance for all groups together needs their number, and how many are hidden is not known")
        is_one = not simultaneous or _one_is_as_large(receipt, asked)
        laws, each = laws_of(receipt, mechanism), alpha / (1 if is_one else len(receipt.released))
    else:
        law = law_of(receipt, mechanism)
        laws, each = {law.n: law}, alpha
        if simultaneous:
            raise BadUse("simultaneous is about the cells of a table")
    tests = {top: ThresholdTest(law, receipt.promise, asked, each, receipt.moves) for top, law in laws.items()}
    return AtLeast(receipt, asked, alpha, simultaneous, tests)


def _one_is_as_large(receipt: TableReceipt, count: int) -> bool:
    """Return whether a public total of two cells shows that the true count of one of them is at least `count`."""
    return receipt.public_total is not None and receipt.public_total > 2 * (count - 1)


def _counts(test: ThresholdTest) -> list[int]:
    """Return true counts whose chances are told: t - 1, t, and from which on one is told and could be told."""
    found = {test.count - 1, test.count, test.told_from(), test.tellable_from()}
    return sorted(count for count in found if count is not None and 0 <= count <= test.mechanism.n)


def _test_facts(test: ThresholdTest) -> dict[str, Any]:
    return {
        "maximum": test.mechanism.n,
        "threshold": test.threshold,
        "level": test.level,
        "told_chance": exact_text(TOLD),
        "told_from": test.told_from(),
        "tellable_from": test.tellable_from(),
        "chances": [
            {"true": true, "yes": test.chance(true), "largest_possible": test.largest_chance(true)}
            for true in _counts(test)
        ],
    }


def _test_lines(test: ThresholdTest, largest_of: int, *, is_found: bool) -> list[str]:
    """Return from which released count on the answer is yes, and how often it is."""
    told, tellable, c = test.told_from(), test.tellable_from(), test.threshold
    percent, n = f"{typed(100 * TOLD)}%", test.mechanism.n
    if test.count > n:
        return [inner("yes", f"never: the largest count is {n:,}")]
    least = test.mechanism.least_shown if isinstance(test.mechanism, NeverInvented) else 0
    if c is None:
        yes = "never"
    elif is_found and c <= least:
        yes = "for every group that is shown"
    else:
        yes = f"if {max(c, least if c else 0):,} or more is released"
    rows = [["true count", "chance of yes", "largest possible"]]
    rows += [[f"{true:,}", _chance(test.chance(true)), _chance(test.largest_chance(true))] for true in _counts(test)]
    where = "" if largest_of == 1 else f", for the largest maximum, {n:,}"
    return [
        f"How the answer is found{where}",
        inner("yes", yes),
        inner(f"told with {percent}", "no true count" if told is None else f"true counts from {told:,} on"),
        inner("could be told", f"{'none' if tellable is None else f'from {tellable:,} on'}, by any private test"),
        "",
        *(f"  {line}" for line in aligned(rows, to_right=range(3))),
    ]


def _chance(chance: float) -> str:
    return f"{chance:.0%}" if chance in (0.0, 1.0) else chance_text(chance)
