"""Rows of the privacy polytope, and columns of matrices."""

import numpy as np
import pytest

from hushcount import audit
from hushcount.linear_program.model import ModelBuilder
from hushcount.linear_program.polytope import add_distributions, add_privacy, matrix_columns
from hushcount.linear_program.solver import solve
from hushcount.privacy import AuditVerdict
from hushcount.promise.epsilon_delta import EpsilonDelta


@pytest.mark.parametrize("M", [1, 2, 3, 6, 7])
def test_mirrored_columns_are_half_the_entries(M):
    entries = matrix_columns(ModelBuilder(), M, is_mirrored=True)
    assert np.array_equal(entries, entries[::-1, ::-1])
    assert len(np.unique(entries)) == (M * M + 1) // 2
    assert len(np.unique(matrix_columns(ModelBuilder(), M))) == M * M


def test_sizes_fall_with_the_distance_but_not_without_end():
    builder = ModelBuilder()
    entries = matrix_columns(builder, 5, privacy=EpsilonDelta.of(3))
    sizes = builder.build().sizes[entries]
    assert sizes[0, 0] == 1
    assert sizes[0, 1] == sizes[3, 2] == 2.0**-4  # e^-3 is nearest to it
    assert sizes[0, 4] == sizes[4, 0] == 2.0**-10


@pytest.mark.parametrize("delta", ["0", "0.01", "1e-9"])
@pytest.mark.parametrize("epsilon", ["0", "0.5", "4"])
def test_feasible_points_are_private(epsilon, delta):
    privacy = EpsilonDelta.of(epsilon, delta)
    rng = np.random.default_rng(2)
    for _ in range(5):
        builder = ModelBuilder()
        entries = matrix_columns(builder, 4, privacy=privacy)
        builder.add_cost(entries, rng.normal(size=(4, 4)))
        add_distributions(builder, entries)
        add_privacy(builder, entries[:-1], entries[1:], privacy)
        add_privacy(builder, entries[1:], entries[:-1], privacy)
        matrix = np.maximum(solve(builder.build()).x[entries], 0)
        found = audit(matrix / matrix.sum(axis=1, keepdims=True), epsilon=epsilon, delta=delta)
        assert found.least_delta.interval.lower <= float(privacy.delta) + 1e-9
        assert found.verdict is not AuditVerdict.PRIVATE or found.gap[1] <= 0
