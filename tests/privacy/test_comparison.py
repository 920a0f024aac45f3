"""Rows of a comparison against the mechanisms they are about."""

from __future__ import annotations

import numpy as np
import pytest

from hushcount import compare, nearest
from hushcount.errors import InvalidParameter, TooLarge
from hushcount.mechanisms import redrawn_geometric, rounded_gaussian, truncated_geometric, zcdp_gaussian
from hushcount.privacy import AuditVerdict
from hushcount.promise import SeveralPairs


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


# --- the Gaussian mechanisms, and those that are named ----------------------------------------------------------------


@pytest.mark.parametrize("n", [0, 1, 6])
def test_gaussian_mechanisms(n):
    rows = {row.mechanism: row for row in compare(n, mu="0.6")}
    assert list(rows) == ["nearest", "rounded-gaussian", "zcdp-gaussian", "analytic-gaussian"]
    for mechanism in (nearest(n, mu="0.6"), rounded_gaussian(n, mu="0.6"), zcdp_gaussian(n, "0.18")):
        row, matrix = rows[mechanism.name], mechanism.matrix()
        i, j = np.indices(matrix.shape)
        wrong, error = 1 - np.diagonal(matrix), (matrix * abs(i - j)).sum(axis=1)
        assert row.worst_error_probability == pytest.approx(wrong.max(), abs=1e-12)
        assert row.mean_error_probability == pytest.approx(wrong.mean(), abs=1e-12)
        assert row.worst_absolute_error == pytest.approx(error.max())
        assert row.worst_bias == pytest.approx(abs((matrix * (j - i)).sum(axis=1)).max())
        for t in (1, 2, 5):
            assert row.within[t] == pytest.approx((matrix * (abs(i - j) <= t)).sum(axis=1).min())
    for name, row in rows.items():
        broken = name == "zcdp-gaussian" and n > 0
        assert row.verdict is (AuditVerdict.NOT_PRIVATE if broken else AuditVerdict.PRIVATE)
        assert (row.least_mu.lower > 0.6) is broken
        assert (row.least_epsilon, row.least_delta, row.uses_delta) == (None, None, False)
    assert rows["nearest"].worst_error_probability <= rows["rounded-gaussian"].worst_error_probability
    assert [row.to_dict() for row in compare(n, rho="0.18")] == [row.to_dict() for row in compare(n, mu="0.6")]


@pytest.mark.parametrize("mu", ["1e-7", 2000])
def test_a_mu_that_implies_no_known_epsilon_has_no_analytic_gaussian(mu):
    assert [row.mechanism for row in compare(2, mu=mu)] == ["nearest", "rounded-gaussian", "zcdp-gaussian"]


@pytest.mark.parametrize(
    ("n", "epsilon", "t", "nearest_within", "best_within"),
    [(8, "0.1", 1, 0.28959, 0.40296), pytest.param(100, "0.05", 5, 0.1854, 0.2761, marks=pytest.mark.slow)],
)
def test_within_beside_nearest(n, epsilon, t, nearest_within, best_within):
    ours, best = compare(n, epsilon, mechanisms=[f"within:{t}"])
    assert (ours.mechanism, best.mechanism) == ("nearest", f"within:{t}")
    assert ours.within[t] == pytest.approx(nearest_within, abs=5e-5)
    assert best.within[t] == pytest.approx(best_within, abs=5e-5)
    assert best.verdict is AuditVerdict.PRIVATE


def test_distances_of_those_named_are_told_for_all():
    found = compare(9, mu="0.5", mechanisms=["within:3", "rounded-gaussian", "within:3", "nearest"])
    assert [row.mechanism for row in found] == ["nearest", "within:3", "rounded-gaussian"]
    assert all(list(row.within) == [1, 2, 3, 5] for row in found)
    assert found[1].within[3] > max(found[0].within[3], found[2].within[3])
    assert found[2].to_dict()["within_3"] == rounded_gaussian(9, mu="0.5").probability_within(3)
    (head,) = [line for line in str(found).splitlines() if line.split()[-3:] == ["1", "2", "3"]]
    assert len(head) <= 80


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: compare(3), "epsilon must be"),
        (lambda: compare(3, mu=0), "mu must be a finite number > 0"),
        (lambda: compare(3, SeveralPairs.of([(1, 0), (2, 0)])), "promise must be one epsilon and delta, mu or rho"),
        (lambda: compare(3, mu=1, mechanisms=["canonical"]), "mechanism must be one of nearest, rounded-gaussian"),
        (lambda: compare(3, 1, mechanisms="nearest"), "mechanisms must be a list of names"),
        (lambda: compare(3, 1, mechanisms=[3]), "mechanism must be one of nearest"),
    ],
)
def test_bad_promises_and_names(ask, message):
    with pytest.raises(InvalidParameter, match=message):
        ask()


def test_what_is_never_invented_is_compared_where_it_is_named():
    rows = compare(12, 1, 1e-3, mechanisms=["never-invented"])
    assert [row.mechanism for row in rows] == ["nearest", "never-invented"]
    assert rows[1].verdict is AuditVerdict.PRIVATE
    assert rows[1].worst_error_probability == 1
    assert not any("is enough for" in remark for remark in rows.remarks)
    assert "never-invented" not in [row.mechanism for row in compare(3, 1, 1e-3)]
    with pytest.raises(InvalidParameter, match=r"^delta must be > 0 where no group may be invented"):
        compare(12, 1, mechanisms=["never-invented"])
    with pytest.raises(InvalidParameter, match=r"^mechanism must be another one here"):
        compare(12, mu=1, mechanisms=["never-invented"])
