"""What is refused before the values are known is refused whatever they are; nothing is refused for lack of a type."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings

from hushcount.counting import ReadOptions, judge, parse_predicate
from hushcount.counting.declared.place import place_of
from hushcount.counting.meaning.types import ColumnType
from hushcount.counting.sources.formats import engine_for, open_source
from hushcount.errors import BadData, PredicateRefused

from .test_one_row import Case, csv_cases, date_formats, sqlite_cases
from .test_schema import written


def fits(where: str, types: Mapping[str, ColumnType]) -> bool:
    try:
        judge(parse_predicate(where), types)
    except (BadData, PredicateRefused):
        return False
    return True


def accepted_where_the_values_are_known(path: Path, where: str, options: ReadOptions) -> bool | None:
    """Whether the types that the values tell fit, if they tell any; then those that are declared must fit as well."""
    names = parse_predicate(where).columns
    with engine_for(place_of(path)) as engine:
        source = open_source(place_of(path), options, engine)
        declared = source.declared(names)
        try:
            told = source.load(engine, names)
        except BadData:
            return None
    known = fits(where, told)
    assert fits(where, declared) or not known
    return known


@pytest.mark.slow
@given(csv_cases, date_formats)
@settings(max_examples=150, deadline=None)
def test_of_a_csv_file(case: Case, date_format: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        rows = "".join(f"1,{u},{v}\n" for u, v in case.rows)
        path.write_text(f"k,u,v\n{rows}", encoding="utf-8")
        options = ReadOptions(types=case.types, date_format=date_format)
        accepted_where_the_values_are_known(path, case.where, options)


@pytest.mark.slow
@given(sqlite_cases)
@settings(max_examples=100, deadline=None)
def test_of_a_sqlite_file(case: Case) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.db"
        written(path, {"u": "", "v": "", **case.types}, case.rows)
        accepted_where_the_values_are_known(path, case.where, ReadOptions())


def test_the_check_can_fail(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("u\n1\n")
    assert accepted_where_the_values_are_known(path, "u = 1", ReadOptions()) is True
    assert accepted_where_the_values_are_known(path, "u = 'x'", ReadOptions()) is False
