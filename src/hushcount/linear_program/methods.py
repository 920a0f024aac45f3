"""The ways in which HiGHS is told to solve, their order, and how many steps each may take."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from hushcount.linear_program.model import LinearModel

__all__ = [
    "HUGE",
    "MOST_INTERIOR_STEPS",
    "OPTIONS",
    "SMALL",
    "TIGHT",
    "Method",
    "most_inner_steps",
    "most_steps",
    "order_of_tries",
]


class Method(Enum):
    """How a linear program is solved, mostly by HiGHS; the value is the sentence for people."""

    CHAIN = "Interior point of our own, for the program behind a medium, which is a chain of rows."
    INTERIOR_POINT = "Interior point, without crossover to a vertex."
    PLAIN_INTERIOR_POINT = "Interior point, of the model as it is: without presolve, after which it may break down."
    CROSSOVER = "Interior point, then crossover to a vertex."
    SIMPLEX = (
        "Dual simplex, of the model as it is: without presolve, scaling or perturbed costs, which cost accuracy here."
    )
    PRIMAL_SIMPLEX = "Primal simplex, with presolve and scaling."
    WARM = "Primal simplex from the vertex where the last solve ended."


OPTIONS: dict[Method, dict[str, object]] = {
    Method.INTERIOR_POINT: {"solver": "ipx", "run_crossover": "off", "presolve": "on"},
    Method.PLAIN_INTERIOR_POINT: {"solver": "ipx", "run_crossover": "off", "presolve": "off"},
    Method.CROSSOVER: {"solver": "ipx", "run_crossover": "on", "presolve": "on"},
    Method.SIMPLEX: {
        "solver": "simplex",
        "simplex_strategy": 1,
        "presolve": "off",
        "simplex_scale_strategy": 0,
        "dual_simplex_cost_perturbation_multiplier": 0.0,
    },
    Method.PRIMAL_SIMPLEX: {"solver": "simplex", "simplex_strategy": 4, "presolve": "on"},
    Method.WARM: {"solver": "simplex", "simplex_strategy": 4, "presolve": "off", "simplex_scale_strategy": 0},
}
# Tolerances as tight as HiGHS allows; coefficients down to 1e-12 count; everything runs in the calling thread.
TIGHT: dict[str, object] = {
    "primal_feasibility_tolerance": 1e-10,
    "dual_feasibility_tolerance": 1e-10,
    "ipm_optimality_tolerance": 1e-12,
    "small_matrix_value": 1e-12,
}

SMALL = (Method.SIMPLEX, Method.CROSSOVER, Method.PRIMAL_SIMPLEX)
LARGE = (Method.INTERIOR_POINT, Method.PLAIN_INTERIOR_POINT, Method.CROSSOVER, Method.SIMPLEX)
HUGE = (Method.INTERIOR_POINT, Method.PLAIN_INTERIOR_POINT)
_SMALL_ROWS = 6000
"""Up to so many rows simplex is as fast, and its answer is a clean vertex."""
_LARGE_ROWS = 16_000
"""Beyond so many rows, methods that work with a basis do not finish in useful time."""

_STEPS = 10
"""Simplex steps for each row and column: several times what it takes, unless it cycles, as it may with bounds such
as 1e-30."""

_DEAR_STEPS = 400_000_000
"""Divided by rows and columns: how many steps are worth waiting for, of simplex or of those within interior point
and crossover (`steps`).

A step takes longer the larger the model; simplex, at 50 ns for each row and column, comes to half a minute. Each method
might go on for hours.
"""

MOST_INTERIOR_STEPS = 200
"""The most steps of interior point, which takes 30 to 80."""

_FIRST_STEPS, _DEARER_STEPS = 2, 9 * 10**12
"""Limits on the steps within interior point.

The first, for each row, is what it takes to a first basis; these steps are cheap. The second, divided by the square of
rows and columns, is how many are worth waiting for from there, where factors fill up (9 ms each for 128-PSK).
"""


def order_of_tries(model: LinearModel) -> Sequence[Method]:
    """Return simplex first for small models, interior point first for large ones, and interior point only for huge
    ones."""
    return SMALL if model.rows <= _SMALL_ROWS else LARGE if model.rows <= _LARGE_ROWS else HUGE


def most_steps(model: LinearModel) -> int:
    """Return the most steps of simplex."""
    size = model.rows + model.columns
    return min(_STEPS * (size + 100), _DEAR_STEPS // max(size, 1))


def most_inner_steps(model: LinearModel) -> int:
    """Return the most steps within interior point and crossover."""
    size = max(model.rows + model.columns, 1)
    return _FIRST_STEPS * model.rows + min(_DEAR_STEPS // size, _DEARER_STEPS // size**2)
