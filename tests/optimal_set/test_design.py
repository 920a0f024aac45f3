"""The best private mechanism for a loss: its value, its proof, its properties."""

import json
import math
from importlib import import_module

import brute
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import linprog

from hushcount import audit, canonical, nearest, read_mechanism
from hushcount.errors import InvalidParameter, SolverFailed, TooLarge
from hushcount.linear_program.solution import Outcome, Solution
from hushcount.mechanisms import explicit_fair, folded_geometric, truncated_geometric
from hushcount.optimal_set import Basis, OptimalSet, design
from hushcount.optimal_set.designing import best_member
from hushcount.optimal_set.imposed import NAMES
from hushcount.privacy import AuditVerdict, properties
from hushcount.privacy.matrix_properties import Holding

module = import_module("hushcount.optimal_set.designing")

EXTREME = [
    *[(2, 25, 0), (5, 25, 0), (5, 20, 0), (5, "1e-9", "1e-12"), (5, 0.5, "1e-12")],
    *[(5, 8, "1e-12"), (10, 8, "1e-10"), (10, 5, "1e-10")],
]
GRID = [
    (0, 1, 0),
    (1, 0.5, 0),
    (2, 1, 0),
    (4, 0.3, 0.05),
    (5, 0.5, 0),
    (6, 2, "1e-6"),
    (7, 0.1, 0.3),
    (3, 0, 0.2),
    (3, 0, 0),
]


def plain_least_loss(n, epsilon, delta, losses, weights):
    """The same linear program as anyone would write it, by scipy."""
    M = n + 1
    if n == 0:
        return losses[0, 0]
    A, b, size = brute.privacy_program(M, float(epsilon), float(delta))
    rows = np.zeros((M, size))
    for i in range(M):
        rows[i, i * M : (i + 1) * M] = 1
    cost = np.zeros(size + 1)
    A = np.hstack([A, np.zeros((len(A), 1))])
    if weights is None:
        worst = np.zeros((M, size + 1))
        for i in range(M):
            worst[i, i * M : (i + 1) * M] = losses[i]
        worst[:, -1] = -1
        A, b, cost[-1] = np.vstack([A, worst]), np.concatenate([b, np.zeros(M)]), 1
    else:
        cost[: M * M] = (np.asarray(weights)[:, None] * losses).ravel()
    bounds = [(0, None)] * size + [(None, None)]
    return linprog(cost, A_ub=A, b_ub=b, A_eq=np.hstack([rows, np.zeros((M, 1))]), b_eq=np.ones(M), bounds=bounds).fun


@pytest.mark.slow
@pytest.mark.parametrize(("n", "epsilon", "delta"), GRID)
@pytest.mark.parametrize("prior", ["worst", "uniform", "weights"])
def test_value_is_the_plain_program_s_and_the_mechanism_is_proved_private(n, epsilon, delta, prior):
    rng = np.random.default_rng(n)
    losses = rng.normal(size=(n + 1, n + 1)) * 3
    weights = {"worst": None, "uniform": np.full(n + 1, 1 / (n + 1)), "weights": rng.dirichlet(np.ones(n + 1))}[prior]
    found = design(n, epsilon, delta, loss=losses, prior=weights if prior == "weights" else prior)
    assert found.lower_bound <= found.loss
    assert found.gap <= 1e-8
    assert found.loss == pytest.approx(plain_least_loss(n, epsilon, delta, losses, weights), abs=1e-7)
    assert audit(found.mechanism, epsilon=epsilon, delta=delta).verdict is AuditVerdict.PRIVATE
    rows = (losses * found.mechanism.matrix()).sum(axis=1)
    assert found.loss == pytest.approx(rows.max() if weights is None else weights @ rows, abs=1e-12)


@pytest.mark.grid
@pytest.mark.parametrize("n", [1, 2, 5, 7, 12])
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 2.0, 20.0, 25.0])
def test_uniform_prior_and_zero_one_loss_give_the_truncated_geometric_s_error(n, epsilon):
    a = math.exp(-epsilon)
    truth = 2 * n * a / ((n + 1) * (1 + a))
    found = design(n, epsilon, loss="zero-one", prior="uniform")
    assert found.loss == pytest.approx(truth, rel=1e-9)
    assert found.lower_bound <= truth * (1 + 1e-13)
    assert audit(found.mechanism, epsilon=epsilon, delta=0).verdict is AuditVerdict.PRIVATE


def test_worst_case_zero_one_loss_is_theorem_1_and_gives_the_nearest_optimum():
    found = design(9, 0.5, "0.01", loss="zero-one")
    assert found.basis is Basis.LEAST_ERROR
    assert found.mechanism == nearest(9, 0.5, "0.01")
    assert found.lower_bound <= nearest(9, 0.5, "0.01").error_probability <= found.loss
    assert found.gap < 1e-15


@pytest.mark.parametrize("loss", ["absolute", "squared", "zero-one"])
@pytest.mark.parametrize("prior", ["worst", "uniform"])
@pytest.mark.parametrize(("n", "epsilon"), [(5, 0.3), (7, 1.0), (9, 0.05)])
def test_no_mechanism_of_the_package_beats_a_design(loss, prior, n, epsilon):
    losses = np.abs(np.subtract.outer(np.arange(n + 1), np.arange(n + 1))).astype(float)
    losses = {"absolute": losses, "squared": losses**2, "zero-one": (losses > 0) * 1.0}[loss]
    found = design(n, epsilon, loss=loss, prior=prior)
    for peer in (nearest, canonical, explicit_fair, truncated_geometric, folded_geometric):
        rows = (losses * peer(n, epsilon).matrix()).sum(axis=1)
        assert found.lower_bound <= (rows.max() if prior == "worst" else rows.mean()) + 1e-12


@pytest.mark.parametrize(("n", "epsilon", "delta"), EXTREME)
@pytest.mark.parametrize("prior", ["worst", "uniform"])
def test_extreme_parameters_are_certified_all_the_same(n, epsilon, delta, prior):
    found = design(n, epsilon, delta, prior=prior)
    assert audit(found.mechanism, epsilon=epsilon, delta=delta).verdict is AuditVerdict.PRIVATE
    assert 0 <= found.lower_bound <= found.loss
    assert found.gap <= (2e-3 if epsilon == 25 else 2e-5 if epsilon == 20 else 1e-8) * found.loss


@st.composite
def monotone_problems(draw):
    n = draw(st.integers(0, 7))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    losses = np.zeros((n + 1, n + 1))
    for i in range(n + 1):
        right, left = (rng.random(k) * (rng.random(k) < 0.7) * 10.0 ** rng.integers(-2, 3) for k in (n - i, i))
        losses[i, i + 1 :], losses[i, :i] = np.cumsum(right), np.cumsum(left)[::-1]
        losses[i] += rng.normal()
    epsilon = draw(st.sampled_from(["0", "0.05", "0.3", "1", "3"]))
    delta = draw(st.sampled_from(["0", "1e-6", "0.05", "0.3"]))
    prior = "worst" if draw(st.booleans()) else rng.dirichlet(np.ones(n + 1)).tolist()
    return n, epsilon, delta, losses, prior


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(monotone_problems())
def test_theorem_of_the_nearest_optimum_no_member_has_a_smaller_monotone_loss(problem):
    n, epsilon, delta, losses, prior = problem
    optimum = nearest(n, epsilon, delta)
    by_theorem = best_member(optimum, losses, prior, ())
    by_program = best_member(optimum, losses, prior, (), by_theorem=False)
    scale = 1 + np.abs(losses).max()
    assert by_theorem.basis is Basis.NEAREST
    assert by_theorem.mechanism == optimum
    assert by_program.lower_bound <= by_theorem.loss  # certified, so without any tolerance
    assert by_program.lower_bound == pytest.approx(by_theorem.loss, abs=1e-8 * scale)


@pytest.mark.parametrize(("n", "epsilon"), [(4, 0.5), (8, 3), (12, 3), (5, 6), (5, 12), (12, 2)])
def test_other_losses_are_not_the_nearest_s(n, epsilon):
    # To be wrong by one is worse here than by two.
    optimal = OptimalSet(n, epsilon)
    losses = [[[0, 3, *[1] * n][abs(i - j)] for j in range(n + 1)] for i in range(n + 1)]
    found = optimal.best(losses, "uniform")
    mine = (np.array(losses) * nearest(n, epsilon).matrix()).sum() / (n + 1)
    assert found.loss <= mine
    assert found.lower_bound <= found.loss + 1e-15
    assert found.gap <= 1e-8 * found.loss
    assert optimal.contains(found.mechanism).error_excess[1] <= 1e-11
    if epsilon > 1:
        return
    assert found.basis is Basis.LINEAR_PROGRAM
    assert found.loss < mine - 1e-3
    for member in optimal.vertices(10):
        assert found.lower_bound <= (np.array(losses) * member.matrix()).sum() / (n + 1) + 1e-12


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("n", "epsilon", "delta"), [(4, 0.5, 0), (5, 0.2, 0.01)])
def test_every_property_can_be_imposed_at_a_price(name, n, epsilon, delta):
    free, bound = design(n, epsilon, delta), design(n, epsilon, delta, properties=[name])
    assert getattr(properties(bound.mechanism), name) is not Holding.FAILS
    assert bound.properties == (name,)
    assert bound.loss >= free.lower_bound
    assert audit(bound.mechanism, epsilon=epsilon, delta=delta).verdict is AuditVerdict.PRIVATE


@pytest.mark.parametrize(
    ("n", "epsilon", "delta"), [(0, 1, 0), (3, 0.5, 0), (4, 0.2, 0.05), (5, 1, "1e-6"), (3, 0, 0.1)]
)
def test_some_optimum_has_all_seven_properties(n, epsilon, delta):
    # (1 - delta) explicit fair + delta identity; so that no set of properties conflicts.
    M = n + 1
    known = (1 - float(delta)) * explicit_fair(n, epsilon).matrix() + float(delta) * np.eye(M)
    optimal = OptimalSet(n, epsilon, delta)
    assert optimal.contains(known)
    found = optimal.best("absolute", "uniform", properties=NAMES)
    held = properties(found.mechanism)
    assert all(getattr(held, name) is not Holding.FAILS for name in NAMES)
    losses = np.abs(np.subtract.outer(np.arange(M), np.arange(M)))
    assert found.lower_bound <= (losses * known).sum() / M + 1e-12


def test_design_is_mirrored_where_the_problem_is():
    matrix = design(6, 0.5, "0.001", prior="uniform").mechanism.matrix()
    assert np.allclose(matrix, matrix[::-1, ::-1], rtol=0, atol=1e-15)


def test_callable_matrix_and_name_are_the_same_loss():
    by_name = design(5, 0.5, loss="squared", prior="uniform")
    assert design(5, 0.5, loss=lambda true, released: (released - true) ** 2, prior="uniform").loss == by_name.loss
    matrix = [[(i - j) ** 2 for j in range(6)] for i in range(6)]
    assert design(5, 0.5, loss=matrix, prior=[1 / 6] * 6).loss == pytest.approx(by_name.loss, rel=1e-9)


@pytest.mark.parametrize("suffix", ["csv", "json"])
@pytest.mark.parametrize("wanted", [{"loss": "absolute"}, {"loss": "zero-one"}])
def test_what_is_saved_passes_the_audit(tmp_path, suffix, wanted):
    file = tmp_path / f"mechanism.{suffix}"
    saved = design(6, "0.5", "1e-6", **wanted).save(file, notes={"loss": wanted["loss"]})
    assert read_mechanism(file) == saved
    assert (saved.claim.epsilon, saved.claim.delta) == (
        nearest(6, "0.5", "1e-6").epsilon,
        nearest(6, "0.5", "1e-6").delta,
    )
    assert audit(saved, epsilon="0.5", delta="1e-6").verdict is AuditVerdict.PRIVATE
    assert saved.notes["loss"] == wanted["loss"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"loss": "cubic"}, "loss must be one of absolute, squared, zero-one"),
        ({"loss": [[0, 1], [1, 0]]}, r"loss must be a matrix of shape \(4, 4\)"),
        ({"loss": np.full((4, 4), np.nan)}, r"loss\(0, 0\) must be a finite number"),
        ({"loss": lambda i, j: None}, r"loss\(0, 0\) must be a finite number"),
        ({"loss": 5}, "loss must be"),
        ({"loss": None}, "loss must be"),
        ({"prior": "flat"}, "prior must be 'worst', 'uniform' or"),
        ({"prior": [0.5, 0.5]}, "prior must be 'worst', 'uniform' or 4 weights"),
        ({"prior": [0.5, 0.5, 0.5, -0.5]}, r"prior\[3\] must be a number >= 0"),
        ({"prior": [0.5, 0.5, 0.5, 0.5]}, "must sum to 1"),
        ({"prior": ["1e999", 0, 0, 0]}, "must sum to 1"),
        ({"prior": [math.nan, 0.5, 0.5, 0]}, r"prior\[0\] must be a finite number"),
        ({"prior": 5}, "prior must be"),
        ({"properties": ["fair"]}, "properties must be among fairness"),
        ({"properties": "fairness"}, "properties must be a list of names"),
        ({"properties": [5]}, "properties must be among"),
        ({"properties": 5}, "properties must be a list of names"),
    ],
)
def test_bad_arguments_are_named(changed, message):
    with pytest.raises(ValueError, match=message):
        design(3, 0.5, **changed)
    with pytest.raises(ValueError, match=message):
        OptimalSet(3, 0.5).best(**({"loss": "absolute"} | changed))


@pytest.mark.parametrize(
    "bad", [{"n": -1}, {"n": 2.5}, {"n": True}, {"epsilon": -1}, {"epsilon": math.nan}, {"delta": 1}]
)
def test_bad_parameters_are_named(bad):
    with pytest.raises(InvalidParameter, match=next(iter(bad))):
        design(**({"n": 3, "epsilon": 0.5} | bad))


@pytest.mark.parametrize(
    ("n", "asked", "message"),
    [
        (257, {"properties": ["fairness"]}, "257 outcomes"),
        (257, {"loss": lambda true, released: float(abs(true - released) == 1)}, "257 outcomes"),
        (2**14, {}, "a design has at most 16,384 outcomes"),
        (4096, {"loss": lambda true, released: 0}, "above the limit of 4,096; name one"),
    ],
)
def test_too_many_outcomes(n, asked, message):
    with pytest.raises(TooLarge, match=message):
        design(n, 0.5, **asked)


def test_a_solver_that_fails_is_reported(monkeypatch):
    monkeypatch.setattr(
        module, "solve", lambda model: Solution(Outcome.FAILED, None, math.inf, -math.inf, 1.0, 1.0, None, ())
    )
    with pytest.raises(SolverFailed, match="no mechanism found") as caught:
        design(3, 0.5, properties=["fairness"])
    assert Outcome.FAILED.value in str(caught.value)


def test_result_is_json_ready():
    told = json.loads(json.dumps(design(3, "1/3", "1e-6", properties=["fairness"]).to_dict(), allow_nan=False))
    assert told["epsilon"] == "1/3"
    assert told["delta"] == "0.000001"
    assert told["properties"] == ["fairness"]
    assert told["lower_bound"] <= told["loss"]
