"""Looks: told apart by everyone, on paper too; nothing over the data, nothing cut off; no state anywhere."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys

import matplotlib
import matplotlib.image
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from pictures import axes

from hushcount import BadUse, nearest
from hushcount.errors import InvalidParameter
from hushcount.figures import plot_errors, plot_mechanism, plot_privacy_profile, plot_rows, save_figure
from hushcount.figures.mechanism import COLOUR_MAP
from hushcount.figures.style import COLOURS, DASHES, MARKERS, MOST_CURVES, PALE, looks, luminance, spaced

# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
SEEN_BY = {
    "all": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = XYZ.sum(axis=1)


def linear(colour):
    return np.array([c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)])


def lab(colour, seen_by):
    xyz = XYZ @ np.clip(np.array(SEEN_BY[seen_by]) @ linear(colour), 0, 1) / WHITE
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def lightness(colour):
    return lab(colour, "all")[0]


def contrast(colour, other):
    high, low = sorted((luminance(colour), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_luminance():
    assert luminance("white") == pytest.approx(1)
    assert luminance("black") == 0
    assert luminance("#808080") == pytest.approx(0.2158605, abs=1e-6)
    for colour in COLOURS:
        assert luminance(colour) == pytest.approx(XYZ[1] @ linear(colour))


def test_curves_stand_out_from_paper():
    assert min(contrast(colour, "white") for colour in COLOURS) >= 3
    assert contrast("black", PALE) >= 7


def test_curves_are_told_apart_in_grey():
    values = [lightness(colour) for colour in COLOURS]
    assert min(abs(a - b) for a, b in itertools.combinations(values, 2)) >= 8.5
    assert min(abs(a - b) for a, b in itertools.pairwise(values)) >= 18


@pytest.mark.parametrize("seen_by", SEEN_BY)
def test_curves_are_told_apart_by_the_colour_blind(seen_by):
    distances = [
        np.linalg.norm(lab(one, seen_by) - lab(other, seen_by)) for one, other in itertools.combinations(COLOURS, 2)
    ]
    assert min(distances) >= 25


@pytest.mark.parametrize("seen_by", SEEN_BY)
def test_heat_maps_become_darker_only(seen_by):
    shades = matplotlib.colormaps[COLOUR_MAP](np.linspace(0, 1, 64))[:, :3]
    values = [lab(shade, seen_by)[0] for shade in shades]
    assert max(np.diff(values)) < 0
    assert values[0] - values[-1] >= 75


def test_curves_of_one_picture_differ_in_markers_and_neighbours_in_dashes():
    found = looks(MOST_CURVES)
    assert len({look.marker for look in found}) == MOST_CURVES == len(MARKERS)
    assert len({(look.colour, str(look.dashes)) for look in found}) == MOST_CURVES
    assert all(a.dashes != b.dashes for a, b in itertools.pairwise(found))
    assert len(DASHES) == len(COLOURS)


@pytest.mark.parametrize("points", [3, 7, 12, 19])
def test_two_curves_of_few_points_that_coincide_are_both_seen(points):
    first, second = (
        set(range(*spaced(points, number, 2)[:1], points, spaced(points, number, 2)[1])) for number in (0, 1)
    )
    assert (points < 6) == (first == second)
    assert spaced(points) == (0, 1)


@pytest.mark.parametrize("points", [33, 40, 60, 101, 1000])
def test_curves_that_coincide_have_their_markers_in_different_places(points):
    found = [spaced(points, number, MOST_CURVES) for number in range(MOST_CURVES)]
    assert len({start for start, _ in found}) == MOST_CURVES
    assert all(points / step >= 3 for _, step in found)


def test_too_many_curves():
    with pytest.raises(InvalidParameter, match=r"number of curves must be at most 11.*\(got 12\)"):
        looks(12)


SIZES = {"small": (4.0, 3.0), "large": (10.0, 7.0)}


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_cut_off_and_nothing_hides_the_data(picture, size):
    ax = axes(SIZES[size])
    figure = ax.figure
    assert picture(ax=ax, title="A title that is so long that it has to be broken in two on something small") is ax
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    whole, data = figure.bbox, ax.get_window_extent()
    assert data.width > 60
    assert data.height > 45
    for legend in figure.legends:
        box = legend.get_window_extent()
        assert not box.overlaps(data)
        assert whole.x0 <= box.x0 < box.x1 <= whole.x1
        assert whole.y0 <= box.y0
    ticks = [_shown_ticks(axis) for axis in (ax.xaxis, ax.yaxis)]
    around = [figure._suptitle, ax.xaxis.label, ax.yaxis.label, *ticks[0], *ticks[1]]
    for text in around:
        box = text.get_window_extent()
        if text.get_text():
            assert whole.x0 <= box.x0 < box.x1 <= whole.x1, text
            assert whole.y0 <= box.y0 < box.y1 <= whole.y1, text
    for labels in ticks:
        assert len(labels) >= 1
        boxes = [label.get_window_extent() for label in labels]
        assert not any(one.overlaps(other) for one, other in itertools.pairwise(boxes))


def _shown_ticks(axis):
    """Labels within the view; matplotlib keeps some that are outside."""
    low, high = sorted(axis.get_view_interval())
    return [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high and tick.label1.get_text()]


@pytest.mark.slow
def test_axes_in_a_figure_of_others_keep_legend_and_title_to_themselves(picture):
    figure = Figure(figsize=(9, 4))
    left, right = figure.subplots(1, 2)
    assert picture(ax=left, title="left") is left
    assert left.get_title(loc="left") == "left"
    assert figure.legends == []
    assert figure._suptitle is None  # type: ignore[attr-defined]
    assert not right.has_data()


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_shared_axes_keep_what_is_on_them_in_view(scale):
    """In whatever order; an axis of one's own has no room left over."""
    for sizes in ((30, 1), (1, 30)):
        axes_of = Figure().subplots(1, 2, sharey=True)
        for n, ax in zip(sizes, axes_of, strict=True):
            plot_errors(n, "0.5,3", ax, measure="squared_error", scale=scale)
        low, high = axes_of[0].get_ylim()
        values = [value for ax in axes_of for line in ax.lines for value in line.get_ydata()]
        assert low <= min(value for value in values if value > 0 or scale == "linear")
        assert max(values) <= high
        assert scale == "log" or (low, high) == (0, 1.05 * max(values))


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_data_that_were_there_stay_in_view(scale):
    ax = axes()
    ax.bar([0, 1], [-4 if scale == "linear" else 1e-7, 9])
    plot_privacy_profile(nearest(7, 1), "0,0.5,1.5", ax, scale=scale)
    low, high = ax.get_ylim()
    assert low <= (-4 if scale == "linear" else 1e-7)
    assert high >= 9
    plot_privacy_profile(nearest(7, 2), "0,0.5,1.5", ax, scale=scale)
    assert ax.get_ylim()[0] <= low
    assert ax.get_ylim()[1] >= high


def test_heat_maps_that_share_axes_keep_their_cells():
    axes_of = Figure().subplots(1, 2, sharex=True, sharey=True)
    for n, ax in zip((7, 2), axes_of, strict=True):
        plot_mechanism(nearest(n, 1), ax)
    assert (axes_of[0].get_xlim(), axes_of[1].get_ylim()) == ((-0.5, 7.5), (7.5, -0.5))


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["constrained", "tight"])
def test_a_legend_of_axes_among_others_stands_below_them_where_there_is_a_layout(picture, layout):
    figure = Figure(figsize=(13, 7), layout=layout)
    ax, other = figure.subplots(1, 2)
    picture(ax=ax, title="left")
    FigureCanvasAgg(figure).draw()
    if (made := ax.get_legend()) is not None:
        box = made.get_window_extent()
        assert not box.overlaps(ax.get_window_extent())
        assert figure.bbox.y0 <= box.y0
        assert not box.overlaps(ax.xaxis.label.get_window_extent())
        assert not box.overlaps(other.get_window_extent())


@pytest.mark.slow
def test_numbers_on_an_axis_are_all_of_one_size():
    """On a short logarithmic axis matplotlib writes numbers between the powers of 10 too."""
    ax = plot_errors(7, "0.5,0.6", scale="log")
    FigureCanvasAgg(ax.figure).draw()
    sizes = {tick.label1.get_fontsize() for tick in (*ax.yaxis.get_major_ticks(), *ax.yaxis.get_minor_ticks())}
    assert len(sizes) == 1


STYLES = {"black": {"figure.facecolor": "black", "text.color": "white", "axes.grid": True, "font.size": 30}}


@pytest.mark.parametrize("settings", STYLES)
def test_a_picture_without_axes_of_the_user_s_looks_the_same_in_any_style(settings, tmp_path):
    save_figure(plot_errors(3, "1,2"), tmp_path / "1.svg")
    with matplotlib.rc_context({**STYLES[settings], "font.sans-serif": ["DejaVu Serif"], "svg.hashsalt": "x"}):
        save_figure(plot_errors(3, "1,2"), tmp_path / "2.svg")
    assert (tmp_path / "1.svg").read_bytes() == (tmp_path / "2.svg").read_bytes()


def test_a_figure_of_the_user_s_keeps_its_background(tmp_path):
    with matplotlib.rc_context(STYLES["black"]):
        ax = plot_rows(nearest(3, 1), ax=Figure().subplots())
        save_figure(ax, tmp_path / "a.png")
    assert (matplotlib.image.imread(tmp_path / "a.png")[0, 0, :3] == 0).all()
    assert ax.xaxis.label.get_fontsize() > 20


@pytest.mark.slow
def test_axes_of_their_own_and_settings_left_alone(picture):
    before = dict(matplotlib.rcParams)
    ax = picture(title="")
    assert isinstance(ax.figure, Figure)
    assert ax.figure.axes[0] is ax
    assert ax.figure._suptitle.get_text() == ""  # type: ignore[attr-defined]
    assert dict(matplotlib.rcParams) == before


def test_pyplot_is_not_loaded(tmp_path):
    """So there is no global figure, and no display is asked for."""
    program = (
        "import sys, hushcount as h; h.figures.save_figure(h.figures.plot_mechanism(h.nearest(3, 1)), sys.argv[1]); "
        "print('matplotlib.pyplot' in sys.modules)"
    )
    environment = {name: value for name, value in os.environ.items() if name not in ("MPLBACKEND", "DISPLAY")}
    command = [sys.executable, "-W", "error", "-c", program, tmp_path / "x.png"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stdout) == (0, "False\n"), done.stderr
    assert (tmp_path / "x.png").stat().st_size > 1000


@pytest.mark.parametrize("ax", [1, "ax", Figure()])
def test_something_else_than_axes(ax):
    with pytest.raises(InvalidParameter, match="ax must be the Axes of a matplotlib figure"):
        plot_rows(nearest(3, 1), ax=ax)


@pytest.mark.parametrize("title", [5, b"x", "a\tb", "a\x1b[0m", "a\x00", "\u2028", "\ud800"])
def test_titles_that_are_none(title):
    with pytest.raises(InvalidParameter, match=r"title must be (a text|text without control characters)"):
        plot_rows(nearest(3, 1), title=title)


def test_default_titles_say_what_is_shown():
    assert plot_rows(nearest(3, "0.5", "1e-9")).figure._suptitle.get_text().replace("\xa0", " ") == (
        "nearest: n = 3, epsilon = 0.5, delta = 1e-9"
    )


def test_without_matplotlib(monkeypatch, picture):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(BadUse, match=r"figures need the package matplotlib: pip install 'hushcount\[figures\]'"):
        picture()
