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

from hushcount.exact import amount_text, exact
from hushcount.release.guarantee import Findings, Guarantee

__all__ = ["Released", "chance_text", "describe", "explain", "factor_text", "printable", "rounded_up", "short"]

FLOAT_NOISE = Decimal("1e-12")
"""Relative slack before a chance is rounded up: the figures are right to 1e-12, and 0.4 must not become 40.1%."""

_WIDTH = 78
_SMALLEST_SHOWN = Decimal("0.00001")
_REPEATS = (
    "Releases add up: each further release about the same rows spends its own epsilon and delta, and what protects the "
    "rows in the end is the promise with their sums."
)


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


class Released(Guarantee, Protocol):
    """A guarantee with the count that was released under it, as a `Receipt` is."""

    @property
    def released(self) -> int: ...
    @property
    def source(self) -> str: ...
    @property
    def table(self) -> str | None: ...
    @property
    def where(self) -> str: ...
    @property
    def released_at(self) -> datetime: ...
    @property
    def receipt_id(self) -> UUID: ...
    @property
    def ledger(self) -> Facts | None: ...


def describe(receipt: Released) -> str:
    """The text that goes with a released count; ends without a newline."""
    place = receipt.source if receipt.table is None else f"{receipt.table} in {receipt.source}"
    question = " ".join(receipt.where.splitlines())
    return "\n".join(
        [
            f"Released count: {receipt.released}",
            "",
            _row("Question", printable(f"rows of {place} where {question}")),
            explain(receipt),
            "",
            f"Receipt {receipt.receipt_id} of {receipt.released_at:%Y-%m-%d %H:%M:%S} UTC",
            *([] if receipt.ledger is None else _charge(receipt.ledger)),
        ]
    )


def _charge(facts: Facts) -> list[str]:
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
        _row("Range", f"0 to {top}: {possible}"),
        _row("Privacy", f"epsilon {short(guarantee.epsilon)}, delta {short(guarantee.delta)}, {guarantee.adjacency}"),
        _row("Mechanism", guarantee.mechanism if found is None else f"{printable(found.name)} (audited)"),
        *([] if found is None else _audit(found)),
    ]


def _audit(found: Findings) -> list[str]:
    rows = [_row("Audit", f"at this epsilon it takes delta {rounded_up(Fraction(found.least_delta))}")]
    if found.matrix_sha256 is not None:
        rows.append(_row("Matrix", f"SHA-256 {found.matrix_sha256[:32]}..."))
    return rows


def _chances(guarantee: Guarantee) -> list[str]:
    rows = [(0, "wrong", guarantee.error_probability)]
    rows += [(far, f"off by more than {far}", chance) for far, chance in guarantee.chance_off_by_more_than.items()]
    return [
        "Whatever the true count is, the released count is",
        # A distance of n or more cannot occur; a float that says 0 may only be too small to be held.
        *(f"  {what:<20}{'never' if far >= guarantee.maximum else _how_often(chance)}" for far, what, chance in rows),
    ]


def _promise(guarantee: Guarantee) -> list[str]:
    who = f"Who is protected ({guarantee.adjacency}): {guarantee.adjacency_meaning} {_range_words(guarantee)}"
    lines = ["What is promised"]
    for paragraph in (who, f"How well: {_protection(guarantee)}", _REPEATS):
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
    return f"The number of rows is {top}." if top else "There are no rows, so 0 is the only possible count."


def _protection(guarantee: Guarantee) -> str:
    epsilon, delta = exact(guarantee.epsilon, "epsilon"), exact(guarantee.delta, "delta")
    if epsilon == 0:
        bound = (
            "for any two tables that differ in this way, the released count leaves the odds between them as they were"
        )
    else:
        bound = (
            "for any two tables that differ in this way, the released count shifts their odds by a factor of "
            f"{factor_text(epsilon)} (e^epsilon)"
        )
    if delta == 0:
        return f"{bound}, without exception (delta is 0)."
    return (
        f"{bound}. Delta, {_rarity(delta)}, is the chance that comes on top of this: in the worst case, the true count "
        "itself is given away that often."
    )


def _how_often(chance: float) -> str:
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


def _row(name: str, text: str) -> str:
    return f"{name:<12}{text}"


def printable(text: str) -> str:
    """`text` on one line: line breaks, terminal controls and undecodable bytes become escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
