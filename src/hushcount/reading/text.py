"""Interpretations as text for people: what `str` of one gives, and `hushcount interpret` prints.

Estimates are rounded to nearest, bounds on errors up. Sets are never rounded.
"""

from __future__ import annotations

import math
import textwrap
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING

from hushcount.numbers.exact import exact
from hushcount.numbers.text import typed, upper_text
from hushcount.reading.inverse import NoInverse
from hushcount.release.explanation import given_away, printable, question, short

if TYPE_CHECKING:
    from hushcount.reading.confidence import Ranges
    from hushcount.reading.count import Interpretation
    from hushcount.reading.posterior import Posterior
    from hushcount.reading.table import TableInterpretation
    from hushcount.reading.unbiased import Estimate
    from hushcount.release.receipt import Receipt
    from hushcount.release.table.receipt import TableReceipt

__all__ = ["interpretation_text", "ranges_text", "table_text"]

_WIDTH = 78
_LABEL = 22
_BOUND_DIGITS = 3
_MOST_RANGES = 8
_MOST_PLACES = 6
_MOST_ROWS = 32
"""True counts up to which a histogram is printed."""
_MOST_CELLS = 20
"""Of which a confidence set is printed."""
_NUMBERS = 2
"""Columns to the left of the sets."""
_ZERO = 1e-9
"""An estimated number of cells nearer to 0 is the rounding of floats."""

_FREE = "All of this follows from the receipt{s} alone: it took no data and no privacy budget."


def interpretation_text(found: Interpretation) -> str:
    """The receipt's head, what it says of the true count, and what that means; ends without a newline."""
    receipt, level = found.receipt, f"{typed(100 * found.level)}%"
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
        *given_away(exact(receipt.delta), 1, "release"),
        _FREE.format(s=""),
    ]
    return "\n".join(
        [
            f"Released count: {receipt.released}",
            "",
            _head("Question", question(receipt)),
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
    notes = [*_about_cells(found), *_about_histogram(found), *_capped(first), *_reason(found.total)]
    if found.cells is None:
        notes.append("A level, such as 0.95, gives a confidence set for each of them too.")
    notes += given_away(exact(first.delta), found.releases, "release" if found.table is None else "cell")
    notes.append(_FREE.format(s="" if found.table is not None else "s"))
    histogram = _histogram(found)
    return "\n".join(
        [
            _head("Releases" if found.table is None else "Cells", f"{found.releases:,}"),
            *_promise(first),
            "",
            "What they say of the true counts",
            *said,
            *(histogram if len(histogram) == 1 else []),
            *_cells(found),
            *(histogram if len(histogram) > 1 else []),
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


def _promise(receipt: Receipt | TableReceipt) -> list[str]:
    name = receipt.mechanism if receipt.audit is None else f"{printable(receipt.audit.name)} (audited)"
    return [
        _head("Range", f"0 to {'the total of each cell' if receipt.maximum is None else receipt.maximum}"),
        *_privacy(receipt),
        _head("Mechanism", name),
    ]


def _privacy(receipt: Receipt | TableReceipt) -> list[str]:
    """Of a table, what is promised of it, and apart from that how a single cell was drawn."""
    from hushcount.release.table.receipt import TableReceipt

    each = f"epsilon {short(receipt.epsilon)}, delta {short(receipt.delta)}"
    if not isinstance(receipt, TableReceipt):
        return [_head("Privacy", f"{each}, {receipt.adjacency}")]
    whole = f"epsilon {short(receipt.table_epsilon)}, delta {short(receipt.table_delta)}"
    k = receipt.changed_cells
    affects = f"a change affects at most {k:,} {'cell' if k == 1 else 'cells'}"
    return [
        _head("Privacy", f"{whole}, {receipt.adjacency}, for the table"),
        _head("", f"{each} for each cell: {affects}"),
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


def _cells(found: TableInterpretation) -> list[str]:
    """The first cells with their confidence sets."""
    if found.cells is None:
        return []
    sets, level = found.cells, f"{typed(100 * found.cells.level)}%"
    cap = found.receipts[0].adjacency == "add-remove"
    lines = [("cell", "released", "confidence set", "most likely")]
    for cell, reading in enumerate(islice(sets, _MOST_CELLS)):
        top = sets.maxima[cell] if cap else None
        spans = (ranges_text(reading.confidence_set, top), ranges_text(reading.most_likely, top))
        lines.append((str(cell + 1), str(sets.released[cell]), *spans))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    shown = [
        "  ".join(
            text.rjust(width) if at < _NUMBERS else text.ljust(width)
            for at, (text, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
    more = len(sets) - _MOST_CELLS
    each = f"at {level} for all cells together" if sets.simultaneous else f"at {level} for each cell"
    return [
        "",
        f"What each says, {each}",
        *(f"  {line}" for line in shown),
        *([f"  ... and {more:,} more"] if more > 0 else []),
    ]


def _about_cells(found: TableInterpretation) -> list[str]:
    sets = found.cells
    if sets is None:
        return []
    level, size = f"{typed(100 * sets.level)}%", len(sets)
    if sets.simultaneous:
        return [
            f"Whatever the true counts are, all {size:,} confidence sets contain them with a chance of at least "
            f"{level}: each has the level 1 - (1 - {typed(sets.level)}) / {size:,}. That is about the noise alone."
        ]
    missed = upper_text(size * (1 - sets.level), _BOUND_DIGITS)
    return [
        f"Whatever the true counts are, the confidence set of a cell contains its true count with a chance of at least "
        f"{level}. That is about the noise alone, and about one cell: of {size:,} sets, up to {missed} are expected to "
        "miss."
    ]


def _histogram(found: TableInterpretation) -> list[str]:
    if found.histogram is None:
        return []
    size = len(found.histogram.values)
    largest = f"standard error of at most {_up(found.histogram.largest_standard_error)}"
    if size > _MOST_ROWS:
        return [_row("histogram", f"of {size:,} true counts, {largest}; --json has it")]
    rows = [("true count", _KIND[found.table is not None], "standard error")]
    pairs = zip(found.histogram.values.tolist(), found.histogram.standard_errors.tolist(), strict=True)
    rows += [(str(count), _cents(value), _cents(error)) for count, (value, error) in enumerate(pairs)]
    title = f"Estimated number of {_KIND[found.table is not None]} with each true count,"
    return ["", title, f"each with a {largest}", *("".join(f"{cell:>16}" for cell in row) for row in rows)]


_KIND = {True: "cells", False: "releases"}


def _cents(value: float) -> str:
    return "0" if abs(value) < _ZERO else f"{value:.2f}"


def _about_histogram(found: TableInterpretation) -> list[str]:
    histogram = found.histogram
    if histogram is None:
        return []
    what, notes = _KIND[found.table is not None], []
    if histogram.largest_standard_error > found.releases:
        notes.append(
            f"The histogram is of no use here: its standard errors may be larger than the number of {what}, "
            f"{found.releases:,}. More {what}, a smaller maximum or a larger epsilon would help."
        )
    if len(histogram.values) <= _MOST_ROWS and float(histogram.values.min()) <= -_ZERO:
        notes.append(
            f"No number of {what} is negative, but an estimate is: only so is it right on average. A sum over many "
            "true counts errs less if negative numbers are left in it."
        )
    return notes


def _capped(receipt: Receipt | TableReceipt) -> list[str]:
    if receipt.adjacency != "add-remove":
        return []
    top = receipt.maximum
    if top is None:
        return ["True counts above the total of their cell were treated as the total: the estimates are about those."]
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
