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
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for charge in charges:
        cells = charge.to_dict()
        writer.writerow({**cells, "about": json.dumps(cells["about"])})
    return text.getvalue()


def _mixed(charges: tuple[Charge, ...], sources: tuple[ListedSource, ...]) -> list[str]:
    """Return a warning where the charges do not all protect the same, and no list says that they do."""
    asked = [charge.question for charge in charges]
    unlisted = [question for question in asked if not any(source.is_asked_by(question) for source in sources)]
    kinds = list(dict.fromkeys(question.counted for question in unlisted))
    if len(kinds) < 2:
        return []
    from hushcount.words.paragraphs import wrapped

    note = (
        f"Note: these charges count different things ({printable(', '.join(kinds))}), and each protects what it "
        "counts: one row, or one unit with all of its rows. What they add up to holds for no one of these alone. A "
        "budget for each is clearer."
    )
    return ["", wrapped(note)]


def history_table(charges: tuple[Charge, ...], sources: tuple[ListedSource, ...]) -> str:
    """Return one line for each charge, and what to know about them together.

    Args:
        sources: the sources that the budget lists.
    """
    from hushcount.numbers.text import plain

    if not charges:
        return "No charges.\n"
    rows = [("entry", "charged at (UTC)", "epsilon", "delta", "left", "released", "question")]
    for charge in charges:
        price = charge.question.price
        rows.append(
            (
                str(charge.number),
                f"{charge.charged_at:%Y-%m-%d %H:%M:%S}",
                plain(price.epsilon),
                plain(price.delta),
                "-" if charge.left is None else plain(charge.left.epsilon),
                charge.state if charge.released is None else str(charge.released),
                printable(str(charge.question)),
            )
        )
    return "".join(f"{line}\n" for line in [*aligned(rows), *_mixed(charges, sources)])
