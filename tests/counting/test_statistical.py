"""Files of Stata, SPSS and SAS: what is missing, what numbers are dates, and whole numbers and labels as pinned."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from hushcount.cli import main
from hushcount.counting import (
    OpenTable,
    ReadOptions,
    Schema,
    check_source,
    count_matching,
    judge,
    parse_predicate,
    read_schema,
)
from hushcount.counting.cells.cells import Cells
from hushcount.counting.cells.keys import Keys
from hushcount.counting.declared.options import COLUMN_TYPES
from hushcount.counting.meaning.types import PINNED
from hushcount.counting.sources.statistical import _told_by_format
from hushcount.errors import BadData, InvalidParameter, PredicateRefused
from hushcount.ledger import Ledger, create_budget
from hushcount.release import release_table

_WRITERS: dict[str, Callable[..., None]] = {
    "sav": pyreadstat.write_sav,
    "dta": pyreadstat.write_dta,
    "xpt": pyreadstat.write_xport,
}
_NAN = float("nan")
_PEOPLE = {
    "age": [65.0, 30.0, _NAN, 99.0, -5.0],
    "name": ["a", "", "b  ", "NA", "ä"],
    "born": [date(2024, 1, 2), None, date(1500, 1, 1), date(1959, 12, 31), date(1970, 1, 1)],
    "seen": [datetime(2024, 1, 2, 23, 59, 59, 123000), None, datetime(1955, 1, 1), datetime(2024, 1, 3), None],
    "sex": [1.0, 2.0, 1.0, _NAN, 2.0],
}
_LABELS = {"age": {99: "no answer"}, "sex": {1: "male", 2: "female", 9: "other"}}


def _write(folder: Path, end: str, columns: dict[str, Any] = _PEOPLE, **more: Any) -> Path:
    path = folder / f"people.{end}"
    if end != "xpt" and columns is _PEOPLE:
        more.setdefault("variable_value_labels", _LABELS)
    _WRITERS[end](pd.DataFrame(columns), str(path), **more)
    return path


def _counted(path: Path, where: str, **options: Any) -> tuple[int, int]:
    tally = count_matching(path, where, ReadOptions(**options))
    return tally.rows, tally.matching


@pytest.mark.parametrize("end", _WRITERS)
@pytest.mark.parametrize(
    ("where", "matching"),
    [
        ("age >= 65", 2),
        ("age is null", 1),
        ("age = 30", 1),
        ("born < DATE '1960-01-01'", 2),
        ("born = DATE '2024-01-02'", 1),
        ("born is null", 1),
        ("extract(year from born) = 1959", 1),
        ("seen < TIMESTAMP '1960-01-01 00:00:00'", 1),
        ("seen >= DATE '2024-01-03'", 1),
        ("seen = TIMESTAMP '2024-01-02 23:59:59.123'", 1),
        ("name = 'ä'", 1),
        ("length(name) = 1", 2),
    ],
)
def test_one_condition_one_answer(tmp_path: Path, end: str, where: str, matching: int) -> None:
    is_unpadded = end == "dta" or not where.startswith("length")  # only Stata keeps blanks at the end
    assert _counted(_write(tmp_path, end), where) == (5, matching if is_unpadded else matching + 1)


def test_an_empty_text_is_missing_where_it_is_for_the_program(tmp_path: Path) -> None:
    for end, missing in (("sav", 0), ("dta", 1), ("xpt", 1)):
        assert _counted(_write(tmp_path, end), "name is null") == (5, missing)
    assert _counted(_write(tmp_path, "sav"), "name = ''") == (5, 1)


def test_what_spss_declares_missing_is_missing(tmp_path: Path) -> None:
    path = _write(tmp_path, "sav", missing_ranges={"age": [{"lo": 90, "hi": 100}, -5], "name": ["NA"]})
    assert _counted(path, "age is null") == (5, 3)
    assert _counted(path, "age > 0") == (5, 2)
    assert _counted(path, "name is null") == (5, 1)


def test_what_users_of_stata_mark_missing_is_missing(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": pd.Series([1, "a", "z", 4], dtype=object)})
    path = tmp_path / "t.dta"
    pyreadstat.write_dta(frame, str(path), missing_user_values={"a": ["a", "z"]})
    assert _counted(path, "a is null") == (4, 2)
    assert _counted(path, "a > 0") == (4, 2)


def test_types_of_stata(tmp_path: Path) -> None:
    path = tmp_path / "t.dta"
    frame = pd.DataFrame(
        {"single": np.array([2.1, 3], np.float32), "whole": np.array([1, -1], np.int8), "s": ["a", "b"]}
    )
    frame.to_stata(path, version=114, write_index=False)
    assert read_schema(path).shown() == {"single": "number", "whole": "integer", "s": "text"}
    assert _counted(path, "single = 2.1 and whole = 1") == (2, 1)
    cells = Cells(Keys.listed(["whole"], "1, -1"))
    with OpenTable(path, "s < 'b'", cells=cells) as table:
        assert list(table.tally_cells().matching) == [1, 0, 0]


def test_whole_numbers_are_integers_where_they_are_pinned(tmp_path: Path) -> None:
    path = _write(tmp_path, "sav")
    pinned = ReadOptions(types={"age": "integer"})
    keys = Cells(Keys.listed(["age"], "30, 65"))
    with OpenTable(path, "sex = 2", pinned, cells=keys) as table:
        assert list(table.tally_cells().matching) == [1, 0, 1]
    with pytest.raises(InvalidParameter), OpenTable(path, "sex = 2", cells=keys):
        pass
    for fault in (1.5, float("inf"), 2.0**53 + 2):
        path = _write(tmp_path, "sav", {"age": [1.0, fault]})
        with pytest.raises(BadData, match="column 'age' holds a value that is not integer, as was declared"):
            _counted(path, "age = 1", types={"age": "integer"})
        assert _counted(path, "age = 1") == (2, 1)


_CODED = {
    "sat": [1.0, 2.0, -1.0, -2.0],
    "age": [5.0, 999.0, 95.0, 20.0],
    "t": ["a", "NA", "b", "x "],
    "pay": [1.0, 2000.0, 2.0, 3.0],
}
_CODES = {1: "low", 2: "high", -1: "refused", -2: "don't know"}
_RANGES = {
    "sat": [-1, -2],
    "age": [{"lo": 90, "hi": 100}, 999],
    "t": ["NA", "x"],
    "pay": [{"lo": 900, "hi": float("inf")}],
}


def _coded(folder: Path) -> Path:
    return _write(folder, "sav", _CODED, variable_value_labels={"sat": _CODES}, missing_ranges=_RANGES)


@pytest.mark.parametrize(
    "where",
    [
        "sat = -1",
        "-2 <> sat",
        "NOT sat = -1",
        "sat in (1, -1)",
        "case sat when -1 then true else false end",
        "age = 99.5",
        "age = 999",
        "age between 91 and 95",
        "NOT age between 91 and 95",
        "pay >= 900",
        "pay > 2000",
        "t = 'NA'",
        "t in ('a', 'x')",
    ],
)
@pytest.mark.parametrize("whole", [False, True])
def test_what_is_declared_missing_is_not_asked_for(tmp_path: Path, where: str, whole: bool) -> None:
    """And before any row is read, whether it is there or not."""
    types = {"sat": "integer", "age": "integer"} if whole else {}
    options, path = ReadOptions(types=types), _coded(tmp_path)
    with pytest.raises(PredicateRefused, match="declared missing in the file, so that the missing key"):
        OpenTable(path, where, options)
    schema = Schema.from_dict(json.loads(json.dumps(read_schema(path, options).to_dict(), allow_nan=False)))
    with pytest.raises(PredicateRefused, match="declared missing in the file, so that the missing key"):
        judge(parse_predicate(where), schema)


@pytest.mark.parametrize(
    ("where", "matching"),
    [
        ("sat < 0", 0),
        ("sat is null", 2),
        ("coalesce(sat, -1) = -1", 2),
        ("age between 80 and 95", 0),
        ("pay >= 899", 0),
        ("pay < 900", 3),
        ("age in (89, 101)", 0),
        ("coalesce(t, 'NA') = 'NA'", 2),
        ("lower(t) = 'na'", 0),
    ],
)
def test_what_the_data_could_answer_is_asked_beside_what_is_declared_missing(
    tmp_path: Path, where: str, matching: int
) -> None:
    assert _counted(_coded(tmp_path), where) == (4, matching)


@pytest.mark.parametrize(
    ("by", "keys", "types"),
    [
        ("sat", ["low", "refused"], {"sat": "label"}),
        ("sat", [1, -1], {"sat": "integer"}),
        ("age", [5, 95], {"age": "integer"}),
        ("t", ["a", "NA"], {}),
        ("age: [0, 90), [90, 100)", None, {}),
        ("pay: 0-89, 1000+", None, {"pay": "integer"}),
        ("sat: -2 to -1, 1-2", None, {"sat": "integer"}),
    ],
)
def test_what_is_declared_missing_is_no_key(tmp_path: Path, by: str, keys: Any, types: dict[str, str]) -> None:
    path, ledger = _coded(tmp_path), tmp_path / "l"
    options = ReadOptions(types=types)
    create_budget(ledger, "b", 10, source=path, options=options)
    for paid in ({}, {"ledger": ledger, "budget": "b"}):
        with pytest.raises(InvalidParameter, match="declared missing in the file"):
            release_table(path, by, keys, 1, options=options, **paid)
    assert Ledger(ledger).history("b") == ()


def test_labels_of_what_is_missing_are_not_suggested(tmp_path: Path) -> None:
    path = _coded(tmp_path)
    with pytest.raises(PredicateRefused, match="can only be 'low', 'high': no row"):
        _counted(path, "sat = 'lo'", types={"sat": "label"})
    assert _counted(path, "sat = 'low' or sat is null", types={"sat": "label"}) == (4, 3)
    frame = pd.DataFrame({"a": pd.Series([1, "a", 4], dtype=object)})
    stata = tmp_path / "t.dta"
    labels = {"a": {1: "one", 4: "four", "a": "refused"}}
    pyreadstat.write_dta(frame, str(stata), missing_user_values={"a": ["a"]}, variable_value_labels=labels)
    with pytest.raises(PredicateRefused, match="has 'refused' declared missing"):
        _counted(stata, "a = 'refused'", types={"a": "label"})
    assert _counted(stata, "a = 'one' or a is null", types={"a": "label"}) == (3, 2)


def test_a_label_of_two_codes_is_possible_if_one_is(tmp_path: Path) -> None:
    labels = {"a": {1: "none", 2: "some", -1: "none"}}
    path = _write(tmp_path, "sav", {"a": [1.0, -1.0]}, variable_value_labels=labels, missing_ranges={"a": [-1]})
    assert _counted(path, "a = 'none'", types={"a": "label"}) == (2, 1)


def test_a_list_says_what_is_declared_missing(tmp_path: Path) -> None:
    create_budget(tmp_path / "l", "b", 1, source=_coded(tmp_path), options=ReadOptions(types={"sat": "label"}))
    (listed,) = Ledger(tmp_path / "l").sources("b")
    lines = [line.strip() for line in listed.to_text("row").splitlines()[-4:]]
    assert lines[0] == "sat  text; declared missing: 'refused', \"don't know\""
    assert lines[1:] == [
        "age  number; declared missing: 90 to 100, 999",
        "t    text; declared missing: 'NA', 'x'",
        "pay  number; declared missing: 900 or more",
    ]


@pytest.mark.parametrize("end", ["sav", "dta"])
def test_labels_are_texts_where_they_are_pinned(tmp_path: Path, end: str) -> None:
    path = _write(tmp_path, end)
    assert _counted(path, "sex = 'female'", types={"sex": "label"}) == (5, 2)
    assert _counted(path, "sex is null or sex = 'other'", types={"sex": "label"}) == (5, 1)
    assert _counted(path, "sex = 2") == (5, 2)
    with pytest.raises(PredicateRefused, match="can only be 'male', 'female', 'other'"):
        _counted(path, "sex = 'femal'", types={"sex": "label"})
    with pytest.raises(BadData, match="column 'age' holds a value that has no label, as was declared"):
        _counted(path, "age = 'no answer'", types={"age": "label"})
    with pytest.raises(InvalidParameter, match="a column of numbers that have value labels"):
        _counted(path, "name = 'a'", types={"name": "label"})


def test_labels_are_keys_of_tables(tmp_path: Path) -> None:
    """And what a receipt calls them: what is charged is shown."""
    path = _write(tmp_path, "sav")
    options = ReadOptions(types={"sex": "label"})
    receipt = release_table(path, "sex", ["female", "male"], 10**6, options=options)
    assert receipt.to_arrow().column("sex").to_pylist() == ["female", "male", None]
    assert (receipt.released, str(receipt).count("female")) == ((2, 2, 1), 1)
    command = ["table", str(path), "--by", "sex", "--keys", "female,male", "--epsilon", "9", "--type", "sex=label"]
    assert main(command) == 0
    assert main([*command, "--explain"]) == 0


def test_every_type_that_can_be_pinned_means_something() -> None:
    assert set(PINNED) == set(COLUMN_TYPES)


def test_labels_are_for_these_formats_only(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a\n1\n")
    with pytest.raises(InvalidParameter, match="another type for a CSV file, which has no value labels"):
        _counted(path, "a = 'x'", types={"a": "label"})


def test_a_listed_file_stays_as_it_was_listed(tmp_path: Path) -> None:
    path = _write(tmp_path, "sav")
    schema = read_schema(path, ReadOptions(types={"sex": "label", "age": "integer"}))
    assert schema.shown() == {"age": "integer", "name": "text", "born": "date", "seen": "timestamp", "sex": "text"}
    check_source(path, schema)
    with OpenTable(path, "sex = 'female' and age > 0", schema=schema) as table:
        assert table.tally().matching == 1
    _write(tmp_path, "sav", variable_value_labels={"sex": {1: "female", 2: "woman"}})
    with pytest.raises(BadData, match="column 'sex' has other value labels than were listed"):
        check_source(path, schema)
    _write(tmp_path, "sav", {**_PEOPLE, "age": [1.5] * 5}, variable_value_labels=_LABELS)
    with pytest.raises(BadData, match="column 'age' holds a value that is not integer"):
        check_source(path, schema)
    _write(tmp_path, "sav", {**_PEOPLE, "born": ["x"] * 5}, variable_value_labels=_LABELS)
    with pytest.raises(BadData, match="column 'born' holds a value that is not date"):
        check_source(path, schema)


def test_durations_and_weeks_are_refused(tmp_path: Path) -> None:
    frame = {"at": [time(1, 2, 3)], "x": [1.0]}
    for end in ("sav", "xpt"):
        path = _write(tmp_path, end, frame)
        assert read_schema(path).shown() == {"at": "unusable", "x": "number"}
        with pytest.raises(PredicateRefused, match=r"column 'at' of .* has the format TIME"):
            OpenTable(path, "at = 1")  # before anything is charged
    path = _write(tmp_path, "dta", {"week": [1.0], "x": [1.0]}, variable_format={"week": "%tw"})
    assert read_schema(path).shown() == {"week": "unusable", "x": "number"}


@pytest.mark.parametrize(
    ("file", "format", "told"),
    [
        ("stata", "%9.0g", None),
        ("stata", "%-12.0g", None),
        ("stata", "%td", "date"),
        ("stata", "%-tdDD/NN/CCYY", "date"),
        ("stata", "%dD_m_Y", "date"),
        ("stata", "%tcHH:MM", "timestamp"),
        ("stata", "%tC", "other"),
        ("stata", "%tq", "other"),
        ("stata", "%ty", None),
        ("spss", "F8.2", None),
        ("spss", "EDATE10", "date"),
        ("spss", "DATETIME23.2", "timestamp"),
        ("spss", "MOYR6", "other"),
        ("spss", "WKDAY9", None),
        ("sas", "", None),
        ("sas", "BEST12.", None),
        ("sas", "SEXFMT", None),
        ("sas", "DATE9.", "date"),
        ("sas", "YYMMDDN8", "date"),
        ("sas", "MMDDYY10.", "date"),
        ("sas", "MONYY7.", "date"),
        ("xport", "YEAR4.", "date"),
        ("sas", "E8601DA10.", "date"),
        ("sas", "E8601DT19.", "timestamp"),
        ("sas", "DATETIME22.3", "timestamp"),
        ("sas", "DTDATE9.", "timestamp"),
        ("sas", "TIME8.", "other"),
    ],
)
def test_formats_tell_dates_from_numbers(file: str, format: str, told: str | None) -> None:
    assert _told_by_format(file, format) == told


def test_what_is_no_date(tmp_path: Path) -> None:
    for value in (float("inf"), 1e300):
        path = _write(tmp_path, "sav", {"born": [1.0, value]}, variable_format={"born": "DATE11"})
        with pytest.raises(BadData, match="column 'born' holds a number that is no date"):
            _counted(path, "born is null")


@pytest.mark.parametrize("end", _WRITERS)
def test_damaged_files(tmp_path: Path, end: str) -> None:
    path = _write(tmp_path, end)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(BadData) as caught:
        _counted(path, "age = 1")
    assert "cannot be read" in str(caught.value)


def test_only_its_own_options_are_taken(tmp_path: Path) -> None:
    path = _write(tmp_path, "sav")
    with pytest.raises(InvalidParameter, match="null must be left out for an SPSS file; it is for CSV only"):
        _counted(path, "age = 1", null="NA")
    assert _counted(path, "age = 30", format="spss") == (5, 1)
    with pytest.raises(BadData, match="is not a Stata file"):
        _counted(path, "age = 1", format="stata")


def test_a_file_without_rows(tmp_path: Path) -> None:
    for end in _WRITERS:
        path = _write(tmp_path, end, {"age": np.array([], np.float64), "name": np.array([], str)})
        assert _counted(path, "age = 1") == (0, 0)


def test_bands_of_a_label_lead_back_to_the_numbers(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match="where these are of numbers, leave out --type sat=label for them"):
        release_table(_coded(tmp_path), "sat: 0-17, 18+", None, 1, options=ReadOptions(types={"sat": "label"}))
