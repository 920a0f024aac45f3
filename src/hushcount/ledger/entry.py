"""One entry of the history, and the hash that chains it to the one before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from hashlib import sha256
from typing import Any

from hushcount.errors import HushcountError
from hushcount.ledger.amounts import Amount, amount_in, in_columns
from hushcount.ledger.question import canonical_json

__all__ = ["UNREADABLE", "Entry", "Kind"]

UNREADABLE = (HushcountError, ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError)
"""What only a body or an amount that no ledger wrote raises when it is read, be its hash as sound as it may."""


class Kind(Enum):
    """What an entry records."""

    CREATED = "created"
    SOURCE = "source"
    CHARGED = "charged"
    DELIVERED = "delivered"
    CLOSED = "closed"


@dataclass(frozen=True)
class Entry:
    """A row of the history: whole numbers and texts only, empty where a kind has no use for one.

    Attributes:
        number: 1, 2, 3, ... over all budgets of the ledger.
        moment: when, in UTC.
        kind: a `Kind`, as text.
        budget: the name of the budget.
        request: the request id of a charge, and of its delivery; the key of a source listed.
        question: of a charge, the SHA-256 of its question.
        epsilon, delta: the total of a budget created, the cost of a charge; exact texts. In a budget in mu it is a sum
            of mu^2 that stands for epsilon, and says so (`hushcount.ledger.amounts`).
        left_epsilon, left_delta: what is left after it, but under tight accounting; likewise.
        body: the terms of a budget created, a source listed, the question of a charge, the receipt of a delivery.
        previous: the hash of the entry before, of zeros in the first.
        hash: SHA-256 of all the others, spelled as one JSON array in ASCII.
    """

    number: int
    moment: str
    kind: str
    budget: str
    request: str
    question: str
    epsilon: str
    delta: str
    left_epsilon: str
    left_delta: str
    body: str
    previous: str
    hash: str

    @classmethod
    def of(
        cls,
        kind: Kind,
        budget: str,
        *,
        request: str = "",
        question: str = "",
        price: Amount | None = None,
        left: Amount | None = None,
        body: str = "",
    ) -> Entry:
        """An entry that is not in the chain yet."""
        amounts = dict.fromkeys(("epsilon", "delta", "left_epsilon", "left_delta"), "")
        amounts |= {} if price is None else in_columns(price)
        amounts |= {} if left is None else in_columns(left, "left_")
        about = {"kind": kind.value, "budget": budget, "request": request, "question": question, "body": body}
        return cls(number=0, moment="", previous="", hash="", **about, **amounts)

    @classmethod
    def from_row(cls, row: Sequence[Any]) -> Entry:
        """The entry in a row of the table; bytes, which SQLite takes for a text, are spelled, and fit no hash."""
        cells: list[Any] = [repr(cell) if isinstance(cell, bytes) else cell for cell in row]
        return cls(*cells)

    def to_row(self) -> dict[str, Any]:
        """Its row in the table."""
        return dict(vars(self))

    def after(self, number: int, previous: str, moment: str) -> Entry:
        """The entry in its place in the chain, sealed with its hash."""
        placed = replace(self, number=number + 1, previous=previous, moment=moment)
        return replace(placed, hash=placed.seal())

    def seal(self) -> str:
        """The hash that the entry must have."""
        *hashed, _ = vars(self).values()
        return sha256(canonical_json(hashed).encode("ascii")).hexdigest()

    @property
    def price(self) -> Amount:
        """The total of a budget created, or the cost of a charge, exactly."""
        return amount_in(vars(self))

    @property
    def left(self) -> Amount:
        """What is left after it, exactly, where that is told."""
        return amount_in(vars(self), "left_")

    @property
    def time(self) -> datetime:
        """`moment` as a time in UTC."""
        return datetime.fromisoformat(self.moment)
