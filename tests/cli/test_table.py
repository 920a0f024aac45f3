"""`hushcount table`: from a file and declared cells to private counts; epsilon 1000 releases the true ones."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import pyarrow.parquet as pq
import pytest

from hushcount import TableReceipt, interpret_table
from hushcount.counting import OpenTable

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "table-receipt.schema.json").read_text(encoding="utf-8"))
CERTAIN = ("--epsilon", "1000")
PEOPLE = """person,region,age
ann,north,70
ann,south,71
bob,north,20
cid,east,80
dan,south,66
eve,,67
eve,west,90
"""


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    return path


@pytest.fixture
def release(run, people):
    def release(*arguments, by="region", keys="north,south,east", epsilon=CERTAIN):
        declared = () if keys is None else ("--keys", keys)
        return run("table", people, "--by", by, *declared, *epsilon, *arguments)

    return release


def test_text(release, people):
    text = release("--where", "age >= 65").succeeds()
    assert text.startswith(
        "Released table: 3 cells, and one for all other keys\n\n"
        "region   released\nnorth           1\nsouth           2\neast            1\n(other)         2\n\n"
        "Question    rows of people.csv where age >= 65, by region\n"
        "Range       0 to 7 in every cell\n"
        "Privacy     epsilon 2000, delta 0, replace-one, for the table\n"
        "Cells       epsilon 1000, delta 0 each; a change affects at most 2\n"
        "Mechanism   nearest\n\nWhatever the true counts are, the released count of a cell is\n  wrong "
    )
    assert str(people.parent) not in text
    assert text.isascii()


def test_text_with_units_and_without_other(release):
    text = " ".join(release("--unit", "person", "--max-cells", "1", "--undeclared", "left-out").succeeds().split())
    assert "north 2 south 1 east 1 Question units (person) of people.csv with a row, by region" in text
    assert "all rows of any one unit are protected" in text
    assert "The number of units is 5." in text
    assert "A unit counts in at most 1 of them: the first that it reaches in the order of their declaration." in text


MANY = ",".join(map(str, range(60, 100)))


def test_many_cells_are_all_shown_where_they_would_be_lost(release):
    text = release(by="age", keys=MANY).succeeds()
    assert "\n79              0\n80              1\n" in text
    assert "\n99              0\n(other)         1\n\nQuestion" in text


@pytest.mark.parametrize(
    ("option", "rest"),
    [
        ("--output", ", in {}"),
        ("--receipt", ", in the receipt; --output FILE writes all of them"),
        ("--ledger", "; asked again with --output FILE, which writes all of them, it costs nothing"),
    ],
)
def test_many_cells_that_are_kept_are_not_all_shown(run, release, tmp_path, option, rest):
    path = tmp_path / "kept.csv"
    more = ()
    if option == "--ledger":
        run("budget", "create", "people", "--ledger", path, "--epsilon", "3000").succeeds()
        more = ("--budget", "people")
    text = release(option, path, *more, by="age", keys=MANY).succeeds()
    assert f"\n79          0\n... and 21 more{rest.format(path)}\n\nQuestion" in text


def test_keys_that_a_terminal_must_not_see(release):
    text = release(keys=f"north,\x1b[31mred,{'x' * 100}").succeeds()
    assert "\\x1b[31mred" in text
    assert f"{'x' * 27}... " in text


def test_json_is_a_receipt_under_the_published_schema(release, tmp_path):
    out = release("--json", "--receipt", tmp_path / "r.json").succeeds()
    jsonschema.validate(json.loads(out), SCHEMA)
    receipt = TableReceipt.from_json(out)
    assert receipt.released == (2, 2, 1, 2)
    assert TableReceipt.from_json((tmp_path / "r.json").read_bytes()) == receipt


def rows(path):
    return list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"))))


def test_a_csv_of_all_cells(release, tmp_path):
    release("--output", tmp_path / "out.csv", "--round-trip", "total=6", keys='north,"south, far",other').succeeds()
    assert rows(tmp_path / "out.csv") == [
        ["region", "is_other", "released", "adjusted"],
        ["north", "false", "2", "2"],
        ["south, far", "false", "0", "0"],
        ["other", "false", "0", "0"],
        ["", "true", "5", "4"],
    ]
    assert sorted(os.listdir(tmp_path)) == ["out.csv", "people.csv"]


def test_a_parquet_file_of_all_cells(release, tmp_path):
    (tmp_path / "keys.csv").write_text("age,region\n70,north\n1,void\n")
    release("--output", tmp_path / "out.parquet", by="region,age", keys=tmp_path / "keys.csv").succeeds()
    assert pq.read_table(tmp_path / "out.parquet").to_pylist() == [
        {"region": "north", "age": 70, "is_other": False, "released": 1},
        {"region": "void", "age": 1, "is_other": False, "released": 0},
        {"region": None, "age": None, "is_other": True, "released": 6},
    ]


def test_totals(release, tmp_path):
    (tmp_path / "totals.csv").write_text("region,total\nnorth,1\nsouth,5\n")
    text = release("--totals", tmp_path / "totals.csv", keys=None).succeeds()
    assert "\nnorth           1\nsouth           2\n(other)         3\n" in text
    assert "\nRange       0 to the known total of each cell, and 0 to 7 for all other keys\n" in text
    again = release("--totals", tmp_path / "totals.csv", "--json", keys="south,north").succeeds()
    assert (json.loads(again)["released"], json.loads(again)["maxima"]) == ([2, 1, 3], [5, 1, 7])


@pytest.mark.parametrize(("typed", "mark"), [(";", ";"), ("tab", "\t"), ("\\t", "\t")])
def test_files_with_another_delimiter(release, tmp_path, typed, mark):
    """All of them have it, and the receipt is that of the same files with commas."""
    files = {
        "areas": f"region{mark}area\nnorth{mark}cold, wet\nsouth{mark}warm\n",
        "keys": f"area{mark}age\ncold, wet{mark}70\nwarm{mark}66\n",
        "totals": f"area{mark}age{mark}total\nwarm{mark}66{mark}3\ncold, wet{mark}70{mark}4\n",
    }
    for name, content in files.items():
        (tmp_path / f"{name}.csv").write_text(content)
    by = f"region from {tmp_path / 'areas.csv'}, age"
    arguments = ("--totals", tmp_path / "totals.csv", "--undeclared", "left-out", "--keys-delimiter", typed, "--json")
    found = TableReceipt.from_json(release(*arguments, by=by, keys=tmp_path / "keys.csv").succeeds())
    assert (found.released, found.maxima) == ((1, 1), (4, 3))
    assert found.to_arrow()["area"].to_pylist() == ["cold, wet", "warm"]
    hint = f"if {'tab' if mark == chr(9) else repr(mark)} separates the fields, declare it: keys_delimiter"
    assert hint in release(by=by, keys=tmp_path / "keys.csv").fails_with(3)
    assert hint in release(by="area,age", keys=tmp_path / "keys.csv").fails_with(3)


@pytest.mark.parametrize(
    ("delimiter", "message"),
    [
        (";", "--keys-delimiter must be left out where no CSV file of keys or totals is read (got ';')"),
        (";;", "--keys-delimiter must be one ASCII character (got ';;')"),
        ("a", "--keys-delimiter must be no quote, line break, letter or digit (got 'a')"),
        ("-", "--keys-delimiter must be no part of what stands for a missing value (got '-')"),
    ],
)
def test_delimiters_that_are_refused(release, delimiter, message):
    assert message in release("--keys-delimiter", delimiter, "--null", "n-a").fails_with(2)
    release("--keys-delimiter", ",").succeeds()


def test_round_trip_beside_the_release(release):
    text = release("--round-trip", "total=5", epsilon=("--epsilon", "0.1")).succeeds()
    lines = text.splitlines()
    assert lines[2] == "region   released  adjusted"
    assert sum(int(line.split()[-1]) for line in lines[3:7]) == 5


@pytest.mark.parametrize("narrowed", [("--where", "age > 1"), ("--undeclared", "left-out"), ()])
def test_a_note_on_the_total_of_a_part(release, narrowed):
    outcome = release("--round-trip", "total=3", *narrowed)
    assert outcome.code == 0
    note = "hushcount: note: The total of --round-trip must be that of what is counted in the cells, after --where"
    assert outcome.err.startswith(note) == bool(narrowed)


@pytest.mark.parametrize(("key", "is_composed"), [("caf\u00e9", True), ("cafe\u0301", False)])
def test_a_note_on_accents(release, key, is_composed):
    outcome = release(keys=key)
    assert outcome.code == 0
    noted = outcome.err.startswith("hushcount: note: A key is not in Unicode's composed form (NFC)")
    assert noted != is_composed


# --- a single key, or a file ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["-", "wards.tsv", "WARDS.TXT", "wards.csv.gz", "a/b", "wards", "list", " wards.csv "])
def test_a_single_key_that_looks_like_a_file(release, tmp_path, monkeypatch, key):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wards.csv").write_text("region\nnorth\n")
    (tmp_path / "list").write_text("region\nnorth\n")
    assert release(keys=key).fails_with(2).endswith(f"if it is a key, quote it as in CSV, '\"KEY\"' (got {key!r})")
    assert release(keys=f'"{key}"').succeeds().startswith("Released table: 1 cell,")


@pytest.mark.parametrize("keys", ["north", "St. Gallen", "1.5", "a/b,c", "v1.x", "wards.tsv,b"])
def test_what_does_not_look_like_a_file(release, keys):
    release(keys=keys).succeeds()


# --- a dry run --------------------------------------------------------------------------------------------------------


def test_explain_judges_no_row_and_charges_nothing(run, release, people, tmp_path, monkeypatch):
    run("budget", "create", "people", "--ledger", tmp_path / "l", "--epsilon", "1.5").succeeds()
    people.write_text(PEOPLE + "fay,north,1\n" * 993)
    monkeypatch.setattr(OpenTable, "tally_cells", lambda *_: pytest.fail("rows were judged"))
    paying = ("--ledger", tmp_path / "l", "--budget", "people")
    text = release("--where", "age > 1", *paying, "--explain", epsilon=("--epsilon", "0.5")).succeeds()
    assert text.startswith(
        "Table, not released: 3 cells, and one for all other keys\nNo row was judged, and nothing was charged.\n\n"
        "Question    rows of people.csv where age > 1, by region\nKeys        north; south; east\n"
        "Meaning     region: texts, by their spelling\nRange       0 to 1000 (the number of rows), in every cell\n"
        "Privacy     epsilon 1, delta 0, replace-one, for the table\n"
        "Cells       epsilon 0.5, delta 0 each; a change affects at most 2\nMechanism   nearest\n"
        "Charge      epsilon 1, delta 0, unless it was answered before\n"
        "Left        epsilon 1.5, delta 0, before it\nCompare     mu "
    )
    assert "\n  off by more than 5  in at most" in text
    assert all(len(line) <= 80 for line in text.splitlines())
    assert run("budget", "history", "people", "--ledger", tmp_path / "l").succeeds() == "No charges.\n"


def test_under_add_remove_explain_counts_no_row(release, monkeypatch):
    monkeypatch.setattr(OpenTable, "count_rows", lambda *_: pytest.fail("rows were counted"))
    text = release("--adjacency", "add-remove", "--max", "9", "--explain", epsilon=("--epsilon", "0.5")).succeeds()
    assert "\nRange       0 to 9, in every cell\n" in text


@pytest.mark.parametrize(
    ("cap", "told"), [(2, "0 to 2"), (5, "0 to 5 (the number of rows)"), (9, "0 to 5 (the number of rows)")]
)
def test_explain_tells_the_range_that_a_release_has(release, people, cap, told):
    people.write_text("\n".join(PEOPLE.splitlines()[:6]) + "\n")
    text = release("--max", cap, "--explain", epsilon=("--within", "1", "--chance", "0.5")).succeeds()
    assert f"\nRange       {told}, in every cell\n" in text
    receipt = json.loads(release("--max", cap, "--json", epsilon=("--within", "1", "--chance", "0.5")).succeeds())
    assert f"\nCells       epsilon {receipt['epsilon']}, delta 0 each;" in text


@pytest.mark.parametrize("options", [("--adjacency", "add-remove", "--max", "9"), ("--max", "9")])
def test_explain_tells_the_chances_of_a_known_range(release, people, options):
    people.write_text(PEOPLE + "fay,north,1\n" * 50)
    price = ("--epsilon", "0.5")
    told = release(*options, "--explain", epsilon=price).succeeds()
    receipt = release(*options, epsilon=price).succeeds()
    chances = r"Whatever the true counts are(.|\n)*?\n\n"
    assert re.search(chances, told)[0] == re.search(chances, receipt)[0]


@pytest.mark.parametrize(
    ("arguments", "by", "message", "code"),
    [
        (("--where", "nope = 1"), "region", "no such column: 'nope'", 2),
        ((), "regio", "no such column: 'regio'", 2),
        (("--ledger", "none", "--budget", "b"), "region", "the ledger none does not exist", 3),
        (("--type", "region=integer"), "region", "--keys must be what column 'region' can hold", 2),
        (("--round-trip", "total=28", "--max", "6"), "region", "--round-trip must be a total of at most 24", 2),
    ],
)
def test_explain_refuses_what_a_release_does(release, tmp_path, monkeypatch, arguments, by, message, code):
    monkeypatch.chdir(tmp_path)
    assert message in release(*arguments, "--explain", by=by).fails_with(code)


def test_explain_and_the_receipt_tell_of_a_large_delta(release):
    """Four cells and (other): 1 - 0.98^5 is 0.0961."""
    for delta, told in (("0.02", True), ("0.0199", False)):
        price = ("--epsilon", "1", "--delta", delta)
        for more in (("--explain",), ()):
            text = " ".join(
                release("--keys", "north,south,east,west", *more, epsilon=price, keys=None).succeeds().split()
            )
            assert ("with a chance of up to 9.7% the true count of some cell is given away" in text) == told


def test_explain_with_totals(release, tmp_path):
    (tmp_path / "totals.csv").write_text("region,total\nnorth,1\nsouth,5\n")
    text = release("--totals", tmp_path / "totals.csv", "--explain", keys=None).succeeds()
    assert (
        "\nRange       0 to the known total of each cell, and 0 to 7 (the number of rows) for all other keys\n" in text
    )
    left_out = release("--totals", tmp_path / "totals.csv", "--explain", "--undeclared", "left-out", keys=None)
    assert "\nRange       0 to the known total of each cell\n" in left_out.succeeds()
    assert "off by more than 5  never" in left_out.out


def test_add_remove_tells_no_number_of_rows(run, people, tmp_path):
    """The two texts differ by the receipt and the time alone."""

    def text():
        arguments = ["--adjacency", "add-remove", "--max", "1", "--keys", "north", "--by", "region", *CERTAIN]
        return re.sub(r"Receipt .*\n", "", run("table", people, *arguments).succeeds())

    before = text()
    people.write_text(PEOPLE + "fay,north,1\n" * 50)
    assert text() == before


@pytest.mark.parametrize(
    ("arguments", "keys", "message"),
    [
        ((), None, "--keys must be given: which groups there are in the data is private"),
        ((), "north,north", "--keys must be different from each other: this one is declared twice (got 'north')"),
        ((), "none.csv", "none.csv does not exist"),
        (("--unit", "person"), "north", "--max-cells must be given with a unit"),
        (("--max-cells", "two"), "north", "--max-cells must be a whole number >= 1"),
        (("--unit", "person", "--max-cells", "0"), "north", "--max-cells must be an integer >= 1"),
        (("--without-unit", "drop", "--unit", "person"), "north", "--without-unit must be one of error, one-unit"),
        (("--adjacency", "add-remove"), "north", "--max must be given under add-remove"),
        (("--undeclared", "no"), "north", "--undeclared must be one of other, left-out"),
        (("--output", "x.txt"), "north", "--output must be a file whose name ends in .csv or .parquet"),
        (("--round-trip", "5"), "north", "--round-trip must be of the form total=N"),
        (("--round-trip", "total=x"), "north", "--round-trip must be a whole number >= 0"),
        (("--round-trip", "total=22"), "north,south", "--round-trip must be a total of at most 21"),
        (("--round-trip", "total=8"), "north", "--round-trip must be 7, the public number that both counts add up to"),
        (("--round-trip", "total=5", "--json"), "north", "--round-trip with --json needs --output FILE"),
        (("--totals", "none.parquet"), None, "none.parquet does not exist"),
        (
            ("--explain", "--json"),
            "north",
            "--explain prints text: leave out --json, or --explain",
        ),
        (
            ("--explain", "--output", "t.csv"),
            "north",
            "--explain prints text: leave out --output, or --explain",
        ),
        (
            ("--explain", "--receipt", "t.json"),
            "north",
            "--explain prints text: leave out --receipt, or --explain",
        ),
        ((), "keys.txt", "--keys must be a file whose name ends in .csv or .parquet, or a list of keys: this single"),
        (("--epsilon", "2"), "north", "option '--epsilon' may be given only once"),
    ],
)
def test_what_is_refused(release, tmp_path, monkeypatch, arguments, keys, message):
    monkeypatch.chdir(tmp_path)
    outcome = release(*arguments, keys=keys)
    assert outcome.fails_with(3 if "does not exist" in message else 2).startswith(message)
    assert os.listdir(tmp_path) == ["people.csv"]


def test_key_columns_that_the_file_has_a_use_for(run, tmp_path):
    (tmp_path / "people.csv").write_text("released\n1\n")
    arguments = ["table", tmp_path / "people.csv", "--by", "released", "--keys", "1", *CERTAIN]
    run(*arguments).succeeds()
    message = run(*arguments, "--output", tmp_path / "o.csv").fails_with(2)
    assert message.startswith("--by must be columns of other names where the table is written to a file")


def test_files_that_must_not_be_written_over(release, people, tmp_path):
    (tmp_path / "keys.csv").write_text("region\nnorth\n")
    for option in ("--output", "--receipt"):
        for file in (people, tmp_path / "keys.csv"):
            message = release(option, file, keys=tmp_path / "keys.csv").fails_with(2)
            assert message.startswith(f"{option} must be another file than those that are read")
    message = release("--output", tmp_path / "o.csv", "--receipt", tmp_path / "o.csv").fails_with(2)
    assert message.startswith("--receipt must be another file than --output")
    assert people.read_text() == PEOPLE


def test_what_spark_reads_must_not_be_written_over_or_added_to(run, tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "part.parquet").write_bytes(b"PAR1")
    for source, file in [(folder, "new.parquet"), (f"{folder}/part.parquet", "part.parquet")]:
        arguments = ("--source", f"spark:{source}", "--by", "a", "--keys", "b", *CERTAIN)
        message = run("table", *arguments, "--output", folder / file).fails_with(2)
        assert message.startswith("--output must be ")
        assert "read" in message
    assert os.listdir(folder) == ["part.parquet"]


def test_the_file_of_a_mechanism_must_not_be_written_over(release, tmp_path):
    (tmp_path / "law.csv").write_text("1,0\n0,1\n")
    message = release("--mechanism", tmp_path / "law.csv", "--output", tmp_path / "law.csv").fails_with(2)
    assert message.startswith("--output must be another file than those that are read")


def test_values_are_in_no_error(run, tmp_path):
    (tmp_path / "people.csv").write_text("k,u\n123,\nsecret,5\n")
    arguments = ["table", tmp_path / "people.csv", "--by", "k", *CERTAIN]
    message = run(*arguments, "--keys", "1").fails_with(2)
    assert message.startswith("--keys must be what column 'k' can hold: it holds texts, and the keys are whole numbers")
    other = run(*arguments, "--keys", "a", "--unit", "u", "--max-cells", "1").fails_with(3)
    assert not any(cell in message + other for cell in ("123", "secret"))


# --- the ledger -------------------------------------------------------------------------------------------------------


@pytest.fixture
def ledger(run, tmp_path):
    run("budget", "create", "people", "--ledger", tmp_path / "l", "--epsilon", "1").succeeds()
    return ("--ledger", tmp_path / "l", "--budget", "people")


def test_it_is_charged(run, release, ledger, tmp_path):
    text = release(*ledger, epsilon=("--epsilon", "0.3")).succeeds()
    assert "\nCharged to the budget people, with epsilon 0.4, delta 0 left\n" in text
    message = release(*ledger, epsilon=("--epsilon", "0.25")).fails_with(4)
    assert message == "the budget 'people' does not cover epsilon 0.5, delta 0: epsilon 0.4 and delta 0 are left"
    again = release(*ledger, epsilon=("--epsilon", "0.3"))
    assert again.code == 0
    assert again.out == text
    assert again.err.startswith("hushcount: note: The stored answer of the same question")
    history = run("budget", "history", "people", *ledger[:2]).succeeds()
    assert "  delivered  all rows of people.csv, 4 cells by region, epsilon 0.3 x 2 (0 to 7, nearest)\n" in history


def test_a_stored_table_can_be_written_again(release, ledger, tmp_path):
    price = ("--epsilon", "0.1")
    first = release(*ledger, "--request-id", "a", "--output", tmp_path / "a.csv", epsilon=price)
    second = release(*ledger, "--request-id", "a", "--output", tmp_path / "b.csv", epsilon=price)
    assert (first.code, second.code) == (0, 0)
    assert rows(tmp_path / "a.csv") == rows(tmp_path / "b.csv")


def test_a_place_that_cannot_be_written_is_found_before_the_charge(run, release, ledger, tmp_path):
    release(*ledger, "--output", tmp_path / "no" / "o.csv", epsilon=("--epsilon", "0.1")).fails_with(2)
    release(*ledger, "--receipt", tmp_path / "no" / "r", epsilon=("--epsilon", "0.1")).fails_with(2)
    release(*ledger, "--round-trip", "total=99", epsilon=("--epsilon", "0.1")).fails_with(2)
    assert run("budget", "history", "people", *ledger[:2]).succeeds() == "No charges.\n"


@pytest.mark.parametrize("charged", [False, True])
def test_a_file_that_fails_at_the_end(release, ledger, tmp_path, monkeypatch, charged):
    import hushcount.files.whole_files

    def full(target, content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(hushcount.files.whole_files, "write_whole", full)
    options = (*ledger, "--request-id", "a") if charged else ()
    message = release(*options, "--output", tmp_path / "o.csv", epsilon=("--epsilon", "0.1")).fails_with(2)
    end = "is kept in the ledger: ask again with --request-id a" if charged else "nothing was released"
    assert message == f"the table could not be written, and {end}: No space left on device"
    assert not (tmp_path / "o.csv").exists()


def test_a_release_of_which_the_receipt_was_written_was_made(release, tmp_path, monkeypatch):
    import hushcount.files.whole_files

    write = hushcount.files.whole_files.write_whole

    def full(target, content):
        if target.suffix == ".csv":
            raise OSError(28, "No space left on device")
        write(target, content)

    monkeypatch.setattr(hushcount.files.whole_files, "write_whole", full)
    receipt = tmp_path / "r.json"
    message = release("--output", tmp_path / "o.csv", "--receipt", receipt).fails_with(2)
    assert message == f"the table could not be written, and the release is in {receipt}: No space left on device"
    assert TableReceipt.from_json(receipt.read_bytes()).released == (2, 2, 1, 2)


# --- what comes after -------------------------------------------------------------------------------------------------


def test_interpret(run, release, tmp_path):
    release("--receipt", tmp_path / "r.json", epsilon=("--epsilon", "1")).succeeds()
    found = interpret_table(TableReceipt.from_json((tmp_path / "r.json").read_bytes()))
    assert run("interpret", "--cells", tmp_path / "r.json").succeeds() == f"{found}\n"
    assert json.loads(run("interpret", "--cells", tmp_path / "r.json", "--json").succeeds())["releases"] == 4
    message = run("interpret", tmp_path / "r.json").fails_with(2)
    assert message.endswith("r.json is the receipt of a table: it is read with --cells")
    message = run("interpret", "--cells", tmp_path / "r.json", tmp_path / "r.json").fails_with(2)
    assert message.endswith("one table is read at a time (got 2 receipts)")
    (tmp_path / "r.json").write_text('{"keys_sha256": 5}')
    assert "not a receipt" in run("interpret", "--cells", tmp_path / "r.json").fails_with(3)


def test_schema(run):
    assert json.loads(run("schema", "table").succeeds()) == SCHEMA


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no terminals here")
def test_a_bar_on_a_terminal_only(people, shell, tmp_path):
    """Standard error of a pipe stays empty; on a terminal there is a bar, which is wiped out."""
    (tmp_path / "keys.csv").write_text("region\n" + "".join(f"r{i}\n" for i in range(20_000)))
    kept = ("--receipt", tmp_path / "r.json")  # so that not all cells are shown
    arguments = ["table", people, "--by", "region", "--keys", tmp_path / "keys.csv", "--epsilon", "1", *kept]
    shell(*arguments).succeeds()
    reader, writer = pty.openpty()
    command = [sys.executable, "-m", "hushcount", *map(str, arguments)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=writer, env={**os.environ, "TERM": "xterm"}
    ) as process:
        os.close(writer)
        said = b""
        try:
            while part := os.read(reader, 1 << 16):
                said += part
        except OSError:  # the terminal is gone with the process
            pass
        out = process.stdout.read()
    os.close(reader)
    assert process.returncode == 0
    assert out.startswith(b"Released table: 20,000 cells")
    assert b"drawing" in said


def test_a_missing_value_is_a_cell_and_told_from_a_text(run, tmp_path):
    penguins = "Torgersen,NA\n" * 5 + 'Torgersen,"NA"\n' + "Torgersen,male\n" * 2 + "Biscoe,NA\n"
    (tmp_path / "penguins.csv").write_text(f"island,sex\n{penguins}")
    (tmp_path / "keys.csv").write_text('island,sex\nTorgersen,NA\nTorgersen,"NA"\nTorgersen,male\n')
    arguments = ["table", tmp_path / "penguins.csv", "--null", "NA", *CERTAIN]
    arguments += ["--by", "island,sex", "--keys", tmp_path / "keys.csv"]
    text = run(*arguments).succeeds()
    assert re.findall(r"^(Torgersen|\(other\)) +(\S*) +([0-9]+)$", text, re.MULTILINE) == [
        ("Torgersen", "(missing)", "5"),
        ("Torgersen", "NA", "1"),
        ("Torgersen", "male", "2"),
        ("(other)", "", "1"),
    ]
    run(*arguments, "--output", tmp_path / "out.csv").succeeds()
    assert (tmp_path / "out.csv").read_text() == (
        '"island","sex","is_other","released"\n"Torgersen",,false,5\n"Torgersen","NA",false,1\n'
        '"Torgersen","male",false,2\n,,true,1\n'
    )
    run(*arguments, "--output", tmp_path / "out.parquet").succeeds()
    table = pq.read_table(tmp_path / "out.parquet")
    assert table["sex"].to_pylist() == [None, "NA", "male", None]
    assert table["is_other"].to_pylist() == [False, False, False, True]
    explained = run(*arguments, "--explain").succeeds()
    assert "\nKeys        Torgersen, (missing); Torgersen, NA; Torgersen, male\n" in explained
    listed = ["table", tmp_path / "penguins.csv", "--null", "NA", *CERTAIN, "--by", "sex", "--keys", 'male,NA,"NA"']
    told = run(*listed).succeeds()
    assert re.findall(r"^(male|\(missing\)|NA|\(other\)) +([0-9]+)$", told, re.MULTILINE) == [
        ("male", "2"),
        ("(missing)", "6"),
        ("NA", "1"),
        ("(other)", "0"),
    ]
    said = run(*listed[:-1], "male,").fails_with(2)
    assert said == "--keys must be a list without an empty key; nan is the missing one, or use a file (got 'male,')"


def test_a_missing_key_and_a_text_are_different_questions_to_a_budget(run, tmp_path):
    (tmp_path / "p.csv").write_text('k,j\n,1\n"",2\n')
    run("budget", "create", "b", "--ledger", tmp_path / "l", "--epsilon", "8000").succeeds()
    paid = ["table", tmp_path / "p.csv", *CERTAIN, "--by", "k", "--ledger", tmp_path / "l", "--budget", "b"]
    for keys in ("k\n\na\n", 'k\n""\na\n'):
        (tmp_path / "keys.csv").write_text(keys)
        run(*paid, "--keys", tmp_path / "keys.csv").succeeds()
    assert run("budget", "history", "b", "--ledger", tmp_path / "l").succeeds().count("by k") == 2


@pytest.mark.parametrize("key", ["missing", "(missing)", "NA", "n/a", "NULL", "None"])
def test_a_key_that_is_spelled_like_a_missing_one_is_told_to_be_a_text(run, tmp_path, key):
    path = tmp_path / "r.csv"
    path.write_text(f"region\nnorth\n{key}\n")
    asked = ("table", path, "--by", "region", "--epsilon", "100", "--keys")
    for more in ((), ("--explain",)):
        said = run(*asked, f"north,{key}", *more)
        assert said.code == 0
        assert f"note: The key '{key}' is a text. The key of missing values is nan, without" in said.err
        for other in ("north,nan", f"north,{key},nan", "north,missing value"):
            assert "is a text" not in run(*asked, other, *more).err
    assert "is a text" not in run(*asked, "north,nan", "--null", key).err


def test_an_abbreviated_option_is_told_what_begins_like_it(run, tmp_path):
    said = run("table", tmp_path / "r.csv", "--by", "region", "--keys", "a", "--eps", "1").fails_with(2)
    assert said.startswith("no such option: --eps (Possible options: --epsilon)")
