"""Matrices of balls."""

import numpy as np
import pytest
from flint import arb, arb_mat

from hushcount import canonical
from hushcount.mechanisms.optima.kernel import kernel
from hushcount.medium.theorem_2.balls import (
    absolute,
    column_sums,
    cyclic,
    identity,
    largest,
    middles,
    row_sums,
    smallest,
)
from hushcount.promise.epsilon_delta import EpsilonDelta

A = arb_mat(2, 3, [1, -2, 3, -4, 5, -6])


def test_entry_by_entry():
    assert middles(A).tolist() == [[1, -2, 3], [-4, 5, -6]]
    assert middles(absolute(A)).tolist() == [[1, 2, 3], [4, 5, 6]]
    assert middles(identity(2)).tolist() == [[1, 0], [0, 1]]


def test_sums():
    assert [float(total) for total in column_sums(A)] == [-3, 3, -3]
    assert [float(total) for total in row_sums(A)] == [2, -5]


def test_extremes_enclose_those_of_any_numbers_in_the_balls():
    wide = [arb(1, 1), arb(1.5)]
    assert largest(wide).overlaps(arb(1.5))
    assert largest(wide).overlaps(arb(2))
    assert smallest(wide).overlaps(arb(0))


@pytest.mark.parametrize("M", [1, 2, 5, 6])
def test_cyclic_is_the_canonical_optimum(M):
    privacy = EpsilonDelta.of("0.8", "0.01")
    found = middles(cyclic(kernel(M, privacy.epsilon, privacy.delta, 192)))
    assert np.allclose(found, canonical(M - 1, "0.8", "0.01").matrix(), atol=1e-15)
