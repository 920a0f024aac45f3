"""A count before it is asked for: its range, its cost and how often it is off. This costs nothing."""

from __future__ import annotations

from hushcount.numbers.exact import Number
from hushcount.release.beside import Beside
from hushcount.release.count.question import CountQuestion
from hushcount.release.least import least_lines
from hushcount.release.payment import Payment, price_lines
from hushcount.release.text import explain
from hushcount.words.paragraphs import row

__all__ = ["preview"]


def preview(question: CountQuestion, payment: Payment | None = None, at_delta: Number | None = None) -> str:
    """Return the text about a count that is not released, without a newline at the end.

    Everything is judged that a release judges before it charges, including the source. Under replace-one its rows, or
    units, are counted, since their number is public.

    Args:
        payment: the ledger and the budget that would be charged, if any; they are only read.
        at_delta: as in `Receipt.to_text`.

    Raises:
        BadUse, BadData: as for a release before it charges, except that a budget which does not cover it is no error.
    """
    with question.open() as table:
        settled = question.settled(question.everything(table))
    asked, aim = settled.charged(), question.law.aim
    if payment is not None:
        payment.check(asked)
    return "\n".join(
        [
            "Count, not released",
            "No row was judged by the condition, and nothing was charged.",
            "",
            row("Question", str(question)),
            *([] if aim is None else [*aim.asked_rows(), *aim.currency_rows(payment)]),
            *price_lines(asked, payment),
            explain(settled.guarantee, at_delta, beside=Beside.of(settled.question.law, [asked.maximum])),
            *least_lines(settled.guarantee),
        ]
    )
