"""What a plan costs and how near its counts will be, before anything is charged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hushcount.errors import BudgetExceeded
from hushcount.ledger import Basis
from hushcount.ledger.charging import Bill
from hushcount.numbers.exact import exact_text
from hushcount.numbers.text import amount_text
from hushcount.plan.asked import SettledRelease
from hushcount.promise.curve import Curve
from hushcount.promise.mu_delta import left_in_words
from hushcount.release.guarantee import DISTANCES
from hushcount.release.payment import Payment
from hushcount.words.chances import chance_text
from hushcount.words.counted import counted
from hushcount.words.paragraphs import row
from hushcount.words.printable import printable
from hushcount.words.tables import aligned

__all__ = ["BilledPlan", "BilledRelease", "billed"]

_FAR = DISTANCES[-1]
_STATES = {Basis.CHARGED: "", Basis.PAID_BEFORE: "paid for before", Basis.STORED: "answered before, free"}


@dataclass(frozen=True)
class BilledRelease:
    """One line of the bill.

    Attributes:
        name: the name of the release.
        cells: how many counts it has; None for one count, and 0 for groups from the data.
        price: what it promises, and costs unless it was paid for before.
        chances: the chances that a count is off by more than 0, 1, 2 and 5, whatever the true counts are.
        basis: why it would be granted.
    """

    name: str
    cells: int | None
    price: Curve
    chances: Mapping[int, float]
    basis: Basis

    def to_dict(self) -> dict[str, Any]:
        """Return it, ready for JSON."""
        return {
            "name": self.name,
            "cells": self.cells,
            **self.price.to_fields(),
            "error_probability": self.chances[0],
            "chance_off_by_more_than": {str(far): self.chances[far] for far in DISTANCES},
            "basis": self.basis.name.lower(),
        }


@dataclass(frozen=True)
class BilledPlan:
    """What a plan costs, and whether its budget covers it; made by `Plan.check`, which charges nothing.

    Attributes:
        releases: its releases, in order.
        bill: what they cost together.
        budget: the name of the budget, and `ledger`, where it is kept.
    """

    releases: tuple[BilledRelease, ...]
    bill: Bill
    budget: str
    ledger: str

    @property
    def is_covered(self) -> bool:
        """Whether the budget covers all of it."""
        return self.bill.is_covered

    def check_covered(self) -> None:
        """Check that the budget covers the plan.

        Raises:
            BudgetExceeded: it does not.
        """
        if not self.is_covered:
            cost, left = self.bill.cost, self.bill.left
            message = (
                f"the plan costs {cost.in_words(amount_text)}, which the budget {self.budget!r} does not cover: "
                f"{left_in_words(left, amount_text, ' and ')} are left"
            )
            raise BudgetExceeded(message, cost, left, self.budget)

    def to_dict(self) -> dict[str, Any]:
        """Return the bill, ready for JSON."""
        after = self.bill.left_after
        return {
            "budget": self.budget,
            "ledger": self.ledger,
            "releases": [release.to_dict() for release in self.releases],
            "is_covered": self.is_covered,
            **self.bill.cost.to_fields("cost_"),
            **self.bill.left.to_fields("left_"),
            **({} if after is None else after.to_fields("left_after_")),
        }

    def __str__(self) -> str:
        header = ("release", "of", "promise", "wrong in at most", f"off by > {_FAR}", "")
        lines = [header, *map(_line, self.releases)]
        bill, after = self.bill, self.bill.left_after
        then = [] if after is None else [row("Then", f"{left_in_words(after, exact_text)} are left")]
        verdict = then if self.is_covered else [row("", "The budget does not cover this plan.")]
        return "\n".join(
            [
                "Plan, not carried out: no row was judged by a condition, and nothing was charged.",
                "",
                *(line.rstrip() for line in aligned(lines, to_right=(3, 4))),
                "",
                row("Cost", bill.cost.in_words(exact_text)),
                row("Budget", f"{printable(self.budget)}, {left_in_words(bill.left, amount_text)} are left"),
                *verdict,
            ]
        )


def _counts(cells: int | None) -> str:
    """Return how many counts there will be; 0 stands for groups from the data."""
    if cells == 0:
        return "groups from the data"
    return "1 count" if cells is None else counted(cells, "count")


def _line(release: BilledRelease) -> tuple[str, ...]:
    return (
        printable(release.name),
        _counts(release.cells),
        release.price.in_words(),
        chance_text(release.chances[0]),
        chance_text(release.chances[_FAR]),
        _STATES[release.basis],
    )


def billed(settled: Sequence[SettledRelease], payment: Payment) -> BilledPlan:
    """Return what releases cost together, from the ledger as it is.

    Raises:
        BadUse, BudgetClosed: as for `Ledger.bill`.
    """
    bill = payment.ledger.bill(payment.budget, [one.settled.charged() for one in settled])
    releases = tuple(
        BilledRelease(
            one.name,
            None if one.asked.table is None else one.settled.charged().cells,
            one.settled.question.promised,
            one.settled.chances,
            basis,
        )
        for one, basis in zip(settled, bill.bases, strict=True)
    )
    return BilledPlan(releases, bill, payment.budget, payment.ledger.shown)
