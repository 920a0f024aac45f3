"""A budget as it stands, and its text."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any

from hushcount.ledger.accounting import MOST_COUNTED, Accounting, left_over
from hushcount.ledger.amounts import Amount
from hushcount.ledger.listed import ListedSource
from hushcount.ledger.protected import ROW, UNIT, Protected
from hushcount.ledger.records import Terms, moment_text
from hushcount.numbers.exact import Number, exact_text
from hushcount.numbers.text import upper_text
from hushcount.promise.mu_delta import AT_DELTA, MuDelta, checked_delta, left_in_words
from hushcount.words.counted import counted
from hushcount.words.paragraphs import row
from hushcount.words.printable import printable

__all__ = ["Budget"]


@dataclass(frozen=True)
class Budget:
    """A budget as it stands.

    Attributes:
        terms: what was settled at its creation.
        spent_epsilon, spent_mu_squared, spent_delta: the exact sums of what was charged. A budget in mu adds up mu^2,
            any other epsilon; the one that is not added up is None.
        left: what is left, exactly; under tight accounting, a price that would still be covered.
        more: under tight accounting, how many charges at the price of the first are still covered, counted up to
            10,000; None before the first, and under basic accounting.
        charges: how many there were.
        protected: how many charges protect the units of a column, and under None how many protect rows.
        sources: the sources that the budget lists; none where an owner asks alone.
        undelivered: how many charges have no stored answer.
        created_at, closed_at: in UTC; `closed_at` is None while it is open.
    """

    terms: Terms
    spent_epsilon: Fraction | None
    spent_mu_squared: Fraction | None
    spent_delta: Fraction
    left: Amount
    more: int | None
    charges: int
    protected: Protected
    sources: tuple[ListedSource, ...]
    undelivered: int
    created_at: datetime
    closed_at: datetime | None

    def surely_lacks(self, cost: Amount) -> bool:
        """Return whether it does not cover a cost, as far as what is left shows that: not under tight accounting."""
        return self.terms.accounting is not Accounting.TIGHT and left_over(self.left, cost) is None

    @property
    def _spent(self) -> str:
        if self.spent_mu_squared is not None:
            return MuDelta(self.spent_mu_squared, self.spent_delta).in_words(exact_text)
        assert self.spent_epsilon is not None
        return f"epsilon {exact_text(self.spent_epsilon)}, delta {exact_text(self.spent_delta)}"

    def in_epsilon(self, at_delta: Number | None = None) -> dict[str, str | None]:
        """Return the epsilon that a budget in mu implies at a delta: by its total, by what was spent, by what is left.

        Each is rounded up, and None where no epsilon is implied at that delta. Other budgets have no such entries.

        Args:
            at_delta: >= 0 and < 1; by default 1e-6.

        Raises:
            InvalidParameter: `at_delta` is out of range.
        """
        asked, told = checked_delta(at_delta), {}
        if self.spent_mu_squared is None:
            return {}
        amounts = {"": self.terms.total, "spent_": MuDelta(self.spent_mu_squared, self.spent_delta), "left_": self.left}
        delta = AT_DELTA if asked is None else asked
        for prefix, amount in amounts.items():
            assert isinstance(amount, MuDelta)
            epsilon = amount.least_epsilon(delta)
            told[f"{prefix}epsilon_at_delta"] = None if epsilon is None else upper_text(epsilon)
        return {"at_delta": exact_text(delta), **told}

    def to_dict(self, at_delta: Number | None = None) -> dict[str, Any]:
        """Return the budget, ready for JSON: exact numbers are text.

        Args:
            at_delta: as in `in_epsilon`, for a budget in mu.
        """
        first = "spent_epsilon" if self.spent_mu_squared is None else "spent_mu_squared"
        return {
            "budget": self.terms.name,
            **self.terms.total.to_fields(),
            "adjacency": self.terms.adjacency.value,
            "protects": self.terms.protects,
            "composition": self.terms.accounting.value,
            first: exact_text(getattr(self, first)),
            "spent_delta": exact_text(self.spent_delta),
            **self.left.to_fields("left_"),
            **self.in_epsilon(at_delta),
            "more": self.more,
            "charges": self.charges,
            "protected": [{"unit": column, "charges": charges} for column, charges in self.protected.items()],
            "sources": [source.to_dict() for source in self.sources],
            "undelivered": self.undelivered,
            "created_at": moment_text(self.created_at),
            "closed_at": None if self.closed_at is None else moment_text(self.closed_at),
        }

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, at_delta: Number | None = None) -> str:
        """Return what it is, what was spent of it and what is left, in lines, without a newline at the end.

        Args:
            at_delta: as in `in_epsilon`, for a budget in mu.
        """
        terms, closed = self.terms, self.closed_at
        waiting = f", {self.undelivered:,} of them charged, not delivered" if self.undelivered else ""
        return "\n".join(
            [
                row("Budget", printable(terms.name)),
                *_party(self),
                row("Composition", terms.accounting.value),
                row("Total", terms.total.in_words(exact_text)),
                row("Spent", self._spent),
                row("Left", _left(self)),
                *_implied(self.in_epsilon(at_delta)),
                row("Charges", f"{self.charges:,}{waiting}"),
                row("State", "open" if closed is None else f"closed at {closed:%Y-%m-%d %H:%M:%S} UTC"),
            ]
        )


def _left(found: Budget) -> str:
    left = left_in_words(found.left, exact_text)
    if found.terms.accounting is not Accounting.TIGHT:
        return left
    if found.more is None:
        return f"{left} or less for the first charge, which settles the price of all"
    more = f"{'at least ' if found.more == MOST_COUNTED else ''}{found.more:,}"
    return f"{more} more charges of {left}" if found.more else "nothing"


def _implied(told: dict[str, str | None]) -> list[str]:
    """Return the line with the epsilon that a budget in mu implies, if there is one."""
    if not told:
        return []
    total, spent, left = (told[f"{prefix}epsilon_at_delta"] or "none" for prefix in ("", "spent_", "left_"))
    shown = [row("As epsilon", f"total {total}, spent {spent}, left {left}, each at delta {told['at_delta']}")]
    if "none" in (total, spent, left):
        shown.append(row("", "none: the delta beside mu is as large; a larger --at-delta tells an epsilon"))
    if spent != "0":
        shown.append(row("", "these need not add up: only squares of mu do"))
    return shown


def _party(found: Budget) -> list[str]:
    """Return whom the budget protects: as its owner says, where sources are listed; else as its charges do."""
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
