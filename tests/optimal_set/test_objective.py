"""Losses and priors: what they are exactly, and what is computed of them."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from hushcount import nearest
from hushcount.optimal_set.objective import Objective


@st.composite
def objectives(draw):
    n = draw(st.integers(0, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    losses = rng.normal(size=(n + 1, n + 1)) * 10.0 ** draw(st.sampled_from([-280, -20, 0, 5, 250]))
    prior = draw(st.sampled_from(["worst", "uniform", "weights"]))
    return Objective.of(n, losses, rng.dirichlet(np.ones(n + 1)) if prior == "weights" else prior), rng


def exact_value(objective, rows):
    values = [
        sum(p * x for p, x in zip(row, losses, strict=True))
        for row, losses in zip(rows, objective.losses.exact, strict=True)
    ]
    if objective.weights is None:
        return max(values)
    return sum(w * value for w, value in zip(objective.weights, values, strict=True))


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(objectives(), st.sampled_from([1.0, 0.05]))
def test_value_of_a_matrix_is_rounded_up_and_close(case, spread):
    objective, rng = case
    matrix = rng.dirichlet(np.full(objective.size, spread), objective.size)
    matrix = matrix / matrix.sum(axis=1, keepdims=True)
    rows = [[Fraction(p) / sum(map(Fraction, row)) for p in row] for row in matrix.tolist()]
    exact, value = exact_value(objective, rows), objective.value_of_matrix(matrix)
    size = max(abs(x) for row in objective.losses.exact for x in row)
    assert Fraction(value) >= exact
    assert Fraction(value) - exact <= Fraction(2.0**-40) * size + Fraction(1, 10**300)


@settings(max_examples=100, deadline=None)
@given(objectives())
def test_nothing_undercuts_what_is_conceivable(case):
    objective, _ = case
    least = [[Fraction(int(x == min(row))) for x in row] for row in objective.losses.exact]
    least = [[share / sum(row) for share in row] for row in least]
    assert Fraction(objective.least_conceivable) <= exact_value(objective, least)


@pytest.mark.parametrize("prior", ["worst", "uniform"])
def test_value_of_a_closed_form_is_that_of_its_matrix(prior):
    objective = Objective.of(6, "squared", prior)
    mechanism = nearest(6, "0.3", "0.01")
    assert objective.value_of_mechanism(mechanism) == pytest.approx(
        objective.value_of_matrix(mechanism.matrix()), rel=1e-12
    )


def test_names_are_functions_of_the_distance():
    for name, value in (("absolute", 3), ("squared", 9), ("zero-one", 1)):
        losses = Objective.of(4, name, "worst").losses.exact
        assert losses[1][4] == losses[4][1] == value
        assert losses[2][2] == 0


def test_what_is_told_of_the_shape():
    assert Objective.of(3, "absolute", "uniform").is_mirrored
    assert Objective.of(3, "absolute", "uniform").losses.grows_with_distance
    assert not Objective.of(3, "absolute", [0.5, 0.5, 0, 0]).is_mirrored
    assert not Objective.of(3, lambda i, j: -abs(i - j), "worst").losses.grows_with_distance
    one_sided = Objective.of(3, lambda true, released: max(0, released - true), "worst")
    assert one_sided.losses.grows_with_distance
    assert not one_sided.is_mirrored
    assert Objective.of(3, "zero-one", "worst").is_worst_error_probability
    assert not Objective.of(3, "zero-one", "uniform").is_worst_error_probability
    assert Objective.of(2, lambda i, j: 0, "worst").is_nothing


def test_weights_are_exact_and_divided_by_their_sum():
    assert Objective.of(2, "absolute", ["1/3", "1/3", "1/3"]).weights == (Fraction(1, 3),) * 3
    weights = Objective.of(2, "absolute", [0.1, 0.2, 0.7]).weights
    assert sum(weights) == 1


@pytest.mark.parametrize("size", [10**400, -(10**301), "1e301"])
def test_losses_beyond_floats_are_refused(size):
    with pytest.raises(ValueError, match=r"loss\(0, 1\) must be a number of at most 1e300 in size"):
        Objective.of(2, lambda i, j: size if i != j else 0, "worst")
