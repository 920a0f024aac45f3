"""Rings and crosses of points."""

import math

import numpy as np
import pytest

from hushcount.errors import InvalidParameter
from hushcount.medium import apsk, constellation, cross_qam, psk, qam


def rings_of(counts, radii, phases):
    return [
        r * np.exp(1j * (math.radians(a) + 2 * math.pi * k / m))
        for m, r, a in zip(counts, radii, phases, strict=True)
        for k in range(m)
    ]


def by_rows(points):
    return sorted(points, key=lambda p: (round(p.imag, 9), round(p.real, 9)))


@pytest.mark.parametrize(
    ("order", "rings"),
    [
        (16, ((4, 12), (1, 2.57), (45, 15))),
        (32, ((4, 12, 16), (1, 2.53, 4.3), (45, 15, 0))),
    ],
)
@pytest.mark.parametrize("db", [0, 18])
def test_rings_of_the_standard(order, rings, db):
    """[EN302307] section 5.4, code rate 9/10."""
    expected = constellation(by_rows(rings_of(*rings)), es_n0_db=db)
    found = apsk(order, es_n0_db=db)
    assert np.allclose(found.matrix, expected.matrix, rtol=1e-12, atol=1e-300)
    assert found.is_mirrored
    named = dict(zip(("rings", "radii", "phases"), rings, strict=True))
    named["radii"] = [str(r) for r in named["radii"]]
    assert np.array_equal(apsk(order, **named, es_n0_db=db).matrix, found.matrix)


@pytest.mark.parametrize("fading", [None, "rayleigh"])
@pytest.mark.parametrize("db", [-20, 0, 15, 28.3])
def test_one_ring_is_psk_to_the_last_place(db, fading):
    """Down to 1e-290: the points are finer than floats."""
    points = np.exp(2j * np.pi * np.arange(8) / 8)
    place = [int(np.argmin(np.abs(points - p))) for p in by_rows(points)]
    expected = psk(8, es_n0_db=db, fading=fading).matrix[np.ix_(place, place)]
    found = apsk(8, rings=[8], radii=[3], phases=[0], es_n0_db=db, fading=fading).matrix
    assert np.allclose(found, expected, rtol=5e-16, atol=0)
    if db == 28.3 and not fading:
        assert 1e-308 < found.min() < 1e-290


def test_four_points_of_a_ring_are_qpsk():
    found, expected = apsk(4, rings=[4], radii=[1], es_n0_db=5), qam(4, es_n0_db=5)
    assert np.allclose(found.matrix, expected.matrix, rtol=5e-16, atol=0)


def test_a_point_in_the_middle():
    assert apsk(7, rings=[1, 6], radii=["1e-9", 1], phases=[0, 0], es_n0_db=8).description.startswith(
        "7-APSK (1 + 6), "
    )


@pytest.mark.parametrize(
    ("order", "options", "message"),
    [
        (8, {}, "order must be 16 or 32, unless rings are given"),
        (1025, {}, "order must be at most 1,024"),
        (16, {"rings": [4, 8], "radii": [1, 2]}, "order must be the sum of the rings, 12"),
        (12, {"rings": [4, 8]}, "radii must be given with rings"),
        (12, {"rings": [4, 0], "radii": [1, 2]}, "rings must be an integer >= 1"),
        (12, {"rings": "48", "radii": [1, 2]}, "rings must be a list of counts"),
        (12, {"rings": [4, 8], "radii": [1]}, "radii must be as many as there are rings, 2"),
        (12, {"rings": [4, 8], "radii": [1, 0]}, "radii must be above 0"),
        (12, {"rings": [4, 8], "radii": [1, math.inf]}, "radii must be a finite number"),
        (12, {"rings": [4, 8], "radii": [1, 2], "phases": [0]}, "phases must be as many as there are rings, 2"),
        (12, {"rings": [4, 8], "radii": [1, 1], "phases": [0, 0]}, "points must be different from one another"),
        (16, {"radii": [1, 2, 3]}, "radii must be as many"),
    ],
)
def test_bad_rings(order, options, message):
    with pytest.raises(InvalidParameter, match=message):
        apsk(order, es_n0_db=10, **options)


def cross(c):
    levels = range(1 - 6 * c, 6 * c, 2)
    return [complex(x, y) for y in levels for x in levels if abs(x) < 4 * c or abs(y) < 4 * c]


@pytest.mark.parametrize("db", [3, 21])
def test_crosses(db):
    found = cross_qam(32, es_n0_db=db)
    assert len(cross(1)) == 32
    assert np.array_equal(found.matrix, constellation(cross(1), es_n0_db=db).matrix)
    assert found.is_mirrored
    assert found.description.startswith(f"32-cross-QAM, Es/N0 = {db} dB (")


def test_inner_points_of_a_cross_are_those_of_qam():
    """Where four neighbors are as in a square grid, so is the chance: erf(d)^2. Es = 20 for d = 1."""
    d = math.sqrt(10**1.7 / 20)
    row = np.argmin(np.abs(np.array(cross(1)) - (1 + 1j)))
    assert cross_qam(32, es_n0_db=17).matrix[row, row] == pytest.approx(math.erf(d) ** 2, rel=1e-14)
    assert cross_qam(128, es_n0_db=17).order == 128


@pytest.mark.parametrize("order", [8, 16, 64, 2048])
def test_bad_crosses(order):
    with pytest.raises(InvalidParameter, match="order must be 32, 128 or 512"):
        cross_qam(order, es_n0_db=10)
