"""What a mechanism hides that never invents a group: without data, in words and as fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hushcount.mechanisms import Mechanism
from hushcount.mechanisms.chain.never_invented import NeverInvented
from hushcount.numbers.text import typed
from hushcount.words.chances import at_least_as_often, how_often
from hushcount.words.paragraphs import wrapped

__all__ = ["Hiding", "first_shown", "hidden_fields", "hidden_lines", "shown_from"]

_CHANCES = (Fraction(1, 20), Fraction(1, 2), Fraction(19, 20), Fraction(999, 1000), Fraction(1))
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
        shown_from: by chance, the least count that is shown at least so often; None where no count is.
    """

    least_shown: int
    hidden: Mapping[int, float]
    right: Mapping[int, float]
    shown_from: Mapping[Fraction, int | None]

    @classmethod
    def of(cls, mechanism: Mechanism) -> Hiding:
        """Return it for a mechanism that never invents a group, with n >= 1."""
        assert isinstance(mechanism, NeverInvented)
        hidden: dict[int, float] = {}
        for size in _SIZES:
            if size <= mechanism.n and not (hidden and min(hidden.values()) < _HARDLY_HIDDEN):
                hidden[size] = mechanism.pmf(size, 0)
        right = {size: mechanism.pmf(size, size) for size in hidden}
        return cls(mechanism.least_shown, hidden, right, first_shown(mechanism))

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
            lines.append((f"{size:,}", how_often(hidden), at_least_as_often(right) if right else "never"))
        return lines

    def to_sentences(self) -> list[str]:
        """Return from which size on a group is shown how often, and what to know of small counts."""
        return [f"A group is shown {_shown(self.shown_from)}", *_least_told("group", self.least_shown)]


def first_shown(mechanism: NeverInvented) -> dict[Fraction, int | None]:
    """Return by chance the least true count that is shown at least so often."""
    return {chance: mechanism.first_shown(chance) for chance in _CHANCES}


def hidden_lines(mechanism: NeverInvented) -> list[str]:
    """Return what small counts are released as, in lines."""
    zero = "A true count of 0 is always released as 0, and small ones mostly are"
    shown = f"A true count is shown, that is, released as a count above 0, {_shown(first_shown(mechanism))}"
    return [wrapped(f"{each}.") for each in (zero, shown, *_least_told("count", mechanism.least_shown))]


def shown_from(mechanism: NeverInvented) -> str:
    """Return from which true count on one is shown how often, in a sentence."""
    return f"A true count is shown {_shown(first_shown(mechanism))}."


def hidden_fields(mechanism: NeverInvented) -> dict[str, Any]:
    """Return the same as JSON has it: the least count that is released, and by chance the first that is shown so
    often."""
    firsts = {str(float(chance)): first for chance, first in first_shown(mechanism).items()}
    return {"least_shown": mechanism.least_shown, "shown_from": firsts}


def _least_told(what: str, least: int) -> list[str]:
    if least <= 1:
        return []
    never = "The count 1 is never told" if least == 2 else f"No count from 1 to {least - 1:,} is ever told"
    told = f"a smaller {what} that is shown is told as {least:,} or more"
    return [f"{never}: {told}, and {least:,} is the least that may be right"]


def _shown(shown_from: Mapping[Fraction, int | None]) -> str:
    """Return "in at least 5% of releases from 26 on, 50% from 30, ..., always from 60", of the chances that some count
    reaches."""
    largest = {first: chance for chance, first in shown_from.items() if first is not None}
    shares = {first: "always" if chance == 1 else f"{typed(100 * chance)}%" for first, chance in largest.items()}
    if not shares:
        return f"in less than {typed(100 * _CHANCES[0])}% of releases, whatever its count is"
    (first, share), *rest = shares.items()
    often = share if share == "always" else f"in at least {share} of releases"
    return ", ".join([f"{often} from {first:,} on", *(f"{share} from {first:,}" for first, share in rest)])
