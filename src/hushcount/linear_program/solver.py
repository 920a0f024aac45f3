"""HiGHS, asked politely: silent, checked, with a stated order of tries. The only file that knows it.

A status is never believed. What comes back is judged by what can be recomputed: by how much the point breaks the
constraints, and how far its objective is from the bound that its duals prove (`certificates`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushcount.linear_program.certificates import lower_bound, polished, proves_infeasible
from hushcount.linear_program.model import LinearModel
from hushcount.linear_program.steps import ran_within
from hushcount.linear_program.vertex import vertex
from hushcount.numbers.arrays import Floats

__all__ = ["Method", "Outcome", "Solution", "Solver", "order_of_tries", "solve"]

GAP = 1e-9
"""Between the objective and the certified bound, relative to 1 or the objective: what a try is accepted at."""

VIOLATION = 1e-9
"""By how much a constraint may be broken by an accepted try; what is built from it repairs that."""

USABLE = 1e-6
"""A point that breaks a constraint by more is no answer."""


class Method(Enum):
    """How HiGHS is told to solve; the value is the sentence for people."""

    INTERIOR_POINT = "Interior point, without crossover to a vertex."
    PLAIN_INTERIOR_POINT = "Interior point, of the model as it is: without presolve, after which it may break down."
    CROSSOVER = "Interior point, then crossover to a vertex."
    SIMPLEX = (
        "Dual simplex, of the model as it is: without presolve, scaling or perturbed costs, which cost accuracy here."
    )
    PRIMAL_SIMPLEX = "Primal simplex, with presolve and scaling."
    WARM = "Primal simplex from the vertex where the last solve ended."


class Outcome(Enum):
    """What came of a linear program; the value is the sentence for people."""

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
        outcome: what may be relied on.
        x: the point, within the columns' bounds; None where there is none.
        objective: cost . x, in floats.
        bound: certified: no feasible point has a smaller cost . x.
        violation: by how much x breaks the worst constraint, recomputed.
        dual_violation: by how much the worst reduced cost, recomputed, has the wrong sign for where x is; the bound
            pays for it.
        dual: one multiplier per row, as they were certified.
        tries: the methods used, in order.
        stopped: those of them that came to a limit of steps before an end.
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


_NOTHING = Solution(Outcome.FAILED, None, math.inf, -math.inf, math.inf, math.inf, None, ())

_OPTIONS: dict[Method, dict[str, object]] = {
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
# Tolerances as tight as HiGHS takes them; coefficients down to 1e-12 count; everything in one thread as it was called.
_TIGHT: dict[str, object] = {
    "primal_feasibility_tolerance": 1e-10,
    "dual_feasibility_tolerance": 1e-10,
    "ipm_optimality_tolerance": 1e-12,
    "small_matrix_value": 1e-12,
}

SMALL = (Method.SIMPLEX, Method.CROSSOVER, Method.PRIMAL_SIMPLEX)
LARGE = (Method.INTERIOR_POINT, Method.PLAIN_INTERIOR_POINT, Method.CROSSOVER, Method.SIMPLEX)
HUGE = (Method.INTERIOR_POINT, Method.PLAIN_INTERIOR_POINT)
_SMALL_ROWS = 6000
"""Up to so many rows simplex is as fast, and its answer a clean vertex."""
_LARGE_ROWS = 16_000
"""Beyond so many, what works with a basis ends in no useful time."""

_STEPS = 10
"""Of simplex, for each row and column: several times what it takes, unless it goes round in circles, as it may with
bounds such as 1e-30."""

_DEAR_STEPS = 400_000_000
"""Divided by rows and columns: how many steps are worth waiting for, of simplex or of those that make up interior point
and crossover (`steps`). One takes the longer the larger the model; simplex, at 50 ns for each row and column, comes to
half a minute. Each might go on for hours."""

_MOST_INTERIOR_STEPS = 200
"""Of interior point, which takes 30 to 80."""

_FIRST_STEPS, _DEARER_STEPS = 2, 9 * 10**12
"""Of interior point: for each row, what it takes to a first basis, and cheap; and divided by the square of rows and
columns, how many are worth waiting for from there on, where factors fill up (9 ms each for 128-PSK)."""


class Solver:
    """A model held by HiGHS, whose cost may be changed so that a new solve starts from the last vertex.

    Args:
        model: what HiGHS solves.
        judged: what its points and duals are judged by, of the same shape and costs: the model itself by default, or
            the true one where `model` leaves out coefficients that are only nearly 0, or has narrower bounds.
    """

    def __init__(self, model: LinearModel, judged: LinearModel | None = None) -> None:
        self.model = model
        self.judged = model if judged is None else judged
        self._highs = _quiet_highs()
        self._pass_model()

    def minimise(self, cost: Floats) -> Solution:
        """With another cost, from where the last solve ended; from scratch by the order of tries if that is not
        accepted."""
        self.model, self.judged = replace(self.model, cost=cost), replace(self.judged, cost=cost)
        columns = np.arange(self.model.columns, dtype=np.int32)
        self._highs.changeColsCost(self.model.columns, columns, self.model.cost * self.model.sizes)
        self._run(Method.WARM)
        found = self._read((Method.WARM,), GAP)
        if found.outcome is Outcome.CERTIFIED:
            return found
        again = self.solve(SMALL)
        return replace(again, tries=(*found.tries, *again.tries))

    def solve(self, methods: Sequence[Method], gap: float = GAP) -> Solution:
        """The first try that is accepted, or the best of them."""
        best = self._tried(methods, gap)
        if best.outcome is Outcome.FAILED and _is_infeasible(self.judged):
            return replace(_NOTHING, outcome=Outcome.INFEASIBLE, tries=best.tries)
        return best

    def attempts(self, methods: Sequence[Method], gap: float = GAP) -> Iterator[Solution]:
        """Each try, from scratch, with all methods up to it; for a caller who knows better when to stop. One that would
        take the same steps as one that was stopped is left out."""
        tried, stopped, vain = tuple[Method, ...](), tuple[Method, ...](), tuple[Method, ...]()
        for method in methods:
            if method in vain:
                continue
            tried = (*tried, method)
            self._highs.clearSolver()
            if not self._run(method):
                stopped = (*stopped, method)
                vain = (*vain, *self._same_steps(method))
            yield replace(self._read(tried, gap), stopped=stopped)

    def _same_steps(self, method: Method) -> tuple[Method, ...]:
        """Which other methods begin with the same steps as the one that was just run."""
        import highspy

        if method is not Method.INTERIOR_POINT:
            return ()
        is_as_it_was = self._highs.getModelPresolveStatus() == highspy.HighsPresolveStatus.kNotReduced
        return (Method.CROSSOVER, Method.PLAIN_INTERIOR_POINT) if is_as_it_was else (Method.CROSSOVER,)

    def _tried(self, methods: Sequence[Method], gap: float) -> Solution:
        best = _NOTHING
        for found in self.attempts(methods, gap):
            if found.outcome is Outcome.CERTIFIED:
                return found
            best = replace(_better(best, found), tries=found.tries, stopped=found.stopped)
        return best

    def _read(self, tried: tuple[Method, ...], gap: float) -> Solution:
        raw = self._highs.getSolution()
        if not raw.value_valid:
            return replace(_NOTHING, tries=tried)
        x = np.array(raw.col_value)
        y = np.array(raw.row_dual) if raw.dual_valid else np.zeros(self.model.rows)
        found = self._worth(x * self.model.sizes, y * self._factors, tried, gap)
        if tried[-1:] == (Method.WARM,) and found.outcome is Outcome.CERTIFIED:
            return found  # one of many, and good enough
        anew = self._vertex(x, np.array(raw.row_value), y)
        return found if anew is None else _better(self._worth(*anew, tried, gap), found)

    def _vertex(self, x: Floats, activity: Floats, y: Floats) -> tuple[Floats, Floats] | None:
        """Where the solver ended, computed anew from the basis and the coefficients that it is judged by, within the
        bounds that it was told; None if that is no vertex."""
        told = {name: getattr(self.model, name) for name in ("lower", "upper", "row_lower", "row_upper")}
        scaled, factors = replace(self.judged, **told).scaled(self._factors)
        if not self._highs.getBasis().valid:
            return None
        status, basic = self._highs.getBasicVariables()
        if status != _ok():
            return None

        ways = (_in_proportion(way) for way in (self._highs.getBasisSolve, self._highs.getBasisTransposeSolve))
        x, y = vertex(scaled, np.array(basic), (x, activity, y), *ways)
        return x * self.judged.sizes, y * factors

    def _worth(self, x: Floats, y: Floats, tried: tuple[Method, ...], gap: float) -> Solution:
        """What a point and multipliers are worth."""
        model = self.judged
        if not (np.all(np.isfinite(x)) and np.all(np.isfinite(y))):
            return replace(_NOTHING, tries=tried)
        x = np.clip(x, model.lower, model.upper)
        objective, violation = float(model.cost @ x), model.violation(x)
        bound, allowed = lower_bound(model, y), gap * max(1.0, abs(objective))
        if not objective - bound <= allowed:
            shifted = polished(model, y)
            better = lower_bound(model, shifted)
            bound, y = (better, shifted) if better > bound else (bound, y)
        if not violation <= USABLE:
            return replace(_NOTHING, bound=bound, dual=y, tries=tried)
        accepted = violation <= VIOLATION and objective - bound <= allowed
        outcome = Outcome.CERTIFIED if accepted else Outcome.IMPRECISE
        return Solution(outcome, x, objective, bound, violation, _dual_violation(model, x, y), y, tried)

    def _pass_model(self) -> None:
        import highspy

        model, self._factors = self.model.scaled()
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = model.columns, model.rows
        lp.col_cost_, lp.col_lower_, lp.col_upper_ = model.cost, model.lower, model.upper
        lp.row_lower_, lp.row_upper_ = model.row_lower, model.row_upper
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = model.starts, model.indices, model.values
        self._set(_TIGHT)  # before the model: coefficients that do not count are dropped as it is passed
        self._highs.passModel(lp)

    def _run(self, method: Method) -> bool:
        """Whether it came to an end of its own."""
        self._highs.resetOptions()
        limits: dict[str, object] = {
            "simplex_iteration_limit": _most_steps(self.model),
            "ipm_iteration_limit": _MOST_INTERIOR_STEPS,
        }
        self._set({"output_flag": False, "parallel": "off", **_TIGHT, **limits, **_OPTIONS[method]})
        if _OPTIONS[method]["solver"] == "ipx":
            if not ran_within(self._highs, _most_inner_steps(self.model)):
                return False
            if method is not Method.CROSSOVER:
                return self._is_within_limits
            self._set(_OPTIONS[Method.WARM])  # its factors are those of simplex: asked for without, HiGHS crashes
        self._highs.run()
        return self._is_within_limits

    @property
    def _is_within_limits(self) -> bool:
        import highspy

        return bool(self._highs.getModelStatus() != highspy.HighsModelStatus.kIterationLimit)

    def _set(self, options: Mapping[str, object]) -> None:
        for name, value in options.items():
            if self._highs.setOptionValue(name, value) != _ok():
                raise RuntimeError(f"HiGHS does not take {name} = {value!r}")


def solve(
    model: LinearModel,
    methods: Sequence[Method] | None = None,
    gap: float = GAP,
    judged: LinearModel | None = None,
) -> Solution:
    """Minimise, by the stated order of tries.

    Args:
        model, judged: see `Solver`.
        methods: `order_of_tries` by default.
        gap: what a try is accepted at, relative to 1 or the objective.
    """
    return Solver(model, judged).solve(order_of_tries(model) if methods is None else methods, gap)


def order_of_tries(model: LinearModel) -> Sequence[Method]:
    """Simplex first for small models, interior point first for large ones, and nothing else for huge ones."""
    return SMALL if model.rows <= _SMALL_ROWS else LARGE if model.rows <= _LARGE_ROWS else HUGE


def _most_steps(model: LinearModel) -> int:
    """Of simplex."""
    size = model.rows + model.columns
    return min(_STEPS * (size + 100), _DEAR_STEPS // max(size, 1))


def _most_inner_steps(model: LinearModel) -> int:
    """Of those that make up interior point and crossover."""
    size = max(model.rows + model.columns, 1)
    return _FIRST_STEPS * model.rows + min(_DEAR_STEPS // size, _DEARER_STEPS // size**2)


def _dual_violation(model: LinearModel, x: Floats, y: Floats) -> float:
    reduced = model.cost - model.pulled_back(y)[0]
    falls, rises = np.where(x > model.lower, reduced, 0.0), np.where(x < model.upper, -reduced, 0.0)
    return float(np.maximum(falls, rises).max(initial=0.0))


def _better(one: Solution, other: Solution) -> Solution:
    """The accepted point, or that with the smaller gap, and the larger of the two bounds."""
    first = (one.outcome is not Outcome.CERTIFIED, one.gap) <= (other.outcome is not Outcome.CERTIFIED, other.gap)
    winner, loser = (one, other) if first else (other, one)
    return winner if winner.bound >= loser.bound else replace(winner, bound=loser.bound, dual=loser.dual)


def _is_infeasible(model: LinearModel) -> bool:
    """Whether the duals of the least total violation prove that no point meets the constraints."""
    widest = np.maximum(np.abs(model.lower), np.abs(model.upper))
    reach = replace(model, values=np.abs(model.values)).activity(widest) + 1
    sides = [np.where(np.isinf(bound), 0.0, np.abs(bound)) + reach for bound in (model.row_lower, model.row_upper)]
    eased = LinearModel(
        cost=np.concatenate([np.zeros(model.columns), np.ones(2 * model.rows)]),
        lower=np.concatenate([model.lower, np.zeros(2 * model.rows)]),
        upper=np.concatenate([model.upper, np.stack(sides, axis=1).ravel()]),
        row_lower=model.row_lower,
        row_upper=model.row_upper,
        starts=(model.starts + 2 * np.arange(model.rows + 1)).astype(np.int32),
        indices=_with_two_more(model, model.indices, np.arange(2 * model.rows) + model.columns),
        values=_with_two_more(model, model.values, np.tile([1.0, -1.0], model.rows)),
        sizes=np.concatenate([model.sizes, np.ones(2 * model.rows)]),
    )
    dual = Solver(eased)._tried((Method.SIMPLEX, Method.PRIMAL_SIMPLEX), GAP).dual
    return dual is not None and proves_infeasible(model, dual)


def _with_two_more(model: LinearModel, kept: NDArray[Any], added: NDArray[Any]) -> NDArray[Any]:
    """The cells of each row followed by two more: one that raises its activity, one that lowers it."""
    return np.insert(kept, np.repeat(model.starts[1:], 2), added.astype(kept.dtype))


def _in_proportion(solve: Callable[[Floats], tuple[Any, Floats]]) -> Callable[[Floats], Floats]:
    """HiGHS takes what is below 1e-14 for 0: it is asked at size 1."""

    def solved(side: Floats) -> Floats:
        size = float(np.abs(side).max())
        return np.array(solve(side / size)[1]) * size if 0 < size < math.inf else side  # NaN too

    return solved


def _ok() -> Any:
    import highspy

    return highspy.HighsStatus.kOk


def _quiet_highs() -> Any:
    import highspy  # here, as few commands need it

    class Quiet(highspy.Highs):
        def __init__(self) -> None:
            super(highspy.Highs, self).__init__()  # its own, which adds callbacks, prints a banner
            self.setOptionValue("output_flag", False)

    return Quiet()
