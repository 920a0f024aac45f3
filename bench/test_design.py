"""Linear programs over private mechanisms, beside the same model written in cvxpy."""

import math
from time import perf_counter

import cvxpy
import numpy as np
import pytest
from rows import Peer, Row

from hushcount import design
from hushcount.linear_program.certificates import lower_bound
from hushcount.linear_program.solver import solve
from hushcount.mechanisms.optima.nearest import Nearest
from hushcount.optimal_set import OptimalSet
from hushcount.optimal_set.face import Face
from hushcount.privacy.made_private import made_private
from hushcount.promise.epsilon_delta import EpsilonDelta

M = 32
EPSILON = 0.5
DISTANCES = np.abs(np.subtract.outer(np.arange(M), np.arange(M)))


@pytest.mark.parametrize("prior", ["worst", "uniform"])
@pytest.mark.parametrize("delta", [0.0, 1e-6, 0.01])
def test_design(side_by_side, delta, prior):
    side_by_side(
        f"design, M = {M}, |error|, {prior}, delta = {delta:g}, certified",
        lambda: design(M - 1, EPSILON, delta, loss="absolute", prior=prior),
        Peer("cvxpy + HiGHS, not certified", lambda: plain(delta, prior), limit=1 / 3),
        rounds=9,
    )


@pytest.mark.parametrize(("size", "limit"), [(8, 2.0), (16, 60.0)])
@pytest.mark.parametrize("delta", [0.0, 0.01])
def test_ranges(found, size, limit, delta):
    def rows(told):
        slowest = max(told)
        case = f"ranges of all entries of all optima, M = {size}, delta = {delta:g}"
        return [Row(case, sorted(told)[len(told) // 2], "s", target=f"under {limit:g} s", met=slowest < limit)]

    found(lambda: seconds(lambda: OptimalSet(size - 1, EPSILON, delta).ranges), rows, rounds=5)


def test_certificate(found):
    """Both proofs against the solve itself: the best optimum for a loss that no closed form answers."""
    privacy = EpsilonDelta.of(EPSILON, "0.01")
    face = Face.of(Nearest(M - 1, privacy))
    face.builder.add_cost(face.entries, np.cos(DISTANCES))
    model = face.builder.build()

    def figures():
        start = perf_counter()
        solution = solve(model)
        middle = perf_counter()
        lower_bound(model, solution.dual)
        made_private(solution.x[face.entries], privacy)
        return middle - start, perf_counter() - middle

    def rows(told):
        ratio = sorted(proof / solving for solving, proof in told)[len(told) // 2]
        proof, solving = (sorted(part)[len(told) // 2] for part in ([b for _, b in told], [a for a, _ in told]))
        case = f"both proofs of a linear program, M = {M}, against its solve"
        return [Row(case, proof, "s", "the solve", solving, ratio, "less than 1", ratio < 1)]

    found(figures, rows, rounds=9)


def plain(delta, prior):
    """The model as a cvxpy user would write it, without loops."""
    P = cvxpy.Variable((M, M), nonneg=True)
    constraints = [cvxpy.sum(P, axis=1) == 1]
    for above, below in ((P[:-1], P[1:]), (P[1:], P[:-1])):
        if delta:
            slack = cvxpy.Variable((M - 1, M), nonneg=True)
            constraints += [above - math.exp(EPSILON) * below <= slack, cvxpy.sum(slack, axis=1) <= delta]
        else:
            constraints.append(above <= math.exp(EPSILON) * below)
    losses = cvxpy.sum(cvxpy.multiply(DISTANCES, P), axis=1)
    goal = cvxpy.max(losses) if prior == "worst" else cvxpy.sum(losses) / M
    return cvxpy.Problem(cvxpy.Minimize(goal), constraints).solve(solver=cvxpy.HIGHS)


def seconds(work):
    start = perf_counter()
    work()
    return perf_counter() - start
