"""Vertices and random members: optimal, private by proof, and different."""

import numpy as np
import pytest

from hushcount import audit
from hushcount.errors import InvalidParameter
from hushcount.optimal_set import OptimalSet
from hushcount.privacy import AuditVerdict

GRID = [(0, 1, 0), (1, 0.5, 0.1), (2, 1, 0), (4, 0.3, 0), (5, 0.5, 0.01), (3, 0, 0.2), (3, 0, 0), (7, 2, "1e-6")]


@pytest.mark.parametrize(("n", "epsilon", "delta"), GRID)
def test_vertices_pass_the_audit_and_are_members(n, epsilon, delta):
    optimal = OptimalSet(n, epsilon, delta)
    found = list(optimal.vertices(6))
    assert len(found) == 1 if optimal.is_unique else len(found) >= 1
    for member in found:
        assert audit(member, epsilon=epsilon, delta=delta).verdict is AuditVerdict.PRIVATE
        assert optimal.contains(member)


@pytest.mark.parametrize(("n", "epsilon", "delta"), GRID)
def test_samples_pass_the_audit_and_are_members(n, epsilon, delta):
    optimal = OptimalSet(n, epsilon, delta)
    for seed in range(3):
        member = optimal.sample(np.random.default_rng(seed))
        assert audit(member, epsilon=epsilon, delta=delta).verdict is AuditVerdict.PRIVATE
        assert optimal.contains(member)


@pytest.mark.parametrize(("n", "epsilon", "delta"), [(5, 25, 0), (5, 1000, 0), (5, 0.5, "1e-12"), (10, 8, "1e-10")])
def test_extreme_members_are_private_and_miss_optimality_by_a_solver_s_tolerance_at_most(n, epsilon, delta):
    optimal = OptimalSet(n, epsilon, delta)
    for member in [*optimal.vertices(3), optimal.sample()]:
        assert audit(member, epsilon=epsilon, delta=delta).verdict is AuditVerdict.PRIVATE
        assert optimal.contains(member).error_excess[1] <= 1e-9


def test_three_outcomes_have_the_four_vertices_of_the_family():
    # (18): rows (., 2 - u, u) and (v, 2 - v, .) with u and v at an end each.
    found = list(OptimalSet(2, 1).vertices(100))
    assert len(found) == 4
    q = np.exp(-1)
    scale = found[0].entries[0, 0] * q
    ends = {(round(m.entries[0, 2] / scale, 9), round(m.entries[2, 0] / scale, 9)) for m in found}
    assert ends == {(round(u, 9), round(v, 9)) for u in (q, 1.0) for v in (q, 1.0)}


def test_vertices_differ_and_the_limit_holds():
    found = [member.entries for member in OptimalSet(5, 0.5).vertices(8)]
    assert len(found) == 8
    assert all(np.abs(a - b).max() > 1e-9 for k, a in enumerate(found) for b in found[:k])
    assert list(OptimalSet(5, 0.5).vertices(0)) == []


def test_the_generator_decides():
    optimal = OptimalSet(5, 0.5)
    assert np.array_equal(optimal.sample().entries, optimal.sample().entries)
    others = [optimal.sample(np.random.default_rng(seed)).entries for seed in (1, 2)]
    assert not np.array_equal(*others)


@pytest.mark.parametrize("limit", [-1, 2.5, True, "3", None])
def test_bad_limits_are_refused(limit):
    with pytest.raises(InvalidParameter, match="limit"):
        next(OptimalSet(3, 0.5).vertices(limit))
