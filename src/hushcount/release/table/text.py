"""The words that go with a table of counts, and its first rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from hushcount.counting.cells.keys import OTHER
from hushcount.numbers.exact import exact
from hushcount.numbers.text import upper_text
from hushcount.release.explanation import (
    REPEATS,
    audit_lines,
    charge_lines,
    given_away,
    how_often,
    printable,
    promise_lines,
    protection,
    question,
    rounded_up,
    row,
    short,
)
from hushcount.release.guarantee import Findings, OfUnits

if TYPE_CHECKING:
    from hushcount.counting.cells.keys import Keys
    from hushcount.release.table.receipt import TableReceipt

__all__ = ["MOST_SHOWN", "TableFacts", "chance_lines", "describe_table", "price_rows", "promised"]

MOST_SHOWN = 20
LONGEST_KEY = 30
ROOM_FOR_KEYS = 56
"""Columns of a terminal, which has 80; the others are for two counts below a thousand million."""

_LEAST_CHANGE = "by the least change; the rest is about the released"
_SMALL_CELLS = "Cells with few rows are biased upwards; for sums: hushcount interpret --cells"
"""Of any law on 0..n that can be wrong at 0: its mean there is above 0."""


class TableFacts(Protocol):
    """What is known of a table before it is drawn; a `TableReceipt` has it."""

    @property
    def adjacency(self) -> str: ...
    @property
    def adjacency_meaning(self) -> str: ...
    @property
    def unit(self) -> OfUnits | None: ...
    @property
    def mechanism(self) -> str: ...
    @property
    def audit(self) -> Findings | None: ...
    @property
    def cells(self) -> int: ...
    @property
    def undeclared(self) -> str: ...
    @property
    def max_cells(self) -> int | None: ...
    @property
    def changed_cells(self) -> int: ...
    @property
    def maximum(self) -> int | None: ...
    @property
    def maxima(self) -> Sequence[int] | None: ...
    @property
    def epsilon(self) -> str: ...
    @property
    def delta(self) -> str: ...
    @property
    def table_epsilon(self) -> str: ...
    @property
    def table_delta(self) -> str: ...
    @property
    def error_probability(self) -> float: ...
    @property
    def chance_off_by_more_than(self) -> Mapping[int, float]: ...
    @property
    def expected_wrong_cells(self) -> float: ...


def describe_table(
    receipt: TableReceipt,
    keys: Keys | None = None,
    adjusted: Sequence[int] | None = None,
    *,
    everything: int | None = None,
    most: int | None = MOST_SHOWN,
    rest: str = "",
) -> str:
    """The text that goes with a released table; ends without a newline.

    Args:
        keys: as they were declared; without them cells are numbered from 1.
        adjusted: the released counts as `round_trip` made them add up, if it was asked to.
        everything: the number of rows, or units, where it is public and known.
        most: how many cells are shown; None for all.
        rest: what to say after the number of cells that are not, such as where they are.
    """
    by = ", ".join(receipt.by)
    return "\n".join(
        [
            _head(receipt),
            "",
            *_rows(receipt, keys, adjusted, most, rest),
            "",
            *([] if adjusted is None else [row("Adjusted", f"adds up to {sum(adjusted)}, {_LEAST_CHANGE}")]),
            row("Question", f"{question(receipt)}, by {printable(by)}"),
            row("Range", _range(receipt)),
            *price_rows(receipt),
            "",
            *chance_lines(receipt),
            "",
            *promised(receipt, everything),
            "",
            f"Receipt {receipt.receipt_id} of {receipt.released_at:%Y-%m-%d %H:%M:%S} UTC",
            *charge_lines(receipt.ledger),
        ]
    )


def _head(receipt: TableReceipt) -> str:
    other = ", and one for all other keys" if receipt.other is not None else ""
    return f"Released table: {receipt.cells:,} {'cell' if receipt.cells == 1 else 'cells'}{other}"


def price_rows(facts: TableFacts) -> list[str]:
    """The promises for the table and for a cell, and what draws it."""
    each = f"{_pair(facts.epsilon, facts.delta)} each; a change affects at most {facts.changed_cells:,}"
    return [
        row("Privacy", f"{_pair(facts.table_epsilon, facts.table_delta)}, {facts.adjacency}, for the table"),
        row("Cells", each),
        row("Mechanism", facts.mechanism if facts.audit is None else f"{printable(facts.audit.name)} (audited)"),
        *([] if facts.audit is None else audit_lines(facts.audit)),
    ]


def _rows(
    receipt: TableReceipt, keys: Keys | None, adjusted: Sequence[int] | None, most: int | None, rest: str
) -> list[str]:
    """The first cells, and the other one if there is room."""
    columns = list(receipt.by) if keys is not None else ["cell"]
    numbers = ["released", *([] if adjusted is None else ["adjusted"])]
    longest = max(4, min(LONGEST_KEY, ROOM_FOR_KEYS // len(columns) - 2))
    lines: list[tuple[str, ...]] = [(*(_cut(name, longest) for name in columns), *numbers)]
    for cell, released in enumerate(islice(receipt.released, most)):
        if cell == receipt.cells:
            key: tuple[str, ...] = (OTHER, *[""] * (len(columns) - 1))
        else:
            key = tuple(_cut(text, longest) for text in keys.shown(cell)) if keys is not None else (str(cell + 1),)
        lines.append((*key, str(released), *([] if adjusted is None else [str(adjusted[cell])])))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    left = len(columns)
    shown = [
        "  ".join(
            text.ljust(width) if at < left else text.rjust(width)
            for at, (text, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    ]
    more = 0 if most is None else len(receipt.released) - most
    return shown if more <= 0 else [*shown, f"... and {more:,} more{rest}"]


def _cut(text: str, longest: int) -> str:
    shown = printable(text)
    return shown if len(shown) <= longest else f"{shown[: longest - 3]}..."


def _range(receipt: TableReceipt) -> str:
    if receipt.maxima is None:
        return f"0 to {receipt.maximum} in every cell: released counts are always possible counts"
    if receipt.other is not None:
        return f"0 to the known total of each cell, and 0 to {receipt.maxima[-1]} for all other keys"
    return "0 to the known total of each cell: released counts are always possible counts"


def _pair(epsilon: str, delta: str) -> str:
    return f"epsilon {_bound(epsilon)}, delta {_bound(delta)}"


def _bound(number: str) -> str:
    """The number as it is written, or rounded up where that is longer than a reader bears."""
    return number if short(number) == number else f"at most {rounded_up(exact(number))}"


def chance_lines(facts: TableFacts) -> list[str]:
    """How often the count of the worst cell is off, and how many are wrong on average."""
    top = max(facts.maxima) if facts.maxima is not None else facts.maximum or 0
    chances = [(0, "wrong", facts.error_probability)]
    chances += [(far, f"off by more than {far}", chance) for far, chance in facts.chance_off_by_more_than.items()]
    wrong = upper_text(Fraction(facts.expected_wrong_cells), 3)
    return [
        "Whatever the true counts are, the released count of a cell is",
        *(f"  {what:<20}{'never' if far >= top else how_often(chance)}" for far, what, chance in chances),
        f"and at most {wrong} of {counted(facts):,} counts are wrong on average",
        _SMALL_CELLS,
    ]


def counted(facts: TableFacts) -> int:
    """How many counts are drawn: one for each cell, with that of undeclared keys."""
    return facts.cells + (facts.undeclared == "other")


def promised(facts: TableFacts, everything: int | None = None) -> list[str]:
    """What is promised, with its heading; `everything` as of `describe_table`."""
    who = f"Who is protected ({facts.adjacency}): {facts.adjacency_meaning}{_public(facts, everything)}"
    cells = "The cells were declared and are public; which of them have rows is not told."
    if facts.max_cells is not None:
        cells += (
            f" A unit counts in at most {facts.max_cells:,} of them: the first that it reaches in the order of their "
            "declaration."
        )
    how_well = f"How well: {protection(facts.table_epsilon, facts.table_delta, 'the whole table', 'a change')}"
    some = given_away(exact(facts.delta), counted(facts), "cell")
    return promise_lines(who, cells, how_well, *some, REPEATS)


def _public(facts: TableFacts, everything: int | None) -> str:
    if facts.adjacency == "add-remove":
        return " The declared maxima are public and must have been chosen without looking at the data."
    if everything is None:
        return ""
    return f" The number of {'rows' if facts.unit is None else 'units'} is {everything}."
