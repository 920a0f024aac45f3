"""One line of the result table: what was measured, beside whom, against which target."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

__all__ = ["Peer", "Row"]

NONE = "–"


@dataclass(frozen=True)
class Peer:
    """Whom to measure beside hushcount.

    Attributes:
        name: as the table shows it.
        run: the same work, done by the peer.
        limit: the target, largest ratio hushcount / peer; None where the issue states none.
        rounds: measure it in so many rounds only (it is slow); None for all.
    """

    name: str
    run: Callable[[], Any]
    limit: float | None = None
    rounds: int | None = None


@dataclass(frozen=True)
class Row:
    """A measured case beside one peer, or alone.

    Attributes:
        case: what was measured.
        ours: the median of hushcount, in `unit`, or what was found in words.
        unit: `s`, `MB` or `%`, empty for words and counts.
        peer, theirs: the peer and its median; None where there is none.
        ratio: hushcount / peer, the median over rounds of the ratio within a round.
        target: in words; None where none is set.
        met: whether it was met; None where none is set.
    """

    case: str
    ours: float | str
    unit: str
    peer: str | None = None
    theirs: float | None = None
    ratio: float | None = None
    target: str | None = None
    met: bool | None = None

    @classmethod
    def beside(cls, case: str, ours: list[float], peer: Peer, theirs: list[float], unit: str = "s") -> Row:
        """From the measurements of each round; `theirs` may have fewer of them."""
        ratio = median(a / b for a, b in zip(ours, theirs, strict=False))
        limited = peer.limit is not None
        target = f"at most {peer.limit:g}" if limited else None
        met = ratio <= peer.limit if limited else None
        return cls(case, median(ours), unit, peer.name, median(theirs), ratio, target, met)

    def as_dict(self) -> dict[str, Any]:
        """For the `extra_info` of pytest-benchmark."""
        return asdict(self)

    def cells(self) -> list[str]:
        """The texts of the table's columns."""
        return [
            self.case,
            self.ours if isinstance(self.ours, str) else quantity(self.ours, self.unit),
            self.peer or NONE,
            NONE if self.theirs is None else quantity(self.theirs, self.unit),
            NONE if self.ratio is None else three_digits(self.ratio),
            self.target or NONE,
            NONE if self.met is None else "yes" if self.met else "**no**",
        ]


def quantity(value: float, unit: str) -> str:
    """`value` with three digits; seconds with the prefix that suits."""
    if unit == "s":
        for factor, prefixed in ((1e-6, "µs"), (1e-3, "ms")):
            if value < 1000 * factor:
                return f"{three_digits(value / factor)} {prefixed}"
    return f"{three_digits(value)} {unit}".rstrip()


def three_digits(value: float) -> str:
    """Three significant digits, without an exponent."""
    if not 0 < value < math.inf:
        return f"{value:g}"
    decimals = max(0, 2 - math.floor(math.log10(value)))
    return f"{value:.{decimals}f}"
