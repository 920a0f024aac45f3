"""The price of a table: the figures of its promises."""

from __future__ import annotations

from fractions import Fraction

import pytest
from pictures import curves_of

from hushcount import compose, epsilon_for, mu_for
from hushcount.errors import InvalidParameter
from hushcount.figures import plot_prices
from hushcount.figures.prices import CELLS
from hushcount.promise import EpsilonDelta, GaussianDP


@pytest.mark.parametrize(("n", "within", "chance"), [(1, 0, "0.9"), (100, 5, "0.9")])
def test_both_currencies(n, within, chance):
    epsilon, mu = epsilon_for(n, within, chance), mu_for(n, within, chance)
    curves = curves_of(plot_prices(n, within, chance, "1,2,1000"))
    assert curves == {
        f"epsilon {epsilon} a cell, summed (at delta 0)": (
            [1, 2, 1000],
            [float(EpsilonDelta.of(epsilon).of_cells(k).epsilon) for k in (1, 2, 1000)],
        ),
        f"epsilon {epsilon} a cell, composed": (
            [1, 2, 1000],
            [pytest.approx(compose([(epsilon, 0)] * k, Fraction(1, 10**6)).epsilon, rel=1e-12) for k in (1, 2, 1000)],
        ),
        f"mu {mu} a cell, whose square adds up": (
            [1, 2, 1000],
            [float(GaussianDP.of(mu).of_cells(k).least_epsilon(Fraction(1, 10**6))) for k in (1, 2, 1000)],
        ),
    }


def test_where_mu_becomes_the_better_choice():
    """As docs/tables.md has it."""
    (_, sums), (_, composed), (_, mus) = curves_of(plot_prices(1000, 5, "0.95", "1:30")).values()
    for epsilons in (sums, composed):
        assert [k for k in range(1, 31) if mus[k - 1] < epsilons[k - 1]] == list(range(15, 31))
    assert all(less <= more for less, more in zip(composed, sums, strict=True))


def test_what_only_dp_accounting_tells_is_left_out_without_it(monkeypatch):
    with_it = curves_of(plot_prices(100, 5, "0.9", "1,100"))
    monkeypatch.setattr("hushcount.figures.prices.find_spec", lambda name: None)
    without = curves_of(plot_prices(100, 5, "0.9", "1,100"))
    assert with_it.items() > without.items()
    assert [label.split(" a cell, ")[1] for label in without] == ["summed (at delta 0)", "whose square adds up"]
    monkeypatch.undo()
    assert len(curves_of(plot_prices(100, 5, "0.9", "1,20000"))) == 2


def test_default_cells_and_axes():
    ax = plot_prices(100, 5, "0.9")
    ((cells, _), *_) = curves_of(ax).values()
    assert cells == list(CELLS)
    assert (CELLS[0], CELLS[-1], len(CELLS) < 61) == (1, 1000, True)
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    ax = plot_prices(100, 5, "0.9", "1,2", scale="linear")
    assert (ax.get_xscale(), ax.get_yscale()) == ("linear", "linear")


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((-1, 5, "0.9"), {}, "n must be"),
        ((9, -1, "0.9"), {}, "within must be an integer >= 0"),
        ((9, 1, 0), {}, "chance must be a number > 0 and <= 1"),
        ((0, 0, "0.9"), {}, "chance must be one that is not reached without any data"),
        ((9, 1, "0.9", "2,1"), {}, "cells must be integers from 1 to"),
        ((9, 1, "0.9", 0), {}, "cells must be integers >= 1"),
        ((9, 1, "0.9"), {"at_delta": 0}, "at_delta must be a number > 0 and < 1"),
        ((9, 1, "0.9"), {"at_delta": 1}, "at_delta must be a number > 0 and < 1"),
        ((9, 1, "0.9"), {"scale": "x"}, "scale must be"),
    ],
)
def test_bad_input(arguments, options, message):
    with pytest.raises(InvalidParameter, match=message):
        plot_prices(*arguments, **options)
