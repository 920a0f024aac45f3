"""What both forms of a file hold, version by version; docs/mechanism-files.md describes them.

Version 1 holds a matrix with one epsilon and delta. Version 2 holds any promise, spelled as in receipts, and either a
matrix or the numbers of a chain: its *form* says which.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hushcount.errors import BadData
from hushcount.inputs.stochastic import LARGEST_MATRIX
from hushcount.saved.chains import LARGEST_CHAIN, SavedGaussianChain, SavedPointChain
from hushcount.saved.mechanism import Saved

__all__ = [
    "FORMAT",
    "LENGTHS",
    "MATRIX",
    "PAIRS",
    "FileContent",
    "check_length",
    "check_pairs",
    "check_version",
    "checked_n",
    "fields_of",
    "numbers_of",
]

FORMAT, VERSIONS = "hushcount mechanism", (1, 2)
MATRIX, PAIRS = "matrix", "pairs"

LENGTHS = {
    MATRIX: lambda n: n + 1,
    "shifts": lambda n: n,
    "points": lambda n: n,
    "lower_points": lambda n: n // 2,
}
"""How many rows or numbers each form asks for."""

_MOST_PAIRS = 1000


@dataclass(frozen=True)
class FileContent:
    """What a file says, well-formed but not judged.

    Attributes:
        version: of the form of file.
        form: what the numbers are, one of `LENGTHS`.
        n: the largest count; the numbers are as many as the form asks for.
        numbers: the rows of a matrix, or the numbers of a chain.
        fields: the other reserved fields: texts, and pairs as a list; `sha256` may be absent.
        places: where each field stands, for messages.
        lines: the line of each number of a chain, where it is known.
    """

    version: int
    form: str
    n: int
    numbers: list[list[float]] | list[float]
    fields: Mapping[str, Any]
    notes: Mapping[str, str]
    places: Mapping[str, str] = field(default_factory=dict)
    lines: Sequence[int] = ()


def fields_of(mechanism: Saved) -> dict[str, Any]:
    """Return a mechanism's own fields, numbers as exact text; n is to come."""
    return {
        **mechanism.claim.to_fields(),
        "n": mechanism.n,
        "name": mechanism.name,
        "sha256": mechanism.sha256,
    }


def numbers_of(mechanism: Saved) -> tuple[str, Sequence[float]] | None:
    """Return the form and the numbers of a chain; None for a matrix."""
    if isinstance(mechanism, SavedGaussianChain | SavedPointChain):
        return mechanism.form, mechanism.given
    return None


def check_version(where: Path, version: int) -> None:
    """Refuse a version that is not known."""
    if version not in VERSIONS:
        hint = "; a newer hushcount is needed" if version > VERSIONS[-1] else ""
        known = " and ".join(map(str, VERSIONS))
        raise BadData(f"{where}: a saved mechanism of version {version}, but this hushcount reads {known}{hint}")


def checked_n(where: Path, n: int | None, form: str, place: str) -> int:
    """Return n, if it is there and within what the form allows."""
    largest = LARGEST_MATRIX if form == MATRIX else LARGEST_CHAIN
    if n is None or not 0 <= n < largest:
        raise BadData(f"{where}: {place}n must be a whole number from 0 to {largest - 1:,}")
    return n


def check_pairs(where: Path, pairs: object, place: str) -> None:
    """Refuse what is no list of objects with an epsilon and a delta as texts."""
    is_list = isinstance(pairs, list) and 0 < len(pairs) <= _MOST_PAIRS
    if not (is_list and all(map(_is_pair, pairs))):  # type: ignore[call-overload]
        rule = '{"epsilon": "0.5", "delta": "0.01"}'
        raise BadData(f"{where}: {place}pairs must be a list of 1 to {_MOST_PAIRS:,} objects such as {rule}")


def _is_pair(pair: object) -> bool:
    return isinstance(pair, dict) and set(pair) == {"epsilon", "delta"} and set(map(type, pair.values())) == {str}


def check_length(where: Path, form: str, n: int, numbers: Sequence[object]) -> None:
    """Refuse too few or too many rows or numbers."""
    asked, what = LENGTHS[form](n), "rows" if form == MATRIX else form
    if len(numbers) != asked:
        hint = "; is the file cut off?" if len(numbers) < asked else ""
        raise BadData(f"{where}: holds {len(numbers)} {what}, where n = {n} asks for {asked}{hint}")
