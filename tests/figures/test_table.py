"""The picture of a table: keys, released counts and confidence sets, as the receipt has them."""

from __future__ import annotations

from itertools import pairwise

import pyarrow as pa
import pytest
from pictures import legend_of
from receipts import receipt_of, table_receipt_of, without_keys

from hushcount import BadUse, from_matrix, interpret_table, release_table
from hushcount.errors import InvalidParameter, TooLarge
from hushcount.figures import plot_table, save_figure
from hushcount.figures.table import MOST_CELLS, fitting_size
from hushcount.release import FROM_DATA

RELEASED = [3, 0, 12, 9]


@pytest.fixture(scope="module")
def receipt():
    return table_receipt_of(["region", "sex"], [("north", "f"), ("south", None), ('"x"', "")], RELEASED, 20)


def labels(ax):
    return [text.get_text() for text in ax.get_yticklabels()]


def numbers(ax):
    return [text.get_text() for text in ax.texts]


def drawn(ax, name):
    """The x values of the lines that look as the legend has it, with the rows they are in."""
    handle = legend_of(ax)[name]
    lines = [
        line for line in ax.lines if (line.get_color(), line.get_marker()) == (handle.get_color(), handle.get_marker())
    ]
    return [(round(float(line.get_ydata()[0])), [float(x) for x in line.get_xdata()]) for line in lines]


def test_keys_counts_and_sets_are_those_of_the_receipt(receipt):
    ax = plot_table(receipt, level="0.9")
    assert labels(ax) == ["north, f", "south, (missing)", '"""x""", ""', "(other)"]
    assert numbers(ax) == ["3", "0", "12", "9"]
    assert drawn(ax, "released count") == [(row, [count]) for row, count in enumerate(RELEASED)]
    sets = interpret_table(receipt, level="0.9").cells
    assert drawn(ax, "90% confidence set") == [
        (row, [span[0] - 0.15, span[1] + 0.15]) for row, found in enumerate(sets) for span in found.confidence_set
    ]
    assert ax.yaxis_inverted()


def test_bars_start_at_0(receipt):
    ax = plot_table(receipt, kind="bars")
    assert [(bar.get_x(), bar.get_width()) for bar in ax.patches] == [(0, count) for count in RELEASED]


def test_the_title_says_what_was_asked_and_promised(receipt):
    title = plot_table(receipt).figure._suptitle.get_text()
    assert title == (
        "Rows of people.csv where age >= 65, by region and by sex\nepsilon 2, delta 0, replace-one, for the table"
    )
    together = plot_table(receipt, simultaneous=True, title="Mine")
    assert together.figure._suptitle.get_text() == "Mine"
    assert "95% confidence set for all cells together" in legend_of(together)


def test_the_axis_goes_to_n_where_that_is_near():
    near, far = (plot_table(table_receipt_of(["k"], [1], [10], n, undeclared="left-out")) for n in (14, 1000))
    assert near.get_xlim()[1] == pytest.approx(1.02 * 14)
    assert far.get_xlim()[1] < 20


def test_a_set_that_goes_beyond_the_cap_has_an_arrow():
    ax = plot_table(table_receipt_of(["k"], [1, 2], [5, 0], 5, 3, adjacency="add-remove"))
    assert drawn(ax, "or more") == [(0, [5.0])]
    assert "or more" not in legend_of(plot_table(table_receipt_of(["k"], [1, 2], [5, 0], 5, 3)))


def test_groups_from_the_data_have_sets_given_that_they_are_shown():
    keys, law = pa.array(["a"] * 60 + ["b"] * 60, pa.string()), {"epsilon": 1, "delta": "1e-5", "max_count": 5000}
    receipt = release_table(pa.table({"k": keys}), "k", FROM_DATA, adjacency="add-remove", source_name="t", **law)
    ax = plot_table(receipt)
    sets = interpret_table(receipt, level="0.95").cells
    assert drawn(ax, "95% confidence set, given that the group is shown") == [
        (row, [span[0] - 0.15, span[1] + 0.15]) for row, found in enumerate(sets) for span in found.confidence_set
    ]
    with pytest.raises(BadUse, match="how many groups are hidden is not known"):
        plot_table(receipt, simultaneous=True)


@pytest.mark.parametrize("kind", ["dots", "bars"])
def test_all_other_keys_do_not_press_the_declared_together(kind):
    """Their count is then an arrow, at the end of a scale for the declared ones."""
    ax = plot_table(table_receipt_of(["k"], ["a", "b"], [20, 30, 500], 10_000), kind=kind)
    assert [row for row, _ in drawn(ax, "beyond the scale")] == [2]
    assert ax.get_xlim()[1] < 50
    assert numbers(ax) == ["20", "30", "500"]
    for keys, released in [(["a", "b"], [20, 30, 60]), (["a", "b", "c"], [20, 30, 500])]:
        ax = plot_table(table_receipt_of(["k"], keys, released, 10_000), kind=kind)
        assert "beyond the scale" not in legend_of(ax)
        assert ax.get_xlim()[1] > released[-1]


def test_a_set_stands_out_behind_its_dot():
    """However narrow: its caps are higher than the dot, which has a white edge."""
    lines = plot_table(table_receipt_of(["k"], [1], [10**6], 10**7, undeclared="left-out")).lines
    by_marker = {line.get_marker(): line for line in lines}
    assert by_marker["|"].get_markersize() > 1.5 * by_marker["o"].get_markersize()
    assert by_marker["o"].get_markeredgecolor() == "white"


def test_a_missing_key_may_have_another_name(receipt):
    assert labels(plot_table(receipt, missing_label="not stated"))[1] == "south, not stated"
    with pytest.raises(InvalidParameter, match=r"^missing_label must be another text than every key"):
        plot_table(receipt, missing_label="f")


def test_both_parts_of_a_set_are_drawn():
    ax = plot_table(table_receipt_of(["k"], [1], [0], 20, 2, mechanism="canonical"))
    assert len(drawn(ax, "95% confidence set")) == 2


def test_long_lists_are_high_and_are_drawn_in_parts():
    receipt = table_receipt_of(["k"], list(range(200)), [1] * 200, 4)
    with pytest.raises(TooLarge, match=r"^a picture has at most 150 cells \(got 200\); choose some of them$"):
        plot_table(receipt)
    ax = plot_table(receipt, first=51, last=200)
    assert tuple(ax.figure.get_size_inches()) == pytest.approx(fitting_size(MOST_CELLS))
    ax.figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in ax.get_yticklabels()]
    assert [text.get_text() for text in ax.get_yticklabels()] == [str(cell) for cell in range(50, 200)]
    assert all(lower.y1 <= upper.y0 for upper, lower in pairwise(boxes)), "labels overlap"


@pytest.mark.parametrize(("first", "last"), [(0, 2), (3, 2), (1, 5), (1, 0)])
def test_cells_that_are_not_there(receipt, first, last):
    with pytest.raises(InvalidParameter, match=r"^cells must be FIRST:LAST, from 1 to 4"):
        plot_table(receipt, first=first, last=last)


def test_receipts_without_keys_number_their_cells(receipt):
    assert labels(plot_table(without_keys(receipt))) == ["cell 1", "cell 2", "cell 3", "(other)"]


def test_hostile_keys_are_texts(tmp_path):
    keys = ["$x^2$", "<script>", "a" * 100, "\n\x1b[31m", "100%"]
    ax = plot_table(table_receipt_of(["$k$"], keys, [1] * 5, 4))
    assert labels(ax) == ["$x^2$", "<script>", "a" * 33 + "...", "\\n\\x1b[31m", "100%"]
    save_figure(ax, tmp_path / "table.png")


def test_what_is_no_table_is_refused(receipt):
    with pytest.raises(InvalidParameter, match=r"^receipt must be the receipt of a table"):
        plot_table(receipt_of("nearest", 5, 1, released=2))
    with pytest.raises(InvalidParameter, match=r"^kind must be"):
        plot_table(receipt, kind="pies")
    with pytest.raises(BadUse, match="a mechanism is needed for an audited one only"):
        plot_table(receipt, mechanism=from_matrix([[0.5, 0.5], [0.5, 0.5]]))
