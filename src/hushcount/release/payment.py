"""How a release is paid for: a budget of a ledger, and what a request says about its charge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hushcount.errors import InvalidParameter
from hushcount.numbers.exact import exact_text
from hushcount.numbers.text import amount_text
from hushcount.promise.adjacency import Adjacency
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.mu_delta import MuDelta, left_in_words
from hushcount.words.paragraphs import row

if TYPE_CHECKING:
    from hushcount.ledger import Ledger, Question
    from hushcount.ledger.location import Location

__all__ = ["Payment", "adjacency_of", "payment_of", "price_lines"]


@dataclass(frozen=True)
class Payment:
    """A budget that a release is charged to; made by `Payment.of`.

    Attributes:
        ledger: where the budget is kept.
        budget, request_id, fresh: as in `Ledger.charge`.
    """

    ledger: Ledger
    budget: str
    request_id: str | None
    fresh: bool

    @classmethod
    def of(
        cls, ledger: Ledger | Location | None, budget: str | None, request_id: str | None = None, fresh: bool = False
    ) -> Payment:
        """Open the ledger, and return the payment.

        Raises:
            InvalidParameter: only one of ledger and budget is given, or neither, or one has another type.
            LedgerUnusable: there is no ledger, or it cannot be used.
        """
        if ledger is None:
            raise InvalidParameter("ledger", None, "given where a budget, a request id or a fresh draw is asked for")
        if budget is None:
            raise InvalidParameter("budget", None, "given with a ledger: the name of one of its budgets")
        if not isinstance(fresh, bool):
            raise InvalidParameter("fresh", fresh, "True or False")
        from hushcount.ledger import Ledger  # ledgers take long to load, and a release without one needs none

        return cls(ledger if isinstance(ledger, Ledger) else Ledger(ledger), budget, request_id, fresh)

    @property
    def is_in_mu(self) -> bool:
        """Whether the budget is one in mu."""
        return isinstance(self.ledger.terms(self.budget).total, MuDelta)

    def check(self, charged: Question) -> None:
        """Check that a question may be charged, whatever it costs; nothing is charged.

        Raises:
            InvalidParameter, BudgetClosed: as for `Ledger.check`.
        """
        self.ledger.check(self.budget, charged)

    def has_paid_for(self, asked: Question) -> bool:
        """Whether the budget paid for a question before, so that its answer is had without a charge."""
        known = None if self.request_id is None else self.ledger.find(self.budget, self.request_id)
        if known is not None:
            return known.question == asked
        return not self.fresh and self.ledger.has_paid_for(self.budget, asked)


def payment_of(
    ledger: Ledger | Location | None, budget: str | None, request_id: str | None, fresh: bool
) -> Payment | None:
    """Return what a release is paid from; None if no ledger was named.

    Raises:
        InvalidParameter, LedgerUnusable: as for `Payment.of`.
    """
    if ledger is budget is request_id is None and fresh is False:
        return None
    return Payment.of(ledger, budget, request_id, fresh)


def adjacency_of(given: str | None, payment: Payment | None) -> str:
    """Return the adjacency of a release: as given, or else that of the budget, or else replace-one.

    Raises:
        InvalidParameter: it is not that of the budget, or there is none of that name.
    """
    terms = None if payment is None else payment.ledger.terms(payment.budget)
    if given is None:
        return (Adjacency.REPLACE_ONE if terms is None else terms.adjacency).value
    relation = Adjacency.of(given)
    if terms is not None:
        terms.check_adjacency(relation)
    return relation.value


def price_lines(asked: Question, payment: Payment | None) -> list[str]:
    """Return what is charged, and what is left before; where sums are what counts also whether that covers it."""
    price = asked.price
    charge = price.in_words(exact_text)
    if payment is None:
        return [row("Charge", charge)]
    budget = payment.ledger.budget(payment.budget)
    cost = budget.terms.cost_of(asked)
    if isinstance(price, EpsilonDelta) and cost != price:
        charge += f": {cost.in_words(exact_text)}"
    refused = ", which does not cover it" if budget.surely_lacks(cost) else ""
    return [
        row("Charge", f"{charge}, unless it was answered before"),
        row("Left", f"{left_in_words(budget.left, amount_text)}, before it{refused}"),
    ]
