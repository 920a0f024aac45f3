"""The promise for one row: so many steps of it never exceed the promise for all of them."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

from hushcount import EpsilonDelta, nearest
from hushcount.errors import InvalidParameter
from hushcount.numbers.enclosure import ball
from hushcount.promise import GaussianDP, SeveralPairs
from hushcount.promise.at_distance import AtDistance

PROMISES = [(0.5, 0.01), (1, 1e-6), (0, 0.1), (3, 0), (2, 0.3), ("1e-9", 0.2), (30, 1e-3), (0.7, "1e-40")]


def worst(mechanism, epsilon, distance):
    """The least delta at epsilon up to a distance, from enclosures of all probabilities; rounded up."""
    with ctx.workprec(256):
        every = range(mechanism.n + 1)
        rows = [[mechanism.enclosed_pmf(i, j, 256) for j in every] for i in every]
        growth, found = ball(epsilon).exp(), arb(0)
        for i in every:
            for k in range(max(0, i - distance), min(mechanism.n, i + distance) + 1):
                excess = [(p - growth * q).nonnegative_part() for p, q in zip(rows[i], rows[k], strict=True)]
                found = found.max(sum(excess, arb(0)))
        return Fraction(float(found.upper()))


@pytest.mark.parametrize("promise", PROMISES, ids=str)
@pytest.mark.parametrize("rows", [1, 2, 3, 5])
def test_so_many_rows_keep_the_promise(promise, rows):
    """By enumeration of all pairs of counts; and a dearer price per row breaks it wherever the promise is attained."""
    whole = EpsilonDelta.of(*promise)
    for n in (rows, 11):
        assert worst(nearest(n, whole.per_row(rows)), whole.epsilon, rows) <= whole.delta + Fraction(1, 10**15)


@pytest.mark.parametrize("promise", [(0.5, 0.01), (1, 0.05), (0, 0.1)], ids=str)
@pytest.mark.parametrize("rows", [2, 3])
def test_a_dearer_promise_per_row_is_refuted(promise, rows):
    whole = EpsilonDelta.of(*promise)
    assert worst(nearest(11, whole.per_row(rows - 1)), whole.epsilon, rows) > whole.delta * 1.2
    careless = EpsilonDelta(whole.epsilon / rows, whole.delta)
    assert worst(nearest(11, careless), whole.epsilon, rows) > whole.delta * 1.2


def test_delta_itself_would_be_a_privacy_fault():
    careless = nearest(11, EpsilonDelta.of(Fraction(1, 6), 0.01))
    assert float(worst(careless, Fraction(1, 2), 3)) == pytest.approx(0.0358, abs=5e-5)


@pytest.mark.parametrize("promise", PROMISES, ids=str)
@pytest.mark.parametrize("rows", [2, 7, 1000])
def test_it_is_rounded_down_and_barely(promise, rows):
    whole = EpsilonDelta.of(*promise)
    row = whole.per_row(rows)
    assert row.epsilon == whole.epsilon / rows
    assert AtDistance(row, rows).least_delta(whole.epsilon) <= whole.delta * (1 + Fraction(1, 10**30))
    more = EpsilonDelta(row.epsilon, row.delta * (1 + Fraction(1, 10**9)))
    assert not whole.delta or AtDistance(more, rows).least_delta(whole.epsilon) > whole.delta
    assert row.starts_above_zero == whole.starts_above_zero


def test_other_promises():
    assert GaussianDP.of("0.3").per_row(3) == GaussianDP.of("0.1")
    assert GaussianDP.of_rho(1).per_row(2).mu_squared == Fraction(1, 2)
    assert GaussianDP.of(1).per_row(7).at_distance(7) == GaussianDP.of(1)
    pairs = SeveralPairs.of([(0.5, 0.01), (1, 1e-6)])
    assert pairs.per_row(4).pairs == tuple(pair.per_row(4) for pair in pairs.pairs)


def test_what_is_too_long_to_keep_is_rounded_down():
    epsilon = Fraction(2**3900 + 1, 2**3901 - 1)
    for whole, kept in ((EpsilonDelta(epsilon, epsilon), "epsilon"), (GaussianDP(epsilon), "mu_squared")):
        row = whole.per_row(10**60 + 1)
        value, exactly = getattr(row, kept), epsilon / (10**60 + 1) ** (2 if kept == "mu_squared" else 1)
        assert exactly * (1 - Fraction(1, 10**30)) < value <= exactly
    assert EpsilonDelta(epsilon, epsilon).per_row(10**60 + 1).delta <= epsilon / (10**60 + 1)
    assert EpsilonDelta(Fraction(1, 3**2500), epsilon).per_row(10**60 + 1).epsilon == 0


def test_bad_rows():
    for promise in (EpsilonDelta.of(1), GaussianDP.of(1), SeveralPairs.of([(1, 0)])):
        for bad in (0, -1, 1.5, "2", True, None, np.nan):
            with pytest.raises(InvalidParameter, match=r"^rows must be an integer >= 1"):
                promise.per_row(bad)
        assert promise.per_row(np.int64(1)) == promise
