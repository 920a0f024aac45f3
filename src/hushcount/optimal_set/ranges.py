"""The exact range of every entry over the set of optima."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hushcount.errors import SolverFailed, TooLarge
from hushcount.linear_program.solver import Solver
from hushcount.mechanisms.optima.canonical import Canonical
from hushcount.mechanisms.optima.nearest import Nearest
from hushcount.numbers.arrays import Floats
from hushcount.optimal_set.face import Face
from hushcount.optimal_set.radius import radius_bound
from hushcount.optimal_set.shared import is_unique, shared_entries

__all__ = ["LARGEST_RANGED", "EntryRange", "Ranges", "entry_ranges", "radius"]

LARGEST_RANGED = 65
"""The most outcomes for which entry ranges are found: two linear programs for each entry, minutes for all of them."""


@dataclass(frozen=True)
class EntryRange:
    """Certified bounds of an entry over all optimal mechanisms, rounded outward."""

    lower: float
    upper: float

    @property
    def width(self) -> float:
        return self.upper - self.lower


@dataclass(frozen=True, eq=False)
class Ranges:
    """The ranges of all entries.

    Attributes:
        lower, upper: certified bounds, shape (M, M), rounded outward.
        gap: the largest distance of a bound from the entry in the solver's matrix, which is optimal up to the solver's
            accuracy; None where a bound came without a matrix.
    """

    lower: Floats
    upper: Floats
    gap: float | None

    def __getitem__(self, place: tuple[int, int]) -> EntryRange:
        return EntryRange(float(self.lower[place]), float(self.upper[place]))

    def to_dict(self) -> dict[str, Any]:
        """Return the ranges, ready for JSON."""
        return {"lower": self.lower.tolist(), "upper": self.upper.tolist(), "gap": self.gap}


def entry_ranges(optimum: Nearest, places: list[tuple[int, int]] | None = None) -> Ranges:
    """Return the ranges of entries by linear programs over the face, two for each entry not known in closed form.

    Shared entries are known, and so are the largest values next to the diagonal, which are those of the nearest
    optimum. One model is kept; each program starts from the vertex where the last ended. Reflection gives the lower
    half.

    Args:
        places: the entries (i, j) wanted; all by default. Those not asked for are NaN.

    Raises:
        TooLarge: more than 65 outcomes.
        SolverFailed: a bound could not be certified.
    """
    M = optimum.n + 1
    if not M <= LARGEST_RANGED:
        raise TooLarge(f"entry ranges take linear programs of up to {LARGEST_RANGED} outcomes (got {M:,})")
    face = Face.of(optimum)
    solver = Solver(face.builder.build())
    first, most = solver.model, float(np.nextafter(optimum.error_probability, 1.0))
    lower, upper, gap = np.full((M, M), np.nan), np.full((M, M), np.nan), 0.0
    wanted = [(i, j) for i in range(M) for j in range(M)] if places is None else places
    for i, j in sorted({min((i, j), (M - 1 - i, M - 1 - j)) for i, j in wanted}):
        column = int(face.entries[i, j])
        low, high = float(first.lower[column]), float(first.upper[column])
        if low < high:
            low, shortfall = _bound(solver, column, 1.0)
            gap = max(gap, shortfall)
            if abs(i - j) == 1:
                high = float(np.nextafter(optimum.pmf(i, j), np.inf))
            else:
                negated, shortfall = _bound(solver, column, -1.0)
                high, gap = -negated, max(gap, shortfall)
            low, high = max(low, float(np.nextafter(first.lower[column], 0.0))), min(high, most)
        else:
            low, high = float(np.nextafter(low, 0.0)), float(np.nextafter(high, 2.0))
        for place in ((i, j), (M - 1 - i, M - 1 - j)):
            lower[place], upper[place] = low, high
    for array in (lower, upper):
        array.setflags(write=False)
    return Ranges(lower, upper, gap if np.isfinite(gap) else None)


def radius(optimum: Nearest, ranges: Ranges) -> float:
    """Return Delta_M of [RV26] Definition 1, the largest |p_ij - p*_ij| over all optima, rounded up: at most
    `ranges.gap` above the true one, and never above R_M."""
    if is_unique(optimum):
        return 0.0
    center = Canonical(optimum.n, optimum.privacy).matrix()
    free = ~shared_entries(optimum)
    rounding = 2 * np.spacing(center)  # of the center to floats, and of a difference
    widest = max((ranges.upper - center + rounding)[free].max(), (center - ranges.lower + rounding)[free].max())
    return min(float(widest), radius_bound(optimum))


def _bound(solver: Solver, column: int, sign: float) -> tuple[float, float]:
    """Return the least sign * entry, certified, and how far the solver's own vertex is from it."""
    cost = np.zeros(solver.model.columns)
    cost[column] = sign
    found = solver.minimise(cost)
    if not np.isfinite(found.bound):
        raise SolverFailed(f"no range found: {found.outcome.value}")
    return found.bound, found.gap
