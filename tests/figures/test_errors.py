"""Error curves: the figures of the mechanisms themselves."""

from __future__ import annotations

import re

import pytest
from pictures import curves_of

from hushcount import nearest
from hushcount.errors import InvalidParameter, TooLarge
from hushcount.figures import plot_errors
from hushcount.figures.errors import DRAWN, MEASURES
from hushcount.mechanisms import truncated_geometric
from hushcount.mechanisms.by_name import MECHANISMS, named
from hushcount.promise import GaussianDP

EPSILONS = [0.25, 1, 2]


@pytest.mark.parametrize("n", [1, 7, 30, 200])
def test_error_probabilities(n):
    curves = curves_of(plot_errors(n, EPSILONS))
    assert tuple(curves) == DRAWN
    for name, points in curves.items():
        assert points == (EPSILONS, [named(name, n, epsilon).error_probability for epsilon in EPSILONS])
    for name, (_, values) in curves.items():
        assert all(best <= value + 1e-15 for best, value in zip(curves["nearest"][1], values, strict=True)), name


@pytest.mark.parametrize(
    ("measure", "method"),
    [
        ("error_probability", lambda mechanism: mechanism.probability_beyond(0)),
        ("absolute_error", lambda mechanism: mechanism.expected_absolute_error()),
        ("squared_error", lambda mechanism: mechanism.expected_squared_error()),
        ("bias", lambda mechanism: mechanism.bias()),
    ],
)
def test_measures(measure, method):
    ax = plot_errors(5, "0.5,1", mechanisms=["nearest", "truncated-geometric"], measure=measure, scale="log")
    curves = curves_of(ax)
    assert curves["nearest"][1] == [method(nearest(5, epsilon)) for epsilon in (0.5, 1)]
    assert curves["truncated-geometric"][1] == [method(truncated_geometric(5, epsilon)) for epsilon in (0.5, 1)]
    assert MEASURES[measure][1] in ax.get_ylabel()
    assert ax.get_yscale() == "log"


def test_delta_counts_for_those_that_use_it():
    for name in ("nearest", "clamped-canonical-noise"):
        points = curves_of(plot_errors(5, [1, 2], delta="0.1", mechanisms=[name]))[name]
        assert points[1] == [named(name, 5, epsilon, "0.1").error_probability for epsilon in (1, 2)]
    with pytest.raises(InvalidParameter, match="delta must be"):
        plot_errors(5, [1, 2], mechanisms=["clamped-gaussian"])


def test_all_of_them_fit_into_one_picture():
    assert len(curves_of(plot_errors(3, "1,2", delta="0.01", mechanisms=MECHANISMS))) == 11


@pytest.mark.parametrize(("n", "shown"), [(7, "redrawn-geometric (not private)"), (1, "redrawn-geometric")])
def test_what_is_not_private_is_said(n, shown):
    assert list(curves_of(plot_errors(n, "1,2", mechanisms=["nearest", "redrawn-geometric"]))) == ["nearest", shown]


def test_a_second_time_on_the_same_axes():
    """Other looks, and whole names where the short ones would be the same."""
    ax = plot_errors(5, "1,2", mechanisms=["nearest"])
    plot_errors(5, "1,2", ax, delta="0.1", mechanisms=["nearest", "canonical"])
    plain = {label.replace("\xa0", " "): points for label, points in curves_of(ax).items()}
    assert list(plain) == ["nearest, n = 5, delta = 0", "nearest, n = 5, delta = 0.1", "canonical"]
    for name, delta in (("nearest, n = 5, delta = 0", 0), ("nearest, n = 5, delta = 0.1", "0.1")):
        assert plain[name][1] == [nearest(5, epsilon, delta).error_probability for epsilon in (1, 2)]


def test_a_grid_is_taken_exactly():
    (x, _) = curves_of(plot_errors(3, "0.1:0.3:0.1", mechanisms=["uniform"]))["uniform"]
    assert x == [0.1, 0.2, 0.3]


def test_nothing_to_be_wrong_about():
    """n = 0 and epsilon 0; on a logarithmic scale nothing is left to draw, and no warning."""
    for scale in ("linear", "log"):
        assert curves_of(plot_errors(0, "0,1", scale=scale))["nearest"][1] == [0, 0]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n": -1}, "n must be an integer >= 0"),
        ({"epsilons": []}, "epsilons must be at least one number"),
        ({"epsilons": [1, 1, 0.5]}, "epsilons must be numbers >= 0 in rising order"),
        ({"epsilons": [-1, 1]}, "epsilons must be numbers >= 0 in rising order"),
        ({"epsilons": [float("nan")]}, "epsilons must be a finite number"),
        ({"epsilons": "1:2"}, "epsilons must be numbers and ranges"),
        ({"delta": 1}, "delta must be a number >= 0 and < 1"),
        ({"mechanisms": ["foo"]}, "mechanism must be one of nearest, canonical"),
        ({"mechanisms": "nearest"}, "mechanisms must be a list of names"),
        ({"mechanisms": []}, "mechanisms must be different names"),
        ({"mechanisms": ["nearest", "nearest"]}, "mechanisms must be different names"),
        ({"measure": "variance"}, "measure must be one of error_probability, absolute_error"),
        ({"scale": "ln"}, "scale must be one of linear, log"),
    ],
    ids=lambda value: re.sub(r"\W+", " ", str(value))[:40],
)
def test_bad_arguments(given, message):
    with pytest.raises(InvalidParameter, match=message):
        plot_errors(**{"n": 3, "epsilons": [1, 2], **given})


def test_too_many_points():
    with pytest.raises(TooLarge, match=r"at most 1,000 points \(got 1,001\)"):
        plot_errors(3, "0:1000:1")


# --- against mu -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [0, 1, 7])
def test_against_mu(n):
    ax = plot_errors(n, mus="0.5,1,2")
    curves = curves_of(ax)
    assert list(curves) == ["nearest", "rounded-gaussian", "zcdp-gaussian (rho-zCDP alone)"]
    for label, points in curves.items():
        name, promises = label.partition(" ")[0], [GaussianDP.of(mu) for mu in (0.5, 1, 2)]
        assert points == ([0.5, 1, 2], [named(name, n, promise).error_probability for promise in promises])
    assert (ax.get_xlabel(), "epsilon" in ax.get_title(loc="left") + ax.get_title()) == ("mu", False)


def test_right_within_by_name():
    curves = curves_of(plot_errors(9, mus="0.5,1", mechanisms=["nearest", "within:1"]))
    assert curves["within:1"][1] == [named("within:1", 9, GaussianDP.of(mu)).error_probability for mu in (0.5, 1)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "epsilons must be"),
        ({"mus": "0,1"}, "mus must be numbers > 0 in rising order"),
        ({"mus": "2,1"}, "mus must be numbers > 0 in rising order"),
        ({"mus": 1, "epsilons": 1}, "mus must be left out beside epsilons"),
        ({"mus": 1, "delta": "0.1"}, "mus must be left out beside epsilons or a delta"),
        ({"mus": 1, "mechanisms": ["canonical"]}, "mechanism must be one of nearest, rounded-gaussian"),
    ],
)
def test_bad_mus(options, message):
    with pytest.raises(InvalidParameter, match=message):
        plot_errors(3, **options)
