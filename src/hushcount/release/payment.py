"""How a release is paid for: what it asks of a ledger, and the receipt that the ledger keeps of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, cast

from hushcount.errors import HushcountError, InvalidParameter, LedgerUnusable
from hushcount.ledger import Basis, Charge, Grant, Ledger
from hushcount.ledger.location import Location
from hushcount.numbers.text import amount_text
from hushcount.release.asking import Asking, R, Settling
from hushcount.release.receipt import LedgerFacts

__all__ = ["Paid", "Payment"]


@dataclass(frozen=True)
class Paid(Generic[R]):
    """An answer from a ledger.

    Attributes:
        receipt: as the ledger keeps it.
        basis: whether it was charged for, or was paid before.
    """

    receipt: R
    basis: Basis

    @property
    def note(self) -> str:
        """What whoever asked must know of it; empty for an answer as expected, drawn and charged."""
        return "" if self.basis is Basis.CHARGED else self.basis.value


@dataclass(frozen=True)
class Payment:
    """A budget that a release is charged to; made by `Payment.of`.

    Attributes:
        ledger: where the budget is kept.
        budget, request_id, fresh: as of `Ledger.charge`.
    """

    ledger: Ledger
    budget: str
    request_id: str | None
    fresh: bool

    @classmethod
    def of(
        cls, ledger: Ledger | Location | None, budget: str | None, request_id: str | None = None, fresh: bool = False
    ) -> Payment:
        """Open the ledger.

        Raises:
            InvalidParameter: of ledger and budget only one is given, or neither, or one is of another type.
            LedgerUnusable: there is no ledger, or it cannot be used.
        """
        if ledger is None:
            raise InvalidParameter("ledger", None, "given where a budget, a request id or a fresh draw is asked for")
        if budget is None:
            raise InvalidParameter("budget", None, "given with a ledger: the name of one of its budgets")
        if not isinstance(fresh, bool):
            raise InvalidParameter("fresh", fresh, "True or False")
        return cls(ledger if isinstance(ledger, Ledger) else Ledger(ledger), budget, request_id, fresh)

    def check(self, settled: Settling[R]) -> None:
        """See that a question may be charged, whatever it costs; nothing is charged.

        Raises:
            InvalidParameter, BudgetClosed: as `Ledger.check` does.
        """
        self.ledger.check(self.budget, settled.question())

    def stored(self, request: Asking[R]) -> Paid[R] | None:
        """The answer to the request id, if it was given before: no data need be read for it.

        Raises:
            InvalidParameter: there is no such budget, it has another adjacency, or the id was used for another
                question.
        """
        self.ledger.terms(self.budget).check_adjacency(request.adjacency)
        if self.request_id is None:
            return None
        known = self.ledger.find(self.budget, self.request_id)
        if known is None or known.answer is None:
            return None
        settled = request.settled_as(known.question)
        grant = self.ledger.charge(self.budget, settled.question(), self.request_id)  # never charges: the id is known
        return _paid(settled, grant)

    def answer(self, settled: Settling[R], receipt: Callable[[LedgerFacts], R], *, lists: bool) -> Paid[R]:
        """Charge, then have the receipt made and store it; or the stored receipt.

        Args:
            receipt: reads the data and draws; called once the charge is committed.
            lists: whether the budget lists its sources.

        Raises:
            BudgetExceeded, BudgetClosed, BadUse, LedgerUnusable: as `Ledger.answer` does.
        """

        def draw(charge: Charge) -> str:
            return receipt(_facts(charge)).to_json()

        try:
            grant = self.ledger.answer(self.budget, settled.question(), draw, self.request_id, fresh=self.fresh)
        except LedgerUnusable as error:
            if error.charged is not None:
                _say(error, f"{_stays(error.charged)}; the same question asked again is not charged again")
            raise
        except HushcountError as error:
            if error.charged is not None:
                _say(error, _mistake(error.charged, lists=lists))
            raise
        return _paid(settled, grant)


def _mistake(charge: Charge, *, lists: bool) -> str:
    """What a mistake cost that only the values of the data have shown.

    Args:
        lists: whether the budget lists its sources.
    """
    again = "the same question asked again is not charged again, and a corrected one is charged anew"
    advice = "" if lists else "; once its source is listed (`hushcount budget source add`), such mistakes are free"
    return f"the data had been read, so {_stays(charge)}; {again}{advice}"


def _stays(charge: Charge) -> str:
    price = charge.question.price
    amounts = f"epsilon {amount_text(price.epsilon)}, delta {amount_text(price.delta)}"
    return f"{amounts} stay charged to the budget {charge.budget!r}"


def _say(error: HushcountError, words: str) -> None:
    error.args = (f"{error}; {words}",)


def _paid(settled: Settling[R], grant: Grant) -> Paid[R]:
    return Paid(cast(R, settled.receipt_type.from_json(str(grant.answer))), grant.basis)


def _facts(charge: Charge) -> LedgerFacts:
    return LedgerFacts.of(charge.budget, charge.request_id, charge.number, charge.hash, charge.left)
