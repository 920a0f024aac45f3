"""The words that go with a count: one place for everything a curator reads or hands on.

`explain` is about a guarantee, which is settled before any data is seen; a receipt puts the released count on top. A
chance is rounded up, and never shown as 0% when it can happen or as 100% when it can fail to. The unrounded numbers are
in the receipt.
"""

from __future__ import annotations

from collections.abc import Mapping

from hushcount.promise.adjacency import Adjacency
from hushcount.release.findings import mechanism_rows
from hushcount.release.guarantee import Guarantee
from hushcount.words.chances import how_often
from hushcount.words.paragraphs import dashed, row
from hushcount.words.printable import printable

__all__ = ["REPEATS", "chance_lines", "explain", "promise_lines", "question_text"]

REPEATS = (
    "Releases add up: each further release about the same rows spends its own epsilon and delta, and all of them "
    "together promise only the sums."
)
"""What to know about more than one release."""


def question_text(source: str, table: str | None, unit: str | None, where: str) -> str:
    """Return what was asked, on one line; `unit` is the column of the units, if they are counted."""
    place = source if table is None else f"{table} in {source}"
    condition = " ".join(where.splitlines())
    is_all = condition.strip().upper() == "TRUE"
    what = f"rows of {place}" if unit is None else f"units ({unit}) of {place} with a row"
    return printable(what if is_all else f"{what} where {condition}")


def explain(guarantee: Guarantee) -> str:
    """Return the text about a guarantee, with or without a release, without a newline at the end."""
    top, promise, relation = guarantee.maximum, guarantee.promise, guarantee.adjacency.value
    possible = "the released count is always a possible count" if top else "only 0 can be released"
    return "\n".join(
        [
            row("Range", f"0 to {top}: {possible}"),
            row("Privacy", f"{promise.in_words()}, {relation}"),
            *mechanism_rows(guarantee.mechanism, guarantee.audit),
            "",
            "Whatever the true count is, the released count is",
            *chance_lines(guarantee.chances, top),
            "",
            *promise_lines(
                f"Who is protected ({relation}): {guarantee.meaning} {_range_words(guarantee)}",
                f"How well: {promise.protection('the released count', 'the true count itself')}",
                REPEATS,
            ),
        ]
    )


def chance_lines(chances: Mapping[int, float], top: int) -> list[str]:
    """Return how often a count from 0 to `top` is off, by the least distance that counts as off."""
    return [
        # A distance of n or more cannot occur; a float that says 0 may only be too small to be held.
        f"  {f'off by more than {far}' if far else 'wrong':<20}{'never' if far >= top else how_often(chance)}"
        for far, chance in chances.items()
    ]


def promise_lines(*paragraphs: str) -> list[str]:
    """Return the paragraphs of a promise, wrapped, under their heading."""
    return ["What is promised", *map(dashed, paragraphs)]


def _range_words(guarantee: Guarantee) -> str:
    top, what = guarantee.maximum, guarantee.public
    if guarantee.adjacency is Adjacency.ADD_REMOVE:
        return (
            f"The declared maximum, {top}, is public and must have been chosen without looking at the data; the "
            "chances above are about the count so treated."
        )
    return f"The number of {what} is {top}." if top else f"There are no {what}, so 0 is the only possible count."
