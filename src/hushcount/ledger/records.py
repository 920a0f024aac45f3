"""What a ledger returns: a budget's terms, a charge, and what a request was granted."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any

from hushcount.errors import InvalidParameter
from hushcount.ledger.accounting import Accounting
from hushcount.ledger.amounts import Amount, cost_of
from hushcount.ledger.question import Question, canonical_json
from hushcount.promise.adjacency import Adjacency
from hushcount.promise.curve import Curve
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.mu_delta import MuDelta
from hushcount.words.printable import printable

__all__ = ["Basis", "Charge", "Grant", "Terms", "checked_text", "moment_text"]

LONGEST_TEXT = 200

_NOTHING_LEFT = {"left_epsilon": None, "left_delta": None}
"""What is reported as left after a charge under tight accounting; in a budget in mu, `left_epsilon` stays null."""


@dataclass(frozen=True)
class Terms:
    """What was settled when a budget was created, permanently.

    Attributes:
        name: the name of the budget, which stands for one data set: everything released about it is charged here.
        total: the epsilon and delta, or the mu^2 and delta, that all releases together may cost.
        adjacency: the adjacency of every release.
        protects: in words, whom the budget protects: a row, a person, a visit. Its sources say how to tell one.
        accounting: how charges add up.
    """

    name: str
    total: Amount
    adjacency: Adjacency
    protects: str
    accounting: Accounting

    def check_adjacency(self, adjacency: Adjacency) -> None:
        """Check that a release has the adjacency of the budget.

        Raises:
            InvalidParameter: it has another.
        """
        if adjacency is not self.adjacency:
            rule = f"{self.adjacency.value}, as the budget {self.name!r} has it"
            raise InvalidParameter("adjacency", adjacency.value, rule)

    def to_body(self) -> str:
        """Return the terms that are not amounts, as an entry keeps them."""
        return canonical_json(
            {"adjacency": self.adjacency.value, "unit": self.protects, "composition": self.accounting.value}
        )

    def cost_of(self, question: Question) -> Amount:
        """Return what the answer to a question is charged.

        Raises:
            InvalidParameter: it cannot be charged to the budget.
        """
        return cost_of(*question.draws, self.total, self.name)

    def check_kind(self, promise: Curve) -> None:
        """Check that releases at such a promise can be charged.

        Raises:
            InvalidParameter: they cannot.
        """
        cost_of(promise, 1, self.total, self.name)

    @classmethod
    def from_body(cls, name: str, total: Amount, body: str) -> Terms:
        """Return the terms that `to_body` and the amounts of the entry spell.

        Raises:
            UNREADABLE: they do not spell any.
        """
        parts = json.loads(body)
        found = cls(name, total, Adjacency(parts["adjacency"]), str(parts["unit"]), Accounting(parts["composition"]))
        in_mu = found.accounting is Accounting.GAUSSIAN
        if found.to_body() != body or isinstance(total, MuDelta) != in_mu:
            raise ValueError("no terms that a ledger keeps")
        return found


@dataclass(frozen=True)
class Charge:
    """One line of a budget's history: what was asked, what it cost, and what was released for it.

    Attributes:
        budget, request_id: its name, and the id of the request in it.
        question: what was asked.
        cost: what it cost: its price, or in a budget in mu the mu^2 and delta that the price comes to.
        left: what is left of the budget after this charge; None under tight accounting.
        number, hash: those of its entry in the ledger.
        charged_at: the time of the charge, in UTC.
        delivered_at: when the answer was stored; None for a charge without one.
        answer: the stored receipt as JSON; None for a charge without one.
    """

    budget: str
    request_id: str
    question: Question
    cost: Amount
    left: Amount | None
    number: int
    hash: str
    charged_at: datetime
    delivered_at: datetime | None = None
    answer: str | None = None

    @property
    def state(self) -> str:
        """In words."""
        return "charged, not delivered" if self.answer is None else "delivered"

    @property
    def released(self) -> int | None:
        """The released count; None without an answer, and for a table, whose receipt has them all."""
        if self.answer is None or self.question.cells is not None:
            return None
        return int(json.loads(self.answer)["released"])

    def __str__(self) -> str:
        """Return the charge on one line, without the newline."""
        about = f"{self.budget}, entry {self.number} at {self.charged_at:%Y-%m-%d %H:%M:%S} UTC"
        came = self.state if self.released is None else f"released {self.released}"
        return printable(f"{about}: {self.question.price.in_words()}; {self.question}; {came}")

    def to_dict(self) -> dict[str, Any]:
        """Return the charge, ready for JSON, and flat but for `about` and `receipt`."""
        question: dict[str, Any] = json.loads(self.question.to_json())
        of_pair = self.cost.to_fields() if isinstance(self.cost, EpsilonDelta) else {}  # in mu there is none
        for name in ("epsilon", "delta"):  # of several pairs, what was charged
            question.setdefault(name, of_pair.get(name))
        asked = self.question
        if asked.cells is not None and ("unit" not in asked.about or asked.rows_per_unit is not None):
            # A row counts in one cell; as in the receipt, the limit is for units.
            question["about"]["max_cells"] = None
        return {
            "budget": self.budget,
            "number": self.number,
            "charged_at": moment_text(self.charged_at),
            "state": self.state,
            "request_id": self.request_id,
            **question,
            **(self.cost.to_fields("charged_") if isinstance(self.cost, MuDelta) else {}),
            **_NOTHING_LEFT,
            **({} if self.left is None else self.left.to_fields("left_")),
            "released": self.released,
            "delivered_at": None if self.delivered_at is None else moment_text(self.delivered_at),
            "receipt": None if self.answer is None else json.loads(self.answer),
            "hash": self.hash,
        }


class Basis(Enum):
    """Why a request is granted; the value is the sentence for people."""

    CHARGED = "Charged to the budget."
    PAID_BEFORE = "Charged to the budget before, but never delivered: drawn now, and not charged again."
    STORED = "The stored answer of the same question; nothing was charged. A fresh draw would be charged again."

    @property
    def note(self) -> str:
        """What the user must know about it; empty where all is as expected."""
        return "" if self is Basis.CHARGED else self.value


@dataclass(frozen=True)
class Grant:
    """The right to one answer.

    Attributes:
        charge: the charge that pays for it.
        basis: why it is granted.
    """

    charge: Charge
    basis: Basis

    @property
    def answer(self) -> str | None:
        """The stored receipt as JSON; None where it has yet to be drawn."""
        return self.charge.answer


def checked_text(argument: str, text: object, limit: int = LONGEST_TEXT) -> str:
    """Return a text that fits on a line and that every database can hold.

    Raises:
        InvalidParameter: something else.
    """
    if not (isinstance(text, str) and 1 <= len(text) <= limit and text.isprintable() and text == text.strip()):
        raise InvalidParameter(argument, text, f"a printable text of 1 to {limit} characters, without blanks around it")
    return text


def moment_text(moment: datetime) -> str:
    """Return a time in UTC as JSON has it."""
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"
