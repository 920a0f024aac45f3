"""A million exact draws in one call, beside OpenDP's vector call and an insecure line of numpy."""

import numpy as np
import pytest
from peers import numpy_gaussian_line, numpy_line, opendp_vector
from rows import Peer

import hushcount

DRAWS, EPSILON = 10**6, 0.1

CASES = {
    "n = 100, all true counts 50": (100, 0, np.full(DRAWS, 50)),
    "n = 100, all true counts 0": (100, 0, np.zeros(DRAWS, dtype=np.int64)),
    "n = 100, mixed true counts": (100, 0, np.arange(DRAWS) % 101),
    "n = 100, mixed true counts, delta = 1e-6": (100, "1e-6", np.arange(DRAWS) % 101),
    "n = 10^4, mixed true counts": (10**4, 0, np.arange(DRAWS) % 10_001),
    "n = 10^12, all true counts n/2": (10**12, 0, np.full(DRAWS, 10**12 // 2)),
    "n = 10^12, mixed true counts": (10**12, 0, np.linspace(0, 10**12, DRAWS).astype(np.int64)),
    "n = 10^12, mixed true counts, delta = 1e-6": (10**12, "1e-6", np.linspace(0, 10**12, DRAWS).astype(np.int64)),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("mechanism", ["nearest", "canonical"])
def test_a_million_draws(side_by_side, mechanism, case):
    n, delta, counts = CASES[case]
    law = getattr(hushcount.mechanisms, mechanism)(n, EPSILON, delta)
    line, vector = numpy_line(n, EPSILON), opendp_vector(EPSILON)
    side_by_side(
        f"10^6 draws, {mechanism}, {case}",
        lambda: law.draw(counts),
        Peer("numpy line (insecure)", lambda: line(counts), limit=1.5),
        Peer("OpenDP make_geometric, vector", lambda: vector(counts), limit=1 / 50, rounds=2),
        rounds=15,
    )


GAUSSIAN_CASES = {
    "n = 100, mu = 0.1, all true counts 50": (100, 0.1, np.full(DRAWS, 50)),
    "n = 100, mu = 0.1, mixed true counts": (100, 0.1, np.arange(DRAWS) % 101),
    "n = 10^6, mu = 0.01, mixed true counts": (10**6, 0.01, np.arange(DRAWS)),
    "n = 10^6, mu = 0.001, mixed true counts": (10**6, 0.001, np.arange(DRAWS)),
    "n = 10^12, mu = 0.1, mixed true counts": (10**12, 0.1, np.linspace(0, 10**12, DRAWS).astype(np.int64)),
}


@pytest.mark.parametrize("case", GAUSSIAN_CASES)
def test_a_million_gaussian_draws(side_by_side, case):
    n, mu, counts = GAUSSIAN_CASES[case]
    law, line = hushcount.nearest(n, mu=mu), numpy_gaussian_line(n, mu)
    side_by_side(
        f"10^6 draws, nearest, {case}",
        lambda: law.draw(counts),
        Peer("numpy Gaussian line (insecure)", lambda: line(counts), limit=3),
        rounds=15,
    )
