"""What a mechanism hides that never invents a group: without data, in words and as fields."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hushcount.mechanisms.chain.never_invented import NeverInvented
from hushcount.words.paragraphs import wrapped

__all__ = ["hidden_fields", "hidden_lines"]

_CHANCES = {"5%": Fraction(1, 20), "50%": Fraction(1, 2), "95%": Fraction(19, 20), "99.9%": Fraction(999, 1000)}
"""How often a count is shown, where it is told from which count on it is so."""


def hidden_lines(mechanism: NeverInvented) -> list[str]:
    """Return what small counts are released as, in lines."""
    J, n = mechanism.least_shown, mechanism.n
    firsts = {f"in at least {shown} of releases": chance for shown, chance in _CHANCES.items()}
    firsts["always"] = Fraction(1)
    gap = "" if J <= 1 else f"No count from 1 to {J - 1:,} is ever released, and {J:,} is the least that may be right."
    return [
        wrapped(
            "A true count of 0 is always released as 0, and small ones mostly are. A true count is shown, that is, "
            "released as a count above 0,"
        ),
        *(f"  {often:<31}{_from(mechanism.first_shown(chance), n)}" for often, chance in firsts.items()),
        *([wrapped(gap)] if gap else []),
    ]


def hidden_fields(mechanism: NeverInvented) -> dict[str, Any]:
    """Return the same as JSON has it: the least count that is released, and by chance the first that is shown so
    often."""
    firsts = {str(float(chance)): mechanism.first_shown(chance) for chance in (*_CHANCES.values(), Fraction(1))}
    return {"least_shown": mechanism.least_shown, "shown_from": firsts}


def _from(first: int | None, n: int) -> str:
    return f"for no count up to {n:,}" if first is None else f"from {first:,} on"
