"""Any points: QAM, PSK and PAM as special cases, independent integrals at 20 digits, exact geometry, bad points."""

import json
import math

import mpmath as mp
import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings, strategies as st

from hushcount.errors import BadData, BadUse, InvalidParameter, TooLarge
from hushcount.medium import apsk, constellation, cross_qam, pam, psk, qam, read_points
from hushcount.medium.channels.plane.cells import Point, cells
from hushcount.medium.channels.plane.points import exact_points

IRREGULAR = [0.3 + 0.1j, -1.2 + 0.4j, 0.9 - 1.1j, 2.5 + 0.2j, -0.4 - 2.0j, 0.1 + 1.7j, 0.35 + 0.2j]


def grid(L):
    return [complex(2 * c - L + 1, 2 * r - L + 1) for r in range(L) for c in range(L)]


def same(found, expected, tolerance=1e-12):
    """Zeros are zeros in both, and all else agrees however small, unless it is below the normal floats."""
    return np.allclose(found.matrix, expected.matrix, rtol=tolerance, atol=1e-308)


@pytest.mark.parametrize("fading", [None, "rayleigh"])
@pytest.mark.parametrize("db", [-300, -30, 0, 12, 25, 28.5, 38, 1000])
@pytest.mark.parametrize("L", [2, 3, 4])
def test_square_qam_is_a_special_case(L, db, fading):
    expected = qam(L * L, es_n0_db=db, fading=fading)
    assert same(constellation(grid(L), es_n0_db=db, fading=fading), expected, 1e-15)


def test_special_cases_reach_far():
    expected = qam(16, es_n0_db=25.75).matrix
    place = np.unravel_index(np.argmin(np.where(expected > 0, expected, 1)), (16, 16))
    assert 1e-305 < expected[place] < 1e-290
    assert constellation(grid(4), es_n0_db=25.75).matrix[place] == pytest.approx(expected[place], rel=5e-16, abs=0)


@pytest.mark.parametrize("db", [-20, 0, 12, 22])
def test_psk_is_a_special_case(db):
    """Its points as floats are not quite on a circle, nor quite apart by equal angles: far chances move by 1e-14."""
    for M in (3, 5, 8, 16):
        points = np.exp(2j * np.pi * np.arange(M) / M)
        assert same(constellation(points, es_n0_db=db), psk(M, es_n0_db=db))
        assert same(
            constellation(1e6 * points, eb_n0_db=db, fading="rayleigh"), psk(M, eb_n0_db=db, fading="rayleigh"), 1e-14
        )


@pytest.mark.parametrize("db", [0, 15, 27, 30])
def test_points_on_a_line_are_pam(db):
    expected = pam(5, es_n0_db=db)
    for slope in (1, 3 + 4j):
        points = [k * slope for k in (-2, -1, 0, 1, 2)]
        assert same(constellation(points, es_n0_db=db), expected, 1e-15)
    assert same(constellation([-2, -1, 0, 1, 2], es_n0_db=db), expected, 1e-15)


def test_one_point_and_two():
    assert constellation([0], es_n0_db=3).matrix.tolist() == [[1]]
    assert constellation([2 - 1j], eb_n0_db=3, fading="rayleigh").matrix.tolist() == [[1]]
    assert same(constellation([1j, -1j], es_n0_db=7), psk(2, es_n0_db=7), 1e-15)
    on_off = constellation([0, 1], es_n0_db=7)  # the mean energy is 1/2: the distance is sqrt(2) instead of 2
    assert on_off.matrix[0, 1] == pytest.approx(math.erfc(math.sqrt(10**0.7 / 2)) / 2, rel=1e-13)
    assert constellation(IRREGULAR, es_n0_db=math.inf).matrix.tolist() == np.eye(7).tolist()


def oracle(points, sent, received, db):
    """By slices of the plane at 20 digits: what is nearest on each vertical line is an interval."""
    with mp.workdps(20):
        scale = mp.sqrt(mp.mpf(10) ** (mp.mpf(db) / 10) / mp.fsum(abs(mp.mpc(p)) ** 2 for p in points) * len(points))
        away = [scale * (mp.mpc(p) - mp.mpc(points[sent])) for p in points]
        own = away[received]
        others = [p for k, p in enumerate(away) if k != received]

        def interval(x):
            low, high = -mp.inf, mp.inf
            for p in others:  # 2 z . (p - own) <= |p|^2 - |own|^2
                d, side = p - own, (abs(p) ** 2 - abs(own) ** 2) / 2
                if d.imag == 0:
                    if x * d.real > side:
                        return None
                    continue
                end = (side - x * d.real) / d.imag
                low, high = (low, min(high, end)) if d.imag > 0 else (max(low, end), high)
            return (low, high) if low < high else None

        def slice_of(x):
            found = interval(x)
            if found is None:
                return mp.mpf(0)
            low, high = found
            inner = mp.erfc(low) - mp.erfc(high) if low > 0 else mp.erfc(-high) - mp.erfc(-low)
            return mp.exp(-x * x) * inner / (2 * mp.sqrt(mp.pi))

        corners = {mp.mpf(0)}
        for a in range(len(others)):
            for b in range(a):
                d, e = others[a] - own, others[b] - own
                area = d.real * e.imag - d.imag * e.real
                if area:
                    u, v = ((abs(p) ** 2 - abs(own) ** 2) / 2 for p in (others[a], others[b]))
                    corners.add((u * e.imag - v * d.imag) / area)
        grid = sorted({x for x in corners if abs(x) < 12} | {mp.mpf(x) for x in range(-12, 13, 2)})
        return float(mp.quad(slice_of, grid))


@pytest.mark.slow
@pytest.mark.parametrize("db", [-10, 5, 14])
def test_irregular_points(db):
    matrix = constellation(IRREGULAR, es_n0_db=db).matrix
    for sent, received in ((0, 0), (0, 6), (6, 0), (3, 1), (4, 5), (1, 2), (2, 2)):
        expected = oracle(IRREGULAR, sent, received, db)
        assert matrix[sent, received] == pytest.approx(expected, rel=1e-12, abs=1e-25)


@pytest.mark.slow
def test_fading_is_the_mean_over_an_exponential_snr():
    """By Gauss-Legendre quadrature over the chance of a larger SNR, with nodes drawn toward 0 and 1."""
    mean = constellation(IRREGULAR, es_n0_db=3, fading="rayleigh").matrix
    nodes, weights = np.polynomial.legendre.leggauss(40)
    found = np.zeros((7, 7))
    for t, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
        chance = t**3 * (10 - 15 * t + 6 * t * t)
        db = 3 + 10 * math.log10(-math.log(chance))
        found += weight * 30 * (t * (1 - t)) ** 2 * constellation(IRREGULAR, es_n0_db=db).matrix
    assert np.allclose(found, mean, atol=1e-9, rtol=0)
    assert np.abs(constellation(IRREGULAR, es_n0_db=3).matrix - mean).max() > 0.02


def test_every_place_is_a_case_of_the_noise():
    for db in (-20, 0, 10, 20):
        rows = constellation(IRREGULAR, es_n0_db=db).matrix
        assert all(abs(math.fsum(row) - 1) <= 7 * 2**-53 for row in rows)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=2, max_size=9, unique=True),
    st.integers(-10, 20),
    st.sampled_from([None, "rayleigh"]),
)
def test_turned_mirrored_moved_and_scaled_points(pairs, db, fading):
    """Moving changes the energy alone; here the SNR goes with it. Small integers are often on lines and circles."""
    points = [complex(*pair) for pair in pairs]
    medium = constellation(points, es_n0_db=db, fading=fading)
    assert all(abs(math.fsum(row) - 1) <= len(points) * 2**-53 for row in medium.matrix)
    for same_points in ([1j * p for p in points], [p.conjugate() for p in points], [4 * p for p in points]):
        assert np.array_equal(constellation(same_points, es_n0_db=db, fading=fading).matrix, medium.matrix)
    order = np.random.default_rng(len(points)).permutation(len(points))
    shuffled = constellation([points[k] for k in order], es_n0_db=db, fading=fading)
    assert np.array_equal(shuffled.matrix, medium.matrix[np.ix_(order, order)])


def test_symmetric_points_have_symmetric_matrices():
    for mirrored in (constellation(grid(3), es_n0_db=4), apsk(16, es_n0_db=9), cross_qam(32, es_n0_db=12)):
        assert mirrored.is_mirrored
    assert constellation([1, 1j, -1, -1j], es_n0_db=4).is_circulant
    assert not constellation(IRREGULAR, es_n0_db=4).is_mirrored


def test_points_on_a_circle_share_a_vertex():
    points = [Point(fmpq(x), fmpq(y)) for x, y in ((3, 4), (-3, 4), (5, 0), (-5, 0), (0, -5), (4, -3))]
    found = cells(points)
    for cell, point in zip(found, points, strict=True):
        ends = [end for side in cell for end in (side.start, side.end)]
        assert len(cell) == 2
        assert sorted(end is None for end in ends) == [False, False, True, True]
        assert all(end is None or (end.x + point.x, end.y + point.y) == (0, 0) for end in ends)
    strip = cells([Point(fmpq(k), fmpq(2 * k)) for k in range(3)])
    assert [len(cell) for cell in strip] == [1, 2, 1]
    assert all(side.start is None and side.end is None for cell in strip for side in cell)


class Holder:
    def __init__(self, points):
        self.points = points


@pytest.mark.parametrize(
    "points",
    [
        [1 + 2j, -3],
        np.array([1 + 2j, -3], dtype=np.complex64),
        [[1, 2], [-3, 0]],
        np.array([[1 + 2j], [-3]]),
        Holder([1 + 2j, -3]),
        Holder(lambda: np.array([1 + 2j, -3])),
    ],
)
def test_forms_of_points(points):
    assert exact_points(points) == [(1, 2), (-3, 0)]


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([], "points must be at least one point"),
        ([1, 2, 1], r"points must be different from one another \(points 0 and 2 are equal\)"),
        ([0.0, 1, -0.0], r"\(points 0 and 2 are equal\)"),
        ([0, 1, 1e-16], r"more than 1e\+15 times nearer .* \(points 0 and 2 are\)"),
        ([0, math.nan], "point 1 of points must be finite"),
        ([0, complex(1, math.inf)], "point 1 of points must be finite"),
        (["1", "2"], "points must be complex numbers"),
        ([True, False], "points must be complex numbers"),
        ([[1, 2, 3], [4, 5, 6]], "points must be complex numbers"),
        ([[1j, 2], [4, 5]], "points must be complex numbers"),
        (3, "points must be complex numbers"),
        (np.zeros(2, dtype=np.clongdouble), "of at most 64 bits each"),
    ],
)
def test_bad_points(points, message):
    with pytest.raises(InvalidParameter, match=message):
        constellation(points, es_n0_db=3)


def test_too_many_points():
    with pytest.raises(TooLarge, match="1,025 points is above the limit of 1,024"):
        constellation(np.arange(1025), es_n0_db=3)
    with pytest.raises(BadUse, match="either es_n0_db or eb_n0_db"):
        constellation([0, 1])


def test_descriptions():
    assert constellation([0, 1], es_n0_db=3).description == "2 given points, Es/N0 = 3 dB (Eb/N0 = 3 dB)"
    named = constellation(IRREGULAR, eb_n0_db=3, description="mine")
    assert named.description == "mine, Eb/N0 = 3 dB (Es/N0 = 7.483 dB)"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("p.csv", "1,2\n-3,0\n"),
        ("p.csv", "re,im\n1,2\n-3,0\n"),
        ("p.csv", "1+2j\n(-3+0j)\n"),
        ("p.csv", "1.0e+00+2j\n-3\n"),
        ("p.json", '[[1, 2], "-3"]'),
        ("p.json", '{"name": "mine", "points": ["1+2j", -3]}'),
    ],
)
def test_files_of_points(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert exact_points(read_points(tmp_path / name)) == [(1, 2), (-3, 0)]


def test_arrays_in_files(tmp_path):
    np.save(tmp_path / "p.npy", np.array([1 + 2j, -3]))
    assert exact_points(read_points(tmp_path / "p.npy")) == [(1, 2), (-3, 0)]
    (tmp_path / "p.csv").write_text("1;2\n-3;0\n")
    assert exact_points(read_points(tmp_path / "p.csv", delimiter=";")) == [(1, 2), (-3, 0)]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("p.csv", "1,2j\n3,4\n", "two columns must hold the real and the imaginary part"),
        ("p.csv", "a,b\n3,4\n", "line 1 holds something that is not a number, or a complex number such as 1-2j"),
        ("p.csv", "1+-2j\n", "line 1 holds something"),
        ("p.csv", "(1+2j\n", "line 1 holds something"),
        ("p.json", "[1, ", "not JSON in UTF-8"),
        ("p.json", "7", "must hold a list of points"),
        ("p.json", '[1, "x"]', "point 1 must be a number, two numbers"),
        ("p.json", "[[1, 2, 3]]", "point 0 must be a number, two numbers"),
        ("p.json", "[true]", "point 0 must be"),
        ("p.json", json.dumps([10**400]), "point 0 must be"),
    ],
)
def test_bad_files(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(BadData, match=message) as caught:
        read_points(tmp_path / name)
    assert str(caught.value).startswith(f"{tmp_path / name}: ")


def test_missing_files(tmp_path):
    with pytest.raises(BadData, match="cannot be read"):
        read_points(tmp_path / "none.json")
    with pytest.raises(InvalidParameter, match="delimiter must be left out"):
        read_points(tmp_path / "none.json", delimiter=";")
