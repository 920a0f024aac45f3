"""Charging a budget: whether it may be charged for a question, whether it covers the price, and the entry."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hushcount.errors import BadUse, BudgetClosed, BudgetExceeded, InvalidParameter
from hushcount.ledger.accounting import (
    NOTHING,
    Accounting,
    Spent,
    fits_tightly,
    left_over,
    more_that_fit,
    not_covered,
    total_of,
)
from hushcount.ledger.amounts import Amount
from hushcount.ledger.book import Account, Book, charge_of
from hushcount.ledger.entry import Entry, Kind
from hushcount.ledger.protected import check_alike, source_key, unit_column
from hushcount.ledger.question import Question
from hushcount.ledger.records import Basis, Charge, Grant
from hushcount.numbers.text import amount_text

__all__ = ["Bill", "bill", "check_chargeable", "grant", "left_of", "more_of", "paid_for"]


@dataclass(frozen=True)
class Bill:
    """What several questions would cost together.

    Attributes:
        bases: why each would be granted, in order; a question that is asked twice is charged once.
        cost: what would be charged for all of them: the sum, also under tight accounting, where it is not what counts.
        left: what is left of the budget before, as in `Budget`.
        left_after: what would be left then; None if the budget does not cover it, and under tight accounting.
        is_covered: whether the budget covers it.
    """

    bases: tuple[Basis, ...]
    cost: Amount
    left: Amount
    left_after: Amount | None
    is_covered: bool


def grant(book: Book, budget: str, question: Question, request_id: str | None = None, *, fresh: bool = False) -> Grant:
    """Grant a question, charged for now or paid for before; see `Ledger.charge`. The book must be locked."""
    account = book.account(budget)
    account.terms.check_adjacency(question.adjacency)
    cost = account.terms.cost_of(question)
    known = None if request_id is None else book.charge(budget, request_id)
    if known is not None and known.question != question:
        raise InvalidParameter("request_id", request_id, "an id of its own: it was used for another question")
    if known is not None and _is_lost(known):
        rule = "a new id: the answer to this one was not stored, and groups from the data are drawn once for a charge"
        raise InvalidParameter("request_id", request_id, rule)
    if known is None and not fresh:
        known = paid_for(book, budget, question)
    if known is not None:
        return Grant(known, _basis(known))
    check_chargeable(book, account, question)
    covered, left = _covered(book, account, cost)
    if not covered:
        remaining = left_of(account, book.spent(budget))
        raise BudgetExceeded(not_covered(cost, remaining, budget), cost, remaining, budget)
    name = str(uuid.uuid4()) if request_id is None else request_id
    body, sha256 = question.to_json(), question.sha256
    entry = Entry.of(Kind.CHARGED, budget, request=name, question=sha256, price=cost, left=left, body=body)
    return Grant(charge_of(book.add(entry), None), Basis.CHARGED)


def bill(book: Book, budget: str, questions: Sequence[Question]) -> Bill:
    """Return what several questions would cost together; see `Ledger.bill`."""
    account = book.account(budget)
    bases: list[Basis] = []
    costs: list[Amount] = []
    asked: set[str] = set()
    kinds: dict[object, Question] = {}
    for question in questions:
        account.terms.check_adjacency(question.adjacency)
        cost = account.terms.cost_of(question)
        known = paid_for(book, budget, question)
        if known is not None:
            bases.append(_basis(known))
        elif question.sha256 in asked:
            bases.append(Basis.STORED)
        else:
            check_chargeable(book, account, question, kinds.values())
            asked.add(question.sha256)
            kinds[source_key(question), unit_column(question)] = question
            bases.append(Basis.CHARGED)
            costs.append(cost)
    spent = book.spent(budget)
    total, left = account.terms.total, left_of(account, spent)
    first, delta = total_of(Spent(costs))
    if not delta < 1:
        raise BadUse(f"the deltas of the questions come to {amount_text(delta)}: no budget covers 1 or more")
    cost = type(total)(first, delta)
    if account.terms.accounting is not Accounting.TIGHT:
        after = left_over(left, cost)
        return Bill(tuple(bases), cost, left, after, after is not None)
    for price in costs:
        _check_price(price, next(iter(spent), costs[0]))
    is_covered = not costs or fits_tightly(total, costs[0], spent[costs[0]] + len(costs))
    return Bill(tuple(bases), cost, left, None, is_covered)


def paid_for(book: Book, budget: str, question: Question) -> Charge | None:
    """Return the charge that pays for a question by now, if there is one."""
    known = book.charge_for(budget, question)
    return None if known is None or _is_lost(known) else known


def _is_lost(known: Charge) -> bool:
    """Return whether an answer may have been drawn that was not stored, and may not be drawn again."""
    return known.answer is None and known.question.is_drawn_once


def _basis(known: Charge) -> Basis:
    return Basis.PAID_BEFORE if known.answer is None else Basis.STORED


def check_chargeable(book: Book, account: Account, question: Question, asked: Iterable[Question] = ()) -> None:
    """Check that a budget is open, and that a question is about a source that may be charged to it.

    Args:
        asked: what will have been charged before it, besides what the book has.

    Raises:
        BudgetClosed: it is closed.
        InvalidParameter: the budget lists sources, and not this one, or not so; or it protects others.
    """
    _check_open(account, question)
    _check_source(book, account, question, asked)


def _check_open(account: Account, question: Question) -> None:
    if account.closed is not None:
        name = account.terms.name
        message = f"the budget {name!r} is closed: nothing more can be charged to it"
        raise BudgetClosed(message, account.terms.cost_of(question), NOTHING, name)


def _check_price(price: Amount, fixed: Amount) -> None:
    """Check that under tight accounting a price is the one that the first charge has fixed."""
    if price != fixed:
        raise BadUse(
            "under tight composition all charges of a budget have the price of the first, here "
            f"{fixed.in_words(amount_text)} (got {price.in_words(amount_text)}): losses of prices that may depend on "
            "earlier answers do not compose tightly"
        )


def _check_source(book: Book, account: Account, question: Question, asked: Iterable[Question]) -> None:
    """Check that a question is about a source that the budget lists; if it lists none, that it protects as others do.

    Raises:
        InvalidParameter: it is not.
    """
    name = account.terms.name
    listed = book.sources(name)
    if listed:
        if not any(source.is_asked_by(question) for source in listed):
            raise InvalidParameter("source", None, f"one that the budget {name!r} lists, and read as it is listed")
        return
    ours, earlier = (source_key(question), unit_column(question)), asked
    newest = None if account.newest is None else book.question(account.newest)
    if newest is not None and ours != (source_key(newest), unit_column(newest)):  # else that one was checked
        earlier = [*book.questions(name), *asked]
    check_alike(name, earlier, *ours)


def _covered(book: Book, account: Account, price: Amount) -> tuple[bool, Amount | None]:
    """Return whether a budget covers a cost, and what is left then under basic accounting or in mu."""
    if account.terms.accounting is not Accounting.TIGHT:
        left = left_over(account.left, price)
        return left is not None, left
    spent = book.spent(account.terms.name)
    _check_price(price, next(iter(spent), price))
    return fits_tightly(account.terms.total, price, spent[price] + 1), None


def left_of(account: Account, spent: Spent) -> Amount:
    """Return what is left: exactly, or under tight accounting a price that is still covered."""
    if account.terms.accounting is not Accounting.TIGHT:
        return account.left
    for price, times in spent.items():
        return price if fits_tightly(account.terms.total, price, times + 1) else NOTHING
    return account.terms.total


def more_of(account: Account, spent: Spent) -> int | None:
    """Return how many charges are still covered under tight accounting, once there is a price."""
    if account.terms.accounting is not Accounting.TIGHT:
        return None
    return next((more_that_fit(account.terms.total, price, times) for price, times in spent.items()), None)
