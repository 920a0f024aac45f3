"""One changed row moves a count by at most 1, or is an error: what a predicate means for a row is up to that row."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushcount.counting import ReadOptions, count_matching
from hushcount.errors import BadData, PredicateRefused

from .conftest import Write

Row = Sequence[Any]
Counter = Callable[[Sequence[Row], str], int]

_WHOLE = ["0", "1", "-0", "+2", "5", "-3", "20240131", "9007199254740992", "9007199254740993", "-9007199254740993"]
_WHOLE += ["4503599627370497", "1152921504606846976", "9223372036854775807", "9223372036854775808", "1" + "0" * 30]
_WHOLE += ["1000000000000000019884624838656", "9" * 38]
_FRACTIONS = ["1.0", "0.1", "5.5", "1e5", "1e30", "-1e-3", "inf", "-inf", "9007199254740992.0", "4503599627370497.5"]
_WORDS = ["x", "007", "9" * 39, '""', '"nan"', "a b", " 1", "nAn", "1,5", "1e999", '"x"', "NULL"]
_TIMES = ["1999-12-31", "2024-01-31", "31.12.1999", "2024-01-31T05:06", "2024-01-31 00:00", "2024-01-31 05:06:00Z"]
_TRUTHS = ["true", "FALSE"]
_MISSING = ["", "nan", "NaN", "NAN"]
_FIELDS = [
    f'"{field}"' if "," in field else field for field in [*_WHOLE, *_FRACTIONS, *_WORDS, *_TIMES, *_TRUTHS, *_MISSING]
]
_VALUES: list[Any] = [None, 0, 1, 2, 5, -3, 2**53, 2**53 + 1, -(2**53) - 1, 2**60, 2**63 - 1, 20240131, 1.0, 0.1, 5.5]
_VALUES += [float("inf"), 1e30, 2.0**53, 4503599627370497.0, *["x", "1", "1.0", "true", "nan"], "", *_TIMES]
_DECLARATIONS = ["", "INTEGER", "REAL", "NUMERIC", "TEXT", "BOOLEAN", "DATE", "DATETIME", "BLOB", "STRING"]

_NUMBERS = ["0", "1", "-3", "5", "5.5", "0.1", "0.10000000000000000001", "1.00000000000000000001", "9007199254740992"]
_NUMBERS += [
    "9007199254740993",
    "-9007199254740993",
    "9007199254740992.5",
    "4503599627370497.2",
    "1e30",
    "1e39",
    "1e308",
]
_NUMBERS += ["1000000000000000019884624838656", "1152921504606846976", "9223372036854775808", "20240131"]
_LITERALS = {
    "number": _NUMBERS,
    "text": ["'x'", "''", "'1'", "'1.0'", "'nan'", "'true'", "'2024-01-31'", "'31.12.1999'", "'2024-01-31 05:06'"],
    "time": [
        "date '2024-01-31'",
        "date '1999-12-31'",
        "timestamp '2024-01-31 05:06:00'",
        "'2024-01-31'",
        "'1999-12-31'",
    ],
    "truth": ["true", "false"],
}
_SIGNS = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])
_COLUMNS = st.sampled_from(["u", "v"])


def _terms(family: str) -> st.SearchStrategy[str]:
    """Terms that are to be of one family; whether they are is up to the table."""
    leaves = _COLUMNS | st.sampled_from(_LITERALS[family]) | _COLUMNS | st.just("null")
    return st.recursive(leaves, lambda inner: _composed(family, inner), max_leaves=3)


def _composed(family: str, inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    branches = [
        st.builds("coalesce({}, {})".format, inner, inner),
        st.builds("case when {} {} {} then {} else {} end".format, _COLUMNS, _SIGNS, inner, inner, inner),
        st.builds("case when {} is null then {} end".format, _COLUMNS, inner),
    ]
    if family == "number":
        branches += [
            st.builds("({} {} {})".format, inner, st.sampled_from("+-*/"), inner),
            st.builds("{}({})".format, st.sampled_from(["abs", "-"]), inner),
            st.builds("({} % 2)".format, inner),
            _COLUMNS.map("length({})".format),
            st.builds("extract({} from {})".format, st.sampled_from(["year", "day"]), _COLUMNS),
        ]
    if family == "text":
        branches += [st.builds("{}({})".format, st.sampled_from(["lower", "upper", "trim"]), inner)]
    return st.one_of(branches)


def _tests(family: str) -> st.SearchStrategy[str]:
    terms, literals = _terms(family), st.sampled_from(_LITERALS[family])
    lists = st.lists(literals | st.just("null"), min_size=1, max_size=3).map(", ".join)
    return st.one_of(
        st.builds("{} {} {}".format, terms, _SIGNS, terms),
        st.builds("{} {} {}".format, terms, _SIGNS, literals),
        st.builds("{} in ({})".format, terms, lists),
        st.builds("{} between {} and {}".format, terms, terms, terms),
        st.builds("{} is null".format, terms),
        terms.map("{} like '%1%'".format) if family == "text" else terms.map("{} is not null".format),
        terms.map("({}) is true".format)
        if family == "truth"
        else st.builds("{} {} {}".format, _COLUMNS, _SIGNS, terms),
    )


_predicates = st.recursive(
    st.one_of(map(_tests, _LITERALS)),
    lambda inner: st.one_of(
        st.builds("({}) {} ({})".format, inner, st.sampled_from(["and", "or", "="]), inner),
        inner.map("not ({})".format),
        inner.map("({}) is not true".format),
        st.builds("coalesce({}, {})".format, inner, inner),
    ),
    max_leaves=2,
)
_options = st.builds(
    ReadOptions,
    types=st.just({})
    | st.dictionaries(_COLUMNS, st.sampled_from(["text", "integer", "number", "boolean", "date", "timestamp"])),
    date_format=st.sampled_from(["%Y-%m-%d", "%d.%m.%Y", "%Y%m%d"]),
    null=st.sampled_from(["", "", "x"]),
)


def _pools(values: Sequence[Any], groups: Iterable[Sequence[Any]]) -> st.SearchStrategy[Any]:
    """Values of one group, so that columns have a type at times, or any."""
    return st.sampled_from([*groups, values, values]).flatmap(
        lambda pool: st.lists(st.tuples(st.sampled_from(pool), st.sampled_from(pool)), min_size=2, max_size=2)
    )


_CSV_GROUPS = [_WHOLE, [*_WHOLE[:6], *_FRACTIONS], [*_FRACTIONS, *_MISSING], _TIMES[:2], _TIMES[:3], _TRUTHS, _MISSING]
_SQLITE_GROUPS = [_VALUES[:12], [*_VALUES[:7], *_VALUES[12:19]], ["x", "1", None], [0, 1], _TIMES[:2], [None]]


def spread(rows: Sequence[Row], others: Sequence[Row], counter: Counter, where: str) -> list[int]:
    """The counts in all tables of three times `rows` and one of `others`, where they are defined."""
    found = []
    for other in others:
        try:
            found.append(counter([*rows, *rows, *rows, other], where))
        except (BadData, PredicateRefused):
            continue
    return found


def csv_counter(folder: str, options: ReadOptions) -> Counter:
    def counter(rows: Sequence[Row], where: str) -> int:
        path = Path(folder) / "table.csv"
        path.write_text("k,u,v\n" + "".join(f"1,{u},{v}\n" for u, v in rows), encoding="utf-8")
        return count_matching(path, where, options).matching

    return counter


def sqlite_counter(folder: str, declared: Mapping[str, str]) -> Counter:
    def counter(rows: Sequence[Row], where: str) -> int:
        path = Path(folder) / "table.db"
        path.unlink(missing_ok=True)
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute(f"CREATE TABLE t (u {declared['u']}, v {declared['v']})")
            connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
            connection.commit()
        return count_matching(path, where).matching

    return counter


_csv_rows = _pools(_FIELDS, _CSV_GROUPS)
_csv_others = st.lists(st.tuples(st.sampled_from(_FIELDS), st.sampled_from(_FIELDS)), min_size=2, max_size=4)
_sqlite_rows = _pools(_VALUES, _SQLITE_GROUPS)
_sqlite_others = st.lists(st.tuples(st.sampled_from(_VALUES), st.sampled_from(_VALUES)), min_size=2, max_size=4)
_declared = st.fixed_dictionaries(dict.fromkeys("uv", st.sampled_from(["", "", *_DECLARATIONS])))


@given(_csv_rows, _csv_others, _predicates, _options)
@settings(max_examples=200, deadline=None)
def test_one_row_of_a_csv_moves_a_count_by_at_most_one(
    rows: list[Row], others: list[Row], where: str, options: ReadOptions
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = spread(rows, [*rows, *others], csv_counter(folder, options), where)
    assert not found or max(found) - min(found) <= 1


@given(_sqlite_rows, _sqlite_others, _predicates, _declared)
@settings(max_examples=100, deadline=None)
def test_one_row_of_a_sqlite_table_moves_a_count_by_at_most_one(
    rows: list[Row], others: list[Row], where: str, declared: dict[str, str]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = spread(rows, [*rows, *others], sqlite_counter(folder, declared), where)
    assert not found or max(found) - min(found) <= 1


_BIG = "9007199254740992"
_GERMAN = {"date_format": "%d.%m.%Y"}


@pytest.mark.parametrize(
    ("field", "others", "where", "options"),
    [
        ("nan", ["2", "x", "nan"], "v is null", {}),
        ("nan", ["2", "x", "nan"], "v = v", {}),
        ("nan", ["2", "x", '"nan"'], "coalesce(v, v) is null", {}),
        ("31.12.1999", ["01.02.2024", "x"], "v < '2024-01-31'", _GERMAN),
        ("31.12.1999", ["01.02.2024", "x", "2024-01-31"], "v < date '2024-01-31'", _GERMAN),
        ("2024-01-31T05:06", ["2024-01-31 05:06", "x"], "v = '2024-01-31 05:06'", {}),
        ("2024-01-31", ["2024-01-31 05:06", "x"], "v in ('2024-01-31')", {}),
        ("2024-01-31", ["2024-01-31 05:06", "x", ""], "v < timestamp '2024-01-31 05:06:00'", {}),
        (_BIG, ["5", "5.5", "inf"], "v = 9007199254740993", {}),
        (_BIG, ["5", "5.5"], "v in (9007199254740993, 1)", {}),
        (_BIG, ["5", "5.5"], "v < 9007199254740993", {}),
        ("4503599627370497", ["5", "5.5"], "v = 4503599627370497.2", {}),
        ("1", ["5", "5.5"], "v = 1.00000000000000000001", {}),
        ("9007199254740993", ["5", "5.5", "1" + "0" * 30], "coalesce(v, 0) = 9007199254740993", {}),
        ("9007199254740993", ["5", "1" + "0" * 30], "coalesce(v, 0.5) = 9007199254740993", {"types": {"v": "integer"}}),
        ("", ["5", "5.5", ""], "coalesce(v, 0.1) = 0.10000000000000000001", {}),
        ("", ["5", "5.5", ""], "coalesce(v + 1, 0.1) = 0.10000000000000000001", {}),
        ("", ["5", "5.5", ""], "coalesce(v, 9007199254740993) = 9007199254740993", {}),
        ("", ["0.5", ""], "coalesce(k, v) = 9007199254740993", {"types": {"v": "number", "k": "integer"}}),
        ("true", ["x", "FALSE", "1"], "v = 'true'", {}),
        ("007", ["7", "x"], "v = '007'", {}),
        ('"nan"', ["7", "x"], "v = 'nan'", {}),
    ],
)
def test_pairs_of_csv_files_that_once_were_a_thousand_apart(
    write: Write, field: str, others: list[str], where: str, options: dict[str, Any]
) -> None:
    found = []
    for other in others:
        path = write("k,v\n" + f"9007199254740993,{field}\n" * 1000 + f"1,{other}\n")
        try:
            found.append(count_matching(path, where, ReadOptions(**options)).matching)
        except (BadData, PredicateRefused):
            continue
    assert not found or max(found) - min(found) <= 1


@pytest.mark.parametrize(
    ("row", "others"),
    [
        (("1.0", "1"), [("x", "x"), ("2", "2"), ("2.5", "x")]),
        (("true", "TRUE"), [("x", "x"), ("false", "false")]),
        (("2024-01-31", "2024-01-31"), [("x", "x"), ("2024-01-31 00:00", "2024-01-31")]),
    ],
)
@pytest.mark.parametrize(
    "where", ["u = v", "u between v and v", "coalesce(u, v) = v", "case u when v then true else false end", "u = u"]
)
def test_two_columns_whose_types_the_data_tell_are_not_compared(
    tmp_path: Path, row: Row, others: list[Row], where: str
) -> None:
    for counter in (csv_counter(str(tmp_path), ReadOptions()), sqlite_counter(str(tmp_path), {"u": "", "v": ""})):
        for other in others:
            with pytest.raises(PredicateRefused, match=r"get their types from the data|do not go together"):
                counter([row] * 3 + [other], where)


@pytest.mark.parametrize(
    ("types", "where"),
    [
        ({}, "u + 0 = v"),
        ({}, "coalesce(u, v, 0) = v"),
        ({}, "coalesce(u, v) = 1"),
        ({}, "u between 1 and v + 0"),
        ({}, "u is null and v is null or u = 1 and v = 1"),
        ({"u": "number"}, "u = v"),
        ({"v": "integer"}, "u = v"),
        ({"u": "number", "v": "number"}, "u in (1, 2) and case when u = v then v else u end = u"),
    ],
)
def test_two_columns_are_compared_once_the_predicate_says_what_they_are(
    tmp_path: Path, types: dict[str, str], where: str
) -> None:
    counter = csv_counter(str(tmp_path), ReadOptions(types=types))
    assert counter([("1", "1")] * 3 + [("7", "2")], where) == 3
    with pytest.raises((BadData, PredicateRefused)):
        counter([("1", "1")] * 3 + [("x", "x")], where)


def test_one_fraction_beside_integers_that_it_would_round_is_an_error(write: Write) -> None:
    assert count_matching(write("v\n9007199254740993\n5\n"), "v = 9007199254740993").matching == 1
    path = write("v\n9007199254740993\n5.5\n")
    with pytest.raises(BadData, match=r"column 'v' mixes fractions with an integer beyond 2\*\*53.*--type v=number"):
        count_matching(path, "v = 5.5")
    assert count_matching(path, "v = 5.5", ReadOptions(types={"v": "number"})).matching == 1
    assert count_matching(write("v\n9007199254740992\n5.5\n"), "v = 9007199254740992").matching == 1
    path = write("u,v\n9007199254740993,5\n1,5.5\n")
    with pytest.raises(BadData, match=r"column 'u' meets fractions"):
        count_matching(path, "coalesce(u, v) = 5.5")


@pytest.mark.parametrize("declared", ["DATE", "DATETIME", "TIMESTAMP", "INTEGER", "REAL", "DOUBLE PRECISION"])
def test_a_misfit_in_a_declared_sqlite_column_is_never_a_text(tmp_path: Path, declared: str) -> None:
    counter = sqlite_counter(str(tmp_path), {"u": declared, "v": "TEXT"})
    for where in ("u = 'x'", "u is null", "u = v", "u = '2024-01-31 05:06'"):
        with pytest.raises(BadData, match=f"column 'u' is declared {declared}") as caught:
            counter([(None, "x"), ("secret", "x")], where)
        assert "secret" not in str(caught.value)


def test_a_declared_sqlite_column_is_as_good_as_a_pinned_one(tmp_path: Path) -> None:
    assert sqlite_counter(str(tmp_path), {"u": "INTEGER", "v": "REAL"})([(1, 1.0), (2, 5), (None, None)], "u = v") == 1
    assert sqlite_counter(str(tmp_path), {"u": "TEXT", "v": "VARCHAR(9)"})([("a", "a"), ("1", 1)], "u = v") == 2
    dates = [("2024-01-31", "2024-01-31"), ("2024-02-01", None)]
    assert sqlite_counter(str(tmp_path), {"u": "DATE", "v": "DATE"})(dates, "u = v or u = '2024-02-01'") == 2
