"""Sweeps: every point of a grid, computed once, in parallel, and kept."""

from hushcount.sweeps.grid import Grid, mechanism_grid, medium_grid
from hushcount.sweeps.mechanism_row import MechanismPoint, MechanismRow
from hushcount.sweeps.medium_row import MediumPoint, MediumRow
from hushcount.sweeps.run import Sweep, run_sweep, sweep
from hushcount.sweeps.values import grid_values

__all__ = [
    "Grid",
    "MechanismPoint",
    "MechanismRow",
    "MediumPoint",
    "MediumRow",
    "Sweep",
    "grid_values",
    "mechanism_grid",
    "medium_grid",
    "run_sweep",
    "sweep",
]
