"""The statements of the paper, [RV26] in docs/bibliography.md."""

import json
import math
from fractions import Fraction
from pathlib import Path

import brute
import mpmath
import numpy as np
import pytest
from for_each import for_each
from hypothesis import given, strategies as st

from hushcount import canonical, nearest

pytestmark = pytest.mark.grid

KERNEL = json.loads((Path(__file__).parents[1] / "data" / "kernel.json").read_text())
EPSILONS = [0, 1e-17, 1e-9, 0.1, 0.5, 1, 2, 8, 40, 709, 710, 746, 1000]


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1, 3])
@for_each("M", range(2, 10))
def test_lemma_1(M, epsilon):
    """The cyclic kernel is positive definite, and its spectrum is Appendix A's."""
    mechanism = canonical(M - 1, epsilon)
    by_appendix = np.sort(mechanism.spectrum)
    by_numpy = np.linalg.eigvalsh(mechanism.matrix())
    assert by_appendix.min() > 0
    assert np.allclose(by_appendix, by_numpy, rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("epsilon", EPSILONS)
@for_each("M", [1, 2, 3, 4, 5, 8, 9, 101])
def test_theorem_1_equation_9(M, epsilon):
    """alpha_M(epsilon) in closed form, against the sum that defines it."""
    with mpmath.workdps(1000):
        alpha = brute.kernel_diagonal(M, epsilon, 0)
        if epsilon > 0:
            e, h = mpmath.exp(brute.real(epsilon)), M // 2
            closed = (e - 1) * e**h / (e**h * (e + 1) - (e if M % 2 == 0 else 1) - 1)
            assert mpmath.almosteq(alpha, closed, rel_eps=mpmath.mpf(10) ** -300)
        assert math.isclose(canonical(M - 1, epsilon).pmf(0, 0), float(alpha), rel_tol=1e-15)


@pytest.mark.parametrize("delta", [0, 1e-300, 1e-6, 0.5, "0.999999999999999999999999999999"])
@pytest.mark.parametrize("epsilon", EPSILONS)
@for_each("M", [1, 2, 3, 4, 7, 8, 101])
def test_theorem_1_equation_10(M, epsilon, delta):
    """p_e* = (1 - delta)(1 - alpha), also where it is far below the spacing of floats near 1."""
    with mpmath.workdps(1000):
        error = 1 - brute.kernel_diagonal(M, epsilon, delta)
    for make in (canonical, nearest):
        assert math.isclose(make(M - 1, epsilon, delta).error_probability, float(error), rel_tol=1e-14)


def test_theorem_1_equation_10_with_many_outcomes():
    """M = 10^12 + 1 by the closed form (9) in 400 digits, against which nothing here rounds."""
    M = 10**12 + 1
    with mpmath.workdps(400):
        for epsilon in (1e-17, 1e-12, 1e-9, 1e-3, 1.0, 40.0):
            e = mpmath.mpf(epsilon)
            q, h = mpmath.exp(-e), M // 2
            alpha = 1 / (1 + 2 * q * (1 - q**h) / (1 - q))
            for make in (canonical, nearest):
                assert math.isclose(make(M - 1, epsilon).error_probability, float(1 - alpha), rel_tol=1e-14)
                assert math.isclose(make(M - 1, epsilon).pmf(5, 5), float(alpha), rel_tol=1e-14)


@pytest.mark.parametrize("case", KERNEL, ids=lambda c: f"M{c['M']}-{c['epsilon']}-{c['delta']}")
def test_reference_kernel(case):
    for make in (canonical, nearest):
        mechanism = make(case["M"] - 1, case["epsilon"], case["delta"])
        assert math.isclose(mechanism.error_probability, float(Fraction(case["p_e"])), rel_tol=1e-15)
        delta = Fraction(case["delta"])
        assert math.isclose(mechanism.pmf(0, 0), float(delta + (1 - delta) * Fraction(case["alpha"])), rel_tol=1e-15)


@pytest.mark.parametrize("epsilon", [0, 0.3, 1, 5])
@pytest.mark.parametrize("delta", [0, 0.01, 0.4])
@for_each("M", [2, 3, 4, 6])
def test_theorem_1_equation_10_is_the_optimum_of_the_program(M, epsilon, delta):
    assert math.isclose(
        1 - brute.best_diagonal(M, epsilon, delta), canonical(M - 1, epsilon, delta).error_probability, abs_tol=1e-8
    )


@pytest.mark.parametrize("delta", [0, 0.01, 0.4])
@pytest.mark.parametrize("epsilon", [0, 1e-9, 0.3, 1, 5, 40])
@for_each("n", [0, 1, 2, 3, 4, 7, 8])
def test_theorem_1_equation_11(n, epsilon, delta):
    expected = np.array(brute.canonical_matrix(n, epsilon, delta), dtype=float)
    assert np.allclose(canonical(n, epsilon, delta).matrix(), expected, rtol=1e-13, atol=0)


@pytest.mark.parametrize("M", [1, 2, 3, 4, 5, 8, 9, 64, 65])
def test_theorem_1_statement_1(M):
    """P* is positive definite unless (epsilon, delta) = (0, 0), where it is positive semidefinite."""
    for epsilon, delta in ((1e-9, 0), (0.5, 0), (0, 1e-6), (0, 0.5), (5, 0.1), (1000, 0)):
        assert canonical(M - 1, epsilon, delta).spectrum.min() > 0
    flat = canonical(M - 1, 0).spectrum
    assert flat.min() >= 0
    assert np.count_nonzero(flat) == 1


@given(st.integers(2, 60), st.floats(1e-6, 20), st.floats(0, 0.9))
def test_corollary_1_1(M, epsilon, delta):
    """p_e* grows with M, falls with epsilon and delta, and has the limits of the corollary."""
    error = canonical(M - 1, epsilon, delta).error_probability
    assert canonical(M, epsilon, delta).error_probability >= error
    assert canonical(M - 1, epsilon * 1.01, delta).error_probability <= error
    assert canonical(M - 1, epsilon, delta + 0.05).error_probability < error
    endless = (1 - Fraction(delta)) * 2 * Fraction(1) / (1 + Fraction(math.exp(epsilon)))
    assert error <= float(endless) * (1 + 1e-12)


def test_corollary_1_1_limit_of_many_outcomes():
    assert math.isclose(canonical(10**9, 1).error_probability, 2 / (1 + math.e), rel_tol=1e-14)


@pytest.mark.parametrize("make", [canonical, nearest])
@pytest.mark.parametrize(("epsilon", "delta"), [(0, 0), (0, 0.05), (0.1, 0), (0.5, 0.001), (1, 0), (2, 0.3), (8, 1e-6)])
@for_each("n", range(10))
def test_both_optima_are_private_on_all_subsets(make, n, epsilon, delta):
    matrix = make(n, epsilon, delta).matrix()
    if n == 0:
        assert matrix.tolist() == [[1.0]]
        return
    excess = brute.excess_over_all_subsets(matrix, epsilon)
    assert excess <= delta + 1e-13 * math.exp(epsilon)
    # The constraint is active: the same matrix does not keep a smaller promise.
    assert excess >= delta - 1e-13 * math.exp(epsilon)


def test_all_subsets_reject_a_mechanism_of_larger_epsilon():
    for make in (canonical, nearest):
        assert brute.excess_over_all_subsets(make(6, 1.3).matrix(), 1) > 0.05
