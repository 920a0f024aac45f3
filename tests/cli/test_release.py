"""`hushcount release`: from a file to a private count; epsilon 1000 makes the released count the true one."""

from __future__ import annotations

import gzip
import json
import os
import re
import sqlite3
import stat
from pathlib import Path

import duckdb
import jsonschema
import pytest

from hushcount import save_mechanism
from hushcount.release import Receipt

SCHEMA = json.loads((Path(__file__).resolve().parents[2] / "docs" / "receipt.schema.json").read_text(encoding="utf-8"))
CERTAIN = ("--epsilon", "1000")


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age,name\n70,Ann\n30,Bob\n65,Cid\n")
    return path


@pytest.fixture
def file(tmp_path):
    def file(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    return file


def counted(run, *arguments):
    """(released, maximum) of a release that is certain to be right."""
    receipt = Receipt.from_json(run("release", *arguments, *CERTAIN, "--json").succeeds())
    return receipt.released, receipt.maximum


# --- what is printed -------------------------------------------------------------------------------------------------


def test_text(run, table):
    text = run("release", table, "--where", "age >= 65", *CERTAIN).succeeds()
    assert text.startswith("Released count: 2\n\nQuestion    rows of people.csv where age >= 65\nRange       0 to 3: ")
    assert "\nPrivacy     epsilon 1000, delta 0, replace-one\n" in text
    assert "\n  off by more than 5  never\n" in text
    assert "The number of rows is 3." in " ".join(text.split())
    assert str(table.parent) not in text


def test_json_is_a_receipt_under_the_published_schema(run, table):
    out = run("release", table, "--where", "age >= 65", "--epsilon", "0.5", "--delta", "1e-6", "--json").succeeds()
    jsonschema.validate(json.loads(out), SCHEMA, cls=jsonschema.Draft202012Validator)
    receipt = Receipt.from_json(out)
    assert (receipt.epsilon, receipt.delta, receipt.where, receipt.source) == (
        "0.5",
        "0.000001",
        "age >= 65",
        "people.csv",
    )
    assert receipt.to_json() == out


def test_the_schema_can_refuse(run, table):
    receipt = json.loads(run("release", table, "--where", "age >= 65", *CERTAIN, "--json").succeeds())
    for change in [{"true_count": 2}, {"released": -1}, {"released": 1.5}, {"chance_off_by_more_than": {"1": 0.5}}]:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**receipt, **change}, SCHEMA, cls=jsonschema.Draft202012Validator)


@pytest.mark.slow
def test_in_a_process(shell, table):
    assert shell("release", table, "--where", "age >= 65", *CERTAIN).succeeds().startswith("Released count: 2\n")


def test_a_condition_on_several_lines_is_shown_on_one(run, table):
    text = run("release", table, "--where", "age >= 65\n  and name = 'Ann'", *CERTAIN).succeeds()
    assert "where age >= 65   and name = 'Ann'\n" in text


def test_a_condition_may_begin_with_a_minus_sign(run, table):
    assert counted(run, table, "--where", "-age < -60") == (2, 3)


# --- empty tables, nobody, the cap -----------------------------------------------------------------------------------


def test_no_rows_under_replace_one(run, file):
    text = run("release", file("age,name\n"), "--where", "age > 1", "--epsilon", 1).succeeds()
    assert text.startswith("Released count: 0\n")
    assert "only 0 can be released" in text
    assert text.count("never\n") == 4


def test_no_rows_under_add_remove_is_an_ordinary_release(run, file):
    arguments = [file("age,name\n"), "--where", "name = 'Bob'", "--adjacency", "add-remove", "--max", "7"]
    assert counted(run, *arguments) == (0, 7)


def test_nobody_is_an_ordinary_release(run, table):
    assert counted(run, table, "--where", "age > 100") == (0, 3)


def test_the_cap_is_silent_and_the_number_of_rows_appears_nowhere(run, file):
    path = file("age\n" + "70\n" * 7919)
    arguments = ["release", path, "--where", "age > 1", *CERTAIN, "--adjacency", "add-remove", "--max", "5"]
    text, receipt = run(*arguments).succeeds(), run(*arguments, "--json").succeeds()
    assert "7919" not in text + receipt
    assert text.startswith("Released count: 5\n")
    assert (json.loads(receipt)["released"], json.loads(receipt)["maximum"]) == (5, 5)


def test_a_maximum_of_0(run, table):
    arguments = ["--where", "age > 1", "--epsilon", "1", "--adjacency", "add-remove", "--max", "0"]
    assert "only 0 can be released" in run("release", table, *arguments).succeeds()


# --- parameters are judged before the data is read -------------------------------------------------------------------

MISSING = ("release", "no-such-file.csv", "--where", "age > 1")


def test_a_missing_file_is_bad_data(run):
    assert "no-such-file.csv" in run(*MISSING, "--epsilon", "1").fails_with(3)


@pytest.mark.parametrize("epsilon", ["nan", "inf", "-1", "1_0", "\uff11", "1,0"])
def test_bad_epsilon(run, epsilon):
    message = run(*MISSING, "--epsilon", epsilon).fails_with(2)
    assert message.startswith("--epsilon must be ")
    assert message.endswith(f"(got '{epsilon}')")


@pytest.mark.parametrize("delta", ["1", "1.5", "-1e-9"])
def test_bad_delta(run, delta):
    message = run(*MISSING, "--epsilon", "1", "--delta", delta).fails_with(2)
    assert message.startswith("--delta must be ")
    assert message.endswith(f"(got '{delta}')")


def test_a_tiny_epsilon_is_kept(run, table):
    receipt = json.loads(run("release", table, "--where", "age > 1", "--epsilon", "1e-400", "--json").succeeds())
    assert receipt["epsilon"] == "1e-400"


@pytest.mark.parametrize("cap", ["-1", "1.5", "1e3", "1_0", "many", ""])
@pytest.mark.parametrize("joined", [True, False])
def test_bad_max(run, cap, joined):
    spelled = [f"--max={cap}"] if joined else ["--max", cap]
    message = run(*MISSING, "--epsilon", "1", "--adjacency", "add-remove", *spelled).fails_with(2)
    assert message.startswith("--max must be a whole number >= 0")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--adjacency", "add-remove"], "--max must be given"),
        (["--max", "3"], "--max must be left out"),
        (["--adjacency", "both"], "--adjacency must be one of replace-one, add-remove (got 'both')"),
        (
            ["--mechanism", "best"],
            "--mechanism must be one of nearest, canonical, never-invented, rounded-gaussian, within:T, or a saved "
            "mechanism (got 'best')",
        ),
        (["--where", "age < 9"], "option '--where' may be given only once (got 2)"),
        (["--format", "xml"], "--format must be "),
        (["--delimiter", ";;"], "--delimiter must be "),
        (["--encoding", "klingon"], "--encoding must be "),
        (["--decimal", ";"], "--decimal must be "),
        (["--date-format", "%Q"], "--date-format must be "),
        (["--type", "age"], "--type must be of the form COLUMN=TYPE (got 'age')"),
        (["--type", "age=whole"], "--type must be "),
        (["--type", "age=text", "--type", "age=number"], "--type must be given once for each column"),
        (["--table", ""], "--table must be "),
        (["--output", "no-such-folder/receipt.json"], "--output must be in a folder that exists"),
    ],
)
def test_bad_options(run, arguments, message):
    assert run(*MISSING, "--epsilon", "1", *arguments).fails_with(2).startswith(message)


@pytest.mark.parametrize(
    "condition",
    [
        "random() < 0.5",
        "exists (select 1)",
        "exists (select 1 from people)",
        "(select avg(age) from t) > 1",
        "count(*) > 1",
        "sum(age) over () > 1",
        "age > 1; drop table people",
        "read_csv('other.csv') is not null",
        "case when name = 'Bob' then cast(name as int) else 1 end = 1",
        "age >",
        "",
        "age + 1",
    ],
)
def test_refused_condition(run, table, condition):
    run("release", table, "--where", condition, "--epsilon", "1").fails_with(2)
    run("release", "no-such-file.csv", "--where", condition, "--epsilon", "1").fails_with(2)


def test_no_such_column_suggests_a_near_miss(run, table):
    message = run("release", table, "--where", "\"nmae\" = 'Bob'", "--epsilon", "1").fails_with(2)
    assert message == "no such column: 'nmae'; did you mean 'name'?"


# --- files -----------------------------------------------------------------------------------------------------------


def test_byte_order_mark(run, file):
    assert counted(run, file(b"\xef\xbb\xbfage,name\n70,Ann\n"), "--where", "age = 70") == (1, 1)


def test_one_column_with_another_delimiter_inside(run, file):
    assert counted(run, file("c0\nv0\na;b\n"), "--where", "c0 = 'a;b'") == (1, 2)


def test_types_come_from_the_whole_file(run, file):
    path = file("code,qty\n" + "".join(f"{i},1\n" for i in range(30000)) + "007,2.6\n")
    assert counted(run, path, "--where", "qty = 2.6") == (1, 30001)


def test_no_header(run, file):
    assert counted(run, file("a\nb\nc\n"), "--where", "c0 = 'a'", "--no-header") == (1, 3)


@pytest.mark.parametrize("spelling", ["tab", "\\t", "\t"])
def test_tabulator(run, file, spelling):
    assert counted(run, file("a\tb\n1\t2\n"), "--where", "b = 2", "--delimiter", spelling) == (1, 1)


def test_declared_reading_is_in_the_receipt(run, file):
    path = file("Größe;wann\n1,5;31.12.1999\n-;01.02.2003\n".encode("latin-1"))
    options = [
        "--delimiter", ";", "--encoding", "latin-1", "--null=-", "--decimal", ",", "--date-format", "%d.%m.%Y",
        "--type", "Größe=number",
    ]  # fmt: skip
    arguments = ["release", path, "--where", '"Größe" = 1.5', *CERTAIN, *options, "--json"]
    receipt = Receipt.from_json(run(*arguments).succeeds())
    assert (receipt.released, receipt.maximum) == (1, 2)
    assert receipt.reading.model_dump() == {
        "format": "auto",
        "header": True,
        "delimiter": ";",
        "encoding": "latin-1",
        "null": "-",
        "decimal": ",",
        "date_format": "%d.%m.%Y",
        "types": {"Größe": "number"},
    }


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_another_encoding_than_declared(run, file, encoding):
    path = file("name\nRené\n".encode(encoding))
    message = run("release", path, "--where", "name = 'René'", "--epsilon", "1").fails_with(3)
    assert "utf-8" in message.lower()
    assert "Ren" not in message
    assert counted(run, path, "--where", "name = 'René'", "--encoding", encoding) == (1, 1)


def test_a_ragged_row_names_its_line_and_not_its_cells(run, file):
    path = file("age,name\n70,Ann\n30,Bob,Builder\n")
    message = run("release", path, "--where", "age > 1", "--epsilon", "1").fails_with(3)
    assert "line 3" in message
    assert "Bob" not in message


def test_an_empty_file(run, file):
    run("release", file(""), "--where", "age > 1", "--epsilon", "1").fails_with(3)


def test_a_file_named_like_a_pattern(run, file):
    file("age\n1\n1\n1\n", "data1.csv")
    assert counted(run, file("age\n1\n", "data[1].csv"), "--where", "age = 1") == (1, 1)


def test_a_folder_is_no_table(run, tmp_path):
    run("release", tmp_path, "--where", "age > 1", "--epsilon", "1").fails_with(3)


def test_the_same_table_in_every_format(run, table, tmp_path):
    connection = duckdb.connect(tmp_path / "people.duckdb")
    connection.execute("create table people (age bigint, name varchar)")
    connection.execute("insert into people values (70, 'Ann'), (30, 'Bob'), (65, 'Cid')")
    connection.execute(f"copy people to '{tmp_path / 'people.parquet'}' (format parquet)")
    connection.close()
    lite = sqlite3.connect(tmp_path / "people.sqlite")
    lite.execute("create table people (age integer, name text)")
    lite.executemany("insert into people values (?, ?)", [(70, "Ann"), (30, "Bob"), (65, "Cid")])
    lite.commit()
    lite.close()
    (tmp_path / "people.csv.gz").write_bytes(gzip.compress(table.read_bytes()))
    for name in ["people.csv", "people.csv.gz", "people.parquet", "people.duckdb", "people.sqlite"]:
        assert counted(run, tmp_path / name, "--where", "age >= 65") == (2, 3), name
    assert (
        "people in people.sqlite where"
        in run("release", tmp_path / "people.sqlite", "--table", "people", "--where", "age >= 65", *CERTAIN).succeeds()
    )


# --- a saved mechanism ------------------------------------------------------------------------------------------------

MATRIX = [[0.5, 0.375, 0.125, 0], [0.25, 0.375, 0.25, 0.125], [0.125, 0.25, 0.375, 0.25], [0, 0.125, 0.375, 0.5]]
"""Private at no epsilon with delta 0 (a true 0 is never released as 3, a true 1 is); with delta 1/8 from ln 2 on."""


@pytest.fixture
def saved(tmp_path):
    def saved(name="m.csv", matrix=MATRIX):
        path = tmp_path / name
        return path, save_mechanism(matrix, path, epsilon="1e-9", delta=0, name="four answers")

    return saved


DELTA = ("--epsilon", "0.7", "--delta", "0.125")


@pytest.mark.parametrize("name", ["m.csv", "m.json"])
def test_a_saved_mechanism(run, table, saved, name):
    path, mechanism = saved(name)
    arguments = ["release", table, "--where", "age >= 65", *DELTA, "--mechanism", path]
    text = run(*arguments).succeeds()
    assert re.match(r"Released count: [0-3]\n\nQuestion    rows of people\.csv where age >= 65\n", text)
    assert (
        "\nMechanism   four answers (audited)\nAudit       at this epsilon it takes delta 0.125\nContents    SHA-"
        in text
    )
    out = run(*arguments, "--json").succeeds()
    jsonschema.validate(json.loads(out), SCHEMA, cls=jsonschema.Draft202012Validator)
    receipt = Receipt.from_json(out)
    assert (receipt.mechanism, receipt.epsilon, receipt.delta) == ("audited", "0.7", "0.125")
    assert (receipt.audit.name, receipt.audit.matrix_sha256) == ("four answers", mechanism.sha256)
    assert receipt.audit.least_delta == 0.125
    assert receipt.error_probability == mechanism.error_probability
    assert str(path.parent) not in text + out


def test_its_law_draws(run, table, saved):
    path, _ = saved(matrix=[[0, 0, 0, 1]] * 4)
    for _ in range(3):
        out = run("release", table, "--where", "age >= 65", "--epsilon", 0, "--mechanism", path, "--json").succeeds()
        assert Receipt.from_json(out).released == 3


def test_the_same_file_is_audited_and_released(run, table, saved):
    path, _ = saved()
    assert run("audit", path, *DELTA).code == 0
    assert run("audit", path, "--epsilon", "0.7").code == 1


def test_it_may_draw_under_add_remove(run, table, saved):
    path, _ = saved()
    arguments = [
        "release",
        table,
        "--where",
        "age > 0",
        *DELTA,
        "--mechanism",
        path,
        "--adjacency",
        "add-remove",
        "--max",
    ]
    assert Receipt.from_json(run(*arguments, 3, "--json").succeeds()).maximum == 3
    message = run(*arguments, 4).fails_with(2)
    assert (
        message
        == "--mechanism must be one for the range of the release, 0 to 4: its own is 0 to 3 (got 'four answers')"
    )
    # Before the data is read:
    assert run(arguments[0], "none.csv", *arguments[2:], 4).fails_with(2) == message


def test_a_mechanism_that_is_not_private(run, table, saved):
    path, _ = saved()
    expected = (
        "--mechanism must be private at epsilon 0.7, delta 0; an audit found that it takes delta 0.125 at that epsilon "
        "(got 'four answers')"
    )
    arguments = ["--where", "age >= 65", "--epsilon", "0.7", "--mechanism", path]
    assert run("release", table, *arguments).fails_with(2) == expected
    assert run("release", "no-such-file.csv", *arguments).fails_with(2) == expected


def test_a_mechanism_for_another_number_of_rows(run, file, saved):
    path, _ = saved()
    message = run("release", file("age\n1\n"), "--where", "age > 0", *DELTA, "--mechanism", path).fails_with(2)
    assert message.startswith("--mechanism must be one for the range of the release, 0 to 1: its own is 0 to 3")


def test_names_win_over_files(run, table, saved, tmp_path, monkeypatch):
    path, _ = saved()
    path.rename(tmp_path / "nearest")
    monkeypatch.chdir(tmp_path)
    arguments = ["release", table, "--where", "age >= 65", *DELTA, "--json", "--mechanism"]
    assert Receipt.from_json(run(*arguments, "nearest").succeeds()).mechanism == "nearest"
    assert Receipt.from_json(run(*arguments, "./nearest").succeeds()).audit.name == "four answers"
    (tmp_path / "nearest").rename(tmp_path / "mine")
    assert Receipt.from_json(run(*arguments, "mine").succeeds()).audit.name == "four answers"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, " does not exist"),
        ("1,0\n0,1\n", ": not a saved mechanism: line 1 must be '# hushcount mechanism 1'"),
        ("# hushcount mechanism 1\n# epsilon = x\n", ": n must be a whole number from 0 to 4,095"),
        (
            '{"format": "hushcount mechanism", "version": 7}',
            ": a saved mechanism of version 7, but this hushcount reads 1",
        ),
        ("\x00", ": not a saved mechanism"),
    ],
)
def test_what_is_no_saved_mechanism_is_bad_data(run, table, tmp_path, content, message):
    path = tmp_path / "m.csv"
    if content is not None:
        path.write_text(content)
    said = run("release", table, "--where", "age >= 65", *DELTA, "--mechanism", path).fails_with(3)
    assert said.startswith(f"{path}{message}")


# --- the receipt file ------------------------------------------------------------------------------------------------


def test_output_is_the_printed_receipt(run, table, tmp_path):
    target = tmp_path / "receipt.json"
    target.write_text("an earlier one")
    out = run("release", table, "--where", "age >= 65", "--epsilon", "1", "--json", "--output", target).succeeds()
    assert target.read_text(encoding="utf-8") == out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv", "receipt.json"]


def test_output_goes_with_the_text_too(run, table, tmp_path):
    target = tmp_path / "receipt.json"
    text = run("release", table, "--where", "age >= 65", "--epsilon", "1", "--output", target).succeeds()
    receipt = Receipt.from_json(target.read_bytes())
    assert text.startswith(f"Released count: {receipt.released}\n")
    assert str(receipt.receipt_id) in text


@pytest.mark.skipif(os.name != "posix", reason="file modes and links are those of POSIX")
def test_output_can_be_handed_on_and_follows_links(run, table, tmp_path):
    target = tmp_path / "receipts" / "one.json"
    target.parent.mkdir()
    target.write_text("")
    link = tmp_path / "link.json"
    link.symlink_to(target)
    before = os.umask(0o022)
    try:
        run("release", table, "--where", "age >= 65", "--epsilon", "1", "--output", link).succeeds()
    finally:
        os.umask(before)
    assert link.is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == 0o644
    Receipt.from_json(target.read_bytes())


@pytest.mark.parametrize(
    "name", ["people.csv", "linked.csv", ".", "folder", "absent/receipt.json", "people.csv/x", "x" * 300]
)
def test_output_where_no_receipt_belongs(run, table, tmp_path, name):
    (tmp_path / "folder").mkdir()
    (tmp_path / "linked.csv").symlink_to(table)
    before = table.read_bytes()
    message = run("release", table, "--where", "age > 1", "--epsilon", 1, "--output", tmp_path / name).fails_with(2)
    assert message.startswith("--output must be ")
    assert table.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "linked.csv", "people.csv"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write anywhere")
def test_output_in_a_protected_folder(run, table, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o500)
    message = run("release", table, "--where", "age > 1", "--epsilon", 1, "--output", folder / "r.json").fails_with(2)
    assert message.startswith("--output must be a file that can be written: Permission denied")


def test_a_failed_release_leaves_the_output_as_it_was(run, file, tmp_path):
    path, target = file("age,name\n70\n"), tmp_path / "receipt.json"
    arguments = ["release", path, "--where", "age > 1", "--epsilon", "1", "--output", target]
    run(*arguments).fails_with(3)
    assert not target.exists()
    target.write_text("an earlier one")
    run(*arguments).fails_with(3)
    assert target.read_text() == "an earlier one"
    assert len(list(tmp_path.iterdir())) == 2


def test_a_failed_write_leaves_nothing_and_prints_nothing(run, table, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    target = tmp_path / "receipt.json"
    message = run("release", table, "--where", "age > 1", "--epsilon", "1", "--output", target).fails_with(2)
    assert message == "the receipt could not be written, and nothing was released: No space left on device"
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


# --- units -----------------------------------------------------------------------------------------------------------


def test_units_are_counted_once(run, file):
    people = file("person,age\nann,70\nann,80\nbob,90\ncid,5\n,66\n")
    options = ("--unit", "person", "--without-unit", "one-unit")
    assert counted(run, people, "--where", "age >= 65", *options) == (3, 4)
    assert counted(run, people, "--where", "age >= 65") == (4, 5)
    text = " ".join(run("release", people, "--where", "age >= 65", *options, *CERTAIN).succeeds().split())
    assert "Question units (person) of data.csv with a row where age >= 65 Range 0 to 4: " in text
    assert "all rows of any one unit are protected" in text
    assert "The number of units is 4." in text
    message = run("release", people, "--where", "age >= 65", "--unit", "person", *CERTAIN).fails_with(3)
    assert message.endswith("can be declared to be one unit (--without-unit one-unit)")


def test_under_add_remove_the_number_of_units_is_not_told(run, file):
    people = file("person,age\nann,70\nbob,90\nbob,91\n")
    options = ("--where", "age >= 65", "--unit", "person", "--adjacency", "add-remove", "--max", "7", *CERTAIN)
    text = " ".join(run("release", people, *options).succeeds().split())
    assert text.startswith("Released count: 2 ")
    assert "Range 0 to 7: " in text
    assert "The number of units is private, and the presence of any one unit, with all its rows, is protected" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--without-unit", "one-unit"), "--without-unit must be left out where rows are counted, not units"),
        (("--unit", "age"), "--unit must be a column whose type is pinned (--type age=text), since the condition"),
        (("--unit", "nmae"), "no such column: 'nmae'; did you mean 'name'?"),
        (("--unit", ""), "--unit must be the name of a column"),
    ],
)
def test_units_that_are_refused(run, table, options, message):
    assert run("release", table, "--where", "age >= 65", *options, *CERTAIN).fails_with(2).startswith(message)
