"""The words that go with a count: one place for everything a curator reads or hands on.

`explain` speaks about a guarantee, which (n, epsilon, delta), the adjacency and the mechanism settle before any data is
seen; `describe` puts a released count on top. A chance is shown rounded up, never as 0% when it can happen nor as 100%
when it can fail to; the unrounded figures are in the receipt.
"""

from __future__ import annotations

import textwrap
from datetime import datetime
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import Protocol
from uuid import UUID

from hushcount.numbers.exact import exact
from hushcount.numbers.text import amount_text
from hushcount.release.guarantee import Findings, Guarantee, OfUnits
from hushcount.release.table.promise import any_of
from hushcount.words.printable import printable

__all__ = [
    "REPEATS",
    "Released",
    "audit_lines",
    "chance_text",
    "charge_lines",
    "describe",
    "explain",
    "factor_text",
    "given_away",
    "how_often",
    "printable",
    "promise_lines",
    "protection",
    "question",
    "rounded_up",
    "row",
    "short",
]

FLOAT_NOISE = Decimal("1e-12")
"""Relative slack before a chance is rounded up: the figures are right to 1e-12, and 0.4 must not become 40.1%."""

_WIDTH = 78
_SMALLEST_SHOWN = Decimal("0.00001")
_WORTH_SAYING = Fraction(1, 10)
"""Of the chance that something is given away, summed over all draws."""
REPEATS = (
    "Releases add up: each further release about the same rows spends its own epsilon and delta, and what protects the "
    "rows in the end is the promise with their sums."
)
"""What to know of more than one release."""


class Facts(Protocol):
    """What a ledger says of a charge, as the receipt has it."""

    @property
    def budget(self) -> str: ...
    @property
    def request_id(self) -> str: ...
    @property
    def entry(self) -> int: ...
    @property
    def left_epsilon(self) -> str | None: ...
    @property
    def left_delta(self) -> str | None: ...


class Asked(Protocol):
    """What was asked, as a receipt has it."""

    @property
    def source(self) -> str: ...
    @property
    def table(self) -> str | None: ...
    @property
    def unit(self) -> OfUnits | None: ...
    @property
    def where(self) -> str: ...


class Released(Guarantee, Asked, Protocol):
    """A guarantee with the count that was released under it, as a `Receipt` is."""

    @property
    def released(self) -> int: ...
    @property
    def released_at(self) -> datetime: ...
    @property
    def receipt_id(self) -> UUID: ...
    @property
    def ledger(self) -> Facts | None: ...


def describe(receipt: Released) -> str:
    """The text that goes with a released count; ends without a newline."""
    return "\n".join(
        [
            f"Released count: {receipt.released}",
            "",
            row("Question", question(receipt)),
            explain(receipt),
            "",
            f"Receipt {receipt.receipt_id} of {receipt.released_at:%Y-%m-%d %H:%M:%S} UTC",
            *charge_lines(receipt.ledger),
        ]
    )


def question(asked: Asked) -> str:
    """What was asked, in words."""
    place = asked.source if asked.table is None else f"{asked.table} in {asked.source}"
    condition = " ".join(asked.where.splitlines())
    is_all = condition.strip().upper() == "TRUE"
    if asked.unit is None:
        return printable(f"rows of {place}" if is_all else f"rows of {place} where {condition}")
    who = f"units ({asked.unit.column}) of {place} with a row"
    return printable(who if is_all else f"{who} where {condition}")


def charge_lines(facts: Facts | None) -> list[str]:
    """What a ledger says of the charge, if there was one."""
    if facts is None:
        return []
    left = (
        f", with epsilon {amount_text(exact(facts.left_epsilon))}, delta {amount_text(exact(facts.left_delta))} left"
        if facts.left_epsilon is not None and facts.left_delta is not None
        else ""
    )
    lines = [f"Charged to the budget {printable(facts.budget)}{left}"]
    return [*lines, f"Entry {facts.entry} of the ledger, request {printable(facts.request_id)}"]


def explain(guarantee: Guarantee) -> str:
    """The text about a guarantee, with or without a release; ends without a newline."""
    return "\n".join([*_summary(guarantee), "", *_chances(guarantee), "", *_promise(guarantee)])


def _summary(guarantee: Guarantee) -> list[str]:
    top, found = guarantee.maximum, guarantee.audit
    possible = "the released count is always a possible count" if top else "only 0 can be released"
    return [
        row("Range", f"0 to {top}: {possible}"),
        row("Privacy", f"epsilon {short(guarantee.epsilon)}, delta {short(guarantee.delta)}, {guarantee.adjacency}"),
        row("Mechanism", guarantee.mechanism if found is None else f"{printable(found.name)} (audited)"),
        *([] if found is None else audit_lines(found)),
    ]


def audit_lines(found: Findings) -> list[str]:
    """What an audit found."""
    rows = [row("Audit", f"at this epsilon it takes delta {rounded_up(Fraction(found.least_delta))}")]
    if found.matrix_sha256 is not None:
        rows.append(row("Matrix", f"SHA-256 {found.matrix_sha256[:32]}..."))
    return rows


def _chances(guarantee: Guarantee) -> list[str]:
    rows = [(0, "wrong", guarantee.error_probability)]
    rows += [(far, f"off by more than {far}", chance) for far, chance in guarantee.chance_off_by_more_than.items()]
    return [
        "Whatever the true count is, the released count is",
        # A distance of n or more cannot occur; a float that says 0 may only be too small to be held.
        *(f"  {what:<20}{'never' if far >= guarantee.maximum else how_often(chance)}" for far, what, chance in rows),
    ]


def _promise(guarantee: Guarantee) -> list[str]:
    who = f"Who is protected ({guarantee.adjacency}): {guarantee.adjacency_meaning} {_range_words(guarantee)}"
    how_well = (
        f"How well: {protection(guarantee.epsilon, guarantee.delta, 'the released count', 'the true count itself')}"
    )
    return promise_lines(who, how_well, REPEATS)


def promise_lines(*paragraphs: str) -> list[str]:
    """The paragraphs of a promise, wrapped, under their heading."""
    lines = ["What is promised"]
    for paragraph in paragraphs:
        lines += textwrap.wrap(
            paragraph,
            _WIDTH,
            initial_indent="- ",
            subsequent_indent="  ",
            break_on_hyphens=False,
            break_long_words=False,
        )
    return lines


def _range_words(guarantee: Guarantee) -> str:
    top = guarantee.maximum
    if guarantee.adjacency == "add-remove":
        return (
            f"The declared maximum, {top}, is public and must have been chosen without looking at the data; the "
            "chances above are about the count so treated."
        )
    what = "rows" if guarantee.unit is None else "units"
    return f"The number of {what} is {top}." if top else f"There are no {what}, so 0 is the only possible count."


def protection(epsilon_text: str, delta_text: str, released: str, truth: str) -> str:
    """What an epsilon and a delta, given as text, mean for what is `released` in place of the `truth`."""
    epsilon, delta = exact(epsilon_text, "epsilon"), exact(delta_text, "delta")
    if epsilon == 0:
        bound = f"for any two tables that differ in this way, {released} leaves the odds between them as they were"
    else:
        bound = (
            f"for any two tables that differ in this way, {released} shifts their odds by a factor of "
            f"{factor_text(epsilon)} (e^epsilon)"
        )
    if delta == 0:
        return f"{bound}, without exception (delta is 0)."
    return (
        f"{bound}. Delta, {_rarity(delta)}, is the chance that comes on top of this: in the worst case, {truth} is "
        "given away that often."
    )


def given_away(delta: Fraction, draws: int, kind: str) -> list[str]:
    """What deltas add up to in the worst case, in a sentence; nothing where `draws` times `delta` is less than 0.1.

    An (epsilon, delta)-DP mechanism may give away its true count with a chance of up to delta, and no more: what cannot
    come out of a neighbouring count has at most delta. Draws are independent, so at least one of them does so with a
    chance of up to 1 - (1 - delta)^draws.

    Args:
        delta: of one draw, >= 0 and < 1.
        kind: what is drawn, such as "cell".
    """
    if draws * delta < _WORTH_SAYING:
        return []
    shown = chance_text(float(any_of(delta, draws)))
    some, kinds = ("the", kind) if draws == 1 else ("some", f"{kind}s")
    return [
        f"Delta is large for {draws:,} {kinds}: with a chance of up to {shown if shown[0].isdigit() else '100%'} the "
        f"true count of {some} {kind} is given away."
    ]


def how_often(chance: float) -> str:
    """A chance per release in words."""
    shown = chance_text(chance)
    return f"in {'at most ' if shown[0].isdigit() else ''}{shown} of releases"


def chance_text(chance: float) -> str:
    """A chance strictly between 0 and 1 as a percentage, rounded up; never "0%" and never "100%".

    It has one decimal, or two significant digits of the smaller of the chance and its complement if that is more.
    Floats of 0 and 1 are taken as the rounded values they are.
    """
    exactly = Decimal(repr(float(chance)))
    if exactly < _SMALLEST_SHOWN:
        return "less than 0.001%"
    if 1 - exactly < _SMALLEST_SHOWN:
        return "more than 99.999%"
    decimals = max(1, 1 - (100 * min(exactly, 1 - exactly)).adjusted())
    shown = f"{(100 * exactly * (1 - FLOAT_NOISE)).quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_CEILING):f}"
    return f"{shown.rstrip('0').rstrip('.')}%"


def factor_text(epsilon: Fraction) -> str:
    """`e^epsilon` in words for a positive epsilon, rounded up to three significant digits."""
    if epsilon < Fraction(1, 2000):
        return "barely more than 1"
    if epsilon > 10**6:
        return "more than 10^400000"
    value = _decimal(epsilon).exp(_ROUND_UP)
    if value >= 10**6:
        return f"less than 10^{value.adjusted() + 1}"
    shown = value.quantize(Decimal(1).scaleb(value.adjusted() - 2), rounding=ROUND_CEILING)
    return f"at most {int(shown):,}" if shown == int(shown) else f"at most {shown.normalize():f}"


_ROUND_UP = Context(prec=30, rounding=ROUND_CEILING, Emin=-999_999, Emax=999_999)


def _rarity(delta: Fraction) -> str:
    if delta >= Fraction(1, 100):
        return chance_text(float(delta))
    once_in = int(1 / delta)
    return f"1 in {once_in:,}" if once_in < 10**12 else f"less than 1 in 10^{len(str(once_in)) - 1}"


def short(number: str) -> str:
    """`number` as written, unless it is longer than a reader bears (a float's exact binary value)."""
    if len(number) <= 20:
        return number
    rounded = Context(prec=6, Emin=-999_999, Emax=999_999).plus(_decimal(exact(number)))
    return f"about {rounded.normalize():g}"


def rounded_up(number: Fraction) -> str:
    """`number` >= 0 to six digits, rounded up, as `exact` reads it."""
    context = Context(prec=6, rounding=ROUND_CEILING, Emin=-999_999, Emax=999_999)
    return f"{context.divide(Decimal(number.numerator), Decimal(number.denominator)).normalize():g}"


def _decimal(number: Fraction) -> Decimal:
    return _ROUND_UP.divide(Decimal(number.numerator), Decimal(number.denominator))


def row(name: str, text: str) -> str:
    """A line with a name on the left."""
    return f"{name:<12}{text}"
