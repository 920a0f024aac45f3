"""Which constraints hold with equality."""

from fractions import Fraction

import brute
import mpmath
import pytest

from hushcount import canonical, from_matrix, nearest
from hushcount.mechanisms import explicit_fair
from hushcount.optimal_set.active import ActiveConstraints


def active_in_mpmath(P, epsilon, delta):
    """(k, i, first, last) of all intervals on which P_k(U) = e^epsilon P_i(U) + delta to 350 digits."""
    growth, delta, M = mpmath.exp(brute.real(epsilon)), brute.real(delta), len(P)
    found = set()
    for k in range(M):
        for i in {k - 1, k + 1} & set(range(M)):
            for first in range(M):
                for last in range(first, M):
                    mine, theirs = (mpmath.fsum(P[row][first : last + 1]) for row in (k, i))
                    if abs(mine - growth * theirs - delta) <= mpmath.mpf(10) ** -350 * mine:
                        found.add((k, i, first, last))
    return found


def active(mechanism, optimum):
    constraints, M = ActiveConstraints(mechanism, optimum.privacy), optimum.n + 1
    places = [
        (k, i, a, b) for k in range(M) for i in range(M) if abs(k - i) == 1 for a in range(M) for b in range(a, M)
    ]
    return {place for place in places if constraints.is_active(*place)}


@pytest.mark.grid
@pytest.mark.parametrize("delta", [0, 1e-300, 0.01, 0.4])
@pytest.mark.parametrize("epsilon", [0, 1e-40, 0.5, 3, 60])
@pytest.mark.parametrize("n", [0, 1, 2, 4, 5])
def test_closed_forms_against_mpmath(n, epsilon, delta):
    optimum = canonical(n, epsilon, delta)
    with mpmath.workdps(800):
        for start, matrix in (
            (optimum, brute.canonical_matrix(n, epsilon, delta)),
            (nearest(n, epsilon, delta), brute.nearest_matrix(n, epsilon, delta)),
        ):
            assert active(start, optimum) == active_in_mpmath(matrix, epsilon, delta)


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "delta"), [(0, 0.12), (0.5, 0), (0.5, 0.01), (3, 1e-6), (12, 0)])
@pytest.mark.parametrize("n", [1, 2, 4, 5])
def test_matrices_against_their_closed_forms(n, epsilon, delta):
    for make in (canonical, nearest):
        start = make(n, epsilon, delta)
        assert active(from_matrix(start.matrix()), start) == active(start, start)


def test_tiny_entries_are_compared_relatively():
    """Entries of e^-2400 in one column: neighbours are at e^epsilon exactly on one side only."""
    optimum = explicit_fair(8, 600)
    constraints = ActiveConstraints(optimum, optimum.privacy)
    assert constraints.is_active(5, 4, 8, 8)
    assert not constraints.is_active(4, 5, 8, 8)


def test_a_difference_of_one_in_ten_to_the_thousand_is_seen():
    """delta = 10^-1000 is not 0: without it (k, k) against (k + 1, k) would be active."""
    optimum = canonical(4, Fraction(1, 2), Fraction(1, 10**1000))
    constraints = ActiveConstraints(optimum, optimum.privacy)
    assert constraints.is_active(0, 1, 0, 0)
    assert not constraints.is_active(1, 2, 0, 0)
    assert ActiveConstraints(canonical(4, 0.5), canonical(4, 0.5).privacy).is_active(1, 2, 0, 0)
