"""PAM and square QAM: error rates in closed form, tails at 40 digits, labels, fading that both axes share."""

import math
from itertools import pairwise

import mpmath as mp
import numpy as np
import pytest

from hushcount.errors import InvalidParameter, TooLarge
from hushcount.medium import gray_code, optimum, pam, psk, qam, snake_labels


def ratio(db):
    return mp.mpf(10) ** (mp.mpf(db) / 10)


def cell(L, i, j, s):
    """Pr(level j | level i) for (half distance)^2 / N0 = s, from the cell's two ends."""
    lower = -mp.inf if j == 0 else (2 * (j - i) - 1) * mp.sqrt(s)
    upper = mp.inf if j == L - 1 else (2 * (j - i) + 1) * mp.sqrt(s)
    return (mp.erfc(lower) - mp.erfc(upper)) / 2 if lower > 0 else (mp.erfc(-upper) - mp.erfc(-lower)) / 2


@pytest.mark.parametrize(("M", "db"), [(2, 28), (3, 5), (4, -40), (4, 20), (8, 30), (16, 0), (16, 42), (64, 40)])
def test_pam(M, db):
    matrix = pam(M, es_n0_db=db).matrix
    with mp.workdps(40):
        s = 3 * ratio(db) / (M * M - 1)
        expected = [[float(cell(M, i, j, s)) for j in range(M)] for i in range(M)]
    assert np.allclose(matrix, expected, rtol=1e-14, atol=1e-320)


def test_pam_far_tails():
    row = pam(64, es_n0_db=30).matrix[0]
    assert 1e-320 < row[row > 0].min() < 1e-290
    assert row[-1] == 0


@pytest.mark.parametrize("db", [-40, 0, 10, 20, 25])
@pytest.mark.parametrize("M", [2, 4, 8, 16, 64])
def test_error_rates_of_the_textbook(M, db):
    """[PS08] section 4.3: P = 2 (M - 1) / M Q(sqrt(6 g / (M^2 - 1))), and 1 - (1 - P)^2 for two axes of half g."""
    with mp.workdps(40):
        rate = mp.mpf(M - 1) / M * mp.erfc(mp.sqrt(3 * ratio(db) / (M * M - 1)))
        axis = mp.mpf(M - 1) / M * mp.erfc(mp.sqrt(3 * ratio(db) / (2 * (M * M - 1))))
        both = 2 * axis - axis**2
    assert math.isclose(pam(M, es_n0_db=db).mean_error_probability, rate, rel_tol=1e-13)
    if M <= 16:
        assert math.isclose(qam(M * M, es_n0_db=db).mean_error_probability, both, rel_tol=1e-13)


def test_two_levels_are_bpsk_and_four_points_qpsk():
    for db in (-10, 3, 12):
        for fading in (None, "rayleigh"):
            two, four = pam(2, es_n0_db=db, fading=fading), qam(4, es_n0_db=db, fading=fading, labels="gray")
            assert np.array_equal(two.matrix, psk(2, es_n0_db=db, fading=fading).matrix)
            gray = np.argsort(gray_code(4))
            expected = psk(4, es_n0_db=db, fading=fading).matrix[np.ix_(gray, gray)]
            assert np.allclose(four.matrix, expected, rtol=1e-14, atol=0)


@pytest.mark.slow
@pytest.mark.parametrize(("M", "db"), [(2, 3), (4, -40), (4, 10), (8, 80), (16, 25)])
def test_fading_pam_is_the_mean_over_an_exponential_snr(M, db):
    matrix = pam(M, es_n0_db=db, fading="rayleigh").matrix
    with mp.workdps(30):
        mean = 3 * ratio(db) / (M * M - 1)
        for i, j in ((0, 1), (0, M - 1), (M // 2, M // 2), (1, 0), (M - 1, M // 2)):
            expected = exponential_mean(lambda s, i=i, j=j: cell(M, i, j, s), mean)
            assert math.isclose(matrix[i, j], expected, rel_tol=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize(("M", "db"), [(4, 3), (16, -40), (16, 12), (25, 20), (64, 60)])
def test_fading_qam_is_the_mean_of_a_product(M, db):
    """The axes fade together: the mean of a product is not the product of the means."""
    L = math.isqrt(M)
    matrix = qam(M, es_n0_db=db, fading="rayleigh").matrix.reshape(L, L, L, L)
    with mp.workdps(30):
        mean = 3 * ratio(db) / (2 * (M - 1))
        for r, c, s, d in ((0, 0, 0, 0), (0, 1, 1, 1), (1, 0, L - 1, 1), (L // 2, L // 2, 0, L - 1), (1, 1, 1, 0)):
            expected = exponential_mean(lambda t: cell(L, r, s, t) * cell(L, c, d, t), mean)  # noqa: B023
            assert math.isclose(matrix[r, c, s, d], expected, rel_tol=1e-13)
    if db < 60:
        axis = pam(L, es_n0_db=db - 10 * math.log10(2), fading="rayleigh").matrix
        assert not np.allclose(matrix[0, 0], np.outer(axis[0], axis[0]), rtol=1e-3, atol=0)


def exponential_mean(of, mean):
    """On the scales of the cell (s about 1) and of the SNR alike."""
    ends = sorted({mp.mpf(0), *(mp.mpf(10) ** k for k in range(-12, 3)), *(mean * x for x in (0.1, 1, 4, 16, 64))})
    return float(mp.quad(lambda s: of(s) * mp.exp(-s / mean) / mean, [end for end in ends if end <= 64 * mean]))


def test_row_major():
    db, L = 14, 4
    axis = pam(L, es_n0_db=db - 10 * math.log10(2)).matrix
    matrix = qam(16, es_n0_db=db).matrix
    for i in range(16):
        for j in range(16):
            expected = axis[i // L, j // L] * axis[i % L, j % L]
            assert math.isclose(matrix[i, j], expected, rel_tol=1e-13)


def test_gray_labels_put_neighbours_one_bit_apart():
    for M in (4, 16, 64):
        matrix = qam(M, es_n0_db=25, labels="gray").matrix
        for k in range(M):
            likeliest = np.argsort(matrix[k])[::-1]
            assert likeliest[0] == k
            assert all((k ^ int(j)).bit_count() == 1 for j in likeliest[1:3])
    plain, gray = qam(16, es_n0_db=3), qam(16, es_n0_db=3, labels="gray")
    place = [4 * r + c for r in (0, 1, 3, 2) for c in (0, 1, 3, 2)]
    assert np.array_equal(gray.matrix, plain.matrix[np.ix_(place, place)])


def test_snake_labels_make_neighbouring_counts_neighbouring_points():
    for M in (4, 9, 16, 25, 64):
        L = math.isqrt(M)
        places = [divmod(int(point), L) for point in snake_labels(M)]
        assert sorted(places) == [divmod(k, L) for k in range(M)]
        assert all(abs(r - s) + abs(c - d) == 1 for (r, c), (s, d) in pairwise(places))
        plain, snake = (qam(M, es_n0_db=3, labels=labels) for labels in ("row-major", "snake"))
        assert np.array_equal(snake.matrix, plain.relabelled(snake_labels(M)).matrix)
        assert snake.is_mirrored
        assert snake.description.startswith(f"{M}-QAM, snake labels, Es/N0 = 3 dB")
    assert snake_labels(1).tolist() == [0]
    for bad in (0, 3, 8, 4.0, True):
        with pytest.raises(InvalidParameter, match="order must be"):
            snake_labels(bad)
    with pytest.raises(TooLarge, match="4,096"):
        snake_labels(65**2)


SNAKE_IS_BEST = {
    (6, "1"): (0.6753859, 0.6849726, 0.7124952),
    (6, "0.5"): (0.7886569, 0.7899489, 0.8069653),
    (0, "1"): (0.8842842, 0.8846018, 0.8891209),
    (10, "1"): (0.5817602, 0.5831843, 0.5950890),
    (3, "2"): (0.7787003, 0.7790288, 0.7882483),
    (6, "4"): (0.6059018, 0.6059150, 0.6101417),
}


@pytest.mark.parametrize(("db", "epsilon"), SNAKE_IS_BEST)
def test_snake_labels_cost_least_at_most_points(db, epsilon):
    found = [optimum(qam(16, es_n0_db=db, labels=labels), epsilon) for labels in ("snake", "row-major", "gray")]
    for one, other in pairwise(found):
        assert one.upper < other.lower
    assert [each.upper for each in found] == pytest.approx(SNAKE_IS_BEST[db, epsilon], abs=2e-7)


def test_snake_labels_are_not_always_best():
    snake, rows = (optimum(qam(16, es_n0_db=12, labels=labels), "0.5") for labels in ("snake", "row-major"))
    assert rows.upper < snake.lower


@pytest.mark.parametrize(
    ("order", "options", "message"),
    [
        (8, {}, "order must be a square"),
        (2, {}, "order must be a square"),
        (9, {"labels": "gray"}, "order must be a power of 4"),
        (36, {"labels": "gray"}, "order must be a power of 4"),
        (16, {"labels": "natural"}, "labels must be 'row-major', 'snake' or 'gray'"),
        (16, {"labels": "search"}, "labels must be 'row-major', 'snake' or 'gray'"),
        (16, {"labels": None}, "labels must be"),
    ],
)
def test_bad_qam(order, options, message):
    with pytest.raises(InvalidParameter, match=message):
        qam(order, es_n0_db=10, **options)


def test_gray_code():
    assert gray_code(8).tolist() == [0, 1, 3, 2, 6, 7, 5, 4]
    assert gray_code(1).tolist() == [0]
    for bad in (0, 3, 12, 2.0, True):
        with pytest.raises(InvalidParameter, match="order must be"):
            gray_code(bad)
