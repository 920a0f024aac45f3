"""The least error at sensitivity s against linear programs, reference values and sums."""

import json
import math
from pathlib import Path

import mpmath
import numpy as np
import pytest
from for_each import for_each
from several_programs import Program

from hushcount import EpsilonDelta, nearest
from hushcount.errors import InvalidParameter
from hushcount.mechanisms import least_error_probability

CASES = [
    (M, s, promise)
    for M in range(2, 9)
    for s in range(1, 6)
    for promise in [(0.5, 0), (0.1, 0.05), (1, 0.01), (0, 0.2), (3, 1e-4)]
]


@pytest.mark.grid
@for_each("case", CASES)
def test_it_is_the_linear_program_s(case):
    """175 cases: the least largest error of all matrices that are private between counts at distance s or less."""
    M, s, promise = case
    program = Program(M, [promise], extra=1, distance=s)
    for i in range(M):
        program.at_most({i * M + i: -1.0, program.first_extra: 1.0}, 0.0)
    right, _ = program.largest({program.first_extra: 1.0})
    assert least_error_probability(M - 1, *promise, sensitivity=s) == pytest.approx(1 - right, abs=1e-8)


def test_reference_values():
    file = Path(__file__).parents[1] / "data" / "promises.json"
    for case in json.loads(file.read_text())["sensitivity"]:
        promise = repr(case["epsilon"]), repr(case["delta"])
        found = least_error_probability(case["M"] - 1, *promise, sensitivity=case["sensitivity"])
        assert 1 - found == pytest.approx(float(case["gamma"]), rel=1e-13)


@pytest.mark.parametrize("epsilon", [0, "1e-300", 0.01, 0.5, 3, 40, 1000])
@for_each("n", [0, 1, 2, 3, 10, 11, 99])
def test_it_is_the_sum_over_the_circle(epsilon, n):
    for s in (1, 2, 3, 7, 50, 10**9):
        with mpmath.workdps(600):
            e = mpmath.mpf(str(epsilon))
            others = mpmath.fsum(mpmath.exp(-e * -(-min(k, n + 1 - k) // s)) for k in range(1, n + 1))
            expected = float((1 - mpmath.mpf(1) / 4) * others / (1 + others))
        assert math.isclose(least_error_probability(n, epsilon, "1/4", sensitivity=s), expected, rel_tol=1e-15)


def test_epsilon_beyond_the_floats():
    assert least_error_probability(11, "1e400", 0.1, sensitivity=3) == 0


def test_at_sensitivity_1_it_is_the_optimum_s():
    for n, promise in ((0, (1, 0)), (7, (0.1, 1e-3)), (10**12, (0.01, 1e-6)), (5, (0, 0))):
        assert least_error_probability(n, *promise) == nearest(n, *promise).error_probability


def test_a_price_per_row_is_above_it():
    """M = 12, s = 3: right with .1628 at best, and with .1340 at the price for one row."""
    assert 1 - least_error_probability(11, 0.5, 0.01, sensitivity=3) == pytest.approx(0.1628, abs=5e-5)
    assert 1 - nearest(11, EpsilonDelta.of(0.5, 0.01).per_row(3)).error_probability == pytest.approx(0.1340, abs=5e-5)


def test_bad_arguments():
    for given, match in (
        ({"n": -1, "epsilon": 1}, r"^n must be"),
        ({"n": 3, "epsilon": -1}, r"^epsilon must be"),
        ({"n": 3, "epsilon": 1, "delta": 1}, r"^delta must be"),
        ({"n": 3, "epsilon": 1, "sensitivity": 0}, r"^sensitivity must be an integer >= 1"),
        ({"n": 3, "epsilon": 1, "sensitivity": 1.5}, r"^sensitivity must be an integer >= 1"),
        ({"n": 3, "epsilon": np.nan}, r"^epsilon must be"),
    ):
        with pytest.raises(InvalidParameter, match=match):
            least_error_probability(**given)
