"""Counting inside PostgreSQL: which tables and types can be a source, and what never leaves the database."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from json import dumps, loads
from pathlib import Path

import psycopg
import pytest
from postgresql_server import PASSWORD, USER

from hushcount.counting import OpenTable, ReadOptions, Schema, Tally, check_source, count_matching, read_schema
from hushcount.counting.cells.cells import Cells
from hushcount.counting.cells.keys import Keys
from hushcount.counting.declared.place import place_of
from hushcount.counting.declared.units import Unit
from hushcount.errors import BadData, BadUse, HushcountError, InvalidParameter, NoSuchColumn, PredicateRefused

from .test_expression import NAMES

Run = Callable[..., None]
Count = Callable[..., Tally]


@pytest.fixture
def count(url: str) -> Count:
    """Count in a table of that database."""

    def counter(where: str, table: str | None = None) -> Tally:
        return count_matching(url, where, ReadOptions(table=table))

    return counter


def _value(run: Run, kind: str, *values: str) -> None:
    run("DROP TABLE IF EXISTS t", f"CREATE TABLE t (v {kind})")
    run(*(f"INSERT INTO t VALUES ({value})" for value in values))


# --- which table ------------------------------------------------------------------------------------------------------


def test_which_table(run: Run, count: Count) -> None:
    run("CREATE TABLE people (a int)", "INSERT INTO people VALUES (1), (2)")
    assert count("a = 1").matching == 1
    run('CREATE SCHEMA "s.x"', 'CREATE TABLE "s.x"."A ""b""" (a int)', "CREATE VIEW seen AS SELECT * FROM people")
    with pytest.raises(InvalidParameter, match=r"holds 2 tables \(people, s.x.A \"b\"\)"):
        count("a = 1")
    assert count("a = 1", "people").rows == 2
    assert count("a = 1", "public.people").rows == 2
    assert count("a = 1", 's.x.A "b"').rows == 0
    with pytest.raises(InvalidParameter, match=r"did you mean 'people'\?"):
        count("a = 1", "peopel")
    with pytest.raises(NoSuchColumn, match="did you mean 'a'"):
        count("A = 1", "people")
    run("CREATE SCHEMA s", 'CREATE TABLE s."x.A ""b""" (a int)')
    with pytest.raises(InvalidParameter, match="only one table"):
        count("a = 1", 's.x.A "b"')


@pytest.mark.parametrize(
    ("kind", "statements"),
    [
        ("a materialized view", ["CREATE MATERIALIZED VIEW other AS SELECT count(*) AS a FROM people"]),
        (
            "a foreign table",
            [
                "CREATE EXTENSION file_fdw",
                "CREATE SERVER files FOREIGN DATA WRAPPER file_fdw",
                "CREATE FOREIGN TABLE other (a int) SERVER files OPTIONS (filename '/dev/null')",
            ],
        ),
    ],
)
def test_what_computes_its_rows_is_refused(run: Run, count: Count, kind: str, statements: list[str]) -> None:
    run("CREATE TABLE people (a int)", *statements)
    assert count("a = 1").rows == 0
    with pytest.raises(InvalidParameter, match=f"{kind} of .* may compute its rows from other rows"):
        count("a = 1", "other")


def test_all_partitions_and_heirs_are_counted(run: Run, count: Count) -> None:
    run(
        "CREATE TABLE parted (a int) PARTITION BY RANGE (a)",
        "CREATE TABLE low PARTITION OF parted FOR VALUES FROM (0) TO (10)",
        "CREATE TABLE high PARTITION OF parted FOR VALUES FROM (10) TO (20) PARTITION BY RANGE (a)",
        "CREATE TABLE higher PARTITION OF high FOR VALUES FROM (10) TO (15)",
        "INSERT INTO parted VALUES (1), (12)",
    )
    assert count("a > 0").rows == 2
    assert count("a > 0", "low").rows == 1
    run("CREATE TABLE older (a int)", "CREATE TABLE younger () INHERITS (older)", "INSERT INTO younger VALUES (3)")
    assert count("a = 3", "older").matching == 1
    run(
        "CREATE EXTENSION file_fdw",
        "CREATE SERVER files FOREIGN DATA WRAPPER file_fdw",
        "CREATE FOREIGN TABLE far PARTITION OF high FOR VALUES FROM (15) TO (20) SERVER files "
        "OPTIONS (filename '/dev/null')",
    )
    with pytest.raises(BadData, match="has a part that is a foreign table"):
        count("a = 1", "parted")


def test_row_level_security_hides_no_row_unseen(run: Run, count: Count) -> None:
    run("CREATE TABLE people (a int)", "INSERT INTO people VALUES (1)", "ALTER TABLE people ENABLE ROW LEVEL SECURITY")
    with pytest.raises(BadData, match="row-level security"):
        count("a = 1")


def test_no_table_at_all(count: Count) -> None:
    with pytest.raises(BadData, match="holds no table"):
        count("a = 1")


def test_options_for_files_are_refused(url: str, run: Run) -> None:
    run("CREATE TABLE people (a int)")
    with pytest.raises(InvalidParameter, match="format must be left out for a table in PostgreSQL"):
        count_matching(url, "a = 1", ReadOptions(format="csv"))
    with pytest.raises(InvalidParameter, match="delimiter must be left out for a table in PostgreSQL"):
        count_matching(url, "a = 1", ReadOptions(delimiter=";"))


_NEW_YEAR = "timestamp '2024-01-01 00:00:00'"

# --- types ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "values", "where", "matching"),
    [
        ("smallint", ["1", "-32768"], "v < 32768.5", 2),
        ("real", ["2.1", "0.1", "2.5"], "v = 2.1", 1),
        ("real", ["2.1", "0.1", "2.5"], "v > 0.1", 2),
        ("real", ["2.1", "0.1", "2.5"], "v < 2.1", 1),
        ("real", ["0.1", "'NaN'", "3e38"], "v + 0 = 0.1", 0),  # a single 0.1 is another double
        ("real", ["0.1", "'NaN'", "3e38"], "v * v > 1e76", 1),
        ("numeric(5, 2)", ["1.25", "'NaN'"], "v is null", 1),
        ("numeric(5, 2)", ["1.25", "'NaN'"], "v > 1", 1),
        ("numeric", ["1.25", "'NaN'", "12345678901234567890.5"], "v > 1", 2),
        ("numeric", ["0.1"], "v = 0.1", 1),
        ("numeric(60, 30)", ["0.1"], "v + 0 = 0.1", 1),
        ("numeric(1000, 500)", ["1e400", "-1e-400", "2"], "v > 1 and v + 0 > 1", 2),
        ("varchar(3)", ["'abc'"], "v like '_b_'", 1),
        ("char(5)", ["'ab'"], "v = 'ab'", 1),
        ("char(5)", ["'ab'"], "length(v) = 2", 1),
        ("char(5)", ["'ab'"], "v < 'ab '", 1),
        ("varchar", ["'ab '"], "v = 'ab '", 1),
        ("varchar(3)", ["'ab '"], "v = 'ab '", 1),
        ("numeric(3, -2)", ["1234"], "v = 1200", 1),
        ("timestamptz(0)", ["'2024-01-01 00:00+02'"], "v = '2023-12-31 22:00:00'", 1),
        ("timestamptz", ["'infinity'", "'-infinity'"], "v > '2023-12-31'", 1),
        ("date", ["'infinity'", "'5874897-12-31'", "'0044-03-15 BC'"], "v > '2024-01-01'", 2),
        ("date", ["'infinity'", "'5874897-12-31'", "'0044-03-15 BC'"], "extract(year from v) is null", 1),
        ("date", ["'0044-03-15 BC'", "'0001-01-01'"], "extract(year from v) = -43", 1),
        ("date", ["'5874897-12-31'"], "extract(year from v) = 5874897", 1),
        ("date", ["'infinity'", "'5874897-12-31'", "'2024-01-01'"], f"coalesce(v, {_NEW_YEAR}) = '2024-01-01'", 2),
        ("timestamp", ["'294276-12-31'", "'4713-01-01 BC'"], "extract(year from v) = -4712", 1),
    ],
)
def test_types(run: Run, count: Count, kind: str, values: list[str], where: str, matching: int) -> None:
    _value(run, kind, *values)
    assert count(where).matching == matching


_OTHER_TYPES = "bytea json jsonb int[] interval time uuid money inet int4range point name"


@pytest.mark.parametrize("kind", _OTHER_TYPES.split())
def test_types_no_predicate_can_use(run: Run, count: Count, kind: str) -> None:
    run(f"CREATE TABLE t (v {kind}, w int)")
    assert count("w is null").rows == 0
    with pytest.raises(PredicateRefused, match="which no predicate can use"):
        count("v is null")


def test_types_of_ones_own(run: Run, count: Count) -> None:
    run(
        "CREATE TYPE mood AS ENUM ('sad', 'happy')",
        "CREATE DOMAIN cents AS numeric(12, 2) CHECK (value >= 0)",
        "CREATE DOMAIN price AS cents",
        "CREATE TYPE pair AS (a int, b int)",
        "CREATE TABLE t (m mood, p price, q pair)",
        "INSERT INTO t VALUES ('happy', 1.10, (1, 2)), ('sad', 2, NULL)",
    )
    assert count("m = 'happy'").matching == 1
    assert count("m < 'sad'").matching == 1  # by code points, not in the order declared
    with pytest.raises(PredicateRefused, match=r"can only be 'sad', 'happy': no row can have 'none of them'$"):
        count("m = 'none of them'")
    assert count("p = 1.1").matching == 1
    with pytest.raises(PredicateRefused, match="which no predicate can use"):
        count("q is null")


@pytest.mark.parametrize(
    ("kind", "held", "excluded", "reason"),
    [
        ("char(5)", "a", "a ", "is read without the spaces that pad it"),
        ("char(5)", "abcde", "abcdef", "has at most 5 characters"),
        ("char", "a", "ab", "has at most 1 characters"),
        ("bpchar", "a", "a ", "is read without the spaces that pad it"),
        ("varchar(3)", "a  ", "abcd", "has at most 3 characters"),
        ("code", "abc", "abcd", "has at most 3 characters"),
        ("inner_code", "abc", "abcd", "has at most 3 characters"),
        ("feeling", "sad", "Sad", "can only be 'sad', 'it''s ok'"),
    ],
)
def test_texts_that_a_type_excludes(
    url: str, run: Run, count: Count, kind: str, held: str, excluded: str, reason: str
) -> None:
    run(
        "CREATE DOMAIN inner_code AS varchar(3)",
        "CREATE DOMAIN code AS inner_code CHECK (value <> '')",
        "CREATE TYPE mood AS ENUM ('sad', 'it''s ok')",
        "CREATE DOMAIN feeling AS mood",
    )
    _value(run, kind, f"'{held}'", "NULL")
    reason = reason.replace("'it''s ok'", '"it\'s ok"')
    for asked in ("v = '{}'", "v <> '{}'", "v in ('{}')", "case v when '{}' then 1 end = 1", "coalesce(v, 'a') = '{}'"):
        assert count(asked.format(held)).rows == 2
        with pytest.raises(PredicateRefused, match=reason):
            count(asked.format(excluded))
    for key in (held, None):
        with OpenTable(url, "TRUE", ReadOptions(table="t"), cells=Cells(Keys.of(["v"], [key]))) as table:
            assert table.tally_cells().matching.tolist() == [1, 1]
    with pytest.raises(InvalidParameter, match=reason):
        OpenTable(url, "TRUE", ReadOptions(table="t"), cells=Cells(Keys.of(["v"], [held, excluded])))


_NUMBERS_OF_ANY_SIZE = ["'Infinity'", "'-Infinity'", "1e25", "-1e400", "1e400", "1e-400", "1.5", "'NaN'", "NULL"]
_SMALLEST_HALVED = f"0.{5**1075:01075}"
"""Half the smallest double, from where on numbers are 0 as doubles."""
_OF_ANY_SIZE = {
    "v > 1": 4,
    "v >= 1e25": 3,
    "v = 10000000000000000000000000": 1,
    "v = 1e25": 1,
    "v > 1e308": 2,
    "v between -1e300 and 1e25": 3,
    "v in (1.50, 1e25)": 2,
    "v not in (1.5)": 6,
    "v is null": 2,
    "v = v": 7,
    "v = 0": 0,
    "v < w": 5,
    "v > i": 4,
    "v = m": 1,
    "coalesce(v, 0.25) = 0.25": 2,
    "coalesce(m, v) > 1": 9,
    "case when v > 2 then v else 0.5 end > 0.4": 9,
    "v = case when v > 2 then 1e25 else 1.5 end": 2,
    # as doubles
    "v + 0 > 1": 4,
    "v > x": 4,
    "v - v = 0": 3,
    "v * v > 1": 6,
    "v * v = 0": 1,
    "v / v is null": 7,
    "-v < -1e308": 2,
    "abs(v) > 1e308": 4,
    "v + v - v + v > 1": 2,
}


def test_a_number_of_any_size_is_compared_exactly_and_stops_nothing(run: Run, count: Count) -> None:
    run("CREATE TABLE t (v numeric, w numeric(1000, 500), i int8, m numeric(18, 3), x float8)")
    run(*(f"INSERT INTO t VALUES ({value}, 1e26, 1, 1.5, 0.5)" for value in _NUMBERS_OF_ANY_SIZE))
    assert {where: count(where).matching for where in _OF_ANY_SIZE} == _OF_ANY_SIZE
    with pytest.raises(PredicateRefused, match="no remainder"):
        count("v % 2 = 0")
    for fitting in ("v + v + v - v > 1", "v * v > 1", "v / v / v > 1"):
        assert count(fitting).rows == len(_NUMBERS_OF_ANY_SIZE)
    for too_long in ("v + v + v - v + v > 1", "v * v * v > 1", "v / v / v / v > 1"):
        with pytest.raises(PredicateRefused, match="PostgreSQL stops at results that do not fit"):
            count(too_long)


@pytest.mark.parametrize(
    ("value", "where"),
    [
        ("2::numeric ^ 1024 - 2::numeric ^ 970", "v + 0 > 1.7976931348623157e308"),
        ("2::numeric ^ 1024 - 2::numeric ^ 970 - 0.5", "v + 0 = 1.7976931348623157e308"),
        ("-(2::numeric ^ 1024 - 2::numeric ^ 970)", "v + 0 < -1.7976931348623157e308"),
        (_SMALLEST_HALVED, "v + 0 = 0"),
        (f"-{_SMALLEST_HALVED}", "v + 0 = 0"),
        (f"{_SMALLEST_HALVED}1", "v + 0 = 5e-324"),
        (f"-{_SMALLEST_HALVED}1", "v + 0 = -5e-324"),
        ("9007199254740993", "v = 9007199254740993 and v + 0 = 9007199254740992"),
    ],
)
def test_a_number_of_any_size_as_a_double(run: Run, count: Count, value: str, where: str) -> None:
    _value(run, "numeric", value)
    assert count(where).matching == 1


def test_keys_of_a_number_of_any_size(url: str, run: Run) -> None:
    _value(run, "numeric", *_NUMBERS_OF_ANY_SIZE, "0.10", "-0.0")
    keys = Keys.listed(["v"], "1.50,10000000000000000000000000,0.1,0,7")
    with OpenTable(url, "TRUE", cells=Cells(keys)) as table:
        assert table.tally_cells().matching.tolist() == [1, 1, 1, 1, 0, 7]
    for too_long in ("1" * 39, "0.5," + "1" * 38, "0." + "1" * 39):
        with pytest.raises(InvalidParameter, match="has the digits for"):
            OpenTable(url, "TRUE", cells=Cells(Keys.listed(["v"], too_long)))
    assert count_matching(url, "v > 0", unit="v", without_unit="one-unit").rows == 10


def test_collations_have_no_say(run: Run, count: Count) -> None:
    run(
        "CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
        'CREATE TABLE t (v text COLLATE any_case, w text COLLATE "und-x-icu")',
        "INSERT INTO t VALUES ('A', 'b'), ('a', 'B')",
    )
    assert count("v = 'a'").matching == 1
    assert count("w < 'a'").matching == 1
    assert count("v < w").matching == 1
    assert count("v like 'A'").matching == 1
    assert count("case when v = 'a' then w else 'C' end < 'a'").matching == 2


def test_operators_of_ones_own_have_no_say(url: str, run: Run) -> None:
    run(
        "CREATE TABLE people (a int, s text)",
        "INSERT INTO people VALUES (1, 'x')",
        "CREATE FUNCTION public.wrong(int, int) RETURNS bool LANGUAGE sql AS 'SELECT true'",
        "CREATE OPERATOR public.= (LEFTARG = int, RIGHTARG = int, FUNCTION = public.wrong)",
        "CREATE FUNCTION public.length(text) RETURNS int LANGUAGE sql AS 'SELECT 99'",
        "ALTER ROLE CURRENT_USER SET search_path = public, pg_catalog",
        "ALTER ROLE CURRENT_USER SET transform_null_equals = on",
        "ALTER ROLE CURRENT_USER SET standard_conforming_strings = off",
    )
    try:
        assert count_matching(url, "a = 2").matching == 0
        assert count_matching(url, "length(s) = 1").matching == 1
        assert count_matching(url, "s = '\\x'").matching == 0
        assert count_matching(f"{url}?options=-csearch_path%3Dpublic", "a = 2").matching == 0
    finally:
        run("ALTER ROLE CURRENT_USER RESET ALL")


def test_a_column_computed_when_it_is_read(run: Run, count: Count) -> None:
    run("CREATE TABLE t (v int, w int GENERATED ALWAYS AS (v + 1) STORED)", "INSERT INTO t VALUES (1)")
    assert count("w = 2").matching == 1  # stored: it is data


# --- no row can make it fail ------------------------------------------------------------------------------------------

_EXTREMES = {
    "small": ("int2", ["-32768", "32767"]),
    "big": ("int8", ["-9223372036854775808", "9223372036854775807"]),
    "money": ("numeric(18, 3)", ["-999999999999999.999", "'NaN'"]),
    "wide": ("numeric(38, 20)", ["-999999999999999999.5", "999999999999999999.5"]),
    "short": ("float4", ["'-inf'", "3e38"]),
    "tiny": ("float4", ["1e-45", "'nan'"]),
    "long": ("float8", ["1.7e308", "5e-324"]),
    "less": ("float8", ["-1.7e308", "'inf'"]),
}


def test_numbers_never_fail(run: Run, count: Count) -> None:
    names = list(_EXTREMES)
    columns = ", ".join(f"{name} {kind}" for name, (kind, _) in _EXTREMES.items())
    run(f"CREATE TABLE t ({columns})")
    run(*(f"INSERT INTO t VALUES ({', '.join(cells[at] for _, cells in _EXTREMES.values())})" for at in (0, 1)))
    some = ("big", "money", "tiny", "long", "less")
    tests = [f"({a} {sign} {b} > 0) is null" for a in some for b in some for sign in "+-*/"]
    tests += [f"({a} {sign} {number} > 0) is null" for a in names for number in ("1e308", "1e-300") for sign in "*/+"]
    tests += [f"abs(-{a}) > 1" for a in names] + [f"{a} in (0, 1e30, 0.5)" for a in names]
    tests += [f"big % {number} = 1" for number in ("-1", "3", "9007199254740992")]
    for start in range(0, len(tests), 20):
        assert count(" or ".join(tests[start : start + 20])).rows == 2
    for a in names:
        for b in names:
            try:
                assert count(f"{a} < {b} or coalesce({a}, {b}) = 1").rows == 2
            except PredicateRefused as refusal:
                assert "more than 38 digits" in str(refusal)  # noqa: PT017


def test_a_calculation_too_long_to_guard(run: Run, count: Count) -> None:
    run("CREATE TABLE t (x float8, i int4)")
    assert count("x * x > 1").rows == 0
    assert count(f"{' + '.join(['i'] * 57)} > 1").rows == 0
    assert count("x + x - x + x - x > 1").rows == 0
    assert count("x * x / x > 1").rows == 0
    for too_long in ("x + x - x + x - x + x > 1", "x * x * x * x > 1", "x / x / x / x > 1"):
        with pytest.raises(PredicateRefused, match="PostgreSQL stops at results that do not fit"):
            count(too_long)


# --- what never leaves ------------------------------------------------------------------------------------------------


def _secret_free(error: BaseException) -> None:
    seen: BaseException | None = error
    while seen is not None:
        for text in (str(seen), repr(seen), *getattr(seen, "__notes__", ())):
            assert PASSWORD not in text
            assert "s3cret" not in text
        seen = seen.__cause__ or seen.__context__


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda url: url.replace(PASSWORD, "s3cret-but-wrong"), "cannot be reached"),
        (lambda url: url.replace(PASSWORD, "s3cret%2F%40%3A"), "cannot be reached"),
        (lambda url: url.replace(f":{PASSWORD}", "") + "?password=s3cret-wrong", "cannot be reached"),
        (lambda url: url.replace("127.0.0.1", "nosuchhost.invalid"), "cannot be reached"),
        (lambda url: url + "?foo=s3cret", "percent-encoded"),
        (lambda url: url.replace(PASSWORD, "s3cret with blanks"), "percent-encoded"),
        (lambda url: url.replace(PASSWORD, "s3cret%zz"), "percent-encoded"),
        (lambda url: url + "?service=s3cret", "names no service"),
        (lambda url: url + "%00", "percent-encoded"),
        (lambda url: url + "_s3cret_none?password=s3cret", "cannot be reached"),
        (lambda url: "mysql" + url.removeprefix("postgresql"), "only local files"),
        (lambda url: "jdbc:" + url, "only local files"),
        (lambda url: url, "holds no table"),
    ],
)
def test_a_password_is_in_no_error(url: str, change: Callable[[str], str], message: str) -> None:
    source = change(url)
    with pytest.raises(HushcountError, match=message) as caught:
        count_matching(source, "a = 1")
    assert "s3cret" not in str(caught.value).replace("_s3cret_none", "")
    if "_s3cret_none" not in source:
        _secret_free(caught.value)


def test_addresses_are_shown_without_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PGHOST", "PGPORT", "PGDATABASE", "PGSERVICE"):
        monkeypatch.delenv(name, raising=False)
    for source, shown in [
        ("postgresql://u:p%40w@Host/db", "postgresql://host/db"),
        ("postgres://u@h:5432/db?sslmode=disable", "postgresql://h/db"),
        ("postgresql+psycopg://h:6543/db%20x?password=p", "postgresql://h:6543/db%20x"),
        ("POSTGRESQL://u:p@[::1]:6543/db", "postgresql://[::1]:6543/db"),
        ("postgresql:///db?host=/var/run/postgresql", "postgresql://%2Fvar%2Frun%2Fpostgresql/db"),
        ("postgresql://u:p@h1,h2/db", "postgresql://h1,h2/db"),
    ]:
        place = place_of(source)
        assert place.shown == place.name == place.identity == shown
        assert repr(place) == f"Place(kind='postgresql', shown={shown!r}, name={shown!r})"
    with pytest.raises(InvalidParameter, match="names a database"):
        place_of("postgresql://u:p@h")
    monkeypatch.setenv("PGDATABASE", "mine")
    assert place_of("postgresql://u:p@h").shown == "postgresql://h/mine"


@pytest.mark.parametrize(
    "source",
    [
        "postgresql://u:s3@cret@h/db",
        "postgresql://u:s3/cret@h/db",
        "postgresql://u:s3?cret@h/db",
        "postgresql://h?password=s3@cret",
        "postgresql://h/db?password=s3@cret",
        "postgresql:///db?host=s3%40cret",
        "postgresql://u:s3%40cret/db",
        "postgresql://h:cret/db",
        " postgresql://u:cret@h/db",
        "\tpostgresql://u:cret@h/db",
        "postgresql:u:cret@h/db",
        "postgresql:/u:cret@h/db",
        "jdbc:postgresql://u:cret@h/db",
        "u:cret@h/db",
        "host=h password=cret dbname=db",
        "host=h PASSWORD = 'cret' dbname=db",
    ],
)
def test_no_part_of_a_password_that_is_written_wrongly_is_shown(source: str) -> None:
    """To libpq the password ends at the first @, and there is none after the first slash."""
    with pytest.raises((InvalidParameter, BadData)) as caught:
        place_of(source)
    assert "cret" not in str(caught.value)
    assert "s3" not in str(caught.value)


def test_the_password_may_come_from_the_environment(
    url: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("CREATE TABLE people (a int)")
    host, _, database = url.rpartition("@")[2].partition("/")
    source = f"postgresql://{USER}@{host}/{database}"
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "none"))
    with pytest.raises(BadData, match="refuses the login"):
        count_matching(source, "a = 1")
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    assert count_matching(source, "a = 1").rows == 0
    monkeypatch.delenv("PGPASSWORD")
    passes = tmp_path / "pgpass"
    passes.write_text(f"*:*:*:{USER}:{PASSWORD}\n")
    passes.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(passes))
    assert count_matching(source, "a = 1").rows == 0
    services = tmp_path / "services"
    name, _, port = host.partition(":")
    services.write_text(f"[mine]\nhost={name}\nport={port}\ndbname={database}\nuser={USER}\npassword={PASSWORD}\n")
    monkeypatch.setenv("PGSERVICEFILE", str(services))
    monkeypatch.setenv("PGSERVICE", "mine")
    assert count_matching("postgresql://", "a = 1").rows == 0
    assert place_of("postgresql://").shown == f"postgresql://{host}/{database}"


def test_a_user_who_may_not_read(url: str, run: Run) -> None:
    run("CREATE TABLE people (a int, b int)")
    run("DROP ROLE IF EXISTS guest", "CREATE ROLE guest LOGIN PASSWORD 'guest'", "GRANT SELECT (a) ON people TO guest")
    try:
        source = url.replace(f"{USER}:{PASSWORD}", "guest:guest")
        with pytest.raises(BadData, match="the user may not read column 'b'"):
            OpenTable(source, "b = 1")  # and so before a charge
        assert count_matching(source, "a = 1").rows == 0
    finally:
        run("DROP OWNED BY guest", "DROP ROLE guest")


def test_keys_that_postgresql_cannot_hold_are_found_before_a_row_is_read(url: str, run: Run) -> None:
    run("CREATE TABLE people (a text, d date)")
    with pytest.raises(InvalidParameter, match="without the character NUL"):
        OpenTable(url, "TRUE", cells=Cells(Keys.of(["a"], ["x\0y"])))
    with pytest.raises(InvalidParameter, match="a date of the calendar"):
        OpenTable(url, "TRUE", cells=Cells(Keys.listed(["d"], "0001-01-01,0000-01-01")))


def test_the_database_is_only_read(url: str, run: Run) -> None:
    run("CREATE TABLE people (a int)")
    from hushcount.counting.engines.postgresql.engine import PostgresqlEngine

    with PostgresqlEngine(place_of(url)) as engine, pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        engine.rows("DELETE FROM public.people RETURNING a")


def test_all_answers_are_of_one_state(url: str, run: Run) -> None:
    run("CREATE TABLE people (a int)", "INSERT INTO people VALUES (1)")
    with OpenTable(url, "a = 1") as table:
        assert table.count_rows() == 1
        run("INSERT INTO people VALUES (1)")
        assert table.tally().matching == 1


def test_without_psycopg() -> None:
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from hushcount.counting import count_matching\n"
        "from hushcount.errors import BadUse\n"
        "try: count_matching('postgresql://u:s3cret@h/db', 'a = 1')\n"
        "except BadUse as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "a source in PostgreSQL needs the package psycopg: pip install 'hushcount[postgresql]'\n"
    assert issubclass(BadUse, HushcountError)


@pytest.mark.parametrize(
    "where",
    [
        " or ".join(["i = 1"] * 900 + ["b"]),
        f"i in ({', '.join(map(str, range(1800)))})",
        f"i = {' + '.join(['i'] * 57)}",
        f"{'lower(' * 18}s{')' * 18} = ''",
        f"{'(' * 18}b{' is null)' * 18} = b",
        f"{'coalesce(' * 18}b{', true)' * 18} is null",
        f"{'abs(' * 18}x{')' * 18} > 1",
        f"{'case when b then ' * 18}1{' end' * 18} = 1",
    ],
)
def test_large_predicates(run: Run, count: Count, where: str) -> None:
    run("CREATE TABLE t (i int8, x float8, s text, b bool)", "INSERT INTO t VALUES (1, 1, 'a', true)")
    assert count(where).rows == 1


def test_a_predicate_too_long_to_be_written(run: Run, count: Count) -> None:
    run("CREATE TABLE t (d date)")
    where = "d"
    for _ in range(8):
        where = f"case when extract(year from {where}) > 1 then d end"
    assert count("extract(year from case when extract(year from d) > 1 then d end) > 2").rows == 0
    with pytest.raises(PredicateRefused, match="too complex"):
        count(f"extract(year from {where}) = 1")


def test_a_listed_table_is_judged_without_a_connection(url: str, run: Run) -> None:
    run("CREATE TABLE t (id int, word varchar(3), single real, number double precision, json json)")
    run("INSERT INTO t VALUES (1, 'abc', 2.1, 1.5, '{}'), (NULL, NULL, NULL, NULL, NULL)")
    schema = read_schema(url, unit=Unit("id", "one-unit"))
    assert list(schema.shown().values()) == ["integer", "text", "number", "number", "unusable"]
    assert Schema.from_dict(loads(dumps(schema.to_dict()))) == schema
    nowhere = place_of(f"postgresql://nobody@127.0.0.1:1/{os.urandom(4).hex()}")
    for where, message in (
        ("word = 5", "cannot be compared"),
        ("word = 'abcd'", "no row can have 'abcd'"),
        ("json = 'x'", "has the type json"),
        ("number % 2 = 1", "no remainder in double precision"),
        ("number * number * number * number * number > 1", "too long to be guarded"),
    ):
        with pytest.raises(PredicateRefused, match=message):
            OpenTable(nowhere, where, schema=schema)
    with pytest.raises(InvalidParameter, match="without the character NUL"):
        OpenTable(nowhere, "TRUE", cells=Cells(Keys.of(["word"], ["\0"])), schema=schema)
    with OpenTable(url, "single = 2.1 and number = 1.5", schema=schema) as table:
        table.check_fits()
        assert (table.count_rows(), table.tally().matching) == (2, 1)


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE t ADD COLUMN more int",
        "ALTER TABLE t RENAME COLUMN word TO words",
        "ALTER TABLE t ALTER COLUMN word TYPE varchar(4)",
        "ALTER TABLE t ALTER COLUMN single TYPE double precision",
        "ALTER TABLE t ENABLE ROW LEVEL SECURITY",
        "DROP TABLE t",
        "CREATE TABLE u (id int)",
        "INSERT INTO t VALUES (NULL, 'x', 1)",
    ],
)
def test_a_listed_table_that_was_changed(url: str, run: Run, change: str) -> None:
    run("CREATE TABLE t (id int, word varchar(3), single real)", "INSERT INTO t VALUES (1, 'abc', 2.1)")
    schema = read_schema(url, unit=Unit("id"))
    run(change)
    shown = place_of(url).shown
    with pytest.raises(BadData) as caught, OpenTable(url, "TRUE", unit=Unit("id"), schema=schema) as table:
        table.check_fits()
    assert str(caught.value).startswith(f"{shown} cannot be read as its columns are listed")
    with pytest.raises(HushcountError):
        check_source(url, schema, unit=Unit("id"))


def test_columns_that_are_named_like_the_words_of_a_query(url: str, run: Run, count: Count) -> None:
    run(f"CREATE TABLE t ({', '.join(f'{_quoted(name)} int' for name in NAMES)})")
    run(f"INSERT INTO t VALUES ({', '.join('1' * len(NAMES))}), ({', '.join('2' * len(NAMES))})")
    for name in NAMES:
        assert count(f"{_quoted(name)} = 2").matching == 1
        for unit in (None, Unit(NAMES[0])):
            cells = Cells(Keys.of([name], [2, 7]), unit=unit)
            with OpenTable(url, f"{_quoted(name)} > 0", cells=cells) as table:
                assert table.tally_cells().matching.tolist() == [1, 0, 1]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
