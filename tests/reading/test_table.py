"""Many releases read together: the sum and the histogram of their true counts, without bias and with honest errors."""

import itertools
import json
import math
import re
import time

import numpy as np
import pytest
from receipts import receipt_of

from hushcount import canonical, from_matrix, interpret_table, nearest, release_table, simulate
from hushcount.errors import BadData, BadUse, InvalidParameter
from hushcount.reading import NoInverse
from hushcount.reading.together import _histogram
from hushcount.reading.unbiased import estimator

MATRIX = from_matrix([[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.0, 0.4, 0.6]])
MECHANISMS = [nearest(2, "0.8"), nearest(2, "0.8", "0.1"), canonical(2, "0.8"), MATRIX]


DELTA = "0.3"
"""MATRIX has a 0, so no epsilon is enough alone."""


def table(mechanism, n, epsilon, released, delta=0, **others):
    return [receipt_of(mechanism, n, epsilon, delta, released=j, **others) for j in released]


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=["nearest", "nearest-delta", "canonical", "matrix"])
def test_means_and_variances_over_all_outcomes(mechanism):
    """Three releases of true counts 0, 2, 2: every triple of outcomes, with its probability."""
    P, true = mechanism.matrix(), (0, 2, 2)
    found = estimator(mechanism)
    sums, histograms, estimated, chances = [], [], [], []
    for released in itertools.product(range(3), repeat=3):
        chances.append(math.prod(P[i, j] for i, j in zip(true, released, strict=True)))
        one = _histogram(found, list(released))
        sums.append(found.values[list(released)].sum())
        histograms.append(one.values)
        counts = np.bincount(released, minlength=3)
        estimated.append(counts @ np.linalg.inv(P) ** 2 - one.values)
        assert np.allclose(one.standard_errors, np.sqrt(np.maximum(estimated[-1], 0)), atol=1e-6)
        assert math.isclose(one.values.sum(), 3)
        assert math.isclose(one.values @ np.arange(3), sums[-1], abs_tol=1e-12)
    chances, sums, histograms = np.array(chances), np.array(sums), np.array(histograms)
    assert math.isclose(chances @ sums, 4)
    assert chances @ (sums - 4) ** 2 <= 3 * found.standard_error**2 * (1 + 1e-12)
    assert np.allclose(chances @ histograms, [1, 0, 2], atol=1e-12)
    variances = chances @ (histograms - [1, 0, 2]) ** 2
    assert np.allclose(chances @ np.array(estimated), variances, atol=1e-10)
    assert variances.max() <= 3 * found.histogram_error**2 * (1 + 1e-12)


@pytest.mark.parametrize("mechanism", ["nearest", "canonical"])
def test_fields(mechanism):
    released = [3, 3, 0, 20, 11]
    receipts = table(mechanism, 20, 1, released)
    found = interpret_table(receipts)
    law = {"nearest": nearest, "canonical": canonical}[mechanism](20, 1)
    Q = np.linalg.inv(law.matrix())  # type: ignore[attr-defined]
    assert found.receipts == tuple(receipts)
    assert found.released_sum == 37
    assert math.isclose(found.released_bias, 5 * law.bias())  # type: ignore[attr-defined]
    assert math.isclose(found.released_error, math.sqrt(5 * law.expected_squared_error()))  # type: ignore[attr-defined]
    assert math.isclose(found.total.value, (Q @ np.arange(21))[released].sum(), rel_tol=1e-10)
    assert math.isclose(found.total.standard_error, math.sqrt(5) * estimator(law).standard_error)
    counts = np.bincount(released, minlength=21)
    assert np.allclose(found.histogram.values, counts @ Q, atol=1e-10)
    assert (found.histogram.standard_errors <= found.histogram.largest_standard_error * 3).all()
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["histogram"] == found.histogram.values.tolist()


@pytest.mark.parametrize("n", [0, 1])
def test_the_smallest_ranges(n):
    found = interpret_table(iter(table("canonical", n, 2, [0, n])))
    assert math.isclose(found.histogram.values.sum(), 2)
    assert str(found)


def test_one_receipt_is_a_table():
    found = interpret_table(table("canonical", 9, 1, [4]))
    assert found.total.value == pytest.approx(estimator(canonical(9, 1)).values[4])


def test_no_inverse():
    found = interpret_table(table("nearest", 20, "0.2", [3, 4], adjacency="add-remove"))
    assert (found.total, found.histogram, found.released_sum) == (NoInverse.SINGULAR, None, 7)
    text = str(found)
    assert "\n  unbiased sum          none\n" in text
    assert "were treated as 20" in text
    assert found.to_dict()["no_unbiased"] == NoInverse.SINGULAR.value


def test_text():
    text = str(interpret_table(table("canonical", 3, 3, [0, 1, 1, 2])))
    head, rows = text.split("\n\n", 1)[0], [line.split() for line in text.splitlines() if line[:16].strip().isdigit()]
    assert head.splitlines()[0] == "Releases    4"
    assert [row[0] for row in rows] == ["0", "1", "2", "3"]
    assert sum(float(row[1]) for row in rows) == pytest.approx(4, abs=0.05)
    assert "no data and no privacy" in text
    assert max(map(len, text.splitlines())) <= 80
    large = str(interpret_table(table("canonical", 40, 1, [0] * 200)))
    assert re.search(r"\n  histogram  +of 41 true counts, standard error of at most [\d.]+; --json has it\n", large)


def test_a_histogram_that_is_of_no_use():
    """Where its standard errors may be larger than the number of releases; JSON has it all the same."""
    for n in (20, 2400):
        found = interpret_table(table("nearest", n, "0.5", [0, 1, 20]))
        assert "istogram" not in str(found)
        assert "Estimated" not in str(found)
        assert "negative" not in str(found)
        assert len(found.to_dict()["histogram"]) == n + 1
    text = " ".join(str(interpret_table(table("nearest", 3, "0.9", [0, 3] * 100))).split())
    assert "Estimated number of releases with each true count, each with a standard error of at most" in text
    assert "No number of releases is negative, but an estimate is" in text
    text = " ".join(str(interpret_table(table("nearest", 2, 3, [0, 1, 2] * 20))).split())
    assert "Estimated number of releases" in text
    assert "negative" not in text


def test_questions_of_single_releases_are_told_once_each():
    receipts = [table("nearest", 5, 1, [0])[0].model_copy(update={"where": f"k = {at // 2}"}) for at in range(16)]
    lines = str(interpret_table(receipts)).splitlines()[1:8]
    assert lines[0] == "Question    rows of people.csv where k = 0"
    assert lines[4:6] == ["            rows of people.csv where k = 4", "            ... and 3 others"]
    assert len(interpret_table(receipts).to_dict()["questions"]) == 8


def test_rounding_is_shown_as_0():
    """At epsilon 40 the inverse is the identity up to 1e-17."""
    text = str(interpret_table(table("nearest", 3, 40, [0, 0, 2])))
    rows = [line.split() for line in text.splitlines() if line[:16].strip().isdigit()]
    assert [row[1] for row in rows] == ["2.00", "0", "1.00", "0"]


@pytest.mark.slow
def test_many_different_totals(tmp_path):
    """300 mechanisms; of the large ones only the edges are looked at, where their errors are."""
    path = tmp_path / "people.csv"
    path.write_text("cell\n" + "0\n" * 700)
    receipt = release_table(path, "cell", range(300), 1, totals=range(400, 700), undeclared="left-out")
    started = time.process_time()
    found = interpret_table(receipt)
    assert time.process_time() - started < 8
    errors = [estimator(nearest(top, 1)).standard_error for top in (400, 550, 699)]
    assert max(errors) - min(errors) < 1e-9
    assert found.total.standard_error == pytest.approx(math.sqrt(300) * errors[0])


def test_audited():
    receipts = table(MATRIX, 2, 3, [0, 1], delta=DELTA)
    found = interpret_table(receipts, mechanism=MATRIX)
    assert found.released_sum == 1
    assert "Mechanism   explicit (audited)\n" in str(found)
    with pytest.raises(InvalidParameter, match="mechanism must be given"):
        interpret_table(receipts)


# --- what does not belong together ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (
            receipt_of("canonical", 9, 1, released=1),
            "mechanism is nearest in the first receipt and canonical in receipt 3",
        ),
        (receipt_of("nearest", 8, 1, released=1), "maximum is 9 in the first receipt and 8 in receipt 3"),
        (receipt_of("nearest", 9, "1.5", released=1), "epsilon is 1 in the first receipt and 1.5 in receipt 3"),
        (receipt_of("nearest", 9, 1, "1e-9", released=1), "delta is 0 in the first receipt and 1e-9|0.000000001"),
        (
            receipt_of("nearest", 9, 1, released=1, adjacency="add-remove"),
            "adjacency is replace-one in the first receipt and add-remove in receipt 3",
        ),
    ],
)
def test_mixed_receipts(other, message):
    with pytest.raises(BadUse, match=message):
        interpret_table([*table("nearest", 9, 1, [1, 2]), other])


def test_mixed_matrices():
    other = from_matrix([[0.5, 0.3, 0.2], [0.2, 0.7, 0.1], [0.0, 0.4, 0.6]])
    with pytest.raises(BadUse, match="receipt 2 names another audited mechanism than the first"):
        interpret_table(
            [*table(MATRIX, 2, 3, [0], delta=DELTA), *table(other, 2, 3, [0], delta=DELTA)], mechanism=MATRIX
        )


def test_the_same_release_twice():
    receipts = table("nearest", 9, 1, [1, 2])
    with pytest.raises(BadUse, match=f"receipt 3 is of a release that is there already .{receipts[0].receipt_id}"):
        interpret_table([*receipts, receipts[0]])


def test_a_receipt_that_was_changed():
    receipts = table("nearest", 9, 1, [1, 2])
    with pytest.raises(BadData, match="changed since the release"):
        interpret_table([receipts[0], receipts[1].model_copy(update={"error_probability": 0.5})])


@pytest.mark.parametrize("receipts", [[], None, "receipt", [1], 7])
def test_no_receipts(receipts):
    with pytest.raises(InvalidParameter, match="receipt"):
        interpret_table(receipts)


# --- by simulation, with a negative control ---------------------------------------------------------------------------

CELLS, BAR = 20_000, 4.0
"""Standard deviations: one side, an error rate of 3e-5."""


@pytest.mark.parametrize("make", [nearest, canonical])
def test_simulated_tables(make):
    """At the lower edge, where the released counts are biased and only the estimates are not."""
    true = np.random.default_rng(3).binomial(12, 0.1, CELLS)
    found = estimator(make(12, "0.9"))
    for drawn_from, is_right in ((make(12, "0.9"), True), (make(12, "0.63"), False)):
        released = simulate(drawn_from, true, rng=np.random.default_rng(5)).tolist()
        histogram = _histogram(found, released)
        scores = (histogram.values - np.bincount(true, minlength=13)) / histogram.standard_errors
        assert bool(np.abs(scores).max() < BAR + 1) is is_right
        error = abs(found.values[released].sum() - true.sum())
        assert (error < BAR * math.sqrt(CELLS) * found.standard_error) or not is_right


# --- the receipt of a table -------------------------------------------------------------------------------------------


@pytest.fixture
def cells(tmp_path):
    """Releases the table of 12 rows in cells 0 to 3, of which 5, 4, 3 and 0 are true."""
    path = tmp_path / "people.csv"
    path.write_text("cell\n" + "0\n" * 5 + "1\n" * 4 + "2\n" * 3)

    def cells(epsilon, delta=0, **options):
        return release_table(path, "cell", range(4), epsilon, delta, **{"undeclared": "left-out", **options})

    return cells


@pytest.mark.parametrize("mechanism", ["nearest", "canonical"])
@pytest.mark.parametrize("delta", [0, "0.01"])
def test_a_table_is_read_like_as_many_receipts(cells, mechanism, delta):
    receipt = cells("0.5", delta, mechanism=mechanism)
    found = interpret_table(receipt)
    alone = interpret_table(table(mechanism, 12, "0.5", receipt.released, delta))
    assert (found.receipts, found.releases) == ((receipt,), 4)
    facts, others = found.to_dict(), alone.to_dict()
    promise = {name: facts.pop(name) for name in ("table_epsilon", "table_delta", "changed_cells")}
    assert facts.pop("keys")[0]["column"] == receipt.by[0]
    assert others.pop("keys") is None
    assert (facts.pop("questions"), others.pop("questions")) == ([receipt.asked], alone.questions)
    assert facts == others
    assert promise == {"table_epsilon": "1", "table_delta": "0" if delta == 0 else "0.0199", "changed_cells": 2}
    start = "\nWhat they say of the true counts\n"
    said, as_said = str(found).split(start)[1], str(alone).split(start)[1]
    assert said.replace("receipt alone", "receipts alone").split() == as_said.replace("releases", "cells").split()
    assert str(found).startswith(
        f"Cells       4\nQuestion    {receipt.asked}\nRange       0 to 12 in every cell\n"
        f"Privacy     epsilon 1, delta {promise['table_delta']}, replace-one, "
        f"for the table\n            epsilon 0.5, delta {delta} for each cell: a change affects at most 2 cells\n"
    )


def test_a_table_with_totals(cells):
    receipt = cells("0.5", totals=[6, 4, 6, 0])
    found = interpret_table(receipt)
    groups = {top: [r for r, m in zip(receipt.released, receipt.maxima, strict=True) if m == top] for top in (0, 4, 6)}
    parts = [interpret_table(table("nearest", top, "0.5", released)) for top, released in groups.items()]
    assert found.released_sum == sum(receipt.released)
    assert found.total.value == pytest.approx(sum(part.total.value for part in parts))
    assert found.total.standard_error == pytest.approx(math.hypot(*(part.total.standard_error for part in parts)))
    assert found.released_bias == pytest.approx(sum(part.released_bias for part in parts))
    assert found.released_error == pytest.approx(math.hypot(*(part.released_error for part in parts)))
    assert (found.histogram, found.mechanism.n, found.releases) == (None, 6, 4)
    assert "Range       0 to the known total of each cell\n" in str(found)
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.slow
def test_the_sum_of_a_table_is_right_on_average(cells):
    """20 tables at a fixed error rate: the mean of the estimates is within 5 standard errors of it (3 in 10^7)."""
    found = [interpret_table(cells(1)).total for _ in range(20)]
    mean = sum(estimate.value for estimate in found) / 20
    assert abs(mean - 12) < 5 * found[0].standard_error / math.sqrt(20)


def test_a_table_of_an_audited_mechanism(cells):
    law = from_matrix([[0.5, 0.3, 0.2, 0.0], [0.3, 0.4, 0.3, 0.0], [0.2, 0.3, 0.5, 0.0], [0.2, 0.3, 0.5, 0.0]])
    receipt = cells(1, mechanism=law, max_count=3)
    assert isinstance(interpret_table(receipt, mechanism=law).total, NoInverse)
    with pytest.raises(InvalidParameter, match=r"^mechanism must be given"):
        interpret_table(receipt)
    impossible = receipt.model_copy(update={"released": (3, 0, 0, 0)})
    with pytest.raises(BadData, match="which never releases 3"):
        interpret_table(impossible, mechanism=law)


@pytest.mark.parametrize(
    "changes", [{"epsilon": "0.4"}, {"delta": "0.1"}, {"maximum": 11}, {"mechanism": "canonical"}], ids=str
)
def test_a_table_that_was_changed(cells, changes):
    with pytest.raises(BadData, match="the receipt was changed since the release"):
        interpret_table(cells("0.5", "0.01").model_copy(update=changes))


def test_a_table_whose_totals_were_changed(cells):
    receipt = cells("0.5", totals=[6, 4, 6, 0])
    with pytest.raises(BadData, match="maxima up to 7"):
        interpret_table(receipt.model_copy(update={"maxima": (6, 4, 7, 0)}))
