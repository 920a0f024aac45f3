"""`hushcount budget verify`: whether the history is what was written."""

from __future__ import annotations

import re
from typing import Annotated

from hushcount.cli.answer import Answer, json_text
from hushcount.cli.exit_codes import SAYS_NO
from hushcount.cli.options.budget import LedgerOption
from hushcount.cli.options.groups import BUDGET
from hushcount.cli.options.output import Json
from hushcount.errors import InvalidParameter

__all__ = ["verify"]


def verify(
    ledger: LedgerOption,
    head: Annotated[
        str | None,
        BUDGET.option(
            metavar="HASH",
            help="A head noted down earlier, which the history must contain. Without it, an older copy in place of "
            "the ledger is not detected.",
        ),
    ] = None,
    as_json: Json = False,
) -> Answer:
    """Check that the history of a ledger was not changed.

    Finds edits, deletions, insertions, reordering and entries cut off. Exit code 0 means intact, 1 changed.

    Example: hushcount budget verify --ledger people.ledger
    """
    from hushcount.ledger import Ledger

    if head is not None and not re.fullmatch("[0-9a-f]{64}", head):
        raise InvalidParameter("head", head, "a hash of 64 digits 0-9a-f, as `hushcount budget verify` prints it")
    opened = Ledger(ledger)
    found = opened.verify(head)
    code = 0 if found.is_intact else SAYS_NO
    if as_json:
        return Answer(json_text({"ledger": opened.shown, **found.to_dict()}), code)

    from hushcount.words.paragraphs import wrapped
    from hushcount.words.printable import printable

    lines = [
        f"Ledger      {printable(opened.shown)}",
        f"Verdict     {found.verdict.name.lower()}",
        f"Entries     {found.entries:,}",
        f"Head        {found.head}",
        *(f"Fault       {printable(fault)}" for fault in found.faults),
        "",
        wrapped(found.verdict.value),
        "",
    ]
    return Answer("\n".join(lines), code)
