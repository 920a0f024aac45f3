"""The words that go with a count: one place for everything a curator reads or hands on.

`explain` is about a guarantee, which is settled before any data is seen; a receipt puts the released count on top. A
chance is rounded up, and never shown as 0% when it can happen or as 100% when it can fail to. The unrounded numbers are
in the receipt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING

from hushcount.numbers.exact import Number, exact_text
from hushcount.numbers.text import plain, plain_at_most, upper_text
from hushcount.promise.adjacency import Adjacency
from hushcount.promise.curve import Curve
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.mu_delta import AT_DELTA, checked_delta
from hushcount.release.findings import mechanism_rows
from hushcount.release.guarantee import Guarantee
from hushcount.words.chances import how_often
from hushcount.words.paragraphs import dashed, row, wrapped
from hushcount.words.printable import printable

if TYPE_CHECKING:
    from hushcount.counting.declared.units import Unit
    from hushcount.release.beside import Beside

__all__ = [
    "chance_lines",
    "chances_in_words",
    "explain",
    "implied",
    "left_uncounted",
    "privacy_rows",
    "promise_lines",
    "promised",
    "question_text",
    "repeats",
    "row_rows",
]

_WIDTH_OF_CHANCES = 20


def repeats(promise: Curve) -> str:
    """What to know of more than one release."""
    return f"Releases add up: each further release about the same rows spends {promise.adding_up}."


def privacy_rows(
    promise: Curve,
    rest: str,
    at_delta: Number | None = None,
    spelled: Callable[[Fraction], str] = plain,
) -> list[str]:
    """A promise and to whom it is made; and which epsilon it implies, unless it says that itself and nobody asked."""
    rows = [row("Privacy", f"{promise.in_words(spelled)}, {rest}")]
    asked = _asked(promise, at_delta)
    return rows if asked is None else [*rows, row("Implies", promise.as_epsilon(asked))]


def implied(promise: Curve, at_delta: Number | None = None) -> dict[str, str | None]:
    """The same as JSON has it: which epsilon is implied, rounded up, or null; empty where it is not told."""
    asked = _asked(promise, at_delta)
    if asked is None:
        return {}
    epsilon = promise.least_epsilon(asked)
    return {"at_delta": exact_text(asked), "epsilon_at_delta": None if epsilon is None else upper_text(epsilon)}


def _asked(promise: Curve, at_delta: Number | None) -> Fraction | None:
    """At which delta it is told which epsilon is implied, if it is."""
    return AT_DELTA if at_delta is None and not isinstance(promise, EpsilonDelta) else checked_delta(at_delta)


def question_text(source: str, table: str | None, unit: Unit | None, where: str) -> str:
    """Return what was asked, on one line."""
    place = source if table is None else f"{table} in {source}"
    condition = " ".join(where.splitlines())
    is_all = condition.strip().upper() == "TRUE"
    if unit is None:
        what = f"rows of {place}"
    elif unit.rows_per_unit is None:
        what = f"units ({unit.column}) of {place} with a row"
    else:
        what = f"rows of {place}, at most {unit.rows_per_unit} of each {unit.column}{'' if is_all else ','}"
    return printable(what if is_all else f"{what} where {condition}")


def explain(
    guarantee: Guarantee,
    at_delta: Number | None = None,
    beyond: Mapping[int, float] = MappingProxyType({}),
    beside: Beside | None = None,
) -> str:
    """Return the text about a guarantee, with or without a release, without a newline at the end.

    Args:
        at_delta: the delta of the epsilon that is said to be implied; None where nobody asked.
        beyond: further chances to be off by more than a distance.
        beside: what else could draw it.
    """
    chances = dict(sorted({**guarantee.chances, **beyond}.items()))
    top, promise, relation = guarantee.maximum, guarantee.promise, guarantee.adjacency.value
    possible = "the released count is always a possible count" if top else "only 0 can be released"
    return "\n".join(
        [
            row("Range", f"0 to {top}: {possible}"),
            *privacy_rows(promise, relation, at_delta),
            *row_rows(guarantee),
            *mechanism_rows(guarantee.mechanism, guarantee.audit),
            "",
            "Whatever the true count is, the released count is",
            *chance_lines(chances, top),
            *map(wrapped, guarantee.limited),
            *([] if beside is None else beside.to_lines()),
            "",
            *promise_lines(promised(guarantee)),
        ]
    )


def row_rows(guarantee: Guarantee, spelled: Callable[[Fraction], str] = plain_at_most) -> list[str]:
    """Return at what a count is drawn where several rows of a unit may count, in lines."""
    if guarantee.moves == 1:
        return []
    return [row("Each row", f"{guarantee.drawn_at.in_words(spelled)}: {guarantee.moves:,} together keep the promise")]


def left_uncounted(guarantee: Guarantee, cells: str | None = None) -> list[str]:
    """Return what to know of the rows of units that do not count, where some may not; `cells` is what a table has."""
    if not guarantee.counts_rows_of_units:
        return []
    most = f"at most {guarantee.moves:,} of each unit"
    if cells is not None:
        most += f" in all {cells} together. Of a unit with more, a lot decides for each release which of them count"
    return [f"What is counted are matching rows, {most}. By how much that makes counts smaller is private."]


def promised(guarantee: Guarantee) -> list[str]:
    """Return what is promised, in paragraphs."""
    promise = guarantee.promise
    return [
        f"Who is protected ({guarantee.adjacency.value}): {guarantee.meaning} {_range_words(guarantee)}",
        *left_uncounted(guarantee),
        f"How well: {promise.protection('the released count', 'the true count itself')}",
        repeats(promise),
    ]


def chances_in_words(chances: Mapping[int, float], top: int) -> list[tuple[str, str]]:
    """Return how often a count from 0 to `top` is off, by the least distance that counts as off."""
    return [
        # A distance of n or more cannot occur; a float that says 0 may only be too small to be held.
        (f"off by more than {far}" if far else "wrong", "never" if far >= top else how_often(chance))
        for far, chance in chances.items()
    ]


def chance_lines(chances: Mapping[int, float], top: int) -> list[str]:
    """Return the same in lines."""
    told = chances_in_words(chances, top)
    width = max([_WIDTH_OF_CHANCES, *(len(far) + 2 for far, _ in told)])
    return [f"  {far:<{width}}{often}" for far, often in told]


def promise_lines(paragraphs: Iterable[str]) -> list[str]:
    """Return the paragraphs of a promise, wrapped, under their heading."""
    return ["What is promised", *map(dashed, paragraphs)]


def _range_words(guarantee: Guarantee) -> str:
    top = guarantee.maximum
    if guarantee.adjacency is Adjacency.ADD_REMOVE:
        return (
            f"The declared maximum, {top:,}, is public and must have been chosen without looking at the data; the "
            "chances above are about the count so treated."
        )
    if not top:
        what = "rows" if guarantee.unit is None else "units"
        return f"There are no {what}, so 0 is the only possible count."
    return guarantee.public_words(top)
