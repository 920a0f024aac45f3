"""The two figures of the paper: what is in them."""

import numpy as np
import pytest
from pictures import curves_of, legend_of

from hushcount import canonical
from hushcount.medium import psk
from hushcount.medium.certified.bounds import bounds
from hushcount.paper import paper_statements
from hushcount.paper.drawing import FIGURES, figure_1, figure_2
from hushcount.paper.grid import REDUCED
from hushcount.paper.media import behind


@pytest.fixture(scope="module")
def second():
    (ax,) = figure_2(REDUCED).axes
    return ax


def test_figure_1_has_one_legend_for_both_parts():
    figure = figure_1()
    titles = [f"M = {M}, epsilon = 0.5, delta = 0; counts from 0" for M in (4, 5)]
    assert [ax.get_title(loc="left") for ax in figure.axes] == titles
    assert all(ax.get_legend() is None for ax in figure.axes)
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["the same in all optimal mechanisms", "differs"]


@pytest.mark.slow
def test_figure_2_has_p_e_star_and_a_curve_for_each_snr(second):
    snrs = [f"Es/N0 = {decibels:g} dB" for decibels in REDUCED.decibels]
    assert list(legend_of(second)) == [
        "least without a medium (p_e*)",
        "least behind the medium (p_e*(T))",
        *snrs,
        "best simple scheme (u0 to u3)",
        "best circulant scheme (u4)",
    ]
    alone, *others = (line for line in second.lines if line.get_marker() != "None")
    assert len(others) == len(snrs)
    assert alone.get_marker() == "^"
    assert alone.get_zorder() < min(line.get_zorder() for line in others)
    assert alone.get_linewidth() > 2 * max(line.get_linewidth() for line in others), "what coincides hides it"


def test_figure_2_shows_what_is_computed(second):
    curves = curves_of(second)
    epsilons = np.linspace(0.05, 6, REDUCED.curve_epsilons).round(10).tolist()
    assert curves["least without a medium (p_e*)"] == (
        epsilons,
        pytest.approx([canonical(7, e).error_probability for e in epsilons]),
    )
    T = psk(8, es_n0_db=10)
    proved = pytest.approx([behind(T, epsilon, 0).upper for epsilon in epsilons], rel=0, abs=1e-9)
    assert curves["Es/N0 = 10 dB"] == (epsilons, proved)
    dashed = [line.get_ydata() for line in second.lines if line.get_linestyle() == "--"]
    value = {bound.name: bound.value for bound in bounds(T, epsilons[6])}
    least = min(value[name] for name in ("u0", "u1", "u2", "u3") if value[name] is not None)
    assert any(ys[6] == least for ys in dashed)


def test_each_figure_belongs_to_statements():
    for start, _ in FIGURES.values():
        assert any(statement.name.startswith(start) for statement in paper_statements())
