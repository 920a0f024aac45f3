"""The optimum behind a medium, beside the paper's plain formulation written in cvxpy."""

import math
import subprocess
import sys
from pathlib import Path
from time import perf_counter

import cvxpy
import numpy as np
import pytest
from rows import Peer, Row

from hushcount.medium import optimum, psk

DECIBELS = {8: 0, 16: 8, 32: 15, 64: 20, 128: 26}
"""At which a linear program has to be solved at epsilon = 1, by order."""

PATIENCE = 30.0
"""Seconds after which a peer's solver is stopped."""

RATIOS = {8: None, 32: 1 / 3, 64: 1 / 5}
SECONDS = {8: 0.05, 64: 10.0, 128: 90.0}
PREPARE = "from hushcount.medium import optimum, psk\nT = psk({order}, es_n0_db={db})\n"
RUN = "found = optimum(T, 1)\nassert found.width < 1e-5\n"


@pytest.mark.parametrize("solver", ["HIGHS", None])
@pytest.mark.parametrize("delta", [0, 1e-6, 0.01])
@pytest.mark.parametrize("order", [8, 32, 64])
def test_optimum(side_by_side, benchmark, order, delta, solver):
    """Where a linear program has to be solved."""
    decibels, stopped = DECIBELS[order], []
    T = psk(order, es_n0_db=decibels)
    name = f"cvxpy + {solver or 'its default solver'}, not certified"
    side_by_side(
        f"optimum behind {order}-PSK at {decibels} dB, epsilon 1, delta {delta:g}, certified",
        lambda: optimum(T, 1, delta),
        Peer(name, lambda: stopped.append(plain(T.matrix, 1, delta, solver) is None), limit=RATIOS[order], rounds=1),
        rounds=1 if order == 64 else 3,
    )
    if any(stopped):
        for row in benchmark.extra_info["rows"]:
            row["peer"] = f"{name}, stopped after {PATIENCE:g} s"


@pytest.mark.parametrize("delta", [0, 1e-6, 0.01])
@pytest.mark.parametrize("order", DECIBELS)
def test_growth(found, order, delta):
    timed(found, order, DECIBELS[order], 1, delta)


@pytest.mark.parametrize(("decibels", "epsilon", "delta"), [(30, 4, 0), (30, 2, 1e-6), (20, 1, 1e-6), (20, 0.5, 0)])
def test_large(found, decibels, epsilon, delta):
    """Harder and easier points at 128 symbols; the last is the worst that is known."""
    timed(found, 128, decibels, epsilon, delta)


def timed(found, order, decibels, epsilon, delta):
    T = psk(order, es_n0_db=decibels)

    def rows(told):
        middle, width = sorted(told)[len(told) // 2]
        case = f"optimum behind {order}-PSK at {decibels} dB, epsilon {epsilon:g}, delta {delta:g}"
        limit = SECONDS.get(order)
        met = None if limit is None else middle < limit
        target = None if limit is None else f"under {limit:g} s"
        return [Row(f"{case}, certified within {width:.0e}", middle, "s", target=target, met=met)]

    def told():
        widths = []
        taken = seconds(lambda: widths.append(optimum(T, epsilon, delta).width))
        return taken, widths[0]

    found(told, rows, rounds=1 if order > 64 else 3)


@pytest.mark.parametrize(("order", "decibels", "limit"), [(64, 20, 2000), (128, 26, 8000)])
def test_memory(found, order, decibels, limit):
    def rows(told):
        case = f"optimum behind {order}-PSK at {decibels} dB, epsilon 1: peak memory of the process"
        return [Row(case, told[0], "MB", target=f"under {limit:,} MB", met=told[0] < limit)]

    found(lambda: peak_megabytes(PREPARE.format(order=order, db=decibels) + RUN), rows, rounds=1)


def test_sweep(found):
    T = psk(8, es_n0_db=5)
    points = np.linspace(0.05, 6, 200).tolist()

    def rows(told):
        return [
            Row("optimum behind 8-PSK at 5 dB, 200 epsilons", max(told), "s", target="under 3 s", met=max(told) < 3)
        ]

    found(lambda: seconds(lambda: [optimum(T, epsilon) for epsilon in points]), rows, rounds=3)


def plain(T, epsilon, delta, solver):
    """Section V of the paper as a cvxpy user would write it, without loops; None if the solver ran out of time."""
    M = len(T)
    P, worst = cvxpy.Variable((M, M), nonneg=True), cvxpy.Variable()
    S = P @ T
    growth = math.exp(epsilon)
    constraints = [cvxpy.sum(P, axis=1) == 1, cvxpy.diag(S) >= worst]
    for above, below in ((S[:-1], S[1:]), (S[1:], S[:-1])):
        excess = above - growth * below
        constraints.append(excess <= 0 if delta == 0 else cvxpy.sum(cvxpy.pos(excess), axis=1) <= delta)
    problem = cvxpy.Problem(cvxpy.Maximize(worst), constraints)
    start = perf_counter()
    try:
        value = problem.solve(solver=solver, time_limit=PATIENCE)
    except cvxpy.SolverError:
        return None
    return None if perf_counter() - start > PATIENCE else 1 - value


def peak_megabytes(code):
    script = Path(__file__).with_name("peak_memory.py")
    run = subprocess.run([sys.executable, str(script), code], check=True, capture_output=True, text=True)
    return int(run.stdout) / 1e6


def seconds(work):
    start = perf_counter()
    work()
    return perf_counter() - start
