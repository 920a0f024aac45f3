"""Chances behind a medium, as they are printed for people."""

from __future__ import annotations

__all__ = ["LEAST_SHOWN", "between", "figure", "observed", "protects", "title"]

LEAST_SHOWN = 1e-300
"""Below this, a float says little."""


def protects(*, is_decided: bool) -> str:
    """Return what a mechanism in front of a medium protects, which stands wherever one is told of or saved.

    Args:
        is_decided: whether the medium has outputs that are read as counts (`DecidedMedium`).
    """
    seen, before = ("output", ", before it is read as a count") if is_decided else ("hard decision", "")
    return (
        f"The promise is kept against those who see only the {seen} of one transmission through exactly this "
        f"medium{before}. "
        "Less may be left against those who hear it through another medium, or more than once, or with soft decisions."
    )


def figure(chance: float) -> str:
    """Return a chance with ten digits."""
    return f"below {LEAST_SHOWN}" if 0 < chance < LEAST_SHOWN else f"{chance:.10g}"


def between(low: float, high: float) -> str:
    """Return both ends of an interval, or one if they print the same."""
    ends = figure(low), figure(high)
    return ends[1] if ends[0] == ends[1] else " to ".join(ends)


def title(is_observed: bool) -> str:
    """Return the line above the chances that what arrives is wrong."""
    return f"Worst-case chance that what arrives is wrong{observed(is_observed)}"


def observed(is_observed: bool) -> str:
    """Return what is added to a figure about observed frequencies."""
    return ", as observed" if is_observed else ""
