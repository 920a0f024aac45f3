"""The optimum behind random media: between its bounds, private by exact arithmetic, as good as a plain program's."""

from fractions import Fraction

import brute
import numpy as np
import pytest
from exact_products import exact_product, surely_private
from hypothesis import given, settings, strategies as st
from scipy.optimize import linprog

from hushcount.linear_program import methods
from hushcount.medium import bounds, from_matrix, is_lossless, optimum, psk
from hushcount.medium.at_promise import AtPromise
from hushcount.medium.theorem_2.lossless import Verdict


@st.composite
def media(draw):
    M = draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    kind = draw(
        st.sampled_from(["dirichlet", "near identity", "near singular", "doubly", "zeros", "alike", "circulant"])
    )
    if kind == "dirichlet":
        T = rng.dirichlet(np.full(M, 0.5), M)
    elif kind == "near identity":
        T = 0.97 * np.eye(M) + 0.03 * rng.dirichlet(np.ones(M), M)
    elif kind == "near singular":
        T = np.abs(np.full((M, M), 1 / M) + 1e-6 * rng.normal(size=(M, M)))
    elif kind == "doubly":
        T = sum(rng.random() * np.eye(M)[rng.permutation(M)] for _ in range(5))
    elif kind == "zeros":
        T = rng.dirichlet(np.full(M, 0.3), M) * (rng.random((M, M)) < 0.6) + 1e-3 * np.eye(M)
    elif kind == "alike":
        T = np.repeat(rng.dirichlet(np.ones(M), 1), M, axis=0)
    else:
        T = np.array([np.roll(rng_row, i) for i, rng_row in enumerate([rng.dirichlet(np.ones(M))] * M)])
    epsilon = draw(st.sampled_from(["0", "1e-6", "0.1", "0.5", "2", "5"]))
    delta = draw(st.sampled_from(["0", "0", "1e-6", "0.05", "0.5"]))
    return from_matrix(T, normalise=True), epsilon, delta


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(media())
def test_proposition_1_and_every_mechanism_is_private_behind_the_medium(case):
    T, epsilon, delta = case
    known, found = bounds(T, epsilon, delta), optimum(T, epsilon, delta)
    uppers = [bound for bound in known if bound.name != "l" and bound.value is not None]
    lower = max(known[0].value, AtPromise.of(T, epsilon, delta).without.lower)
    assert lower <= found.lower <= found.upper <= min(bound.value for bound in uppers) + 1e-15
    for mechanism, value in [(found.mechanism, found.upper), *((b.mechanism, b.value) for b in uppers)]:
        product = exact_product(mechanism.entries, T.matrix)
        assert surely_private(product, epsilon, delta)
        assert max(1 - row[i] for i, row in enumerate(product)) <= Fraction(value)
    assert found.width <= 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("steps", [0, 10, 60, 150])
@pytest.mark.parametrize("delta", ["0", "0.01"])
def test_a_program_stopped_in_the_middle_proves_what_it_says(monkeypatch, steps, delta):
    T = psk(8, es_n0_db=0)
    good = optimum(T, 1, delta)
    for method, options in methods.OPTIONS.items():
        limits = {"simplex_iteration_limit": steps, "ipm_iteration_limit": steps // 10}
        monkeypatch.setitem(methods.OPTIONS, method, {**options, **limits})
    found = optimum(T, 1, delta)
    assert found.lower <= good.upper
    assert found.upper >= good.lower
    product = exact_product(found.mechanism.entries, T.matrix)
    assert surely_private(product, 1, delta)
    assert max(1 - row[i] for i, row in enumerate(product)) <= Fraction(found.upper)
    assert found.stopped or found.width <= 1e-9


@settings(max_examples=40, deadline=None)
@given(media())
def test_plain_program_finds_the_same(case):
    T, epsilon, delta = case
    M = T.order
    if M == 1 or epsilon == "1e-6":
        return
    A, b, _ = brute.privacy_program(M, float(epsilon), float(delta))
    mix = np.kron(np.eye(M), T.matrix.T)  # row by row, S = P T
    A = np.hstack([A[:, : M * M] @ mix, A[:, M * M :], np.zeros((len(A), 1))])
    worst = np.zeros((M, A.shape[1]))
    for i in range(M):
        worst[i, : M * M] = -mix[i * M + i]
        worst[i, -1] = 1
    rows = np.zeros((M, A.shape[1]))
    for i in range(M):
        rows[i, i * M : (i + 1) * M] = 1
    cost = np.zeros(A.shape[1])
    cost[-1] = -1
    plain = linprog(
        cost,
        A_ub=np.vstack([A, worst]),
        b_ub=np.concatenate([b, np.zeros(M)]),
        A_eq=rows,
        b_eq=np.ones(M),
        bounds=[(0, None)] * A.shape[1],
    )
    if plain.status == 0:
        assert optimum(T, epsilon, delta).upper == pytest.approx(1 + plain.fun, abs=1e-6)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(media())
def test_losslessness_agrees_with_the_optimum(case):
    T, epsilon, delta = case
    found, best = is_lossless(T, epsilon, delta), optimum(T, epsilon, delta)
    without = AtPromise.of(T, epsilon, delta).without
    low, high = without.lower, without.upper
    if found.verdict is Verdict.LOSSLESS:
        assert best.lower <= high
        assert bool(found)
        product = exact_product(found.mechanism.entries, T.matrix)
        assert surely_private(product, epsilon, delta)
        assert max(1 - row[i] for i, row in enumerate(product)) <= Fraction(low) + Fraction(found.gap)
        assert found.gap <= 1e-9
    elif found.verdict is Verdict.LOSSY:
        assert best.upper - low >= found.gap
        assert not found
