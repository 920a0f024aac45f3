"""What a plan costs and how near its counts will be, before anything is charged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hushcount.errors import BudgetExceeded
from hushcount.ledger import Basis
from hushcount.ledger.charging import Bill
from hushcount.mechanisms.chain.never_invented import NeverInvented
from hushcount.mechanisms.names import NEVER_INVENTED
from hushcount.numbers.exact import exact_text
from hushcount.numbers.text import amount_text
from hushcount.plan.asked import SettledRelease
from hushcount.promise.curve import Curve
from hushcount.promise.mu_delta import left_in_words
from hushcount.release.beside import Beside
from hushcount.release.guarantee import DISTANCES
from hushcount.release.hidden import hidden_fields, shown_from
from hushcount.release.law import Law
from hushcount.release.payment import Payment
from hushcount.release.question import Settled
from hushcount.release.table.question import SettledTable
from hushcount.words.chances import chance_text
from hushcount.words.counted import counted
from hushcount.words.paragraphs import row, wrapped
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
        source: the name of its source.
        undeclared: the columns it names whose types are told by their values. These are read after the charge, so that
            a mistake about them costs it.
        one_draw: whether its counts are two that add up to a public total, drawn as one.
        law: how its counts are drawn, and `tops`, the largest count of each.
    """

    name: str
    cells: int | None
    price: Curve
    chances: Mapping[int, float]
    basis: Basis
    source: str
    undeclared: tuple[str, ...] = ()
    one_draw: bool = field(default=False, kw_only=True)
    law: Law = field(kw_only=True, repr=False)
    tops: Sequence[int] = field(kw_only=True, repr=False)

    @property
    def hidden(self) -> NeverInvented | None:
        """What draws its counts, if that never shows what is not there, and so hides small counts."""
        mechanism = self.law.at(self.tops[0]) if self.law.name == NEVER_INVENTED and self.tops[0] else None
        return mechanism if isinstance(mechanism, NeverInvented) else None

    @property
    def beside(self) -> Beside | None:
        """The chances of other mechanisms, for within:T; None for any other."""
        return Beside.of(self.law, self.tops)

    def to_dict(self) -> dict[str, Any]:
        """Return it, ready for JSON."""
        beside, hidden = self.beside, self.hidden
        return {
            "name": self.name,
            "cells": self.cells,
            "one_draw": self.one_draw,
            **self.price.to_fields(),
            "error_probability": self.chances[0],
            "chance_off_by_more_than": {str(far): self.chances[far] for far in DISTANCES},
            "basis": self.basis.name.lower(),
            "source": self.source,
            "undeclared": list(self.undeclared),
            **({} if beside is None else beside.to_fields()),
            **({} if hidden is None else hidden_fields(hidden)),
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
        header = ("release", "of", "promise", "wrong", f"off by > {_FAR}", "")
        lines = [header, *map(_line, self.releases)]
        bill, after = self.bill, self.bill.left_after
        then = [] if after is None else [row("Then", f"{left_in_words(after, exact_text, ' and ')} are left")]
        verdict = then if self.is_covered else [row("", "The budget does not cover this plan.")]
        return "\n".join(
            [
                "Plan, not carried out: no row was judged by a condition, and nothing was charged.",
                "",
                *(line.rstrip() for line in aligned(lines, to_right=(3, 4))),
                *(line for release in self.releases for line in _beside(release)),
                "",
                row("Cost", bill.cost.in_words(exact_text)),
                row("Budget", f"{printable(self.budget)}, {left_in_words(bill.left, amount_text, ' and ')} are left"),
                *verdict,
                *_undeclared(self.releases),
            ]
        )


def _counts(release: BilledRelease) -> str:
    """Return how many counts there will be; 0 stands for groups from the data."""
    if release.cells == 0:
        return "groups from the data"
    if release.cells is None:
        return "1 count"
    return f"{counted(release.cells, 'count')}{' of one draw' if release.one_draw else ''}"


def _line(release: BilledRelease) -> tuple[str, ...]:
    return (
        printable(release.name),
        _counts(release),
        release.price.in_words(),
        *(_often(release, far) for far in (0, _FAR)),
        _STATES[release.basis],
    )


def _often(release: BilledRelease, far: int) -> str:
    """Return how often a count is off by more than so much; of groups that are hidden when they are small, the lines
    below tell more than that the smallest are always wrong."""
    if release.cells == 0:
        return "-"
    shown = chance_text(release.chances[far])
    return f"at most {shown}" if shown[0].isdigit() else shown


def _beside(release: BilledRelease) -> list[str]:
    """Return, for within:T, how often other mechanisms are off, and from which count on one is shown if small ones are
    hidden."""
    beside, hidden = release.beside, release.hidden
    told = [] if beside is None else beside.to_lines()[1:]
    told += [] if hidden is None else [wrapped(shown_from(hidden))]
    return ["", f"Release {printable(release.name)}", *told] if told else []


def _undeclared(releases: Sequence[BilledRelease]) -> list[str]:
    """Return which columns are read in types that nobody declared, by source."""
    found: dict[str, dict[str, None]] = {}
    for release in releases:
        if release.basis is not Basis.STORED and release.undeclared:
            found.setdefault(release.source, {}).update(dict.fromkeys(release.undeclared))
    if not found:
        return []
    told = "; ".join(f"{', '.join(map(printable, columns))} in {printable(name)}" for name, columns in found.items())
    remark = (
        f"Types that only values tell: {told}. Values are read after the charge, and a column of another type than the "
        "plan takes it for costs what was charged. Declare them (types), and a condition that does not fit is refused "
        "before; list the source under the budget (hushcount budget source add), and its values are checked before, "
        "too."
    )
    return ["", wrapped(remark)]


def _tops(settled: Settled[Any]) -> Sequence[int]:
    """Return the largest counts that occur."""
    return settled.maxima.tolist() if isinstance(settled, SettledTable) else [settled.charged().maximum]


def billed(settled: Sequence[SettledRelease], payment: Payment) -> BilledPlan:
    """Return what releases cost together, from the ledger as it is.

    Raises:
        BadUse, BudgetClosed: as for `Ledger.bill`.
    """
    charged = [one.settled.charged() for one in settled]
    bill = payment.ledger.bill(payment.budget, charged)
    releases = tuple(
        BilledRelease(
            one.name,
            None if one.asked.table is None else asked.cells,
            one.settled.question.promised,
            one.settled.chances,
            basis,
            one.asked.question.subject.name,
            one.undeclared,
            law=one.settled.question.law,
            tops=_tops(one.settled),
            one_draw=asked.is_one_count,
        )
        for one, asked, basis in zip(settled, charged, bill.bases, strict=True)
    )
    return BilledPlan(releases, bill, payment.budget, payment.ledger.shown)
