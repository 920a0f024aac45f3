"""The best mixture of what is given, by a linear program in that many weights."""

from __future__ import annotations

import numpy as np

from hushcount.linear_program.model import ModelBuilder
from hushcount.linear_program.polytope import add_distributions
from hushcount.linear_program.solver import solve
from hushcount.numbers.arrays import Floats

__all__ = ["best_mixture"]


def best_mixture(parts: Floats, *, least: float = 0.0) -> Floats | None:
    """Return weights >= 0 for which the least entry of `weights @ parts` is largest; None if the program fails.

    They sum to 1 up to the solver's tolerance.

    Args:
        parts: what is mixed, one part in each row.
        least: a lower bound of that entry.
    """
    builder, (count, width) = ModelBuilder(), parts.shape
    weights, smallest = builder.columns((count,)), builder.columns(1, lower=least, cost=-1.0)
    add_distributions(builder, weights[None, :])
    builder.rows([(np.tile(weights, (width, 1)), parts.T), (np.repeat(smallest, width), -1.0)], lower=0.0)
    found = solve(builder.build())
    return None if found.x is None else np.maximum(found.x[weights], 0.0)
