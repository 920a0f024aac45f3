"""Composition of Gaussian releases, alone and beside others, in 50 digits."""

import math
from fractions import Fraction

import mpmath
import pytest

from hushcount import EpsilonDelta, compose, nearest
from hushcount.privacy import Basis
from hushcount.privacy.mixed_loss import MixedLoss
from hushcount.promise import GaussianDP, SeveralPairs, mu_squared_of_pure_epsilon


def excess(epsilon, mu_squared, pure):
    """Return E over the sums of the two-valued losses of the hockey stick of the normal loss."""
    with mpmath.workdps(50):
        mu, sums = mpmath.sqrt(mpmath.mpf(mu_squared)), [(mpmath.mpf(0), mpmath.mpf(1))]
        for own in map(mpmath.mpf, pure):
            here = 1 / (1 + mpmath.exp(-own))
            sums = [(s + sign * own, p * r) for s, p in sums for sign, r in ((1, here), (-1, 1 - here))]
        return mpmath.fsum(
            p
            * (
                mpmath.ncdf(mu / 2 - (epsilon - s) / mu)
                - mpmath.exp(epsilon - s) * mpmath.ncdf(-mu / 2 - (epsilon - s) / mu)
            )
            for s, p in sums
        )


@pytest.mark.parametrize("target", ["1e-3", "1e-6", "1e-12"])
def test_mu_squared_adds_up(target):
    found = compose([GaussianDP.of("0.1")] * 64 + [GaussianDP.of("0.6")], target)
    assert (found.mu_squared, found.basis) == (1, Basis.GAUSSIAN)
    assert found.epsilon == pytest.approx(float(GaussianDP.of(1).least_epsilon(Fraction(target))), rel=1e-15)
    assert excess(mpmath.mpf(found.epsilon), 1, []) <= mpmath.mpf(target) * (1 + mpmath.mpf("1e-12"))
    assert excess(mpmath.mpf(found.epsilon) * (1 - mpmath.mpf("1e-9")), 1, []) > mpmath.mpf(target)


MIXES = [
    ("0.25", [("0.5", "0")]),
    ("0.25", [("0.5", "1e-9")]),
    ("0.01", [("0.1", "0")] * 4 + [("1", "1e-8")]),
    ("4", [("0.001", "0"), ("2", "1e-7")]),
]


@pytest.mark.parametrize(("mu_squared", "pairs"), MIXES)
@pytest.mark.parametrize("target", ["1e-2", "1e-6"])
def test_a_mix_is_composed_optimally(mu_squared, pairs, target):
    found = compose([GaussianDP(Fraction(mu_squared)), *pairs], target)
    assert found.basis is Basis.MIXED
    with mpmath.workdps(50):
        kept = mpmath.fprod(1 - mpmath.mpf(delta) for _, delta in pairs)

        def needed(epsilon):
            return 1 - kept + kept * excess(epsilon, mu_squared, [own for own, _ in pairs])

        at = mpmath.mpf(found.epsilon)
        assert needed(at) <= mpmath.mpf(target)
        assert needed(at * (1 - mpmath.mpf("1e-7"))) > mpmath.mpf(target)


def test_a_mix_is_no_more_than_any_way_of_charging():
    releases = [GaussianDP.of("0.2"), ("0.3", "0"), ("0.3", "0"), ("0.7", "0")]
    found = compose(releases, "1e-6")
    charged = GaussianDP(found.mu_squared).least_epsilon(Fraction("1e-6"))
    sums = GaussianDP.of("0.2").least_epsilon(Fraction("1e-6")) + Fraction("1.3")
    assert found.epsilon < charged
    assert found.epsilon < sums
    assert found.mu_squared == Fraction("0.04") + sum(
        mu_squared_of_pure_epsilon(Fraction(epsilon)) for epsilon in ("0.3", "0.3", "0.7")
    )


def test_too_many_sums_are_charged():
    """Of 5,000 releases at one epsilon none is kept as such: safe, but mu^2 of a small epsilon is pi / 2 epsilon^2."""
    found = MixedLoss.of(Fraction(1, 100), {Fraction(1, 100): 5000, Fraction(2): 3})
    assert found.pure == ((Fraction(2), 3),)
    assert found.mu_squared == Fraction(1, 100) + 5000 * mu_squared_of_pure_epsilon(Fraction(1, 100))
    many = compose([GaussianDP.of("0.1")] + [("0.01", 0)] * 1500, "1e-6")
    few = compose([("0.01", 0)] * 1500, "1e-6")
    assert few.epsilon < many.epsilon < few.epsilon * 1.35


def test_order_does_not_matter():
    releases = [GaussianDP.of("0.2"), ("0.3", "1e-9"), GaussianDP.of("0.1")]
    assert compose(releases, "1e-6") == compose(releases[::-1], "1e-6")


def test_mechanisms_stand_for_their_mu():
    found = compose([nearest(7, mu="0.6"), nearest(10**9, rho="0.32")], "1e-6")
    assert found.mu_squared == 1


def test_of_several_pairs_the_best_counts():
    several = SeveralPairs.of([("1", "1e-9"), ("0.3", "1e-4")])
    assert compose([several], "1e-3").epsilon == pytest.approx(compose([("0.3", "1e-4")], "1e-3").epsilon)
    assert compose([several], "1e-6").epsilon == pytest.approx(compose([("1", "1e-9")], "1e-6").epsilon)
    assert compose([several, GaussianDP.of("0.1")], "1e-6").epsilon < 2


def test_deltas_that_use_up_the_target():
    found = compose([GaussianDP.of(1), ("1", "1e-6")], "1e-6")
    assert (found.epsilon, found.basis) == (math.inf, Basis.INFINITE)
    assert "1e-6 and a little more is enough" in found.explanation
    assert compose([GaussianDP.of(1)], 0).epsilon == math.inf
    assert compose([GaussianDP.of(1), EpsilonDelta.of(1, "1e-6")], "1.1e-6").epsilon < 10


@pytest.mark.parametrize("mu", ["1e-600", "1e-100", "1e6", "1e60"])
@pytest.mark.parametrize("target", ["1e-6", "1e-400"])
@pytest.mark.parametrize("others", [[], [("0", "0")], [("0.5", "0")], [("0.5", "1e-500")], [("1e-300", "0")]], ids=str)
def test_extremes(mu, target, others):
    """Each has an epsilon at every delta above that of the others, and no more than the sum."""
    found = compose([GaussianDP.of(mu), *others], target)
    alone = GaussianDP.of(mu).least_epsilon(Fraction(target))
    more = sum(Fraction(epsilon) for epsilon, _ in others)
    assert found.basis is not Basis.INFINITE
    assert 0 <= found.epsilon <= float(alone + more) * (1 + 1e-9) + 1e-300
    assert "no epsilon" not in str(found)


def test_thousands_of_releases_add_up_exactly():
    found = compose([GaussianDP.of("0.01")] * 10_000 + [(0, 0)] * 5000, "1e-6")
    assert (found.mu_squared, found.basis, found.releases) == (1, Basis.GAUSSIAN, 15_000)
    assert found.epsilon == compose([GaussianDP.of(1)], "1e-6").epsilon


def test_a_sum_too_long_to_keep_is_rounded_up():
    odd = range(10**12 + 1, 10**12 + 400, 2)
    found = compose([GaussianDP.of(Fraction(1, number)) for number in odd], "1e-6")
    exactly = sum(Fraction(1, number**2) for number in odd)
    assert exactly < found.mu_squared < exactly * (1 + Fraction(1, 10**38))


def test_text_and_json():
    found = compose([GaussianDP.of("0.6"), ("0", "1e-9")], "1e-6")
    assert "Sums        mu^2 0.36, delta 1e-9" in str(found)
    told = found.to_dict()
    assert (told["mu_squared"], told["basic_epsilon"], told["basis"]) == ("0.36", None, "GAUSSIAN")


def test_without_a_target_delta_gaussian_releases_say_why_there_is_no_epsilon():
    found = compose([GaussianDP.of("0.2")] * 30, target_delta=0)
    assert found.explanation == (
        "No epsilon at delta 0, where Gaussian releases never have one. Ask for a target delta above 0."
    )
    beside = compose([GaussianDP.of("0.2"), (1, "1e-6")], target_delta="1e-7")
    assert "the deltas of the releases together exceed the target" in beside.explanation
