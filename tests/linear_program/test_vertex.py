"""Vertices computed anew from a basis."""

import numpy as np
import pytest
from scipy.optimize import linprog

from hushcount.linear_program.methods import Method
from hushcount.linear_program.model import ModelBuilder
from hushcount.linear_program.solution import Outcome
from hushcount.linear_program.solver import Solver
from hushcount.linear_program.vertex import vertex


def small():
    """minimise -x - 2 y, x + y <= 1, x, y in [0, 1]: (0, 1), where x is at its lower bound."""
    builder = ModelBuilder()
    columns = builder.columns(2, cost=[-1.0, -2.0])
    builder.rows([(columns[None, :], 1.0)], upper=1.0)
    return builder.build()


def solvers(B):
    return (lambda side: np.linalg.solve(B, side)), (lambda side: np.linalg.solve(B.T, side))


def test_point_and_duals_of_a_basis():
    near = np.array([1e-9, 0.999]), np.array([0.99]), np.array([-1.9])
    x, y = vertex(small(), np.array([1]), near, *solvers(np.array([[1.0]])))
    assert x.tolist() == [0.0, 1.0]
    assert y.tolist() == [-2.0]


def test_a_row_in_the_basis():
    near = np.array([0.1, 0.2]), np.array([0.2]), np.array([0.3])
    x, y = vertex(small(), np.array([-1]), near, *solvers(np.array([[1.0]])))
    assert x.tolist() == [0.0, 0.0]  # the nearer bounds
    assert y.tolist() == [0.0]


def test_factors_of_another_matrix_do_if_it_is_near():
    near = np.array([1e-9, 0.999]), np.array([0.99]), np.array([-1.9])
    x, y = vertex(small(), np.array([1]), near, *solvers(np.array([[1.0001]])))
    assert x == pytest.approx([0.0, 1.0], abs=1e-15)
    assert y == pytest.approx([-2.0], abs=1e-12)  # 1e-4 of the error is left in each step


@pytest.mark.parametrize("seed", range(5))
def test_accurate_where_the_solver_was_told_less(seed):
    # What HiGHS sees leaves out small coefficients; what is told is of the true program.
    rng = np.random.default_rng(seed)
    values, cost = rng.random((6, 8)), -rng.random(8)
    models = []
    for least in (1e-4, 0.0):
        builder = ModelBuilder()
        columns = builder.columns(8, cost=cost)
        kept = np.where(values < 0.1, values * 1e-4, values)
        builder.rows([(np.tile(columns, (6, 1)), np.where(kept < least, 0.0, kept))], upper=1.0)
        models.append(builder.build())
    found = Solver(*models).solve([Method.SIMPLEX])
    assert found.outcome is Outcome.CERTIFIED
    assert found.violation <= 1e-15
    assert found.gap <= 1e-13  # what the certificate allows for rounding
    dense = np.where(values < 0.1, values * 1e-4, values)
    assert found.objective == pytest.approx(linprog(cost, A_ub=dense, b_ub=np.ones(6), bounds=(0, 1)).fun, abs=1e-12)
