"""A publication plan: many counts and tables over declared sources, charged to one budget and released together."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from hushcount.inputs.arguments import path_text
from hushcount.plan.asked import Asked, asked_of, settled_together
from hushcount.plan.billed import BilledPlan, billed
from hushcount.plan.carried_out import Published, Show, carried_out, targets_of
from hushcount.plan.document import Document, read_document
from hushcount.plan.paths import ledger_at
from hushcount.release.payment import Payment

__all__ = ["Plan", "read_plan"]


@dataclass(frozen=True)
class Plan:
    """A plan, judged from its file and the budget's list alone; made by `read_plan`.

    Attributes:
        path: the file.
        document: what it says.
        asked: its releases, judged.
        payment: the budget that they are charged to.
    """

    path: Path
    document: Document
    payment: Payment
    asked: tuple[Asked, ...]

    def check(self) -> BilledPlan:
        """Open the sources, and return what the plan costs and how near its counts will be. This costs nothing.

        Under replace-one the rows, or units, of each source are counted, since their number is public. No row is
        judged by a condition.

        Raises:
            BadUse, BadData: as for `release_count` before it charges; a budget that does not cover the plan is no
                error here.
        """
        with settled_together(self.asked, self.payment) as settled:
            return billed(settled, self.payment)

    def run(self, show: Show | None = None) -> Published:
        """Charge all releases of the plan, draw each, and write its files.

        All charges are committed together before any value is looked at under a condition: all of them, or none. Each
        source is opened once, so that all counts are of the same rows. Run again after it was broken off, or after it
        was done, a plan gives the same answers, and is charged only for what is new in it.

        Args:
            show: told from time to time how many releases are made, how many there are, and which is next.

        Raises:
            BadUse, BadData: as for `check`; or a file cannot be written.
            BudgetExceeded: the budget does not cover what is not paid for yet; nothing was charged.
            LedgerUnusable: the ledger cannot be used.
        """
        targets = targets_of(self.asked, self.document, self.path)
        with settled_together(self.asked, self.payment) as settled:
            return carried_out(settled, targets, self.payment, self.document.title, show)

    def __str__(self) -> str:
        return f"Plan {self.path.name}: {len(self.asked)} releases, charged to {self.payment.budget}"


def read_plan(path: str | os.PathLike[str]) -> Plan:
    """Read a plan, and judge all that it asks for. No source is opened.

    The file is TOML; `hushcount schema plan` prints its JSON schema. It names a ledger and a budget, sources (unless
    the budget lists them), and any number of releases: counts, and with `by` tables of counts. Paths are relative to
    the plan.

    Raises:
        BadData: the file cannot be read or is no plan, or a file of keys, totals or a mechanism is not as it should be.
        BadUse: a release breaks a rule; the message names it.
        LedgerUnusable: there is no such ledger, or it cannot be used.
    """
    where = Path(path_text(path, "path"))
    document, folder = read_document(where), str(where.parent)
    payment = Payment.of(ledger_at(folder, document.ledger), document.budget)
    return Plan(where, document, payment, asked_of(document, folder, payment))
