"""The picture of the paper's Fig. 2."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from pictures import curves_of, legend_of, looks_of, medium_curves

from hushcount import BadUse, nearest
from hushcount.errors import InvalidParameter
from hushcount.figures import MediumCurve, medium_curve, plot_medium
from hushcount.medium import bounds, from_counts, optimum, psk, rounding

CURVE = {"label": "x", "epsilon": [0, 1], "lower": [0.5, 0.2], "upper": [0.5, 0.2], "without": [0.5, 0.1]}


def lines_of(ax, colour):
    return [line for line in ax.lines if line.get_color() == colour]


@pytest.mark.parametrize("delta", [0, "0.05"])
def test_points_are_those_of_the_library(delta):
    channel = psk(4, es_n0_db=3)
    found = medium_curve(channel, "0.5:1.5:0.5", delta)
    assert found.label == channel.description
    assert found.epsilon.tolist() == [0.5, 1, 1.5]
    for place, epsilon in enumerate(("0.5", "1", "1.5")):
        best, known = optimum(channel, epsilon, delta), {b.name: b.value for b in bounds(channel, epsilon, delta)}
        assert (found.lower[place], found.upper[place]) == (best.lower, best.upper)
        assert found.bound[place] == min(known[name] for name in ("u0", "u1", "u2", "u3") if known[name] is not None)
        assert found.circulant[place] == known["u4"]
        assert found.without[place] == pytest.approx(nearest(3, epsilon, delta).error_probability, rel=1e-15)


def test_a_medium_that_is_not_circulant_has_no_u4():
    found = medium_curve(rounding(4, 2), [1], label="rounding")
    assert np.isnan(found.circulant).all()
    assert found.label == "rounding"
    assert "best circulant scheme (u4)" not in legend_of(plot_medium([found]))


def test_a_picture_of_a_measured_medium_says_so():
    found = medium_curve(from_counts([[90, 10], [7, 93]], all_rows=True), [1])
    assert found.label == "2 symbols, as observed in 200 trials"
    assert found.label in legend_of(plot_medium([found]))


def test_the_picture_shows_the_points():
    curves = medium_curves()
    ax = plot_medium(curves)
    assert list(legend_of(ax)) == [
        "least without a medium (p_e*)",
        "least behind the medium (p_e*(T))",
        "Es/N0 = 0 dB",
        "Es/N0 = 10 dB",
        "best simple scheme (u0 to u3)",
        "best circulant scheme (u4)",
    ]
    shown = curves_of(ax)
    assert shown["least without a medium (p_e*)"] == (curves[0].epsilon.tolist(), curves[0].without.tolist())
    alone = legend_of(ax)["least without a medium (p_e*)"]
    assert (alone.get_marker(), alone.get_color()) == ("^", "black")
    for each in curves:
        label = each.label
        assert shown[label] == (each.epsilon.tolist(), each.upper.tolist())
        solid = legend_of(ax)[label]
        assert (solid.get_linestyle(), solid.get_marker() in "osDv") == ("-", True)
        dashed, dotted, optimal = lines_of(ax, solid.get_color())
        assert looks_of(optimal) == looks_of(solid)
        assert dashed.get_ydata().tolist() == each.bound.tolist()
        assert np.array_equal(dotted.get_ydata(), each.circulant, equal_nan=True)
        assert dashed.get_linestyle() == dotted.get_linestyle() == "--"
        assert dotted.get_linewidth() < dashed.get_linewidth()
        assert ax.lines[0].get_zorder() < optimal.get_zorder()
        assert ax.lines[0].get_linewidth() > 2 * optimal.get_linewidth(), "what coincides hides it"
    areas = [area for area in ax.collections if not isinstance(area, LineCollection)]
    bands = [path.vertices for area in areas for path in area.get_paths()]
    for each, band in zip(curves, bands, strict=True):
        points = set(map(tuple, band.tolist()))
        assert points >= set(zip(each.epsilon.tolist(), each.lower.tolist(), strict=True))
        assert points >= set(zip(each.epsilon.tolist(), each.upper.tolist(), strict=True))


def turns_of(ax):
    """(color, first and last epsilon, gap and offset in dashes) of each part that is drawn in turn."""
    (turns,) = [area for area in ax.collections if isinstance(area, LineCollection)]
    styles = zip(turns.get_edgecolors(), turns.get_linestyles(), turns.get_segments(), strict=True)
    return [
        (to_hex(colour), line[0, 0], line[-1, 0], round(gap / dash), round(-offset / dash) % round(1 + gap / dash))
        for colour, (offset, (dash, gap)), line in styles
    ]


def test_media_that_coincide_are_seen_in_turn():
    """The third leaves the others after 1, the second after 2: in each part each has its own place among the dashes."""
    epsilon, least = np.arange(5.0), np.array([0.8, 0.6, 0.4, 0.2, 0.1])
    behind = [np.maximum(least, floor) for floor in (0, 0.4, 0.6)]
    curves = [MediumCurve(str(k), epsilon, values, values, least) for k, values in enumerate(behind)]
    ax = plot_medium(curves)
    colours = [legend_of(ax)[str(k)].get_color() for k in range(3)]
    assert turns_of(ax) == [
        *((colours[k], 0, 1, 2, k) for k in range(3)),
        *((colours[k], 1, 2, 1, k) for k in range(2)),
    ]
    assert not [area for area in plot_medium(curves[:1]).collections if isinstance(area, LineCollection)]


@pytest.mark.parametrize(("scale", "near", "apart"), [("linear", 0.003, 0.006), ("log", 0.0003, 0.001)])
def test_what_can_hardly_be_told_apart_coincides(scale, near, apart):
    epsilon, least = np.arange(3.0), np.full(3, 0.02)
    for shift, is_same in ((0.0, True), (near, True), (apart, False)):
        curves = [MediumCurve(str(k), epsilon, least + k * shift, least + k * shift, least) for k in range(2)]
        ax = plot_medium(curves, scale=scale)
        assert any(isinstance(area, LineCollection) for area in ax.collections) is is_same


def test_bounds_that_would_hide_something_are_left_out():
    epsilon, upper = np.arange(6.0), np.full(6, 0.3)
    bound, circulant = upper + np.array([0, 0, 0, 0, 0.1, 0.1]), upper + np.array([0, 0, 0, 0, 0.05, 0.1])
    ax = plot_medium([MediumCurve("x", epsilon, upper, upper, upper, bound, circulant)])
    dashed, dotted, _ = lines_of(ax, legend_of(ax)["x"].get_color())
    assert np.allclose(dashed.get_ydata(), [np.nan] * 3 + [0.3, 0.4, 0.4], equal_nan=True)
    assert np.allclose(dotted.get_ydata(), [np.nan] * 3 + [0.3, 0.35, 0.4], equal_nan=True)


def test_everything_is_within_the_picture():
    ax = plot_medium(medium_curves())
    top = max(value for line in ax.lines for value in line.get_ydata() if not np.isnan(value))
    assert ax.get_ylim()[0] == 0
    assert top <= ax.get_ylim()[1] <= 1.1 * top


def test_bounds_may_be_left_out():
    ax = plot_medium([MediumCurve(**CURVE)], scale="log")
    assert list(legend_of(ax)) == ["least without a medium (p_e*)", "least behind the medium (p_e*(T))", "x"]
    assert ax.get_yscale() == "log"


def test_bounds_need_not_be_drawn():
    with_bounds, without = plot_medium(medium_curves()), plot_medium(medium_curves(), bounds=False)
    assert list(legend_of(without)) == list(legend_of(with_bounds))[:4]
    assert len(with_bounds.lines) - len(without.lines) == 4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("labels", "title", "shown"),
    [
        (["8-PSK, Es/N0 = 0 dB", "8-PSK, Es/N0 = infinite"], ": 8-PSK, by Es/N0", ["Es/N0 = 0 dB", "Es/N0 = infinite"]),
        (
            ["8-PSK, Es/N0 = 0 dB, fading", "8-PSK, Es/N0 = 5 dB, fading"],
            ": 8-PSK, by Es/N0, fading",
            ["Es/N0 = 0 dB", "Es/N0 = 5 dB"],
        ),
        (
            [psk(2, es_n0_db=0).description, psk(2, es_n0_db=5).description],
            ": 2-PSK, by Es/N0",
            ["Es/N0 = 0 dB (Eb/N0 = 0 dB)", "Es/N0 = 5 dB (Eb/N0 = 5 dB)"],
        ),
        (["4-PAM, Es/N0 = 0 dB", "4-PSK, Es/N0 = 0 dB"], ": Es/N0 = 0 dB", ["4-PAM", "4-PSK"]),
        (["4-PAM, Es/N0 = 0 dB", "4-PSK, Es/N0 = 5 dB"], "", ["4-PAM, Es/N0 = 0 dB", "4-PSK, Es/N0 = 5 dB"]),
        (["one", "the other, it is"], "", ["one", "the other, it is"]),
        (["one", "other"], "", ["one", "other"]),
        (["a = 1, b = 2", "a = 1, c = 2"], ": a = 1", ["b = 2", "c = 2"]),
        (["alone, a = 1"], "", ["alone, a = 1"]),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else None,
)
def test_what_labels_share_is_in_the_title_alone(labels, title, shown):
    curves = [MediumCurve(**{**CURVE, "label": label}) for label in labels]
    ax = plot_medium(curves)
    assert ax.figure._suptitle.get_text().replace("\n", " ") == f"What a fixed medium costs{title}"
    assert list(legend_of(ax))[2:] == shown
    assert list(legend_of(plot_medium(curves, title="Mine")))[2:] == labels


def test_media_are_told_apart_without_colour():
    curves = [MediumCurve(**{**CURVE, "label": str(k)}) for k in range(8)]
    looks = [looks_of(legend_of(plot_medium(curves))[str(k)]) for k in range(8)]
    assert len({marker for _, marker, *_ in looks}) == 8
    assert len({(colour, line) for colour, _, line, _ in looks}) == 8


def test_epsilons_may_differ_but_not_the_media_s_sizes():
    one, other = MediumCurve(**CURVE), MediumCurve(**{**CURVE, "label": "y", "epsilon": [0.5, 1]})
    x, _ = curves_of(plot_medium([one, MediumCurve(**{**CURVE, "epsilon": [1, 2], "without": [0.1, 0.01]})]))[
        "least without a medium (p_e*)"
    ]
    assert x == [0, 1, 2]
    with pytest.raises(InvalidParameter, match="media of as many symbols"):
        plot_medium([one, MediumCurve(**{**CURVE, "without": [0.5, 0.2]})])
    assert other.epsilon[0] == 0.5


def test_marks_of_curves_that_coincide_are_at_different_places():
    epsilon = np.linspace(0, 1, 101)
    curves = [MediumCurve(str(k), epsilon, epsilon, epsilon, epsilon) for k in range(3)]
    marked = [line.get_markevery() for line in plot_medium(curves).lines if line.get_marker() != "None"]
    assert len(set(marked)) == 4
    assert {step for _, step in marked} == {10}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"label": ""}, "label must be a text"),
        ({"epsilon": [1, 0]}, "epsilon must be numbers up to 1,000,000,000 in rising order"),
        ({"epsilon": [0, float("inf")]}, "epsilon must be numbers up to"),
        ({"epsilon": []}, "epsilon must be numbers up to"),
        ({"lower": [0.5]}, "lower must be a number for each of the 2 epsilons"),
        ({"bound": [[0.5, 0.2]]}, "bound must be a list of numbers"),
        ({"upper": ["a", "b"]}, "upper must be a list of numbers"),
    ],
)
def test_bad_curves(given, message):
    with pytest.raises(InvalidParameter, match=message):
        MediumCurve(**{**CURVE, **given})


def test_curves_are_frozen():
    mine = np.array([0.5, 0.2])
    found = MediumCurve(**{**CURVE, "upper": mine})
    mine[0] = 1
    assert found.upper[0] == 0.5
    with pytest.raises(ValueError, match="read-only"):
        found.upper[0] = 1


@pytest.mark.parametrize(
    ("curves", "message"),
    [
        ([], "curves must be a list of MediumCurve, at least one"),
        ([1], "curves must be a list of MediumCurve"),
        (None, "curves must be a list of MediumCurve"),
        ([MediumCurve(**CURVE)] * 9, r"number of curves must be at most 8.*\(got 9\)"),
    ],
    ids=["none", "number", "missing", "nine"],
)
def test_bad_lists(curves, message):
    with pytest.raises(InvalidParameter, match=message):
        plot_medium(curves)


def test_bad_arguments():
    with pytest.raises(InvalidParameter, match="epsilons must be"):
        medium_curve(psk(4, es_n0_db=3), [2, 1])
    with pytest.raises(BadUse):
        medium_curve([[1], [1]], [1])
    with pytest.raises(InvalidParameter, match="scale"):
        plot_medium(medium_curves(), scale="x")
