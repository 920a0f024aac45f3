"""Two counts that are one draw: what they say together, against the joint law in full."""

from __future__ import annotations

import json
import math
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from hushcount import interpret_table, nearest, release_table
from hushcount.figures import plot_table
from hushcount.reading import NoInverse, at_least, together
from hushcount.reading.publication import SUPPRESSED, Publication
from hushcount.reading.sets import sets_of
from hushcount.release import TableReceipt
from hushcount.report import report_page

N = 8


def receipt_of(first, epsilon="0.8", delta=0, n=N):
    """The receipt of such a table, in which the first count came out as `first`."""
    frame = pa.table({"k": ["a"] * n})
    found = release_table(frame, "k", ["a"], epsilon, delta, source_name="t")
    assert found.public_total == n
    return TableReceipt.from_json(json.dumps(json.loads(found.to_json()) | {"released": [first, n - first]}))


@pytest.mark.parametrize("n", [N, 9])
@pytest.mark.parametrize(("epsilon", "delta"), [("0.8", 0), (2, "0.01")])
def test_estimates_have_no_bias_under_the_joint_law(epsilon, delta, n):
    """The standard errors that are estimated are without bias, too, where they are not cut at 0."""
    law = nearest(n, epsilon, delta).matrix()
    found = [interpret_table(receipt_of(first, epsilon, delta, n)) for first in range(n + 1)]
    assert {(each.total.value, each.total.standard_error, each.released_sum) for each in found} == {(n, 0.0, n)}
    assert {(each.released_bias, each.released_error) for each in found} == {(0.0, 0.0)}
    differences = np.array([each.difference.value for each in found])
    histograms = np.array([each.histogram.values for each in found])
    for true in range(n + 1):
        assert law[true] @ differences == pytest.approx(2 * true - n, abs=1e-7)
        spread = math.sqrt(law[true] @ (differences - (2 * true - n)) ** 2)
        assert spread <= found[0].difference.standard_error * (1 + 1e-9)
        cells = np.bincount([true, n - true], minlength=n + 1)
        assert law[true] @ histograms == pytest.approx(cells, abs=1e-7)
        spreads = np.sqrt(law[true] @ (histograms - cells) ** 2)
        assert spreads.max() <= found[0].histogram.largest_standard_error * (1 + 1e-9)
    worst = max(math.sqrt(law[true] @ (differences - (2 * true - n)) ** 2) for true in range(n + 1))
    assert worst == pytest.approx(found[0].difference.standard_error, rel=1e-6)


@pytest.mark.parametrize("n", [N, 9])
def test_the_variance_of_the_histogram_is_estimated_without_bias(n, monkeypatch):
    law = nearest(n, "0.8").matrix()
    receipts = [receipt_of(first, n=n) for first in range(n + 1)]
    uncut = SimpleNamespace(**{**vars(np), "maximum": lambda each, _: each, "sqrt": lambda each: each})
    monkeypatch.setattr(together, "np", uncut)
    found = [interpret_table(receipt).histogram for receipt in receipts]
    squares = np.array([each.standard_errors for each in found])
    values = np.array([each.values for each in found])
    for true in range(n + 1):
        spread = law[true] @ values**2 - (law[true] @ values) ** 2
        assert law[true] @ squares == pytest.approx(spread, abs=1e-6)


@pytest.mark.parametrize("level", ["0.5", "0.9"])
@pytest.mark.parametrize("simultaneous", [False, True])
def test_both_sets_hold_or_neither(level, simultaneous):
    law = nearest(N, "0.8").matrix()
    sets = [sets_of(receipt_of(first), level, simultaneous=simultaneous) for first in range(N + 1)]
    assert {each.cell_level for each in sets} == {sets[0].level}

    def holds(each, cell, true):
        return any(low <= true <= high for low, high in each[cell].confidence_set)

    for true in range(N + 1):
        first = np.array([holds(each, 0, true) for each in sets])
        assert first.tolist() == [holds(each, 1, N - true) for each in sets]
        assert law[true] @ first >= float(level)
    for each in sets:
        for kind in ("confidence_set", "most_likely"):
            mirrored = [(N - high, N - low) for low, high in reversed(getattr(each[0], kind))]
            assert list(getattr(each[1], kind)) == mirrored


def test_drawn_each_by_itself_both_would_hold_less_often():
    """The negative control: two draws need a higher level for both sets together."""
    law = nearest(N, "0.8").matrix()
    receipts, chances = [receipt_of(first) for first in range(N + 1)], []
    for level in (0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        spans = [sets_of(receipt, level)[0].confidence_set for receipt in receipts]
        holds = np.array([any(low <= 4 <= high for low, high in each) for each in spans])
        chances.append((level, law[4] @ holds))
    assert all(chance >= level for level, chance in chances)
    assert any(chance**2 < level for level, chance in chances)


@pytest.mark.parametrize(("count", "alpha"), [(3, "0.05"), (5, "0.2"), (6, "0.2")])
def test_the_chance_of_any_wrong_yes(count, alpha):
    law = nearest(N, "0.8").matrix()
    answers = [
        at_least(receipt_of(first), count, false_alarm=alpha, simultaneous=True).answers for first in range(N + 1)
    ]
    test = at_least(receipt_of(0), count, false_alarm=alpha, simultaneous=True)
    assert test.test.false_alarm == test.false_alarm / (1 if count == 3 else 2)
    assert ("at most one of them is below 3, since they add up to 8" in " ".join(str(test).split())) is (count == 3)
    for true in range(N + 1):
        wrong = [(yes[0] and true < count) or (yes[1] and N - true < count) for yes in answers]
        assert law[true] @ np.array(wrong) <= float(alpha)


def test_a_suppressed_count_is_not_told_by_the_other():
    receipt = receipt_of(1)
    found = interpret_table(receipt, level="0.9", publication=Publication(suppress_below=2))
    assert found.published.marks == (SUPPRESSED, SUPPRESSED)
    assert "7" not in {cell for line in str(found).splitlines() if "suppressed" in line for cell in line.split()}
    assert "those below 2 and what is left of the total, which would tell them" in " ".join(str(found).split())
    assert found.to_pandas()["released"].isna().all()
    assert "difference" not in str(found)
    assert found.to_dict()["difference"] is None
    kept = interpret_table(receipt, level="0.9", publication=Publication(suppress_below=1, round_to=5))
    assert kept.published.marks == (None, None)
    assert sum(kept.published.counts) == 10  # 8, rounded


def test_what_it_says():
    found = interpret_table(receipt_of(3), level="0.9", simultaneous=True)
    text = " ".join(str(found).split())
    assert "sum 8, exactly: the public total" in text
    assert "Both counts are one draw: the second is 8 minus the first" in text
    assert "both confidence sets contain them with a chance of at least 90%, or neither does" in text
    assert "epsilon 0.8, delta 0 for each cell: both are one draw" in text
    facts = found.to_dict()
    assert (facts["public_total"], facts["sum"], facts["no_unbiased"]) == (
        8,
        {"value": 8.0, "standard_error": 0.0},
        None,
    )
    assert facts["difference"] == vars(found.difference)
    assert (
        "difference"
        not in interpret_table(release_table(pa.table({"k": ["a"]}), "k", ["a", "b"], 1, source_name="t")).to_dict()
    )


def test_where_there_is_no_estimate_the_sum_is_known():
    found = interpret_table(receipt_of(3, epsilon=0, delta="0.5"))
    assert found.total.value == 8
    if isinstance(found.difference, NoInverse):
        assert found.to_dict()["no_unbiased"] == found.difference.told(found.receipts[0].promise, found.mechanism)
    found = interpret_table(receipt_of(0, epsilon=0))
    assert isinstance(found.difference, NoInverse)
    assert (found.to_dict()["difference"], found.total.value) == (None, 8)
    assert "No unbiased estimate: " in str(found)
    assert "unbiased difference   none" in str(found)


@pytest.mark.parametrize("n", [0, 1])
def test_the_smallest(n):
    frame = pa.table({"k": pa.array(["a"] * n, pa.string())})
    receipt = release_table(frame, "k", ["a"], 1, source_name="t")
    assert sum(receipt.released) == receipt.public_total == n
    found = interpret_table(receipt, level="0.9")
    assert found.total.value == n
    assert len(found.cells) == 2


def test_page_and_picture_say_it():
    receipt = receipt_of(3)
    page = report_page(receipt)
    assert "one count, drawn once: the other is 8, the number of rows, minus it" in page
    title = plot_table(receipt).figure._suptitle.get_text()
    assert title.endswith("epsilon 0.8, delta 0, replace-one, for the table; one draw: both add up to 8")
