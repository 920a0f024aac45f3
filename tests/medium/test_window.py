"""The rows in the middle bound the optimum from below, and the more of them the better."""

from itertools import pairwise

import numpy as np
import pytest

from hushcount.linear_program.methods import Method
from hushcount.medium import Medium, from_matrix, optimum, pam, psk
from hushcount.medium.at_promise import AtPromise
from hushcount.medium.certified.chain.program import ChainProgram
from hushcount.medium.certified.chain.solved import solved
from hushcount.medium.certified.medium_optimum import Basis
from hushcount.promise.epsilon_delta import EpsilonDelta


def middle_rows_bound(medium, privacy, left_out):
    return solved(ChainProgram.of(medium, privacy, left_out), 1e-10).bound


def mirrored(seed, M):
    T = np.random.default_rng(seed).dirichlet(np.full(M, 0.4), M)
    T = 0.6 * np.eye(M) + 0.2 * (T + T[::-1, ::-1])
    return from_matrix((T + T[::-1, ::-1]) / 2, normalise=True)


@pytest.mark.grid
@pytest.mark.parametrize("epsilon", ["0.2", "1", "3"])
@pytest.mark.parametrize("delta", ["0", "1e-6", "0.02", "0.5"])
@pytest.mark.parametrize(
    "medium", [psk(8, es_n0_db=0), psk(7, es_n0_db=3), pam(6, es_n0_db=4), mirrored(1, 9)], ids=str
)
def test_below_the_optimum_and_rising_with_the_rows(medium, epsilon, delta):
    best, privacy = optimum(medium, epsilon, delta), EpsilonDelta.of(epsilon, delta)
    found = [middle_rows_bound(medium, privacy, left_out) for left_out in range((medium.order - 1) // 2, -1, -1)]
    assert all(value <= best.upper for value in found)
    if delta in ("0", "1e-6"):  # at a larger one, what may be missing of rows left out is not traded within the program
        assert all(one <= other + 1e-9 for one, other in pairwise(found))
    assert found[-1] == pytest.approx(best.upper, abs=1e-9)  # all rows: the program itself


@pytest.mark.slow
@pytest.mark.parametrize("left_out", [0, 1, 3, 8, 19])
@pytest.mark.parametrize(
    ("epsilon", "delta"), [("0.01", "0"), ("0.5", "0"), ("0.5", "0.01"), ("3", "1e-12"), ("60", "0")]
)
def test_without_noise_it_is_below_the_closed_form(epsilon, delta, left_out):
    privacy = EpsilonDelta.of(epsilon, delta)
    perfect = Medium(np.eye(40), "perfect")
    without = AtPromise(perfect, privacy).without
    least, most = without.lower, without.upper
    found = middle_rows_bound(perfect, privacy, left_out)
    assert found <= most
    if left_out == 0 and epsilon != "60":
        assert found == pytest.approx(least, abs=1e-8)


@pytest.mark.slow
def test_a_large_circulant_medium_needs_no_more_and_agrees_with_the_whole_program():
    medium, privacy = psk(72, es_n0_db=22), EpsilonDelta.of(1)
    found, whole = optimum(medium, 1), solved(ChainProgram.of(medium, privacy), 1e-8)
    assert found.basis is Basis.MIDDLE_ROWS
    assert found.tries == ()
    assert found.width <= 1e-7
    assert whole.bound == pytest.approx(found.upper, abs=1e-7)
    assert found.lower <= AtPromise(medium, privacy).received(whole.P).error_probability


@pytest.mark.slow
def test_where_few_rows_miss_much_all_rows_follow():
    found = optimum(psk(66, es_n0_db=14), "0.5")
    assert found.basis is Basis.LINEAR_PROGRAM
    assert found.tries == (Method.CHAIN,)
    assert found.width <= 1e-7
