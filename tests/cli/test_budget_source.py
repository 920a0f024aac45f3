"""`hushcount budget create --source`, `budget source` and releases from a list: less to type, and nothing to choose."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from contextlib import closing

import pyarrow as pa
import pytest
from ledgers import charged_before, question

from hushcount.ledger import Ledger, create_budget

ROWS = "person,got\nann,1\nbob,0\ncid,1\n"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(ROWS)
    return path


@pytest.fixture
def ledger(tmp_path):
    return tmp_path / "people.ledger"


@pytest.fixture
def listed(run, table, ledger):
    asked = ("budget", "create", "people", "--ledger", ledger, "--epsilon", 5, "--source", table)
    return run(*asked, "--protects", "person").succeeds()


@pytest.fixture
def release(run, ledger):
    def release(*more, where="got = 1"):
        return run("release", *more, "--where", where, "--epsilon", "0.5", "--ledger", ledger, "--budget", "people")

    return release


@pytest.mark.parametrize(
    ("odd", "told"),
    [
        (["NA"], "1 of its values is no number as hushcount reads them, the first on line 5 of "),
        (["7", "n/a", "007"], "2 of its values are no numbers as hushcount reads them, the first on line 6 of "),
        (["a", "b", "c", "d"], None),
        (["8"], None),
        (["nan", ""], None),
    ],
)
def test_a_text_among_numbers_is_told_to_the_owner_alone(run, table, ledger, odd, told):
    """Where it is listed, and never again: a list is for whoever asks."""
    rows = "".join(f"p{number},{number}\n" for number in range(30)).splitlines(keepends=True)
    rows[3:3] = [f"x,{text}\n" for text in odd]
    table.write_text(f"person,age\n{''.join(rows)}")
    place = ("--ledger", ledger)
    created = run("budget", "create", "people", *place, "--epsilon", 5, "--source", table, "--protects", "person")
    run("budget", "create", "others", *place, "--epsilon", 5, "--protects", "person").succeeds()
    added = run("budget", "source", "add", "others", "--source", table, *place)
    for answer in (created, added):
        assert answer.code == 0
        assert told is None or told not in answer.out
        if told is None:
            assert answer.err == ""
        else:
            assert answer.err.startswith("hushcount: note: Column 'age' is a text, since ")
            assert told in answer.err
    for command in ("list", "check"):
        shown = run("budget", "source", command, "people", *place)
        assert shown.err == ""
        assert "line" not in shown.out
    assert Ledger(ledger).sources("people")[0].schema.notes == ()
    with closing(sqlite3.connect(ledger)) as connection:
        assert "is no number" not in "\n".join(connection.iterdump())


def test_create(listed):
    assert listed == (
        "Budget      people\n"
        "Protects    one person, replace-one\n"
        "Source      people.csv: one row is one person\n"
        "Composition basic\n"
        "Total       epsilon 5, delta 0\n"
        "Spent       epsilon 0, delta 0\n"
        "Left        epsilon 5, delta 0\n"
        "Charges     0\n"
        "State       open\n"
        "\n"
        "Source      people.csv\n"
        "Counted     one row is one person\n"
        "Columns\n"
        "  person  text\n"
        "  got     integer\n"
    )


@pytest.mark.slow
def test_release_needs_no_file(listed, release, run, table, ledger, monkeypatch):
    text = release().succeeds()
    assert re.match(r"Released count: [0-3]\n\nQuestion    rows of people\.csv where got = 1\n", text)
    assert release("people.csv").out == release(table).out == text
    monkeypatch.chdir(table.parent)
    assert release("people.csv", "--delimiter", ",", "--type", "got=integer", "--header").out == text
    assert len(Ledger(ledger).history("people")) == 1
    cells = run(
        "table", "--by", "got", "--keys", "0,1", "--epsilon", "0.5", "--ledger", ledger, "--budget", "people"
    ).succeeds()
    assert "all rows of people.csv, by got" in cells or "rows of people.csv, by got" in cells


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--null", "ann"], "--null must be '', as people.csv is listed, or left out (got 'ann')"),
        (["--null", "x", "--unit", "person"], "--null must be ''"),
        (["--unit", "person"], "--unit must be left out: rows are counted, as people.csv is listed (got 'person')"),
        (["--without-unit", "one-unit"], "--without-unit must be left out: rows are counted, as people.csv is listed"),
        (["--type", "got=text"], "--type must be those of people.csv as it is listed, or left out (got 'got=text')"),
        (["--no-header"], "--header must be True, as people.csv is listed, or left out (got False)"),
        (["--format", "csv"], "--format must be 'auto', as people.csv is listed, or left out (got 'csv')"),
        (["--table", "x"], "--table must be as the budget 'people' lists it, or left out (got 'x')"),
        (["other.csv"], "SOURCE must be one that the budget 'people' lists, by its path, or by its name if no"),
        (["--source", "postgresql://u:s3cret@h/d"], "--source must be one that the budget 'people' lists"),
        (["--source=postgresql://u:s3cret@h/d"], "--source must be one that the budget 'people' lists"),
    ],
    ids=str,
)
def test_what_differs_is_refused(listed, release, ledger, more, message):
    said = release(*more).fails_with(2)
    assert said.startswith(message)
    assert "s3cret" not in said
    assert Ledger(ledger).history("people") == ()


def test_a_wrong_delimiter_is_told_from_the_list(run, release, table, ledger):
    how = ("--delimiter", ";", "--protects", "person", "--epsilon", "1")
    run("budget", "create", "people", "--source", table, "--ledger", ledger, *how).succeeds()
    told = "no such column: 'got'; there is one column, 'person,got'; is the delimiter right?"
    assert release().fails_with(2) == told


def test_two_tables_of_one_database_are_told_apart(run, ledger, tmp_path):
    with closing(sqlite3.connect(tmp_path / "clinic.db")) as connection:
        connection.execute("CREATE TABLE people (age INTEGER)")
        connection.execute("CREATE TABLE visits (who TEXT, cost INTEGER)")
        connection.commit()
    run("budget", "create", "clinic", "--ledger", ledger, "--epsilon", "1", "--protects", "person").succeeds()
    add = ("budget", "source", "add", "clinic", "--source", tmp_path / "clinic.db", "--ledger", ledger)
    run(*add, "--table", "people").succeeds()
    run(*add, "--table", "visits", "--unit", "who", "--without-unit", "one-unit").succeeds()
    assert (
        "Source      people in clinic.db: one row is one person\n"
        "Source      visits in clinic.db: rows with the same who are one person; rows without it are one person too\n"
    ) in run("budget", "show", "clinic", "--ledger", ledger).succeeds()
    again = run(*add, "--table", "visits").fails_with(2)
    assert again == (
        "--source must be one that the budget 'clinic' does not list already; how a source is read, and its unit, "
        "stay as listed (got 'clinic.db')"
    )


def test_a_budget_of_rows_says_so_once(run, table, ledger):
    text = run("budget", "create", "p", "--source", table, "--ledger", ledger, "--epsilon", "1").succeeds()
    assert "Protects    one row, replace-one\nSource      people.csv: one row is one\n" in text


def test_no_listed_source_is_written_over(listed, release, run, ledger, tmp_path):
    (tmp_path / "more.csv").write_text(ROWS)
    run("budget", "source", "add", "people", "--source", tmp_path / "more.csv", "--ledger", ledger).succeeds()
    said = release("people.csv", "--output", tmp_path / "more.csv").fails_with(2)
    assert said.startswith("--output must be another file than those that are read")
    assert (tmp_path / "more.csv").read_text() == ROWS
    assert Ledger(ledger).history("people") == ()


def test_the_condition_is_judged_by_the_list(listed, release, table, ledger):
    table.unlink()
    assert release(where="person > 5").fails_with(2).startswith("column 'person' (text) cannot be compared with 5")
    assert release(where="age > 5").fails_with(2) == "no such column: 'age'"
    assert release().fails_with(3) == "people.csv does not exist"
    assert Ledger(ledger).history("people") == ()


def test_a_mistake_without_a_list_names_the_command_that_makes_it_free(run, table, ledger):
    run("budget", "create", "people", "--ledger", ledger, "--epsilon", "1").succeeds()
    asked = ("release", table, "--where", "person > 65", "--epsilon", "0.5", "--ledger", ledger, "--budget", "people")
    message = run(*asked).fails_with(2)
    assert "epsilon 0.5, delta 0 stay charged to the budget 'people'" in message
    assert "(`hushcount budget source add`), such mistakes are free" in message
    run("budget", "source", "add", "people", "--source", table, "--ledger", ledger).succeeds()
    assert "charged" not in run(*asked).fails_with(2)
    assert len(Ledger(ledger).history("people")) == 1


# --- budget source ----------------------------------------------------------------------------------------------------


def test_add_list_and_check(listed, run, ledger, tmp_path):
    visits = tmp_path / "visits.csv"
    visits.write_text("who;when;what\nann;01.02.2024;x\nann;02.02.2024;NA\n")
    how = ("--delimiter", ";", "--null", "NA", "--date-format", "%d.%m.%Y", "--type", "what=text", "--unit", "who")
    shown = run("budget", "source", "add", "people", "--source", visits, "--ledger", ledger, *how).succeeds()
    assert shown == (
        "Source      visits.csv\n"
        "Counted     rows with the same who are one person\n"
        "Reading     delimiter: ';'\n"
        "Reading     null: 'NA'\n"
        "Reading     date_format: %d.%m.%Y\n"
        "Reading     types: what=text\n"
        "Columns\n"
        "  who   text\n"
        "  when  date\n"
        "  what  text\n"
    )
    both = run("budget", "source", "list", "people", "--ledger", ledger).succeeds()
    assert both.endswith(f"\n\n{shown}")
    found = json.loads(run("budget", "source", "list", "people", "--ledger", ledger, "--json").succeeds())
    assert [source["name"] for source in found["sources"]] == ["people.csv", "visits.csv"]
    assert found["sources"][1]["unit"] == {"column": "who", "without": "error"}
    budget = run("budget", "show", "people", "--ledger", ledger).succeeds()
    assert "Protects    one person, replace-one\n" in budget
    assert (
        "Source      people.csv: one row is one person\nSource      visits.csv: rows with the same who are one person\n"
        in budget
    )
    check = ("budget", "source", "check", "people", "--ledger", ledger)
    assert run(*check).succeeds() == (
        "Source      people.csv: as it is listed\nSource      visits.csv: as it is listed\n"
    )
    visits.write_text("who;when;what\nann;01.02.2024;x\nann;soon;NA\n")
    checked = run(*check)
    assert (checked.code, checked.err) == (1, "")
    assert "Source      people.csv: as it is listed\n" in checked.out
    assert "line 3" in checked.out
    assert "'when'" in checked.out
    assert "soon" not in checked.out
    checked = run(*check, "--json")
    assert checked.code == 1
    assert [source["fault"] is None for source in json.loads(checked.out)["sources"]] == [True, False]
    assert run("budget", "verify", "--ledger", ledger).code == 0


def test_what_is_known_by_a_name_alone_is_not_checked(run, ledger):
    create_budget(ledger, "people", 1, source=pa.table({"age": [70]}), source_name="visits-2026")
    assert run("budget", "source", "list", "people", "--ledger", ledger).succeeds() == (
        "Source      visits-2026\nCounted     one row is one\nColumns\n  age  integer\n"
    )
    check = ("budget", "source", "check", "people", "--ledger", ledger)
    assert run(*check).succeeds() == (
        "Source      visits-2026: not here; its data come with each question, and are checked then\n"
    )
    assert json.loads(run(*check, "--json").succeeds())["sources"] == [
        {"name": "visits-2026", "table": None, "checked": False, "fault": None}
    ]
    asked = run("release", "--where", "age > 65", "--epsilon", 1, "--ledger", ledger, "--budget", "people")
    assert (asked.code, asked.out) == (2, "")
    assert "visits-2026 by its name alone" in asked.err


def test_a_history_by_a_list_protects_one_party(listed, run, release, ledger, tmp_path):
    (tmp_path / "visits.csv").write_text(ROWS)
    add = ("budget", "source", "add", "people", "--source", tmp_path / "visits.csv", "--unit", "person")
    run(*add, "--ledger", ledger).succeeds()
    release("people.csv").succeeds()
    release("visits.csv").succeeds()
    lines = run("budget", "history", "people", "--ledger", ledger).succeeds().splitlines()
    assert len(lines) == 3
    assert " rows of people.csv where " in lines[1]
    assert " units (person) of visits.csv where " in lines[2]


def test_a_budget_without_sources(run, ledger):
    run("budget", "create", "people", "--ledger", ledger, "--epsilon", "1").succeeds()
    for action in ("list", "check"):
        assert run("budget", "source", action, "people", "--ledger", ledger).succeeds() == "No sources.\n"
        assert "one of the ledger's" in run("budget", "source", action, "x", "--ledger", ledger).fails_with(2)


@pytest.mark.parametrize(
    ("more", "code", "message"),
    [
        (["--source", "nowhere.csv"], 3, "nowhere.csv does not exist"),
        (["--source", "{table}", "--unit", "nobody"], 2, "no such column: 'nobody'"),
        (["--source", "{table}", "--without-unit", "one-unit"], 2, "--without-unit must be left out where rows"),
        (["--source", "{table}", "--type", "got=date"], 3, "{table}: line 2 does not hold a date in column 'got'"),
        (["--source", "{table}", "--delimiter", "xx"], 2, "--delimiter must be one ASCII character"),
        (["--source", "{table}", "--protects", ""], 2, "--protects must be a printable text"),
        (["--delimiter", ";"], 2, "--delimiter must be given with --source"),
        (["--type", "a=text"], 2, "--type must be given with --source"),
        (["--no-header"], 2, "--header must be given with --source"),
        (["--without-unit", "error"], 2, "--without-unit must be given with a source"),
        (["--unit", "person", "--protects", "person"], 2, "--unit must be left out: without a source it is an older"),
        (["--source", "postgresql://u:s3cret@127.0.0.1:1/x"], 3, "postgresql://127.0.0.1:1/x cannot be reached"),
    ],
    ids=str,
)
def test_what_cannot_be_listed_makes_no_ledger(run, ledger, table, more, code, message):
    asked = [word.format(table=table) for word in more]
    said = run("budget", "create", "people", "--ledger", ledger, "--epsilon", 1, *asked).fails_with(code)
    assert said.startswith(message.format(table=table))
    assert "s3cret" not in said
    assert not ledger.exists()


# --- whom a budget protects -------------------------------------------------------------------------------------------


def about(unit=None):
    told = {} if unit is None else {"unit": {"column": unit, "without": "error"}}
    return {"path_sha256": "a", "table": None, "source": "x.csv", **told}


@pytest.mark.parametrize(
    ("units", "protects"),
    [
        ([None, None], "one row (2 charges)"),
        (["id"], "all rows of one id (1 charge)"),
        (
            [None, "id", "id"],
            "one row (1 charge), all rows of one id (2 charges)",
        ),
    ],
)
def test_an_older_budget_shows_what_its_charges_protected(run, ledger, units, protects):
    run("budget", "create", "people", "--ledger", ledger, "--epsilon", 1, "--protects", "penguin").succeeds()
    for number, unit in enumerate(units):
        charged_before(ledger, question(f"a = {number}", "0.1", about=about(unit)), str(number))
    shown = run("budget", "show", "people", "--ledger", ledger).succeeds()
    assert f"\nProtects    {protects}, replace-one; meant as one penguin\n" in shown
    assert "\nSources     none listed: for an owner who asks alone" in shown
    found = json.loads(run("budget", "show", "--ledger", ledger, "--json").succeeds())["budgets"][0]
    assert found["protects"] == "penguin"
    assert sum(kind["charges"] for kind in found["protected"]) == len(units)
    assert found["sources"] == []


def test_rows_and_units_are_not_mixed(run, table, ledger):
    run("budget", "create", "people", "--ledger", ledger, "--epsilon", 1).succeeds()
    asked = ("release", table, "--where", "got = 1", "--epsilon", "0.1", "--ledger", ledger, "--budget", "people")
    run(*asked, "--unit", "person").succeeds()
    message = run(*asked).fails_with(2)
    assert (
        message
        == "--unit must be 'person', as in what was charged to the budget 'people' so far, which protects nothing else"
    )
    assert run(*asked, "--explain").fails_with(2) == message
    assert (
        "Protects    all rows of one person (1 charge), replace-one\n"
        in run("budget", "show", "--ledger", ledger).succeeds()
    )


# --- release --explain ------------------------------------------------------------------------------------------------


def test_explain_with_a_list(listed, release, ledger):
    text = release("--explain").succeeds()
    assert text.startswith(
        "Count, not released\nNo row was judged by the condition, and nothing was charged.\n\n"
        "Question    rows of people.csv where got = 1\n"
        "Charge      epsilon 0.5, delta 0, unless it was answered before\n"
        "Left        epsilon 5, delta 0, before it\n"
        "Range       0 to 3: the released count is always a possible count\n"
    )
    assert "  off by more than 1  in at most" in text
    assert "Released" not in text
    assert Ledger(ledger).history("people") == ()
    assert release("--explain", "--null", "x").fails_with(2).startswith("--null must be")
    assert release("--explain", where="person > 5").fails_with(2).startswith("column 'person'")
    for more in (["--json"], ["--output", "receipt.json"]):
        assert release("--explain", *more).fails_with(2) == f"--explain prints text: leave out {more[0]}, or --explain"


def test_a_table_explained_with_a_list(listed, run, ledger):
    table = ("table", "--by", "got", "--epsilon", "0.5", "--ledger", ledger, "--budget", "people", "--explain")
    text = run(*table, "--keys", "0,1").succeeds()
    assert "Charge      epsilon 1, delta 0, unless it was answered before\nLeft        epsilon 5, delta 0" in text
    assert run(*table, "--keys", "a,b").fails_with(2).startswith("--keys must be what column 'got' can hold")
    assert run(*table, "--keys", "0,1", "--null", "x").fails_with(2).startswith("--null must be ''")
    assert run(*table, "--keys", "0,1", "--where", "age > 1").fails_with(2) == "no such column: 'age'"
    assert Ledger(ledger).history("people") == ()


def test_explain_without_a_ledger(run, table):
    text = run("release", table, "--where", "got = 1", "--epsilon", "1/3", "--explain").succeeds()
    assert "\nCharge      epsilon 1/3, delta 0\nRange       0 to 3: " in text
    assert "Left" not in text
    capped = run(
        "release", table, "--where", "got = 1", "--epsilon", 1, "--explain", "--adjacency", "add-remove", "--max", 9
    ).succeeds()
    assert "Range       0 to 9: " in capped


@pytest.mark.slow
def test_explain_of_a_closed_budget_and_of_one_that_is_spent(listed, release, run, ledger):
    for number in range(10):
        release(where=f"got = {number}").succeeds()
    assert (
        "Left        epsilon 0, delta 0, before it, which does not cover it\n"
        in release("--explain", where="got = 11").succeeds()
    )
    run("budget", "close", "people", "--ledger", ledger).succeeds()
    assert release("--explain", where="got = 11").fails_with(4).endswith("is closed: nothing more can be charged to it")
    assert "Count, not released" in release("--explain").succeeds()


def test_no_answer_is_written_over_the_data_or_beside_them(listed, release, table, ledger, run, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text("name\neve\n")
    run("budget", "source", "add", "people", "--source", other, "--ledger", ledger).succeeds()
    for name in ("other.csv", f"{table.name}-wal", f"{ledger.name}-journal", f"{ledger.name}-wal"):
        message = release("--source", table, "--output", tmp_path / name).fails_with(2)
        assert message.startswith("--output must be another file than those that are read")
    assert other.read_text() == "name\neve\n"


def test_an_error_about_a_mechanism_tells_nothing_of_the_data(listed, release, table, tmp_path):
    table.write_bytes(table.read_bytes() + b"\xe9")
    (tmp_path / "link").symlink_to(table)
    for name in (table, tmp_path / "link"):
        message = release("--mechanism", name).fails_with(2)
        assert message.startswith("--mechanism must be another file than the sources: ")


# --- what told cells before there was a list --------------------------------------------------------------------------

_ALICE = ["--unit", "person", "--without-unit", "one-unit", "--null", "alice"]
ORACLES = [
    ("person", ["alice", "bob", "nan"], ["carol", "bob", "nan"], [], "person = 'bob'", _ALICE),
    ("person", ["alice", "bob"], ["carol", "bob"], ["--unit", "person"], "person = 'bob'", ["--null", "alice"]),
    ("name", ["GUESS", "2024-01-01"], ["other", "2024-01-01"], [], "name < DATE '2024-01-01'", [
        "--type", "name=date", "--null", "GUESS",
    ]),
    ("code", ["7", "007"], ["7", "7"], ["--type", "code=text"], "code = 7", []),
    ("code", ["7", "007"], ["7", "7"], ["--type", "code=text"], "code = 'x'", []),
    ("x", ["1", "9007199254740993"], ["1", "2"], [], "coalesce(x, 2.5) > 1", []),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("column", "rows", "others", "listing", "where", "asked"), ORACLES)
def test_no_option_or_condition_tells_a_cell(run, tmp_path, monkeypatch, column, rows, others, listing, where, asked):
    """Each of these told two tables apart that differ in one row, at an epsilon of 1e-300."""
    monkeypatch.setattr("hushcount.mechanisms.base.Mechanism.draw", lambda mechanism, true: 0)
    table, new, ledger = (tmp_path / name for name in ("table.csv", "new.ledger", "ledger"))
    table.write_text("\n".join([column, *rows, ""]))
    budget = ("budget", "create", "b", "--ledger", new, "--epsilon", 1, "--source", table, *listing)
    run(*budget).succeeds()
    seen = []
    for content in (rows, others):
        table.write_text("\n".join([column, *content, ""]))
        shutil.copy(new, ledger)
        asks = ("release", "--where", where, "--epsilon", "1e-300", "--ledger", ledger, "--budget", "b", *asked)
        found = run(*asks)
        seen.append(
            (found.code, found.err, found.out.partition("\nWhat is promised")[0], Ledger(ledger).budget("b").charges)
        )
        assert "line" not in found.err
    assert seen[0] == seen[1]


def test_a_mistake_that_a_pin_shows_is_free(run, tmp_path):
    """Without a list too."""
    table, ledger = tmp_path / "penguins.csv", tmp_path / "ledger"
    table.write_text("island\nBiscoe\nDream\n")
    run("budget", "create", "b", "--ledger", ledger, "--epsilon", 1).succeeds()
    asks = ("release", table, "--where", "island = 5", "--epsilon", "0.5", "--ledger", ledger, "--budget", "b")
    assert "island" in run(*asks, "--type", "island=text").fails_with(2)
    assert Ledger(ledger).budget("b").charges == 0
    message = run(*asks).fails_with(2)
    assert "epsilon 0.5, delta 0 stay charged to the budget 'b'" in message
    assert "`hushcount budget source add`" in message
    assert Ledger(ledger).budget("b").charges == 1


def test_one_of_several_sources_is_asked_for_as_it_is_typed(listed, release, run, ledger, tmp_path):
    other = tmp_path / "clinic.csv"
    other.write_text(ROWS)
    run("budget", "source", "add", "people", "--source", other, "--ledger", ledger).succeeds()
    names = "the budget 'people' lists several, people.csv, clinic.csv"
    assert release().fails_with(2) == f"SOURCE must be given, by its path: {names}"
