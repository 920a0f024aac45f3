"""A table before it is asked for: its cost and its accuracy, without a look at the cell of any row."""

from __future__ import annotations

from collections.abc import Mapping

from hushcount.counting.cells.keys import Keys
from hushcount.counting.predicate.groups import by_words
from hushcount.numbers.exact import Number
from hushcount.numbers.text import plain_at_most
from hushcount.promise.adjacency import Adjacency
from hushcount.release.beside import Beside
from hushcount.release.least import least_lines
from hushcount.release.payment import Payment, price_lines
from hushcount.release.table.asked import AskedTable
from hushcount.release.table.found import SettledFound
from hushcount.release.table.other_price import other_price_rows
from hushcount.release.table.question import SettledTable, TableQuestion
from hushcount.release.table.text import chance_lines, price_rows, promise_lines, range_text
from hushcount.words.paragraphs import row
from hushcount.words.printable import printable

__all__ = ["preview"]

_KEYS_SHOWN = 5
_LONGEST = 66


def preview(question: AskedTable, payment: Payment | None = None, at_delta: Number | None = None) -> str:
    """Return the text about a table that is not released, without a newline at the end. This costs nothing.

    Everything is judged that a release judges before it charges, including the source. Under replace-one its rows, or
    units, are counted, since their number is public.

    Args:
        payment: the ledger and the budget that would be charged, if any; they are only read.
        at_delta: as in `Receipt.to_text`, for the promise of the table and for the price in the other currency.

    Raises:
        BadUse, BadData: as for a release before it charges, except that a budget which does not cover it is no error.
    """
    with question.open() as table:
        is_public = question.adjacency is Adjacency.REPLACE_ONE
        settled = question.settled_in(table, payment, None if is_public else 0)
    if isinstance(settled, SettledFound):
        return _of_found(settled, payment, at_delta)
    assert isinstance(settled, SettledTable)
    aim, question = question.law.aim, settled.question
    asked, facts = settled.charged(), settled.guarantee
    if payment is not None:
        payment.check(asked)
    keys = question.declared.cells.keys
    beside = Beside.of(question.law, settled.maxima.tolist())
    return "\n".join(
        [
            f"Table, not released: {facts.cells_text}",
            "No row was judged, and nothing was charged.",
            "",
            row("Question", f"{question}, {printable(by_words(question.declared.by))}"),
            *([] if aim is None else [*aim.asked_rows(), *aim.currency_rows(payment)]),
            row("Keys", _some(keys)),
            row("Meaning", _meaning(keys, question.subject.options.types)),
            row("Range", _range(settled)),
            *price_rows(facts, at_delta),
            *price_lines(asked, payment),
            *other_price_rows(facts, at_delta, aim),
            *_one_draw(question),
            "",
            *chance_lines(facts),
            *([] if beside is None else beside.to_lines()),
            *least_lines(facts.cell),
            "",
            *promise_lines(facts),
        ]
    )


def _of_found(settled: SettledFound, payment: Payment | None, at_delta: Number | None) -> str:
    question = settled.question
    if payment is not None:
        payment.check(settled.charged())
    facts = settled.guarantee
    return "\n".join(
        [
            "Table, not released: groups from the data",
            "No row was judged, and nothing was charged.",
            "",
            row("Question", f"{question}, {printable(by_words(question.by))}"),
            row("Range", range_text(facts)),
            *price_rows(facts, at_delta),
            *price_lines(settled.charged(), payment),
            "",
            *chance_lines(facts),
            *least_lines(facts.cell),
            "",
            *promise_lines(facts),
        ]
    )


def _one_draw(question: TableQuestion) -> list[str]:
    """Return what nearly the same table would cost as one count."""
    by, price = question.one_draw_by, question.law.promise.of_cells(1)
    return [] if by is None else [row("As one draw", f"{price.in_words(plain_at_most)}, {by}")]


def _some(keys: Keys) -> str:
    """Return the first keys, on one line."""
    shown = "; ".join(printable(", ".join(keys.shown(cell))) for cell in range(min(len(keys), _KEYS_SHOWN)))
    if len(keys) <= _KEYS_SHOWN and len(shown) <= _LONGEST:
        return shown
    return f"{shown[: _LONGEST - 4]} ..."


def _meaning(keys: Keys, pinned: Mapping[str, str]) -> str:
    """Return what the keys are taken for, where a declaration of the source does not say otherwise."""
    told = [f"{printable(name)}: {words}" for name, words in keys.meaning(pinned).items()]
    return "; ".join(told)


def _range(settled: SettledTable) -> str:
    question, everything = settled.question, settled.everything
    common = f"{settled.maxima[-1]}"
    if everything is not None and (question.max_count is None or everything <= question.max_count):
        unit = question.subject.unit
        often = f"{unit.moves:,} times " if unit is not None and unit.rows_per_unit is not None else ""
        common += f" ({often}the number of {'rows' if unit is None else 'units'})"
    if question.declared.totals is None:
        return f"0 to {common}, in every cell"
    other = f", and 0 to {common} for all other keys" if question.declared.cells.keeps_other else ""
    return f"0 to the known total of each cell{other}"
