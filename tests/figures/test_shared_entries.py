"""The shared entries of the paper's Fig. 1: which, with what values, and what is known of the others."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from pictures import cells_inside, legend_of

from hushcount.errors import InvalidParameter, TooLarge
from hushcount.figures import plot_shared_entries
from hushcount.figures.style import PALE
from hushcount.optimal_set import OptimalSet

FILLED, HATCHED, FRAMED = "the same in all optimal mechanisms", "differs", "the same in all, taken together"


def area_of(ax, kind):
    """The one area of a kind, or None."""
    test = {
        FILLED: lambda patch: patch.get_facecolor() == to_rgba(PALE),
        HATCHED: lambda patch: patch.get_hatch() is not None,
        FRAMED: lambda patch: not patch.get_fill(),
    }[kind]
    return next((patch for patch in ax.patches if test(patch)), None)


def cells_of(ax, kind, M):
    area = area_of(ax, kind)
    return np.zeros((M, M), dtype=bool) if area is None else cells_inside(area, M)


@pytest.mark.slow
@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 7, 30])
@pytest.mark.parametrize(("epsilon", "delta"), [("0.5", 0), ("0.5", "0.01"), (0, 0)])
def test_areas(n, epsilon, delta):
    optimal = OptimalSet(n, epsilon, delta)
    ax = plot_shared_entries(optimal)
    shared = optimal.shared_entries
    assert np.array_equal(cells_of(ax, FILLED, n + 1), shared)
    assert np.array_equal(cells_of(ax, HATCHED, n + 1), ~shared)
    assert list(legend_of(ax)) == [FILLED, *([] if shared.all() else [HATCHED])]


def test_figure_1_of_the_paper():
    """M = 4 and M = 5 at delta = 0: between the diagonal and the middle row or rows, these included."""
    drawn = {
        4: ["x...", "xxxx", "xxxx", "...x"],
        5: ["x....", "xx...", "xxxxx", "...xx", "....x"],
    }
    for M, rows in drawn.items():
        ax = plot_shared_entries(OptimalSet(M - 1, 1))
        assert ["".join(".x"[int(cell)] for cell in row) for row in cells_of(ax, FILLED, M)] == rows


def test_values_and_ranges():
    optimal = OptimalSet(3, "0.5")
    ax = plot_shared_entries(optimal, ranges=True)
    written = {text.get_position(): text.get_text() for text in ax.texts}
    assert len(written) == 16
    for (j, i), text in written.items():
        if optimal.shared_entries[i, j]:
            assert text == f"{optimal.canonical.pmf(i, j):.3f}"  # type: ignore[call-overload]
        else:
            between = optimal.entry_range(i, j)
            assert text == f"{between.lower:.3f}\nto\n{between.upper:.3f}"
    assert len(plot_shared_entries(optimal).texts) == int(optimal.shared_entries.sum())
    assert not plot_shared_entries(optimal, values=False).texts
    assert not plot_shared_entries(OptimalSet(9, 1), ranges=True).texts


def test_frames_are_around_what_only_its_sum_is_shared_of():
    optimal = OptimalSet(4, "0.5", "0.01")
    ax = plot_shared_entries(optimal, sums=True)
    framed, shared = cells_of(ax, FRAMED, 5), optimal.shared_entries
    assert framed[~shared].all()
    assert not framed[np.eye(5, dtype=bool)].any()
    assert not framed[1, 0]  # shared by itself
    assert list(legend_of(ax)) == [FILLED, HATCHED, FRAMED]
    assert area_of(plot_shared_entries(OptimalSet(31, 1), sums=True), FRAMED) is not None
    for n in (1, 32):
        ax = plot_shared_entries(OptimalSet(n, 1), sums=True)
        assert area_of(ax, FRAMED) is None
        assert FRAMED not in legend_of(ax)


@pytest.mark.parametrize("optimal", [4, None, "4"])
def test_something_else_than_a_set(optimal):
    with pytest.raises(InvalidParameter, match="optimal must be an OptimalSet"):
        plot_shared_entries(optimal)


def test_too_large():
    with pytest.raises(TooLarge, match=r"up to 512 outcomes \(got 513\)"):
        plot_shared_entries(OptimalSet(512, 1))
