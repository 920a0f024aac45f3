"""Worst-case designs under mu by Newton's method, and those whose losses fewer counts bound."""

from importlib import import_module
from itertools import pairwise

import numpy as np
import pytest

from hushcount import design, nearest
from hushcount.optimal_set import Basis
from hushcount.optimal_set.by_chain import best
from hushcount.optimal_set.by_chain.interior_point import LeastWorst
from hushcount.optimal_set.by_chain.loss_steps import StepsByDistance, StepsOfMatrix, mirrored
from hushcount.optimal_set.by_chain.newton import BlockTridiagonal, least_worst_quantiles
from hushcount.promise import EpsilonDelta, GaussianDP, SeveralPairs

module = import_module("hushcount.optimal_set.by_chain.newton")


def steps_by(kind, n):
    distance = np.arange(n + 1.0)
    return StepsByDistance(n, np.append(np.diff(distance if kind == "absolute" else distance**2), 0.0))


def as_matrix(steps):
    every = np.arange(steps.n)
    return StepsOfMatrix(np.zeros(steps.n + 1), steps.between(np.arange(steps.n + 1), every))


@pytest.mark.parametrize("sizes", [[3], [2, 5], [4, 1, 3, 6]])
def test_block_tridiagonal_system_is_the_dense_one(sizes):
    rng = np.random.default_rng(len(sizes))
    ends = np.cumsum([0, *sizes])
    lower = np.tril(rng.normal(size=(ends[-1], ends[-1])))
    for k in range(2, len(sizes)):
        lower[ends[k] : ends[k + 1], : ends[k - 1]] = 0
    whole = lower @ lower.T + np.eye(ends[-1])
    blocks = [slice(a, b) for a, b in pairwise(ends)]
    found = BlockTridiagonal.of([whole[b, b] for b in blocks], [whole[a, b] for a, b in pairwise(blocks)])
    right = rng.normal(size=(ends[-1], 2))
    assert found.solve(right) == pytest.approx(np.linalg.solve(whole, right))


@pytest.mark.parametrize("is_mirrored", [True, False])
@pytest.mark.parametrize("n", [2, 7, 40, 41])
def test_derivatives_are_those_of_the_losses(n, is_mirrored):
    losses = module._Losses(0.7, steps_by("squared", n), 0.01, is_mirrored=is_mirrored)
    z = np.random.default_rng(n).normal(size=losses.free)
    w = np.full(losses.rows, 1 / losses.rows)
    _, every, h = losses.at(z, w)
    assert (h > 0).all()
    for j, tiny in enumerate(np.eye(losses.free) * 1e-6):
        rise = (losses.at(z + tiny, w)[0] - losses.at(z - tiny, w)[0]) / 2e-6
        unit = np.zeros(losses.free)
        unit[j] = 1
        assert losses.times(every, unit) == pytest.approx(rise, abs=1e-7)
        assert losses.transposed(every, w)[j] == pytest.approx(w @ rise, abs=1e-8)


def test_one_block_and_several_find_the_same(monkeypatch):
    steps = steps_by("absolute", 301)
    whole = least_worst_quantiles(0.9, steps, 1.0, is_mirrored=True)
    monkeypatch.setattr(module, "_LEAST_BLOCK", 32)
    parts = least_worst_quantiles(0.9, steps, 1.0, is_mirrored=True)
    assert parts.z == pytest.approx(whole.z, abs=1e-6)
    assert parts.weights == pytest.approx(whole.weights, abs=1e-8)
    halves = least_worst_quantiles(0.9, steps, 1.0, is_mirrored=False)
    assert halves.z == pytest.approx(whole.z, abs=1e-6)
    assert whole.weights.sum() == pytest.approx(1)


@pytest.mark.parametrize("kind", ["absolute", "squared"])
@pytest.mark.parametrize("mu", ["0.05", "0.6", "3"])
@pytest.mark.parametrize("n", [1, 2, 3, 20, 33])
def test_it_is_what_windows_find(n, mu, kind, monkeypatch):
    promise, steps = GaussianDP.of(mu), steps_by(kind, n)
    found = best.best_for_worst(promise, steps, is_mirrored=True)
    of_matrix = best.best_for_worst(promise, as_matrix(steps), is_mirrored=False)
    monkeypatch.setattr(best, "least_worst_quantiles", lambda *_, **__: start(n))
    peer = best.best_for_worst(promise, steps, is_mirrored=True)
    for one in (found, of_matrix):
        assert one.loss - one.lower_bound <= 1e-8 * one.loss
    for one in (found, of_matrix, peer):
        assert one.lower_bound <= one.loss
        assert one.lower_bound <= found.loss
        assert found.lower_bound <= one.loss


def start(n):
    """What a search that finds nothing returns."""
    return module.LeastWorstQuantiles(np.zeros(n), np.full(n + 1, 1 / (n + 1)))


@pytest.mark.parametrize(("mu", "loss"), [("0.5", "absolute"), ("2", "absolute"), ("0.5", "squared")])
def test_several_thousand_counts_under_mu(mu, loss):
    """Where rows near the edges are far from the worst, as for squared errors, rounding ends the search earlier."""
    found = design(3000, mu=mu, loss=loss, prior="worst")
    assert 0 <= found.gap <= (1e-7 if loss == "squared" else 1e-8) * found.loss
    smaller = design(300, mu=mu, loss=loss, prior="worst")
    assert smaller.lower_bound <= found.loss  # clamped to 0..300 it would be as good there


@pytest.mark.parametrize(
    "promise",
    [EpsilonDelta.of("0.5"), EpsilonDelta.of(1, "0.01"), SeveralPairs.of([("0.5", "0.01"), ("1", "0")])],
    ids=str,
)
@pytest.mark.parametrize("loss", ["absolute", "squared"])
def test_many_counts_are_bounded_by_fewer(promise, loss, monkeypatch):
    monkeypatch.setattr(best._Search, "by_programs", cut_off(best._Search.by_programs))
    found = design(10_000, promise, loss=loss, prior="worst")
    assert 0 <= found.gap <= 1e-8 * found.loss
    assert len({found.mechanism.pmf(i, i) for i in (4000, 5000, 6000)}) == 1  # one threshold for all


def cut_off(solve):
    def only_few(search, **given):
        assert search.steps.n < 2000
        solve(search, **given)

    return only_few


def test_a_loss_by_distance_is_not_taken_for_another_s_bound():
    """The bound of fewer counts holds for losses by distance only; a matrix has no such thing."""
    distance = abs(np.subtract.outer(np.arange(151.0), np.arange(151.0)))
    found = design(150, "0.9", loss=distance, prior="worst")
    named = design(150, "0.9", loss="absolute", prior="worst")
    assert found.lower_bound <= named.loss
    assert named.lower_bound <= found.loss


@pytest.mark.parametrize("n", [0, 1, 9, 1000])
def test_worst_case_of_being_wrong_under_mu_is_a_theorem(n):
    found = design(n, mu="0.8", loss="zero-one", prior="worst")
    assert found.basis is Basis.LEAST_ERROR
    low, high = nearest(n, mu="0.8").error_bounds()
    assert (found.lower_bound, found.loss) == (low, high)


def test_weights_of_a_half_are_shared_with_its_mirror_image():
    assert mirrored(np.array([0.25, 0.75]), 2).tolist() == [0.125, 0.75, 0.125]
    assert mirrored(np.array([0.25, 0.75]), 3).tolist() == [0.125, 0.375, 0.375, 0.125]


def test_a_solver_that_finds_nothing_leaves_a_proved_design(monkeypatch):
    monkeypatch.setattr(best, "least_worst_quantiles", lambda *_, **__: start(6))
    monkeypatch.setattr(
        import_module("hushcount.optimal_set.by_chain.minimax"),
        "least_worst",
        lambda A, b, C, d: LeastWorst(np.full(A.shape[1], 0.5), np.full(len(A), 1 / len(A)), np.zeros(len(C))),
    )
    found = design(6, mu=1, loss="squared", prior="worst")
    truth = design(6, mu=1, loss="squared", prior="uniform")
    assert found.lower_bound <= found.loss
    assert found.loss >= truth.lower_bound
