"""Designs by thresholds: against linear programs over all entries, proofs from both sides, any size."""

import math
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from several_programs import Program

from hushcount import nearest
from hushcount.optimal_set import Basis, design
from hushcount.optimal_set.by_chain.bayes import best_for_weights
from hushcount.optimal_set.by_chain.best import best_for_prior, best_for_worst, highest_losses, thresholds_of
from hushcount.optimal_set.by_chain.interior_point import least_worst
from hushcount.optimal_set.by_chain.loss_steps import StepsByDistance, StepsOfMatrix
from hushcount.optimal_set.by_chain.nodes import Nodes
from hushcount.privacy import AuditVerdict, audit
from hushcount.promise import EpsilonDelta, GaussianDP, SeveralPairs

module = import_module("hushcount.optimal_set.designing")

PAIRS = [
    [("0.5", "0")],
    [("0.1", "0.02")],
    [("2", "1e-6")],
    [("0", "0.1")],
    [("0", "0")],
    [("0.1", "0.1"), ("0.6", "0.01")],
    [("0.2", "0.15"), ("0.8", "0.02"), ("2", "0")],
]
LOSSES = ["absolute", "squared", "one-sided", "random"]


def promise_for(pairs):
    return EpsilonDelta.of(*pairs[0]) if len(pairs) == 1 else SeveralPairs.of(pairs)


def losses_for(kind, n, seed=0):
    away = np.subtract.outer(np.arange(n + 1.0), np.arange(n + 1.0))
    if kind == "one-sided":
        return np.maximum(away, 0) + 0.25 * np.maximum(-away, 0) ** 2
    if kind == "random":
        rng, table = np.random.default_rng(seed), np.zeros((n + 1, n + 1))
        for i in range(n + 1):
            right, left = (rng.random(k) * (rng.random(k) < 0.7) for k in (n - i, i))
            table[i, i + 1 :], table[i, :i] = np.cumsum(right), np.cumsum(left)[::-1]
        return table + rng.normal(size=(n + 1, 1))
    return abs(away) ** {"absolute": 1, "squared": 2, "zero-one": 0}[kind] * (away != 0)


def least_by_program(pairs, losses, weights):
    """The least loss by scipy, over all matrices that keep the pairs; about 1e-9 from the truth."""
    M = len(losses)
    program = Program(M, [(float(epsilon), float(delta)) for epsilon, delta in pairs], extra=1)
    if weights is not None:
        gain = dict(enumerate((-weights[:, None] * losses).ravel()))
        return -program.largest(gain)[0]
    top = losses.max()  # the extra variable, in [0, 1], is how far the worst loss is below the largest there is
    size = top - losses.min() or 1.0
    for i in range(M):
        row = {i * M + j: losses[i, j] / size for j in range(M)}
        program.at_most({**row, program.first_extra: 1.0}, top / size)
    return top - size * program.largest({program.first_extra: 1.0})[0]


@pytest.mark.parametrize("pairs", PAIRS)
@pytest.mark.parametrize("kind", LOSSES)
@pytest.mark.parametrize("prior", ["worst", "uniform", "weights"])
@pytest.mark.parametrize("n", [2, 7])
def test_value_is_that_of_a_program_over_all_entries(pairs, kind, prior, n):
    losses = losses_for(kind, n)
    weights = {
        "worst": None,
        "uniform": np.full(n + 1, 1 / (n + 1)),
        "weights": np.random.default_rng(n).dirichlet(np.full(n + 1, 0.3)),
    }[prior]
    found = design(n, promise_for(pairs), loss=losses, prior=weights if prior == "weights" else prior)
    assert found.basis is Basis.CHAIN
    truth = least_by_program(pairs, losses, weights)
    assert found.loss == pytest.approx(truth, abs=1e-7)
    assert found.lower_bound <= found.loss
    assert found.gap <= 2e-8 * abs(found.loss) + 1e-12
    rows = (losses * found.mechanism.matrix()).sum(axis=1)
    assert found.loss == pytest.approx(rows.max() if weights is None else weights @ rows, abs=1e-12)


@pytest.mark.parametrize(("epsilon", "delta"), [("0.5", "0"), ("0.5", "0.01"), ("0.05", "0.001")])
@pytest.mark.parametrize("prior", ["worst", "uniform"])
@pytest.mark.parametrize("kind", ["absolute", "squared", "zero-one"])
def test_at_32_outcomes_it_is_what_the_program_over_all_entries_finds(epsilon, delta, prior, kind):
    asked = module._Asked(EpsilonDelta.of(epsilon, delta), module.Objective.of(31, kind, prior), module.Imposed(()))
    chain, program = asked.by_chain(), asked.by_program()
    assert chain.lower_bound <= program.loss  # both certified, so without any tolerance
    assert program.lower_bound <= chain.loss
    assert chain.gap <= 1e-8 * chain.loss
    assert chain.loss == pytest.approx(program.loss, rel=1e-8)


@st.composite
def problems(draw):
    n = draw(st.integers(1, 7))
    seed = draw(st.integers(0, 2**32))
    rng = np.random.default_rng(seed)
    prior = draw(st.sampled_from(["worst", "smooth", "few"]))
    weights = None if prior == "worst" else rng.dirichlet(np.full(n + 1, 1.0 if prior == "smooth" else 0.1))
    return n, draw(st.sampled_from(PAIRS)), losses_for("random", n, seed), weights


@settings(max_examples=60, deadline=None)
@given(problems())
def test_random_problems(problem):
    n, pairs, losses, weights = problem
    found = design(n, promise_for(pairs), loss=losses, prior="worst" if weights is None else weights)
    assert found.lower_bound <= found.loss
    assert found.gap <= 1e-6 * (1 + abs(found.loss))
    assert found.loss == pytest.approx(least_by_program(pairs, losses, weights), abs=2e-7)


def test_conditions_of_the_chain_bind_in_some_and_prices_are_found():
    """Weights that call for thresholds in the wrong order: without the conditions the loss would be smaller."""
    n, curve = 5, EpsilonDelta.of(1)
    weights = np.array([0.4, 0.0, 0.0, 0.0, 0.2, 0.4])
    steps = StepsOfMatrix(np.zeros(n + 1), np.ones((n + 1, n)))
    steps.rises[[0, 5], :] = [5, 0.1, 0.1, 0.1, 0.1], [0.1, 0.1, 0.1, 0.1, 5]
    thresholds = thresholds_of(n, curve)
    found = best_for_weights(thresholds, steps, weights)
    assert found.pooled > 0
    result = best_for_prior(curve, steps, weights)
    assert 0 <= result.loss - result.lower_bound <= 1e-9
    alone = sum(
        thresholds.lower_bound(column, thresholds.least([column]))
        for column in (bayes_column(steps, weights, j) for j in range(n))
    )
    assert alone < result.lower_bound - 1e-3


def bayes_column(steps, weights, j):
    return import_module("hushcount.optimal_set.by_chain.bayes")._column(steps, weights, j)


@pytest.mark.parametrize("mu", ["0.05", "0.5", "2"])
@pytest.mark.parametrize("kind", ["absolute", "squared", "one-sided"])
@pytest.mark.parametrize("prior", ["worst", "uniform", "weights"])
def test_gaussian_designs_are_proved_close_to_the_best(mu, kind, prior):
    n = 6
    weights = np.random.default_rng(1).dirichlet(np.full(n + 1, 0.5))
    found = design(n, mu=mu, loss=losses_for(kind, n), prior=weights if prior == "weights" else prior)
    assert 0 <= found.gap <= 1e-8 * found.loss
    # Pairs that mu implies are a weaker promise, whose optimum is no larger; many of them come close.
    curve = GaussianDP.of(mu)
    pairs = [(epsilon, float(curve.least_delta(exact(epsilon)))) for epsilon in np.linspace(0, 4 * float(mu), 12)]
    truth = least_by_program(
        pairs, losses_for(kind, n), {"weights": weights, "worst": None}.get(prior, np.full(7, 1 / 7))
    )
    assert truth <= found.loss * (1 + 1e-7)
    assert truth >= found.lower_bound * 0.97


def exact(number):
    return import_module("fractions").Fraction(number)


@pytest.mark.parametrize("n", [2, 5, 12, 31])
@pytest.mark.parametrize("mu", ["0.1", "0.8", "3"])
def test_worst_case_of_being_wrong_is_the_nearest_optimum_s(n, mu):
    found = design(n, mu=mu, loss="zero-one")
    low, high = nearest(n, mu=mu).error_bounds()
    assert found.lower_bound <= high
    assert low <= found.loss
    assert found.loss == pytest.approx(high, rel=1e-8)


@pytest.mark.parametrize(
    "promise",
    [
        EpsilonDelta.of("0.5"),
        EpsilonDelta.of("0.5", "1e-6"),
        GaussianDP.of("0.5"),
    ],
)
@pytest.mark.parametrize("prior", ["uniform", pytest.param("worst", marks=pytest.mark.slow)])
def test_a_thousand_counts(promise, prior):
    found = design(1000, promise, prior=prior)
    assert 0 <= found.gap <= 1e-8 * found.loss
    peer = nearest(1000, promise)
    losses = [peer.expected_absolute_error(i) for i in (0, 250, 500)]
    assert found.lower_bound <= max(losses) if prior == "worst" else found.loss > 0


@pytest.mark.parametrize("n", [0, 1, 2])
@pytest.mark.parametrize("promise", [EpsilonDelta.of(1), EpsilonDelta.of(0), EpsilonDelta.of(1000), GaussianDP.of(1)])
@pytest.mark.parametrize("prior", ["uniform", "worst"])
def test_few_counts(n, promise, prior):
    found = design(n, promise, loss="squared", prior=prior)
    rows = (losses_for("squared", n) * found.mechanism.matrix()).sum(axis=1)
    assert found.loss == pytest.approx(rows.max() if prior == "worst" else rows.mean(), rel=1e-10, abs=1e-12)
    assert 0 <= found.gap <= 1e-9
    assert set(found.mechanism.draw([0] * 50).tolist()) <= set(range(n + 1))


def test_what_is_found_is_saved_and_audited(tmp_path):
    found = design(9, SeveralPairs.of([("0.1", "0.1"), ("0.6", "0.01")]), loss="squared")
    for pair in found.privacy.all_pairs():
        told = audit(found.mechanism, epsilon=pair.epsilon, delta=pair.delta)
        assert told.verdict is AuditVerdict.PRIVATE  # as asked, and no more
        less = audit(found.mechanism, epsilon=pair.epsilon, delta=pair.delta * 9 / 10)
        assert less.verdict is AuditVerdict.NOT_PRIVATE
    told = found.to_dict()
    assert list(told["pairs"]) == [{"epsilon": "0.1", "delta": "0.1"}, {"epsilon": "0.6", "delta": "0.01"}]
    assert found.save(tmp_path / "mechanism.csv").claim == found.privacy


def test_losses_are_rounded_up():
    rng = np.random.default_rng(3)
    for curve in (EpsilonDelta.of("0.3", "0.01"), GaussianDP.of("0.4")):
        thresholds = thresholds_of(9, curve)
        chain = thresholds.chain_at([thresholds.centre()] * 9)
        steps = StepsByDistance(9, rng.random(10))
        losses = np.append(0.0, np.cumsum(steps.rises))[abs(np.subtract.outer(range(10), range(10)))]
        truth = (losses * chain.matrix()).sum(axis=1)
        found = highest_losses(thresholds, chain, steps)
        assert (found >= truth * (1 - 1e-13)).all()
        assert (found <= truth * (1 + 1e-9)).all()


def test_asymmetric_and_mirrored_searches_agree():
    steps = StepsByDistance(20, np.ones(21))
    for curve in (EpsilonDelta.of("0.3", "0.01"), GaussianDP.of("0.3")):
        both = [best_for_worst(curve, steps, is_mirrored=mirrored) for mirrored in (True, False)]
        assert both[0].loss == pytest.approx(both[1].loss, rel=1e-8)
        assert both[0].lower_bound <= both[1].loss
        assert both[1].lower_bound <= both[0].loss


AWKWARD = [
    # all thresholds at 0, where g has a slope too
    ("0.05", [[0, 1, 2, 2], [0, 0, 1, 2], [3, 2, 0, 0], [4, 3, 2, 0]], [0.29, 0.32, 0, 0.39]),
    ("1", [[0, 1, 1, 1], [1, 0, 0, 0], [3, 1, 0, 1], [4, 4, 2, 0]], [0.16, 0.28, 0.01, 0.55]),
    ("0.05", [[0, 0.253, 0.2532], [1.79, 0, 1e-5], [37.6, 37.59, 0]], None),
    # many chains are as good as one another
    ("0.05", [[0, 0, 1, 1], [2, 0, 0, 0], [3, 2, 0, 1], [1, 1, 0, 0]], None),
    # one threshold, in the middle, which is no place of its own at epsilon 0
    ("0", [[0, 2], [2, 0]], None),
]


@pytest.mark.parametrize(("epsilon", "losses", "weights"), AWKWARD)
@pytest.mark.parametrize("is_reversed", [False, True])
def test_thresholds_at_an_end_and_ties(epsilon, losses, weights, is_reversed):
    table = np.array(losses, dtype=float)
    prior = None if weights is None else np.array(weights)
    if is_reversed:
        table, prior = table[::-1, ::-1], None if prior is None else prior[::-1]
    pairs = [(epsilon, "0")]
    found = design(len(table) - 1, SeveralPairs.of(pairs), loss=table, prior="worst" if prior is None else prior)
    assert found.basis is Basis.CHAIN
    assert found.loss == pytest.approx(least_by_program(pairs, table, prior), abs=1e-7)
    assert found.gap <= 2e-8 * found.loss


@pytest.mark.parametrize("power", [-1060, -1022, 0, 900])
@pytest.mark.parametrize("promise", [EpsilonDelta.of(1), SeveralPairs.of([(1, 0), ("0.5", "0.1")]), GaussianDP.of(1)])
@pytest.mark.parametrize("prior", ["uniform", "worst"])
def test_losses_of_any_size(power, promise, prior):
    losses = np.array([[0, 1, 3], [2, 0, 2], [3, 1, 0.0]])
    found, plain = (design(2, promise, loss=table, prior=prior) for table in (np.ldexp(losses, power), losses))
    assert found.lower_bound <= found.loss
    assert found.loss == pytest.approx(math.ldexp(plain.loss, power), rel=1e-7, abs=2.0**-1073)
    assert found.mechanism.matrix() == pytest.approx(plain.mechanism.matrix(), abs=1e-9)


@pytest.mark.parametrize(("rows", "columns", "conditions"), [(3, 8, 0), (20, 60, 3), (60, 40, 5)])
def test_interior_point_is_scipy_s(rows, columns, conditions):
    from scipy.optimize import linprog

    rng = np.random.default_rng(rows)
    A, b = rng.normal(size=(rows, columns)) / math.sqrt(columns), rng.normal(size=rows)
    C = rng.normal(size=(conditions, columns))
    d = C.sum(axis=1) / 2 + rng.random(conditions) / 10
    found = least_worst(A, b, C, d)
    ones = np.ones((rows, 1))
    lower = np.hstack([C, np.zeros((conditions, 1))])
    truth = linprog(
        np.append(np.zeros(columns), 1),
        np.vstack([np.hstack([A, -ones]), lower]),
        np.append(-b, d),
        bounds=[(0, 1)] * columns + [(None, None)],
    ).fun
    assert (A @ found.v + b).max() == pytest.approx(truth, abs=1e-9)
    assert (C @ found.v <= d + 1e-9).all()
    assert found.weights.sum() == pytest.approx(1)


@pytest.mark.parametrize("is_half", [True, False])
def test_nodes_keep_straight_lines_and_sums(is_half):
    nodes = Nodes.of(500, 40, is_half=is_half)
    assert len(nodes.places) <= 42
    assert {0, 1, 499} <= set(nodes.places.tolist())
    line = 3 - 0.5 * np.arange(500)
    assert nodes.spread(line[nodes.places]) == pytest.approx(line)
    assert nodes.gathered(line).sum() == pytest.approx(line.sum())
    assert Nodes.of(5, 40, is_half=is_half).is_whole


@pytest.mark.parametrize("bad", [{"mu": 0}, {"mu": 1, "epsilon": 1}, {"rho": -1}, {}])
def test_bad_promises_are_named(bad):
    with pytest.raises(ValueError, match=r"mu|rho|epsilon"):
        design(3, **bad)


@pytest.mark.parametrize(
    "asked", [{"properties": ["fairness"]}, {"loss": lambda true, released: float(true == released)}]
)
def test_what_only_pairs_have_is_refused_under_mu(asked):
    with pytest.raises(ValueError, match="only one \\(epsilon, delta\\) can be promised with properties"):
        design(3, mu=1, **asked)
