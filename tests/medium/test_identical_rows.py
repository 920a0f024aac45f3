"""Promises that let rows hardly differ, and those at which an interior point has no room in floats."""

import warnings

import numpy as np
import pytest

from hushcount.medium import from_matrix, optimum, pam
from hushcount.medium.at_promise import AtPromise
from hushcount.medium.certified.chain.program import ChainProgram
from hushcount.medium.certified.chain.solved import solved
from hushcount.medium.certified.identical_rows import identical_rows
from hushcount.medium.certified.medium_optimum import Basis
from hushcount.promise.epsilon_delta import EpsilonDelta


def with_zeros(M):
    rng = np.random.default_rng(0)
    T = rng.dirichlet(np.full(M, 0.3), M) * (rng.random((M, M)) < 0.6)
    return from_matrix(T + 1e-3 * np.eye(M)[rng.permutation(M)], normalise=True)


HARDLY = [("0", "0"), ("1e-300", "0"), ("3e-16", "0"), ("1e-12", "0"), ("1e-8", "0"), ("0", "1e-323"), ("0", "1e-9")]
WIDTHS = {20: 1e-9, 33: 1e-8, 66: 1e-7}


@pytest.mark.parametrize(("epsilon", "delta"), HARDLY)
@pytest.mark.parametrize("medium", [pam(20, es_n0_db=10), with_zeros(33), pam(66, es_n0_db=10)], ids=["20", "33", "66"])
def test_widths_are_as_promised_where_rows_hardly_differ(medium, epsilon, delta):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = optimum(medium, epsilon, delta)
    assert 0 <= found.width <= WIDTHS[medium.order]
    assert found.upper == pytest.approx(optimum(medium, 0).upper, abs=1e-7)
    assert found.basis is Basis.IDENTICAL_ROWS or found.tries


def test_outputs_that_are_read_as_counts():
    T = np.column_stack([0.8 * pam(12, es_n0_db=10).matrix, np.full((12, 2), 0.1)])
    medium = from_matrix(T, normalise=True)
    assert medium.is_decided
    found = optimum(medium, "1e-10")
    assert found.basis is Basis.IDENTICAL_ROWS or found.tries
    assert 0 <= found.width <= 1e-9


@pytest.mark.parametrize(("epsilon", "delta"), [("700", "0.5"), ("738", "0.5"), ("744", "0.5"), ("1", "1e-300")])
def test_a_delta_below_rounding_is_left_unused(epsilon, delta):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found, without = (optimum(with_zeros(20), epsilon, given) for given in (delta, "0"))
    assert found.width <= 1e-9
    assert found.upper == pytest.approx(without.upper, abs=2e-9)


@pytest.mark.parametrize(
    "T", [np.eye(1), np.eye(4), np.full((3, 3), 1 / 3), [[0.7, 0.3, 0], [0.1, 0.6, 0.3], [0, 0, 1]]]
)
def test_identical_rows_are_all_there_is_without_a_promise(T):
    medium, privacy = from_matrix(T), EpsilonDelta.of(0)
    found = identical_rows(medium, privacy)
    assert np.array_equal(found.P, np.tile(found.P[0], (medium.order, 1)))
    error = AtPromise(medium, privacy).received(found.P).error_probability
    assert 0 <= error - found.bound <= 1e-12


@pytest.mark.parametrize(("epsilon", "delta"), [("0", "1e-3"), ("0.1", "0"), ("2", "0.1")])
def test_their_bound_holds_at_any_promise(epsilon, delta):
    medium, privacy = pam(6, es_n0_db=6), EpsilonDelta.of(epsilon, delta)
    assert identical_rows(medium, privacy).bound <= optimum(medium, epsilon, delta).lower + 1e-12


def test_the_interior_point_has_nothing_to_say_without_room():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = solved(ChainProgram.of(pam(6, es_n0_db=6), EpsilonDelta.of("1e-300")), 1e-9)
    assert found.bound <= optimum(pam(6, es_n0_db=6), 0).upper
