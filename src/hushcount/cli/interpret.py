"""`hushcount interpret`: what released counts say of the true ones, from their receipts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hushcount._version import __version__
from hushcount.cli.options import Json
from hushcount.errors import BadData, BadUse

if TYPE_CHECKING:
    from hushcount.mechanisms import SavedMechanism
    from hushcount.release.receipt import Receipt

__all__ = ["interpret"]

_LEVEL = "0.95"

LARGEST_RECEIPT = 2**24
"""Bytes; the predicate may be long."""

MOST_DIGITS = 15
"""Of a count in a file of weights: exact as a float."""


def interpret(
    receipts: Annotated[
        list[str],
        typer.Argument(
            metavar="RECEIPT...",
            help="The receipt of a release, as `release --output` or `--json` writes it; with --table, one or more.",
        ),
    ],
    table: Annotated[
        bool,
        typer.Option(
            "--table",
            help="Read several receipts together: the sum and the histogram of their true counts. They must be of one "
            "mechanism, maximum, epsilon, delta and adjacency.",
        ),
    ] = False,
    level: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER", help="The level of the confidence set, > 0 and < 1, taken exactly.", show_default=_LEVEL
        ),
    ] = None,
    prior: Annotated[
        str | None,
        typer.Option(
            metavar="uniform|FILE",
            help="What was believed before, for the posterior: all counts alike, or a CSV file of weights >= 0, either "
            "one a line for each count from 0 on, or lines of a count and its weight, the other counts having none.",
            show_default="no posterior",
        ),
    ] = None,
    mechanism: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="For a receipt of an audited mechanism: the file that it was drawn from. Its SHA-256 is checked.",
        ),
    ] = None,
    as_json: Json = False,
) -> str:
    """Tell what a released count says of the true one, from its receipt alone.

    Prints the confidence set (it contains the true count in at least so many of all releases, whatever that is: exact,
    not an approximation), the most likely counts, the unbiased estimate where there is one, with the most that its
    standard error can be, and with --prior the mean, standard deviation and credible set of the posterior. With
    --table, the sum and the histogram of the true counts of several releases. It takes no data and costs no budget.

    Example: hushcount interpret receipt.json --level 0.99
    """
    law = None if mechanism is None else _mechanism(mechanism)
    if table:
        if level is not None or prior is not None:
            raise BadUse(f"{'--level' if level is not None else '--prior'} is for one receipt, without --table")
        from hushcount.release.interpret_table import interpret_table

        together = interpret_table([_receipt(path) for path in receipts], mechanism=law)
        return _json(together.to_dict()) if as_json else f"{together}\n"
    if len(receipts) > 1:
        raise BadUse(f"one receipt is read at a time (got {len(receipts)}), or several together with --table")
    from hushcount.release.interpret import interpret as interpreted

    found = interpreted(
        _receipt(receipts[0]), level=_LEVEL if level is None else level, prior=_prior(prior), mechanism=law
    )
    return _json(found.to_dict()) if as_json else f"{found}\n"


def _receipt(path: str) -> Receipt:
    from hushcount.release.receipt import Receipt

    try:
        with Path(path).open("rb") as file:
            raw = file.read(LARGEST_RECEIPT + 1)
    except (OSError, ValueError) as error:
        raise BadData(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from None
    if len(raw) > LARGEST_RECEIPT:
        raise BadData(f"{path}: larger than any receipt ({LARGEST_RECEIPT:,} bytes)")
    try:
        return Receipt.from_json(raw)
    except BadData as error:
        raise BadData(f"{path}: {error}") from None


def _mechanism(path: str) -> SavedMechanism:
    from hushcount.privacy import load_mechanism

    return load_mechanism(path)


def _prior(text: str | None) -> str | list[float] | dict[int, float] | None:
    if text is None or text == "uniform":
        return text
    from hushcount.csv_numbers import csv_lines, number_rows

    where = Path(text)
    try:
        with csv_lines(where) as lines:
            rows = list(number_rows(where, lines, names=("count", "weight")))
    except (OSError, ValueError) as error:
        raise BadData(f"{text}: cannot be read ({getattr(error, 'strerror', None) or error})") from None
    width = len(rows[0][1]) if rows else 0
    if width == 1:
        return [row[0] for _, row in rows]
    if width != 2:
        raise BadData(f"{text}: must hold weights, one a line, or lines of a count and its weight")
    weights: dict[int, float] = {}
    for line, (count, weight) in rows:
        if not (count.is_integer() and 0 <= count < 10**MOST_DIGITS):
            raise BadData(f"{text}: line {line} must begin with a count, of at most {MOST_DIGITS} digits")
        if int(count) in weights:
            raise BadData(f"{text}: line {line} gives {int(count)} a weight again")
        weights[int(count)] = weight
    return weights


def _json(facts: dict[str, object]) -> str:
    return json.dumps({**facts, "hushcount_version": __version__}, indent=2, allow_nan=False) + "\n"
