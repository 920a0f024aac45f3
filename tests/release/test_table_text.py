"""What a person reads of a table: promises never rounded down, and what cannot be is "never"."""

from __future__ import annotations

import re

import pytest
from receipts import without_keys

from hushcount import interpret, interpret_table, release_count, release_table
from hushcount.counting.cells.keys import Keys


@pytest.fixture
def release(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("region,year,age\nnorth,2020,70\nsouth,2021,71\n")

    def release(epsilon=1, delta=0, *, by="region", keys=("north", "south"), **options):
        return release_table(path, by, keys, epsilon, delta, **options)

    return release


def lines(receipt, *others):
    return receipt.to_text(*others).splitlines()


def test_small_cells_are_biased(release):
    assert "Cells with few rows are biased upwards; for sums: hushcount interpret --cells" in lines(release())


@pytest.mark.parametrize(
    ("epsilon", "delta", "privacy"),
    [
        ("0.5", 0, "epsilon 1, delta 0"),
        (0.1, 0, "epsilon at most 0.200001, delta 0"),
        ("1/3", "1e-12", "epsilon 2/3, delta at most 2e-12"),
    ],
)
def test_the_promise_is_rounded_up(release, epsilon, delta, privacy):
    text = lines(release(epsilon, delta))
    assert f"Privacy     {privacy}, replace-one, for the table" in text
    assert all(len(line) <= 80 for line in text)


def test_two_key_columns_and_what_adds_up(release):
    keys = Keys.of(["region", "year"], [("north", 2020), ("a\tb", 1)])
    receipt = release(1000, by=["region", "year"], keys=keys)
    assert lines(receipt, keys, [5, 6, 7])[2:6] == [
        "region   year  released  adjusted",
        "north    2020         1         5",
        "a\\tb     1            0         6",
        "(other)               1         7",
    ]
    adjusted = "Adjusted    adds up to 18, by the least change; the rest is about the released"
    assert lines(receipt, keys, [5, 6, 7])[7] == adjusted
    assert not any(line.startswith("Adjusted") for line in lines(receipt, keys))


def test_what_was_just_released_names_its_keys(release):
    receipt = release(1000, undeclared="left-out")
    assert str(receipt).splitlines()[2:5] == ["region  released", "north          1", "south          1"]
    stored = type(receipt).from_json(receipt.to_json())
    assert stored == receipt
    assert str(stored) == str(receipt)


def test_cells_are_numbered_where_the_receipt_has_no_keys(release):
    assert lines(without_keys(release(1000, undeclared="left-out")))[:5] == [
        "Released table: 2 cells",
        "",
        "cell  released",
        "1            1",
        "2            1",
    ]


def test_what_cannot_happen(release):
    text = "\n".join(lines(release(adjacency="add-remove", max_count=2)))
    assert "off by more than 1  in at most" in text
    assert "off by more than 2  never" in text
    assert "each; a change affects at most 1\n" in text
    assert "The declared maxima are public and must have been chosen without looking at the data." in " ".join(
        text.split()
    )


def test_totals(release):
    text = lines(release(totals=[2, 1]))
    assert "Range       0 to the known total of each cell, and 0 to 2 for all other keys" in text
    text = lines(release(totals=[2, 1], undeclared="left-out"))
    assert "Range       0 to the known total of each cell" in text


@pytest.mark.parametrize("columns", [1, 2, 3, 5])
def test_keys_leave_room_on_a_terminal(tmp_path, columns):
    by = [f"{'column' * 8}{at}" for at in range(columns)]
    path = tmp_path / "people.csv"
    path.write_text(",".join(by) + "\n")
    keys = Keys.of(by, [("k" * 80,) * columns])
    text = lines(release_table(path, by, keys, 1, adjacency="add-remove", max_count=10**9 - 1), keys, [1, 1])
    assert all(len(line) <= 80 for line in text[2:5])
    assert text[2].startswith("column")
    assert text[3].count("...") == columns


def told_to_be_given_away(text):
    """The chance that is told, if one is."""
    words = " ".join(str(text).replace("\n  ", " ").split())
    found = re.findall(
        r"with a chance of up to (\S+) the true count of (?:some|the) (?:cell|release) is given away", words
    )
    assert len(found) <= 1
    return found[0] if found else None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("delta", "cells", "chance"),
    [
        ("0.1", 1, "10%"),
        ("0.0999", 1, None),
        (0.1, 2, "19%"),
        ("0.05", 2, "9.8%"),
        ("0.049", 2, None),
        ("0.01", 10, "9.6%"),
        ("0.01", 9, None),
        ("0.5", 10, "99.903%"),
        ("0.999", 3, "100%"),
        ("0.01", 2000, "100%"),
        ("1/3000", 1000, "28.4%"),
        ("1e-6", 99_999, None),
        ("1e-6", 100_000, "9.6%"),
        ("1e-5", 200_000, "86.5%"),
        (0, 200_000, None),
    ],
)
def test_the_chance_that_some_cell_is_given_away(release, delta, cells, chance):
    """1 - (1 - delta)^cells, rounded up, from cells times delta = 0.1 on."""
    keys = [str(number) for number in range(cells)]
    receipt = release(1, delta, keys=keys, undeclared="left-out", adjacency="add-remove", max_count=1)
    assert told_to_be_given_away(receipt) == chance
    assert told_to_be_given_away(interpret_table(receipt)) == chance


def test_the_cell_of_undeclared_keys_may_be_given_away_too(release):
    both = {"keys": ["north"], "adjacency": "add-remove", "max_count": 1}
    assert told_to_be_given_away(release(1, "0.05", **both, undeclared="other")) == "9.8%"
    assert told_to_be_given_away(release(1, "0.05", **both, undeclared="left-out")) is None


def test_a_count_that_follows_from_another_gives_away_no_more(release):
    receipt = release(1, "0.05", keys=["north"])
    assert receipt.public_total is not None
    assert told_to_be_given_away(receipt) is told_to_be_given_away(interpret_table(receipt)) is None
    receipt = release(1, "0.1", keys=["north"])
    assert told_to_be_given_away(receipt) == told_to_be_given_away(interpret_table(receipt)) == "10%"


def test_a_single_count_may_be_given_away(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age\n70\n20\n")
    receipts = [release_count(path, "age >= 65", 1, delta) for delta in ("0.1", "0.09", "0.09")]
    assert "in the worst case, the true count itself is given away that often" in " ".join(str(receipts[0]).split())
    assert [told_to_be_given_away(interpret(receipt)) for receipt in receipts] == ["10%", None, None]
    assert told_to_be_given_away(interpret_table(receipts[1:])) == "17.2%"
