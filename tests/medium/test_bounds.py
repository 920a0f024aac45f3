"""Proposition 1, bound by bound."""

from importlib import import_module

import numpy as np
import pytest

from hushcount import canonical
from hushcount.linear_program.solution import Outcome, Solution
from hushcount.medium import bounds, from_matrix, optimum, psk
from hushcount.medium.certified.bounds import Bounds, best_inputs
from hushcount.promise.epsilon_delta import EpsilonDelta


def by_name(*at):
    return {bound.name: bound for bound in bounds(*at)}


def test_all_are_told_in_order():
    assert [bound.name for bound in bounds(psk(4, es_n0_db=3), 1)] == ["l", "u0", "u1", "u2", "u3", "u4", "u5"]


def test_l_is_what_the_best_inputs_yield():
    T = np.array([[0.2, 0.5, 0.3], [0.7, 0.2, 0.1], [0.1, 0.3, 0.6]])
    assert best_inputs(T).tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]
    assert by_name(T, 1)["l"].value == pytest.approx(0.5, abs=1e-15)


def test_l_is_accurate_however_small():
    assert by_name(psk(4, es_n0_db=20), 1)["l"].value == pytest.approx(1.5234e-23, rel=1e-3)


def test_u0_is_the_canonical_optimum_post_processed():
    T = psk(5, es_n0_db=4)
    wrong = 1 - np.diag(canonical(4, 1).matrix() @ T.matrix).min()
    assert by_name(T, 1)["u0"].value == pytest.approx(wrong, abs=1e-12)


@pytest.mark.parametrize(
    ("T", "name", "condition"),
    [
        (np.full((3, 3), 1 / 3), "u1", "T must be invertible"),
        (np.eye(3), "u2", "every entry of T must be positive"),
        (np.eye(3), "u3", "every entry of T must be positive"),
        ([[0.5, 0.5], [0.25, 0.75]], "u4", "T must be circulant"),
    ],
    ids=["u1", "u2", "u3", "u4"],
)
def test_where_a_bound_does_not_apply_it_says_why(T, name, condition):
    bound = by_name(from_matrix(T, normalise=True), 1)[name]
    assert bound.value is None
    assert bound.mechanism is None
    assert bound.condition.startswith(condition)
    assert bound.to_dict()["condition"] == bound.condition


def test_u2_and_u3_need_an_invertible_optimum():
    for name in ("u2", "u3"):
        assert by_name(psk(4, es_n0_db=0), 0)[name].condition.startswith("P* must be invertible")


def u2_of(T, v, epsilon):
    """(42) for one v, in plain floats."""
    P = canonical(len(T) - 1, epsilon).matrix()
    X = np.outer(T.T @ v, v)
    falls, before = X < 0, np.linalg.solve(P, X @ T)
    length = min((P[falls] / -X[falls]).min(), (T[before < 0] / -before[before < 0]).min())
    return 1 - float(np.diag((P + length * X) @ T).min())


@pytest.mark.parametrize(("M", "decibels"), [(3, 5), (4, 0), (5, 0), (6, 3), (8, 0), (12, 3)])
def test_u2_takes_the_best_direction_where_there_are_many(M, decibels):
    T = psk(M, es_n0_db=decibels)
    angles = np.linspace(0, 2 * np.pi, 241)[:, None] + 2 * np.pi * np.arange(M) / M
    of_any_phase = [u2_of(T.matrix, v / np.linalg.norm(v), 1) for v in np.cos(angles)]
    found = by_name(T, 1)["u2"].value
    assert found <= min(of_any_phase) + 1e-9
    assert found == pytest.approx(min(of_any_phase), abs=1e-6)  # the grid has the symmetric phases
    assert found < max(of_any_phase) - 1e-6  # the choice matters


def test_u2_of_8_psk_is_below_u0():
    found = by_name(psk(8, es_n0_db=0), 1)
    assert found["u2"].value == pytest.approx(0.7179187, abs=1e-7)
    assert found["u0"].value == pytest.approx(0.7189429, abs=1e-7)


@pytest.mark.parametrize("row", [[0.2, 0.5, 0.3], [0.1, 0.5, 0.1, 0.3], [0.05, 0.3, 0.25, 0.4], [0.3, 0.2] * 2])
def test_u2_of_circulant_media_that_are_not_mirrored_or_whose_wave_repeats(row):
    T = from_matrix([np.roll(row, i) for i in range(len(row))], normalise=True)
    v = np.linalg.svd(T.matrix.T - T.matrix.T.mean(axis=1, keepdims=True))[2][0]
    found = by_name(T, 1)
    assert found["l"].value <= found["u2"].value <= found["u0"].value + 1e-12
    if len(row) == 4 and row[0] == row[2]:  # a simple singular value: v is unique, (1, -1, 1, -1) / 2
        assert found["u2"].value == pytest.approx(u2_of(T.matrix, v, 1), abs=1e-9)


def test_u2_of_two_symbols():
    T = from_matrix([[0.75, 0.25], [0.25, 0.75]])
    assert by_name(T, 1)["u2"].value == pytest.approx(u2_of(T.matrix, np.array([1, -1]) / np.sqrt(2), 1), abs=1e-12)


def test_erratum_of_u3_as_printed():
    # beta_R, the largest step at which (I + X) T >= 0, is 2.158 here: with it, (46) is below what is possible at all,
    # and its mechanism is none.
    T, privacy = psk(8, es_n0_db=0), EpsilonDelta.of(2)
    P, Q = canonical(7, 2).matrix(), best_inputs(T.matrix)
    step = np.linalg.solve(P, Q @ T.matrix) - T.matrix
    falls = step < 0
    beta = float((T.matrix[falls] / -step[falls]).min())
    assert beta == pytest.approx(2.158, abs=1e-3)
    printed = beta * Q + (1 - beta) * P
    printed_value = 1 - float(np.diag(printed @ T.matrix).min())
    truth = optimum(T, 2)
    assert printed_value == pytest.approx(0.5133, abs=1e-4)
    assert printed_value < truth.lower - 0.05
    assert printed.min() < -0.01
    u3 = Bounds(T, privacy).u3
    assert u3.value == pytest.approx(truth.upper, abs=1e-9)
    assert u3.value == pytest.approx(0.576906, abs=1e-6)
    assert np.allclose(u3.mechanism.entries, Q, atol=1e-9)  # beta = min(1, beta_R)


def test_u5_is_the_best():
    for medium in (psk(8, es_n0_db=3), psk(5, es_n0_db=8)):
        found = by_name(medium, "0.7", "0.01")
        values = [found[name].value for name in ("u0", "u1", "u2", "u3", "u4") if found[name].value is not None]
        assert found["u5"].value <= min(values) + 1e-9


def test_failed_linear_programs_are_said(monkeypatch):
    nothing = Solution(Outcome.FAILED, None, np.inf, -np.inf, np.inf, np.inf, None, ())
    for module in ("certified.bounds", "mixture"):
        monkeypatch.setattr(import_module(f"hushcount.medium.{module}"), "solve", lambda model: nothing)
    found = by_name(psk(4, es_n0_db=0), 1)
    for name in ("u4", "u5"):
        assert found[name].condition == "its linear program must be solved, and failed"
    assert found["u0"].value is not None
