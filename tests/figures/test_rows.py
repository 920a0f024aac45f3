"""Rows: the probabilities themselves, the true count marked, at any n."""

from __future__ import annotations

import numpy as np
import pytest
from pictures import curves_of, legend_of

from hushcount import canonical, nearest
from hushcount.errors import InvalidParameter, TooLarge
from hushcount.figures import plot_rows


@pytest.mark.parametrize("n", [0, 1, 7, 30, 200])
@pytest.mark.parametrize("scale", ["linear", "log"])
def test_curves_are_the_rows_and_the_true_count_is_marked(n, scale):
    mechanism = canonical(n, "0.5", "0.01")
    ax = plot_rows(mechanism, scale=scale)
    wanted = sorted({0, n // 2, n})
    curves = curves_of(ax)
    assert list(curves) == [f"true count {true}" for true in wanted]
    rings = [line for line in ax.lines if line.get_markersize() == 9]
    lines = [line for line in ax.lines if list(line.get_ydata()) == [0, 1] and line.get_marker() == "None"]
    assert len(rings) == len(lines) == len(wanted)
    for true, ring, line in zip(wanted, rings, lines, strict=True):
        assert (list(ring.get_xdata()), list(ring.get_ydata())) == ([true], [mechanism.pmf(true, true)])
        assert list(line.get_xdata()) == [true, true]
        assert ring.get_markeredgecolor() == line.get_color()
        x, y = curves[f"true count {true}"]
        assert y == [mechanism.pmf(true, int(j)) for j in x]
        assert true in x
        tail = 1e-3 if scale == "linear" else 2e-9
        assert 1 - tail <= sum(y) <= 1 + 1e-12
    assert "the true count itself" in legend_of(ax)
    assert ax.get_yscale() == scale


@pytest.mark.parametrize("n", [255, 256, 4820, 10**12])
def test_any_n(n):
    ax = plot_rows(nearest(n, "0.5"))
    (first, *rest) = curves_of(ax)
    assert len(rest) == (2 if n < 256 else 0)
    if n >= 256:
        assert first == f"true count {n // 2:,}"
        x, y = curves_of(ax)[first]
        assert sum(y) >= 0.999
        assert len(x) < 40


def test_a_wide_row_of_a_mechanism_that_has_no_whole_ones():
    mechanism = nearest(10**12, "0.02")
    x, y = next(iter(curves_of(plot_rows(mechanism)).values()))
    assert 600 < len(x) < 1000
    assert sum(y) >= 0.999
    assert y[len(y) // 2] == mechanism.pmf(10**12 // 2, int(x[len(x) // 2]))


def test_a_wide_row_is_taken_whole():
    mechanism = nearest(5000, "0.001")
    x, y = next(iter(curves_of(plot_rows(mechanism, [2500])).values()))
    assert 0 < x[0] < 20
    assert np.array_equal(y, mechanism.pmf(2500)[int(x[0]) : int(x[-1]) + 1])


def test_a_second_mechanism_on_the_same_axes():
    """Its curves look different, and the legend tells whose each is."""
    first, second = nearest(30, "0.5"), canonical(30, "0.5")
    ax = plot_rows(first, [0, 12])
    plot_rows(second, [12], ax)
    assert len(ax.figure.legends) == 1
    curves = {label.replace("\xa0", " "): points for label, points in curves_of(ax).items()}
    asked = "n = 30, epsilon = 0.5, delta = 0, true count 12"
    assert list(curves) == ["true count 0", f"nearest: {asked}", f"canonical: {asked}"]
    for mechanism in (first, second):
        x, y = curves[f"{mechanism.name}: {asked}"]
        assert y == [mechanism.pmf(12, int(j)) for j in x]
    assert list(legend_of(ax)).count("the true count itself") == 1
    assert ax.figure._suptitle.get_text() == "What true counts are released as"


def test_thousands_are_spelled_alike():
    ax = plot_rows(nearest(100_000, "0.5"), [100_000])
    assert next(iter(legend_of(ax))) == "true count 100,000"
    assert "n = 100,000," in ax.figure._suptitle.get_text().replace("\xa0", " ")
    assert ax.xaxis.get_major_formatter()(99_990) == "99,990"


def test_a_matrix_has_no_name():
    assert plot_rows([[0.5, 0.5], [0.5, 0.5]]).figure._suptitle.get_text().replace("\xa0", " ") == "matrix: n = 1"


def test_zeros_of_a_matrix():
    """On a logarithmic scale they are gaps, and no warning."""
    ax = plot_rows([[0.5, 0, 0.5], [0, 0, 1], [0, 0, 1]], scale="log")
    assert curves_of(ax)["true count 0"] == ([0, 1, 2], [0.5, 0, 0.5])


@pytest.mark.parametrize("true_counts", [[], [8], [-1], [1, 1], [0.5], ["1"], "1", 3, [True]], ids=repr)
def test_bad_true_counts(true_counts):
    with pytest.raises(InvalidParameter, match="true_counts must be"):
        plot_rows(nearest(7, 1), true_counts)


def test_too_many_true_counts():
    with pytest.raises(InvalidParameter, match="number of curves"):
        plot_rows(nearest(20, 1), range(12))


def test_too_wide():
    with pytest.raises(TooLarge, match="at most 65,536 released counts"):
        plot_rows(nearest(10**12, "1e-9"))
    with pytest.raises(InvalidParameter, match="scale"):
        plot_rows(nearest(3, 1), scale="")


@pytest.mark.parametrize(("n", "ends"), [(0, (0, 0)), (30, (0, 30)), (1000, (486, 514))])
def test_the_axis_goes_to_n_where_that_is_near(n, ends):
    low, high = plot_rows(nearest(n, "0.5"), [n // 2]).get_xlim()
    assert (low, high) == pytest.approx(ends, abs=0.7)
