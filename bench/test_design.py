"""Linear programs over private mechanisms, beside the same model written in cvxpy."""

import math
from time import perf_counter, process_time

import cvxpy
import numpy as np
import pytest
from rows import Peer, Row

from hushcount import design
from hushcount.linear_program.certificates import lower_bound
from hushcount.linear_program.solver import solve
from hushcount.mechanisms.optima.nearest import Nearest
from hushcount.optimal_set import OptimalSet
from hushcount.optimal_set.designing import _Asked
from hushcount.optimal_set.face import Face
from hushcount.optimal_set.imposed import Imposed
from hushcount.optimal_set.objective import Objective
from hushcount.privacy.made_private import made_private
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP

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


@pytest.mark.parametrize("size", [32, 256])
@pytest.mark.parametrize(("prior", "delta"), [("uniform", "0"), ("worst", "0.01")])
def test_design_by_thresholds(side_by_side, size, prior, delta):
    asked = _Asked(EpsilonDelta.of("0.5", delta), Objective.of(size - 1, "squared", prior), Imposed(()))
    side_by_side(
        f"design, M = {size}, error^2, {prior}, delta = {delta}, by thresholds",
        asked.by_chain,
        Peer("by a linear program over all entries", asked.by_program, limit=2.0 if size == 32 else 0.2),
        rounds=5 if size == 32 else 1,
    )


@pytest.mark.parametrize(("n", "limit"), [(1000, 1.0), (10_000, 30.0)])
@pytest.mark.parametrize("promise", [EpsilonDelta.of("0.5"), GaussianDP.of("0.5")], ids=str)
@pytest.mark.parametrize("prior", ["uniform", "worst"])
def test_design_at_size(found, n, limit, promise, prior):
    def figures():
        start = process_time()
        told = design(n, promise, prior=prior)
        return process_time() - start, told.gap / told.loss

    def rows(told):
        slowest, gap = max(told)
        case = f"design, n = {n:,}, |error|, {prior}, {promise.in_words()}, gap {gap:.0e} of the loss"
        return [Row(case, slowest, "s", target=f"under {limit:g} s of processor time", met=slowest < limit)]

    found(figures, rows, rounds=1)


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
