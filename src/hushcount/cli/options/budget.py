"""The options that say who pays for a release."""

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
        help="Where the ledger is: a file (SQLite), or postgresql://host/database. Keep a password in PGPASSWORD or "
        "~/.pgpass rather than in the URL.",
    ),
]


@dataclass(frozen=True)
class Charging:
    """The budget to which a release is charged, if any."""

    ledger: Annotated[
        str | None,
        BUDGET.option(
            metavar="FILE|URL",
            help="The ledger to charge the release to: a file that `hushcount budget create` made, or "
            "postgresql://host/database. Keep a password in PGPASSWORD or ~/.pgpass rather than in the URL.",
        ),
    ] = None
    budget: Annotated[
        str | None, BUDGET.option(metavar="NAME", help="The budget in the ledger to charge; required with --ledger.")
    ] = None
    request_id: Annotated[
        str | None,
        BUDGET.option(
            metavar="ID",
            help="An id for the charge. Whatever went wrong, a release that is asked again with it has the same "
            "answer and is not charged again.",
        ),
    ] = None
    fresh: Annotated[
        bool,
        BUDGET.option(
            "--fresh",
            help="Draw and charge again, even if the question was answered before. Without it, the stored answer is "
            "given, without cost.",
        ),
    ] = False

    def payment(self) -> Payment | None:
        """Return what the ledger is asked for, or None without one; see `payment_of`."""
        from hushcount.release.payment import payment_of

        return payment_of(self.ledger, self.budget, self.request_id, self.fresh)
