"""M-PSK: reference values, closed forms, far tails at 50 digits, and another package."""

import json
import math
from pathlib import Path

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from hushcount.medium import psk

DATA = Path(__file__).parents[1] / "data"
REFERENCE = json.loads((DATA / "psk.json").read_text())
OTHER_PACKAGE = json.loads((DATA / "sdr_psk.json").read_text())


def ratio(db):
    return mp.mpf(10) ** (mp.mpf(db) / 10)


def beyond(angle, height):
    """Craig's integral for the chance of an angle above this one, of `height(sin^2 angle / sin^2 t)` on average."""
    if angle >= mp.pi:
        return mp.mpf(0)
    ends = mp.linspace(0, mp.pi - angle, 24)
    return mp.quad(lambda t: height(mp.sin(angle) ** 2 / mp.sin(t) ** 2) if t else mp.mpf(0), ends) / (2 * mp.pi)


def oracle(M, db, j, fading=None):
    """The difference of two of them at 50 digits; scaled up by e^reach, since quadrature stops at an absolute error."""
    with mp.workdps(50):
        g = ratio(db)
        first, last = (2 * j - 1) * mp.pi / M, (2 * j + 1) * mp.pi / M
        reach = 0 if fading else g * mp.sin(min(first, mp.pi / 2)) ** 2
        height = (lambda s: 1 / (1 + g * s)) if fading else (lambda s: mp.exp(reach - g * s))
        value = (beyond(first, height) - beyond(last, height)) * mp.exp(-reach)
        return float(2 * value if 2 * j == M else value)


@pytest.mark.parametrize("case", REFERENCE, ids=lambda case: f"{case['M']}-{case['es_n0_db']}")
def test_reference(case):
    row = psk(case["M"], es_n0_db=case["es_n0_db"]).matrix[0]
    assert np.allclose(row, case["row"], rtol=1e-14, atol=0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("M", "db", "j"),
    [
        (8, -40, 1),
        (8, -40, 4),
        (8, 25, 1),
        (8, 25, 3),
        (8, 28, 4),
        (8, 28.3, 4),
        (2, 28, 1),
        (3, 29, 1),
        (5, 20, 2),
        (64, 20, 31),
        (64, 44, 1),
        (64, 40, 2),
        (64, 40.5, 2),
        (1024, 0, 511),
        (1024, 20, 300),
        (1024, 55, 1),
        (1024, 55, 20),
        (1024, 78.5, 1),
    ],
)
def test_every_digit_down_to_1e_300(M, db, j):
    assert math.isclose(psk(M, es_n0_db=db).matrix[0, j], oracle(M, db, j), rel_tol=1e-14)


def test_the_cases_above_reach_1e_300():
    assert 1e-308 < psk(8, es_n0_db=28.3).matrix[0, 4] < 1e-290
    assert 1e-308 < psk(1024, es_n0_db=78.5).matrix[0, 1] < 1e-280


def test_below_every_float_is_zero():
    row = psk(8, es_n0_db=40).matrix[0]
    assert row.tolist() == [1, 0, 0, 0, 0, 0, 0, 0]
    assert 0 < psk(8, es_n0_db=28.6).matrix[0, 4] < 1e-308


@pytest.mark.parametrize("db", [-40, -3, 0, 5, 10, 13, 20, 28])
def test_bpsk_and_qpsk_in_closed_form(db):
    with mp.workdps(40):
        g = ratio(db)
        flip, axis = mp.erfc(mp.sqrt(g)) / 2, mp.erfc(mp.sqrt(g / 2)) / 2
        two = [float(x) for x in (1 - flip, flip)]
        four = [float(x) for x in ((1 - axis) ** 2, axis * (1 - axis), axis**2, axis * (1 - axis))]
    assert np.allclose(psk(2, es_n0_db=db).matrix[0], two, rtol=1e-15, atol=0)
    assert np.allclose(psk(4, es_n0_db=db).matrix[0], four, rtol=1e-15, atol=0)


@pytest.mark.parametrize("db", [-40, 0, 10, 40, 80])
def test_fading_bpsk_in_closed_form(db):
    with mp.workdps(40):
        g = ratio(db)
        expected = (1 - mp.sqrt(g / (1 + g))) / 2
    assert math.isclose(psk(2, es_n0_db=db, fading="rayleigh").matrix[0, 1], expected, rel_tol=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("M", "db", "j"),
    [(8, -40, 1), (8, 10, 1), (8, 10, 2), (8, 10, 4), (8, 80, 3), (5, 3, 2), (64, 30, 31), (1024, 80, 1), (1024, 0, 9)],
)
def test_fading_is_the_mean_over_an_exponential_snr(M, db, j):
    found = psk(M, es_n0_db=db, fading="rayleigh").matrix[0, j]
    assert math.isclose(found, oracle(M, db, j, "rayleigh"), rel_tol=1e-14)


@pytest.mark.parametrize("case", OTHER_PACKAGE["rows"], ids=lambda case: f"{case['order']}-{case['es_n0_db']}")
def test_symbol_error_rate_of_another_package(case):
    medium = psk(case["order"], es_n0_db=case["es_n0_db"])
    assert math.isclose(medium.error_probability, case["symbol_error_rate"], rel_tol=1e-8)
    assert math.isclose(medium.mean_error_probability, medium.error_probability, rel_tol=1e-15)


def test_eb_n0_is_per_bit():
    for M in (2, 8, 10):
        per_symbol = float(10 + 10 * np.log10(np.log2(M)))
        assert np.allclose(psk(M, eb_n0_db=10).matrix, psk(M, es_n0_db=per_symbol).matrix, rtol=1e-13, atol=0)
    assert np.array_equal(psk(2, eb_n0_db=10).matrix, psk(2, es_n0_db=10).matrix)


def test_a_wrong_snr_factor_is_seen():
    """The phase density with Es/N0 taken for Es/(2 N0) looks plausible and is 3 dB off."""
    case = next(case for case in REFERENCE if (case["M"], case["es_n0_db"]) == (8, 10))
    off = psk(8, es_n0_db=10 - 10 * math.log10(2)).matrix[0]
    assert not np.allclose(off, case["row"], rtol=1e-1, atol=0)


@settings(max_examples=30)
@given(st.integers(2, 70), st.floats(-40, 80), st.sampled_from([None, "rayleigh"]))
def test_wedges_fill_the_plane(M, db, fading):
    row = psk(M, es_n0_db=db, fading=fading).matrix[0]
    assert abs(math.fsum(row) - 1) <= 2**-52
    assert np.array_equal(row[1:], row[:0:-1])
    assert (np.diff(row[: M // 2 + 1]) <= 0).all()
