"""A proof that all optima are of full rank, or a singular one."""

import math

import numpy as np
import pytest

from hushcount import audit, canonical
from hushcount.errors import TooLarge
from hushcount.optimal_set import OptimalSet, RankVerdict
from hushcount.optimal_set.rank import FullRankReason, determinant
from hushcount.privacy import AuditVerdict


@pytest.mark.parametrize(
    ("n", "epsilon", "delta"),
    [(4, math.log(1.1), 0), (4, 0.34, 0), (5, 0.1, 0), (7, 0.2, 0), (9, 0.5, 0), (7, 0.1, 0.01), (3, 0.01, 0.001)],
)
def test_a_singular_optimum_is_found_and_shown(n, epsilon, delta):
    optimal = OptimalSet(n, epsilon, delta)
    found = optimal.rank()
    assert found.verdict is RankVerdict.SOME_SINGULAR
    assert not optimal.is_full_rank_guaranteed
    for member in (found.singular, found.opposite):
        assert audit(member, epsilon=epsilon, delta=delta).verdict is AuditVerdict.PRIVATE
        assert optimal.contains(member)
    assert determinant(found.opposite.entries) < 0 < determinant(canonical(n, epsilon, delta).matrix())
    values = np.linalg.svd(found.singular.entries, compute_uv=False)
    assert values[-1] <= 1e-15
    assert found.smallest_singular_value == pytest.approx(values[-1], abs=1e-17)
    assert values[-2] > 1e-6  # it is by one that the rank is short


@pytest.mark.parametrize(
    ("n", "epsilon", "delta"), [(1, 0.1, 0), (2, 0.1, 0.1), (3, 0.1, 0), (4, 0.35, 0), (30, "0.7", 0)]
)
def test_theorem_1_statement_4_and_ours_end_the_search(n, epsilon, delta):
    found = OptimalSet(n, epsilon, delta).rank()
    assert found.verdict is RankVerdict.ALL_FULL_RANK
    assert found.guarantee
    assert found.looked_at == 0


def test_the_condition_is_sharp_at_five_outcomes():
    # All of full rank iff q^2 < 1/2: proved on one side, shown by a member on the other.
    edge = math.log(2) / 2
    assert OptimalSet(4, edge * 1.001).rank().verdict is RankVerdict.ALL_FULL_RANK
    assert OptimalSet(4, edge * 0.98).rank().verdict is RankVerdict.SOME_SINGULAR


def test_without_privacy_loss_the_only_optimum_is_singular():
    found = OptimalSet(3, 0).rank()
    assert found.verdict is RankVerdict.SOME_SINGULAR
    assert found.guarantee.reason is FullRankReason.SINGULAR
    assert np.linalg.matrix_rank(found.singular.entries) == 1


def test_a_search_without_result_says_so():
    found = OptimalSet(7, 0.6).rank()
    assert found.verdict is RankVerdict.NONE_FOUND
    assert found.singular is None
    assert found.looked_at > 0


def test_a_search_among_too_many_outcomes_is_refused_but_a_proof_is_not():
    with pytest.raises(TooLarge, match="33 outcomes"):
        OptimalSet(40, 0.1).rank()
    assert OptimalSet(10**6, 0.7).rank().verdict is RankVerdict.ALL_FULL_RANK


def test_where_two_singular_values_are_0_the_search_goes_on():
    """At an epsilon that floats take for 0, all rows are alike."""
    finding = OptimalSet(6, "1e-401").rank()
    assert finding.verdict in (RankVerdict.NONE_FOUND, RankVerdict.SOME_SINGULAR)
    assert finding.looked_at >= 1
