"""Properties imposed on a linear program: kept exactly but for rounding."""

import numpy as np
import pytest

from hushcount import design
from hushcount.errors import InvalidParameter, SolverFailed
from hushcount.optimal_set.imposed import NAMES, Imposed
from hushcount.privacy import properties
from hushcount.privacy.matrix_properties import Holding


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("n", "epsilon", "delta"), [(4, "0.5", "1e-6"), (6, 3, 0), (10, 2, 0), (7, "0.1", "0.2")])
def test_each_is_kept_for_a_loss_that_is_not_mirrored(name, n, epsilon, delta):
    found = design(n, epsilon, delta, loss=lambda i, j: (i + 1) * abs(i - j), prior="uniform", properties=[name])
    assert getattr(properties(found.mechanism), name) is not Holding.FAILS
    assert 0 <= found.gap <= 1e-8 * found.loss


@pytest.mark.parametrize(("n", "epsilon"), [(5, 0.3), (8, 2)])
def test_all_together_are_kept(n, epsilon):
    found = design(n, epsilon, loss=lambda i, j: (i + 1) * abs(i - j), properties=NAMES)
    held = properties(found.mechanism)
    assert all(getattr(held, name) is not Holding.FAILS for name in NAMES)


def test_settling_lowers_what_rounding_has_raised_and_leaves_the_diagonal():
    rng = np.random.default_rng(0)
    smooth = np.exp(-np.abs(np.subtract.outer(np.arange(7), np.arange(7))).astype(float) / 3)
    noisy = smooth + 1e-13 * rng.normal(size=smooth.shape)
    settled = Imposed(["row_monotonicity", "column_monotonicity", "row_honesty", "column_honesty"]).settled(noisy)
    assert np.array_equal(np.diagonal(settled), np.diagonal(noisy))
    assert np.abs(settled - noisy).max() < 1e-11
    for matrix in (settled, settled.T):
        for i, row in enumerate(matrix):
            assert (np.diff(row[i:]) <= 0).all()
            assert (np.diff(row[: i + 1]) >= 0).all()


def test_without_names_nothing_changes():
    matrix = np.random.default_rng(1).random((4, 4))
    nothing = Imposed([])
    assert nothing.settled(matrix) is matrix
    nothing.check(matrix)
    assert not nothing.is_symmetric


def test_what_was_lost_is_named():
    matrix = np.array([[0.5, 0.5], [0.4, 0.6]])
    with pytest.raises(SolverFailed, match="fairness, symmetry could not be kept"):
        Imposed(["fairness", "symmetry", "weak_honesty"]).check(matrix)


@pytest.mark.parametrize("bad", ["fairness", None, 5, ["fair"], [None]])
def test_bad_names_are_refused(bad):
    with pytest.raises(InvalidParameter, match="properties"):
        Imposed(bad)
