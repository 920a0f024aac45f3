"""Orthogonal FSK: closed forms for two tones, exact sums for many, integrals at 30 digits, union bounds."""

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from hushcount.errors import InvalidParameter
from hushcount.medium import fsk


def ratio(db):
    return mp.mpf(10) ** (mp.mpf(db) / 10)


def wrong(order, db, **options):
    matrix = fsk(order, es_n0_db=db, **options).matrix
    off = matrix[~np.eye(order, dtype=bool)]
    assert (off == off[0]).all()
    assert (np.diag(matrix) == matrix[0, 0]).all()
    return off[0], matrix[0, 0]


@pytest.mark.parametrize("db", [-40, -3, 0, 10, 20, 28, 31, 80])
def test_two_tones_in_closed_form(db):
    """[PS08] sections 4.2 and 4.5, and their means over Rayleigh fading."""
    with mp.workdps(40):
        g = ratio(db)
        expected = {
            (True, None): mp.erfc(mp.sqrt(g / 2)) / 2,
            (False, None): mp.exp(-g / 2) / 2,
            (True, "rayleigh"): (1 - mp.sqrt(g / (2 + g))) / 2,
            (False, "rayleigh"): 1 / (2 + g),
        }
    for (coherent, fading), value in expected.items():
        found, right = wrong(2, db, coherent=coherent, fading=fading)
        assert math.isclose(found, value, rel_tol=1e-15, abs_tol=1e-320)
        assert math.isclose(right, 1 - value, rel_tol=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("M", "db"), [(3, -40), (4, 0), (4, 10), (4, 25), (8, 31), (64, 10), (64, 30), (1024, 5), (1024, 15)]
)
def test_coherent(M, db):
    with mp.workdps(40):
        shift = mp.sqrt(2 * ratio(db))
        integrand = lambda u: mp.npdf(u) * mp.ncdf(u) ** (M - 2) * mp.ncdf(u - shift)  # noqa: E731
        middle = max(float(shift) / 2, 2)
        height = integrand(middle)  # quadrature stops at an absolute error
        expected = height * mp.quad(lambda u: integrand(u) / height, mp.linspace(middle - 16, middle + 16, 33))
    found, right = wrong(M, db)
    assert math.isclose(found, expected, rel_tol=1e-13)
    assert math.isclose(right, 1 - (M - 1) * expected, rel_tol=1e-13)


def test_coherent_far_tail():
    assert 0 < wrong(8, 31)[0] < 1e-270
    assert wrong(8, 32)[0] < 1e-300
    assert wrong(8, 40) == (0, 1)


@pytest.mark.slow
@pytest.mark.parametrize(("M", "db"), [(4, 0), (8, 12)])
def test_coherent_fading_is_the_mean_over_an_exponential_snr(M, db):
    mean = float(ratio(db))

    def at(snr):
        return wrong(M, 10 * math.log10(float(snr)))[0]

    expected = mp.quad(lambda s: at(s) * mp.exp(-s / mean) / mean, [1e-9, 0.1, 1, 5, 10, 20, 40, 80], maxdegree=4)
    assert math.isclose(wrong(M, db, fading="rayleigh")[0], expected, rel_tol=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize(("M", "db"), [(3, -40), (3, 80), (5, 0), (64, 40)])
def test_coherent_fading_at_30_digits(M, db):
    with mp.workdps(30):
        g = ratio(db)
        rho = mp.sqrt(g / (1 + g))
        last = lambda u: mp.ncdf(u) - rho * mp.exp(-(u**2) / 2 / (1 + g)) * mp.ncdf(rho * u)  # noqa: E731
        expected = mp.quad(lambda u: mp.npdf(u) * mp.ncdf(u) ** (M - 2) * last(u), mp.linspace(-14, 16, 31))
    assert math.isclose(wrong(M, db, fading="rayleigh")[0], expected, rel_tol=1e-14)


@pytest.mark.parametrize("M", [3, 4, 16, 64, 300])
@pytest.mark.parametrize("db", [-40, 0, 10, 28])
def test_non_coherent(M, db):
    """The alternating sum, with 300 digits to lose."""
    with mp.workdps(300):
        g = ratio(db)
        some = mp.fsum(
            (-1) ** (k + 1) * mp.binomial(M - 1, k) / (k + 1) * mp.exp(-g * k / (k + 1)) for k in range(1, M)
        )
    found, right = wrong(M, db, coherent=False)
    assert math.isclose(found, some / (M - 1), rel_tol=1e-15)
    assert math.isclose(right, 1 - some, rel_tol=1e-15)


@pytest.mark.parametrize("M", [3, 4, 16, 200])
@pytest.mark.parametrize("mean", [1, 10, 10**8])
def test_non_coherent_fading_is_the_mean_of_the_sum(M, mean):
    """Exactly: E exp(-g k / (k + 1)) = (k + 1) / (k + 1 + mean k)."""
    some = sum(Fraction((-1) ** (k + 1) * math.comb(M - 1, k), k + 1 + mean * k) for k in range(1, M))
    db = {1: 0, 10: 10, 10**8: 80}[mean]
    assert math.isclose(wrong(M, db, coherent=False, fading="rayleigh")[0], some / (M - 1), rel_tol=1e-15)


def test_many_tones():
    for coherent in (True, False):
        found, right = wrong(1024, 12, coherent=coherent)
        pair = wrong(2, 12, coherent=coherent)[0]
        assert 0 < 1023 * found < 1023 * pair  # the union bound
        assert math.isclose(right, 1 - 1023 * found, rel_tol=1e-12)


def test_phase_helps():
    for M in (2, 8):
        for db in (-5, 5, 12):
            for fading in (None, "rayleigh"):
                assert wrong(M, db, fading=fading)[0] < wrong(M, db, fading=fading, coherent=False)[0]


@pytest.mark.parametrize("bad", [None, 1, "yes", np.True_])
def test_coherent_is_a_bool(bad):
    with pytest.raises(InvalidParameter, match="coherent must be True or False"):
        fsk(4, es_n0_db=10, coherent=bad)
