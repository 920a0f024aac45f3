"""The list of sources of a budget: entries of the chain, added and never changed, which every charge must be about."""

from __future__ import annotations

import json
import math
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier

import pytest
from ledgers import charged_before, lift_triggers, question

from hushcount import release_count
from hushcount.counting import ReadOptions
from hushcount.counting.declared.place import place_of
from hushcount.errors import BadData, BadUse, BudgetClosed, InvalidParameter, LedgerUnusable, NoSuchColumn
from hushcount.ledger import Ledger, ListedSource, Verdict, add_source, create_budget, tables
from hushcount.ledger.book import Book
from hushcount.ledger.entry import Entry, Kind
from hushcount.ledger.listed import address_of, stamp_of
from hushcount.ledger.listing import misfit
from hushcount.ledger.location import store_at

ROWS = "person,got\nann,1\nbob,0\n"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(ROWS)
    return path


@pytest.fixture
def listed(place, table):
    """A ledger with the budget `people` that lists `people.csv`."""
    create_budget(place, "people", 10, source=table, protects="person")
    return Ledger(place)


def about(source: ListedSource, where: str = "got = 1", **others):
    """A question about a listed source."""
    return question(where, "0.1", about={**source.about(), **others})


# --- listing ----------------------------------------------------------------------------------------------------------


def test_a_budget_is_made_with_its_source(listed, table):
    (source,) = listed.sources("people")
    assert (source.name, source.unit, source.options) == ("people.csv", None, ReadOptions())
    assert source.schema.shown() == {"person": "text", "got": "integer"}
    assert source.stamp == (len(ROWS), os.stat(table).st_ctime_ns)
    assert source.path_sha256 == place_of(table).sha256
    assert ListedSource.from_body(source.to_body()) == source
    budget = listed.budget("people")
    assert (budget.terms.protects, budget.sources, budget.charges) == ("person", (source,), 0)
    verified = listed.verify()
    assert (verified.entries, verified.verdict) == (2, Verdict.INTACT)


def test_an_entry_that_is_not_spelled_as_it_is_written(listed):
    (source,) = listed.sources("people")
    body = source.to_body()
    for broken in (
        body + " ",
        body.replace('"kind":"text"', '"kind":"text","ibis":"string"'),
        body.replace('"format":"csv"}', '"format":"csv","x":1}'),
    ):
        assert broken != body
        with pytest.raises((ValueError, InvalidParameter)):
            ListedSource.from_body(broken)


def test_the_entry_holds_no_value(listed):
    (source,) = listed.sources("people")
    assert "ann" not in source.to_body()
    shown = {"name", "address", "path_sha256", "options", "unit", "columns"}
    assert set(source.to_dict()) == shown  # and not the size, which tells of the rows
    assert set(json.loads(source.to_body())) == {*shown, "stamp"}


@pytest.mark.slow
def test_a_source_is_added(place, table, tmp_path):
    create_budget(place, "people", 1, protects="person")
    options = ReadOptions(delimiter=";", null="NA", types={"got": "text"})
    (tmp_path / "visits.csv").write_text("who;got\nann;1\nann;NA\n")
    first = add_source(place, "people", table)
    second = add_source(Ledger(place), "people", tmp_path / "visits.csv", options=options, unit="who")
    assert Ledger(place).sources("people") == (first, second)
    assert (second.options, second.unit.column, second.unit.without) == (options, "who", "error")
    assert second.schema.shown() == {"who": "text", "got": "text"}
    assert Ledger(place).verify().is_intact


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "how", "error", "message"),
    [
        (None, {}, BadData, "does not exist"),
        ("a,b\n1\n", {}, BadData, "line 2"),
        ("a,b\n1,x\n", {"options": ReadOptions(types={"b": "integer"})}, BadData, "line 2"),
        ("a,b\n1,x\n", {"unit": "c"}, NoSuchColumn, "no such column: 'c'"),
        ("a,b\n1,x\n2,\n", {"unit": "b"}, BadData, "line 3"),
        ("a,b\n1,x\n", {"without_unit": "one-unit"}, InvalidParameter, "without_unit must be left out"),
        ("a,b\n1,x\n", {"unit": "b", "without_unit": "none"}, InvalidParameter, "without_unit must be one of"),
        ("a,b\n1,x\n", {"unit": ""}, InvalidParameter, "unit must be"),
        ("a,b\n1,x\n", {"options": {"null": "x"}}, InvalidParameter, "options must be a ReadOptions"),
    ],
    ids=str,
)
def test_a_source_that_cannot_be_listed_makes_nothing(file, table, tmp_path, content, how, error, message):
    path = tmp_path / "x.csv"
    if content is not None:
        path.write_text(content)
    with pytest.raises(error, match=message):
        create_budget(file, "people", 1, source=path, **how)
    assert not os.path.exists(file)
    create_budget(file, "people", 1)
    with pytest.raises(error, match=message):
        add_source(file, "people", path, **how)
    assert Ledger(file).verify().entries == 1


def test_a_source_is_listed_once(listed, place, table, tmp_path):
    (tmp_path / "link.csv").symlink_to(table)
    os.link(table, tmp_path / "hard.csv")
    for path in (table, tmp_path / "link.csv", tmp_path / "hard.csv", os.path.relpath(table)):
        with pytest.raises(InvalidParameter, match="source must be one that the budget 'people' does not list already"):
            add_source(place, "people", path, options=ReadOptions(null="ann"))
    assert len(listed.sources("people")) == 1


def test_a_table_without_a_name_is_any_table(listed):
    (source,) = listed.sources("people")
    for table in ("visits", None):
        with pytest.raises(InvalidParameter, match="does not list already"):
            listed.add_source("people", replace(source, options=ReadOptions(table=table)))
    other = replace(source, path_sha256="0" * 64, address="./x.duckdb")
    for table in ("visits", "people"):
        listed.add_source("people", replace(other, options=ReadOptions(table=table)))
    with pytest.raises(InvalidParameter, match="does not list already"):
        listed.add_source("people", other)
    assert listed.verify().is_intact


def test_a_closed_budget_takes_no_source(listed, place, tmp_path):
    (tmp_path / "more.csv").write_text(ROWS)
    listed.close("people")
    with pytest.raises(InvalidParameter, match="an open one: it was closed before"):
        add_source(place, "people", tmp_path / "more.csv")
    assert listed.verify().is_intact


def test_a_budget_that_is_not_there_takes_no_source(listed, place, table):
    with pytest.raises(InvalidParameter, match="budget must be one of the ledger's: 'people'"):
        add_source(place, "visits", table)


def test_a_name_that_is_taken_is_refused_before_the_source_is_read(listed, place, tmp_path):
    with pytest.raises(InvalidParameter, match="name must be one that no budget of the ledger has"):
        create_budget(place, "people", 1, source=tmp_path / "nowhere.csv")


def test_the_older_spelling_of_protects(file, table):
    assert create_budget(file, "a", 1, unit="person").terms.protects == "person"
    assert create_budget(file, "b", 1).terms.protects == "row"
    assert create_budget(file, "c", 1, source=table, unit="person").terms.protects == "unit"
    assert create_budget(file, "d", 1, source=table, unit="person", protects="person").terms.protects == "person"
    with pytest.raises(InvalidParameter, match="unit must be left out: without a source"):
        create_budget(file, "e", 1, unit="person", protects="person")
    for argument in ({"options": ReadOptions()}, {"without_unit": "error"}):
        with pytest.raises(InvalidParameter, match="must be given with a source"):
            create_budget(file, "e", 1, **argument)


# --- where it is ------------------------------------------------------------------------------------------------------


def test_what_is_in_the_folder_of_the_ledger_is_known_from_there(tmp_path):
    folder = tmp_path / "here"
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "people.csv").write_text(ROWS)
    create_budget(folder / "l", "people", 10, source=folder / "data" / "people.csv")
    (source,) = Ledger(folder / "l").sources("people")
    assert source.address == "./data/people.csv"
    asked = {"ledger": folder / "l", "budget": "people"}
    first = release_count(None, "got = 1", 1, **asked)
    moved = shutil.move(folder, tmp_path / "there")
    asked = {"ledger": Path(moved) / "l", "budget": "people"}
    assert release_count(None, "got = 1", 1, **asked) == first
    assert release_count(Path(moved) / "data" / "people.csv", "got = 1", 1, **asked) == first
    with pytest.raises(InvalidParameter, match="does not list already"):
        add_source(Path(moved) / "l", "people", Path(moved) / "data" / "people.csv")
    assert len(Ledger(Path(moved) / "l").history("people")) == 1


def test_what_is_elsewhere_has_a_full_path(tmp_path, table):
    (tmp_path / "ledgers").mkdir()
    create_budget(tmp_path / "ledgers" / "l", "people", 1, source=table)
    assert Ledger(tmp_path / "ledgers" / "l").sources("people")[0].address == os.path.realpath(table)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spelled", "address"),
    [
        ("{here}/a.csv", "./a.csv"),
        ("{here}/b/a.csv", "./b/a.csv"),
        ("{here}/../a.csv", "{above}/a.csv"),
        ("spark:{here}/visits/", "spark:./visits"),
        ("spark:{above}/visits", "spark:{above}/visits"),
        ("spark:visits", "spark:visits"),
        ("spark:s3a://bucket/visits", "spark:s3a://bucket/visits"),
        ("postgresql://keeper:s3cret@host:5433/db?sslmode=require", "postgresql://host:5433/db"),
    ],
)
def test_an_address_leads_back_and_has_no_credentials(listed, tmp_path, spelled, address):
    above = Path(os.path.realpath(tmp_path))
    here = above / "here"
    here.mkdir()
    names = {"here": here, "above": above}
    place = place_of(spelled.format(**names))
    assert address_of(place, here) == address.format(**names)
    listed_there = replace(listed.sources("people")[0], name=place.name, address=address_of(place, here))
    back = listed_there.place(here)
    assert (back.kind, back.identity, back.name) == (place.kind, place.identity, place.name)
    assert listed_there.is_at(place, here)
    assert address_of(place, None) == place.identity


def test_a_ledger_in_postgresql_has_no_folder(database, table):
    create_budget(database, "people", 1, source=table)
    assert Ledger(database).sources("people")[0].address == os.path.realpath(table)
    assert release_count(None, "got = 1", 1, ledger=database, budget="people").source == "people.csv"


@pytest.mark.parametrize("end", ["-wal", "-journal", ".wal"])
def test_a_file_with_a_journal_has_no_stamp(table, end):
    assert stamp_of(place_of(table)) is not None
    Path(f"{table}{end}").touch()
    assert stamp_of(place_of(table)) is None


def test_a_stamp_tells_a_change_whose_time_was_set_back(table):
    before, status = stamp_of(place_of(table)), os.stat(table)
    table.write_text(ROWS.replace("bob", "cid"))
    os.utime(table, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert os.stat(table).st_mtime_ns == status.st_mtime_ns
    assert stamp_of(place_of(table)) != before


# --- charges ----------------------------------------------------------------------------------------------------------


def test_a_charge_is_about_a_listed_source(listed):
    (source,) = listed.sources("people")
    assert listed.charge("people", about(source)).answer is None
    reading = {**source.about()["reading"], "null": "ann"}
    others = [
        {"path_sha256": "0" * 64},
        {"table": "x"},
        {"reading": reading},
        {"reading": {**reading, "types": {"got": "text"}}},
        {"unit": {"column": "person", "without": "error"}},
    ]
    for other in others:
        asked = about(source, **other)
        for call in (listed.charge, listed.check):
            with pytest.raises(InvalidParameter, match="source must be one that the budget 'people' lists"):
                call("people", asked)
    with pytest.raises(InvalidParameter, match="that the budget 'people' lists"):
        listed.charge("people", question())
    assert len(listed.history("people")) == 1


def test_what_was_paid_before_the_list_is_still_free(place, table, tmp_path):
    create_budget(place, "people", 10)
    first = release_count(table, "got = 1", 1, ledger=place, budget="people", request_id="one")
    add_source(place, "people", table)
    assert release_count(None, "got = 1", 1, ledger=place, budget="people") == first
    assert release_count(table, "got = 1", 1, ledger=place, budget="people", request_id="one") == first
    assert len(Ledger(place).history("people")) == 1
    assert Ledger(place).verify().is_intact


def test_a_list_that_comes_while_a_question_is_on_its_way_binds_it(place, table, tmp_path):
    """The question was judged without a list; the charge finds one."""
    (tmp_path / "more.csv").write_text(ROWS)
    create_budget(place, "people", 10)
    late = Ledger(place)
    add_source(place, "people", tmp_path / "more.csv")
    with pytest.raises(InvalidParameter, match="lists"):
        late.charge("people", question(about={"path_sha256": place_of(table).sha256, "table": None}))
    assert late.history("people") == ()


# --- whom a budget protects -------------------------------------------------------------------------------------------


def asks(path="a", unit=None, where="got = 1"):
    told = {} if unit is None else {"unit": {"column": unit, "without": "error"}}
    return question(where, "0.01", about={"path_sha256": path, "table": None, **told})


@pytest.mark.parametrize(
    ("first", "second", "rule"),
    [
        (asks(), asks(where="x"), None),
        (asks(), asks("b"), None),
        (asks(), asks(unit="p"), r"^unit must be left out \(rows\), as in what was charged"),
        (asks(), asks("b", unit="p"), r"^unit must be left out \(rows\), as in what was charged"),
        (asks(unit="p"), asks(unit="p", where="x"), None),
        (asks(unit="p"), asks("b", unit="q"), None),
        (asks(unit="p"), asks(), r"^unit must be 'p', as in what was charged to the budget 'people' so far"),
        (asks(unit="p"), asks("b"), r"^unit must be 'p', as in what was charged"),
        (asks(unit="p"), asks(unit="q"), r"^unit must be 'p', as in what was charged .* \(got 'q'\)$"),
    ],
)
def test_the_charges_so_far_settle_whom_a_budget_protects(budget, first, second, rule):
    ledger = budget(1)
    ledger.charge("people", first)
    if rule is None:
        ledger.check("people", second)
        ledger.charge("people", second)
        return
    for call in (ledger.check, ledger.charge):
        with pytest.raises(InvalidParameter, match=rule):
            call("people", second)
    assert len(ledger.history("people")) == 1


def test_a_third_source_between_two_does_not_hide_the_first(budget):
    ledger = budget(1)
    for asked in (asks("a", "p"), asks("b", "q"), asks("c", "r")):
        ledger.charge("people", asked)
    with pytest.raises(InvalidParameter, match="unit must be 'p'"):
        ledger.charge("people", asks("a", "q", "x"))
    ledger.charge("people", asks("a", "p", "x"))


def test_rows_and_units_at_once_are_not_mixed(budget):
    """Whoever commits first settles it."""
    ledger = budget(1)
    at_once = Barrier(8)

    def charge(number):
        at_once.wait()
        try:
            ledger.charge("people", asks("a", "p" if number % 2 else None, f"a = {number}"))
        except InvalidParameter:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        done = list(threads.map(charge, range(8)))
    assert sum(done) == 4
    assert len(ledger.budget("people").protected) == 1


def test_an_older_budget_that_is_mixed_stays_usable_for_what_it_has(place):
    create_budget(place, "people", 1)
    ledger = Ledger(place)
    charged_before(place, asks("a"), "one")
    charged_before(place, asks("a", "p"), "two")
    ledger.charge("people", asks("a", where="x"))
    ledger.charge("people", asks("a", "p", where="x"))
    with pytest.raises(InvalidParameter, match=r"unit must be 'p' or left out \(rows\)"):
        ledger.charge("people", asks("a", "q"))
    assert dict(ledger.budget("people").protected) == {None: 2, "p": 2}
    assert ledger.verify().is_intact


def test_a_source_is_told_as_it_was_in_earlier_charges(place, table, tmp_path):
    create_budget(place, "people", 10)
    release_count(table, "got = 1", 1, ledger=place, budget="people", unit="person")
    with pytest.raises(InvalidParameter, match="unit must be 'person'"):
        add_source(place, "people", table)
    with pytest.raises(InvalidParameter, match="unit must be 'person'"):
        add_source(place, "people", table, unit="got")
    add_source(place, "people", table, unit="person")
    assert Ledger(place).verify().is_intact


def test_a_party_in_words_may_be_a_row_here_and_a_column_there(place, table, tmp_path):
    (tmp_path / "visits.csv").write_text(ROWS)
    create_budget(place, "people", 10, protects="person", source=table)
    release_count(None, "got = 1", 1, ledger=place, budget="people")
    add_source(place, "people", tmp_path / "visits.csv", unit="person")
    release_count("visits.csv", "got = 1", 1, ledger=place, budget="people")
    assert dict(Ledger(place).budget("people").protected) == {None: 1, "person": 1}
    assert Ledger(place).verify().is_intact


def test_a_budget_that_protects_a_row_has_no_column_beside_it(place, table, tmp_path):
    (tmp_path / "visits.csv").write_text(ROWS)
    create_budget(place, "people", 10, source=table)
    with pytest.raises(InvalidParameter, match="unit must be given or left out as for the other sources"):
        add_source(place, "people", tmp_path / "visits.csv", unit="person")


def test_a_budget_that_names_nobody_has_no_row_beside_its_units(place, table, tmp_path):
    (tmp_path / "visits.csv").write_text(ROWS)
    create_budget(place, "people", 10, source=table, unit="person")
    with pytest.raises(InvalidParameter, match="other sources: the budget protects a unit, and names nobody else"):
        add_source(place, "people", tmp_path / "visits.csv")
    add_source(place, "people", tmp_path / "visits.csv", unit="person")


# --- the chain --------------------------------------------------------------------------------------------------------


def add_entry(place, entry):
    with store_at(place).writing() as connection:
        Book(connection, place).lock().add(entry)


def test_verification_knows_sources(listed, place):
    (source,) = listed.sources("people")
    other = replace(source, path_sha256="1" * 64, address="/x.csv")
    add_entry(place, Entry.of(Kind.SOURCE, "people", request=other.key, body=other.to_body()))
    assert listed.verify().is_intact
    again = replace(source, options=ReadOptions(table="x"))
    wrong = [
        Entry.of(Kind.SOURCE, "people", request=again.key, body=again.to_body()),
        Entry.of(Kind.SOURCE, "people", request="another key", body=replace(other, path_sha256="2" * 64).to_body()),
        Entry.of(Kind.SOURCE, "people", request="x", body="{}"),
        Entry.of(Kind.SOURCE, "people", request="y", body="[]"),
        Entry.of(Kind.SOURCE, "people", request="z", body='{"name": 1}'),
        Entry.of(Kind.SOURCE, "visits", request=source.key, body=source.to_body()),
    ]
    for entry in wrong:
        add_entry(place, entry)
    asked = asks()
    add_entry(
        place,
        Entry.of(
            Kind.CHARGED,
            "people",
            request="r",
            question=asked.sha256,
            price=asked.price,
            left=replace(asked.price, epsilon=10 - asked.price.epsilon),
            body=asked.to_json(),
        ),
    )
    faults = listed.verify().faults
    assert [fault.partition(": ")[0] for fault in faults] == [
        *(f"entry {number} (source)" for number in range(4, 10)),
        "entry 10 (charged)",
    ]
    assert "lists this source already" in faults[0]
    assert "under another one's key" in faults[1]
    assert "cannot be read" in faults[2]
    assert "there is no such budget" in faults[5]
    assert "a source that the budget does not list" in faults[6]


def test_verification_finds_a_source_after_the_end(listed, place):
    (source,) = listed.sources("people")
    other = replace(source, path_sha256="1" * 64, address="/x.csv")
    listed.close("people")
    add_entry(place, Entry.of(Kind.SOURCE, "people", request=other.key, body=other.to_body()))
    assert listed.verify().faults == ("entry 4 (source): the budget was closed before",)


def test_a_changed_list_is_not_believed(listed, place, table):
    with store_at(place).writing() as transaction:
        lift_triggers(transaction)
        transaction.execute("UPDATE hushcount_entries SET body = replace(body, 'integer', 'text') WHERE number = 2")
    with pytest.raises(BadData, match="history that was changed"):
        release_count(None, "got = 1", 1, ledger=place, budget="people")
    assert not listed.verify().is_intact


@pytest.mark.parametrize("body", ["{}", "[]", "x", '{"name": "x", "options": {"null": 1}}'])
def test_a_list_that_no_ledger_wrote_is_not_believed_though_its_hash_fits(listed, place, body):
    add_entry(place, Entry.of(Kind.SOURCE, "people", request="x", body=body))
    for call in (listed.sources, listed.budget, lambda name: listed.charge(name, question())):
        with pytest.raises(LedgerUnusable, match="history that was changed"):
            call("people")
    assert listed.verify().faults == ("entry 3 (source): cannot be read",)


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        {"stamp": [1]},
        {"stamp": [math.inf, 1]},
        {"stamp": [1, 2, 3]},
        {"address": None},
        {"address": "/a\0b"},
        {"address": "/\ud800"},
        {"name": ["x"]},
        {"hash_of_the_data": "0"},
    ],
    ids=str,
)
def test_a_list_with_another_part_is_not_believed(listed, place, change):
    (source,) = listed.sources("people")
    body = json.dumps({**json.loads(source.to_body()), **change}, sort_keys=True, separators=(",", ":"))
    add_entry(place, Entry.of(Kind.SOURCE, "people", request="x", body=body))
    with pytest.raises(LedgerUnusable, match="history that was changed"):
        listed.sources("people")
    assert listed.verify().faults == ("entry 3 (source): cannot be read",)


def test_a_ledger_of_version_1_is_brought_to_the_newest_and_is_intact(place, table, monkeypatch):
    with monkeypatch.context() as older:
        older.setattr(tables, "MIGRATIONS", tables.MIGRATIONS[:1])
        create_budget(place, "people", 10, protects="person")
        first = release_count(table, "got = 1", 1, ledger=place, budget="people")
        head = Ledger(place).head
        with store_at(place).reading() as connection:
            assert tables.schema_version(connection) == 1
    opened = Ledger(place)
    with store_at(place).reading() as connection:
        assert tables.schema_version(connection) == len(tables.MIGRATIONS)
    found = opened.verify(head)
    assert (found.verdict, found.entries, opened.head) == (Verdict.INTACT, 3, head)
    assert opened.budget("people").terms.protects == "person"
    add_source(place, "people", table)
    assert release_count(None, "got = 1", 1, ledger=place, budget="people") == first
    assert opened.verify(head).is_intact
    with monkeypatch.context() as older:
        older.setattr(tables, "MIGRATIONS", tables.MIGRATIONS[:1])
        with pytest.raises(BadData, match="has schema version 3, but this hushcount reads versions up to 1"):
            Ledger(place)


def test_a_stored_answer_outlives_the_budget_and_the_data(listed, place, table):
    first = release_count(None, "got = 1", 1, ledger=place, budget="people", request_id="one")
    listed.close("people")
    assert release_count(None, "got = 1", 1, ledger=place, budget="people") == first
    with pytest.raises(BudgetClosed):
        release_count(None, "got = 0", 1, ledger=place, budget="people")
    table.unlink()
    assert release_count(None, "got = 1", 1, ledger=place, budget="people", request_id="one") == first


# --- for the owner ----------------------------------------------------------------------------------------------------


def test_the_owner_is_told_what_does_not_fit(listed, table):
    (source,) = listed.sources("people")
    assert misfit(listed, source) is None
    table.write_text(ROWS + "cid,many\n")
    told = misfit(listed, source)
    assert told is not None
    assert "line 4" in told
    assert "'got'" in told
    assert "many" not in told
    table.unlink()
    assert "does not exist" in str(misfit(listed, source))
    with pytest.raises(BadUse):
        listed.sources("nobody")
