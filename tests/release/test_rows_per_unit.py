"""Counts of rows of units, at most so many of each: what is released, charged, kept and read."""

from __future__ import annotations

import json
from fractions import Fraction

import jsonschema
import pyarrow as pa
import pytest

from hushcount import Ledger, Session, create_budget, from_matrix, nearest, release_count
from hushcount.errors import BadData, InvalidParameter
from hushcount.ledger import add_source
from hushcount.numbers.enclosure import ball, nearest_float
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP
from hushcount.promise.several import SeveralPairs
from hushcount.reading import at_least, interpret, interpret_table
from hushcount.reading.law import law_of, laws_of
from hushcount.release import Receipt, TableReceipt, release_table
from hushcount.release.receipt import schema_text
from hushcount.release.table.found import FROM_DATA
from hushcount.release.table.receipt import schema_text as table_schema_text
from hushcount.report import report_page

SURE = 10**5
"""An epsilon at which the true count comes out."""

ROWS = [("a", "n", 70)] * 5 + [("b", "n", 70), ("b", "s", 70), ("b", "s", 20), ("c", "x", 90), ("d", "n", 10)]
MATCHING_OF_TWO = 2 + 2 + 1


@pytest.fixture
def visits(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("who,region,age\n" + "".join(f"{who},{region},{age}\n" for who, region, age in ROWS))
    return path


def count(source, rows=2, epsilon=SURE, **given):
    return release_count(source, "age >= 65", epsilon, unit="who", rows_per_unit=rows, **given)


# --- one count --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rows", "expected"), [(1, 3), (2, 5), (3, 6), (5, 8), (100, 8)])
def test_a_count(visits, rows, expected):
    """The sum over units of min(S, matching rows); the range is public by the number of units, or declared."""
    receipt = count(visits, rows)
    assert (receipt.released, receipt.maximum) == (expected, rows * 4)
    capped = count(visits, rows, adjacency="add-remove", max_count=100)
    assert (capped.released, capped.maximum) == (expected, 100)
    assert receipt.question == f"rows of visits.csv, at most {rows} of each who, where age >= 65"
    assert (receipt.schema_version, receipt.unit.rows_per_unit) == (5, rows)
    assert Receipt.from_json(receipt.to_json()) == receipt
    jsonschema.validate(json.loads(receipt.to_json()), json.loads(schema_text()), cls=jsonschema.Draft202012Validator)


def test_one_row_of_each_is_a_count_of_units(visits):
    ours, units = count(visits, 1, "0.7"), release_count(visits, "age >= 65", "0.7", unit="who")
    same = ("maximum", "epsilon", "delta", "adjacency_meaning", "error_probability", "chance_off_by_more_than")
    assert [getattr(ours, name) for name in same] == [getattr(units, name) for name in same]
    assert law_of(ours) == law_of(units)
    assert (units.schema_version, units.unit.rows_per_unit) == (1, None)
    assert "rows_per_unit" not in units.to_json()


@pytest.mark.parametrize(
    "promise",
    [EpsilonDelta.of("0.5", "0.01"), GaussianDP.of("0.3"), SeveralPairs.of([(1, 0), ("0.4", "0.05")])],
    ids=str,
)
def test_what_draws_it_is_made_for_one_row(visits, promise):
    receipt = count(visits, 3, promise)
    assert receipt.promise == promise
    drawn_at = promise.per_row(3)
    made = (
        nearest(12, drawn_at.epsilon, drawn_at.delta) if isinstance(drawn_at, EpsilonDelta) else nearest(12, drawn_at)
    )
    assert law_of(receipt) == made
    assert receipt.error_probability == made.error_probability
    read = interpret(receipt)
    assert read.confidence_set == interpret(Receipt.from_json(receipt.to_json())).confidence_set
    text = str(receipt)
    assert f"Each row    {drawn_at.in_words(lambda x: '')[:4]}" in text
    assert "3 together keep the promise" in text
    assert "What is counted are matching rows, at most 3 of each unit." in " ".join(text.split())
    assert "With 3 rows of each unit a count is at most 12, which is public." in " ".join(text.split())


def test_at_least_so_many_rows(visits):
    """The bound on private tests goes by changes of the data: S rows are one."""
    receipt = count(visits, 3, EpsilonDelta.of(1, "0.01"))
    test = at_least(receipt, 4).test

    def largest(f, steps):
        return nearest_float(lambda p: f.largest_after(ball(Fraction(1, 20)), ball(Fraction(19, 20)), steps))

    for rows, changes in ((1, 1), (3, 1), (4, 2), (6, 2), (7, 3)):
        assert test.largest_chance(3 + rows) == largest(receipt.promise, changes)
        # What draws it is private for each row, so its own test is no better than this
        assert test.chance(3 + rows) <= largest(receipt.promise.per_row(3), rows) + 1e-12
    for true in range(4, 13):
        assert test.chance(true) <= test.largest_chance(true) + 1e-12


def test_a_mechanism_of_ones_own_keeps_the_promise_for_one_row(visits):
    promise = EpsilonDelta.of(1, "0.1")
    receipt = count(visits, 2, promise, mechanism=from_matrix(nearest(8, "0.5", "0.037").matrix()))
    assert receipt.audit.least_delta == pytest.approx(0.037)
    assert Receipt.from_json(receipt.to_json()) == receipt
    with pytest.raises(InvalidParameter, match=r"mechanism must be private at epsilon 0\.5"):
        count(visits, 2, promise, mechanism=from_matrix(nearest(8, 1).matrix()))
    changed = json.loads(receipt.to_json())
    changed["unit"]["rows_per_unit"] = 20
    with pytest.raises(BadData, match="the least delta of the audit must be at most delta"):
        Receipt.from_json(json.dumps(changed))


@pytest.mark.parametrize("currency", ["epsilon", "mu"])
@pytest.mark.parametrize("mechanism", ["nearest", "within:2"])
def test_an_accuracy_takes_so_many_times_as_much(visits, currency, mechanism):
    given = {"within": 2, "chance": "0.8", "currency": currency, "mechanism": mechanism}
    one = release_count(visits, "age >= 65", adjacency="add-remove", max_count=30, unit="who", **given)
    three = count(visits, 3, None, adjacency="add-remove", max_count=30, **given)
    if currency == "epsilon":
        ratio = three.promise.epsilon / one.promise.epsilon
    else:
        ratio = three.promise.exact_mu / one.promise.exact_mu
    assert 3 * 0.99 < ratio < 3 * 1.01
    assert three.chance_off_by_more_than[2] <= 0.2
    with pytest.raises(InvalidParameter, match="delta must be 0 beside `within` and `chance`"):
        count(visits, 3, None, delta="0.1", within=2, chance="0.8")


# --- a table ----------------------------------------------------------------------------------------------------------


def table(source, keys, rows=2, epsilon=SURE, **given):
    return release_table(source, "region", keys, epsilon, unit="who", rows_per_unit=rows, **given)


def test_a_table(visits):
    """All rows of a are in one cell, of which two count; of the three of b, two are drawn by lot."""
    seen = set()
    for _ in range(40):
        receipt = table(visits, ["n", "s"])
        assert sum(receipt.released) == 2 + 2 + 1 + 1
        assert (receipt.released[2], receipt.maximum) == (1, 8)
        seen.add(receipt.released)
    assert seen == {(3, 2, 1), (4, 1, 1)}
    assert (receipt.max_cells, receipt.changed_cells, receipt.schema_version) == (None, 2, 5)
    assert receipt.price == EpsilonDelta.of(2 * SURE)
    assert TableReceipt.from_json(receipt.to_json()) == receipt
    schema = json.loads(table_schema_text())
    jsonschema.validate(json.loads(receipt.to_json()), schema, cls=jsonschema.Draft202012Validator)
    text = " ".join(str(receipt).split())
    assert "a change moves them by at most 4 rows together" in text
    assert "at most 2 of each unit in all cells together. Of a unit with more, a lot decides" in text
    left_out = table(visits, ["n", "s"], 5, undeclared="left-out", adjacency="add-remove", max_count=9)
    assert (left_out.released, left_out.changed_cells) == ((5 + 1 + 1, 2), 1)
    assert left_out.price == left_out.promise


def test_what_draws_a_table_is_made_for_one_row(visits):
    receipt = table(visits, ["n", "s"], 3, EpsilonDelta.of(1, "0.01"))
    assert receipt.price == EpsilonDelta.of(2, "0.0199")
    drawn_at = receipt.promise.per_row(3)
    assert laws_of(receipt) == {12: nearest(12, drawn_at.epsilon, drawn_at.delta)}
    assert "moves them by at most 6 together" in str(interpret_table(receipt))
    assert "at most 3 of each who" in report_page([receipt])
    in_mu = table(visits, ["n", "s"], 3, GaussianDP.of("0.3"))
    assert in_mu.price.mu_squared == 2 * Fraction(9, 100)
    assert laws_of(in_mu) == {12: nearest(12, mu="0.1")}


def test_groups_from_the_data():
    """Of 30 units with three rows two count each; the group of one row is hidden, but for a chance of 1e-9."""
    units = (
        [(f"u{at}", "n") for at in range(30) for _ in range(3)] + [(f"v{at}", "s") for at in range(25)] + [("w", "x")]
    )
    frame = pa.table({"who": [who for who, _ in units], "region": [region for _, region in units]})
    given = {"delta": "0.5", "adjacency": "add-remove", "max_count": 99, "source_name": "visits"}
    receipt = table(frame, FROM_DATA, 2, 40, **given)
    assert dict(zip(receipt.keys[0].spelled, receipt.released, strict=True)) == {"n": 60, "s": 25}
    assert (receipt.max_cells, receipt.changed_cells, receipt.schema_version) == (None, 1, 5)
    assert receipt.price == receipt.promise
    assert TableReceipt.from_json(receipt.to_json()) == receipt
    assert laws_of(receipt) == {99: nearest(99, receipt.promise.per_row(2), never_invented=True)}
    assert "a group of so many rows" in str(receipt)
    assert "at most 2 of each unit in all groups together" in " ".join(str(receipt).split())
    with pytest.raises(InvalidParameter, match="rows_per_unit must be fewer, or epsilon smaller"):
        table(frame, FROM_DATA, 5, 1000, **given)


@pytest.mark.parametrize("rows", [1, 2])
def test_two_cells_are_no_one_count(visits, rows):
    """The number of rows that count is not public, as that of all rows or of all units is."""
    receipt = table(visits, ["n"], rows)
    assert (receipt.public_total, receipt.price) == (None, EpsilonDelta.of(2 * SURE))
    changed = json.loads(receipt.to_json()) | {"public_total": sum(receipt.released), "table_epsilon": str(SURE)}
    with pytest.raises(BadData, match="public_total must be"):
        TableReceipt.from_json(json.dumps(changed | {"maximum": sum(receipt.released)}))


def test_totals_and_the_range(visits):
    assert table(visits, ["n", "s"], totals=[8, 2]).released[0] in (3, 4)
    with pytest.raises(
        InvalidParameter, match="totals must be at most the number of units times 2, 8, which is public"
    ):
        table(visits, ["n", "s"], totals=[9, 2])


# --- budgets ----------------------------------------------------------------------------------------------------------


def test_a_session_charges_what_a_unit_costs(visits, tmp_path):
    place = tmp_path / "people.ledger"
    create_budget(place, "people", 10, "0.1")
    with Session(visits, place, "people") as session:
        first = session.count("age >= 65", 1, "0.01", unit="who", rows_per_unit=3)
        assert session.remaining == EpsilonDelta.of(9, "0.09")
        assert session.count("age >= 65", 1, "0.01", unit="who", rows_per_unit=3) == first
        assert session.count("age >= 65", 1, "0.01", unit="who", rows_per_unit=2) != first
        tabled = session.table("region", ["n", "s"], 1, "0.01", unit="who", rows_per_unit=3)
        assert tabled.schema_version == 5
        assert session.remaining == EpsilonDelta.of(6, "0.0601")
        assert session.table("region", ["n", "s"], 1, "0.01", unit="who", rows_per_unit=3) == tabled
        with pytest.raises(InvalidParameter, match="unit must be 'who'"):
            session.count("age >= 65", 1)
        said = [str(charge) for charge in session.history()]
        assert "rows of visits.csv, at most 3 of each who, where age >= 65 (0 to 12, nearest)" in said[0]
        assert "all rows of visits.csv, at most 3 of each who, 3 cells by region, epsilon 1 x 2" in said[2]
        assert session.history()[2].to_dict()["about"]["max_cells"] is None
    Ledger(place).verify()


def test_a_budget_for_units_takes_it_and_one_for_rows_does_not(visits, tmp_path):
    place = tmp_path / "people.ledger"
    for name, unit in (("people", "who"), ("rows", None)):
        create_budget(place, name, 100)
        add_source(place, name, visits, unit=unit)
    asked = {"where": "age >= 65", "epsilon": 1, "ledger": place, "rows_per_unit": 2}
    for given in ({"unit": "who"}, {}):
        receipt = release_count(visits, budget="people", **given, **asked)
        assert receipt.unit.rows_per_unit == 2
    assert Ledger(place).budget("people").left == EpsilonDelta.of(99)
    for given in ({"unit": "who"}, {}):
        with pytest.raises(InvalidParameter, match=r"^(unit|rows_per_unit) must be left out"):
            release_count(visits, budget="rows", **given, **asked)
    assert Ledger(place).budget("rows").left == EpsilonDelta.of(100)


def test_a_budget_in_mu_charges_a_table_by_its_price(visits, tmp_path):
    """A unit may change more cells by less, so the mu^2 of two cells at epsilon is not known to be enough."""
    place = tmp_path / "people.ledger"
    create_budget(place, "people", mu=4)
    with Session(visits, place, "people") as session:
        session.table("region", ["n", "s"], "0.5", unit="who", rows_per_unit=3)
        session.count("age >= 65", 1, unit="who", rows_per_unit=3)
        table_cost, count_cost = (charge.cost for charge in session.history())
        assert table_cost == count_cost
        session.table("region", ["n", "s"], mu="0.3", unit="who", rows_per_unit=3)
        assert session.history()[2].cost.mu_squared == 2 * Fraction(9, 100)


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [0, -1, 1.5, 10**9 + 1, "2", True], ids=repr)
def test_bad_numbers(visits, rows):
    for asked in (lambda: count(visits, rows), lambda: table(visits, ["n"], rows)):
        with pytest.raises(InvalidParameter, match="rows_per_unit must be an integer"):
            asked()


def test_a_thousand_million_rows(visits):
    assert count(visits, 10**9, 10**14).released == 8


def test_what_does_not_go_together(visits):
    with pytest.raises(InvalidParameter, match="rows_per_unit must be left out without a unit"):
        release_count(visits, "age >= 65", 1, rows_per_unit=2)
    with pytest.raises(InvalidParameter, match="rows_per_unit must be at most the largest count, 3"):
        count(visits, 4, adjacency="add-remove", max_count=3)
    for keys, given in ((["n"], {}), (FROM_DATA, {"delta": "0.1", "adjacency": "add-remove", "max_count": 9})):
        with pytest.raises(InvalidParameter, match="max_cells must be left out where rows are counted"):
            table(visits, keys, 2, 1, max_cells=2, **given)


def test_a_receipt_must_hang_together(visits):
    receipt = json.loads(table(visits, ["n", "s"]).to_json())
    for change, message in (
        ({"max_cells": 2}, "max_cells must be there where units are counted"),
        ({"schema_version": 3}, "schema_version must be 5"),
        ({"changed_cells": 4}, "changed_cells must be"),
        ({"unit": {**receipt["unit"], "rows_per_unit": 0}}, "greater than or equal to 1"),
    ):
        with pytest.raises(BadData, match=message):
            TableReceipt.from_json(json.dumps(receipt | change))


def test_nobody(tmp_path):
    empty = pa.table({"who": pa.array([], pa.string()), "age": pa.array([], pa.int64())})
    receipt = count(empty, 3, source_name="empty")
    assert (receipt.released, receipt.maximum) == (0, 0)
    assert "There are no units, so 0 is the only possible count." in " ".join(str(receipt).split())
