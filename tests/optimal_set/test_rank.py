"""[RV26] Theorem 1 statement 4, and the sharper condition of docs/theory.md."""

import json
import math
from fractions import Fraction

import brute
import mpmath
import numpy as np
import pytest
import random_optima
from hypothesis import given, strategies as st

from hushcount import canonical, nearest
from hushcount.errors import InvalidParameter, TooLarge
from hushcount.optimal_set.rank import FullRankReason, determinant, full_rank_guarantee

NEXT_TO_NOTHING = "1e-1000"


def guarantee(M, epsilon, delta=0):
    return full_rank_guarantee(canonical(M - 1, epsilon, delta))


def combinations(P, k):
    """B P of the module's head, with rows 0..n."""
    M = len(P)
    h = M // 2
    rows = [k * P[r] - P[r + 1] for r in range(h)]
    if M % 2:
        rows.append((k + 1 / k) * P[h] - P[h - 1] - P[h + 1])
    return np.array(rows + [k * P[r] - P[r - 1] for r in range(M - h, M)])


def dominance(A):
    """By how much each diagonal entry exceeds the others of its row together."""
    return 2 * np.diagonal(A) - np.abs(A).sum(axis=1)


# --- statement 4 ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("M", "epsilon", "delta", "reason"),
    [
        (1, 0, 0, FullRankReason.FEW_OUTCOMES),
        (2, 0, 0, FullRankReason.SINGULAR),
        (2, 0, NEXT_TO_NOTHING, FullRankReason.FEW_OUTCOMES),
        (2, NEXT_TO_NOTHING, 0, FullRankReason.FEW_OUTCOMES),
        (9, 0, 0, FullRankReason.SINGULAR),
        (3, NEXT_TO_NOTHING, 0, FullRankReason.THREE_OUTCOMES),
        (3, 0.1, 0.2, FullRankReason.THREE_OUTCOMES),
        (3, 0, 0.2, FullRankReason.NONE),
        (4, NEXT_TO_NOTHING, 0, FullRankReason.FOUR_OUTCOMES),
        (4, NEXT_TO_NOTHING, NEXT_TO_NOTHING, FullRankReason.NONE),
        (5, 2, 0, FullRankReason.HALF),
        (10**12, 2, 0, FullRankReason.HALF),
        (10**12, 0, 0.51, FullRankReason.HALF),
        (7, 2**4000, "1e-1000", FullRankReason.HALF),
    ],
)
def test_theorem_1_statement_4_reasons(M, epsilon, delta, reason):
    assert guarantee(M, epsilon, delta).reason is reason
    assert bool(guarantee(M, epsilon, delta)) == (reason not in {FullRankReason.SINGULAR, FullRankReason.NONE})


def test_theorem_1_statement_4_ties():
    """gamma = 1/2 is not above 1/2. At epsilon = 0 that is (1 - delta) / M + delta = 1/2."""
    for M in (3, 4, 6, 11):
        tie = Fraction(M - 2, 2 * (M - 1))
        assert not guarantee(M, 0, tie)
        assert guarantee(M, 0, tie + Fraction(1, 10**1000)).reason is FullRankReason.HALF
    # alpha of infinitely many outcomes is above 1/2 from epsilon = ln 3 on; two floats next to it
    below, above = math.nextafter(math.log(3), 0), math.log(3)
    with mpmath.workdps(40):
        assert mpmath.exp(below) < 3 < mpmath.exp(above)
    assert guarantee(10**9, above).reason is FullRankReason.HALF
    assert guarantee(10**9, below).reason is FullRankReason.ROW_COMBINATIONS


@pytest.mark.slow
@pytest.mark.parametrize(
    ("M", "epsilon", "delta"),
    [
        (3, 0.02, 0),
        (3, 0.02, 0.001),
        (3, 0.3, 0.2),
        (4, 0.05, 0),
        (4, 0.7, 0),
        (4, 2, 0.05),
        (6, 0.1, 0.6),
        (5, 0.36, 0),
        (5, 0.5, 0.01),
        (6, 0.5, 0),
        (6, 0.6, 0.02),
        (7, 0.6, 0),
        (7, 0.62, 0.01),
    ],
)
def test_theorem_1_statement_4_by_determinants(M, epsilon, delta):
    """Where a reason is named, members in random directions have positive determinants."""
    assert guarantee(M, epsilon, delta)
    for P in random_optima.random_members(M, epsilon, delta, 30):
        assert np.linalg.det(P) > 0


# --- combinations of rows ---------------------------------------------------------------------------------------------


@pytest.mark.grid
@pytest.mark.parametrize("delta", [0, 1e-3, 0.04, 0.2])
@pytest.mark.parametrize("epsilon", [0.15, 0.5, 0.8, 1.3])
@pytest.mark.parametrize("M", [3, 4, 5, 6, 7])
def test_combinations_of_rows(M, epsilon, delta):
    """Every member has dominance of at least what the conditions promise, and some vertex comes near it."""
    k, h = math.exp(epsilon), M // 2
    optimum = canonical(M - 1, epsilon, delta)
    gamma = optimum.pmf(0, 0)
    largest = nearest(M - 1, epsilon, delta).pmf(h, h - 1)
    a = gamma - delta
    assert math.isclose(largest, min(a * sum(k**-e for e in range(h)), gamma) / k, rel_tol=1e-12)
    beside = 2 * (k * gamma - largest) - (k - 1) - 2 * delta
    middle = (k - 1) ** 2 / k - 4 * delta / k
    sides = [r for r in range(M) if 2 * r + 1 != M]
    for P in random_optima.random_members(M, epsilon, delta, 6):
        room = dominance(combinations(P, k))
        assert room[sides].min() >= beside - 1e-7
        if M % 2:
            assert room[h] >= middle - 1e-7
    promised = beside > 0 and (M % 2 == 0 or middle > 0)
    found = guarantee(M, epsilon, delta)
    if promised:
        assert found
    if found.reason is FullRankReason.ROW_COMBINATIONS:
        assert promised
        assert found.row == (M - 2) // 2
    elif found.reason is FullRankReason.NONE:
        assert not promised
        assert found.row == ((M - 2) // 2 if beside <= 0 else h)


@pytest.mark.parametrize("M", range(3, 30))
@pytest.mark.parametrize("k", [1.0001, 1.3, 2.0, 9.0])
def test_the_combinations_lose_nothing(M, k):
    """det B = k^(M-2) (k^2 - 1)."""
    sign, logarithm = np.linalg.slogdet(combinations(np.eye(M), k))
    assert sign == 1
    assert math.isclose(logarithm, (M - 2) * math.log(k) + math.log(k * k - 1), rel_tol=1e-9, abs_tol=1e-9)


@pytest.mark.parametrize("M", [3, 4, 5, 6, 8, 9, 1001, 10**12])
def test_without_delta_ln_2_is_enough(M):
    for epsilon in (math.nextafter(math.log(2), 1), 0.7, 1, 5, 10**9):
        assert guarantee(M, epsilon)
    if M > 50:
        assert guarantee(M, 0.69).reason is FullRankReason.NONE
        assert guarantee(M, 0.69).row == (M - 2) // 2


@given(st.integers(5, 300), st.floats(0.05, 1.2))
def test_without_delta_the_condition_is_one_on_gamma(M, epsilon):
    """gamma > 1 / (2 (1 + q)), the middle row of an odd M being always dominant."""
    with mpmath.workdps(50):
        gamma = brute.kernel_diagonal(M, epsilon, 0)
        expected = gamma > 1 / (2 * (1 + mpmath.exp(-brute.real(epsilon))))
    assert bool(guarantee(M, epsilon)) == expected


def test_the_middle_row_can_be_what_fails():
    """M = 5, epsilon = 0.53, delta = 0.135: only delta < (k - 1)^2 / 4 = 0.122 is missing."""
    found = guarantee(5, 0.53, 0.135)
    assert found.reason is FullRankReason.NONE
    assert found.row == 2
    assert guarantee(5, 0.53, 0.12).reason is FullRankReason.ROW_COMBINATIONS


def test_example_after_corollary_1_1_has_no_guarantee():
    """At M = 5, epsilon = ln 1.1 an optimum of rank 4 exists."""
    found = guarantee(5, math.log(1.1))
    assert not found
    assert found.row == 1
    assert guarantee(5, math.log(2) / 2 + 1e-9)
    assert not guarantee(5, math.log(2) / 2 - 1e-9)
    k, total = 1.1, 5.41
    P = np.array(
        [
            [k**2, k**3, 1, 0.9091, 0.9599],
            [k, k**2, k, 1, 1],
            [1, k, k**2, k, 1],
            [2 / 2.1, 2.2 / 2.1, k, k**2, k],  # printed as .9524, 1.0476
            [1, k, 1, k, k**2],
        ]
    )
    assert abs(determinant(P / total)) < 1e-18
    assert determinant(canonical(4, math.log(1.1)).matrix()) > 1e-8


def test_to_dict_and_text():
    none = guarantee(5, 0.1)
    assert json.loads(json.dumps(none.to_dict())) == {
        "guaranteed": False,
        "reason": "NONE",
        "explanation": FullRankReason.NONE.value,
        "row": 1,
    }
    assert str(none).endswith("(True count 1 decides.)")
    assert str(guarantee(2, 1)) == FullRankReason.FEW_OUTCOMES.value


# --- determinant ------------------------------------------------------------------------------------------------------


def test_determinant_is_exact():
    assert determinant([[1]]) == 1
    assert determinant(np.eye(5)[::-1]) == 1  # two transpositions
    assert determinant([[0, 1], [1, 0]]) == -1
    assert determinant([[0.75, 0.25], [0.5, 0.5]]) == Fraction(1, 4)
    assert determinant(np.full((4, 4), 0.25)) == 0
    third = np.array([[1 / 3, 1 / 3, 1 / 3], [0.1, 0.2, 0.7], [0.5, 0.25, 0.25]])
    rows = [[Fraction(float(x)) for x in row] for row in third]
    a, b, c = ([x / sum(row) for x in row] for row in rows)
    by_hand = (
        a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])
    )
    assert determinant(third) == by_hand


def test_determinant_where_floats_give_none():
    """Below the least float, and with entries from 1 to 1e-150."""
    tiny = determinant(nearest(63, 0.3).matrix())
    assert 0 < tiny < Fraction(1, 10**40)
    spread = canonical(30, 20)
    with mpmath.workdps(50):
        expected = mpmath.fprod(mpmath.mpf(float(x)) for x in spread.spectrum)
    assert math.isclose(determinant(spread.matrix()), float(expected), rel_tol=1e-9)


def test_determinant_refuses():
    with pytest.raises(TooLarge, match="128"):
        determinant(np.eye(129))
    with pytest.raises(InvalidParameter, match="square"):
        determinant([[0.5, 0.5]])
