"""A budget as it stands, and how it tells itself."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any

from hushcount.ledger.accounting import MOST_COUNTED, Accounting, left_over
from hushcount.ledger.listed import ListedSource
from hushcount.ledger.protected import ROW, UNIT, Protected
from hushcount.ledger.records import Terms, moment_text
from hushcount.numbers.exact import exact_text
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.words.counted import counted
from hushcount.words.paragraphs import row
from hushcount.words.printable import printable

__all__ = ["Budget"]


@dataclass(frozen=True)
class Budget:
    """A budget as it stands.

    Attributes:
        terms: what was settled at its creation.
        spent_epsilon, spent_delta: the sums of what was charged, exactly.
        left: what is left, exactly; under tight accounting, a price that would still be covered.
        more: under tight accounting, how many charges at the price of the first are still covered, counted up to
            10,000; None before the first, and under basic accounting.
        charges: how many there were.
        protected: how many of them protect the units of a column, and under None how many protect rows.
        sources: those that the budget lists; none where an owner asks alone.
        undelivered: how many of them have no answer stored.
        created_at, closed_at: in UTC; `closed_at` is None while it is open.
    """

    terms: Terms
    spent_epsilon: Fraction
    spent_delta: Fraction
    left: EpsilonDelta
    more: int | None
    charges: int
    protected: Protected
    sources: tuple[ListedSource, ...]
    undelivered: int
    created_at: datetime
    closed_at: datetime | None

    def surely_lacks(self, price: EpsilonDelta) -> bool:
        """Whether it does not cover a price, as far as that is told by what is left: under basic accounting only."""
        return self.terms.accounting is Accounting.BASIC and left_over(self.left, price) is None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: exact numbers are text."""
        return {
            "budget": self.terms.name,
            **self.terms.total.to_fields(),
            "adjacency": self.terms.adjacency.value,
            "protects": self.terms.protects,
            "composition": self.terms.accounting.value,
            "spent_epsilon": exact_text(self.spent_epsilon),
            "spent_delta": exact_text(self.spent_delta),
            **self.left.to_fields("left_"),
            "more": self.more,
            "charges": self.charges,
            "protected": [{"unit": column, "charges": charges} for column, charges in self.protected.items()],
            "sources": [source.to_dict() for source in self.sources],
            "undelivered": self.undelivered,
            "created_at": moment_text(self.created_at),
            "closed_at": None if self.closed_at is None else moment_text(self.closed_at),
        }

    def __str__(self) -> str:
        """What it is, what was spent of it, and what is left, in lines; ends without a newline."""
        terms, closed = self.terms, self.closed_at
        waiting = f", {self.undelivered:,} of them charged, not delivered" if self.undelivered else ""
        return "\n".join(
            [
                row("Budget", printable(terms.name)),
                *_party(self),
                row("Composition", terms.accounting.value),
                row("Total", terms.total.in_words(exact_text)),
                row("Spent", f"epsilon {exact_text(self.spent_epsilon)}, delta {exact_text(self.spent_delta)}"),
                row("Left", _left(self)),
                row("Charges", f"{self.charges:,}{waiting}"),
                row("State", "open" if closed is None else f"closed at {closed:%Y-%m-%d %H:%M:%S} UTC"),
            ]
        )


def _left(found: Budget) -> str:
    left = found.left.in_words(exact_text)
    if found.terms.accounting is Accounting.BASIC:
        return left
    if found.more is None:
        return f"{left} or less for the first charge, which settles the price of all"
    more = f"{'at least ' if found.more == MOST_COUNTED else ''}{found.more:,}"
    return f"{more} more charges of {left}" if found.more else "nothing"


def _party(found: Budget) -> list[str]:
    """Whom the budget protects: as its owner says, where sources are listed; else as its charges do."""
    terms, sources = found.terms, found.sources
    relation = terms.adjacency.value
    if sources:
        by_row = {source.unit is None for source in sources}
        word = UNIT if terms.protects == ROW and by_row == {False} else terms.protects
        told = [f"{source.full_name}: {source.telling(terms.protects)}" for source in sources]
        return [
            row("Protects", f"one {printable(word)}, {relation}"),
            *(row("Source", printable(each)) for each in told),
        ]
    none = row("Sources", "none listed: for an owner who asks alone (`budget source add` lists them for others)")
    if not found.charges:
        return [row("Protects", f"one {printable(terms.protects)}, {relation}"), none]
    kinds = [f"{_kind(column)} ({counted(charges, 'charge')})" for column, charges in found.protected.items()]
    meant = "" if terms.protects == ROW else f"; meant as one {terms.protects}"
    return [row("Protects", f"{printable(', '.join(kinds))}, {relation}{printable(meant)}"), none]


def _kind(column: str | None) -> str:
    return "one row" if column is None else f"all rows of one {column}"
