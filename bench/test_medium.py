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

from hushcount import optimum, psk

LOSSY = {8: (0, 1.0), 32: (15, 1.0), 64: (20, 1.0)}
"""dB and epsilon at which a linear program has to be solved, by order."""

PATIENCE = 30.0
"""Seconds after which a peer's solver is stopped."""

LIMITS = {8: None, 32: 1 / 3, 64: 1 / 5}
PREPARE = "from hushcount import optimum, psk\nT = psk({order}, es_n0_db={db})\n"
RUN = "found = optimum(T, 1)\nassert found.width < 1e-7\n"


@pytest.mark.parametrize("solver", ["HIGHS", None])
@pytest.mark.parametrize("order", [8, 32, 64])
def test_optimum(side_by_side, order, solver):
    """Where a linear program has to be solved."""
    decibels, epsilon = LOSSY[order]
    T = psk(order, es_n0_db=decibels)
    side_by_side(
        f"optimum behind {order}-PSK at {decibels} dB, epsilon {epsilon:g}, certified",
        lambda: optimum(T, epsilon),
        Peer(
            f"cvxpy + {solver or 'its default solver'}, not certified, at most {PATIENCE:g} s",
            lambda: plain(T.matrix, epsilon, solver),
            limit=LIMITS[order],
            rounds=1,
        ),
        rounds=1 if order == 64 else 3,
    )


@pytest.mark.parametrize(("order", "decibels", "limit"), [(8, 0, 0.05), (64, 20, 10.0), (128, 26, 90.0)])
def test_time(found, order, decibels, limit):
    T = psk(order, es_n0_db=decibels)

    def rows(told):
        case = f"optimum behind {order}-PSK at {decibels} dB, epsilon 1, certified"
        middle = sorted(told)[len(told) // 2]
        return [Row(case, middle, "s", target=f"under {limit:g} s", met=middle < limit)]

    found(lambda: seconds(lambda: optimum(T, 1)), rows, rounds=1 if order > 64 else 5)


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


def plain(T, epsilon, solver):
    """Section V of the paper as a cvxpy user would write it, without loops."""
    M = len(T)
    P, worst = cvxpy.Variable((M, M), nonneg=True), cvxpy.Variable()
    S = P @ T
    growth = math.exp(epsilon)
    constraints = [
        cvxpy.sum(P, axis=1) == 1,
        cvxpy.diag(S) >= worst,
        S[:-1] <= growth * S[1:],
        S[1:] <= growth * S[:-1],
    ]
    problem = cvxpy.Problem(cvxpy.Maximize(worst), constraints)
    try:
        return 1 - problem.solve(solver=solver, time_limit=PATIENCE)
    except cvxpy.SolverError:  # out of time
        return None


def peak_megabytes(code):
    script = Path(__file__).with_name("peak_memory.py")
    run = subprocess.run([sys.executable, str(script), code], check=True, capture_output=True, text=True)
    return int(run.stdout) / 1e6


def seconds(work):
    start = perf_counter()
    work()
    return perf_counter() - start
