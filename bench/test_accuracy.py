"""How long it takes to set up a mechanism, and to find the least promise for a wanted accuracy."""

from time import perf_counter

import pytest
from rows import Row

from hushcount import epsilon_for, mu_for
from hushcount.mechanisms.chain.nearest import NearestGaussian
from hushcount.mechanisms.chain.within import WithinGaussian, WithinPoints
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP

ASKED = [(100, 5, "0.95"), (4820, 5, "0.95"), (10**6, 1000, "0.5"), (10**12, 4096, "0.01"), (10**12, 4096, "0.95")]
SIZES = {10**4: 1.0, 10**6: 1.0, 10**12: None}


@pytest.mark.parametrize(("n", "t", "chance"), ASKED)
@pytest.mark.parametrize("mechanism", ["nearest", "within:T"])
def test_least_promise(found, n, t, chance, mechanism):
    named, told = mechanism.replace("T", str(t)), f"n = {n:,}, within {t:,}, chance {chance}, {mechanism}"
    calls = {
        "epsilon_for": lambda: epsilon_for(n, t, chance, mechanism=named),
        "epsilon_for, delta = 1e-6": lambda: epsilon_for(n, t, chance, "1e-6", mechanism=named),
        "mu_for": lambda: mu_for(n, t, chance, mechanism=named),
    }
    limited(found, {f"{name}, {told}": call for name, call in calls.items()}, 0.05)


@pytest.mark.parametrize(("n", "limit"), SIZES.items())
def test_set_up(found, n, limit):
    cases = {f"set-up, nearest, n = {n:,}, mu = {mu}": set_up(n, mu) for mu in ("0.001", "1")}
    limited(found, cases, limit)


@pytest.mark.parametrize("n", [4819, 16_383])
def test_set_up_within(found, n):
    made = {
        "mu = 0.1": lambda: WithinGaussian(n, GaussianDP.of("0.1"), 5).shifts,
        "epsilon = 0.05": lambda: WithinPoints(n, EpsilonDelta.of("0.05"), 5).points,
        "epsilon = 0.5, delta = 1e-6": lambda: WithinPoints(n, EpsilonDelta.of("0.5", "1e-6"), 5).points,
    }
    limited(found, {f"set-up, within:5, n = {n:,}, {promise}": make for promise, make in made.items()}, 1.0)


def set_up(n, mu):
    return lambda: NearestGaussian(n, GaussianDP.of(mu)).shifts


def limited(found, cases, limit):
    """Time each case once a round, and hold its median to a limit in seconds, if there is one."""

    def figures():
        return [seconds(case) for case in cases.values()]

    def rows(told):
        medians = [sorted(times)[len(times) // 2] for times in zip(*told, strict=True)]
        target = None if limit is None else f"under {limit:g} s"
        return [
            Row(case, median, "s", target=target, met=None if limit is None else median < limit)
            for case, median in zip(cases, medians, strict=True)
        ]

    for case in cases.values():
        case()
    found(figures, rows, rounds=7)


def seconds(work):
    start = perf_counter()
    work()
    return perf_counter() - start
