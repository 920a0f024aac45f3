"""Proposition 1, bound by bound."""

from importlib import import_module

import numpy as np
import pytest

from hushcount import bounds, canonical, medium_from_matrix, optimum, psk
from hushcount.linear_program import Outcome, Solution
from hushcount.medium.bounds import BoundSet, best_inputs
from hushcount.tradeoff import EpsilonDelta


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
    bound = by_name(medium_from_matrix(T, normalise=True), 1)[name]
    assert bound.value is None
    assert bound.mechanism is None
    assert bound.condition.startswith(condition)
    assert bound.to_dict()["condition"] == bound.condition


def test_u2_and_u3_need_an_invertible_optimum():
    for name in ("u2", "u3"):
        assert by_name(psk(4, es_n0_db=0), 0)[name].condition.startswith("P* must be invertible")


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
    u3 = BoundSet(T, privacy).u3
    assert u3.value == pytest.approx(truth.upper, abs=1e-9)
    assert u3.value == pytest.approx(0.576906, abs=1e-6)
    assert np.allclose(u3.mechanism.entries, Q, atol=1e-9)  # beta = min(1, beta_R)


def test_u5_is_the_best():
    for medium in (psk(8, es_n0_db=3), psk(5, es_n0_db=8)):
        found = by_name(medium, "0.7", "0.01")
        values = [found[name].value for name in ("u0", "u1", "u2", "u3", "u4") if found[name].value is not None]
        assert found["u5"].value <= min(values) + 1e-9


def test_failed_linear_programs_are_said(monkeypatch):
    module = import_module("hushcount.medium.bounds")  # the package has a function of that name
    nothing = Solution(Outcome.FAILED, None, np.inf, -np.inf, np.inf, np.inf, None, ())
    monkeypatch.setattr(module, "solve", lambda model: nothing)
    found = by_name(psk(4, es_n0_db=0), 1)
    for name in ("u4", "u5"):
        assert found[name].condition == "its linear program must be solved, and failed"
    assert found["u0"].value is not None
