"""The rows in the middle bound the optimum from below, and the more of them the better."""

from itertools import pairwise

import numpy as np
import pytest

from hushcount.medium import Medium, from_matrix, optimum, optimum as optimum_function, pam, psk
from hushcount.medium.at_promise import AtPromise
from hushcount.medium.certified.medium_optimum import Basis
from hushcount.medium.certified.window import middle_rows_bound
from hushcount.promise.epsilon_delta import EpsilonDelta


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
@pytest.mark.parametrize("delta", ["0", "1e-6"])
def test_a_circulant_medium_of_64_symbols_needs_no_more(delta):
    found = optimum(psk(64, es_n0_db=20), 1, delta)
    assert found.basis is Basis.MIDDLE_ROWS
    assert found.tries == ()
    assert found.width <= 1e-7


@pytest.mark.slow
def test_it_agrees_with_the_whole_program():
    medium = psk(48, es_n0_db=18)
    same = Medium(medium.matrix[::-1], "not circulant, as good")  # G is as good behind either: relabel what is sent
    one, other = optimum_function(medium, 1), optimum_function(same, 1)
    assert one.basis is Basis.MIDDLE_ROWS
    assert other.basis is Basis.LINEAR_PROGRAM
    assert one.lower <= other.upper
    assert other.lower <= one.upper
    assert max(one.width, other.width) <= 1e-7
