"""[RV26] (18), (19) and Appendix D."""

import json
import math
from fractions import Fraction
from pathlib import Path

import brute
import mpmath
import numpy as np
import pytest
import random_optima
from hypothesis import given, strategies as st

from hushcount import canonical, nearest
from hushcount.errors import InvalidParameter
from hushcount.optimal_set.families import (
    four_outcome_optimum,
    four_outcome_ranges,
    three_outcome_determinant,
    three_outcome_optimum,
    three_outcome_range,
)
from hushcount.optimal_set.membership import contains
from hushcount.optimal_set.rank import determinant

REFERENCE = {
    case["M"]: case
    for case in json.loads((Path(__file__).parents[1] / "data" / "optimal_set.json").read_text())
    if case["M"] in {3, 4}
}


def between(low, high, share):
    """A float in [low, high]."""
    return min(max(low + share * (high - low), low), high)


def edge(ranges, share, other):
    """x2 and x3 in range."""
    x3 = between(*ranges.x3, share)  # type: ignore[call-arg]
    x2 = between(1.0, math.nextafter(ranges.largest_sum - x3, 0), other)
    return max(x2, 1.0), min(x3, ranges.largest_sum - 1)


# --- three outcomes ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("delta", [0, 1e-6, 0.05, 0.3, 0.7])
@pytest.mark.parametrize("epsilon", [0.05, 0.5, 2, 12])
def test_equation_18(epsilon, delta):
    """As printed, with k and delta'."""
    low, high = three_outcome_range(epsilon, delta)
    u, v = between(low, high, 0.3), between(low, high, 0.9)
    k = math.exp(epsilon)
    d = (k + 2) * delta / (1 - delta)
    printed = (1 - delta) / (k + 2) * np.array([[k + d, 2 - u, u], [1, k + d, 1], [v, 2 - v, k + d]])
    assert np.allclose(three_outcome_optimum(epsilon, delta, u=u, v=v).matrix(), printed, rtol=1e-14, atol=0)


@given(st.floats(0, 20), st.sampled_from([0, 1e-9, 0.02, 0.25, 0.9]), st.floats(0, 1), st.floats(0, 1))
def test_equation_18_gives_members(epsilon, delta, first, second):
    low, high = three_outcome_range(epsilon, delta)
    P = three_outcome_optimum(epsilon, delta, u=between(low, high, first), v=between(low, high, second))
    assert contains(canonical(2, epsilon, delta), P)


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0, 0.01, 0.2, 0.6])
@pytest.mark.parametrize("epsilon", [0, 0.1, 0.4, 2])
def test_equation_18_gives_all_members(epsilon, delta):
    """Linear programs find the same ranges; the limits that the paper lists beside them are out of reach."""
    lowest, highest = random_optima.entry_ranges(3, epsilon, delta)
    k = math.exp(epsilon)
    unit = (1 - delta) / (k + 2)
    low, high = three_outcome_range(epsilon, delta)
    for i, j in ((0, 2), (2, 0)):
        assert math.isclose(lowest[i, j] / unit, low, abs_tol=1e-7)
        assert math.isclose(highest[i, j] / unit, high, abs_tol=1e-7)
    for i in (0, 2):
        assert math.isclose(lowest[i, 1] / unit, 1, abs_tol=1e-7)
        assert math.isclose(highest[i, 1] / unit, 2 - low, abs_tol=1e-7)
    if epsilon > 0:
        d = (k + 2) * delta / (1 - delta)
        assert 2 - low < k * (k + d)


def test_equation_18_against_the_reference():
    case = REFERENCE[3]
    low, high = three_outcome_range(case["epsilon"], case["delta"])
    for u, bound in ((low, "lower"), (high, "upper")):
        P = three_outcome_optimum(case["epsilon"], case["delta"], u=u, v=u).matrix()
        for i, j in ((0, 2), (2, 0)):
            assert abs(P[i, j] - case[bound][i][j]) < case["tol"]
        for i in (0, 2):
            assert abs(P[i, 1] - case["upper" if bound == "lower" else "lower"][i][1]) < case["tol"]


@pytest.mark.parametrize(("epsilon", "delta"), [(0, 0), (0.3, 0), (0.3, 0.01), (0.3, 0.5), (9, 0), (0, 0.1), (1e-9, 0)])
def test_canonical_and_nearest_are_the_ends_of_18(epsilon, delta):
    low, _ = three_outcome_range(epsilon, delta)
    for u, make in ((1, canonical), (low, nearest)):
        P = three_outcome_optimum(epsilon, delta, u=u, v=u).matrix()
        assert np.allclose(P, make(2, epsilon, delta).matrix(), rtol=1e-15, atol=1e-16)


def test_the_range_of_u_is_decided_exactly():
    with mpmath.workdps(60):
        k, delta = mpmath.exp(mpmath.mpf(3) / 10), mpmath.mpf(1) / 100
        exact = (1 - (k + 2) * delta / (1 - delta)) / k
        inside, outside = mpmath.nstr(exact + mpmath.mpf(10) ** -50, 55), mpmath.nstr(exact - mpmath.mpf(10) ** -50, 55)
    parameters = Fraction(3, 10), Fraction(1, 100)
    assert three_outcome_optimum(*parameters, u=inside, v=1)
    with pytest.raises(InvalidParameter, match=r"^u must be a number from"):
        three_outcome_optimum(*parameters, u=outside, v=1)
    with pytest.raises(InvalidParameter, match=r"^v must be a number from"):
        three_outcome_optimum(*parameters, u=1, v=outside)
    low, _ = three_outcome_range(*parameters)
    assert three_outcome_optimum(*parameters, u=low, v=low)
    with pytest.raises(InvalidParameter):
        three_outcome_optimum(*parameters, u=math.nextafter(low, 0), v=1)
    assert three_outcome_range(0.3, 0.3)[0] == 0
    with pytest.raises(InvalidParameter, match=r"= 0\.0 to 1"):
        three_outcome_optimum(0.3, 0.3, u="-1e-1000", v=0)


# --- Appendix D -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("delta", [0, 0.01, 0.3])
@pytest.mark.parametrize("epsilon", [0, 0.1, 1, 5])
def test_appendix_d_formula(epsilon, delta):
    """Against the exact determinant of the matrix, and against the formula as printed."""
    low, high = three_outcome_range(epsilon, delta)
    for share in (0.1, 0.5, 1):
        u, v = between(low, high, share), between(low, high, 1 - share / 2)
        found = three_outcome_determinant(epsilon, delta, u=u, v=v)
        P = three_outcome_optimum(epsilon, delta, u=u, v=v)
        assert math.isclose(found, float(determinant(P.entries)), rel_tol=1e-11, abs_tol=1e-16)
        with mpmath.workdps(40):
            k, d = mpmath.exp(brute.real(epsilon)), brute.real(delta)
            d_ = (k + 2) * d / (1 - d)
            f = (k + d_) ** 3 - (k + d_) * (mpmath.mpf(u) * v + 4 - u - v) - 2 * (mpmath.mpf(u) * v - u - v)
            assert math.isclose(found, ((1 - d) / (k + 2)) ** 3 * f, rel_tol=1e-15, abs_tol=1e-30)


@given(st.floats(1e-3, 10), st.floats(0, 0.99), st.floats(0, 1), st.floats(0, 1))
def test_appendix_d_is_positive(epsilon, delta, first, second):
    """It does not fall in u or v, and its least value has the closed form g(k, delta')."""
    low, high = three_outcome_range(epsilon, delta)
    u, v = between(low, high, first), between(low, high, second)
    value = three_outcome_determinant(epsilon, delta, u=u, v=v)
    least = three_outcome_determinant(epsilon, delta, u=low, v=low)
    assert 0 < least <= value * (1 + 1e-15)
    assert value <= three_outcome_determinant(epsilon, delta, u=high, v=v) * (1 + 1e-15)
    if low > 0:
        with mpmath.workdps(40):
            k, d = mpmath.exp(brute.real(epsilon)), brute.real(delta)
            A = k + (k + 2) * d / (1 - d)
            g = (A + 2) * (1 - 1 / k**2) * (A - 1) ** 2
            assert math.isclose(least, ((1 - d) / (k + 2)) ** 3 * g, rel_tol=1e-6)


def test_appendix_d_at_epsilon_0():
    assert three_outcome_determinant(0, 0, u=1, v=1) == 0
    low = 1 - Fraction(1, 99)  # 1 - delta', delta' = 3 delta / (1 - delta)
    assert three_outcome_determinant(0, Fraction(1, 298), u=low, v=low) == 0
    assert three_outcome_determinant(0, Fraction(1, 298), u=1, v=low) > 0


# --- four outcomes ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 2, 12])
def test_equation_19(epsilon):
    """As printed."""
    ranges, k = four_outcome_ranges(epsilon), math.exp(epsilon)
    (x2, x3), (y2, y3) = edge(ranges, 0.2, 0.6), edge(ranges, 0.7, 0.1)
    x1, y1 = 2 * k + 1 - x2 - x3, 2 * k + 1 - y2 - y3
    printed = np.array([[k**2, x1, x2, x3], [k, k**2, k, 1], [1, k, k**2, k], [y3, y2, y1, k**2]]) / (k + 1) ** 2
    found = four_outcome_optimum(epsilon, x2=x2, x3=x3, y2=y2, y3=y3).matrix()
    assert np.allclose(found, printed, rtol=1e-13, atol=0)


@given(st.floats(0.001, 15), *[st.floats(0, 1)] * 4)
def test_equation_19_gives_members(epsilon, a, b, c, d):
    ranges = four_outcome_ranges(epsilon)
    (x2, x3), (y2, y3) = edge(ranges, a, b), edge(ranges, c, d)
    assert contains(canonical(3, epsilon), four_outcome_optimum(epsilon, x2=x2, x3=x3, y2=y2, y3=y3))


@pytest.mark.parametrize("epsilon", [0, 0.1, 0.4, 1.5])
def test_equation_19_gives_all_members(epsilon):
    """Linear programs find the same ranges, and the same largest x2 + x3."""
    lowest, highest = random_optima.entry_ranges(4, epsilon, 0)
    k, ranges = math.exp(epsilon), four_outcome_ranges(epsilon)
    unit = 1 / (k + 1) ** 2
    for row in (0, 3):
        places = (1, 2, 3) if row == 0 else (2, 1, 0)
        for j, (low, high) in zip(places, (ranges.x1, ranges.x2, ranges.x3), strict=True):
            assert math.isclose(lowest[row, j] / unit, low, abs_tol=1e-7)
            assert math.isclose(highest[row, j] / unit, high, abs_tol=1e-7)
    gain = np.zeros((4, 4))
    gain[0, 2:] = 1
    gamma = canonical(3, epsilon).pmf(0, 0)
    most = brute.best_linear(4, epsilon, 0, gain, gamma - 1e-11)
    assert math.isclose(most / unit, ranges.largest_sum, abs_tol=1e-7)
    if epsilon > 0:  # limits of the paper that the row sum cuts
        assert ranges.x1[1] < k**3
        assert ranges.x2[1] < k**2


def test_equation_19_against_the_reference():
    case = REFERENCE[4]
    k, ranges = math.exp(case["epsilon"]), four_outcome_ranges(case["epsilon"])
    for j, (low, high) in ((1, ranges.x1), (2, ranges.x2), (3, ranges.x3)):
        assert abs(low / (k + 1) ** 2 - case["lower"][0][j]) < case["tol"]
        assert abs(high / (k + 1) ** 2 - case["upper"][0][j]) < case["tol"]
        assert abs(high / (k + 1) ** 2 - case["upper"][3][3 - j]) < case["tol"]


@pytest.mark.parametrize("epsilon", [0, 1e-9, 0.3, 9])
def test_canonical_and_nearest_are_corners_of_19(epsilon):
    ranges = four_outcome_ranges(epsilon)
    (low, high) = ranges.x3
    for x2, x3, make in ((1, high, canonical), (1, low, nearest)):
        P = four_outcome_optimum(epsilon, x2=x2, x3=x3, y2=x2, y3=x3).matrix()
        assert np.allclose(P, make(3, epsilon).matrix(), rtol=1e-15, atol=1e-16)


@pytest.mark.parametrize("name", ["x", "y"])
def test_the_ranges_of_19_are_checked(name):
    ranges = four_outcome_ranges(0.4)

    def optimum(second, third):
        good = {"x2": 1, "x3": 1, "y2": 1, "y3": 1}
        return four_outcome_optimum(0.4, **{**good, f"{name}2": second, f"{name}3": third})

    assert optimum(1, ranges.x3[0])
    assert optimum(1, ranges.x3[1])
    with pytest.raises(InvalidParameter, match=f"^{name}2 must be a number >= 1"):
        optimum(math.nextafter(1, 0), 1)
    with pytest.raises(InvalidParameter, match=rf"^{name}3 must be a number >= e\^-epsilon"):
        optimum(1, math.nextafter(ranges.x3[0], 0))
    with pytest.raises(InvalidParameter, match=rf"^{name}2 \+ {name}3 must be at most e\^epsilon \+ 1"):
        optimum(1, math.nextafter(ranges.x3[1], 2))


# --- bad input --------------------------------------------------------------------------------------------------------


def test_bad_parameters():
    with pytest.raises(InvalidParameter, match="epsilon"):
        three_outcome_optimum(-1, u=1, v=1)
    with pytest.raises(InvalidParameter, match="at most 200"):
        four_outcome_ranges(201)
    with pytest.raises(InvalidParameter, match="delta"):
        three_outcome_range(1, 1)
    with pytest.raises(InvalidParameter, match=r"^u must be a finite number"):
        three_outcome_optimum(1, u=math.nan, v=1)
    assert contains(canonical(2, 200), three_outcome_optimum(200, u=1, v=1))
    assert contains(canonical(3, 200), four_outcome_optimum(200, x2=1, x3=1, y2=5, y3=7))
