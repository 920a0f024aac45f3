"""Expressions: a closed tree, whose SQL leaves nothing to how tightly an engine's operators bind."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from pyarrow import parquet

from hushcount.counting import OpenTable, count_matching, parse_predicate
from hushcount.counting.cells.cells import Cells
from hushcount.counting.cells.keys import Keys
from hushcount.counting.declared.units import Unit
from hushcount.counting.engines.postgresql.conditions import PostgresqlConditions
from hushcount.counting.engines.spark.conditions import SparkConditions
from hushcount.counting.meaning import types as t
from hushcount.counting.meaning.conditions import Conditions
from hushcount.counting.meaning.expression import Dialect, Expression, call, cases, column, constant, null, truth

DIALECTS = {each.dialect.name: each.dialect for each in (Conditions, PostgresqlConditions, SparkConditions)}


@pytest.mark.parametrize("form", ["", "SELECT", "RANDOM", "and", "=="])
def test_what_is_not_listed_is_refused(form: str) -> None:
    with pytest.raises(ValueError, match="no expression has the form"):
        call(form, truth(True))


@pytest.mark.parametrize("name", DIALECTS)
def test_everything_with_an_operator_stands_in_parentheses(name: str) -> None:
    a, b = column("a"), column("b")
    made = [a + b, a - b, a * b, a / b, a % b, -a, a & b, a | b, ~a, a < b, a <= b, a > b, a >= b, a.equals(b)]
    made += [a.is_null(), call("<>", a, b), call("LIKE", a, b), call("IN", a, b, b)]
    for part in (*made, constant("-1", t.INTEGER)):
        sql = DIALECTS[name].sql(part)
        assert (sql[0], sql[-1]) == ("(", ")")
        assert sql.count("(") - sql.count("IN (") == 1


@pytest.mark.parametrize(
    ("name", "text", "sql"),
    [
        ("duckdb", "it's", "('it''s')"),
        ("duckdb", "a\\b", "('a\\b')"),
        ("postgres", "it's", "('it''s' COLLATE \"C\")"),
        ("postgres", "a\\b", "('a\\b' COLLATE \"C\")"),
        ("spark", "a\\b", "('a\\\\b')"),
        ("spark", "it's", "('it\\'s')"),
    ],
)
def test_texts_are_quoted_as_the_engine_reads_them(name: str, text: str, sql: str) -> None:
    assert DIALECTS[name].sql(constant(text, t.TEXT)) == sql


@pytest.mark.parametrize(
    "text", ["'", "''", "\\", "\\'", "a\nb", "\t", "$1", "%", "{}", "{0}", "é\u0301", '"', "--", "/*"]
)
def test_duckdb_reads_a_text_as_it_is(text: str) -> None:
    with duckdb.connect() as connection:
        assert connection.execute(f"SELECT {DIALECTS['duckdb'].sql(constant(text, t.TEXT))}").fetchall() == [(text,)]


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (t.INTEGER, str(-(2**63)), -(2**63)),
        (t.integer(64, signed=False), str(2**64 - 1), 2**64 - 1),
        (t.HUGE, str(-(2**127)), -(2**127)),
        (t.DOUBLE, "0.1", 0.1),
        (t.DOUBLE, "-inf", float("-inf")),
        (t.BOOLEAN, "TRUE", True),
    ],
)
def test_duckdb_reads_a_number_as_it_is(kind: t.ColumnType, text: str, value: object) -> None:
    with duckdb.connect() as connection:
        found = connection.execute(f"SELECT {DIALECTS['duckdb'].sql(constant(text, kind))}").fetchall()
    assert found == [(value,)]


def test_the_names_of_types() -> None:
    kinds = [t.integer(bits, signed) for bits in (8, 16, 32, 64) for signed in (True, False)]
    kinds += [t.HUGE, t.WHOLE, t.decimal(10, 2), t.DOUBLE, t.TEXT, t.BOOLEAN, t.DATE, t.TIMESTAMP, t.UNKNOWN]
    with duckdb.connect() as connection:
        asked = ", ".join(Dialect("duckdb").sql(null(kind)) for kind in kinds)
        described = connection.execute(f"DESCRIBE SELECT {asked}").fetchall()
    found = ["TEXT" if row[1] == "VARCHAR" else re.sub(r",(\d)", r", \1", row[1]) for row in described]
    assert found == [kind.sql for kind in kinds]
    postgresql, spark = DIALECTS["postgres"], DIALECTS["spark"]
    assert (postgresql.sql(null(t.DOUBLE)), spark.sql(null(t.TEXT))) == (
        "CAST(NULL AS DOUBLE PRECISION)",
        "CAST(NULL AS STRING)",
    )
    assert postgresql.sql(null(t.NUMERIC)) == "CAST(NULL AS DECIMAL)"


def test_a_shared_part_is_counted_wherever_it_is_written() -> None:
    part: Expression = column("a")
    for _ in range(300):
        part = part + part
    assert part.parts == 2**301 - 1
    branches = cases([(truth(True), column("a")), (truth(False), column("b"))], null(t.INTEGER))
    assert branches.parts == 6
    assert DIALECTS["duckdb"].sql(branches) == (
        'CASE WHEN TRUE THEN source."a" WHEN FALSE THEN source."b" ELSE CAST(NULL AS BIGINT) END'
    )


NAMES = [
    "source",
    "keys",
    "unit",
    "cell",
    "counted",
    "key_0",
    "found",
    "reached",
    'a "b" c',
    "é",
    "select",
    "a.b",
    "{}",
]


@pytest.mark.slow
@pytest.mark.parametrize("names", [NAMES, NAMES[::-1]])
def test_columns_that_are_named_like_the_words_of_a_query(tmp_path: Path, names: Sequence[str]) -> None:
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({name: [1, 2, None] for name in names}), path)
    for name in names:
        quoted = '"' + name.replace('"', '""') + '"'
        assert count_matching(path, f"{quoted} = 2").matching == 1
        assert count_matching(path, f"{quoted} > 0", unit=names[0], without_unit="one-unit").matching == 2
        for unit in (None, Unit(names[-1], "one-unit")):
            cells = Cells(Keys.of([name], [2, None, 7]), unit=unit)
            with OpenTable(path, f"{quoted} is null or {quoted} > 0", cells=cells) as table:
                assert table.tally_cells().matching.tolist() == [1, 1, 0, 1]


def test_a_node_that_is_gone_lends_its_number_to_no_other() -> None:
    """Trees may be compiled one after the other by one object, and a new node may lie where an old one was."""
    compiler = Conditions({"a": t.INTEGER})
    dialect = compiler.dialect
    for number in range(200):
        tree = parse_predicate(f"a > {number}").tree
        assert dialect.sql(compiler.filter(tree)) == dialect.sql(Conditions({"a": t.INTEGER}).filter(tree))
        del tree
