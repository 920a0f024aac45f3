"""Where a unit counts in part only, whatever is told of its counts says that they may be too small by any amount."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hushcount import interpret, interpret_table, release_count, release_table
from hushcount.figures import plot_table
from hushcount.reading import at_least
from hushcount.release import FROM_DATA
from hushcount.report import report_page

VISITS = pa.table({"who": [f"u{at}" for at in range(40)] * 3, "region": ["n"] * 40 + ["s"] * 40 + ["e"] * 40})
LAW = {"epsilon": 1, "unit": "who", "source_name": "visits"}
FOUND = {"delta": "1e-3", "adjacency": "add-remove", "max_count": 50}
CELLS = "A unit (who) with rows in more than 2 cells counts in 2 of them only. Counts may be too small by any amount; "
ROWS = "A unit (who) with more than 2 matching rows counts with 2 of them only. Counts may be too small by any amount; "


def told_of(receipt):
    """All that is told of a table, each on one line."""
    texts = [str(receipt), report_page(receipt), str(interpret_table(receipt)), str(at_least(receipt, 5))]
    texts += [receipt._repr_html_(), interpret_table(receipt, level="0.9")._repr_html_()]
    texts.append(plot_table(receipt).figure._suptitle.get_text())
    return [" ".join(text.split()) for text in texts]


@pytest.mark.parametrize(
    ("keys", "given", "said"),
    [
        (["n", "s", "e"], {"max_cells": 2}, CELLS),
        (["n", "s", "e"], {"rows_per_unit": 2}, ROWS),
        (FROM_DATA, {"max_cells": 2, **FOUND}, CELLS.replace("cells", "groups")),
        (FROM_DATA, {"rows_per_unit": 2, **FOUND}, ROWS),
    ],
)
def test_a_table(keys, given, said):
    receipt = release_table(VISITS, "region", keys, **LAW, **given)
    texts = told_of(receipt)
    assert [said in text for text in texts] == [True] * 7
    page = texts[1]
    assert page.count(said) == 2  # below the picture, and under "How far off it may be"
    assert said in page.split("<figcaption>")[1].split("</figcaption>")[0]


def test_a_count():
    receipt = release_count(VISITS, "region <> 'n'", rows_per_unit=2, **LAW)
    texts = [str(receipt), report_page(receipt), str(interpret(receipt)), str(at_least(receipt, 5))]
    assert [ROWS in " ".join(text.split()) for text in texts] == [True] * 4
    rows = release_count(VISITS, "region <> 'n'", 1, adjacency="add-remove", max_count=80, source_name="visits")
    limited = release_count(VISITS, "TRUE", rows_per_unit=2, adjacency="add-remove", max_count=80, **LAW)
    both = interpret_table([rows, limited])
    assert ROWS in " ".join(str(both).split())
    assert str(both).split("\n")[1:3] == [
        "Question    rows of visits where region <> 'n'",
        "            rows of visits, at most 2 of each who",
    ]


@pytest.mark.parametrize(
    ("keys", "given"),
    [(["n", "s", "e"], {"max_cells": 4}), (["n", "s", "e"], {"unit": None}), (["n"], {"max_cells": 5})],
)
def test_where_all_of_a_unit_counts_nothing_is_said(keys, given):
    receipt = release_table(VISITS, "region", keys, **LAW | given)
    assert not any("too small" in text for text in told_of(receipt))
    assert "too small" not in str(release_count(VISITS, "region <> 'n'", **LAW))
