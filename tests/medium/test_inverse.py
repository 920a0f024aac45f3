"""Exact inverses of media."""

import numpy as np
import pytest
from flint import arb_mat

from hushcount.errors import TooLarge
from hushcount.medium import Medium, from_matrix, psk
from hushcount.medium.theorem_2.balls import identity, middles
from hushcount.medium.theorem_2.inverse import inverse, is_singular
from hushcount.medium.theorem_2.theorem_2 import Theorem2


@pytest.mark.parametrize(
    "medium", [psk(6, es_n0_db=-20), psk(5, es_n0_db=9), Medium(np.eye(3)[::-1], "turned")], ids=str
)
def test_product_with_the_medium_encloses_the_identity(medium):
    M = medium.order
    product = arb_mat(M, M, [float(entry) for entry in medium.shares.ravel()]) * inverse(medium)
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
    assert np.abs(middles(found)).max() > 1e15


def test_moved_is_the_canonical_optimum_of_a_perfect_medium():
    found = Theorem2.of(Medium(np.eye(2), "perfect"), 1).moved
    assert middles(found)[0, 0] == pytest.approx(np.e / (1 + np.e), abs=1e-15)
    assert middles(identity(2)).tolist() == [[1, 0], [0, 1]]


def test_moved_tells_signs_of_entries_far_below_its_precision():
    perfect = Medium(np.eye(32), "perfect")
    nearly = psk(32, es_n0_db=45)
    for medium in (perfect, nearly):
        found = Theorem2.of(medium, 20).moved
        assert all(entry > 0 for entry in found.entries())
        assert float(min(middles(found).ravel())) == pytest.approx(np.exp(-20 * 16), rel=1e-3)


@pytest.mark.parametrize("epsilon", [150, 10**400], ids=["150", "1e400"])
def test_moved_does_not_tell_signs_beyond_4096_bits(epsilon):
    found = Theorem2.of(psk(64, es_n0_db=50), epsilon).moved  # phi = e^-4800, or less than any float
    assert not all(entry >= 0 or entry < 0 for entry in found.entries())


def test_sizes():
    with pytest.raises(TooLarge, match="257"):
        is_singular(Medium(np.eye(257), "wide"))
