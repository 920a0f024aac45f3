"""`hushcount budget show`: what was spent, and what is left."""

from __future__ import annotations

from typing import Annotated

from hushcount.cli.answer import json_text
from hushcount.cli.options.budget import LedgerOption
from hushcount.cli.options.groups import BUDGET, PRIVACY
from hushcount.cli.options.output import Json

__all__ = ["show"]


def show(
    name: Annotated[
        str | None,
        BUDGET.argument(metavar="NAME", help="The name of the budget; if left out, all budgets of the ledger."),
    ] = None,
    *,
    ledger: LedgerOption,
    at_delta: Annotated[
        str | None,
        PRIVACY.option(
            metavar="NUMBER",
            help="Of a budget in mu: at which delta it is told which epsilon it comes to.",
            show_default="1e-6",
        ),
    ] = None,
    as_json: Json = False,
) -> str:
    """Show what is spent of a budget, and what is left.

    Example: hushcount budget show people --ledger people.ledger
    """
    from hushcount.ledger import Ledger

    opened = Ledger(ledger)
    found = [opened.budget(each) for each in (opened.budgets() if name is None else [name])]
    if as_json:
        return json_text({"budgets": [each.to_dict(at_delta) for each in found]})
    return "\n".join(f"{each.to_text(at_delta)}\n" for each in found)
