"""A count before it is asked for: its range, what it costs and how often it is off. Costs nothing."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from hushcount.numbers.exact import exact_text
from hushcount.numbers.text import amount_text
from hushcount.release.count.request import Request, Settled
from hushcount.release.explanation import Asked, explain, question, row

if TYPE_CHECKING:
    from hushcount.promise.epsilon_delta import EpsilonDelta
    from hushcount.release.payment import Payment

__all__ = ["preview", "price_lines"]


def preview(request: Request, payment: Payment | None = None) -> str:
    """The text about a count that is not released; ends without a newline.

    All is judged that a release judges before it charges: also the source, of which under replace-one the rows are
    counted (the units, if they are), whose number is public.

    Args:
        payment: the ledger and the budget that would be charged, if there are any; they are read only.

    Raises:
        BadUse, BadData: as a release does before it charges; but that the budget does not cover it is no error.
    """
    with request.open() as table:
        settled = cast(Settled, request.settle(table))
    if payment is not None:
        payment.check(settled)
    asked = SimpleNamespace(source=request.source, table=request.options.table, unit=request.unit, where=request.where)
    return "\n".join(
        [
            "Count, not released",
            "No row was judged by the condition, and nothing was charged.",
            "",
            row("Question", question(cast(Asked, asked))),
            *price_lines(settled.question().price, payment),
            explain(settled.promised),
        ]
    )


def price_lines(price: EpsilonDelta, payment: Payment | None) -> list[str]:
    """What is charged, and what is left before; under basic composition also whether that covers it."""
    charge = f"epsilon {exact_text(price.epsilon)}, delta {exact_text(price.delta)}"
    if payment is None:
        return [row("Charge", charge)]
    from hushcount.ledger.accounting import Accounting, left_over

    found = payment.ledger.budget(payment.budget)
    left = found.left
    refused = found.terms.accounting is Accounting.BASIC and left_over(left, price) is None
    return [
        row("Charge", f"{charge}, unless it was answered before"),
        row(
            "Left",
            f"epsilon {amount_text(left.epsilon)}, delta {amount_text(left.delta)}, before it"
            f"{', which does not cover it' if refused else ''}",
        ),
    ]
