"""The parameters that the statements are checked at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["FULL", "REDUCED", "Grid"]


@dataclass(frozen=True)
class Grid:
    """Choices of parameters; a statement uses those that it applies to.

    Attributes:
        orders: numbers of outcomes M for checks that only need matrices.
        subset_orders: M for checks that go through all 2^M subsets of (2), or solve linear programs with all of them.
        epsilons: >= 0, in nats; at most 2, where linear programs with all subsets are still certified to 1e-11.
        deltas: >= 0 and < 1.
        decibels: Es/N0 in dB, of 8-PSK over additive white Gaussian noise.
        curve_epsilons: how many epsilons, evenly spaced from 0.05 to 6, the curves of Fig. 2 are drawn through.
        random_media: how many random media of each kind.
        members: how many random members of a set of optima.
    """

    orders: tuple[int, ...]
    subset_orders: tuple[int, ...]
    epsilons: tuple[float, ...]
    deltas: tuple[float, ...]
    decibels: tuple[float, ...]
    curve_epsilons: int
    random_media: int
    members: int

    @property
    def promises(self) -> Iterator[tuple[float, float]]:
        """All pairs (epsilon, delta)."""
        return ((epsilon, delta) for epsilon in self.epsilons for delta in self.deltas)


FULL = Grid(
    orders=(2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 32, 33),
    subset_orders=(2, 3, 4, 5, 6),
    epsilons=(0.0, 0.1, 0.25, 0.5, 1.0, 2.0),
    deltas=(0.0, 1e-6, 0.01, 0.1, 0.4),
    decibels=(0.0, 4.0, 8.0, 10.0, 12.0, 20.0),
    curve_epsilons=71,
    random_media=6,
    members=40,
)
"""What `hushcount paper` runs."""

REDUCED = Grid(
    orders=(2, 3, 4, 5, 8),
    subset_orders=(2, 3, 4, 5),
    epsilons=(0.0, 0.25, 1.0, 2.0),
    deltas=(0.0, 0.05),
    decibels=(0.0, 10.0, 20.0),
    curve_epsilons=13,
    random_media=2,
    members=6,
)
"""Enough to find a wrong statement wrong, in seconds."""
