"""Releases under a budget that lists its sources: what is asked is judged by the list alone, and free if refused."""

from __future__ import annotations

import sqlite3

import pytest

from hushcount import Ledger, ReadOptions, Session, add_source, create_budget, release_count, release_table
from hushcount.counting import OpenTable
from hushcount.errors import BadData, BadUse, HushcountError, InvalidParameter, NoSuchColumn, PredicateRefused
from hushcount.ledger import Basis
from hushcount.ledger.listed import stamp_of
from hushcount.release.subject import Subject

ROWS = "person,got,code\nann,1,007\nbob,0,12x\ncid,1,9\n"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(ROWS)
    return path


@pytest.fixture
def place(tmp_path, table):
    create_budget(tmp_path / "people.ledger", "people", 2000, source=table, protects="person")
    return tmp_path / "people.ledger"


@pytest.fixture
def ask(place):
    def ask(where="got = 1", epsilon=100, *, source=None, **others):
        return release_count(source, where, epsilon, ledger=place, budget="people", **others)

    return ask


@pytest.fixture
def unread(monkeypatch):
    """From now on a look at the data is a failure."""
    return lambda: monkeypatch.setattr(OpenTable, "__init__", lambda *_, **__: pytest.fail("the data was read"))


@pytest.fixture
def charges(place):
    return lambda: len(Ledger(place).history("people"))


# --- less to say ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_source_can_be_left_out(ask, table, place, charges, monkeypatch):
    first = ask()
    assert (first.source, first.released, first.maximum, first.unit) == ("people.csv", 2, 3, None)
    assert ask(source=table) == ask(source="people.csv") == ask(options=ReadOptions()) == first
    monkeypatch.chdir(table.parent)
    assert ask(source="people.csv") == ask(source="./people.csv", where="got=1") == first
    assert charges() == 1
    with Session(None, place, "people") as session:
        assert session.count("got = 1", 100) == first
        assert session.basis is Basis.STORED
        assert session.table("got", [0, 1], 100).released == (1, 2, 0)
    table_receipt = release_table(None, "got", [0, 1], 100, ledger=place, budget="people")
    assert (table_receipt.source, table_receipt.released) == ("people.csv", (1, 2, 0))
    assert charges() == 2


@pytest.mark.slow
def test_how_it_is_read_and_who_is_counted_can_be_left_out(tmp_path):
    (tmp_path / "v.csv").write_text("who;got\nann;1\nann;1\nNA;1\nbob;0\n")
    options = ReadOptions(delimiter=";", null="NA", types={"got": "integer"})
    place = tmp_path / "l"
    how = {"options": options, "unit": "who", "without_unit": "one-unit"}
    create_budget(place, "people", 2000, source=tmp_path / "v.csv", protects="person", **how)
    first = release_count(None, "got = 1", 100, ledger=place, budget="people")
    assert (first.released, first.maximum, first.unit.column, first.unit.without) == (2, 3, "who", "one-unit")
    assert (first.reading.delimiter, first.reading.null) == (";", "NA")
    assert release_count("v.csv", "got = 1", 100, ledger=place, budget="people", **how) == first
    given = {"options": {"null": "NA", "types": {"got": "integer"}}, "unit": "who"}
    assert release_count("v.csv", "got = 1", 100, ledger=place, budget="people", **given) == first
    released = release_table(None, "got", [0, 1], 100, ledger=place, budget="people", max_cells=1)
    assert released.unit.column == "who"
    with pytest.raises(InvalidParameter, match="max_cells must be"):
        release_table(None, "got", [0, 1], 100, ledger=place, budget="people")


# --- what differs is refused, free, and nothing is read ---------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "error", "message"),
    [
        (
            {"source": "other.csv"},
            InvalidParameter,
            r"^source must be one that the budget 'people' lists, .*: people.csv",
        ),
        ({"source": "postgresql://u:s3cret@h/d"}, InvalidParameter, r"\(got 'postgresql://h/d'\)$"),
        ({"source": 7}, InvalidParameter, r"^source must be the path of a file"),
        ({"options": ReadOptions(null="ann")}, InvalidParameter, r"^null must be '', as people.csv is listed"),
        ({"options": {"null": "ann"}}, InvalidParameter, r"^null must be '', as people.csv is listed"),
        ({"options": ReadOptions(delimiter=";")}, InvalidParameter, r"^delimiter must be ',', as people.csv is listed"),
        ({"options": ReadOptions(header=False)}, InvalidParameter, r"^header must be True, as people.csv is listed"),
        ({"options": ReadOptions(encoding="utf-16")}, InvalidParameter, r"^encoding must be 'utf-8'"),
        ({"options": ReadOptions(format="csv")}, InvalidParameter, r"^format must be 'auto'"),
        ({"options": ReadOptions(decimal=",", delimiter=";")}, InvalidParameter, r"^delimiter must be ','"),
        ({"options": {"date_format": "%d.%m.%Y"}}, InvalidParameter, r"^date_format must be '%Y-%m-%d'"),
        ({"options": {"null": '"'}}, InvalidParameter, r"^null must be a text without"),
        ({"options": "csv"}, InvalidParameter, r"^options must be a ReadOptions"),
        ({"options": {"name": "x"}}, InvalidParameter, r"^options must be a ReadOptions, or some of its fields"),
        ({"options": {7: "x"}}, InvalidParameter, r"^options must be a ReadOptions, or some of its fields"),
        ({"options": ReadOptions(table="people")}, InvalidParameter, r"^table must be as the budget"),
        ({"options": ReadOptions(types={"got": "text"})}, InvalidParameter, r"^types must be those of people.csv"),
        ({"options": {"types": {"nothing": "text"}}}, InvalidParameter, r"^types must be those of people.csv"),
        ({"unit": "person"}, InvalidParameter, r"^unit must be left out: rows are counted, as people.csv is listed"),
        ({"without_unit": "one-unit"}, InvalidParameter, r"^without_unit must be left out: rows are counted"),
        ({"where": "age > 1"}, NoSuchColumn, "no such column: 'age'"),
        ({"where": "got = 'x'"}, PredicateRefused, "got"),
        ({"where": "code > 5"}, PredicateRefused, "code"),
        ({"where": "got = DATE '2024-01-01'"}, PredicateRefused, "got"),
        ({"where": "count(*) > 1"}, PredicateRefused, "count"),
        ({"adjacency": "add-remove", "max_count": 5}, InvalidParameter, "^adjacency must be replace-one"),
    ],
    ids=str,
)
def test_what_differs_from_the_list_is_refused(ask, charges, unread, asked, error, message):
    unread()
    with pytest.raises(error, match=message) as caught:
        ask(**asked)
    assert caught.value.charged is None
    assert "s3cret" not in str(caught.value)
    assert charges() == 0


@pytest.mark.parametrize(
    ("by", "keys"),
    [("age", [1]), ("got", ["x"]), ("code", [5]), ("got", [0.5]), ("person,got", ["a"])],
    ids=str,
)
def test_keys_are_judged_by_the_list(place, charges, unread, by, keys):
    unread()
    with pytest.raises(BadUse):
        release_table(None, by, keys, 1, ledger=place, budget="people")
    assert charges() == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked", [{"where": "got = 1"}, {"where": "code = '007'"}, {"options": {"types": {"got": "integer"}}}]
)
def test_what_is_as_listed_is_answered(ask, asked):
    assert ask(**asked).ledger.budget == "people"


def test_the_types_do_not_depend_on_the_values_of_the_day(ask, table, charges):
    """`code` was listed as a text; that no row reads 007 any more tells nobody anything."""
    table.write_text("person,got,code\nann,1,7\nbob,0,12\n")
    assert ask("code = '7'").released == 1
    with pytest.raises(PredicateRefused):
        ask("code = 7")
    assert charges() == 1


# --- a source that changed --------------------------------------------------------------------------------------------


def test_a_source_that_fits_after_a_change_is_answered(ask, table):
    table.write_text(ROWS + "dan,1,-\n")
    assert ask().released == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    "content",
    [
        ROWS + "dan,many,1\n",
        ROWS + "dan,1\n",
        ROWS.replace("got", "given"),
        ROWS.replace(",code", ""),
        "",
        "PAR1 and more",
        ROWS + 'dan,1,"x\n',
        ROWS + "dan,0.5,1\n",
    ],
    ids=["type", "fields", "name", "columns", "empty", "format", "quote", "fraction"],
)
def test_a_misfit_is_refused_free_and_names_the_source_only(ask, table, charges, content):
    """Also where it is in a column that the condition does not name."""
    table.write_text(content)
    for where in ("person = 'x'", "got = 1"):
        with pytest.raises(BadData) as caught:
            ask(where)
        assert str(caught.value).startswith("people.csv cannot be read as ")
        assert "source check" in str(caught.value)
        assert "line" not in str(caught.value).partition("source check")[0].replace("listed", "")
        assert str(table.parent) not in str(caught.value)
        assert (caught.value.__context__, caught.value.__cause__, caught.value.charged) == (None, None, None)
    assert charges() == 0


def test_a_source_that_is_gone(ask, table, charges):
    table.unlink()
    with pytest.raises(BadData) as caught:
        ask()
    assert str(table.parent) not in str(caught.value)
    assert "people.csv" in str(caught.value)
    assert charges() == 0


def test_all_columns_are_checked_only_after_a_change(ask, table, monkeypatch):
    checked = []
    fits = OpenTable.check_fits
    monkeypatch.setattr(OpenTable, "check_fits", lambda opened: checked.append(1) or fits(opened))
    ask()
    assert checked == []
    table.write_text(ROWS)
    ask("got = 0")
    assert checked == [1]


def test_what_goes_wrong_after_the_charge_names_the_source_only(ask, place, table, monkeypatch):
    """A file that changes between the check and the count."""
    look = OpenTable.tally

    def changed(opened):
        table.write_text(ROWS + "dan,many,1\n")
        return look(opened)

    monkeypatch.setattr(OpenTable, "tally", changed)
    with pytest.raises(HushcountError) as caught:
        ask()
    told = str(caught.value)
    assert told.startswith("people.csv ")
    assert "line" not in told.replace("listed", "")
    assert told.endswith(
        "; the data had been read, so epsilon 100, delta 0 stay charged to the budget 'people'; the same question "
        "asked again is not charged again, and a corrected one is charged anew"
    )
    assert [caught.value.charged] == list(Ledger(place).history("people"))


def test_a_row_without_a_unit_is_a_misfit(tmp_path):
    (tmp_path / "v.csv").write_text("who,got\nann,1\n")
    create_budget(tmp_path / "l", "people", 10, source=tmp_path / "v.csv", unit="who")
    (tmp_path / "v.csv").write_text("who,got\nann,1\n,1\n")
    with pytest.raises(BadData, match=r"^v.csv cannot be read as"):
        release_count(None, "got = 1", 1, ledger=tmp_path / "l", budget="people")
    assert Ledger(tmp_path / "l").history("people") == ()


# --- several sources --------------------------------------------------------------------------------------------------


@pytest.fixture
def several(place, tmp_path):
    """`people.csv` here and in a folder, and two tables of a database."""
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "people.csv").write_text(ROWS + ROWS.split("\n", 1)[1])
    add_source(place, "people", tmp_path / "old" / "people.csv")
    with sqlite3.connect(tmp_path / "clinic.db") as connection:
        for name in ("visits", "stays"):
            connection.execute(f"CREATE TABLE {name} (got INTEGER, person TEXT)")
            connection.execute(f"INSERT INTO {name} VALUES (1, 'ann'), (1, 'ann'), (0, 'bob')")
    connection.close()
    add_source(place, "people", tmp_path / "clinic.db", options=ReadOptions(table="visits"), unit="person")
    add_source(place, "people", tmp_path / "clinic.db", options=ReadOptions(table="stays"))


@pytest.mark.slow
def test_one_of_several_is_named(ask, several, tmp_path):
    assert ask(source=tmp_path / "people.csv").maximum == 3
    assert ask(source=tmp_path / "old" / "people.csv").maximum == 6
    assert ask(source="clinic.db", options={"table": "visits"}).maximum == 2
    assert ask(options={"table": "visits"}).maximum == 2
    assert ask(source="clinic.db", options=ReadOptions(table="stays")).maximum == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({}, r"^source must be given, by its path: the budget 'people' lists several, people.csv, clinic.db"),
        ({"source": "people.csv"}, r"^source must be given, by its path"),
        (
            {"source": "clinic.db"},
            r"^table must be given: .* lists several of this source, visits, stays",
        ),
        (
            {"source": "clinic.db", "options": {"table": "x"}},
            r"^table must be as the budget 'people' lists it: visits, stays \(got 'x'\)$",
        ),
        ({"options": {"table": "x"}}, r"^table must be as the budget 'people' lists it"),
        ({"source": "clinic.db", "options": {"table": "visits"}, "unit": "got"}, r"^unit must be 'person' or left out"),
        ({"source": "clinic.db", "options": {"table": "stays"}, "unit": "person"}, r"^unit must be left out"),
    ],
    ids=str,
)
def test_several_are_not_guessed_from(ask, several, unread, asked, message):
    unread()
    with pytest.raises(InvalidParameter, match=message):
        ask(**asked)


@pytest.mark.parametrize("declared", [{"keys": "file"}, {"keys": None, "totals": "file"}], ids=["keys", "totals"])
def test_no_listed_source_declares_the_cells_of_another(place, tmp_path, charges, unread, declared):
    """Its rows would be shown as keys, and repeated by errors about them."""
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "got.csv").write_text("got,total\n1,2\n")
    (tmp_path / "link.csv").symlink_to(tmp_path / "old" / "got.csv")
    add_source(place, "people", tmp_path / "old" / "got.csv")
    unread()
    for file in (tmp_path / "old" / "got.csv", tmp_path / "link.csv"):
        files = {name: value and file for name, value in declared.items()}
        with pytest.raises(InvalidParameter, match=f"^{[*files][-1]} must be another file than the sources"):
            release_table("people.csv", "got", epsilon=1, ledger=place, budget="people", **files)
    assert charges() == 0


def test_what_is_as_listed_is_judged_with_the_rest_of_the_list(tmp_path):
    """A decimal comma is no option by itself: the usual delimiter is a comma too."""
    (tmp_path / "v.csv").write_text("got;share\n1;0,5\n")
    how = {"delimiter": ";", "decimal": ","}
    create_budget(tmp_path / "l", "people", 10, source=tmp_path / "v.csv", options=ReadOptions(**how))
    asked = {"ledger": tmp_path / "l", "budget": "people"}
    for given in ({"decimal": ","}, {"delimiter": ";"}, how):
        assert release_count(None, "share > 0.1", 1, options=given, **asked).maximum == 1
    with pytest.raises(InvalidParameter, match="decimal must be"):
        release_count(None, "share > 0.1", 1, options={"decimal": "."}, **asked)


def test_a_table_of_spark_is_no_file_of_its_name(ask, tmp_path, monkeypatch, charges):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidParameter, match=r"^source must be one that the budget 'people' lists"):
        ask(source="spark:people.csv")
    assert charges() == 0


def test_a_name_is_not_taken_for_another_file_of_that_name(ask, tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "people.csv").write_text(ROWS)
    monkeypatch.chdir(tmp_path / "here")
    with pytest.raises(InvalidParameter, match="if no other file has it"):
        ask(source="people.csv")


def test_what_is_declared_in_a_file_is_in_none_of_the_data(tmp_path, place):
    """The rows of any listed source, of this budget or another, would be shown as keys."""
    (tmp_path / "names.csv").write_text("person\neve\n")
    create_budget(place, "others", 10, source=tmp_path / "names.csv")
    create_budget(place, "alone", 10)
    (tmp_path / "link.csv").symlink_to(tmp_path / "names.csv")
    (tmp_path / "hard.csv").hardlink_to(tmp_path / "names.csv")
    for budget, source in (("people", None), ("alone", tmp_path / "people.csv")):
        for name in ("names.csv", "link.csv", "hard.csv"):
            for declared in ({"keys": tmp_path / name}, {"keys": None, "totals": str(tmp_path / name)}):
                rule = "must be another file than the sources: "
                with pytest.raises(InvalidParameter, match=f"^{[*declared][-1]} {rule}"):
                    release_table(source, "person", epsilon=1, ledger=place, budget=budget, **declared)


@pytest.mark.parametrize("address", ["{}", "file://{}"])
def test_a_file_that_spark_reads_declares_nothing(tmp_path, address):
    folder = tmp_path / "folder"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "part.csv").write_text("person\neve\n")
    subject = Subject.of(f"spark:{address.format(folder)}")
    with pytest.raises(InvalidParameter, match=r"^keys must be another file than the sources: "):
        subject.check_declared("keys", folder / "sub" / "part.csv")
    subject.check_declared("keys", tmp_path / "keys.csv")
    Subject.of("spark:folder").check_declared("keys", folder / "sub" / "part.csv")


def test_a_source_is_where_the_ledger_is_and_not_where_it_was(tmp_path):
    """Once a folder was moved, another file may have the path at which a source was listed."""
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    (old / "people.csv").write_text(ROWS)
    create_budget(old / "l", "people", 100, source=old / "people.csv")
    old.rename(new)
    asked = {"ledger": new / "l", "budget": "people"}
    assert release_count(new / "people.csv", "got = 1", 1, **asked).maximum == 3
    with pytest.raises(InvalidParameter, match=r"^source must be one that the budget 'people' lists"):
        release_count(old / "people.csv", "got = 1", 2, **asked)
    old.mkdir()
    (old / "people.csv").write_text(ROWS + ROWS.split("\n", 1)[1])
    with pytest.raises(InvalidParameter, match=r"^source must be one that the budget 'people' lists"):
        release_count(old / "people.csv", "got = 1", 2, **asked)
    assert len(Ledger(new / "l").history("people")) == 1


# --- without a list ---------------------------------------------------------------------------------------------------


def test_without_a_list_a_source_is_needed(tmp_path, table):
    create_budget(tmp_path / "l", "alone", 1)
    with pytest.raises(InvalidParameter, match=r"^source must be given: .*; the budget 'alone' lists none"):
        release_count(None, "got = 1", 1, ledger=tmp_path / "l", budget="alone")
    with pytest.raises(InvalidParameter, match=r"^source must be given: a file, or an address$"):
        release_count(None, "got = 1", 1)
    assert release_count(table, "got = 1", 1, ledger=tmp_path / "l", budget="alone").maximum == 3


def test_a_subject_says_the_same_of_a_source_with_a_list_and_without(place, table):
    from hushcount.release.payment import Payment

    listed = Subject.of(None, payment=Payment.of(place, "people"))
    assert listed.about() == Subject.of(table).about()
    assert listed.listed is not None
    assert listed.listed.stamp == stamp_of(Subject.of(table).place)
