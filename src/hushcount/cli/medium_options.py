"""The options that say which fixed medium is meant, for every command that takes one."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from hushcount.cli.options import whole
from hushcount.errors import InvalidParameter

__all__ = [
    "Bits",
    "Fading",
    "File",
    "Labels",
    "Multiple",
    "NonCoherent",
    "Normalise",
    "Order",
    "To",
    "checked_fading",
    "given_options",
]

File = Annotated[
    str | None,
    typer.Argument(
        metavar="FILE",
        help="For file, a matrix of chances, and for counts, one of how often each was received in trials: .csv, .npy "
        "or .parquet, a row for each count sent, a column for each received.",
    ),
]
Order = Annotated[str | None, typer.Option(metavar="COUNT", help="How many symbols: n + 1 for the counts 0..n.")]
Fading = Annotated[str | None, typer.Option(metavar="rayleigh", help="Flat Rayleigh fading as well.")]
Labels = Annotated[
    str | None,
    typer.Option(
        metavar="LABELS",
        help="What a count is sent as. qam: row-major (default) or gray. Binary channels: natural (default) or gray.",
    ),
]
NonCoherent = Annotated[bool, typer.Option("--non-coherent", help="fsk: non-coherent detection.")]
Bits = Annotated[str | None, typer.Option(metavar="COUNT", help="Uses of a binary channel: 2^bits symbols.")]
Multiple = Annotated[str | None, typer.Option(metavar="COUNT", help="rounding: to multiples of this.")]
To = Annotated[
    str | None, typer.Option(metavar="nearest|below|random", help="rounding: which multiple; nearest by default.")
]
Normalise = Annotated[bool, typer.Option("--normalise", help="file: divide each row by its sum first.")]

_COUNTS = ("order", "bits", "multiple")


def given_options(**options: str | bool | None) -> dict[str, Any]:
    """Those that were given, by name; counts as numbers, the others as they were spelled.

    Raises:
        InvalidParameter: a count that is none, or no such fading.
    """
    checked_fading(options.get("fading"))
    return {
        name: whole(value, name) if name in _COUNTS and isinstance(value, str) else value
        for name, value in options.items()
        if value is not None and value is not False
    }


def checked_fading(fading: str | bool | None) -> None:
    """Raises:
    InvalidParameter: no such fading.
    """
    if fading not in (None, "rayleigh"):
        raise InvalidParameter("fading", fading, "rayleigh, or left out")
