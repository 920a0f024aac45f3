"""Interpretations as text for people: what `str` of one gives, and `hushcount interpret` prints.

Estimates are rounded to nearest, bounds on errors up. Sets are never rounded.
"""

from __future__ import annotations

import math
import textwrap
from fractions import Fraction
from typing import TYPE_CHECKING

from hushcount.mechanisms.inverse import NoInverse
from hushcount.number_text import typed, upper_text
from hushcount.release.explanation import printable, short

if TYPE_CHECKING:
    from hushcount.release.confidence import Ranges
    from hushcount.release.interpret import Interpretation
    from hushcount.release.interpret_table import TableInterpretation
    from hushcount.release.posterior import Posterior
    from hushcount.release.receipt import Receipt
    from hushcount.release.unbiased import Estimate

__all__ = ["interpretation_text", "ranges_text", "table_text"]

_WIDTH = 78
_LABEL = 22
_BOUND_DIGITS = 3
_MOST_RANGES = 8
_MOST_PLACES = 6
_MOST_ROWS = 32
"""True counts up to which a histogram is printed."""

_FREE = "All of this follows from the receipt{s} alone: it took no data and no privacy budget."


def interpretation_text(found: Interpretation) -> str:
    """The receipt's head, what it says of the true count, and what that means; ends without a newline."""
    receipt, level = found.receipt, f"{typed(100 * found.level)}%"
    place = receipt.source if receipt.table is None else f"{receipt.table} in {receipt.source}"
    more = found.is_capped
    said = [
        _row(f"{level} confidence set", ranges_text(found.confidence_set, receipt.maximum if more else None)),
        _row("most likely", ranges_text(found.most_likely, receipt.maximum if more else None)),
        _unbiased("unbiased estimate", found.unbiased),
        _row("the release itself", f"root mean squared error at most {_up(found.released_error)}"),
        *([] if found.posterior is None else _posterior(found.posterior, found.level, level)),
    ]
    notes = [
        f"Whatever the true count is, its releases lead to a confidence set that contains it with a chance of at least "
        f"{level}. That is about the noise of the release, and about nothing else.",
        *_capped(receipt),
        *_reason(found.unbiased),
        _FREE.format(s=""),
    ]
    question = " ".join(receipt.where.splitlines())
    return "\n".join(
        [
            f"Released count: {receipt.released}",
            "",
            _head("Question", printable(f"rows of {place} where {question}")),
            *_promise(receipt),
            "",
            "What it says of the true count",
            *said,
            "",
            *_paragraphs(notes),
        ]
    )


def table_text(found: TableInterpretation) -> str:
    """Likewise, for a table; ends without a newline."""
    first = found.receipts[0]
    bias, error = _up(found.released_bias), _up(found.released_error)
    said = [
        _row("sum of the released", f"{found.released_sum}: biased by at most {bias}, standard error at most {error}"),
        _unbiased("unbiased sum", found.total),
    ]
    notes = [*_capped(first), *_reason(found.total), _FREE.format(s="s")]
    return "\n".join(
        [
            _head("Releases", str(len(found.receipts))),
            *_promise(first),
            "",
            "What they say of the true counts",
            *said,
            *_histogram(found),
            "",
            *_paragraphs(notes),
        ]
    )


def ranges_text(spans: Ranges, cap: int | None = None) -> str:
    """ "2 to 5 or 9"; where the last range ends at `cap`, "or more" is added."""
    words = [str(first) if first == last else f"{first} to {last}" for first, last in spans]
    if len(words) > _MOST_RANGES:
        words = [*words[: _MOST_RANGES - 1], f"{len(words) - _MOST_RANGES + 1} more ranges up to {spans[-1][1]}"]
    return " or ".join(words) + (" or more" if spans[-1][1] == cap else "")


def _promise(receipt: Receipt) -> list[str]:
    name = receipt.mechanism if receipt.audit is None else f"{printable(receipt.audit.name)} (audited)"
    return [
        _head("Range", f"0 to {receipt.maximum}"),
        _head("Privacy", f"epsilon {short(receipt.epsilon)}, delta {short(receipt.delta)}, {receipt.adjacency}"),
        _head("Mechanism", name),
    ]


def _unbiased(label: str, found: Estimate | NoInverse) -> str:
    if isinstance(found, NoInverse):
        return _row(label, "none")
    return _row(
        label, f"{_near(found.value, found.standard_error)}, standard error at most {_up(found.standard_error)}"
    )


def _posterior(found: Posterior, level: Fraction, label: str) -> list[str]:
    deviation = found.standard_deviation
    spread = f"mean {_near(found.mean, deviation)}, standard deviation {_near(deviation, deviation)}"
    return [
        _row("with the prior", spread),
        _row(f"{label} credible set", ranges_text(found.credible_set(level))),
    ]


def _histogram(found: TableInterpretation) -> list[str]:
    if found.histogram is None:
        return []
    size = len(found.histogram.values)
    if size > _MOST_ROWS:
        return [_row("histogram", f"{size} true counts; --json has them all")]
    rows = [("count", "how many", "error")]
    pairs = zip(found.histogram.values.tolist(), found.histogram.standard_errors.tolist(), strict=True)
    rows += [(str(count), f"{value:.2f}", f"{error:.2f}") for count, (value, error) in enumerate(pairs)]
    largest = _up(found.histogram.largest_standard_error)
    title = f"How many true counts are what, and the standard error of that (at most {largest})"
    return ["", title, *("".join(f"{cell:>12}" for cell in row) for row in rows)]


def _capped(receipt: Receipt) -> list[str]:
    if receipt.adjacency != "add-remove":
        return []
    top = receipt.maximum
    return [
        f"True counts above the declared maximum were treated as {top}: what is said here of {top} is said of {top} "
        "and all above."
    ]


def _reason(found: Estimate | NoInverse) -> list[str]:
    return [f"No unbiased estimate: {found.value}"] if isinstance(found, NoInverse) else []


def _near(value: float, spread: float) -> str:
    """Rounded to about a hundredth of what it is uncertain by."""
    places = 2 if spread >= 1 or not spread > 0 else min(2 - math.floor(math.log10(spread)), _MOST_PLACES)
    text = f"{value:.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _up(bound: float) -> str:
    return upper_text(Fraction(bound), _BOUND_DIGITS)


def _head(name: str, text: str) -> str:
    return f"{name:<12}{text}"


def _row(name: str, text: str) -> str:
    return f"  {name:<{_LABEL}}{text}"


def _paragraphs(texts: list[str]) -> list[str]:
    return [
        line
        for text in texts
        for line in textwrap.wrap(
            text, _WIDTH, initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False, break_long_words=False
        )
    ]
