"""Theorem 2 of the paper, statement by statement, against direct computation."""

import math

import numpy as np
import pytest

from hushcount import canonical
from hushcount.medium import (
    Conclusion,
    canonical_fits,
    corollary_2_1,
    from_matrix,
    is_lossless,
    optimum,
    psk,
    rounding,
    statement_1,
    statement_1_with_radius,
    statement_2_max_norm,
    statement_2_row_norm,
    statement_3,
    statement_4,
    statement_5,
    statement_6,
    symmetric_channel,
)
from hushcount.optimal_set import OptimalSet

LOSSY = from_matrix([[0.6, 0.4, 0], [0, 0.5, 0.5], [0.5, 0, 0.5]])
OUTSIDE = from_matrix([[0.5, 0.4, 0.1], [0.45, 0.35, 0.2], [0.1, 0.1, 0.8]], description="1 outside the cone")
MEDIA = [
    psk(8, es_n0_db=10),
    psk(8, es_n0_db=0),
    psk(5, es_n0_db=3),
    symmetric_channel(4, 0.1),
    from_matrix([[0.9, 0.1, 0], [0.1, 0.8, 0.1], [0, 0.2, 0.8]]),
    LOSSY,
    OUTSIDE,
]
each_medium = pytest.mark.parametrize("T", MEDIA, ids=lambda T: T.description)
each_promise = pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 0), (1, 0), (3, 0), (0.5, 0.05)])


def back(T):
    return np.linalg.inv(T.matrix)


def moved(T, epsilon, delta):
    return canonical(T.n, epsilon, delta).matrix() @ back(T)


@each_medium
@each_promise
def test_canonical_fits(T, epsilon, delta):
    found, least = canonical_fits(T, epsilon, delta), moved(T, epsilon, delta).min()
    assert found.quantity == pytest.approx(least, abs=1e-12)
    assert (found.conclusion is Conclusion.LOSSLESS) == (least >= 0)


@pytest.mark.slow
@each_medium
@each_promise
def test_theorem_2_statement_1(T, epsilon, delta):
    optimal = OptimalSet(T.n, epsilon, delta)
    norm = np.abs(back(T)).sum(axis=0).max()
    for statement, radius in ((statement_1, optimal.radius_bound), (statement_1_with_radius, optimal.radius)):
        found = statement(T, epsilon, delta)
        assert found.quantity == pytest.approx(moved(T, epsilon, delta).min(), abs=1e-12)
        assert found.threshold == pytest.approx(-radius * norm, rel=1e-6)
        assert (found.conclusion is Conclusion.LOSSY) == (found.quantity < found.threshold)
        if found.conclusion is Conclusion.LOSSY:
            assert optimum(T, epsilon, delta).lower > optimal.error_probability
    assert statement_1_with_radius(T, epsilon, delta).threshold >= statement_1(T, epsilon, delta).threshold


@each_medium
@each_promise
def test_theorem_2_statement_2(T, epsilon, delta):
    away = back(T) - np.eye(T.order)
    phi, gamma = canonical(T.n, epsilon, delta).matrix().min(), canonical(T.n, epsilon, delta).pmf(0, 0)
    rows, largest = statement_2_row_norm(T, epsilon, delta), statement_2_max_norm(T, epsilon, delta)
    assert rows.quantity == pytest.approx(np.abs(away).sum(axis=1).max(), abs=1e-12)
    assert rows.threshold == pytest.approx(phi, rel=1e-9)
    assert largest.quantity == pytest.approx(np.abs(away).max(), abs=1e-12)
    assert largest.threshold == pytest.approx(phi / (T.order * gamma), rel=1e-9)
    for found in (rows, largest):
        assert (found.conclusion is Conclusion.LOSSLESS) == (found.quantity <= found.threshold)
        if found.conclusion is Conclusion.LOSSLESS:
            assert (moved(T, epsilon, delta) >= -1e-12).all()


def test_statements_1_and_2_conclude_where_they_should():
    assert statement_1(OUTSIDE, 0.01).conclusion is Conclusion.LOSSY
    assert statement_1_with_radius(OUTSIDE, 0.01).conclusion is Conclusion.LOSSY
    assert statement_4(OUTSIDE).conclusion is Conclusion.LOSSY_WHEN_SMALL
    assert statement_2_row_norm(psk(8, es_n0_db=20), 1).conclusion is Conclusion.LOSSLESS
    assert statement_2_max_norm(psk(8, es_n0_db=20), 1).conclusion is Conclusion.LOSSLESS


@each_medium
@pytest.mark.parametrize("delta", [0, 1e-3])
def test_theorem_2_statement_3_and_4(T, delta):
    sums = back(T).sum(axis=0)
    third, fourth = statement_3(T, delta), statement_4(T)
    assert third.quantity == pytest.approx(sums.min(), abs=1e-9)
    if sums.min() < 0:
        assert third.conclusion is Conclusion.NOTHING
        assert fourth.conclusion is Conclusion.LOSSY_WHEN_SMALL
        assert not is_lossless(T, 1e-6, 0)
        return
    assert fourth.conclusion is Conclusion.NOTHING
    assert third.conclusion is Conclusion.LOSSLESS_WHEN_SMALL
    for share in (1, 0.5, 0.01):
        assert (moved(T, float(third.epsilon) * share, delta) >= -1e-12).all()


@pytest.mark.parametrize("decibels", [0, 5, 10, 15])
@pytest.mark.parametrize("epsilon", [0.25, 1, 2, 3, 4])
def test_theorem_2_statement_5(decibels, epsilon):
    T = psk(8, es_n0_db=decibels)
    found, least = statement_5(T, epsilon), moved(T, epsilon, 0).min()
    assert found.conclusion is (Conclusion.LOSSLESS if least >= 0 else Conclusion.LOSSY)
    assert found.comparison == f"min_ij [P* T^-1]_ij {'>=' if least >= 0 else '<'} 0"
    gap = optimum(T, epsilon).lower - canonical(7, epsilon).error_probability
    assert (gap > 1e-12) == (least < 0)


def test_statement_5_is_for_circulant_media_and_delta_0():
    assert statement_5(psk(8, es_n0_db=10), 1, 0.01).conclusion is Conclusion.NOTHING
    assert statement_5(LOSSY, 1).conclusion is Conclusion.NOTHING


@pytest.mark.parametrize(("T", "epsilon"), [(rounding(3, 2), 0.1), (rounding(4, 2), 0.1), (rounding(8, 3), 2)])
def test_theorem_2_statement_6(T, epsilon):
    assert np.linalg.matrix_rank(T.matrix) < T.order
    assert statement_6(T, epsilon).conclusion is Conclusion.LOSSY
    assert optimum(T, epsilon).lower > canonical(T.n, epsilon).error_probability


def test_statement_6_needs_every_optimum_to_be_of_full_rank():
    assert statement_6(rounding(8, 3), 0.1).conclusion is Conclusion.NOTHING
    assert statement_6(psk(3, es_n0_db=1), 1).conclusion is Conclusion.NOTHING


def test_corollary_2_1():
    found = corollary_2_1(psk(8, es_n0_db=0))
    assert found.conclusion is Conclusion.LOSSLESS_WHEN_SMALL
    assert found.epsilon > 0
    assert corollary_2_1(LOSSY).conclusion is Conclusion.NOTHING
    assert corollary_2_1(LOSSY).comparison == "does not hold: T is doubly stochastic"


def test_beyond_10_db_nothing_is_gained_for_8_psk_up_to_epsilon_2():
    for epsilon in (0.01, 0.5, 1, 1.5, 2):
        for decibels in (10, 12, 20, 40, math.inf):
            assert is_lossless(psk(8, es_n0_db=decibels), epsilon)


@pytest.mark.parametrize("epsilon", [-1, math.nan, "x", None])
def test_bad_epsilon_is_named(epsilon):
    for function in (canonical_fits, statement_1, statement_2_row_norm, statement_5, statement_6, is_lossless, optimum):
        with pytest.raises(ValueError, match="epsilon must be"):
            function(MEDIA[0], epsilon)
