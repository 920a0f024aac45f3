"""Words that the interpretations of a count and of a table share.

Estimates are rounded to nearest, bounds on errors up. Sets are never rounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from hushcount.numbers.text import upper_text
from hushcount.reading.inverse import NoInverse
from hushcount.release.receipt import Receipt
from hushcount.release.table.text import range_text
from hushcount.words.paragraphs import row
from hushcount.words.printable import printable, shortened

if TYPE_CHECKING:
    from hushcount.mechanisms import Mechanism
    from hushcount.promise.curve import Curve
    from hushcount.reading.confidence import Ranges
    from hushcount.reading.unbiased import Estimate
    from hushcount.release.table.receipt import TableReceipt

__all__ = [
    "FREE",
    "MOST_CELLS",
    "capped",
    "inner",
    "key_cut",
    "mechanism_row",
    "near",
    "range_row",
    "ranges_text",
    "reason",
    "unbiased",
    "up",
]

MOST_CELLS = 20
"""The most cells of a table that are printed."""
_LONGEST_KEY = 24

_LABEL = 22
_BOUND_DIGITS = 3
_MOST_RANGES = 8
_MOST_PLACES = 6

FREE = "All of this follows from the receipt{s} alone: it took no data and no privacy budget."


def inner(name: str, text: str) -> str:
    """Return a line of what is said, with a name on the left."""
    return f"  {row(name, text, _LABEL)}"


def ranges_text(spans: Ranges, cap: int | None = None, spelled: Callable[[int], str] = str) -> str:
    """Return "2 to 5 or 9"; where the last range ends at `cap`, "or more" is added."""
    words = [spelled(first) if first == last else f"{spelled(first)} to {spelled(last)}" for first, last in spans]
    if len(words) > _MOST_RANGES:
        last = spelled(spans[-1][1])
        words = [*words[: _MOST_RANGES - 1], f"{len(words) - _MOST_RANGES + 1} more ranges up to {last}"]
    return " or ".join(words) + (" or more" if spans[-1][1] == cap else "")


def key_cut(rows: Iterable[Sequence[str]], keys: int) -> list[list[str]]:
    """Return the rows of a table with so many columns of keys first, long keys shortened."""
    return [[*(shortened(key, _LONGEST_KEY) for key in line[:keys]), *line[keys:]] for line in rows]


def range_row(receipt: Receipt | TableReceipt) -> str:
    """Return which counts could be released."""
    if isinstance(receipt, Receipt):
        return row("Range", f"0 to {receipt.maximum}")
    return row("Range", range_text(receipt.guarantee))


def mechanism_row(receipt: Receipt | TableReceipt) -> str:
    """Return what drew the counts."""
    audit = receipt.audit
    return row("Mechanism", receipt.mechanism if audit is None else f"{printable(audit.name)} (audited)")


def unbiased(label: str, found: Estimate | NoInverse) -> str:
    """Return the line of an unbiased estimate."""
    if isinstance(found, NoInverse):
        return inner(label, "none")
    return inner(label, f"{near(found.value, found.standard_error)}, standard error at most {up(found.standard_error)}")


def capped(receipt: Receipt | TableReceipt) -> list[str]:
    """Return what to know about true counts above the maximum."""
    if receipt.adjacency != "add-remove":
        return []
    top = receipt.maximum
    if top is None:
        return ["True counts above the total of their cell were treated as the total: the estimates are about those."]
    return [
        f"True counts above the declared maximum were treated as {top}: what is said here of {top} is said of {top} "
        "and all above."
    ]


def reason(found: Estimate | NoInverse, promise: Curve, mechanism: Mechanism) -> list[str]:
    """Return why there is no unbiased estimate, if there is none."""
    return [f"No unbiased estimate: {found.told(promise, mechanism)}"] if isinstance(found, NoInverse) else []


def near(value: float, spread: float) -> str:
    """Return a value rounded to about a hundredth of its uncertainty."""
    places = 2 if spread >= 1 or not spread > 0 else min(2 - math.floor(math.log10(spread)), _MOST_PLACES)
    text = f"{value:.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def up(bound: float) -> str:
    """Return a bound on an error, rounded up."""
    return upper_text(Fraction(bound), _BOUND_DIGITS)
