"""`hushcount budget close`: nothing more is charged."""

from __future__ import annotations

from hushcount.cli.answer import json_text
from hushcount.cli.options.budget import LedgerOption, Name
from hushcount.cli.options.output import Json

__all__ = ["close"]


def close(name: Name, ledger: LedgerOption, as_json: Json = False) -> str:
    """Let nothing more be charged to a budget, for good.

    What was answered can still be asked again, free of charge.

    Example: hushcount budget close people --ledger people.ledger
    """
    from hushcount.ledger import Ledger

    closed = Ledger(ledger).close(name)
    return json_text(closed.to_dict()) if as_json else f"{closed}\n"
