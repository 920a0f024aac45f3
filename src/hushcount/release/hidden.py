"""What a mechanism hides that never invents a group: without data, in words and as fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hushcount.mechanisms import Mechanism
from hushcount.mechanisms.chain.never_invented import NeverInvented
from hushcount.words.chances import chance_text, how_often
from hushcount.words.paragraphs import wrapped

__all__ = ["Hiding", "hidden_fields", "hidden_lines", "shown_from"]

_CHANCES = {"5%": Fraction(1, 20), "50%": Fraction(1, 2), "95%": Fraction(19, 20), "99.9%": Fraction(999, 1000)}
"""How often a count is shown, where it is told from which count on it is so."""


_SIZES = tuple(digit * 10**power for power in range(19) for digit in (1, 2, 5))
_HARDLY_HIDDEN = 1e-9
"""Of larger groups than the first that is hidden so rarely nothing is said."""


@dataclass(frozen=True)
class Hiding:
    """What becomes of a group from the data, which is hidden if its released count is 0.

    Attributes:
        least_shown: the least count that is ever told of a group, and so the least that may be told right.
        hidden: the chance that a group is hidden, by its true count: 1, 2, 5, 10, 20, ..., until it hardly ever is.
        right: the chance that its count is told right, by the same true counts.
    """

    least_shown: int
    hidden: Mapping[int, float]
    right: Mapping[int, float]

    @classmethod
    def of(cls, mechanism: Mechanism) -> Hiding:
        """Return it for a mechanism that never invents a group, with n >= 1."""
        assert isinstance(mechanism, NeverInvented)
        hidden: dict[int, float] = {}
        for size in _SIZES:
            if size <= mechanism.n and not (hidden and min(hidden.values()) < _HARDLY_HIDDEN):
                hidden[size] = mechanism.pmf(size, 0)
        return cls(mechanism.least_shown, hidden, {size: mechanism.pmf(size, size) for size in hidden})

    def to_fields(self) -> dict[str, Any]:
        """Return it as a receipt has it."""
        return {
            "keys_from": "data",
            "least_shown": self.least_shown,
            "chance_hidden": self.hidden,
            "chance_right": self.right,
        }

    def to_rows(self, what: str) -> list[Sequence[str]]:
        """Return a table with a head: how often a group is hidden, and how often its count is told right, by its size.

        Args:
            what: what is counted, such as "rows".
        """
        lines: list[Sequence[str]] = [(f"a group of so many {what}", "is hidden", "is told right")]
        for size, hidden in self.hidden.items():
            right = self.right[size]
            # A chance is rounded up: what is told right is what is not told wrong
            often = "never" if right == 0 else f"in all but {chance_text(1 - right)} of releases"
            lines.append((f"{size:,}", how_often(hidden), often))
        return lines

    def to_sentences(self) -> list[str]:
        """Return what to know of small counts, if there is anything."""
        return _least_told("group", self.least_shown)


def hidden_lines(mechanism: NeverInvented) -> list[str]:
    """Return what small counts are released as, in lines."""
    J, n = mechanism.least_shown, mechanism.n
    firsts = {f"in at least {shown} of releases": chance for shown, chance in _CHANCES.items()}
    firsts["always"] = Fraction(1)
    return [
        wrapped(
            "A true count of 0 is always released as 0, and small ones mostly are. A true count is shown, that is, "
            "released as a count above 0,"
        ),
        *(f"  {often:<31}{_from(mechanism.first_shown(chance), n)}" for often, chance in firsts.items()),
        *(wrapped(f"{sentence}.") for sentence in _least_told("count", J)),
    ]


def shown_from(mechanism: NeverInvented) -> str:
    """Return from which true count on one is shown nearly always, in a sentence."""
    often = "95%"
    first = mechanism.first_shown(_CHANCES[often])
    return f"A true count is shown in at least {often} of releases {_from(first, mechanism.n)}."


def hidden_fields(mechanism: NeverInvented) -> dict[str, Any]:
    """Return the same as JSON has it: the least count that is released, and by chance the first that is shown so
    often."""
    firsts = {str(float(chance)): mechanism.first_shown(chance) for chance in (*_CHANCES.values(), Fraction(1))}
    return {"least_shown": mechanism.least_shown, "shown_from": firsts}


def _least_told(what: str, least: int) -> list[str]:
    if least <= 1:
        return []
    told = f"a smaller {what} that is shown is told as {least:,} or more"
    return [f"No count from 1 to {least - 1:,} is ever told: {told}, and {least:,} is the least that may be right"]


def _from(first: int | None, n: int) -> str:
    return f"for no count up to {n:,}" if first is None else f"from {first:,} on"
