"""Members and near misses."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
import random_optima
from hypothesis import given, strategies as st

from hushcount import BadUse, canonical, from_matrix, nearest
from hushcount.errors import InvalidParameter
from hushcount.mechanisms import explicit_fair, folded_geometric, randomized_response, truncated_geometric, uniform
from hushcount.optimal_set.membership import Condition, MembershipVerdict, contains

MEMBER, WITHIN, NOT = MembershipVerdict.MEMBER, MembershipVerdict.WITHIN_ROUNDING, MembershipVerdict.NOT_A_MEMBER

EXAMPLE = (
    np.array(
        [
            [1.21, 1.331, 1, 0.9091, 0.9599],
            [1.1, 1.21, 1.1, 1, 1],
            [1, 1.1, 1.21, 1.1, 1],
            [0.9524, 1.0476, 1.1, 1.21, 1.1],
            [1, 1.1, 1, 1.1, 1.21],
        ]
    )
    / 5.41
)
"""The example after [RV26] Corollary 1.1, at epsilon = ln 1.1 and delta = 0."""


@pytest.mark.parametrize(("epsilon", "delta"), [(0, 0), (0, 0.1), (1e-17, 0), (0.3, 0), (0.3, 1e-6), (2, 0.4), (50, 0)])
@pytest.mark.parametrize("n", [0, 1, 2, 5, 8, 10**12])
def test_closed_form_optima_are_members_exactly(n, epsilon, delta):
    for make in (canonical, nearest):
        found = contains(canonical(n, epsilon, delta), make(n, epsilon, delta))
        assert found
        assert found.verdict is MEMBER
        assert found.error_excess == (0, 0)
    if delta == 0:
        assert contains(nearest(n, epsilon), explicit_fair(n, epsilon)).verdict is MEMBER


@pytest.mark.grid
@pytest.mark.parametrize(("epsilon", "delta"), [(0, 0), (0, 0.1), (1e-9, 0), (0.3, 0), (0.3, 1e-6), (2, 0.4), (15, 0)])
@pytest.mark.parametrize("n", [0, 1, 2, 5, 40])
def test_their_matrices_are_members_but_for_rounding(n, epsilon, delta):
    makers = [canonical, nearest] if delta else [canonical, nearest, lambda n, e, d: explicit_fair(n, e)]
    for make in makers:
        found = contains(canonical(n, epsilon, delta), make(n, epsilon, delta).matrix())
        assert found, found
        if n > 0 and epsilon > 0 and make is canonical:
            assert found.error_excess[0] != 0  # gamma is no float


def test_example_after_corollary_1_1():
    found = contains(canonical(4, math.log(1.1)), EXAMPLE)
    assert found
    assert found.verdict is WITHIN
    assert not found.fails
    assert 0 < abs(found.error_excess[0]) < 1e-15
    assert not contains(canonical(4, math.log(1.1) - 1e-9), EXAMPLE)


@pytest.mark.parametrize(("M", "epsilon", "delta"), [(3, 0.5, 0), (5, 0.3, 0), (5, 0.3, 0.05), (6, 0.7, 0.02)])
def test_members_found_by_programs(M, epsilon, delta):
    """They keep the constraints to about 1e-9 only, and so does the verdict: excesses are small, and told."""
    optimum = canonical(M - 1, epsilon, delta)
    for P in random_optima.random_members(M, epsilon, delta, 4):
        cleaned = np.maximum(P, 0)
        found = contains(optimum, cleaned / cleaned.sum(axis=1, keepdims=True))
        assert found.error_excess[1] < 1e-8
        assert found.privacy_excess[1] < 1e-8


@pytest.mark.slow
@pytest.mark.parametrize("make", [truncated_geometric, folded_geometric, randomized_response])
@pytest.mark.parametrize("n", [3, 7, 100, 1000])
def test_other_mechanisms_have_a_larger_error_probability(make, n):
    found = contains(canonical(n, 1), make(n, 1))
    assert not found
    assert found.verdict is NOT
    assert found.fails == (Condition.ERROR_PROBABILITY,)
    excess = make(n, 1).error_probability - canonical(n, 1).error_probability
    assert math.isclose(found.error_excess[0], excess, rel_tol=1e-9, abs_tol=1e-16)
    assert 0 < found.error_excess[0] <= found.error_excess[1]
    assert make(n, 1).probability_beyond(0, found.worst_row) == make(n, 1).error_probability


def test_other_mechanisms_that_happen_to_be_optimal():
    """With two outcomes there is one optimum, under many names; with three, the cyclic distance is 0 or 1."""
    for n, make in ((1, truncated_geometric), (1, randomized_response), (2, randomized_response)):
        found = contains(canonical(n, 0.7), make(n, 0.7))
        assert found.verdict is MEMBER
        assert found.error_excess == (0, 0)
    assert contains(canonical(6, 0), uniform(6)).verdict is MEMBER
    assert contains(canonical(6, 0), np.full((7, 7), 1 / 7)).verdict is MEMBER


def test_optima_of_other_parameters():
    larger = contains(canonical(5, 0.5), nearest(5, 0.6))
    assert larger.fails == (Condition.PRIVACY,)
    assert larger.error_excess[1] < 0
    assert larger.privacy_excess[0] > 0
    smaller = contains(canonical(5, 0.5), nearest(5, 0.4))
    assert smaller.fails == (Condition.ERROR_PROBABILITY,)
    assert smaller.privacy_excess[1] <= 0
    # 0.1 is not 1/10. Closed forms are judged exactly; their matrices are not told apart.
    assert contains(canonical(5, 0.1), canonical(5, Fraction(1, 10))).verdict is NOT
    assert contains(canonical(5, 0.1), canonical(5, Fraction(1, 10)).matrix()).verdict is WITHIN


def test_a_difference_too_small_to_find():
    """The truncated geometric mechanism's error probability is above p_e* by about e^-500000 here."""
    found = contains(canonical(10**6, 1), truncated_geometric(10**6, 1))
    assert not found
    assert found.verdict is MembershipVerdict.UNDECIDED
    assert found.error_excess[0] < 0 < found.error_excess[1] < 1e-300


def test_entries_below_the_least_float():
    """Rounded to 0, they break privacy at delta = 0, and the matrix is no optimum."""
    assert contains(canonical(40, 20), canonical(40, 20))
    assert contains(canonical(40, 20), nearest(40, 20).matrix()).fails == (Condition.PRIVACY,)


@pytest.mark.parametrize("row", range(6))
def test_a_lower_diagonal_entry_is_named(row):
    P = nearest(5, 0.4, 0.01).matrix().copy()
    P[row, row] -= 1e-9
    P[row, (row + 1) % 6] += 1e-9
    found = contains(nearest(5, 0.4, 0.01), P)
    assert found.verdict is NOT
    assert Condition.ERROR_PROBABILITY in found.fails
    assert found.worst_row == row
    assert math.isclose(found.error_excess[0], 1e-9, rel_tol=1e-6)


def test_a_tiny_entry_that_breaks_privacy():
    """An entry of 1e-13 that is half of what privacy asks for: far below any absolute tolerance, and found."""
    P = nearest(8, 3.5).matrix().copy()
    tiny = float(P[0, 8])
    assert 1e-14 < tiny < 1e-12
    P[0, 8] = tiny / 2
    P[0, 7] += tiny / 2
    found = contains(nearest(8, 3.5), P)
    assert found.verdict is NOT
    assert found.fails == (Condition.PRIVACY,)
    assert found.witness.outcomes == ((8, 8),)
    assert (found.witness.true, found.witness.other) == (1, 0)
    assert 0 < found.privacy_excess[0] < 2e-11
    assert contains(nearest(8, 3.5), nearest(8, 3.5).matrix())


def test_an_error_probability_far_below_the_spacing_of_floats():
    """p_e* = 1e-17: a diagonal of 1 - 1e-13 agrees with gamma to 1e-13, and is no optimum."""
    optimum = canonical(3, 40)
    assert contains(optimum, optimum.matrix())
    P = np.eye(4) + 1e-13 * (1 - np.eye(4))
    found = contains(optimum, P / P.sum(axis=1, keepdims=True))
    assert Condition.ERROR_PROBABILITY in found.fails
    assert math.isclose(found.error_excess[0], 3e-13, rel_tol=1e-3)


def test_the_identity_is_not_private():
    found = contains(canonical(3, 40), np.eye(4))
    assert found.fails == (Condition.PRIVACY,)
    assert found.privacy_excess[0] == 1
    assert found.error_excess[1] < 0


@pytest.mark.slow
@given(st.integers(1, 12), st.floats(0.01, 4), st.sampled_from([0, 1e-6, 0.1]), st.integers(0, 2**32))
def test_what_is_within_rounding(n, epsilon, delta, seed):
    """Relative errors just below the tolerance pass; the same errors a hundred times larger do not."""
    exact = nearest(n, epsilon, delta)
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(n + 1, n + 1))
    signs[0] = -1
    signs[0, 0] = 1  # so that privacy surely fails for the pair (0, 1): p(0, 0) is as large as delta allows
    signs[1, 0] = -1
    for size, expected in ((4e-13, WITHIN), (1e-10, NOT)):
        P = exact.matrix() * np.exp(size * signs)
        assert contains(exact, P / P.sum(axis=1, keepdims=True)).verdict is expected


def test_a_mechanism_from_a_matrix_is_that_matrix():
    P = EXAMPLE
    optimum = canonical(4, math.log(1.1))
    assert contains(optimum, from_matrix(P)).to_dict() == contains(optimum, P).to_dict()


def test_to_dict_and_text():
    found = contains(canonical(4, 0.5, 0.01), truncated_geometric(4, 0.9))
    told = json.loads(json.dumps(found.to_dict()))
    assert told["member"] is False
    assert told["verdict"] == "NOT_A_MEMBER"
    assert told["fails"] == [condition.name for condition in found.fails]
    assert told["privacy_excess"]["lower"] <= told["privacy_excess"]["upper"]
    assert str(found).startswith("It is not an optimum")
    assert str(found.witness) in str(found)
    member = contains(canonical(4, 0.5), nearest(4, 0.5))
    assert json.loads(json.dumps(member.to_dict()))["witness"] == {"true": 0, "other": 1, "outcomes": [[0, 0]]}
    assert str(member) == "It is an optimum, exactly."


def test_bad_input():
    with pytest.raises(InvalidParameter, match="n of the mechanism must be that of the set of optima, 4"):
        contains(canonical(4, 1), nearest(3, 1))
    with pytest.raises(InvalidParameter, match="n of the mechanism"):
        contains(canonical(4, 1), np.eye(3))
    with pytest.raises(BadUse, match="row 0"):
        contains(canonical(1, 1), [[0.5, 0.4], [0.5, 0.5]])
    with pytest.raises(InvalidParameter, match="square"):
        contains(canonical(1, 1), [[0.5, 0.5]])
