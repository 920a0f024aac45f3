"""The result of a linear program, judged by what can be recomputed (`certificates`)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from hushcount.linear_program.certificates import lower_bound, polished
from hushcount.linear_program.methods import Method
from hushcount.linear_program.model import LinearModel
from hushcount.numbers.arrays import Floats

__all__ = ["NOTHING", "Outcome", "Solution", "better", "worth"]

VIOLATION = 1e-9
"""By how much an accepted try may break a constraint; what is built from it repairs that."""

USABLE = 1e-6
"""A point that breaks a constraint by more is no answer."""


class Outcome(Enum):
    """What a linear program came to; the value is the sentence for people."""

    CERTIFIED = "Solved: the point meets the constraints and the bound that was proved meets its objective."
    IMPRECISE = (
        "Solved, but not to the asked accuracy: the certified bound and the objective are further apart, as happens "
        "where numbers span many orders of magnitude. Use the bound as it is, or pose a less extreme program."
    )
    INFEASIBLE = "No point meets the constraints; this is proved. Drop one of them."
    FAILED = "The solver gave no usable answer in any of the tries. Pose a smaller or a less extreme program."


@dataclass(frozen=True)
class Solution:
    """The result of `solve`.

    Attributes:
        outcome: how far the result may be relied on.
        x: the point, within the columns' bounds; None where there is none.
        objective: cost . x, in floats.
        bound: certified and rounded down: no feasible point has a smaller cost . x.
        violation: by how much x breaks the worst constraint, recomputed.
        dual_violation: by how much the worst reduced cost, recomputed, has the wrong sign for where x is; the bound
            pays for it.
        dual: one multiplier per row, as certified.
        tries: the methods used, in order.
        stopped: those of them that reached a limit of steps before they ended.
    """

    outcome: Outcome
    x: Floats | None
    objective: float
    bound: float
    violation: float
    dual_violation: float
    dual: Floats | None
    tries: tuple[Method, ...]
    stopped: tuple[Method, ...] = ()

    @property
    def gap(self) -> float:
        """objective - bound; infinite where either is missing."""
        return self.objective - self.bound if self.x is not None else math.inf


NOTHING = Solution(Outcome.FAILED, None, math.inf, -math.inf, math.inf, math.inf, None, ())


def worth(model: LinearModel, x: Floats, y: Floats, tried: tuple[Method, ...], gap: float) -> Solution:
    """Return what a point and multipliers are worth."""
    if not (np.all(np.isfinite(x)) and np.all(np.isfinite(y))):
        return replace(NOTHING, tries=tried)
    x = np.clip(x, model.lower, model.upper)
    objective, violation = float(model.cost @ x), model.violation(x)
    bound, allowed = lower_bound(model, y), gap * max(1.0, abs(objective))
    if not objective - bound <= allowed:
        shifted = polished(model, y)
        better = lower_bound(model, shifted)
        bound, y = (better, shifted) if better > bound else (bound, y)
    if not violation <= USABLE:
        return replace(NOTHING, bound=bound, dual=y, tries=tried)
    accepted = violation <= VIOLATION and objective - bound <= allowed
    outcome = Outcome.CERTIFIED if accepted else Outcome.IMPRECISE
    return Solution(outcome, x, objective, bound, violation, _dual_violation(model, x, y), y, tried)


def _dual_violation(model: LinearModel, x: Floats, y: Floats) -> float:
    reduced = model.cost - model.pulled_back(y)[0]
    falls, rises = np.where(x > model.lower, reduced, 0.0), np.where(x < model.upper, -reduced, 0.0)
    return float(np.maximum(falls, rises).max(initial=0.0))


def better(one: Solution, other: Solution) -> Solution:
    """Return the accepted solution, or that with the smaller gap, with the larger of the two bounds."""
    first = (one.outcome is not Outcome.CERTIFIED, one.gap) <= (other.outcome is not Outcome.CERTIFIED, other.gap)
    winner, loser = (one, other) if first else (other, one)
    return winner if winner.bound >= loser.bound else replace(winner, bound=loser.bound, dual=loser.dual)
