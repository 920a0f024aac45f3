"""The options of who pays for a release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from hushcount.cli.options.groups import BUDGET

if TYPE_CHECKING:
    from hushcount.release.payment import Payment

__all__ = ["Charging", "LedgerOption", "Name"]

Name = Annotated[str, BUDGET.argument(metavar="NAME", help="The name of the budget.")]
LedgerOption = Annotated[
    str,
    BUDGET.option(
        metavar="FILE|URL",
        help="Where the ledger is: a file (SQLite), or postgresql://host/database. A password is better kept in "
        "PGPASSWORD or ~/.pgpass than in the URL.",
    ),
]


@dataclass(frozen=True)
class Charging:
    """The budget that a release is charged to, if it is."""

    ledger: Annotated[
        str | None,
        BUDGET.option(
            metavar="FILE|URL",
            help="The ledger to charge the release to: a file that `hushcount budget create` made, or "
            "postgresql://host/database. A password is better kept in PGPASSWORD or ~/.pgpass than in the URL.",
        ),
    ] = None
    budget: Annotated[
        str | None, BUDGET.option(metavar="NAME", help="The budget of the ledger that pays; needed with --ledger.")
    ] = None
    request_id: Annotated[
        str | None,
        BUDGET.option(
            metavar="ID",
            help="An id for the charge. Asked again with it, whatever went wrong, the release has the same answer and "
            "is not charged again.",
        ),
    ] = None
    fresh: Annotated[
        bool,
        BUDGET.option(
            "--fresh",
            help="Draw and charge, although the question was answered before. Without it, the stored answer is given, "
            "free of charge.",
        ),
    ] = False

    def payment(self) -> Payment | None:
        """What the ledger is asked for, or None without one; see `payment_of`."""
        from hushcount.release.payment import payment_of

        return payment_of(self.ledger, self.budget, self.request_id, self.fresh)
