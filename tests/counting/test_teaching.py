"""Errors that say what to write instead; none says more of the data than which type a column has."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest

from hushcount.counting import OpenTable, ReadOptions, count_matching, parse_predicate, read_schema
from hushcount.counting.cells.cells import Cells
from hushcount.counting.cells.completion import completed
from hushcount.counting.cells.keys import Keys, group_list
from hushcount.counting.declared.units import Unit
from hushcount.errors import BadData, HushcountError, InvalidParameter, NoSuchColumn, PredicateRefused

_PENGUINS = """sex,Body Mass (g),date,body-mass,unit no
MALE,3750,2008-11-01,1,1
FEMALE,NA,2007-11-11,2,2
FEMALE,4500,2009-11-11,3,3
"""
_MISSING = "; if it holds numbers, and a text such as NA where one is missing, declare that text: --null NA"


@pytest.fixture
def penguins(tmp_path: Path) -> Path:
    path = tmp_path / "penguins.csv"
    path.write_text(_PENGUINS)
    return path


def cells_of(by: str) -> Cells:
    groups = group_list(by)
    return Cells(completed(None, groups), groups=groups)


def said(path: Path, where: str, **options: object) -> str:
    with pytest.raises(HushcountError) as caught:
        count_matching(path, where, ReadOptions(**options))
    return str(caught.value)


@pytest.mark.parametrize("where", ["{} > 4000", "{} BETWEEN 1 AND 2", "{} IN (1, 2)", "{} + 1 > 2", "abs({}) = 1"])
def test_a_text_for_a_missing_number_is_declared(penguins: Path, where: str) -> None:
    where = where.format('"Body Mass (g)"')
    assert said(penguins, where).endswith(_MISSING)
    assert count_matching(penguins, where, ReadOptions(null="NA")).rows == 3


def test_what_is_said_of_missing_numbers_does_not_depend_on_the_texts(tmp_path: Path) -> None:
    told = set()
    for text in ("NA", "N/A", "secret", "-"):
        (tmp_path / "x.csv").write_text(f"x\n1\n{text}\n")
        told.add(said(tmp_path / "x.csv", "x > 1"))
        told.add(said(tmp_path / "x.csv", "x > 1", types={"x": "number"}))
        with (
            pytest.raises(InvalidParameter) as caught,
            OpenTable(tmp_path / "x.csv", "TRUE", cells=Cells(Keys.listed(["x"], "1,2"))) as opened,
        ):
            opened.tally_cells()
        told.add(str(caught.value))
    assert len(told) == 3
    assert all("--null NA" in message and "secret" not in message for message in told)


def test_a_text_of_a_declared_type_has_no_such_hint(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("x\n1\n")
    assert "--null" not in said(tmp_path / "x.csv", "x > 1", types={"x": "text"})


@pytest.mark.parametrize(
    ("where", "name"),
    [
        ("Body Mass (g) > 4000", '"Body Mass (g)"'),
        ("sex = 'MALE' AND Body Mass (g) > 4000", '"Body Mass (g)"'),
        ("Mass (g) > 4000", '"Mass (g)"'),
        ("Body Mass > 4000", '"Body Mass"'),
        ("NOT Body Mass IS NULL", '"Body Mass"'),
        ("Culmen.Length > 4000", '"Culmen.Length"'),
    ],
)
def test_a_name_with_blanks_or_signs_goes_in_double_quotes(where: str, name: str) -> None:
    with pytest.raises(PredicateRefused) as caught:
        parse_predicate(where)
    assert f"; a column name with blanks or signs is in double quotes: {name}" in str(caught.value)


@pytest.mark.parametrize("where", ["sum(x) > 4", "x (y, z) = 3", "now() > 3", "foo(lower(x)) = 1", "(x = 1"])
def test_a_function_is_not_taken_for_a_name(where: str) -> None:
    with pytest.raises(PredicateRefused) as caught:
        parse_predicate(where)
    assert "double quotes" not in str(caught.value)


def test_brackets_and_signs_of_names_that_exist(penguins: Path) -> None:
    assert said(penguins, "body-mass > 1") == (
        "no such column: 'body'; a column name with blanks or signs is in double quotes: \"body-mass\"; did you mean "
        "'body-mass'?"
    )
    assert "a column name with brackets in double quotes" in said(penguins, "mass [kg] > 1")
    with pytest.raises(NoSuchColumn, match=r"^no such column: 'unit'; did you mean 'unit no'\?$"):
        OpenTable(penguins, "TRUE", unit=Unit("unit"))  # which is no condition


@pytest.mark.parametrize(
    "where", ['sex = "FEMALE"', "sex = FEMALE", "FEMALE = sex", "sex IN (FEMALE)", "sex LIKE FEMALE"]
)
def test_a_text_goes_in_single_quotes(penguins: Path, where: str) -> None:
    assert "a text is in single quotes: 'FEMALE'" in said(penguins, where)


def test_two_words_may_be_a_text(penguins: Path) -> None:
    assert "double quotes" not in said(penguins, "sex = 'a' 'b'")
    assert said(penguins, "sex = Adelie Penguin").endswith('"Adelie Penguin", and a text in single quotes')


@pytest.mark.parametrize(
    ("where", "date"),
    [
        ("date >= 2008-11-01", "2008-11-01"),
        ("2008-1-9 < date", "2008-01-09"),
        ("date BETWEEN 2008-11-01 AND 2009-01-01", "2008-11-01"),
        ("date = 2008-13-01", "YYYY-MM-DD"),
        ("date > 11/01/2008", "YYYY-MM-DD"),
        ("date = 2008", "YYYY-MM-DD"),
    ],
)
def test_a_date_is_written_as_one(penguins: Path, where: str, date: str) -> None:
    assert f"; a date is written DATE '{date}'" in said(penguins, where)


def test_other_calculations_are_no_dates(penguins: Path) -> None:
    assert "DATE" not in said(penguins, "date > 2008 - 1")
    assert count_matching(penguins, '"body-mass" > 2008-11-01').matching == 0


def test_a_date_and_a_number_meet_in_the_year(penguins: Path) -> None:
    assert said(penguins, "date = 2008").endswith("and its year is year(date)")
    assert count_matching(penguins, "year(date) = 2008").matching == 1


def test_texts_that_may_be_dates(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("d\n01.11.2008\n")
    for where in ("year(d) = 2008", "d > DATE '2008-01-01'"):
        assert "declare that: --type d=date; in a CSV file also how they are written (--date-format)" in said(
            tmp_path / "d.csv", where
        )
    assert "letter by letter; declare its dates (--type d=date) or" in said(tmp_path / "d.csv", "d > '2008-11-01'")
    with (
        pytest.raises(InvalidParameter, match="holds texts; if it holds dates, declare that: --type d=date"),
        OpenTable(tmp_path / "d.csv", "TRUE", cells=cells_of("quarter(d)")) as opened,
    ):
        opened.tally_cells()
    assert "--date-format" in said(tmp_path / "d.csv", "d > DATE '2008-01-01'")
    (tmp_path / "d.json").write_text('{"d": "2008-11-01"}\n')
    assert "declare that: --type d=date;" in said(tmp_path / "d.json", "d > DATE '2008-01-01'")
    assert count_matching(tmp_path / "d.json", "d > DATE '2008-01-01'", ReadOptions(types={"d": "date"})).matching == 1
    assert count_matching(tmp_path / "d.csv", "year(d) = 2008", ReadOptions(date_format="%d.%m.%Y")).matching == 1


def test_what_a_shell_would_break_is_quoted(penguins: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match=r"\(--type 'unit no=text'\)"):
        OpenTable(penguins, '"unit no" = 1', unit=Unit("unit no"))
    (tmp_path / "d.csv").write_text("a b,it's\n1,1.5\n2,2\n")
    assert "(--type 'a b=number' for a CSV file)" in said(tmp_path / "d.csv", '"a b" = "it\'s"')
    for name, option in (("a b", "--type 'a b=...'"), ("it's", "--type 'it'\"'\"'s=text'")):
        with (
            pytest.raises(InvalidParameter) as caught,
            OpenTable(tmp_path / "d.csv", "TRUE", cells=Cells(Keys.listed([name], "x"))) as opened,
        ):
            opened.tally_cells()
        assert option in str(caught.value)


def test_a_misfit_of_a_pinned_number_names_the_line_alone(penguins: Path) -> None:
    with pytest.raises(BadData, match=r"line 3 does not hold a number in column 'Body Mass \(g\)', as was declared; a"):
        count_matching(penguins, '"Body Mass (g)" > 1', ReadOptions(types={"Body Mass (g)": "number"}))


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("a = 1 & b = 2", "joined by AND"),
        ("a = 1 && b = 2", "joined by AND"),
        ("a = 1 \u2227 b = 2", "joined by AND"),
        ("a = 1 | b = 2", "is OR"),
        ("a = 1 || b = 2", "is OR"),
        ("a => 1", "write >="),
        ("a =< 1", "write <="),
        ("a = < 1", "write <="),
        ("a === 1", "write ="),
        ("a !== 1", "write <>"),
        ("a \u2265 1", "write >="),
        ("a \u2264 1", "write <="),
        ("a \u2260 1", "write <>"),
        ("a \u2212 1 = 2", "write -"),
        ("a = \u201cx\u201d", "a text is in single quotes"),
        ("`a` = 1", "a column name goes in double quotes"),
        ("!a", "write NOT"),
        ("a ^ 2 = 4", "a product, such as x * x"),
        ("a >= 18 AND <= 64", "BETWEEN"),
        ("18 <= a <= 64", "BETWEEN"),
        ("a = 'x' OR 'y'", "by IN (...)"),
        ("a IN 1, 2", "IN (1, 2)"),
        ("a IS 1", "compared by ="),
        ("isna(a)", "IS NULL or IS NOT NULL"),
        ("a.startswith('x')", "only LIKE"),
        ("a IS NA", "a missing value is NULL"),
        ("a IN ('x', NA)", "IS NULL or IS NOT NULL"),
    ],
)
def test_operators_of_other_languages(where: str, told: str) -> None:
    with pytest.raises(PredicateRefused) as caught:
        parse_predicate(where)
    assert told in str(caught.value)


@pytest.mark.parametrize("word", ["NA", "nan", "None", "NaT", "missing"])
def test_a_missing_value_is_asked_for_with_is_null(penguins: Path, word: str) -> None:
    assert "by IS NULL or IS NOT NULL" in said(penguins, f"sex = {word}")
    assert "IS NULL" not in said(penguins, "sex = MALE")


@pytest.mark.parametrize(
    ("number", "told"),
    [
        ("2,5", "write 2.5"),
        ("(2,5)", "write 2.5"),
        ("1,000", "write 1000 or 1.000"),
        ("1,000,000.5", "write 1000000.5"),
        ("1.000,5", "write 1000.5"),
        ("1.000.000", "write 1000000"),
        ("1.2.3.4", "one decimal point"),
        ("01.07.2024", "DATE '2024-07-01'"),
        ("1.7.2024", "DATE '2024-07-01'"),
        ("2024.07.01", "DATE '2024-07-01'"),
        ("31.02.2024", "DATE 'YYYY-MM-DD'"),
    ],
)
def test_numbers_and_dates_as_they_are_written_elsewhere(number: str, told: str) -> None:
    for where in (f"x >= {number}", f"x + 1 = {number} OR y = 1", f"x BETWEEN {number} AND 3"):
        with pytest.raises(PredicateRefused, match="is not a number as it is written here") as caught:
            parse_predicate(where)
        assert str(caught.value).endswith(told) or told == "one decimal point"


def test_commas_of_lists_are_no_decimal_marks() -> None:
    assert parse_predicate("x IN (1,5) AND coalesce(x,1,2) = 1").sql == "x IN (1, 5) AND coalesce(x, 1, 2) = 1"
    with pytest.raises(PredicateRefused, match="DATE '2024-07-01'"):
        parse_predicate("x IN (01.07.2024,1)")


@pytest.mark.parametrize(
    ("where", "name"),
    [
        ("Date Egg = 1", "Date Egg"),
        ("Egg Date IS NULL", "Egg Date"),
        ("a = 1 AND NOT Date Egg IN (1)", "Date Egg"),
        ("Order No > 3", "Order No"),
        ("End Date = 1", "End Date"),
        ("Case No = 1", "Case No"),
        ("From Station = 'x'", "From Station"),
        ("True Value < 1", "True Value"),
        ("All Staff BETWEEN 1 AND 2", "All Staff"),
        ("Values Sum = 1", "Values Sum"),
    ],
)
def test_words_of_sql_in_a_name(where: str, name: str) -> None:
    with pytest.raises(PredicateRefused) as caught:
        parse_predicate(where)
    assert f'double quotes: "{name}"' in str(caught.value)


@pytest.mark.parametrize(
    "where", ["select a from t where b = 1", "drop table t", "a = 1 AND (b IS NOT NULL", "NOT (a = 1"]
)
def test_words_of_sql_that_are_no_name(where: str) -> None:
    with pytest.raises(PredicateRefused) as caught:
        parse_predicate(where)
    assert 'double quotes: "' not in str(caught.value)


def test_dates_that_a_frame_holds_as_texts() -> None:
    frame = pd.DataFrame({"d": ["2008-11-01"], "n": pd.Series([1], dtype=object)})
    for where in ("year(d) = 2008", "d > DATE '2008-01-01'"):
        with pytest.raises(PredicateRefused, match=r"--type d=date, in a frame by pd\.to_datetime$"):
            count_matching(frame, where)
    assert count_matching(frame.assign(d=pd.to_datetime(frame["d"])), "year(d) = 2008").matching == 1
    with pytest.raises(BadData, match="not all texts; give it a type: Int64"):
        count_matching(frame, "n = 'x'")


def test_whole_numbers_that_are_held_as_doubles(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("age\n1.0\n2.5\n")
    told = (
        "'age' holds doubles; if all of them are whole, declare that: --type age=integer, or in a frame astype('Int64')"
    )
    for source in (tmp_path / "x.csv", pd.DataFrame({"age": [1.0, 2.5]})):
        with (
            pytest.raises(InvalidParameter) as caught,
            OpenTable(source, "TRUE", cells=cells_of("age: 0-17, 18+")) as opened,
        ):
            opened.tally_cells()
        assert str(caught.value).endswith(told)
    whole = pd.DataFrame({"age": [1.0, None]}).astype("Int64")
    with OpenTable(whole, "TRUE", cells=cells_of("age: 0-17, missing")) as opened:
        assert opened.tally_cells().matching.tolist() == [1, 1, 0]


def test_bands_of_a_column_that_one_text_spoils(tmp_path: Path) -> None:
    told = set()
    for text in ("NA", "secret", "-"):
        (tmp_path / "x.csv").write_text(f"x\n1\n{text}\n")
        with (
            pytest.raises(InvalidParameter) as caught,
            OpenTable(tmp_path / "x.csv", "TRUE", cells=cells_of("x: 0-17")) as opened,
        ):
            opened.tally_cells()
        told.add(str(caught.value))
    with pytest.raises(InvalidParameter, match="a budget's list by --type x=integer, in a frame by astype"):
        OpenTable(pd.DataFrame({"x": ["1"]}), "TRUE", cells=cells_of("x: 0-17"))
    (message,) = told
    assert message.endswith(
        f"'x' holds texts{_MISSING}, and pin its type: --type x=integer, or if some have a point "
        "--type x=number and half-open bands"
    )


def test_what_a_number_is_not_is_told_alike_whatever_stands_there(tmp_path: Path) -> None:
    """So a way out is told for each thing that can be, unless it was taken."""
    for null, rest in (("", "; a text such as NA where a number is missing is declared: --null NA"), ("NA", "")):
        told = set()
        for text in ("-61.0", "secret", "007"):
            (tmp_path / "x.csv").write_text(f"x\n1\n{text}\n")
            options = ReadOptions(types={"x": "integer"}, null=null)
            with (
                pytest.raises(BadData) as caught,
                OpenTable(tmp_path / "x.csv", "TRUE", options, cells=cells_of("x: 0-17")) as opened,
            ):
                opened.tally_cells()
            told.add(str(caught.value))
        (message,) = told
        hint = "; where some have a point, as in 61.0, the type is --type x=number, and bands are half-open, [0, 18)"
        assert message.endswith(f"line 3 does not hold an integer in column 'x', as was declared{hint}{rest}")


def test_value_labels_are_pinned(tmp_path: Path) -> None:
    path = tmp_path / "survey.sav"
    frame = pd.DataFrame({"sex": [1.0, 2.0], "age": [3.0, 4.0]})
    pyreadstat.write_sav(frame, str(path), variable_value_labels={"sex": {1: "male", 2: "female"}})
    hint = "the texts of its value labels are read by --type sex=label"
    for where in ("sex = 'male'", "sex IN ('male', 'female')", "sex LIKE 'm%'", "'male' <> sex"):
        assert said(path, where).endswith(hint)
    assert "label" not in said(path, "age = 'old'")
    for keys in (["male", "female"], [1, 2]):
        with pytest.raises(InvalidParameter, match=hint):
            OpenTable(path, "TRUE", cells=Cells(Keys.of(["sex"], keys)))
    assert count_matching(path, "sex = 'male'", ReadOptions(types={"sex": "label"})).matching == 1


def test_columns_of_folders_are_texts(tmp_path: Path) -> None:
    (tmp_path / "t" / "year=2024").mkdir(parents=True)
    pq.write_table(pa.table({"x": [1]}), tmp_path / "t" / "year=2024" / "x.parquet")
    source = f"files:{tmp_path / 't'}"
    for where in ("year = 2024", "year IN (2024)", "year BETWEEN 2024 AND 2025"):
        with pytest.raises(PredicateRefused, match="texts are compared with a quoted literal, '2024'"):
            count_matching(source, where)
    assert count_matching(source, "year = '2024'").matching == 1
    with pytest.raises(InvalidParameter, match="write the keys as texts"):
        OpenTable(source, "TRUE", cells=Cells(Keys.of(["year"], [2024])))


def test_listed_columns_say_the_same(penguins: Path) -> None:
    schema = read_schema(penguins)
    for where in ("sex = FEMALE", "body-mass > 1", "sex = NA"):
        with pytest.raises(NoSuchColumn) as caught:
            OpenTable(penguins, where, schema=schema)
        assert str(caught.value) == said(penguins, where)
