"""Arguments that no picture can be made of: an error that names them, never one of matplotlib's own."""

from __future__ import annotations

from dataclasses import replace

import pytest
from matplotlib.figure import Figure

from hushcount import BadUse, nearest
from hushcount.errors import InvalidParameter
from hushcount.figures import (
    MediumCurve,
    medium_curve,
    plot_errors,
    plot_mechanism,
    plot_medium,
    plot_prices,
    plot_privacy_profile,
    plot_rows,
    plot_shared_entries,
    plot_sweep,
    plot_tradeoff,
    save_figure,
)
from hushcount.figures.fonts import LONGEST
from hushcount.medium import psk
from hushcount.optimal_set import OptimalSet
from hushcount.sweeps import mechanism_grid, medium_grid

WITHOUT = [point.row() for point in mechanism_grid("nearest", 2, "1,2", 0)]
BEHIND = [point.row() for point in medium_grid("psk", 2, "1,2", 0, es_n0_db="inf")]


def removed():
    ax = Figure().subplots()
    ax.remove()
    return ax


BENT = {
    "polar": lambda: Figure().add_subplot(projection="polar"),
    "geographic": lambda: Figure().add_subplot(projection="hammer"),
    "3d": lambda: Figure().add_subplot(projection="3d"),
    "removed": removed,
}


EVERY = {
    "mechanism": lambda ax: plot_mechanism(nearest(3, 1), ax),
    "rows": lambda ax: plot_rows(nearest(3, 1), None, ax),
    "errors": lambda ax: plot_errors(3, 1, ax, mechanisms=["nearest"]),
    "prices": lambda ax: plot_prices(9, 1, "0.9", "1,2", ax),
    "medium": lambda ax: plot_medium([medium_curve(psk(4, es_n0_db=5), 1)], ax),
    "profile": lambda ax: plot_privacy_profile(nearest(3, 1), 1, ax),
    "trade-off": lambda ax: plot_tradeoff(nearest(3, 1), ax),
    "shared": lambda ax: plot_shared_entries(OptimalSet(3, 1), ax),
    "sweep": lambda ax: plot_sweep(WITHOUT, ax),
    "sweep behind": lambda ax: plot_sweep(BEHIND, ax),
}


@pytest.mark.parametrize("axes", BENT)
def test_axes_that_bend_what_is_drawn(axes):
    with pytest.raises(InvalidParameter, match=r"^ax must be plain Axes, without a projection, that are in a figure"):
        plot_rows(nearest(3, 1), None, BENT[axes]())


@pytest.mark.parametrize("name", EVERY)
def test_every_picture_asks_for_plain_axes(name):
    with pytest.raises(InvalidParameter, match=r"^ax must be plain"):
        EVERY[name](BENT["3d"]())


def test_logarithmic_axes_do_for_a_matrix_and_a_trade_off(tmp_path):
    """Whose axes begin at 0 and below."""
    for number, draw in enumerate((plot_mechanism, plot_tradeoff)):
        ax = Figure(layout="constrained").subplots()
        ax.set(xscale="log", yscale="log")
        assert draw(nearest(3, 1), ax).get_xscale() == "linear"
        save_figure(ax, tmp_path / f"{number}.svg")


def test_a_figure_smaller_than_the_word_at_its_axis():
    ax = plot_rows(nearest(3, 1), None, Figure(figsize=(0.01, 0.01)).subplots())
    assert ax.get_ylabel() == "probability"


@pytest.mark.parametrize("size", [(1e9, 1e9), (400, 400), (0.001, 5), (5, 0.001)])
def test_figures_of_no_size(tmp_path, size):
    with pytest.raises(InvalidParameter, match=r"^figure must be of 1 dot to 100,000,000 dots, 200 per inch"):
        save_figure(Figure(figsize=size), tmp_path / "a.png")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("epsilons", ["1e400", [10**10], "0,1000000001", 1e308])
def test_epsilons_beyond_floats_and_pictures(epsilons):
    for draw in (
        lambda: plot_errors(3, epsilons),
        lambda: plot_privacy_profile(nearest(3, 1), epsilons),
        lambda: medium_curve(psk(4, es_n0_db=5), epsilons),
    ):
        with pytest.raises(InvalidParameter, match=r"^epsilons must be numbers of at most 1,000,000,000"):
            draw()
    assert len(medium_curve(psk(4, es_n0_db=5), "0,1000000000").epsilon) == 2


@pytest.mark.parametrize("epsilon", [[1e308], [float("nan")], [0, float("inf")], [10**400], [2, 1], []])
def test_curves_over_no_epsilons(epsilon):
    same = [0.5] * len(epsilon)
    with pytest.raises(InvalidParameter, match=r"^epsilon must be (numbers up to|a list of numbers)"):
        MediumCurve("a", epsilon, same, same, same)


@pytest.mark.parametrize("title", ["x" * (LONGEST + 1), "a " * 5000])
def test_titles_that_are_no_titles(title):
    """Long ones were fitted into lines for minutes."""
    with pytest.raises(InvalidParameter, match=r"^title must be text of at most 1,000 characters \(got "):
        plot_rows(nearest(3, 1), title=title)


@pytest.mark.slow
@pytest.mark.parametrize("title", ["x" * LONGEST, "a " * (LONGEST // 2), "\u0301" * 50])
def test_the_longest_titles(title):
    ax = plot_rows(nearest(3, 1), title=title)
    assert ax.figure.get_suptitle().replace("\n", "").replace(" ", "") == title.replace(" ", "")


@pytest.mark.parametrize(
    ("draw", "argument"),
    [
        (lambda: plot_sweep(WITHOUT, x=["n"]), "x"),
        (lambda: plot_sweep(WITHOUT, y=["upper"]), "y"),
        (lambda: plot_sweep(WITHOUT, scale=["log"]), "scale"),
        (lambda: plot_errors(3, 1, measure=["bias"]), "measure"),
        (lambda: plot_errors(3, 1, mechanisms=[["nearest"]]), "mechanisms"),
        (lambda: plot_tradeoff(nearest(3, 1), claim=1), "claim"),
        (lambda: plot_tradeoff(nearest(3, 1), claim=(1,)), "claim"),
        (lambda: plot_tradeoff(nearest(3, 1), claim=(1, 0, 0)), "claim"),
        (lambda: plot_tradeoff(nearest(3, 1), claim="10"), "claim"),
        (lambda: plot_medium(iter(())), "curves"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_arguments_of_another_kind(draw, argument):
    with pytest.raises(InvalidParameter, match=f"^{argument} must be "):
        draw()


@pytest.mark.parametrize("rows", [WITHOUT, BEHIND], ids=["without", "behind"])
def test_a_point_twice(rows):
    with pytest.raises(InvalidParameter, match=r"^rows must be rows of one sweep, each point once"):
        plot_sweep([*rows, replace(rows[0], upper=1.0)])


def test_numbers_beyond_floats_are_gaps():
    ax = plot_sweep([replace(WITHOUT[0], epsilon="1e400"), *WITHOUT])
    assert ax.get_xlim()[1] < 3


def test_what_matplotlib_fails_at(tmp_path, monkeypatch):
    """Such as LaTeX that the user's settings ask for."""

    def fails(*_, **__):
        raise RuntimeError("Failed to process string with tex because latex could not be found\nand more")

    ax = plot_rows(nearest(3, 1))
    monkeypatch.setattr(ax.figure, "savefig", fails)
    with pytest.raises(BadUse, match=r"^matplotlib cannot draw the figure: .*latex could not be found$"):
        save_figure(ax, tmp_path / "a.svg")
    assert list(tmp_path.iterdir()) == []


def test_settings_that_matplotlib_refuses(monkeypatch):
    import builtins

    from hushcount.figures.style import needs_matplotlib

    known = builtins.__import__

    def refuses(name, *rest):
        if name == "matplotlib.figure":
            raise ValueError("Key backend: 'nope' is not a valid value for backend")
        return known(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuses)
    with pytest.raises(BadUse, match=r"^matplotlib does not start with its settings.*MPLBACKEND.*'nope'"):
        needs_matplotlib()
