"""Gaussian noise that is rounded and clamped, and the discrete one under zCDP, against their definitions."""

from fractions import Fraction
from itertools import pairwise

import brute
import mpmath
import numpy as np
import pytest

from hushcount import audit, nearest
from hushcount.errors import InvalidParameter
from hushcount.mechanisms import analytic_gaussian, clamped_gaussian, rounded_gaussian, zcdp_gaussian
from hushcount.mechanisms.by_name import GAUSSIAN, named
from hushcount.promise import EpsilonDelta, GaussianDP, SeveralPairs


def rounded_row(n, mu, true):
    """Pr(j - 1/2 < true + Z / mu <= j + 1/2), all that lies beyond an end on the end."""
    cuts = [mpmath.mpf("-inf"), *(j + mpmath.mpf(1) / 2 for j in range(n)), mpmath.mpf("inf")]
    upto = [mpmath.ncdf(brute.real(mu) * (cut - true)) for cut in cuts]
    return [b - a for a, b in pairwise(upto)]


@pytest.mark.parametrize("n", [0, 1, 2, 5])
@pytest.mark.parametrize("mu", ["0.01", "0.8", "3"])
def test_law_is_the_rounded_and_clamped_noise(n, mu):
    mechanism = rounded_gaussian(n, mu=mu)
    with mpmath.workdps(40):
        for true in range(n + 1):
            want = [float(p) for p in rounded_row(n, mu, true)]
            assert mechanism.pmf(true).tolist() == pytest.approx(want, rel=1e-12)


def test_published_figures():
    assert 1 - rounded_gaussian(4, mu="0.8").error_probability == pytest.approx(0.3108, abs=5e-5)
    assert 1 - nearest(4, mu="0.8").error_probability == pytest.approx(0.4288, abs=5e-5)


@pytest.mark.parametrize("n", [1, 2, 3, 9, 24])
@pytest.mark.parametrize("mu", [0.05, 0.5, 2])
def test_no_true_count_is_worse_than_the_edge_and_the_middle(n, mu):
    mechanism = rounded_gaussian(n, mu=mu)
    matrix = mechanism.matrix()
    error = np.subtract.outer(np.arange(n + 1), np.arange(n + 1)).T
    for worst, loss in (
        (mechanism.expected_absolute_error(), abs(error)),
        (mechanism.expected_squared_error(), error**2),
        *((mechanism.probability_beyond(t), abs(error) > t) for t in (0, 1, n // 3, n // 2)),
    ):
        assert worst == pytest.approx((matrix * loss).sum(axis=1).max(), rel=1e-12)
    assert mechanism.bias() == pytest.approx(abs((matrix * error).sum(axis=1)).max(), rel=1e-12)


def test_a_range_of_any_size_has_its_largest_bias_at_the_edge():
    mechanism = rounded_gaussian(10**30, mu=1)
    assert mechanism.bias() == mechanism.bias(0) == pytest.approx(rounded_gaussian(1000, mu=1).bias(), rel=1e-12)
    assert mechanism.error_probability == pytest.approx(2 * mpmath.ncdf(-0.5), rel=1e-12)


@pytest.mark.parametrize("n", [1, 2, 6, 13])
@pytest.mark.parametrize("distance", [1, 2])
def test_the_pair_that_is_known_to_be_worst_is(n, distance):
    """The audits of these mechanisms look at one pair; those of their matrices look at all."""
    for mechanism in (rounded_gaussian(n, mu="0.7"), zcdp_gaussian(n, "0.3"), analytic_gaussian(n, 1, "0.01")):
        known = audit(mechanism, mu=1, distance=distance).least_mu.interval
        searched = audit(mechanism.matrix(), mu=1, distance=distance).least_mu.interval
        assert known.upper == pytest.approx(searched.upper, rel=1e-9)
        for epsilon in (0, "0.4", 2):
            known, searched = (
                audit(given, epsilon=epsilon, delta=0, distance=distance).least_delta.interval
                for given in (mechanism, mechanism.matrix())
            )
            assert known.upper == pytest.approx(searched.upper, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("n", [1, 4, 150, 1000])
def test_the_rounded_one_keeps_mu_and_the_discrete_one_does_not(n):
    claim = GaussianDP.of("0.8")
    kept = audit(rounded_gaussian(n, claim), mu=claim)
    assert kept.verdict.name == "PRIVATE"
    assert kept.least_mu.interval.upper == 0.8
    assert audit(rounded_gaussian(n, claim), mu="0.79").verdict.name == "NOT_PRIVATE"
    broken = audit(zcdp_gaussian(n, claim.rho), mu=claim)
    assert broken.verdict.name == "NOT_PRIVATE"
    p_0 = 1 / float(mpmath.jtheta(3, 0, mpmath.exp(-brute.real(claim.rho))))
    at_0 = 2 * float(mpmath.sqrt(2) * mpmath.erfinv(p_0))  # the event of the count itself or less asks for this
    assert broken.least_mu.interval.lower == pytest.approx(at_0, rel=1e-12)


@pytest.mark.parametrize("rho", ["0.02", "0.32", "2"])
def test_the_discrete_one_keeps_rho(rho):
    """Renyi divergences of all orders, between the counts at both ends, are at most rho times the order."""
    for n in (1, 4, 9):
        logs = np.log(zcdp_gaussian(n, rho).matrix())
        for p, q in ((logs[k], logs[k + step]) for step in (-1, 1) for k in range(step < 0, n + (step < 0))):
            for order in (1.01, 2, 5, 20):
                divergence = np.logaddexp.reduce(order * p + (1 - order) * q) / (order - 1)
                assert divergence <= float(Fraction(rho)) * order * (1 + 1e-12)


def test_the_discrete_one_has_the_law_of_that_sigma():
    mechanism = zcdp_gaussian(6, "1/8")
    assert (mechanism.sigma_squared, mechanism.rho, mechanism.epsilon, mechanism.delta) == (
        4,
        Fraction(1, 8),
        None,
        None,
    )
    assert mechanism.proven_privacy is None
    other = clamped_gaussian(6, 1, "0.1")
    assert type(other)(6, other.privacy, Fraction(4)).matrix().tolist() == mechanism.matrix().tolist()


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(1, "1e-6"), ("0.1", "1e-9"), (0, "0.01"), (5, "1e-300"), (0, "1e-300")]
)
def test_the_analytic_one_has_the_least_sigma(epsilon, delta):
    mechanism = analytic_gaussian(5, epsilon, delta)
    assert (mechanism.epsilon, mechanism.delta) == (Fraction(epsilon), Fraction(delta))
    mu = mechanism.promise.exact_mu
    assert GaussianDP.of(mu).least_delta(Fraction(epsilon)) <= Fraction(delta)
    assert GaussianDP.of(mu * (1 + Fraction(1, 2**46))).least_delta(Fraction(epsilon)) > Fraction(delta)
    assert audit(mechanism).verdict.name == "PRIVATE"


def test_analytic_noise_errs_hardly_less_than_the_discrete_one_of_the_same_pair():
    pair = (1, "1e-6")
    assert analytic_gaussian(100, *pair).error_probability == pytest.approx(
        clamped_gaussian(100, *pair).error_probability, rel=0.01
    )


@pytest.mark.parametrize("make", [lambda n: rounded_gaussian(n, mu=1), lambda n: zcdp_gaussian(n, 1)])
def test_bad_n(make):
    for n in (-1, 1.5, "x"):
        with pytest.raises(InvalidParameter, match="n must be an integer >= 0"):
            make(n)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: rounded_gaussian(3, mu=0), "mu must be a finite number > 0"),
        (lambda: rounded_gaussian(3, rho="nan"), "rho must be"),
        (lambda: rounded_gaussian(3, EpsilonDelta.of(1)), "promise must be mu or rho"),
        (lambda: rounded_gaussian(3), "epsilon must be"),
        (lambda: zcdp_gaussian(3, 0), "rho must be a finite number > 0"),
        (lambda: analytic_gaussian(3, 1, 0), "delta must be a number > 0 and < 1 for Gaussian noise"),
        (lambda: analytic_gaussian(3, "1e10", "0.1"), "epsilon must be at most 1,000,000,000 for Gaussian noise"),
        (lambda: analytic_gaussian(3, 0, "1e-900"), "delta must be larger: it needs a mu below"),
        (lambda: named("analytic-gaussian", 3, 1), "delta must be a number > 0"),
        (lambda: named("canonical", 3, GaussianDP.of(1)), "mechanism must be one of nearest, rounded-gaussian"),
        (lambda: named("canonical", 3, SeveralPairs.of([(1, 0)])), "promise must be one epsilon and delta, mu or rho"),
        (lambda: named("within:01", 3, 1), "mechanism must be one of nearest"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(InvalidParameter, match=message):
        make()


def test_names():
    for name in GAUSSIAN:
        assert (named(name, 3, GaussianDP.of("0.5")).name, named(name, 3, GaussianDP.of("0.5")).n) == (name, 3)
    assert named("within:2", 9, GaussianDP.of("0.5")).name == named("within:2", 9, "0.5").name == "within:2"
    assert named("analytic-gaussian", 9, 1, "1e-6").name == "analytic-gaussian"
    assert named("nearest", 9, EpsilonDelta.of(1, "0.1")) == nearest(9, 1, "0.1")
    assert named("analytic-gaussian", 9, GaussianDP.of("0.5")).promise.mu_squared < Fraction(1, 4)
