"""Two cells whose sum is public are one count: when, at what price, and what a ledger answered before."""

from __future__ import annotations

import json
import math
import sqlite3
from fractions import Fraction
from itertools import combinations_with_replacement

import duckdb
import numpy as np
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hushcount import Ledger, ReadOptions, Session, add_source, create_budget, interpret_table, nearest, release_table
from hushcount.cli import main
from hushcount.counting import read_schema
from hushcount.counting.declared.schema import Schema
from hushcount.errors import BadData, InvalidParameter
from hushcount.ledger import Basis
from hushcount.plan import read_plan
from hushcount.promise import GaussianDP, SeveralPairs
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import mu_squared_of_pure_epsilon
from hushcount.release import TableReceipt
from hushcount.release.payment import Payment
from hushcount.release.subject import Subject
from hushcount.release.table import question as questions
from hushcount.release.table.asked import table_question
from hushcount.release.table.preview import preview

REGIONS = ["north"] * 3 + ["south"] * 4 + [None] * 2
PEOPLE = pa.table({"region": REGIONS, "person": [f"p{number // 2}" for number in range(9)]})
PAIRS = SeveralPairs.of([("0.5", "1e-3"), (1, "1e-6")])
PROMISES = [EpsilonDelta.of("0.5"), EpsilonDelta.of("0.5", "1e-6"), EpsilonDelta.of(0), GaussianDP.of("0.5"), PAIRS]
TRUE = EpsilonDelta.of(1000)
"""At which a count is wrong with a chance below 1e-400."""


def release(promise=TRUE, keys=("north",), source=PEOPLE, by="region", **given) -> TableReceipt:
    name = {"source_name": "people"} if isinstance(source, pa.Table) else {}
    return release_table(source, by, list(keys), promise, **{**name, **given})


# --- when -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("promise", PROMISES)
def test_one_key_and_the_others_cost_one_draw(promise):
    receipt = release(promise)
    assert receipt.price == receipt.promise == promise
    assert (receipt.public_total, receipt.changed_cells, sum(receipt.released)) == (9, 2, 9)
    assert TableReceipt.from_json(receipt.to_json()) == receipt
    assert "the other count is 9 minus it\n" in str(receipt)
    assert "one count, drawn once: the other is 9, the number of rows, minus it" in " ".join(str(receipt).split())


@pytest.mark.parametrize(
    ("keys", "given", "released"),
    [
        (["north"], {}, (3, 6)),
        ([None], {}, (2, 7)),
        (["east"], {"where": "true"}, (0, 9)),
        (["north"], {"unit": "person", "max_cells": 1}, (2, 3)),
        (["south"], {"unit": "person", "max_cells": 1}, (3, 2)),
        (["north"], {"mechanism": "nearest"}, (3, 6)),
        ([("north", "p0")], {"by": ["region", "person"]}, (2, 7)),
        (["north"], {"epsilon": None, "within": 3, "chance": "0.9"}, None),
    ],
)
def test_every_row_or_unit_is_in_one_of_the_cells(keys, given, released):
    receipt = release(**{"promise": given.pop("epsilon", TRUE), "keys": keys, **given})
    assert receipt.price == receipt.promise
    assert sum(receipt.released) == receipt.public_total == (5 if "unit" in given else 9)
    assert released in (None, receipt.released)


def test_bands_and_missing_units():
    people = pa.table({"age": [3, 70, None, 80, 65], "person": ["a", "a", None, None, "b"]})
    assert release_table(people, "age: 65+", None, TRUE, source_name="people").released == (3, 2)
    asked = {"unit": "person", "max_cells": 1, "without_unit": "one-unit", "source_name": "people"}
    receipt = release_table(people, "age: 65+", None, TRUE, **asked)
    assert (receipt.released, receipt.public_total) == ((3, 0), 3)


@pytest.mark.parametrize(
    ("asked", "by"),
    [
        (("--keys", "north", "--max", "9"), "without --max"),
        (("--keys", "north", "--mechanism", "canonical"), "without --mechanism"),
        (("--keys", "north", "--mechanism", "canonical", "--max", "3"), "without --max and --mechanism"),
        (("--keys", "no rth,south", "--undeclared", "left-out"), "with --keys 'no rth', without --undeclared"),
        (("--by", "got", "--keys", "true,false", "--max", "9"), "with --keys true, without --max"),
        (("--by", "age: <18, 18+"), "with --by 'age: 18+'"),
        (("--by", "age: 0-17, 18+"), "with --by 'age: 18+'"),
        (
            ("--by", "age: [18, inf), [-inf, 18)", "--undeclared", "left-out"),
            "with --by 'age: 18+', without --undeclared",
        ),
        (("--keys", "north"), None),
        (("--keys", "north,south"), None),
        (("--keys", "north,nan", "--undeclared", "left-out"), None),
        (("--keys", "north,south,x", "--undeclared", "left-out"), None),
        (("--keys", "north", "--max", "9", "--where", "age > 3"), None),
        (("--keys", "north", "--max", "9", "--adjacency", "add-remove"), None),
        (("--keys", "north", "--mechanism", "within:1"), None),
        (("--keys", "north", "--unit", "person", "--max-cells", "2"), None),
        (("--by", "age: <18, 18-64"), None),
        (("--by", "age: <18, 19+"), None),
        (("--by", "age: <18, 18+, missing"), None),
    ],
)
def test_it_is_told_what_a_table_would_cost_as_one_draw(tmp_path, capsys, asked, by):
    path = tmp_path / "p.csv"
    path.write_text("region,age,person,got\nnorth,3,a,true\nsouth,70,b,false\n")
    given = () if "--by" in asked else ("--by", "region")
    command = ["table", str(path), "--epsilon", "0.5", *given, *asked]
    for more in ((), ("--explain",)):
        assert main([*command, *more]) == 0
        told = capsys.readouterr()
        if more:
            lines = [line for line in told.out.splitlines() if line.startswith("As one draw")]
            assert lines == ([] if by is None else [f"As one draw epsilon 0.5, delta 0, {by}"])
        else:
            note = f"As one draw, {by}, nearly the same table costs half as much"
            assert ("As one draw" in told.err, note in told.err) == (by is not None,) * 2


FAILS = {
    "add-remove": {"adjacency": "add-remove", "max_count": 9},
    "a condition": {"where": "region IS NOT NULL OR region IS NULL"},
    "several cells for a unit": {"unit": "person", "max_cells": 2},
    "a maximum": {"max_count": 9},
    "totals": {"totals": [5]},
    "a named mechanism": {"mechanism": "canonical"},
    "within": {"mechanism": "within:1"},
    "a mechanism of one's own": {"mechanism": nearest(9, "0.5")},
    "two keys and the others": {"keys": ["north", "south"]},
    "one key alone": {"undeclared": "left-out"},
    "two keys alone": {"keys": ["north", "south"], "undeclared": "left-out"},
}


@pytest.mark.parametrize("given", FAILS.values(), ids=FAILS.keys())
def test_where_one_condition_fails_each_cell_is_drawn(given):
    promise = EpsilonDelta.of("0.5")
    receipt = release(promise, **given)
    expected = {"add-remove": 1}.get(receipt.adjacency, min(2, len(receipt.released)))
    assert receipt.public_total is None
    assert "public_total" not in json.loads(receipt.to_json())
    assert receipt.price == promise.of_cells(expected)
    assert "one draw" not in str(receipt)


# --- booleans that cannot be missing ----------------------------------------------------------------------------------

ANSWERS = [True, False, True, True]


def parquet(path, *, nullable):
    schema = pa.schema([pa.field("smokes", pa.bool_(), nullable=nullable)])
    pq.write_table(pa.table([pa.array(ANSWERS)], schema=schema), path)
    return path


def answered(source, keys=(True, False), **given):
    return release(source=source, by="smokes", keys=list(keys), **{"undeclared": "left-out", **given})


def is_one_count(receipt):
    """Whether it is, as the receipt and the price say alike."""
    assert (receipt.public_total is not None) == (receipt.price == receipt.promise)
    return receipt.public_total is not None


@pytest.mark.parametrize("keys", [[True, False], [False, True]])
def test_both_values_of_a_required_boolean(tmp_path, keys):
    receipt = answered(parquet(tmp_path / "a.parquet", nullable=False), keys)
    assert is_one_count(receipt)
    assert receipt.released == ((3, 1) if keys[0] else (1, 3))
    assert not is_one_count(answered(parquet(tmp_path / "b.parquet", nullable=True), keys))


def test_no_value_of_it_may_be_left_out_and_no_cell_more(tmp_path):
    source = parquet(tmp_path / "a.parquet", nullable=False)
    assert not is_one_count(answered(source, [True, None]))
    assert answered(source, [True]).price == TRUE
    assert answered(source, [True, False], undeclared="other").price == TRUE.of_cells(2)
    assert is_one_count(answered(source, [True], undeclared="other"))


def test_all_files_must_be_without_room_for_missing_values(tmp_path):
    parquet(tmp_path / "a.parquet", nullable=False)
    assert is_one_count(answered(f"files:{tmp_path}/*.parquet"))
    parquet(tmp_path / "b.parquet", nullable=True)
    assert not is_one_count(answered(f"files:{tmp_path}/*.parquet"))


def test_a_claim_is_no_declaration(tmp_path):
    """A frame or an Arrow file may say that nothing is missing, and SQLite takes any value as a boolean."""
    schema = pa.schema([pa.field("smokes", pa.bool_(), nullable=False)])
    frame = pa.table([pa.array(ANSWERS)], schema=schema)
    assert not is_one_count(answered(frame))
    with pa.ipc.new_file(tmp_path / "a.arrow", schema) as file:
        file.write_table(frame)
    assert not is_one_count(answered(tmp_path / "a.arrow"))
    with sqlite3.connect(tmp_path / "a.sqlite") as connection:
        connection.execute("CREATE TABLE people (smokes BOOLEAN NOT NULL)")
        connection.executemany("INSERT INTO people VALUES (?)", [(answer,) for answer in ANSWERS])
    assert not is_one_count(answered(tmp_path / "a.sqlite"))
    (tmp_path / "a.csv").write_text("smokes\n" + "".join(f"{answer}\n" for answer in ANSWERS))
    assert not is_one_count(answered(tmp_path / "a.csv", options=ReadOptions(types={"smokes": "boolean"})))


@pytest.mark.parametrize(("declared", "is_one"), [("BOOLEAN NOT NULL", True), ("BOOLEAN", False)])
def test_duckdb_enforces_what_it_declares(tmp_path, declared, is_one):
    with duckdb.connect(str(tmp_path / "a.duckdb")) as connection:
        connection.execute(f"CREATE TABLE people (smokes {declared})")
        connection.executemany("INSERT INTO people VALUES (?)", [(answer,) for answer in ANSWERS])
    receipt = answered(tmp_path / "a.duckdb")
    assert (is_one_count(receipt), receipt.released) == (is_one, (3, 1))


def test_postgresql_enforces_what_it_declares(database):
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("CREATE TABLE people (smokes boolean NOT NULL, may_miss boolean)")
        for answer in ANSWERS:
            connection.execute("INSERT INTO people VALUES (%s, %s)", [answer, answer])
        ((schema,),) = connection.execute("SELECT current_schema()").fetchall()
    options = ReadOptions(table=f"{schema}.people")
    receipt = answered(database, options=options)
    assert (is_one_count(receipt), receipt.released) == (True, (3, 1))
    receipt = release(source=database, by="may_miss", keys=[True, False], undeclared="left-out", options=options)
    assert (is_one_count(receipt), receipt.released) == (False, (3, 1))


def test_a_list_says_whether_it_is_required(tmp_path):
    source, ledger = parquet(tmp_path / "a.parquet", nullable=False), tmp_path / "l.ledger"
    create_budget(ledger, "b", 10)
    add_source(ledger, "b", source)
    asked = {"epsilon": 1, "undeclared": "left-out", "ledger": ledger, "budget": "b"}
    assert is_one_count(release_table(source, "smokes", [True, False], **asked))
    parquet(source, nullable=True)
    with pytest.raises(BadData, match="cannot be read as its columns are listed"):
        release_table(source, "smokes", [True, False], fresh=True, **asked)


def test_a_list_that_does_not_say_so_still_holds(tmp_path):
    """As it was listed before it was asked whether a value may be missing."""
    required = read_schema(parquet(tmp_path / "a.parquet", nullable=False))
    told = required.to_dict()
    del told["columns"][0]["type"]["required"]
    (earlier,), (now,) = Schema.from_dict(told).columns, required.columns
    assert now.fits(earlier)
    assert not earlier.fits(now)


# --- what is asked, without data --------------------------------------------------------------------------------------


def test_explain_says_it_without_data():
    def told(frame):
        asked = table_question(Subject.of(frame, source_name="people"), "region", ["north"], "TRUE", TRUE)
        return preview(asked)

    text = told(PEOPLE)
    assert "Cells       one draw, at epsilon 1000, delta 0; the other count is 9 minus it\n" in text
    assert "Charge      epsilon 1000, delta 0\n" in text
    assert told(pa.table({"region": pa.array([None] * 9, pa.string())})) == text


def test_the_command_says_it(tmp_path, capsys):
    people = tmp_path / "people.csv"
    people.write_text("region\nnorth\nsouth\n")
    command = ["table", str(people), "--by", "region", "--keys", "north", "--epsilon", "1000"]
    assert main([*command, "--explain"]) == 0
    assert "one draw, at epsilon 1000, delta 0; the other count is 2 minus it" in capsys.readouterr().out
    assert main([*command, "--json", "--round-trip", "total=2", "--output", str(tmp_path / "t.csv")]) == 0
    assert json.loads(capsys.readouterr().out)["public_total"] == 2
    assert (tmp_path / "t.csv").read_text().splitlines()[1:] == ['"north",false,1,1', ",true,1,1"]
    assert main([*command, "--round-trip", "total=3"]) == 2
    assert "must be 2, the public number that both counts add up to" in capsys.readouterr().err


# --- what is promised -------------------------------------------------------------------------------------------------


@pytest.fixture
def drawn(monkeypatch):
    """Make the draws of tables tell what was asked of them, and be 0."""
    asked = []

    def zero(law, matching, maxima, progress=None):
        asked.append((law, matching.tolist(), maxima.tolist()))
        return np.zeros(len(matching), dtype=np.int64)

    monkeypatch.setattr(questions, "draw_cells", zero)
    return asked


ROWS = [[("north", None)], [("south", None)], [(None, None)]]
UNITS = [[("north", 1)], [("south", 1)], [(None, 1)], [("south", 1), ("north", 1)], [("south", 1), (None, 1)]]


@pytest.mark.parametrize(("parts", "size", "given"), [(ROWS, 3, {}), (UNITS, 2, {"unit": "who", "max_cells": 1})])
@pytest.mark.parametrize("promise", [EpsilonDelta.of("0.5"), EpsilonDelta.of("0.5", "0.05"), GaussianDP.of(1)])
def test_the_price_is_that_of_one_draw_and_no_less(drawn, parts, size, given, promise):
    """Every data set of so many rows or units, and every neighbor of it: one draw, of a count that moves by at most 1,
    from which all else follows. The joint law keeps the price, and breaks a smaller one."""
    true, laws = {}, {}
    for chosen in combinations_with_replacement(range(len(parts)), size):
        rows = [(key, f"u{at}") for at, part in enumerate(chosen) for key, _ in parts[part]]
        frame = pa.table({"region": pa.array([r[0] for r in rows], pa.string()), "who": [r[1] for r in rows]})
        receipt = release(promise, source=frame, **given)
        assert receipt.released == (0, size)
        assert receipt.price == promise
        law, matching, maxima = drawn.pop()
        assert (len(matching), maxima) == (1, [size])
        true[chosen] = matching[0]
        laws[chosen] = law(size).matrix()[matching[0]]
    pairs = [(a, b) for a in laws for b in laws if len(set_difference(a, b)) == 1]
    assert {true[a] - true[b] for a, b in pairs} == {-1, 0, 1}

    def delta_at(epsilon):
        return max(np.maximum(laws[a] - math.exp(epsilon) * laws[b], 0).sum() for a, b in pairs)

    if isinstance(promise, GaussianDP):
        for epsilon in (0.1, 0.5, 1, 2):
            assert delta_at(epsilon) <= float(promise.least_delta(Fraction(epsilon))) + 1e-12
        return
    assert delta_at(float(promise.epsilon)) <= float(promise.delta) + 1e-12
    assert delta_at(0.99 * float(promise.epsilon)) > float(promise.delta) + 1e-4


def set_difference(one, other):
    """What is in a multiset more often than in another."""
    left = list(one)
    for part in other:
        if part in left:
            left.remove(part)
    return left


# --- what a ledger answered -------------------------------------------------------------------------------------------


@pytest.fixture
def place(tmp_path):
    ledger = tmp_path / "people.ledger"
    create_budget(ledger, "people", 10)
    return ledger


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("region\n" + "".join(f"{region}\n" for region in ["north"] * 5 + ["south"] * 6))
    return path


@pytest.fixture
def before(monkeypatch):
    """What is asked and answered as it was before there were public totals."""

    def asked(call):
        with monkeypatch.context() as earlier:
            earlier.setattr(questions, "may_be_one_count", lambda *_: False)
            return call()

    return asked


def test_an_answer_of_before_stays(place, people, before):
    def ask(**given):
        return release_table(people, "region", ["north"], 1, ledger=place, budget="people", **given)

    old = before(ask)
    (charge,) = Ledger(place).history("people")
    assert (old.public_total, old.price) == (None, EpsilonDelta.of(2))
    assert set(charge.question.about) == OF_BEFORE
    for again in (ask(), ask(request_id=charge.request_id), ask(request_id="another")):
        assert again == old
    assert Ledger(place).budget("people").left.epsilon == 8
    asked = table_question(Subject.of(people), "region", ["north"], "TRUE", EpsilonDelta.of(1))
    told = preview(asked, Payment.of(place, "people"))
    assert "Charge      epsilon 2, delta 0, unless it was answered before\n" in told
    assert "one draw" not in told
    with Session(people, place, "people") as session:
        assert session.table("region", ["north"], 1) == old
        assert session.basis is Basis.STORED


OF_BEFORE = {
    *("by", "cell_delta", "cell_epsilon", "everything", "keys_sha256", "last_maximum", "max_cells", "path_sha256"),
    *("reading", "source", "table", "totals_sha256", "undeclared"),
}


def test_a_fresh_draw_is_one_draw_and_then_the_answer(place, people, before):
    def ask(**given):
        return release_table(people, "region", ["north"], 1, ledger=place, budget="people", **given)

    old = before(ask)
    new = ask(fresh=True)
    assert (new.price, sum(new.released)) == (EpsilonDelta.of(1), 11)
    assert ask() == new != old
    assert [charge.cost.epsilon for charge in Ledger(place).history("people")] == [2, 1]


def test_what_was_paid_for_before_and_not_drawn_is_drawn_so(place, people, before, monkeypatch):
    def ask(**given):
        return release_table(people, "region", ["north"], 1, ledger=place, budget="people", **given)

    with monkeypatch.context() as broken:
        broken.setattr(questions, "draw_cells", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            before(lambda: ask(request_id="one"))
    receipt = ask(request_id="one")
    assert (receipt.public_total, receipt.price) == (None, EpsilonDelta.of(2))
    assert len(Ledger(place).history("people")) == 1


def test_an_answer_of_now_is_kept_and_charged_once(place, people):
    def ask(**given):
        return release_table(people, "region", ["north"], 1, ledger=place, budget="people", **given)

    first = ask()
    (charge,) = Ledger(place).history("people")
    assert ask() == ask(request_id=charge.request_id) == first
    assert first.price == charge.cost == EpsilonDelta.of(1)
    assert charge.question.draws == (EpsilonDelta.of(1), 1)
    assert str(charge.question).endswith(", 2 cells by region, drawn as one count, epsilon 1 x 1 (0 to 11, nearest)")


def test_a_budget_in_mu_pays_for_one_draw(tmp_path, people):
    create_budget(tmp_path / "mu.ledger", "people", mu=5)
    release_table(people, "region", ["north"], GaussianDP.of(2), ledger=tmp_path / "mu.ledger", budget="people")
    release_table(people, "region", ["south"], 1, ledger=tmp_path / "mu.ledger", budget="people")
    of_mu, of_epsilon = Ledger(tmp_path / "mu.ledger").history("people")
    assert of_mu.cost.mu_squared == 4
    assert of_epsilon.cost.mu_squared == mu_squared_of_pure_epsilon(1)


def test_a_plan(place, people, before):
    plan = place.parent / "plan.toml"
    plan.write_text(
        'ledger = "people.ledger"\nbudget = "people"\noutputs = "out"\n[sources.people]\nsource = "people.csv"\n'
        '[[release]]\nname = "t"\nby = "region"\nkeys = ["north"]\nepsilon = 1\n'
    )
    (billed,) = read_plan(plan).check().releases
    assert (billed.price, billed.one_draw) == (EpsilonDelta.of(1), True)
    assert "2 counts of one draw  epsilon 1, delta 0" in str(read_plan(plan).check())
    old = before(lambda: read_plan(plan).run())[0].receipt
    assert old.price == EpsilonDelta.of(2)
    (billed,) = read_plan(plan).check().releases
    assert (billed.price, billed.one_draw, billed.basis) == (EpsilonDelta.of(2), False, Basis.STORED)
    assert read_plan(plan).run()[0].receipt == old
    plan.write_text(plan.read_text().replace("north", "south"))
    new = read_plan(plan).run()[0].receipt
    assert (new.price, new.public_total) == (EpsilonDelta.of(1), 11)
    assert read_plan(plan).run()[0].receipt == new


# --- receipts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changed",
    [
        {"released": [4, 6]},
        {"public_total": 10},
        {"public_total": None},
        {"mechanism": "canonical"},
        {"predicate": "region = 'a'"},
        {"schema_version": 3},
        {"table_epsilon": "0.9"},
        {"adjacency": "add-remove", "changed_cells": 1},
    ],
)
def test_a_receipt_that_hangs_not_together(changed):
    fields = json.loads(release(EpsilonDelta.of(1)).to_json())
    with pytest.raises(BadData, match="not a receipt"):
        TableReceipt.from_json(json.dumps(fields | changed))


def test_a_receipt_of_before_is_read_as_it_was(before):
    old = before(lambda: release(EpsilonDelta.of(1)))
    assert TableReceipt.from_json(old.to_json()) == old
    found = interpret_table(old, level="0.9", simultaneous=True)
    assert found.difference is None
    assert found.cells.cell_level == Fraction(19, 20)


def test_a_total_is_not_what_adds_up_to_something_else():
    subject = Subject.of(PEOPLE, source_name="people")
    asked = table_question(subject, "region", ["north"], "TRUE", TRUE, adds_up_to=8)
    with pytest.raises(InvalidParameter, match="round_trip must be 9, the public number"):
        preview(asked)
