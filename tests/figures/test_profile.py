"""Privacy profiles: what an audit finds, and what is promised."""

from __future__ import annotations

import numpy as np
import pytest
from pictures import curves_of, legend_of, several

from hushcount import BadUse, audit, canonical, nearest
from hushcount.errors import InvalidParameter
from hushcount.figures import plot_privacy_profile


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 7, 30])
@pytest.mark.parametrize("scale", ["linear", "log"])
def test_curves_are_what_an_audit_finds(n, scale):
    mechanisms, epsilons = several(n), [0, 0.75, 1, 1.5]
    ax = plot_privacy_profile(mechanisms, epsilons, scale=scale)
    curves = {label.split(" (")[0]: points for label, points in curves_of(ax).items()}
    for name, mechanism in mechanisms.items():
        found = audit(mechanism, delta=0).profile(epsilons)
        assert curves[name] == (epsilons, [point.least_delta.interval.upper for point in found])


def test_promises_are_crosses():
    mechanisms = several(7)
    ax = plot_privacy_profile(mechanisms, [0, 1, 2])
    crosses = [line for line in ax.lines if line.get_marker() == "x"]
    assert [(line.get_xdata()[0], line.get_ydata()[0]) for line in crosses] == [(1, 0.01), (1, 0)]
    colours = [handle.get_color() for handle in legend_of(ax).values()]
    assert [line.get_markeredgecolor() for line in crosses] == colours[:2]  # redrawn promises nothing
    assert "what is promised" in legend_of(ax)
    assert "what is promised" not in legend_of(plot_privacy_profile({"mine": np.eye(2)}, [0, 1]))


def test_the_legend_says_from_where_delta_is_0():
    """On a logarithmic scale nothing else does."""
    labels = list(legend_of(plot_privacy_profile(several(7), [0, 2], scale="log")))
    assert labels[1] == "canonical (delta 0 from epsilon 1 on)"
    least = audit(several(7)["redrawn"], delta=0).least_epsilon.interval.upper
    assert labels[2].startswith("redrawn (delta 0 from epsilon 1.2")
    assert least <= float(labels[2].split()[-2]) <= least + 0.01  # rounded up
    assert list(legend_of(plot_privacy_profile({"none": np.eye(3)}, [0, 1]))) == ["none"]  # no epsilon is enough


def test_a_single_mechanism_is_called_by_its_name():
    labels = [label.replace("\xa0", " ") for label in legend_of(plot_privacy_profile(canonical(3, 1), [0, 1]))]
    assert labels[0] == "canonical: n = 3, epsilon = 1, delta = 0 (delta 0 from epsilon 1 on)"


@pytest.mark.parametrize(
    ("mechanisms", "error", "message"),
    [
        ({}, InvalidParameter, "mechanisms must be a mechanism, or a dictionary"),
        ([nearest(3, 1)], InvalidParameter, "mechanisms must be"),
        ({1: nearest(3, 1)}, InvalidParameter, "mechanisms must be"),
        ({"mine": [[1, 0]]}, BadUse, "mine: "),
        ({"mine": [[1, 0.5], [0, 1]]}, BadUse, "mine: row 0"),
        ({str(k): nearest(3, 1) for k in range(12)}, InvalidParameter, "number of curves"),
    ],
    ids=["none", "list", "number", "not-square", "no-sum", "twelve"],
)
def test_bad_mechanisms(mechanisms, error, message):
    with pytest.raises(error, match=message):
        plot_privacy_profile(mechanisms, [0, 1])


def test_bad_arguments():
    for epsilons in ([], [1, 0], [-1]):
        with pytest.raises(InvalidParameter, match="epsilons must be"):
            plot_privacy_profile(nearest(3, 1), epsilons)
    with pytest.raises(InvalidParameter, match="scale"):
        plot_privacy_profile(nearest(3, 1), [0, 1], scale="x")
