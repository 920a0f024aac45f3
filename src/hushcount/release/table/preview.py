"""A table before it is asked for: its cost and its accuracy, without a look at any value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from hushcount.counting.cells.keys import Keys
from hushcount.numbers.exact import Number
from hushcount.promise.adjacency import Adjacency
from hushcount.release.payment import Payment, price_lines
from hushcount.release.table.other_price import other_price_rows
from hushcount.release.table.question import SettledTable, TableQuestion
from hushcount.release.table.text import chance_lines, price_rows, promise_lines
from hushcount.words.paragraphs import row
from hushcount.words.printable import printable

__all__ = ["preview"]

_KEYS_SHOWN = 5
_LONGEST = 66


def preview(question: TableQuestion, payment: Payment | None = None, at_delta: Number | None = None) -> str:
    """Return the text about a table that is not released, without a newline at the end. This costs nothing.

    Keys and options were judged with the question. Here the source is opened and its columns are judged: their names,
    and their types where the source itself declares them. No row is counted. So under replace-one the number of rows is
    unknown, and the chances are known only where the ranges do not depend on it.

    Args:
        payment: the ledger and the budget that would be charged, if any; they are only read.
        at_delta: as in `Receipt.to_text`, for the promise of the table and for the price in the other currency.

    Raises:
        BadUse, BadData: as for a release before it counts; also a budget that does not exist or has another adjacency.
    """
    with question.open():
        pass
    settled = _settled(question)
    known = question.settled_at(None, np.ones(1, dtype=np.int64)) if settled is None else settled
    if question.law.aim is not None and settled is None:
        known = replace(known, question=question)  # a promise of the kind, which is not told
    if payment is not None:
        payment.check(known.charged())
    facts, keys = known.guarantee, question.declared.cells.keys
    return "\n".join(
        [
            f"Table, not released: {facts.cells_text}",
            "No value was read, and nothing was charged.",
            "",
            row("Question", f"{question}, by {printable(', '.join(question.declared.by))}"),
            row("Keys", _some(keys)),
            row("Meaning", _meaning(keys, question.subject.options.types)),
            row("Range", _range(question)),
            *_told(question, known, payment, at_delta, is_settled=settled is not None),
        ]
    )


def _told(
    question: TableQuestion,
    known: SettledTable,
    payment: Payment | None,
    at_delta: Number | None,
    *,
    is_settled: bool,
) -> list[str]:
    """Return the price, the accuracy and the promise; where an accuracy is asked for, the price may not be known."""
    facts = known.guarantee
    if question.law.aim is not None and not is_settled:
        return [
            "",
            f"What is promised depends on the number of {_public(question)}; for N of them, see",
            f"  hushcount explain --n N {question.law.aim.to_options()}",
        ]
    return [
        *price_rows(facts, at_delta),
        *price_lines(known.charged(), payment),
        *(other_price_rows(facts, at_delta) if is_settled else []),
        "",
        *(chance_lines(facts) if is_settled else _unknown(question)),
        "",
        *promise_lines(facts),
    ]


def _settled(question: TableQuestion) -> SettledTable | None:
    """Return the table as it is settled if there are enough rows; None if its ranges depend on their number."""
    if question.adjacency is Adjacency.ADD_REMOVE:
        return question.settled(0)
    # The number of rows, or the maximum, must be that of a mechanism that was brought along
    of_mechanism = None if question.law.own is None else question.law.own.n
    common = of_mechanism if question.max_count is None else question.max_count
    totals = question.declared.totals
    known = [] if totals is None else [int(totals.max())]
    if common is None and (not known or question.declared.cells.keeps_other):
        return None
    return question.settled(max([*known, *([] if common is None else [common])]))


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


def _range(question: TableQuestion) -> str:
    what = _public(question)
    cap = question.max_count
    if question.adjacency is Adjacency.ADD_REMOVE:
        common = f"{cap}"
    else:
        common = f"the number of {what}" if cap is None else f"{cap}, or the number of {what} if that is less"
    if question.declared.totals is None:
        return f"0 to {common}, in every cell"
    other = f", and 0 to {common} for all other keys" if question.declared.cells.keeps_other else ""
    return f"0 to the known total of each cell{other}"


def _unknown(question: TableQuestion) -> list[str]:
    return [
        f"How often a count is off depends on the number of {_public(question)}; for N of them, see",
        f"  hushcount explain --n N {question.law.promise.to_options()}",
    ]


def _public(question: TableQuestion) -> str:
    return "rows" if question.subject.unit is None else "units"
