"""Confidence sets for the cells of a table: each covers, and all together do, at every true count."""

import csv
import io
import itertools
import json
import math
from fractions import Fraction
from pathlib import Path

import brute
import mpmath
import pytest
from receipts import receipt_of

from hushcount import canonical, from_matrix, interpret_table, nearest, release_table
from hushcount.errors import BadUse, InvalidParameter, TooLarge
from hushcount.mechanisms import truncated_geometric
from hushcount.reading.cells import cell_sets
from hushcount.reading.confidence import confidence_set, confidence_sets, likeliest, likeliest_counts

LEVELS = [Fraction(1, 2), Fraction(95, 100), Fraction(999, 1000)]
DOCS = (Path(__file__).parents[2] / "docs" / "tables.md").read_text(encoding="utf-8")


def read(laws, released, maxima, level, simultaneous=False):
    return cell_sets({law.n: law for law in laws}, released, maxima, level, simultaneous)


def covered(rows, found, top):
    """By true count, the chance that the set of what is released contains it; `rows` in many digits."""
    sets = [{i for a, b in found.readings[top, j].confidence_set for i in range(a, b + 1)} for j in range(top + 1)]
    return [mpmath.fsum(p for j, p in enumerate(row) if i in sets[j]) for i, row in enumerate(rows)]


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS, ids=str)
@pytest.mark.parametrize(("epsilon", "delta"), [("0.3", 0), ("0.5", "1e-6"), (1, "0.1")])
@pytest.mark.parametrize("make", [nearest, canonical])
def test_coverage_of_each_cell(make, epsilon, delta, level):
    """At every true count, by enumeration of every outcome in many digits."""
    matrix = {nearest: brute.nearest_matrix, canonical: brute.canonical_matrix}[make]
    tops = (0, 1, 2, 7, 30)
    cells = [(top, released) for top in tops for released in range(top + 1)]
    found = read([make(top, epsilon, delta) for top in tops], [j for _, j in cells], [top for top, _ in cells], level)
    assert (found.cell_level, len(found.readings)) == (level, len(cells))
    for top in tops:
        with mpmath.workdps(brute.digits(top, Fraction(epsilon))):
            assert min(covered(matrix(top, epsilon, delta), found, top)) >= brute.real(level)


@pytest.mark.parametrize("level", LEVELS, ids=str)
@pytest.mark.parametrize("make", [nearest, canonical])
def test_coverage_of_all_cells_together(make, level):
    """Three cells with totals 2, 3 and 2: whatever their true counts are, the product of what each covers."""
    matrix = {nearest: brute.nearest_matrix, canonical: brute.canonical_matrix}[make]
    maxima = (2, 3, 2)
    chances = {}
    for top in set(maxima):
        released = [min(j, top) for j in range(4)]
        found = read([make(top, "0.8")], released[:3], [top] * 3, level, True)
        assert found.cell_level == 1 - (1 - level) / 3
        found = read([make(top, "0.8")], released, [top] * 4, found.cell_level)
        with mpmath.workdps(60):
            chances[top] = covered(matrix(top, "0.8", 0), found, top)
    with mpmath.workdps(60):
        for true in itertools.product(*(range(top + 1) for top in maxima)):
            assert mpmath.fprod(chances[top][i] for top, i in zip(maxima, true, strict=True)) >= brute.real(level)


def test_without_together_all_cells_may_be_missed_more_often():
    """The negative control: sets for each cell do not cover together."""
    level, law = Fraction(4, 5), nearest(20, 1)
    found = read([law], list(range(21)), [20] * 21, level)
    with mpmath.workdps(60):
        assert min(covered(brute.nearest_matrix(20, 1, 0), found, 20)) ** 3 < brute.real(level)


@pytest.mark.grid
@pytest.mark.parametrize("level", [*LEVELS, Fraction(1, 100), 1 - Fraction(1, 10**12)], ids=str)
@pytest.mark.parametrize(
    "law",
    [
        nearest(0, 1),
        nearest(1, 1),
        nearest(40, "0.05"),
        nearest(41, "0.3", "0.01"),
        nearest(40, 0),
        nearest(40, 30),
        canonical(40, "0.3"),
        from_matrix(canonical(12, "0.3").matrix()),
        truncated_geometric(12, "0.3"),
    ],
    ids=lambda law: f"{law.name}-{law.n}-{law.epsilon}-{law.delta}",
)
def test_several_are_read_as_one_is(law, level):
    """Wherever the search starts: ascending, descending and with gaps."""
    for counts in ([*range(law.n + 1)], [*range(law.n, -1, -1)], [*range(0, law.n + 1, 7)], [0, law.n, 0]):
        assert list(confidence_sets(law, counts, level)) == [confidence_set(law, j, level) for j in counts]
        assert list(likeliest_counts(law, counts)) == [likeliest(law, j) for j in counts]


def test_several_in_a_large_range():
    law, counts = nearest(10**9, "0.001"), [0, 1, 500, 10**5, 10**8, 10**9 - 7, 10**9]
    level = Fraction(99, 100)
    assert list(confidence_sets(law, counts, level)) == [confidence_set(law, j, level) for j in counts]
    assert list(likeliest_counts(law, counts)) == [likeliest(law, j) for j in counts]


def test_a_limit():
    with pytest.raises(TooLarge, match="nearest and canonical are read at any size"):
        read([truncated_geometric(4096, 1)], [0], [4096], LEVELS[0])


# --- tables -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def receipt(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("cell\n" + "0\n" * 5 + "1\n" * 4 + "2\n" * 3)
    return release_table(path, "cell", range(4), "0.5", totals=[6, 4, 6, 0], undeclared="left-out")


@pytest.mark.slow
@pytest.mark.parametrize("simultaneous", [False, True], ids=["each", "together"])
def test_a_table(receipt, simultaneous):
    found = interpret_table(receipt, level="0.9", simultaneous=simultaneous).cells
    assert found.simultaneous is simultaneous
    at = Fraction(975, 1000) if simultaneous else Fraction(9, 10)
    assert (found.level, found.cell_level, len(found)) == (Fraction(9, 10), at, 4)
    for cell, (top, released) in enumerate(zip((6, 4, 6, 0), receipt.released, strict=True)):
        law = nearest(top, "0.5")
        assert found[cell].confidence_set == confidence_set(law, released, at)
        assert found[cell].most_likely == likeliest(law, released)
    assert list(found) == [found[cell] for cell in range(4)]
    facts = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert (facts["level"], facts["cell_level"]) == ("0.9", "0.975" if simultaneous else "0.9")
    assert [[tuple(span) for span in spans] for spans in facts["confidence_sets"]] == [
        list(each.confidence_set) for each in found
    ]


def test_single_counts_have_sets_too():
    receipts = [receipt_of("canonical", 100, "0.5", released=j) for j in (1, 50)]
    found = interpret_table(receipts, level="0.95").cells
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert rows[0] == {
        "cell": "1",
        "released": "1",
        "maximum": "100",
        "lower": "0",
        "upper": "100",
        "confidence_set": "0-7 96-100",
        "most_likely": "1",
    }
    assert (rows[1]["lower"], rows[1]["upper"], rows[1]["confidence_set"]) == ("44", "56", "44-56")


def test_no_level_no_sets(receipt):
    found = interpret_table(receipt)
    assert (found.cells, found.to_dict()["cells"]) == (None, None)
    assert "A level, such as 0.95, gives a confidence set" in str(found)


@pytest.mark.parametrize("level", [0, 1, "95", -1, math.nan, "often", True])
def test_bad_levels(receipt, level):
    with pytest.raises(InvalidParameter, match=r"^level"):
        interpret_table(receipt, level=level)


def test_together_takes_a_level(receipt):
    with pytest.raises(BadUse, match="confidence sets, which take a level"):
        interpret_table(receipt, simultaneous=True)


@pytest.mark.parametrize("level", [None, "0.9"])
def test_progress(receipt, level):
    told = []
    interpret_table(receipt, level=level, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert all(0 < part <= 1 for part in told)


def test_text(receipt):
    text = str(interpret_table(receipt, level="0.99", simultaneous=True))
    assert "\nWhat each says, at 99% for all cells together\n  cell  released  confidence set  most likely\n" in text
    assert "all 4 confidence sets contain them with a chance of at least 99%:" in " ".join(text.split())
    text = str(interpret_table(receipt, level="0.99"))
    assert "\nWhat each says, at 99% for each cell\n" in text
    assert "of 4 sets, up to 0.04 are" in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 80


def test_text_of_many_and_of_capped_cells(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("cell\n" + "0\n" * 40)
    found = interpret_table(
        release_table(path, "cell", range(50), 30, adjacency="add-remove", max_count=9, undeclared="left-out"),
        level="0.5",
    )
    text = str(found)
    assert "\n  0            9  9 or more       9 or more\n  1            0  0               0\n" in text
    assert "\n  ... and 30 more\n" in text


# --- the page ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("epsilon", "shown"), [("0.25", 8), ("0.5", 4), ("1", 8), ("2", 5)])
def test_the_figures_of_the_page(epsilon, shown):
    """docs/tables.md, "Do not add up cells": what nearest does to small true counts, in a range of 100 or more."""
    (line,) = [line for line in DOCS.splitlines() if line.startswith(f"| {epsilon} | ")]
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    for n in (100, 10_000):
        law = nearest(n, epsilon)
        figures = [100 * (1 - law.pmf(0, 0)), law.bias(0), law.bias(5), law.bias(20)]
        for text, figure in zip(cells[1:], figures, strict=True):
            number = text.removesuffix(" %")
            places = len(number.partition(".")[2])
            assert f"{figure:.{places or shown}f}".rstrip("0") == (number if places else "0.").rstrip("0")
