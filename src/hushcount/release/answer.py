"""The one way that data takes: judged, opened, charged, counted, drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, cast

from hushcount.counting import OpenTable
from hushcount.errors import HushcountError, LedgerUnusable
from hushcount.numbers.text import amount_text
from hushcount.release.question import QuestionBase, R, Settled
from hushcount.release.receipt import LedgerFacts

if TYPE_CHECKING:
    from hushcount.ledger import Basis, Charge, Grant
    from hushcount.release.payment import Payment

__all__ = ["Answer", "answer", "charged_answer"]

Progress = Callable[[float], None]


@dataclass(frozen=True)
class Answer(Generic[R]):
    """The answer to a question.

    Attributes:
        receipt: the receipt of the release; if a budget paid for it, as the ledger keeps it.
        basis: whether it was charged for now or paid for before; None without a ledger.
    """

    receipt: R
    basis: Basis | None = None

    @property
    def note(self) -> str:
        """What the user must know about it; empty for an answer as expected, drawn and charged."""
        return "" if self.basis is None else self.basis.note


def answer(question: QuestionBase[R], payment: Payment | None = None, progress: Progress | None = None) -> Answer[R]:
    """Answer a question that was judged; charge a budget, if there is one, unless the answer was paid for before.

    The true counts live in this call only. With a budget, the charge is committed before the data is read under the
    condition, and the receipt is stored before it is returned.

    Args:
        progress: called from time to time with the part of the draws that is done, from 0 to 1.

    Raises:
        BadUse, BadData: the source cannot be opened, or is not as it was declared or listed.
        BudgetExceeded, BudgetClosed, LedgerUnusable: as for `Ledger.answer`.
    """
    if payment is None:
        with question.open() as table:
            return Answer(question.settled_in(table).released(table, None, progress))
    stored = _stored(question, payment)
    if stored is not None:
        return stored
    with question.open() as table:
        return charged_answer(question, question.settled_in(table, payment), table, payment, progress)


def _stored(question: QuestionBase[R], payment: Payment) -> Answer[R] | None:
    """Return the answer to the request id, if it was given before: no data need be read for it.

    Raises:
        InvalidParameter: there is no such budget, it has another adjacency or cannot be charged for such a promise, or
            the id was used for another question.
    """
    ledger, budget, request_id = payment.ledger, payment.budget, payment.request_id
    terms = ledger.terms(budget)
    terms.check_adjacency(question.adjacency)
    terms.check_kind(question.promised)
    known = None if request_id is None else ledger.find(budget, request_id)
    if known is None or known.answer is None:
        return None
    # Never charges: the id is known
    return _granted(question, ledger.charge(budget, question.settled_as(known.question).charged(), request_id))


def charged_answer(
    question: QuestionBase[R],
    settled: Settled[R],
    table: OpenTable,
    payment: Payment,
    progress: Progress | None = None,
    grant: Grant | None = None,
) -> Answer[R]:
    """Charge, then have the receipt made and store it; or return the stored receipt. The error says what stays
    charged.

    Args:
        settled, table: the question as it is settled, and the source opened for it.
        grant: what was granted by now; None charges.
    """
    ledger = payment.ledger

    def draw(charge: Charge) -> str:
        return settled.released(table, LedgerFacts.of(charge), progress).to_json()

    try:
        if grant is None:
            grant = ledger.answer(payment.budget, settled.charged(), draw, payment.request_id, fresh=payment.fresh)
        else:
            grant = ledger.answer_to(grant, draw)
    except LedgerUnusable as error:
        if error.charged is not None:
            _say(error, f"{_stays(error.charged)}; {_again(error.charged)}")
        raise
    except HushcountError as error:
        if error.charged is not None:
            _say(error, _mistake(error.charged, is_listed=question.subject.listed is not None))
        raise
    return _granted(question, grant)


def _granted(question: QuestionBase[R], grant: Grant) -> Answer[R]:
    return Answer(cast(R, question.receipt_type.from_json(str(grant.answer))), grant.basis)


def _mistake(charge: Charge, *, is_listed: bool) -> str:
    """Return what a mistake cost that only the values of the data have shown."""
    again = f"{_again(charge)}, and a corrected one is charged anew"
    advice = "" if is_listed else "; once its source is listed (`hushcount budget source add`), such mistakes are free"
    return f"the data had been read, so {_stays(charge)}; {again}{advice}"


def _again(charge: Charge) -> str:
    if charge.question.is_drawn_once:
        return "groups from the data are drawn once for a charge, so the same question asked again is charged again"
    return "the same question asked again is not charged again"


def _stays(charge: Charge) -> str:
    return f"{charge.cost.in_words(amount_text)} stay charged to the budget {charge.budget!r}"


def _say(error: HushcountError, words: str) -> None:
    error.args = (f"{error}; {words}",)
