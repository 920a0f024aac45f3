"""Nearly private matrices made private for sure, at the least cost."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from hushcount import audit, canonical, nearest
from hushcount.privacy import AuditVerdict
from hushcount.privacy.made_private import is_private, made_private, surely_private
from hushcount.promise.epsilon_delta import EpsilonDelta


@st.composite
def nearly_private(draw):
    n = draw(st.integers(0, 8))
    promise = EpsilonDelta.of(
        draw(st.sampled_from(["0", "1e-9", "0.01", "0.5", "3", "25", "800"])),
        draw(st.sampled_from(["0", "1e-12", "0.01", "0.4"])),
    )
    maker = draw(st.sampled_from([nearest, canonical]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    noise = 10.0 ** draw(st.sampled_from([-17, -12, -9, -3]))
    matrix = maker(n, promise.epsilon, promise.delta).matrix()
    return matrix + noise * rng.normal(size=matrix.shape), matrix, promise, noise


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(nearly_private())
def test_result_is_private_by_the_exact_audit(case):
    noisy, _, promise, _ = case
    made = made_private(noisy, promise)
    assert audit(made, epsilon=promise.epsilon, delta=promise.delta).verdict is AuditVerdict.PRIVATE


@settings(max_examples=100, deadline=None)
@given(nearly_private())
def test_change_is_of_the_size_of_the_noise(case):
    noisy, matrix, promise, noise = case
    if promise.epsilon < 0.4:
        return
    size = max(noise, 1e-16)
    assert np.abs(made_private(noisy, promise) - matrix).max() <= 2000 * size


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(nearly_private(), st.sampled_from([0.0, 1e-15, 1e-12, 1e-6, 0.5]))
def test_what_is_surely_private_is_private(case, share):
    noisy, _, promise, _ = case
    rows = np.maximum(noisy, 0)
    rows = (1 - share) * rows / rows.sum(axis=1, keepdims=True) + share / len(rows)
    if surely_private(rows, promise):
        assert is_private(rows, promise)


def test_a_zero_beside_a_positive_entry_is_never_surely_private():
    rows = np.array([[1.0, 0.0], [1e-300, 1.0]])
    for epsilon in (0, 1, 690, 800, 10**6):
        assert not surely_private(rows, EpsilonDelta.of(epsilon))


def test_private_matrices_are_left_as_they_are():
    rows = np.array([[0.6, 0.4], [0.4, 0.6]])
    assert np.array_equal(made_private(rows, EpsilonDelta.of(0.5)), rows)


def test_the_identity_becomes_nearly_randomized_response():
    made = made_private(np.eye(2), EpsilonDelta.of(1))
    truth = np.e / (1 + np.e)
    assert made[0, 0] == pytest.approx(truth, rel=0.06)
    assert made[0, 0] <= truth


def test_without_any_privacy_loss_rows_become_their_mean():
    made = made_private(np.array([[0.5, 0.5], [0.25, 0.75]]), EpsilonDelta.of(0))
    assert made.tolist() == [[0.375, 0.625]] * 2


def test_towards_another_row():
    made = made_private(np.eye(3), EpsilonDelta.of(1), np.array([0.0, 1.0, 0.0]))
    assert audit(made, epsilon=1, delta=0).verdict is AuditVerdict.PRIVATE
    assert made[0].tolist() == [0.0, 1.0, 0.0]  # only identical rows have a 0 in common


@pytest.mark.parametrize("through", [None, np.eye(2)], ids=["alone", "through a medium"])
def test_nan_is_never_surely_private(through):
    rows = np.array([[np.nan, 0.5], [0.5, 0.5]])
    assert not surely_private(rows, EpsilonDelta.of(1, "0.5"), through)
