"""Ledger: budgets that are exact and durable, and the history of what was charged to them. It knows no mechanism."""

from hushcount.ledger.accounting import Accounting
from hushcount.ledger.creation import create_budget
from hushcount.ledger.ledger import Ledger
from hushcount.ledger.listed import ListedSource
from hushcount.ledger.listing import add_source
from hushcount.ledger.question import Question
from hushcount.ledger.records import Basis, Budget, Charge, Grant
from hushcount.ledger.verification import LedgerVerdict, Verification

__all__ = [
    "Accounting",
    "Basis",
    "Budget",
    "Charge",
    "Grant",
    "Ledger",
    "LedgerVerdict",
    "ListedSource",
    "Question",
    "Verification",
    "add_source",
    "create_budget",
]
