"""What an audit found of a user's own mechanism; `admission` decides on it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from hushcount.numbers.text import plain_upper
from hushcount.words.paragraphs import row
from hushcount.words.printable import printable

__all__ = ["Findings", "mechanism_rows"]


@dataclass(frozen=True)
class Findings:
    """What an audit found before a release. The names are those of the receipt.

    Attributes:
        name: the name of the mechanism.
        matrix_sha256: the hash of its matrix, or of its thresholds (`hushcount.saved.chains.sha256_of`); None in closed
            form.
        least_delta: the least delta at the epsilon of the release, between true counts at distance 1; rounded up. None
            for a release at mu or at several pairs.
        least_mu: for a release at mu, the least mu between them; rounded up.
    """

    name: str
    matrix_sha256: str | None
    least_delta: float | None = None
    least_mu: float | None = None

    @property
    def takes(self) -> str:
        """Return what the mechanism needs, in words."""
        if self.least_mu is not None:
            return f"it takes mu {plain_upper(Fraction(self.least_mu))}"
        if self.least_delta is None:
            return "it keeps each of the pairs"
        return f"at this epsilon it takes delta {plain_upper(Fraction(self.least_delta))}"


def mechanism_rows(name: str, found: Findings | None) -> list[str]:
    """Return what draws a count, by its name in receipts, and what an audit found of a user's own mechanism."""
    if found is None:
        return [row("Mechanism", name)]
    rows = [
        row("Mechanism", f"{printable(found.name)} (audited)"),
        row("Audit", found.takes),
    ]
    if found.matrix_sha256 is not None:
        rows.append(row("Contents", f"SHA-256 {found.matrix_sha256[:32]}..."))
    return rows
