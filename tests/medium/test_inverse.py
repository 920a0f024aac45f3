"""Exact inverses of media."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, arb_mat, ctx, fmpq, fmpq_mat

from hushcount.errors import TooLarge
from hushcount.mechanisms.optima.kernel import kernel
from hushcount.medium import Medium, from_matrix, psk
from hushcount.medium.medium import circulant
from hushcount.medium.theorem_2.balls import middles
from hushcount.medium.theorem_2.enclosed import Dense
from hushcount.medium.theorem_2.inverse import inverse, is_singular
from hushcount.medium.theorem_2.theorem_2 import Theorem2


@pytest.mark.parametrize(
    "medium", [psk(6, es_n0_db=-20), psk(5, es_n0_db=9), Medium(np.eye(3)[::-1], "turned")], ids=str
)
def test_product_with_the_medium_encloses_the_identity(medium):
    M = medium.order
    product = arb_mat(M, M, [float(entry) for entry in medium.shares.ravel()]) * inverse(medium).dense()
    assert np.allclose(middles(product), np.eye(M), atol=1e-9)


def test_exactly_singular_media_have_none():
    T = from_matrix([[0.5, 0.5, 0], [0, 0.5, 0.5], [0.25, 0.5, 0.25]])
    assert is_singular(T)
    assert inverse(T) is None
    assert Theorem2.of(T, 1).moved is None


def test_nearly_singular_media_have_one():
    T = from_matrix([[0.5, 0.5], [0.5 - 2.0**-54, 0.5 + 2.0**-53]], normalise=True)
    assert not is_singular(T)
    found = inverse(T)
    assert found is not None
    assert np.abs(found.floats()).max() > 1e15


def test_moved_is_the_canonical_optimum_of_a_perfect_medium():
    found = Theorem2.of(Medium(np.eye(2), "perfect"), 1).moved
    assert found.floats()[0, 0] == pytest.approx(np.e / (1 + np.e), abs=1e-15)


def test_moved_tells_signs_of_entries_far_below_its_precision():
    perfect = Medium(np.eye(32), "perfect")
    nearly = psk(32, es_n0_db=45)
    for medium in (perfect, nearly):
        found = Theorem2.of(medium, 20).moved
        assert all(entry > 0 for entry in found.entries())
        assert found.floats().min() == pytest.approx(np.exp(-20 * 16), rel=1e-3)


@pytest.mark.parametrize("epsilon", [150, 10**400], ids=["150", "1e400"])
def test_moved_does_not_tell_signs_beyond_4096_bits(epsilon):
    found = Theorem2.of(psk(64, es_n0_db=50), epsilon).moved  # phi = e^-4800, or less than any float
    assert not all(entry >= 0 or entry < 0 for entry in found.entries())


def test_sizes():
    with pytest.raises(TooLarge, match="257"):
        is_singular(Medium(np.eye(257)[::-1], "wide"))


def random_circulant(M, seed):
    row = np.random.default_rng(seed).dirichlet(np.full(M, 0.3))
    return Medium(circulant(row), "circulant, and not symmetric")


@pytest.mark.parametrize("M", [1, 2, 3, 7, 16])
def test_a_circulant_inverse_is_that_of_the_matrix(M):
    medium = random_circulant(M, seed=M)
    assert medium.is_circulant
    found, M = inverse(medium), medium.order
    exact = fmpq_mat([[fmpq(*entry.as_integer_ratio()) for entry in row] for row in medium.matrix.tolist()]).inv()
    total = sum(fmpq(*entry.as_integer_ratio()) for entry in medium.matrix[0].tolist())
    with ctx.workprec(192):
        wanted = arb_mat([[arb(exact[i, j] * total) for j in range(M)] for i in range(M)])
        balls, K = found.dense(), kernel(M, Fraction(1, 2), Fraction(1, 10), 192)
        assert all(one.overlaps(other) for one, other in zip(balls.entries(), wanted.entries(), strict=True))
        assert all(ball.rad() < 1e-40 for ball in balls.entries())
        for ask in (
            lambda A: A.behind_canonical(K).floats(),
            lambda A: A.absolute().floats(),
            lambda A: A.less_identity().floats(),
            lambda A: np.full(M, float(A.column_sums()[0].mid())),
            lambda A: np.full(M, float(A.row_sums()[0].mid())),
        ):
            assert np.allclose(ask(found), ask(Dense(wanted)), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "row", [[0.25] * 4, [0.5, 0, 0.5, 0], [0.5, 0.5], [0.25, 0.5, 0.25, 0], [0.5, 0.125, 0.125, 0.125, 0, 0.125]]
)
def test_a_circulant_medium_is_singular_where_its_matrix_is(row):
    medium = Medium(circulant(np.array(row)), "circulant")
    exact = fmpq_mat([[fmpq(*entry.as_integer_ratio()) for entry in row] for row in medium.matrix.tolist()])
    is_rank_lost = exact.rank() < medium.order
    assert is_singular(medium) == is_rank_lost
    assert (inverse(medium) is None) == is_singular(medium)


def test_a_circulant_medium_of_1024_symbols():
    assert not is_singular(psk(1024, es_n0_db=-20))
    assert len(inverse(psk(1024, es_n0_db=45)).entries()) == 1024
