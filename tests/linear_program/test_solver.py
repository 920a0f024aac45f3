"""HiGHS through one door: silent, checked, with fallbacks that are reported."""

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hushcount.linear_program import methods, solution, solver as module
from hushcount.linear_program.methods import Method
from hushcount.linear_program.model import ModelBuilder
from hushcount.linear_program.polytope import add_distributions, add_privacy
from hushcount.linear_program.solution import Outcome
from hushcount.linear_program.solver import Solver, solve
from hushcount.promise.epsilon_delta import EpsilonDelta

HERE = Path(__file__).parent
STALLED = {"solver": "simplex", "simplex_iteration_limit": 0, "presolve": "off"}


def least_error_model(n, epsilon, delta):
    """The linear program (6) of the paper: the least worst-case error probability."""
    builder, M = ModelBuilder(), n + 1
    entries = builder.columns((M, M))
    add_distributions(builder, entries)
    privacy = EpsilonDelta.of(epsilon, delta)
    add_privacy(builder, entries[:-1], entries[1:], privacy)
    add_privacy(builder, entries[1:], entries[:-1], privacy)
    least = builder.columns(1, cost=-1.0)
    builder.rows([(np.diagonal(entries).copy(), 1.0), (np.repeat(least, M), -1.0)], lower=0.0)
    return builder.build(), entries


def p_e(n, epsilon, delta):
    q, M = math.exp(-epsilon), n + 1
    total = math.fsum(q ** min(k, M - k) for k in range(M))
    return (1 - delta) * (1 - 1 / total)


@pytest.mark.parametrize(("n", "epsilon"), [(1, 0.5), (2, 1.0), (5, 0.3), (9, 2.0)])
@pytest.mark.parametrize("delta", [0.0, 1e-6, 0.05])
def test_paper_s_program_gives_theorem_1(n, epsilon, delta):
    model, _ = least_error_model(n, epsilon, delta)
    found = solve(model)
    assert found.outcome is Outcome.CERTIFIED
    assert 1 + found.bound <= p_e(n, epsilon, delta) + 1e-12
    assert found.gap <= 1e-9
    assert 1 + found.objective == pytest.approx(p_e(n, epsilon, delta), abs=2e-9)


def test_model_size_is_the_paper_s():
    model, entries = least_error_model(6, 1.0, 0.01)
    M = len(entries)
    assert model.rows == 2 * (M - 1) * (M + 1) + 2 * M  # with the bounds s >= 0, 2 (M - 1)(2 M + 1) and the sums


@pytest.mark.parametrize(
    ("n", "epsilon", "delta"),
    [
        *[
            (5, 8.0, 1e-12),
            (1, 25.0, 0.0),
            (4, 25.0, 0.0),
            (2, 25.0, 0.0),
            (5, 25.0, 0.0),
            (5, 20.0, 0.0),
            (5, 1e-9, 0.0),
        ],
        *[(5, 0.5, 1e-12), (5, 5.0, 1e-12), (10, 8.0, 1e-10), (10, 5.0, 1e-10)],
    ],
)
def test_degenerate_programs_are_right_or_refused(n, epsilon, delta):
    model, _ = least_error_model(n, epsilon, delta)
    found = solve(model)
    truth = p_e(n, epsilon, delta)
    assert found.outcome in (Outcome.CERTIFIED, Outcome.IMPRECISE)
    assert 1 + found.bound <= truth * (1 + 1e-15) + 1e-15  # certified
    if found.outcome is Outcome.CERTIFIED:
        assert found.violation <= solution.VIOLATION
        assert 1 + found.objective == pytest.approx(truth, abs=2e-9)


@pytest.mark.parametrize("method", [method for method in methods.OPTIONS if method is not Method.WARM])
def test_every_method_works_alone(method):
    model, _ = least_error_model(5, 0.5, 0.01)
    found = Solver(model).solve([method])
    assert found.tries == (method,)
    assert found.gap <= 1e-6
    if method not in (
        Method.INTERIOR_POINT,
        Method.PLAIN_INTERIOR_POINT,
    ):  # its point is inside the bounds, where reduced costs need not vanish
        assert found.dual_violation <= 1e-6


def test_fallbacks_are_tried_in_order_and_reported(monkeypatch):
    model, _ = least_error_model(5, 0.5, 0.0)
    monkeypatch.setitem(module.OPTIONS, Method.SIMPLEX, STALLED)
    found = Solver(model).solve([Method.SIMPLEX, Method.CROSSOVER])
    assert found.tries == (Method.SIMPLEX, Method.CROSSOVER)
    assert found.outcome is Outcome.CERTIFIED


def test_when_every_try_fails_the_best_is_given_as_imprecise(monkeypatch):
    model, _ = least_error_model(5, 0.5, 0.0)
    for method in tuple(methods.OPTIONS):
        monkeypatch.setitem(module.OPTIONS, method, STALLED)
    found = solve(model)
    assert found.outcome in (Outcome.IMPRECISE, Outcome.FAILED)
    assert found.tries == module.SMALL
    assert found.bound <= p_e(5, 0.5, 0.0) - 1 + 1e-15


def test_infeasible_is_said_only_with_a_proof(monkeypatch):
    builder = ModelBuilder()
    x = builder.columns((1, 3))
    builder.rows([(x, 1.0)], lower=4.0)
    found = solve(builder.build())
    assert found.outcome is Outcome.INFEASIBLE
    assert found.x is None
    monkeypatch.setattr(module, "proves_infeasible", lambda model, y: False)
    assert solve(builder.build()).outcome is Outcome.FAILED


def test_a_changed_cost_starts_from_the_last_vertex_and_agrees_with_a_cold_solve():
    model, entries = least_error_model(5, 0.5, 0.01)
    warm = Solver(model)
    rng = np.random.default_rng(8)
    for _ in range(20):
        cost = np.zeros(model.columns)
        cost[entries] = rng.normal(size=entries.shape)
        found = warm.minimise(cost)
        assert found.outcome is Outcome.CERTIFIED
        assert found.objective == pytest.approx(solve(warm.model).objective, abs=1e-8)


def test_nothing_is_printed(capfd):
    model, _ = least_error_model(3, 0.5, 0.0)
    solve(model)
    Solver(model).solve(list(methods.OPTIONS), gap=-1.0)
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_another_user_of_highs_in_the_process_does_no_harm(threads):
    # HiGHS has one scheduler for the process, and refuses to run with another number of threads than it has.
    code = f"""
import highspy
other = highspy.Highs()
other.setOptionValue("threads", {threads})
other.setOptionValue("parallel", "on")
other.addVar(0.0, 1.0)
other.run()
from test_solver import least_error_model, solve
print(solve(least_error_model(3, 0.5, 0.0)[0]).outcome.name)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=HERE)
    assert ran.stdout.splitlines()[-1] == "CERTIFIED"


def test_an_option_that_highs_does_not_know_is_not_passed_over(monkeypatch):
    monkeypatch.setitem(module.OPTIONS, Method.SIMPLEX, {"simplex_strategie": 1})
    with pytest.raises(RuntimeError, match="HiGHS does not take simplex_strategie = 1"):
        Solver(least_error_model(1, 0.5, 0.0)[0]).solve([Method.SIMPLEX])


@pytest.mark.parametrize("steps", [0, 3, 10, 20, 40])
def test_what_a_stopped_solver_had_is_certified_all_the_same(monkeypatch, steps):
    model, _ = least_error_model(7, 0.5, 0.01)
    good = solve(model)
    stopped = {**module.OPTIONS[Method.SIMPLEX], "simplex_iteration_limit": steps}
    monkeypatch.setitem(module.OPTIONS, Method.SIMPLEX, stopped)
    found = Solver(model).solve([Method.SIMPLEX])
    assert found.stopped == (Method.SIMPLEX,)
    assert found.outcome in (Outcome.IMPRECISE, Outcome.FAILED)
    assert found.bound <= good.objective + 1e-12
    if found.x is not None:
        assert found.violation == model.violation(found.x)


@pytest.mark.parametrize(
    "worse",
    [
        lambda x, y: (x + 0.25, y),
        lambda x, y: (x, 1e6 * (y + 1)),
        lambda x, y: (np.full_like(x, np.nan), y),
        lambda x, y: (np.ones_like(x), np.full_like(y, np.inf)),
    ],
    ids=["point", "duals", "no point", "infinite duals"],
)
def test_a_vertex_computed_anew_is_not_believed(monkeypatch, worse):
    model, _ = least_error_model(5, 0.5, 0.01)
    monkeypatch.setattr(module, "vertex", lambda program, basic, near, *ways: worse(near[0], near[2]))
    found = Solver(model).solve([Method.SIMPLEX])
    assert found.outcome is Outcome.CERTIFIED
    assert model.violation(found.x) == found.violation <= solution.VIOLATION
    assert model.cost @ found.x == pytest.approx(found.objective)
    assert 1 + found.bound <= p_e(5, 0.5, 0.01) + 1e-12
    assert 1 + found.objective == pytest.approx(p_e(5, 0.5, 0.01), abs=2e-9)


def test_small_coefficients_count():
    builder = ModelBuilder()
    x, y = builder.columns(1, cost=-1.0), builder.columns(1, lower=5e10, upper=5e10)
    builder.rows([(x, 1.0), (y, 1e-11)], upper=1.0)
    found = Solver(builder.build()).solve([Method.PLAIN_INTERIOR_POINT])  # without a basis, by which it could be mended
    assert found.x[0] == pytest.approx(0.5, abs=1e-9)


def test_orders_of_tries_end_without_simplex_for_huge_models():
    def rows(count):
        builder = ModelBuilder()
        column = builder.columns(1)
        builder.rows([(np.repeat(column, count), 1.0)], upper=1.0)
        return builder.build()

    assert methods.order_of_tries(rows(6000)) == module.SMALL
    assert methods.order_of_tries(rows(6001)) == methods.LARGE
    assert methods.order_of_tries(rows(16_001)) == methods.HUGE
