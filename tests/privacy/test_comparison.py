"""Rows of a comparison against the mechanisms they are about."""

from __future__ import annotations

import numpy as np
import pytest

from hushcount import compare, nearest
from hushcount.errors import InvalidParameter, TooLarge
from hushcount.mechanisms import redrawn_geometric, truncated_geometric
from hushcount.privacy import AuditVerdict


def test_figures_are_those_of_the_matrix():
    rows = {row.mechanism: row for row in compare(6, "0.7")}
    for mechanism in (nearest(6, "0.7"), truncated_geometric(6, "0.7"), redrawn_geometric(6, "0.7")):
        row, matrix = rows[mechanism.name], mechanism.matrix()
        i, j = np.indices(matrix.shape)
        wrong, error = 1 - np.diagonal(matrix), (matrix * abs(i - j)).sum(axis=1)
        assert (row.worst_error_probability, row.mean_error_probability) == pytest.approx((wrong.max(), wrong.mean()))
        assert (row.worst_absolute_error, row.mean_absolute_error) == pytest.approx((error.max(), error.mean()))
        assert row.worst_bias == pytest.approx(abs((matrix * (j - i)).sum(axis=1)).max())
        for t, within in ((1, row.within_1), (2, row.within_2), (5, row.within_5)):
            assert within == pytest.approx((matrix * (abs(i - j) <= t)).sum(axis=1).min())


@pytest.mark.parametrize("delta", [0, "0.01"])
def test_only_redrawn_noise_breaks_the_promise(delta):
    for row in compare(5, "0.5", delta):
        broken = row.mechanism == "redrawn-geometric"
        assert row.verdict is (AuditVerdict.NOT_PRIVATE if broken else AuditVerdict.PRIVATE)
        assert (row.least_epsilon.lower > 0.5) is broken


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0, "0.5", 2])
@pytest.mark.parametrize("delta", [0, "1e-6", "0.3"])
def test_every_row_is_decided(epsilon, delta):
    for n in range(5):
        for row in compare(n, epsilon, delta):
            assert row.verdict is not AuditVerdict.UNDECIDED
            if n == 1 or epsilon == 0:
                assert row.verdict is AuditVerdict.PRIVATE


@pytest.mark.slow
def test_mechanisms_without_delta_are_compared_above_it_as_they_are():
    alone, among = ({row.mechanism: row for row in compare(6, "0.5", delta)} for delta in (0, "0.01"))
    assert set(among) - set(alone) == {"clamped-canonical-noise", "clamped-gaussian"}
    for name in ("explicit-fair", "truncated-geometric", "folded-geometric", "exponential", "uniform"):
        assert among[name].worst_error_probability == alone[name].worst_error_probability
        assert among[name].least_delta.upper == 0
        assert among[name].least_epsilon.upper <= alone[name].least_epsilon.upper  # at delta 0.01, and at 0


def test_properties_agree_where_they_begin_to_be_decided_from_floats(monkeypatch):
    exactly = compare(6, 3)
    monkeypatch.setattr("hushcount.privacy.comparison.comparison._LARGEST_EXACT", 5)
    for row, other in zip(exactly, compare(6, 3), strict=True):
        for name, holding in row.properties.to_dict().items():
            assert (holding == "FAILS") is (other.properties.to_dict()[name] == "FAILS"), (row.mechanism, name)


def test_bad_arguments():
    with pytest.raises(TooLarge, match="up to n = 200"):
        compare(201, 1)
    with pytest.raises(InvalidParameter, match="n must be"):
        compare(-1, 1)
    with pytest.raises(InvalidParameter, match="delta must be"):
        compare(3, 1, 1)
