"""What a mechanism is worth behind a medium."""

from fractions import Fraction

import numpy as np
import pytest

from hushcount import canonical
from hushcount.errors import InvalidParameter
from hushcount.medium import from_matrix, psk
from hushcount.medium.at_promise import AtPromise, best_constant

T = from_matrix([[0.5, 0.5, 0], [0.25, 0.5, 0.25], [0, 0.25, 0.75]])


def test_errors_are_those_of_the_product_rounded_up():
    used = AtPromise.of(T, 1).received(canonical(2, 1).matrix())
    G = [[Fraction(entry) for entry in row] for row in used.mechanism.entries.tolist()]
    product = [[sum(a * Fraction(t) for a, t in zip(row, column)) / sum(row) for column in T.matrix.T] for row in G]  # noqa: B905
    wrong = max(1 - row[i] for i, row in enumerate(product))
    distance = max(sum(abs(j - i) * p for j, p in enumerate(row)) for i, row in enumerate(product))
    assert wrong <= Fraction(used.error_probability) <= wrong + Fraction(1, 10**13)
    assert distance <= Fraction(used.absolute_error) <= distance + Fraction(1, 10**13)


def test_what_is_not_private_is_mixed_until_it_is():
    used = AtPromise.of(T, "0.1").received(np.eye(3))
    product = used.mechanism.entries @ T.matrix
    growth = np.exp(0.1) * (1 + 1e-12)
    assert (product[:-1] <= growth * product[1:]).all()
    assert (product[1:] <= growth * product[:-1]).all()


def test_best_constant():
    row = best_constant(T)
    assert row.sum() == pytest.approx(1)
    assert (row @ T.matrix).min() == pytest.approx(max((r @ T.matrix).min() for r in simplex()), abs=0.01)
    even = best_constant(psk(4, es_n0_db=0)) @ psk(4, es_n0_db=0).matrix
    assert np.allclose(even, 0.25)


def simplex():
    steps = np.linspace(0, 1, 101)
    return [np.array([a, b, 1 - a - b]) for a in steps for b in steps if a + b <= 1]


def test_a_constant_is_right_where_nothing_may_be_told():
    used = AtPromise.of(T, 0).received(np.eye(3))
    assert np.ptp(used.mechanism.entries, axis=0).max() == 0


@pytest.mark.parametrize("bad", [np.full((3, 3), np.nan), np.zeros((3, 3)), np.full((3, 3), np.inf)])
def test_no_mechanism(bad):
    with pytest.raises(InvalidParameter, match=r"^matrix must be"):
        AtPromise.of(T, 1).received(bad)
