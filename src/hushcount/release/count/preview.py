"""A count before it is asked for: its range, what it costs and how often it is off. Costs nothing."""

from __future__ import annotations

from hushcount.release.count.question import CountQuestion
from hushcount.release.payment import Payment, price_lines
from hushcount.release.text import explain
from hushcount.words.paragraphs import row

__all__ = ["preview"]


def preview(question: CountQuestion, payment: Payment | None = None) -> str:
    """The text about a count that is not released; ends without a newline.

    All is judged that a release judges before it charges: also the source, of which under replace-one the rows are
    counted (the units, if they are), whose number is public.

    Args:
        payment: the ledger and the budget that would be charged, if there are any; they are read only.

    Raises:
        BadUse, BadData: as a release does before it charges; but that the budget does not cover it is no error.
    """
    with question.open() as table:
        settled = question.settled(question.everything(table))
    if payment is not None:
        payment.check(settled.charged())
    return "\n".join(
        [
            "Count, not released",
            "No row was judged by the condition, and nothing was charged.",
            "",
            row("Question", str(question)),
            *price_lines(question.law.promise, payment),
            explain(settled.guarantee),
        ]
    )
