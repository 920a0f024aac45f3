"""Trade-off curves: against all tests there are, the claim's own curve, and the privacy profile."""

from __future__ import annotations

import itertools
from math import exp
from statistics import NormalDist

import numpy as np
import pytest
from pictures import curves_of, legend_of

from hushcount import EpsilonDelta, audit, canonical, nearest
from hushcount.errors import InvalidParameter, TooLarge
from hushcount.figures import plot_tradeoff
from hushcount.figures.tradeoff_points import tradeoff_points
from hushcount.mechanisms import redrawn_geometric, uniform
from hushcount.promise import GaussianDP


def lowest_by_all_tests(matrix, x):
    """The convex hull over all deterministic tests: mixing two of them is a test too."""
    points = {(0.0, 1.0), (1.0, 0.0)}
    for P, Q in itertools.chain(itertools.pairwise(matrix), itertools.pairwise(matrix[::-1])):
        for rejected in itertools.product([False, True], repeat=len(P)):
            points.add((P[list(rejected)].sum(), 1 - Q[list(rejected)].sum()))
    pairs = itertools.combinations(sorted(points), 2)
    lines = [a[1] + (x - a[0]) / (b[0] - a[0]) * (b[1] - a[1]) for a, b in pairs if a[0] <= x <= b[0] and a[0] < b[0]]
    return min(lines)


@pytest.mark.parametrize("seed", range(4))
def test_against_all_tests(seed):
    matrix = np.random.default_rng(seed).dirichlet(np.full(4, 0.5), size=3)
    matrix[0, seed] = 0
    matrix /= matrix.sum(axis=1, keepdims=True)
    a, missed = tradeoff_points(matrix)
    assert (a[0], a[-1], missed[-1]) == (0, 1, 0)
    assert (np.diff(a) > 0).all()
    assert (np.diff(np.diff(missed) / np.diff(a)) > -1e-9).all()  # convex
    for x in np.linspace(0.01, 0.99, 9):
        assert np.interp(x, a, missed) == pytest.approx(lowest_by_all_tests(matrix, x), abs=1e-12)


@pytest.mark.parametrize("n", [1, 7, 30])
@pytest.mark.parametrize("delta", ["0", "0.05"])
def test_nothing_private_is_below_its_claim(n, delta):
    privacy = EpsilonDelta.of(1, delta)
    for make in (nearest, canonical):
        a, missed = tradeoff_points(make(n, 1, delta).matrix())
        assert all(y >= privacy.least(1 - x) - 1e-12 for x, y in zip(a, missed, strict=True))
        # And somewhere on it: at this epsilon no smaller delta would do.
        assert 1 - min(exp(1) * x + y for x, y in zip(a, missed, strict=True)) == pytest.approx(float(delta), abs=1e-12)
    a, missed = tradeoff_points(redrawn_geometric(7, 1).matrix())
    assert min(y - EpsilonDelta.of(1).least(1 - x) for x, y in zip(a, missed, strict=True)) < -0.01


@pytest.mark.parametrize("epsilon", [0, 0.3, 1, 2])
def test_the_privacy_profile_is_the_same_in_other_words(epsilon):
    """[DRS22] Proposition 2.13: delta(epsilon) = 1 + f*(-e^epsilon), the conjugate of the trade-off function."""
    matrix = redrawn_geometric(5, 1).matrix()
    a, missed = tradeoff_points(matrix)
    delta = 1 + max(-exp(epsilon) * x - y for x, y in zip(a, missed, strict=True))
    assert delta == pytest.approx(audit(matrix).profile([epsilon])[0].least_delta.interval.upper, abs=1e-12)


def test_special_matrices():
    for matrix, points in {
        "one outcome": ([[1.0]], ([0, 1], [1, 0])),
        "nothing given away": (uniform(3).matrix(), ([0, 1], [1, 0])),
        "everything": (np.eye(2), ([0, 1], [0, 0])),
    }.values():
        a, missed = tradeoff_points(np.asarray(matrix))
        assert (a.tolist(), missed.tolist()) == points


def test_the_picture():
    ax = plot_tradeoff({"nearest": nearest(3, 1, "0.1"), "canonical": canonical(3, 1, "0.1")})
    curves = curves_of(ax)
    labels = [label.replace("\xa0", " ") for label in legend_of(ax)]
    assert labels == ["nearest", "canonical", "least for epsilon = 1, delta = 0.1", "nothing given away"]
    a, missed = tradeoff_points(nearest(3, 1, "0.1").matrix())
    assert curves["nearest"] == (a.tolist(), missed.tolist())
    x, y = next(points for label, points in curves.items() if label.startswith("least"))
    privacy = EpsilonDelta.of(1, "0.1")
    assert y == [privacy.least(1 - each) for each in x]
    for each in np.linspace(0, 1, 31):  # it has corners where it should: straight lines between them are the curve
        assert np.interp(each, x, y) == pytest.approx(privacy.least(1 - each), abs=1e-12)
    assert curves["nothing given away"] == ([0, 1], [1, 0])


def test_the_claim():
    different = {"one": nearest(3, 1), "other": nearest(3, 2)}
    assert len(legend_of(plot_tradeoff(different))) == 3
    assert len(legend_of(plot_tradeoff(different, claim=(2, 0)))) == 4
    assert len(legend_of(plot_tradeoff({"mine": np.eye(3)}))) == 2
    for claim in ((0, 0), (1, "0.5"), (800, 0)):
        plot_tradeoff(different, claim=claim)
    with pytest.raises(InvalidParameter, match="delta must be"):
        plot_tradeoff(different, claim=(1, 1))


def test_bad_arguments():
    with pytest.raises(TooLarge, match=r"at most 512 outcomes \(got 513\)"):
        plot_tradeoff(nearest(512, 1))
    with pytest.raises(InvalidParameter, match="mechanisms must be"):
        plot_tradeoff([])


def test_the_curve_of_mu():
    """It is the least for nearest, which touches it."""
    ax = plot_tradeoff({"mine": nearest(7, mu="0.8")})
    assert "least for mu = 0.8" in [label.replace("\xa0", " ") for label in legend_of(ax)]
    claimed = next(line for line in ax.lines if line.get_color() == "#555555")
    x, y = claimed.get_data()
    normal = NormalDist()
    assert y == pytest.approx([1 - x[0], *(normal.cdf(normal.inv_cdf(1 - at) - 0.8) for at in x[1:-1]), 0])
    excess = np.interp(x, *tradeoff_points(nearest(7, mu="0.8").matrix())) - y
    assert excess.min() > -1e-9
    assert excess[1:-1].min() < 1e-4
    rho = plot_tradeoff({"mine": nearest(7, 1)}, claim=GaussianDP.of_rho("0.1"))
    assert "least for rho = 0.1" in [label.replace("\xa0", " ") for label in legend_of(rho)]
