"""The set of optima as a linear program: the same as the plain one, and its inside."""

import numpy as np
import pytest
import random_optima

from hushcount import canonical, nearest
from hushcount.linear_program.solver import solve
from hushcount.mechanisms import explicit_fair
from hushcount.optimal_set.face import Face

GRID = [(0, 1, 0), (1, 0.5, 0.1), (2, 1, 0), (3, 0.3, 0), (4, 0.3, 0.05), (5, 1, 0), (4, 0, 0.2), (3, 0, 0)]


def violation(model, face, matrix):
    """By how much a matrix breaks the face, with the slacks it needs."""
    fixed = model.lower.copy(), model.upper.copy()
    for bounds in fixed:
        bounds[face.entries] = matrix
    from dataclasses import replace

    found = solve(replace(model, lower=fixed[0] - 1e-11, upper=fixed[1] + 1e-11))
    return found.violation if found.x is not None else np.inf


@pytest.mark.parametrize(("n", "epsilon", "delta"), GRID)
def test_optima_are_in_it(n, epsilon, delta):
    face = Face.of(nearest(n, epsilon, delta))
    model = face.builder.build()
    members = [canonical(n, epsilon, delta).matrix(), nearest(n, epsilon, delta).matrix()]
    if delta == 0:
        members.append(explicit_fair(n, epsilon).matrix())
    elif n:
        members += random_optima.random_members(n + 1, epsilon, delta, 3)
    for member in members:
        assert violation(model, face, member) <= 1e-8


@pytest.mark.parametrize(("n", "epsilon", "delta"), GRID[2:6])
@pytest.mark.parametrize("seed", range(3))
def test_least_costs_are_those_of_the_plain_program(n, epsilon, delta, seed):
    cost = np.random.default_rng(seed).normal(size=(n + 1, n + 1))
    face = Face.of(nearest(n, epsilon, delta))
    face.builder.add_cost(face.entries, cost)
    found = solve(face.builder.build())
    plain = random_optima._programs(n + 1, epsilon, delta)(cost)
    assert found.objective == pytest.approx((cost * plain).sum(), abs=1e-8)


def test_mirrored_face_is_half_as_large_and_as_good_for_mirrored_costs():
    cost = np.cos(np.abs(np.subtract.outer(np.arange(6), np.arange(6))))
    values = []
    for is_mirrored in (False, True):
        face = Face.of(nearest(5, 0.4, 0.01), is_mirrored=is_mirrored)
        face.builder.add_cost(face.entries, cost)
        model = face.builder.build()
        values.append((model.columns, solve(model).objective))
    assert values[1][0] < values[0][0]
    assert values[1][1] == pytest.approx(values[0][1], abs=1e-9)


@pytest.mark.parametrize(("n", "epsilon", "delta"), GRID)
def test_there_is_an_inside_unless_there_is_one_optimum(n, epsilon, delta):
    face = Face.of(nearest(n, epsilon, delta), with_margin=True)
    face.builder.add_cost(np.array([face.margin]), -1.0)
    found = solve(face.builder.build())
    if face.free.any():
        assert found.x[face.margin] > 1e-4
        assert found.violation <= 1e-9
