"""Errors that say what to write instead; none says more of the data than which type a column has."""

from __future__ import annotations

from pathlib import Path

import pytest

from hushcount.counting import OpenTable, ReadOptions, count_matching, parse_predicate
from hushcount.counting.cells.cells import Cells
from hushcount.counting.cells.keys import Keys
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
    assert said(tmp_path / "d.csv", "year(d) = 2008").endswith("declare how they are written (--date-format)")
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
