"""One bound on p_e*(T), and all of them as a table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hushcount.mechanisms.explicit import Explicit
from hushcount.medium.at_promise import Received
from hushcount.medium.words import figure, title

__all__ = ["Bound", "BoundTable"]

_NAMES = {
    "l": "lower: the medium alone",
    "u0": "upper: canonical optimum P*",
    "u1": "upper: P* T^-1, in part",
    "u2": "upper: P* and a direction",
    "u3": "upper: P* and best inputs",
    "u4": "upper: best circulant",
    "u5": "upper: best mixture",
}
"""The names of `bounds`, in at most 28 characters."""


@dataclass(frozen=True, eq=False)
class Bound:
    """One bound on p_e*(T).

    Attributes:
        name: "l" or "u0" to "u5".
        value: the lower bound rounded down, or an upper bound rounded up; None where it does not apply.
        used: the mechanism that attains an upper bound, and what it is worth; None for l, and where it does not apply.
        condition: what must hold for it and does not; empty where it applies.
    """

    name: str
    value: float | None
    used: Received | None = field(default=None, repr=False)
    condition: str = ""

    @property
    def mechanism(self) -> Explicit | None:
        """G, which attains an upper bound; None for l, and where the bound does not apply."""
        return None if self.used is None else self.used.mechanism

    def __str__(self) -> str:
        value = f"- ({self.condition})" if self.value is None else figure(self.value)
        return f"  {self.name:<4}{_NAMES[self.name]:<28}{value}"

    def to_dict(self) -> dict[str, Any]:
        """Return the bound, ready for JSON."""
        return {"name": self.name, "value": self.value, "condition": self.condition or None}


class BoundTable(tuple[Bound, ...]):
    """The bounds l, u0, ..., u5, in this order. Printed, they are what `hushcount medium` says of them.

    Attributes:
        is_observed: whether they are about observed frequencies (`MeasuredMedium`).
    """

    is_observed = False

    def __str__(self) -> str:
        return "\n".join([title(self.is_observed), *map(str, self)])
