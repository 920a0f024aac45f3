"""Composition against the optimal theorem of Kairouz, Oh and Viswanath, in 60 digits."""

import builtins
import json
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from hushcount import EpsilonDelta, compose, from_matrix, nearest
from hushcount.errors import BadUse, InvalidParameter
from hushcount.privacy import Basis


def real(x):
    x = Fraction(x)
    return mpmath.mpf(x.numerator) / x.denominator


def optimal_epsilon(k, epsilon, delta, target):
    """[KOV15] Theorem 3.3 for k identical releases, with epsilon between its steps as well: the least e with
    1 - (1 - delta)^k (1 - sum_l C(k, l) (e^((k-l) epsilon) - e^(e + l epsilon))^+ / (1 + e^epsilon)^k) <= target."""
    with mpmath.workdps(60):
        own, delta, target = real(epsilon), real(delta), real(target)

        def needed(e):
            surplus = mpmath.fsum(
                mpmath.binomial(k, place)
                * max(mpmath.mpf(0), mpmath.exp((k - place) * own) - mpmath.exp(e + place * own))
                for place in range(k + 1)
            )
            return 1 - (1 - delta) ** k * (1 - surplus / (1 + mpmath.exp(own)) ** k)

        low, high = mpmath.mpf(0), k * own
        if needed(high) > target:
            return mpmath.inf
        if needed(low) <= target:
            return low
        for _ in range(180):
            middle = (low + high) / 2
            low, high = (low, middle) if needed(middle) <= target else (middle, high)
        return high


@pytest.mark.slow
@pytest.mark.parametrize("k", [1, 2, 10, 100])
@pytest.mark.parametrize(
    ("epsilon", "delta", "target"),
    [(0.1, 0, 1e-6), (0.1, "1e-8", 1e-5), (1, 0, 1e-6), (1, "1e-9", 1e-4), ("1/3", "1e-7", "0.1"), (3, 0, "0.01")],
)
def test_identical_releases_are_composed_optimally(k, epsilon, delta, target):
    found = compose([(epsilon, delta)] * k, target)
    best = optimal_epsilon(k, epsilon, delta, target)
    assert best <= found.epsilon <= float(best) * (1 + 1e-6) + 1e-300
    assert found.releases == k
    assert found.basic_epsilon == k * Fraction(epsilon)
    assert found.basic_delta == k * Fraction(delta)
    assert found.epsilon <= found.basic_epsilon * (1 + Fraction(1, 10**15))
    assert found.basis is Basis.PRIVACY_LOSS


@pytest.mark.slow
@settings(max_examples=25)
@given(
    st.lists(
        st.tuples(st.fractions(0, 2, max_denominator=50), st.sampled_from([0, Fraction(1, 10**9), Fraction(1, 1000)])),
        min_size=1,
        max_size=6,
    ),
    st.sampled_from([0, Fraction(1, 10**6), Fraction(1, 100)]),
)
def test_different_releases_lie_between_the_largest_and_the_sum(releases, target):
    found = compose(releases, target)
    certain = 1 - math.prod((1 - d for _, d in releases), start=Fraction(1))
    assert (found.basis is Basis.INFINITE) == (certain > target)
    if certain <= target:
        assert found.epsilon <= math.nextafter(float(found.basic_epsilon), math.inf)
    else:
        assert found.epsilon == math.inf
    if target == 0 and found.basic_delta == 0:
        assert found.epsilon == pytest.approx(float(found.basic_epsilon), rel=1e-15)
    if math.isfinite(found.epsilon):
        for epsilon, delta in releases:
            alone = optimal_epsilon(1, epsilon, delta, target)
            assert found.epsilon >= float(alone) * (1 - 1e-12)


def test_two_different_releases_by_hand():
    """(1, 0) and (2, 0): losses 3, 1, -1, -3 with e^3, e^2, e, 1 over (1 + e)(1 + e^2)."""
    whole = (1 + math.e) * (1 + math.e**2)
    target = 0.05
    # One outcome is enough: delta = (e^3 - e^epsilon) / whole
    expected = math.log(math.e**3 - target * whole)
    assert expected > 1
    found = compose([(1, 0), (2, 0)], target)
    assert expected <= found.epsilon <= expected * (1 + 1e-9)


def test_epsilons_without_a_common_grid_lose_little():
    epsilons = [math.sqrt(prime) / 10 for prime in (2, 3, 5, 7, 11, 13)]
    found = compose([(e, 0) for e in epsilons], 1e-6)
    assert found.epsilon < sum(epsilons)
    widened = compose([(e * 1.0001, 0) for e in epsilons], 1e-6)
    assert found.epsilon < widened.epsilon


def test_mechanisms_stand_for_their_promise():
    assert compose([nearest(9, "0.5", "0.001"), ("0.5", "0.001")], "0.01") == compose([("0.5", "0.001")] * 2, "0.01")
    with pytest.raises(BadUse, match=r"^the mechanism 'explicit' in releases\[1\] promises no epsilon; audit it"):
        compose([(1, 0), from_matrix([[1.0]])], 0)


def test_pairs_in_whatever_form():
    told = compose([(0.5, 0.25), (1, 0)], "0.3")
    assert compose([EpsilonDelta.of(0.5, 0.25), [1, 0]], "0.3") == told
    assert compose(np.array([[0.5, 0.25], [1, 0]]), "0.3") == told
    assert compose(iter(np.array([[0.5, 0.25], [1, 0]], dtype=np.float32)), "0.3") == told


def test_the_basic_sum():
    exact = compose([(0.1, 0), ("0.1", 0)], 0)
    assert exact.basic_epsilon == Fraction(0.1) + Fraction(1, 10)
    assert exact.basis is Basis.BASIC_SUM
    assert exact.epsilon >= exact.basic_epsilon
    tiny = compose([(1, 0)] * 3, "1e-30")
    assert tiny.basis is Basis.BASIC_SUM
    assert tiny.epsilon == 3
    assert compose([(0, "0.01")] * 3, "0.05").epsilon == 0
    assert compose([(10**7, 0)], "0.1").basis is Basis.BASIC_SUM
    assert compose([("1e400", 0)], "0.1").epsilon == math.inf


def test_deltas_that_use_up_the_target():
    found = compose([(1, "0.1"), (1, "0.1")], "0.15")
    assert found.epsilon == math.inf
    assert found.basis is Basis.INFINITE
    assert found.to_dict()["epsilon"] is None
    assert compose([(1, "0.1"), (1, "0.1")], "0.195").epsilon < 2  # 1 - 0.9^2 = 0.19
    assert found.least_target_delta == Fraction("0.19")
    assert found.to_dict()["least_target_delta"] == "0.19"
    assert found.explanation.endswith(" Ask for a larger target delta: 0.19 is enough.")
    assert compose([(1, "0.1"), (1, "0.1")], found.least_target_delta).basis is not Basis.INFINITE


@pytest.mark.slow
@given(st.lists(st.sampled_from(["0.1", "1/3", "1e-9", "0.999999999"]), min_size=1, max_size=9))
def test_the_least_target_is_enough(deltas):
    least = compose([(1, delta) for delta in deltas], 0).least_target_delta
    certain = 1 - math.prod((1 - Fraction(delta) for delta in deltas), start=Fraction(1))
    assert certain <= least <= certain * (1 + Fraction(1, 10**16))
    if least < 1:
        assert math.isfinite(compose([(0, delta) for delta in deltas], least).epsilon)


def test_where_no_target_is_enough_none_is_named():
    found = compose([(1, 1 - Fraction(1, 10**9))] * 3, 0)
    assert found.basis is Basis.INFINITE
    assert found.explanation == found.basis.value


def test_what_people_see():
    assert str(compose([(1, "1e-9")] * 2, 0.25)).startswith("Releases    2\nTogether    epsilon ")
    text = str(compose([(1, "0.1"), (1, "0.1")], "1e-5"))
    assert text.startswith(
        "Releases    2\nTogether    no epsilon at delta 1e-5\nSums        epsilon 2, delta 0.2\n\nNo"
    )
    found = compose([("0.1", 0)] * 3, 0)
    assert "\nTogether    epsilon 0.300001, delta 0\nSums        epsilon 0.3, delta 0\n" in str(found)
    assert found.epsilon > Fraction("0.3")


@pytest.mark.parametrize(
    ("releases", "target", "most"),
    [
        ([(0.1, 1e-9)] * 10, 1e-8, 1.0000000000000002),
        ([(0, "0.1")] * 2, "0.195", 0),
        ([(0, "0.1")] * 2, "0.19", 0),
        ([(2**21, "0.1")] * 2, "0.195", 2**22),
        ([(1, "1e-15")] * 3, "3e-15", 3),
        ([(1, 0), (2, "1e-12"), (0, "1e-12")], "2e-12", 3),
        ([("1e-400", "0.5")], "0.5", 5e-324),
    ],
)
def test_while_the_deltas_fit_the_target_the_sum_of_the_epsilons_is_enough(releases, target, most):
    """Also where the sum of the deltas is above the target: all losses are finite with chance prod (1 - delta)."""
    found = compose(releases, target)
    assert found.epsilon <= most
    assert found.basis is not Basis.INFINITE
    if found.basis is Basis.BASIC_SUM:
        assert found.epsilon == most >= found.basic_epsilon  # rounded up
    certain = 1 - math.prod((1 - Fraction(delta) for _, delta in releases), start=Fraction(1))
    assert compose(releases, certain).epsilon <= most
    below = compose(releases, certain * (1 - Fraction(1, 10**30)))
    assert (below.epsilon, below.basis) == (math.inf, Basis.INFINITE)


def test_json():
    found = compose([(1, "1e-9")] * 4, "1e-6").to_dict()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["basic_delta"] == "0.000000004"


@pytest.mark.parametrize(
    ("releases", "target", "message"),
    [
        ([], 0, "^compose needs at least one release$"),
        ([(1, 0)], 1, "^target_delta must be a number >= 0 and < 1"),
        ([(1, 0)], float("nan"), "^target_delta must be a finite number"),
        ([(-1, 0)], 0, r"^the epsilon of releases\[0\] must be a finite number >= 0 \(got -1\)$"),
        ([(1, 0), (1, 1)], 0, r"^the delta of releases\[1\] must be a number >= 0 and < 1 \(got 1\)$"),
        ([(1, 0), (1, "x")], 0, r"^the delta of releases\[1\] must be a finite number, .* \(got 'x'\)$"),
        ([(1, 0), 1], 0, r"^releases\[1\] must be a pair \(epsilon, delta\), a promise or a mechanism \(got 1\)$"),
        ([(1, 0, 0)], 0, r"^releases\[0\] must be a pair"),
        (["10"], 0, r"^releases\[0\] must be a pair"),
        ([None], 0, r"^releases\[0\] must be a pair"),
        ((1, 0), 0, r"^releases\[0\] must be a pair \(epsilon, delta\), a promise or a mechanism \(got 1\)$"),
        (np.array([1.0, 0.0]), 0, r"^releases\[0\] must be a pair .* \(got 1\.0\)$"),
        (np.zeros((1, 3)), 0, r"^releases\[0\] must be a pair"),
        (np.zeros((1, 2, 2)), 0, r"^the epsilon of releases\[0\] must be a finite number"),
        (5, 0.1, r"^releases must be a list of pairs \(epsilon, delta\), promises or mechanisms \(got 5\)$"),
        (None, 0.1, "^releases must be a list of pairs"),
        ("", 0.1, "^releases must be a list of pairs"),
        ("ab", 0.1, r"^releases must be a list of pairs .* \(got 'ab'\)$"),
        (nearest(3, 1), 0.1, r"^releases must be a list of pairs .* \(got a Nearest\)"),
    ],
)
def test_bad_arguments(releases, target, message):
    with pytest.raises((BadUse, InvalidParameter), match=message):
        compose(releases, target)


def test_without_the_extra(monkeypatch):
    imported = builtins.__import__

    def refuse(name, *arguments, **keywords):
        if name.startswith("dp_accounting"):
            raise ModuleNotFoundError(name)
        return imported(name, *arguments, **keywords)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(BadUse, match=r"needs the package dp-accounting: pip install dp-accounting$"):
        compose([(1, 0)] * 2, "1e-6")
    assert compose([(1, 0)] * 2, 0).epsilon == 2


@pytest.mark.slow
def test_deltas_of_a_thousand_digits():
    found = compose([(0.01, "1e-1000")] * 30_000, target_delta="1e-6")
    assert found.basis is Basis.PRIVACY_LOSS
    assert found.least_target_delta == Fraction(3, 10**996)
    assert compose([(0.01, "1e-1000")] * 30_000, target_delta="2.9e-996").basis is Basis.INFINITE


@pytest.mark.slow
@given(st.lists(st.sampled_from(["0", "0.1", "1/3", "1e-30", "0.999"]), min_size=1, max_size=6))
def test_the_chance_of_an_infinite_loss_is_decided_exactly(deltas):
    exactly = 1 - math.prod(1 - Fraction(delta) for delta in deltas)
    releases = [(1, delta) for delta in deltas]
    assert compose(releases, target_delta=exactly).basis is not Basis.INFINITE
    if exactly:
        below = compose(releases, target_delta=exactly * (1 - Fraction(1, 10**200)))
        assert below.basis is Basis.INFINITE
        assert exactly <= below.least_target_delta <= exactly * (1 + Fraction(1, 10**16))
