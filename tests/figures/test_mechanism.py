"""Heat maps: the entries themselves, zeros that no colour means, both scales."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.collections import QuadMesh
from matplotlib.colors import to_rgba
from matplotlib.patches import PathPatch
from pictures import TRIANGLE, cells_inside, legend_of

from hushcount import BadUse, canonical, nearest
from hushcount.errors import InvalidParameter, TooLarge
from hushcount.figures import plot_mechanism, save_figure
from hushcount.figures.cells import chance_text
from hushcount.figures.style import luminance
from hushcount.medium import psk


def mesh_of(ax):
    (found,) = (each for each in ax.collections if isinstance(each, QuadMesh))
    return found


def cells_of(ax, M):
    """Which cells a hatched area covers."""
    (area,) = (patch for patch in ax.patches if isinstance(patch, PathPatch))
    return cells_inside(area, M), area


@pytest.mark.slow
@pytest.mark.parametrize("n", [0, 1, 7, 30, 200])
@pytest.mark.parametrize("scale", ["linear", "log"])
def test_the_colours_are_those_of_the_entries(n, scale):
    mechanism = canonical(n, "0.5", "0.01")
    ax = plot_mechanism(mechanism, scale=scale)
    mesh = mesh_of(ax)
    assert np.array_equal(mesh.get_array(), mechanism.matrix())
    assert (mesh.norm.vmax, mesh.norm.vmin < mesh.norm.vmax) == (mechanism.matrix().max(), True)
    assert (mesh.norm.vmin == 0) == (scale == "linear")
    assert not ax.patches
    assert not ax.figure.legends


def test_rows_are_true_counts_from_the_top():
    ax = plot_mechanism([[0.9, 0.1], [0, 1]])
    assert ax.get_ylim() == (1.5, -0.5)
    assert ax.get_xlim() == (-0.5, 1.5)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("released count", "true count")
    written = {text.get_position(): text.get_text() for text in ax.texts}
    assert written == {(0, 0): "0.90", (1, 0): "0.10", (0, 1): "0", (1, 1): "1"}


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_zeros_are_hatched_and_explained(scale):
    ax = plot_mechanism(TRIANGLE, scale=scale)
    zeros, area = cells_of(ax, 8)
    assert np.array_equal(zeros, TRIANGLE == 0)
    assert np.array_equal(np.ma.getmaskarray(mesh_of(ax).get_array()), TRIANGLE == 0)
    assert area.get_hatch() == "////"
    assert area.get_facecolor() == to_rgba("white")
    (sample,) = (legend_of(ax)[label] for label in ["exactly 0"])
    assert sample.get_hatch() == area.get_hatch()


def test_a_tiny_probability_is_no_zero():
    matrix = np.array([[1 - 1e-300, 1e-300], [0.5, 0.5]])
    for scale in ("linear", "log"):
        ax = plot_mechanism(matrix, scale=scale)
        assert not ax.patches
        assert "<.01" in [text.get_text() for text in ax.texts]
    assert mesh_of(ax).norm.vmin == 1e-300


@pytest.mark.slow
def test_zeros_are_seen_in_the_file(tmp_path):
    """White with grey strokes: lighter on average than any colour of the scale, and not of one colour."""
    from matplotlib.image import imread

    save_figure(plot_mechanism([[1, 0], [1e-9, 1 - 1e-9]], values=False, title=""), tmp_path / "a.png")
    image = imread(tmp_path / "a.png")[:, :, :3]
    shades = image.reshape(-1, 3)
    palest = np.all(np.abs(shades - np.array([1, 1, 0.851])) < 0.01, axis=1).sum()
    grey = np.all(np.abs(shades - 0x8A / 255) < 0.05, axis=1).sum()
    assert palest > 10_000  # the cell of 1e-9
    assert grey > 1_000


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_values_stand_out_from_their_cells(scale):
    ax = plot_mechanism(nearest(7, 1), scale=scale)
    mesh, texts = mesh_of(ax), ax.texts
    assert len(texts) == 64
    for text in texts:
        j, i = text.get_position()
        ground, ink = luminance(mesh.cmap(mesh.norm(mesh.get_array()[i, j]))[:3]), luminance(text.get_color())
        high, low = max(ground, ink), min(ground, ink)
        assert (high + 0.05) / (low + 0.05) >= 4.5


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (5e-324, "<.01"),
        (0.00499, "<.01"),
        (0.005, "0.01"),
        (0.5, "0.50"),
        (0.99, "0.99"),
        (0.9949, "0.99"),
        (0.995, ">.99"),
        (1 - 2**-53, ">.99"),
        (1.0, "1"),
    ],
)
def test_what_is_near_0_or_1_is_not_written_as_that(value, text):
    assert chance_text(value, 2) == text
    assert chance_text(0.0001, 3) == "<.001"


def test_values_are_for_few_outcomes():
    assert not plot_mechanism(nearest(9, 1)).texts
    assert not plot_mechanism(nearest(3, 1), values=False).texts


@pytest.mark.slow
def test_values_that_would_be_too_small_to_read_are_left_out(tmp_path):
    from pictures import axes

    sizes = []
    for inches in (2.0, 6.0):
        ax = plot_mechanism(nearest(8, 1), axes((inches, inches)))
        save_figure(ax, tmp_path / "a.svg")
        sizes.append((ax.texts[0].get_fontsize(), "<!-- 0." in (tmp_path / "a.svg").read_text(encoding="utf-8")))
    assert sizes[0][0] < 4 < sizes[1][0] <= 10
    assert [shown for _, shown in sizes] == [True, True]  # of the colour bar at least
    assert (tmp_path / "a.svg").read_text(encoding="utf-8").count("<!-- 0.") > 60


def test_a_colour_bar_says_what_is_drawn():
    for scale, label in (("linear", "probability"), ("log", "probability, logarithmic")):
        ax = plot_mechanism(nearest(3, 1), scale=scale)
        assert ax.figure.axes[1].get_ylabel() == label


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"mechanism_or_matrix": [[1, 0]]}, BadUse, "square"),
        ({"mechanism_or_matrix": [[0.5, 0.4], [0, 1]]}, BadUse, "row 0"),
        ({"mechanism_or_matrix": nearest(1024, 1)}, TooLarge, r"at most 1,024 outcomes \(got 1,025\)"),
        ({"scale": "square"}, InvalidParameter, "scale must be one of linear, log"),
    ],
)
def test_bad_arguments(given, error, message):
    with pytest.raises(error, match=message):
        plot_mechanism(**{"mechanism_or_matrix": nearest(3, 1), **given})


@pytest.mark.slow
def test_the_largest():
    ax = plot_mechanism(nearest(1023, 1))
    assert mesh_of(ax).get_rasterized()


def test_a_medium_is_no_mechanism():
    with pytest.raises(
        InvalidParameter, match="mechanism must be a mechanism or a matrix; of a medium pass its matrix"
    ):
        plot_mechanism(psk(4, es_n0_db=3))
    assert plot_mechanism(psk(4, es_n0_db=3).matrix).figure is not None
