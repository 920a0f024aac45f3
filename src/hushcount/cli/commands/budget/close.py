"""`hushcount budget close`: end a budget."""

from __future__ import annotations

from hushcount.cli.answer import json_text
from hushcount.cli.options.budget import LedgerOption, Name
from hushcount.cli.options.output import Json

__all__ = ["close"]


def close(name: Name, ledger: LedgerOption, as_json: Json = False) -> str:
    """Close a budget permanently: nothing more can be charged to it.

    Stored answers can still be asked for, without cost.

    Example: hushcount budget close people --ledger people.ledger
    """
    from hushcount.ledger import Ledger

    closed = Ledger(ledger).close(name)
    return json_text(closed.to_dict()) if as_json else f"{closed}\n"
