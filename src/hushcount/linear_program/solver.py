"""HiGHS: silent, checked, with a stated order of tries. Only this room knows it.

A status is never trusted. What comes back is judged by what can be recomputed: by how much the point breaks the
constraints, and how far its objective is from the bound that its duals prove (`certificates`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushcount.linear_program.certificates import proves_infeasible
from hushcount.linear_program.methods import (
    MOST_INTERIOR_STEPS,
    OPTIONS,
    SMALL,
    TIGHT,
    Method,
    most_inner_steps,
    most_steps,
    order_of_tries,
)
from hushcount.linear_program.model import LinearModel
from hushcount.linear_program.solution import NOTHING, Outcome, Solution, better, worth
from hushcount.linear_program.steps import ran_within
from hushcount.linear_program.vertex import vertex
from hushcount.numbers.arrays import Floats

__all__ = ["GAP", "Solver", "solve"]

GAP = 1e-9
"""The gap between objective and certified bound at which a try is accepted, relative to 1 or the objective."""


class Solver:
    """A model held by HiGHS, whose cost may be changed so that a new solve starts from the last vertex.

    Args:
        model: what HiGHS solves.
        judged: the model by which points and duals are judged, with the same shape and costs. By default `model`; the
            true one where `model` leaves out coefficients near 0, or has narrower bounds.
    """

    def __init__(self, model: LinearModel, judged: LinearModel | None = None) -> None:
        self.model = model
        self.judged = model if judged is None else judged
        self._highs = _quiet_highs()
        self._pass_model()

    def minimise(self, cost: Floats) -> Solution:
        """Solve with another cost, from where the last solve ended; if that is not accepted, from scratch by the
        order of tries."""
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
        """Return the first try that is accepted, or the best of them."""
        best = self._tried(methods, gap)
        if best.outcome is Outcome.FAILED and _is_infeasible(self.judged):
            return replace(NOTHING, outcome=Outcome.INFEASIBLE, tries=best.tries)
        return best

    def attempts(self, methods: Sequence[Method], gap: float = GAP) -> Iterator[Solution]:
        """Yield each try, from scratch, with all methods up to it, for a caller who knows better when to stop.

        A try that would take the same steps as a stopped one is left out.
        """
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
        """Return the other methods that begin with the same steps as the one just run."""
        import highspy

        if method is not Method.INTERIOR_POINT:
            return ()
        is_as_it_was = self._highs.getModelPresolveStatus() == highspy.HighsPresolveStatus.kNotReduced
        return (Method.CROSSOVER, Method.PLAIN_INTERIOR_POINT) if is_as_it_was else (Method.CROSSOVER,)

    def _tried(self, methods: Sequence[Method], gap: float) -> Solution:
        best = NOTHING
        for found in self.attempts(methods, gap):
            if found.outcome is Outcome.CERTIFIED:
                return found
            best = replace(better(best, found), tries=found.tries, stopped=found.stopped)
        return best

    def _read(self, tried: tuple[Method, ...], gap: float) -> Solution:
        raw = self._highs.getSolution()
        if not raw.value_valid:
            return replace(NOTHING, tries=tried)
        x = np.array(raw.col_value)
        y = np.array(raw.row_dual) if raw.dual_valid else np.zeros(self.model.rows)
        found = worth(self.judged, x * self.model.sizes, y * self._factors, tried, gap)
        if tried[-1:] == (Method.WARM,) and found.outcome is Outcome.CERTIFIED:
            return found  # one of many, and good enough
        anew = self._vertex(x, np.array(raw.row_value), y)
        return found if anew is None else better(worth(self.judged, *anew, tried, gap), found)

    def _vertex(self, x: Floats, activity: Floats, y: Floats) -> tuple[Floats, Floats] | None:
        """Return where the solver ended, computed anew from the basis and the coefficients of the judging model,
        within the bounds that it was told; None if that is no vertex."""
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

    def _pass_model(self) -> None:
        import highspy

        model, self._factors = self.model.scaled()
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = model.columns, model.rows
        lp.col_cost_, lp.col_lower_, lp.col_upper_ = model.cost, model.lower, model.upper
        lp.row_lower_, lp.row_upper_ = model.row_lower, model.row_upper
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = model.starts, model.indices, model.values
        self._set(TIGHT)  # before the model: negligible coefficients are dropped as it is passed
        self._highs.passModel(lp)

    def _run(self, method: Method) -> bool:
        """Return whether the solver ended by itself."""
        self._highs.resetOptions()
        limits: dict[str, object] = {
            "simplex_iteration_limit": most_steps(self.model),
            "ipm_iteration_limit": MOST_INTERIOR_STEPS,
        }
        self._set({"output_flag": False, "parallel": "off", **TIGHT, **limits, **OPTIONS[method]})
        if OPTIONS[method]["solver"] == "ipx":
            if not ran_within(self._highs, most_inner_steps(self.model)):
                return False
            if method is not Method.CROSSOVER:
                return self._is_within_limits
            self._set(OPTIONS[Method.WARM])  # its factors are those of simplex, without which HiGHS crashes
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
    """Minimize the objective, by the stated order of tries.

    Args:
        model, judged: see `Solver`.
        methods: `order_of_tries` by default.
        gap: what a try is accepted at, relative to 1 or the objective.
    """
    return Solver(model, judged).solve(order_of_tries(model) if methods is None else methods, gap)


def _is_infeasible(model: LinearModel) -> bool:
    """Return whether the duals of the least total violation prove that no point meets the constraints."""
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
    """Return the cells of each row followed by two more: one that raises its activity, one that lowers it."""
    return np.insert(kept, np.repeat(model.starts[1:], 2), added.astype(kept.dtype))


def _in_proportion(solve: Callable[[Floats], tuple[Any, Floats]]) -> Callable[[Floats], Floats]:
    """Return the solve at size 1, since HiGHS takes what is below 1e-14 for 0."""

    def solved(side: Floats) -> Floats:
        size = float(np.abs(side).max())
        return np.array(solve(side / size)[1]) * size if 0 < size < math.inf else side  # NaN too

    return solved


def _ok() -> Any:
    import highspy

    return highspy.HighsStatus.kOk


def _quiet_highs() -> Any:
    import highspy  # here, since few commands need it

    class Quiet(highspy.Highs):
        def __init__(self) -> None:
            super(highspy.Highs, self).__init__()  # Highs.__init__, which adds callbacks, would print a banner
            self.setOptionValue("output_flag", False)

    return Quiet()
