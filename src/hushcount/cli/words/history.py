"""The charges to a budget in the words of `hushcount budget history`."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

from hushcount.words.printable import printable
from hushcount.words.tables import aligned

if TYPE_CHECKING:
    from hushcount.ledger import Charge, ListedSource

__all__ = ["history_csv", "history_table"]


def history_csv(charges: tuple[Charge, ...]) -> str:
    """Return one record for each charge; what is nested is JSON in a field."""
    text = io.StringIO()
    columns = [
        "number", "charged_at", "state", "request_id", "predicate", "minimum", "maximum", "adjacency", "mechanism",
        "epsilon", "delta", "left_epsilon", "left_delta", "released", "delivered_at", "about", "hash",
    ]  # fmt: skip
    if _in_mu(charges):
        columns += ["mu_squared", "charged_mu_squared", "charged_delta", "left_mu_squared"]
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for charge in charges:
        cells = charge.to_dict()
        writer.writerow({**cells, "about": json.dumps(cells["about"])})
    return text.getvalue()


def _mixed(charges: tuple[Charge, ...], sources: tuple[ListedSource, ...]) -> list[str]:
    """Return a warning where the charges do not all protect the same, and no list says that they do."""
    from hushcount.ledger.protected import unit_column

    asked = [charge.question for charge in charges]
    unlisted = [question for question in asked if not any(source.is_asked_by(question) for source in sources)]
    columns = dict.fromkeys(map(unit_column, unlisted))
    kinds = ["rows" if column is None else f"units ({column})" for column in columns]
    if len(kinds) < 2:
        return []
    from hushcount.words.paragraphs import wrapped

    note = (
        f"Note: these charges count different things ({printable(', '.join(kinds))}), and each protects what it "
        "counts: one row, or one unit with all of its rows. What they add up to holds for no one of these alone. A "
        "budget for each is clearer."
    )
    return ["", wrapped(note)]


def _in_mu(charges: tuple[Charge, ...]) -> bool:
    """Whether the budget that was charged is in mu."""
    return any("charged_mu_squared" in charge.to_dict() for charge in charges[:1])


def history_table(charges: tuple[Charge, ...], sources: tuple[ListedSource, ...]) -> str:
    """Return one line for each charge, and what to know about them together.

    Args:
        sources: the sources that the budget lists.
    """
    from hushcount.numbers.text import plain

    if not charges:
        return "No charges.\n"
    counts, called = ("mu_squared", "mu^2") if _in_mu(charges) else ("epsilon", "epsilon")
    rows = [("entry", "charged at (UTC)", called, "delta", "left", "released", "question")]
    for charge in charges:
        rows.append(
            (
                str(charge.number),
                f"{charge.charged_at:%Y-%m-%d %H:%M:%S}",
                plain(getattr(charge.cost, counts)),
                plain(charge.cost.delta),
                "-" if charge.left is None else plain(getattr(charge.left, counts)),
                charge.state if charge.released is None else str(charge.released),
                printable(str(charge.question)),
            )
        )
    return "".join(f"{line}\n" for line in [*aligned(rows), *_mixed(charges, sources)])
