"""Promises as curves: iterates, what they mean in other currencies, how they are written."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from brute import real
from flint import arb, ctx
from hypothesis import given, strategies as st

from hushcount.errors import InvalidParameter
from hushcount.promise import EpsilonDelta, GaussianDP, SeveralPairs, mu_squared_of_pure_epsilon, promise_of
from hushcount.promise.given import from_fields

PAIRS = [
    [(0.1, 0.1), (0.6, 0.01)],
    [(0.2, 0.15), (0.8, 0.02), (2, 0)],
    [(0, 0.1)],
    [(0, 0.3), (0.5, 1e-3), (3, 0)],
    [(1, 0)],
    [(1, 0), (1, 0.1), (2, 0.2)],
    [(0, 0)],
    [("1e-400", 0.3)],
    [(40, 1e-9)],
]
PROMISES = [*map(SeveralPairs.of, PAIRS), *(GaussianDP.of(mu) for mu in ("1e-9", 0.3, 1, 7))]
each_promise = pytest.mark.parametrize("promise", PROMISES, ids=str)


def least(promise, y):
    """Return g(y) in mpmath, as defined."""
    if isinstance(promise, GaussianDP):
        if y in (0, 1):
            return y
        mu = mpmath.sqrt(real(promise.mu_squared))
        return mpmath.ncdf(mpmath.sqrt(2) * mpmath.erfinv(2 * y - 1) - mu)
    lines = [mpmath.mpf(0)]
    for pair in promise.pairs:
        growth, delta = mpmath.exp(real(pair.epsilon)), real(pair.delta)
        lines += [(y - delta) / growth, 1 - delta - growth * (1 - y)]
    return max(lines)


def holds(ball, value):
    return (
        abs(mpmath.mpf(ball.mid().str(200, radius=False)) - value)
        <= mpmath.mpf(ball.rad().str(20, radius=False)) * 1.01 + mpmath.mpf(2) ** -500
    )


# --- iterates -------------------------------------------------------------------------------------------------------


@each_promise
@pytest.mark.parametrize("y", [0, 2.0**-30, 0.01, 0.3, 0.5, 0.77, 1 - 2.0**-40, 1])
def test_iterates_hold_the_recursion_and_are_narrow(promise, y):
    with mpmath.workdps(250), ctx.workprec(256):
        value = mpmath.mpf(y)
        for k in range(31):
            found = promise.least_after(arb(y), 1 - arb(y), k)
            assert holds(found, value)
            assert found.rad() < 1e-40
            other = promise.largest_after(1 - arb(y), arb(y), k)
            assert holds(other, 1 - value)
            value = least(promise, value)


@each_promise
def test_the_curve_is_symmetric_about_its_fixed_point(promise):
    with ctx.workprec(512):
        star = promise.fixed_point()
        assert (promise.least_after(star, 1 - star, 1) - (1 - star)).abs_upper() < 1e-30
        if promise != SeveralPairs.of([(0, 0)]):
            assert star > 0.5


def test_many_steps_cost_no_more_than_their_logarithm():
    promise = SeveralPairs.of([("1e-12", 0), (0.5, 0), (1e-9, "1e-30")])
    with ctx.workprec(128):
        found = promise.least_after(arb(0.75), arb(0.25), 10**12)  # e^-1 on the first line, once below its kink
        assert 0 < found < 0.75
        step = promise.least_after(found, 1 - found, 1)
        assert (promise.least_after(arb(0.75), arb(0.25), 10**12 + 1) - step).abs_upper() < 1e-25


def test_an_intersection_is_the_least_of_its_curves():
    one, other = EpsilonDelta.of(0.1, 0.1), EpsilonDelta.of(0.6, 0.01)
    both = SeveralPairs((one, other))
    with ctx.workprec(128):
        for y in np.linspace(0, 1, 41).tolist():
            values = [curve.least_after(arb(y), 1 - arb(y), 1) for curve in (one, other, both)]
            assert values[0].max(values[1]).overlaps(values[2])


# --- other currencies -------------------------------------------------------------------------------------------------


@each_promise
@pytest.mark.parametrize("epsilon", ["0", "0.1", "0.35", "1", "3"])
def test_least_delta_is_the_supremum_and_rounded_up(promise, epsilon):
    epsilon = Fraction(epsilon)
    found = promise.least_delta(epsilon)
    with mpmath.workdps(60):
        growth = mpmath.exp(real(epsilon))
        if isinstance(promise, GaussianDP):
            mu = mpmath.sqrt(real(promise.mu_squared))
            e = real(epsilon)
            exactly = mpmath.ncdf(-e / mu + mu / 2) - growth * mpmath.ncdf(-e / mu - mu / 2)
            assert exactly <= real(found) * (1 + mpmath.mpf(10) ** -40)
            assert real(found) <= exactly * (1 + mpmath.mpf(10) ** -15) + mpmath.mpf(2) ** -1000
            return
        values = [1 - least(promise, 1 - mpmath.mpf(x) / 2000) - growth * x / 2000 for x in range(2001)]
        assert max(values) <= real(found) + mpmath.mpf(10) ** -40
        assert real(found) <= max(values) + 0.03  # the grid is coarse where f is steep
        # a supremum is reached: some mixture of the pairs' own kinks comes as near as wanted
        kinks = mpmath.linspace(0, mpmath.mpf(1) / 1000, 2001)
        near = [1 - least(promise, 1 - x) - growth * x for x in kinks]
        assert real(found) <= max(*values, *near) + 1e-3


def test_one_pair_promises_itself():
    pair = EpsilonDelta.of("0.7", "0.01")
    assert pair.least_delta(Fraction("0.7")) == pair.least_delta(Fraction(5)) == Fraction("0.01")
    at_0 = Fraction(pair.least_delta(Fraction(0)))
    with mpmath.workdps(40):
        exactly = real("0.01") + real("0.99") * mpmath.expm1(real("0.7")) / (1 + mpmath.exp(real("0.7")))
        assert abs(real(at_0) - exactly) < mpmath.mpf(10) ** -35


@pytest.mark.parametrize("promise", [p for p in PROMISES if str(p) != "(0, 0)"], ids=str)
@pytest.mark.parametrize("delta", ["0.2", "1e-3", "1e-9"])
def test_least_epsilon_inverts_least_delta(promise, delta):
    delta = Fraction(delta)
    found = promise.least_epsilon(delta)
    if found is None:
        assert promise.least_delta(Fraction(2**30)) > delta
        return
    assert promise.least_delta(found) <= delta
    if found > 0:
        assert promise.least_delta(found * (1 - Fraction(1, 2**40))) > delta


def test_gaussian_dp_promises_no_epsilon_alone():
    assert GaussianDP.of(1).least_epsilon(Fraction(0)) is None


@pytest.mark.parametrize("delta", ["0.3", "1e-6", "1e-400", "1e-1200"])
@pytest.mark.parametrize("mu", ["1e-600", "1e-3", "2", "5000", "1e6", "1e60"])
def test_gaussian_dp_promises_an_epsilon_at_every_delta(mu, delta):
    """However large mu is, and however small delta."""
    promise, delta = GaussianDP.of(mu), Fraction(delta)
    found, mu_squared = promise.least_epsilon(delta), GaussianDP.of(mu).mu_squared
    enough = promise.enough_epsilon(delta)
    assert found <= enough
    with mpmath.workdps(100):
        assert real(enough) >= real(mu_squared) / 2 + mpmath.sqrt(-2 * real(mu_squared) * mpmath.log(real(delta)))
    if mu_squared > 2**20:
        assert found == enough
        return
    assert promise.is_implied(found, delta)
    if found > Fraction(1, 2**1000):
        assert not promise.is_implied(found * (1 - Fraction(1, 2**40)), delta)


@pytest.mark.parametrize("epsilon", ["3", "1e7", "1e300"])
def test_a_pair_promises_its_epsilon_however_large(epsilon):
    for promise in (EpsilonDelta.of(epsilon, "1e-6"), SeveralPairs.of([(epsilon, "1e-6"), (0, "0.5")])):
        assert promise.least_epsilon(Fraction(1, 10**6)) == Fraction(epsilon)
        assert promise.least_epsilon(Fraction(1, 10**7)) is None


@pytest.mark.parametrize("epsilon", ["1e-100", 1e-6, 0.5, 1, 10, 1000])
def test_mu_of_a_pure_release_is_the_least(epsilon):
    """f_epsilon lies below the Gaussian curve and touches it at its kink, x = 1 / (1 + e^epsilon)."""
    found = mu_squared_of_pure_epsilon(epsilon)
    with mpmath.workdps(700):
        q = mpmath.exp(-real(epsilon))
        exactly = (2 * mpmath.sqrt(2) * mpmath.erfinv((1 - q) / (1 + q))) ** 2 if q > 1e-100 else None
        if exactly is not None:
            assert exactly <= real(found) <= exactly * (1 + mpmath.mpf(2) ** -55)
    if epsilon == 1000:
        assert float(found) ** 0.5 == pytest.approx(89.2314954639)
    curve = GaussianDP(found)
    pure = EpsilonDelta.of(epsilon)
    for at in (0, Fraction(epsilon) / 3, Fraction(epsilon) / 2):
        assert curve.least_delta(Fraction(at)) >= pure.least_delta(Fraction(at)) * (1 - Fraction(1, 2**60))
    assert mu_squared_of_pure_epsilon(0) == 0


def test_mu_of_a_pure_release_is_a_short_decimal_at_every_size():
    assert mu_squared_of_pure_epsilon(1) == Fraction("1.5179111907419586309")
    assert mu_squared_of_pure_epsilon("1e-1000") == Fraction(1, 10**330)
    assert mu_squared_of_pure_epsilon("1e-300") == Fraction(1, 10**330)
    assert mu_squared_of_pure_epsilon("1e300") == 8 * 10**300
    near, far = (mu_squared_of_pure_epsilon(2**30 + step) for step in (0, 1))
    assert 1 < far / near < 1 + Fraction(1, 10**6)


@given(st.fractions(Fraction(1, 1000), 4), st.integers(1, 9))
def test_at_a_distance(mu, distance):
    far = GaussianDP.of(mu).at_distance(distance)
    assert far == GaussianDP.of(mu * distance)
    with ctx.workprec(128):
        y = arb(0.4)
        assert far.least_after(y, 1 - y, 2).overlaps(GaussianDP.of(mu).least_after(y, 1 - y, 2 * distance))


# --- what is accepted, and how it is written --------------------------------------------------------------------------


def test_mu_squared_is_kept_exactly():
    assert GaussianDP.of("0.1").mu_squared == Fraction(1, 100)
    assert GaussianDP.of_rho("1/3").mu_squared == Fraction(2, 3)
    assert GaussianDP.of_rho("0.5") == GaussianDP.of(1)
    assert GaussianDP.of_rho("0.5").rho == Fraction(1, 2)
    assert len({GaussianDP.of(1), GaussianDP.of("1.0"), GaussianDP.of_rho("1/2")}) == 1
    assert float(GaussianDP.of_rho(1)) == math.sqrt(2)
    assert str(GaussianDP.of("0.8")) == "mu 0.8"
    assert str(GaussianDP.of_rho("1/3")) == "rho 1/3"


def test_pairs_are_a_set():
    one = SeveralPairs.of([(1, 0), ("0.1", "0.1"), (1, "0")])
    assert one == SeveralPairs.of([("0.1", "0.1"), (1, 0)])
    assert hash(one) == hash(SeveralPairs.of([("0.1", "0.1"), (1, 0)]))
    assert str(one) == "(0.1, 0.1) and (1, 0)"


@each_promise
def test_fields_are_read_back(promise):
    assert from_fields(promise.to_fields()) == promise


def test_one_promise_is_asked_for():
    assert promise_of(1, "0.1") == EpsilonDelta.of(1, "0.1")
    assert promise_of(mu=2) == GaussianDP.of(2)
    assert promise_of(rho=2) == GaussianDP.of(2)
    assert promise_of(GaussianDP.of(2)) == GaussianDP.of(2)
    for bad in (
        {"epsilon": 1, "mu": 1},
        {"mu": 1, "rho": 1},
        {"mu": 1, "delta": 0.1},
    ):
        with pytest.raises(InvalidParameter, match=r"^(mu|rho|delta) must be left out beside"):
            promise_of(**bad)
    with pytest.raises(InvalidParameter, match=r"^epsilon must be"):
        promise_of()
    with pytest.raises(InvalidParameter, match=r"^delta must be left out"):
        promise_of(GaussianDP.of(2), 0.1)


@pytest.mark.parametrize("bad", [0, -1, "nan", math.inf, "x", True, []])
def test_bad_mu_and_rho(bad):
    for name in ("mu", "rho"):
        with pytest.raises(InvalidParameter, match=rf"^{name} must be"):
            promise_of(**{name: bad})


@pytest.mark.parametrize("bad", [[], [1], [(1, 2, 3)], [(1, 2)], "ab", None, [(-1, 0)]])
def test_bad_pairs(bad):
    with pytest.raises(InvalidParameter, match=r"^(pairs|epsilon|delta) must be"):
        SeveralPairs.of(bad)


@pytest.mark.parametrize("bad", [{}, {"mu": "1"}, {"pairs": "x"}, {"pairs": [{"mu_squared": "1"}]}, {"pairs": [1]}])
def test_bad_fields(bad):
    with pytest.raises(InvalidParameter, match=r"^promise must be the fields"):
        from_fields(bad)
