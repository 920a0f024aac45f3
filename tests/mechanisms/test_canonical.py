"""The canonical optimum's algebra."""

import math

import brute
import mpmath
import numpy as np
import pytest

from hushcount import canonical
from hushcount.errors import BadUse, InvalidParameter, TooLarge

CASES = [(0, 1, 0), (1, 1, 0), (2, 0.5, 0), (7, 0.5, 0.01), (8, 1e-3, 0), (100, 0.1, 1e-6), (101, 5, 0), (6, 0, 0.2)]


@pytest.mark.parametrize(("n", "epsilon", "delta"), CASES)
def test_spectrum_is_the_transform_of_the_first_row(n, epsilon, delta):
    mechanism = canonical(n, epsilon, delta)
    assert np.allclose(mechanism.spectrum, np.fft.fft(mechanism.pmf(0)).real, rtol=1e-9, atol=1e-14)
    assert mechanism.spectrum[0] == 1


@pytest.mark.parametrize(("n", "epsilon", "delta"), CASES)
def test_product_and_solve(n, epsilon, delta):
    mechanism = canonical(n, epsilon, delta)
    rng = np.random.default_rng(1)
    for shape in ((n + 1,), (n + 1, 3)):
        x = rng.normal(size=shape)
        product = mechanism.product(x)
        assert np.allclose(product, mechanism.matrix() @ x, rtol=0, atol=1e-12)
        assert np.allclose(mechanism.solve(product), x, rtol=0, atol=1e-12 / mechanism.spectrum.min())


def test_large_product_needs_no_matrix():
    n = 2**20 - 1
    mechanism = canonical(n, 0.5)
    truth = np.zeros(n + 1)
    truth[[3, 500_000]] = 7, 5
    assert np.allclose(mechanism.solve(mechanism.product(truth)), truth, atol=1e-9)
    assert math.isclose(mechanism.product(truth)[3], 7 * mechanism.pmf(3, 3), rel_tol=1e-9)


@pytest.mark.parametrize("epsilon", [1e-17, 1e-9, 1e-3])
def test_small_eigenvalues_keep_their_digits(epsilon):
    """The least eigenvalue is of order epsilon; by its definition the sum would cancel to noise."""
    for n in (6, 7, 200, 201):
        mechanism, M = canonical(n, epsilon), n + 1
        assert mechanism.spectrum.min() > 0
        with mpmath.workdps(60):
            q, alpha = mpmath.exp(-brute.real(epsilon)), brute.kernel_diagonal(M, epsilon, 0)
            for k in (1, 2, 3, M // 2):
                angles = (mpmath.cos(2 * mpmath.pi * k * r / M) for r in range(M))
                direct = alpha * mpmath.fsum(q ** min(r, M - r) * c for r, c in enumerate(angles))
                assert math.isclose(mechanism.spectrum[k], float(direct), rel_tol=1e-12)


def test_no_inverse_only_without_any_information():
    with pytest.raises(BadUse, match="no inverse"):
        canonical(3, 0, 0).solve(np.ones(4))
    assert np.allclose(canonical(3, 0, "0.1").solve([1, 1, 1, 1]), 1)
    assert np.allclose(canonical(0, 0, 0).solve([2.0]), 2)


def test_shapes_and_sizes():
    with pytest.raises(InvalidParameter, match=r"^the vector must be of shape \(5,\)"):
        canonical(4, 1).product(np.ones(4))
    masked = np.ma.array([1.0] * 5, mask=[0, 0, 1, 0, 0])
    for bad in (["a"] * 5, [1j] * 5, [float("nan")] * 5, [None] * 5, [[1]] * 4 + [[1, 2]], masked):
        with pytest.raises(InvalidParameter, match="the vector must be finite real numbers"):
            canonical(4, 1).solve(bad)
    with pytest.raises(TooLarge, match="spectrum"):
        canonical(10**12, 1).spectrum  # noqa: B018


@pytest.mark.parametrize(("n", "epsilon"), [(6, 0.5), (7, 0.5), (11, 2)])
def test_circulant(n, epsilon):
    matrix = canonical(n, epsilon, 0.01).matrix()
    for i in range(n + 1):
        assert np.array_equal(matrix[i], np.roll(matrix[0], i))


@pytest.mark.parametrize("epsilon", ["0.1", "1", "40"])
def test_values_among_a_million_million_counts(epsilon):
    """n = 10^12: the noise is two-sided geometric up to terms below 10^-300, and wraps at the edge."""
    n = 10**12
    mechanism = canonical(n, epsilon)
    with mpmath.workdps(60):
        q = mpmath.exp(-brute.real(epsilon))
        a = (1 - q) / (1 + q)
        absolute, squared = 2 * a * q / (1 - q) ** 2, 2 * a * q * (1 + q) / (1 - q) ** 3
        wrapped = a * q / (1 - q)
        assert math.isclose(mechanism.expected_absolute_error(n // 2), float(absolute), rel_tol=1e-14)
        assert math.isclose(mechanism.expected_squared_error(n // 2), float(squared), rel_tol=1e-14)
        # A true 0: the lower half lands at M - d.
        edge = absolute / 2 + (n + 1) * wrapped - absolute / 2
        assert math.isclose(mechanism.expected_absolute_error(0), float(edge), rel_tol=1e-14)
        assert math.isclose(mechanism.bias(0), float(edge), rel_tol=1e-14)
        assert math.isclose(mechanism.probability_beyond(5, n // 2), float(2 * a * q**6 / (1 - q)), rel_tol=1e-14)


@pytest.mark.parametrize("delta", [0, 1e-6])
@pytest.mark.parametrize("epsilon", [1e-17, 1e-9, 1e-3, 1, 709, 746, 1000])
def test_any_epsilon_at_any_n(epsilon, delta):
    for n in (1, 2, 7, 10**12):
        mechanism = canonical(n, epsilon, delta)
        assert mechanism.expected_absolute_error() >= mechanism.expected_absolute_error(n // 2)
        assert mechanism.bias(n) == -mechanism.bias(0)
        assert math.isclose(mechanism.bias(0), mechanism.expected_absolute_error(0), rel_tol=1e-12)
        assert 0 <= mechanism.draw(n // 2) <= n
