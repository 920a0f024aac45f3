"""[RV26] Theorem 1, statements 2 and 3."""

from fractions import Fraction

import brute
import mpmath
import numpy as np
import pytest
import random_optima

from hushcount import canonical, nearest
from hushcount.errors import TooLarge
from hushcount.mechanisms import explicit_fair
from hushcount.optimal_set.shared import is_unique, shared_count, shared_entries, shared_sums, shared_values


def entries_of_12(M):
    """(12) read literally, with rows and columns 1..M; the set of 0-based places."""
    low, high = (M + 1) // 2, -(-(M + 1) // 2)
    return {(i - 1, j - 1) for j in range(1, M + 1) for i in range(min(j, low), max(j, high) + 1)}


def places(mask):
    return {(int(i), int(j)) for i, j in np.argwhere(mask)}


@pytest.mark.parametrize("M", range(2, 61))
def test_theorem_1_statement_3_count(M):
    assert shared_count(M) == len(entries_of_12(M))
    assert shared_count(M) == int(shared_entries(canonical(M - 1, 1)).sum())


@pytest.mark.parametrize("M", range(2, 13))
def test_theorem_1_statement_3_equation_12(M):
    assert places(shared_entries(canonical(M - 1, 1))) == entries_of_12(M)


@pytest.mark.grid
@pytest.mark.parametrize("delta", [0, 0.01, 0.3])
@pytest.mark.parametrize("epsilon", [0.3, 1.2])
@pytest.mark.parametrize("M", [2, 3, 4, 5, 6, 7])
def test_theorem_1_statement_3_against_programs(M, epsilon, delta):
    """An entry is shared where a linear program finds no room for it; nowhere else."""
    lowest, highest = random_optima.entry_ranges(M, epsilon, delta)
    assert ((highest - lowest < 1e-7) == shared_entries(canonical(M - 1, epsilon, delta))).all()


@pytest.mark.slow
@pytest.mark.parametrize("M", [3, 4, 5, 6])
@pytest.mark.parametrize("delta", [0.02, 0.5])
def test_shared_entries_at_epsilon_0_against_programs(M, delta):
    lowest, highest = random_optima.entry_ranges(M, 0, delta)
    assert ((highest - lowest < 1e-7) == shared_entries(canonical(M - 1, 0, delta))).all()


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0, 1e-4, 0.2])
@pytest.mark.parametrize("epsilon", [0.2, 1])
@pytest.mark.parametrize("M", [3, 4, 5, 6])
def test_theorem_1_statement_3_equation_13_in_random_members(M, epsilon, delta):
    sums = shared_sums(canonical(M - 1, epsilon, delta))
    entries = shared_values(canonical(M - 1, epsilon, delta))
    for P in random_optima.random_members(M, epsilon, delta, 6):
        for s in sums:
            assert abs(P[s.row, s.first : s.last + 1].sum() - s.value) < 1e-8
        assert np.nanmax(np.abs(P - entries)) < 1e-8


@pytest.mark.parametrize(("n", "epsilon", "delta"), [(0, 1, 0.1), (1, 1, 0.1), (4, 0.3, 0.05), (7, 2, 0), (5, 0, 0.1)])
def test_equation_13_has_the_value_of_the_canonical_optimum(n, epsilon, delta):
    with mpmath.workdps(60):
        P = brute.canonical_matrix(n, epsilon, delta)
        expected = {(i, last): mpmath.fsum(P[i][: last + 1]) for i in range(n + 1) for last in (i - 1, i) if last >= 0}
    found = {(s.row, s.last): s for s in shared_sums(canonical(n, epsilon, delta))}
    assert found.keys() == expected.keys()
    for place, s in found.items():
        assert s.first == 0
        assert abs(s.value - float(expected[place])) <= 2**-52 * s.value


@pytest.mark.parametrize(("epsilon", "delta"), [(0.4, 0), (0.4, 0.1), (1e-17, 0), (700, 0), (0, 1e-300)])
@pytest.mark.parametrize("n", [0, 1, 2, 5, 8])
def test_any_member_tells_the_set(n, epsilon, delta):
    makers = [nearest] if delta else [nearest, lambda n, e, d: explicit_fair(n, e)]
    expected = shared_values(canonical(n, epsilon, delta))
    for make in makers:
        other = make(n, epsilon, delta)
        assert np.allclose(shared_values(other), expected, rtol=4e-16, atol=0, equal_nan=True)
        assert np.allclose(
            [s.value for s in shared_sums(other)],
            [s.value for s in shared_sums(canonical(n, epsilon, delta))],
            rtol=4e-16,
            atol=0,
        )


def test_theorem_1_statement_2():
    """The optimum is unique only when M = 2 or (epsilon, delta) = (0, 0)."""
    for n in (0, 1, 2, 3, 10**9):
        for epsilon, delta in ((0, 0), (0, 0.1), (1e-300, 0), (0.5, 0), (0.5, 0.5)):
            assert is_unique(canonical(n, epsilon, delta)) == (n <= 1 or (epsilon, delta) == (0, 0))


@pytest.mark.parametrize(("n", "epsilon", "delta"), [(0, 0.5, 0), (1, 0.5, 0.1), (1, 0, 0), (4, 0, 0)])
def test_a_unique_optimum_is_shared_whole(n, epsilon, delta):
    optimum = canonical(n, epsilon, delta)
    assert shared_entries(optimum).all()
    assert np.allclose(shared_values(optimum), optimum.matrix(), rtol=1e-15)


@pytest.mark.parametrize(("M", "epsilon", "delta"), [(2, 0.5, 0.1), (5, 0, 0)])
def test_theorem_1_statement_2_against_programs(M, epsilon, delta):
    lowest, highest = random_optima.entry_ranges(M, epsilon, delta)
    assert (highest - lowest).max() < 1e-7


def test_shared_values_are_nan_where_optima_differ():
    values = shared_values(canonical(4, 1, Fraction(1, 100)))
    assert np.isnan(values).sum() == 25 - 7


def test_too_many_outcomes():
    for of in (shared_entries, shared_values, shared_sums):
        with pytest.raises(TooLarge, match="4,096"):
            of(canonical(4096, 1))
