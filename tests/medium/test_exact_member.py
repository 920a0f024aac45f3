"""Optima that come out of a medium."""

import numpy as np
import pytest

from hushcount import canonical, nearest
from hushcount.medium import Medium, from_matrix, psk
from hushcount.medium.certified.exact_member import inner_member, mixed_member
from hushcount.medium.theorem_2.theorem_2 import Theorem2

SEARCHES = [mixed_member, inner_member]


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("delta", ["0", "0.01"])
def test_what_is_found_is_an_optimum_behind_the_medium(search, delta):
    at = Theorem2.of(psk(5, es_n0_db=12), 1, delta)
    found = search(at)
    assert found is not None
    assert found.min() >= -1e-15
    assert np.allclose(found.sum(axis=1), 1)
    least = 1 - np.diag(canonical(4, 1, delta).matrix()).min()
    assert at.received(found).error_probability == pytest.approx(least, abs=1e-9)


@pytest.mark.parametrize("search", SEARCHES)
def test_none_behind_a_bad_medium(search):
    assert search(Theorem2.of(psk(5, es_n0_db=-5), 1)) is None


@pytest.mark.parametrize("search", SEARCHES)
def test_none_where_the_medium_is_singular(search):
    assert search(Theorem2.of(from_matrix(np.full((3, 3), 1 / 3), normalise=True), 1)) is None


def test_a_mixture_is_found_where_only_the_nearest_optimum_comes_out():
    # T undoes nothing: any optimum G T with T = a permutation is the optimum itself, permuted back.
    turned = Medium(np.eye(4)[::-1], "turned")
    found = mixed_member(Theorem2.of(turned, "0.5"))
    parts = [maker(3, "0.5").matrix() for maker in (canonical, nearest)]
    assert (found @ turned.matrix).min() >= min(part.min() for part in parts) - 1e-12
