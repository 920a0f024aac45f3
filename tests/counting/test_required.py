"""Booleans that PostgreSQL lets have no missing value: as the column is declared, in each part of its table."""

from __future__ import annotations

import psycopg
import pytest

from hushcount.counting import ReadOptions, read_schema

REQUIRED = "CREATE TABLE people (id int, ok boolean NOT NULL)"
DECLARED = {
    "NOT NULL": ([REQUIRED], True),
    "a primary key": (["CREATE TABLE people (ok boolean PRIMARY KEY)"], True),
    "nothing": (["CREATE TABLE people (ok boolean)"], False),
    "a domain": (["CREATE DOMAIN sure AS boolean NOT NULL", "CREATE TABLE people (ok sure)"], False),
    "a domain in a required column": (
        ["CREATE DOMAIN sure AS boolean", "CREATE TABLE people (ok sure NOT NULL)"],
        True,
    ),
    "partitions": (
        [
            "CREATE TABLE people (ok boolean NOT NULL) PARTITION BY LIST (ok)",
            "CREATE TABLE part PARTITION OF people FOR VALUES IN (true)",
        ],
        True,
    ),
    "heirs": ([REQUIRED, "CREATE TABLE heirs (more int) INHERITS (people)"], True),
}


@pytest.mark.parametrize(("made", "required"), DECLARED.values(), ids=DECLARED.keys())
def test_postgresql(run, url, made, required):
    run(*made)
    run("CREATE VIEW seen AS SELECT ok AS sure FROM people", "CREATE VIEW again AS SELECT sure AS ok FROM seen")
    for table, name in (("people", "ok"), ("seen", "sure"), ("again", "ok")):
        assert read_schema(url, ReadOptions(table=table)).types([name])[name].required is required


def is_required(url):
    return read_schema(url, ReadOptions(table="people")).types(["ok"])["ok"].required


def test_what_not_all_rows_keep_is_not_required(run, url):
    """Up to version 17 the heirs of a table may take what it does not; from 18 on, rows may be unchecked."""
    run("CREATE TABLE people (ok boolean)", "CREATE TABLE heirs (more int) INHERITS (people)")
    run("CREATE TABLE theirs () INHERITS (heirs)")
    with psycopg.connect(url) as connection:
        is_new = connection.info.server_version >= 180_000
    if is_new:
        run("ALTER TABLE people ADD CONSTRAINT sure NOT NULL ok NOT VALID")
    else:
        run("ALTER TABLE ONLY people ALTER ok SET NOT NULL")
    assert not is_required(url)
    run("ALTER TABLE people VALIDATE CONSTRAINT sure" if is_new else "ALTER TABLE people ALTER ok SET NOT NULL")
    assert is_required(url)
