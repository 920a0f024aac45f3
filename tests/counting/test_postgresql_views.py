"""Views of PostgreSQL that only pick and name columns of one table, and that nothing else can pass for one."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest
from postgresql_server import PASSWORD, USER

from hushcount.counting import OpenTable, ReadOptions, Schema, Tally, count_matching, read_schema
from hushcount.counting.declared.place import place_of
from hushcount.counting.declared.units import Unit
from hushcount.counting.engines.postgresql.engine import PostgresqlEngine
from hushcount.counting.sources.postgresql.views import NotPlain, Projection, projection_of
from hushcount.errors import BadData, InvalidParameter, NoSuchColumn, PredicateRefused

Run = Callable[..., None]
Count = Callable[..., Tally]
VIEW = ReadOptions(table="seen")
ODD = '"a (b) {c} \\ ""d"" :resjunk {VAR"'
"""A name that looks like a part of a parsed query."""


@pytest.fixture
def run(run: Run) -> Run:
    """Run statements in that database, which has a table of three rows."""
    run(
        f"CREATE TABLE people (id int, gone int, age int, town varchar(5), ok bool, {ODD} text)",
        "INSERT INTO people VALUES (1, 0, 70, 'Bern', true, 'x'), (2, 0, 20, NULL, false, 'y')",
        "INSERT INTO people VALUES (3, 0, 65, 'Basel', NULL, NULL)",
        "ALTER TABLE people DROP COLUMN gone",
        "CREATE TABLE other (id int, age int)",
        "CREATE FUNCTION one(people) RETURNS int LANGUAGE sql AS 'SELECT 1'",
    )
    return run


@pytest.fixture
def count(url: str) -> Count:
    """Count in the view `seen` of that database."""

    def counter(where: str) -> Tally:
        return count_matching(url, where, VIEW)

    return counter


@pytest.mark.parametrize(
    "definition",
    [
        "VIEW seen AS SELECT * FROM people",
        "VIEW seen AS TABLE people",
        "VIEW seen (id, town, age) AS SELECT p.id, p.town, age FROM public.people AS p",
        f"VIEW seen AS SELECT {ODD} AS town_, town, age, id, age AS age_again FROM people",
        "VIEW seen AS SELECT years AS age, place AS town, who AS id FROM people AS p (who, years, place)",
        "VIEW seen WITH (security_barrier) AS SELECT id, age, town FROM people WITH CASCADED CHECK OPTION",
        "VIEW seen AS SELECT town, age AS age, id FROM middle",
    ],
)
def test_a_view_counts_as_its_table(run: Run, count: Count, url: str, definition: str) -> None:
    run(f"CREATE VIEW middle AS SELECT age, town, id, {ODD} FROM people", f"CREATE {definition}")
    table = ReadOptions(table="people")
    for where in ("age >= 65", "town is null", "town = 'Basel' or age = 20", "id = 2", "length(town) > 4"):
        assert count(where) == count_matching(url, where, table)
        assert count(where).rows == 3
    assert count_matching(url, "age > 0", VIEW, unit="id", without_unit="one-unit").rows == 3
    with pytest.raises(PredicateRefused, match="has at most 5 characters"):  # the type of the table
        count("town = 'Zürich'")
    with pytest.raises(NoSuchColumn):
        count("gone = 0")


def test_names_that_look_like_a_parsed_query(run: Run, count: Count) -> None:
    run(f'CREATE VIEW seen AS SELECT {ODD} AS {ODD[:-1]}2", id FROM people AS {ODD}')
    assert count(f"{ODD[:-1]}2\" = 'x'").matching == 1


_MORE = {
    "SELECT id, age FROM people WHERE age > 0": "has a condition",
    "SELECT id, age FROM people WHERE ok": "has a condition",
    "SELECT id, age FROM people WHERE true": "has a condition",
    "SELECT p.id, p.age FROM people p, other": "several tables, or none",
    "SELECT p.id, p.age FROM people p JOIN other ON true": "joins tables",
    "SELECT id, age FROM people NATURAL JOIN other": "joins tables",
    "SELECT id, age FROM people LEFT JOIN (SELECT 1 AS one) AS x ON true": "joins tables",
    "SELECT id, age FROM people, LATERAL (SELECT p.id AS i FROM people p) AS x": "a query of its own",
    "SELECT id, age FROM (SELECT * FROM people) AS x": "a query of its own",
    "WITH x AS (SELECT * FROM people) SELECT id, age FROM x": "a query of its own",
    "SELECT id, (SELECT max(age) FROM people) AS age FROM people": "a query of its own",
    "SELECT id, age FROM people UNION ALL SELECT id, age FROM people": "combines queries",
    "SELECT id, age FROM people UNION SELECT id, age FROM other": "combines queries",
    "SELECT count(*) AS age FROM people": "from many rows",
    "SELECT id, max(age) OVER () AS age FROM people": "from many rows",
    "SELECT DISTINCT id, age FROM people": "sorts or merges",
    "SELECT DISTINCT ON (town) id, age FROM people": "sorts or merges",
    "SELECT age FROM people GROUP BY age": "sorts or merges",
    "SELECT age FROM people GROUP BY GROUPING SETS ((age), ())": "sorts or merges",
    "SELECT id, age FROM people ORDER BY town": "sorts or merges",
    "SELECT id, age FROM people TABLESAMPLE bernoulli (50)": "samples rows",
    "SELECT id, age FROM people LIMIT 2": "computes values or limits rows",
    "SELECT id, age FROM people LIMIT ALL OFFSET 1": "computes values or limits rows",
    "SELECT id, age FROM people FETCH FIRST 2 ROWS ONLY": "computes values or limits rows",
    "SELECT id, age FROM people FOR UPDATE": "computes values or limits rows",
    "SELECT id, age + 1 AS age FROM people": "computes values or limits rows",
    "SELECT id, -age AS age FROM people": "computes values or limits rows",
    "SELECT id, age::text AS age FROM people": "computes values or limits rows",
    "SELECT id, age, town::varchar(2) AS town FROM people": "computes values or limits rows",
    "SELECT id, age, town::text AS town FROM people": "computes values or limits rows",
    'SELECT id, age, town COLLATE "C" AS town FROM people': "computes values or limits rows",
    "SELECT id, 1 AS age FROM people": "computes values or limits rows",
    "SELECT id, coalesce(age, 0) AS age FROM people": "computes values or limits rows",
    "SELECT id, CASE WHEN ok THEN age END AS age FROM people": "computes values or limits rows",
    "SELECT id, ok IS TRUE AS age FROM people": "computes values or limits rows",
    "SELECT id, age IS NULL AS age FROM people": "computes values or limits rows",
    "SELECT id, NOT ok AS age FROM people": "computes values or limits rows",
    "SELECT id, ROW(age, id) = ROW(1, 2) AS age FROM people": "computes values or limits rows",
    "SELECT id, ARRAY[age] AS age FROM people": "computes values or limits rows",
    "SELECT id, current_date AS age FROM people": "computes values or limits rows",
    "SELECT id, generate_series(1, age) AS age FROM people": "computes values or limits rows",
    "SELECT id, people.one AS age FROM people": "computes values or limits rows",
    "SELECT generate_series AS age FROM generate_series(1, 3)": "computes values or limits rows",
    "SELECT column1 AS age FROM (VALUES (1), (2)) AS x": "a query of its own",
    "VALUES (1)": "",
    "SELECT": "",
    "SELECT FROM people": "none of a table",
    "SELECT people AS age FROM people": "none of a table",
    "SELECT id, ctid AS age FROM people": "none of a table",
    "SELECT id, tableoid AS age FROM people": "none of a table",
    "SELECT id, age FROM ONLY people": r"leaves out parts of a table \(ONLY\)",
    "SELECT table_name AS age FROM information_schema.tables": "",
    "SELECT pid AS age FROM pg_stat_activity": "",
}


def test_a_view_that_does_more_is_refused(run: Run, count: Count) -> None:
    for definition, reason in _MORE.items():
        run("DROP VIEW IF EXISTS seen", f"CREATE VIEW seen AS {definition}")
        rule = "a table of .*, or a view that only picks and names columns of one: this view .*"
        with pytest.raises(InvalidParameter, match=f"{rule}{reason}"):
            count("TRUE")


def test_what_a_view_reads_through_another_is_found(run: Run, count: Count) -> None:
    run(
        'CREATE SCHEMA "S"',
        'CREATE VIEW "S".adults AS SELECT * FROM people WHERE age > 18',
        'CREATE VIEW seen AS SELECT age FROM "S".adults',
    )
    with pytest.raises(InvalidParameter, match=r'this view reads "S".adults, which has a condition'):
        count("TRUE")
    run("CREATE VIEW a AS SELECT age FROM people", "CREATE OR REPLACE VIEW a AS SELECT age FROM a")
    run("CREATE OR REPLACE VIEW seen AS SELECT age FROM a")
    with pytest.raises(InvalidParameter, match="this view reads itself"):
        count("TRUE")
    run("CREATE MATERIALIZED VIEW m AS SELECT age FROM people", "CREATE OR REPLACE VIEW seen AS SELECT age FROM m")
    with pytest.raises(InvalidParameter, match="this view reads what is no table"):
        count("TRUE")


def test_the_table_behind_a_view_is_judged_as_if_it_were_named(run: Run, count: Count, url: str) -> None:
    run("CREATE VIEW seen AS SELECT age FROM people", "ALTER TABLE people ENABLE ROW LEVEL SECURITY")
    with pytest.raises(BadData, match="the table of view 'seen' has row-level security"):
        count("TRUE")
    run(
        "CREATE TABLE parted (a int) PARTITION BY RANGE (a)",
        "CREATE TABLE low PARTITION OF parted FOR VALUES FROM (0) TO (10)",
        "INSERT INTO parted VALUES (1)",
        "CREATE VIEW parts AS SELECT a AS b FROM parted",
    )
    assert count_matching(url, "b = 1", ReadOptions(table="parts")).matching == 1
    run(
        "CREATE EXTENSION file_fdw",
        "CREATE SERVER files FOREIGN DATA WRAPPER file_fdw",
        "CREATE FOREIGN TABLE far PARTITION OF parted FOR VALUES FROM (15) TO (20) SERVER files "
        "OPTIONS (filename '/dev/null')",
    )
    with pytest.raises(BadData, match="the table of view 'parts' has a part that is a foreign table"):
        count_matching(url, "b = 1", ReadOptions(table="parts"))


def test_a_column_that_is_computed_when_it_is_read(run: Run, count: Count, url: str) -> None:
    run("CREATE TABLE stored (w int GENERATED ALWAYS AS (v + 1) STORED, v int)", "INSERT INTO stored (v) VALUES (1)")
    run("CREATE VIEW seen AS SELECT v AS a, w AS b FROM stored")
    assert count("b = 2").matching == 1  # it is data
    with psycopg.connect(url) as connection:
        if connection.info.server_version < 180000:
            return
    run("CREATE TABLE made (w int GENERATED ALWAYS AS (1 / v) VIRTUAL, v int)", "INSERT INTO made (v) VALUES (0)")
    run("CREATE OR REPLACE VIEW seen AS SELECT v AS a, w AS b FROM made")
    assert count("a = 0").matching == 1
    with pytest.raises(PredicateRefused, match=r"'b' .* is computed"):
        count("b = 1")


def test_a_view_is_counted_in_only_if_it_is_named(run: Run, url: str) -> None:
    run("CREATE VIEW seen AS SELECT age FROM people", "DROP TABLE other")
    assert count_matching(url, "id = 1").rows == 3  # the only table
    with pytest.raises(InvalidParameter, match=r"a table of \S+; did you mean 'seen'\?"):
        count_matching(url, "TRUE", ReadOptions(table="sean"))


def test_rights_are_those_of_the_owner_of_the_view(url: str, run: Run, count: Count) -> None:
    run("DROP ROLE IF EXISTS clerk", "DROP ROLE IF EXISTS guest", "CREATE ROLE clerk")
    run("CREATE ROLE guest LOGIN PASSWORD 'guest'", "CREATE VIEW seen AS SELECT id, age FROM people")
    source = url.replace(f"{USER}:{PASSWORD}", "guest:guest")
    try:
        run("GRANT SELECT ON seen TO guest")
        assert count_matching(source, "age >= 65", VIEW) == count("age >= 65")
        with pytest.raises(InvalidParameter, match="holds no table but views, of which one must be named"):
            count_matching(source, "TRUE")
        with pytest.raises(InvalidParameter, match="a table of"):
            count_matching(source, "TRUE", ReadOptions(table="people"))
        run("ALTER VIEW seen SET (security_invoker)")
        with pytest.raises(BadData, match="view 'seen' cannot be read; its user must be allowed"):
            OpenTable(source, "TRUE", VIEW)  # and so before a charge
        run("GRANT SELECT ON people TO guest")
        assert count_matching(source, "TRUE", VIEW).rows == 3
        run("ALTER VIEW seen RESET (security_invoker)", "ALTER VIEW seen OWNER TO clerk")
        with pytest.raises(BadData, match="and its owner from the table"):
            OpenTable(source, "TRUE", VIEW)
        run(
            "GRANT SELECT ON people TO clerk", "REVOKE SELECT ON seen FROM guest", "GRANT SELECT (age) ON seen TO guest"
        )
        with pytest.raises(BadData, match="SELECT from all of it"):
            OpenTable(source, "age = 1", VIEW)
    finally:
        run("DROP VIEW seen", "DROP OWNED BY guest, clerk", "DROP ROLE guest", "DROP ROLE clerk")


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ("CREATE OR REPLACE VIEW seen AS SELECT id, age FROM people WHERE ok", InvalidParameter),
        ("CREATE OR REPLACE VIEW seen AS SELECT id, age FROM people LIMIT 1", InvalidParameter),
        ("ALTER TABLE people ENABLE ROW LEVEL SECURITY", BadData),
    ],
)
def test_a_view_that_is_changed_while_it_is_opened(
    run: Run, count: Count, monkeypatch: pytest.MonkeyPatch, change: str, error: type[Exception]
) -> None:
    """A transaction reads the old definition and would count by the new one."""
    run("CREATE VIEW seen AS SELECT id, age FROM people")
    held = PostgresqlEngine.hold

    def changed(engine: PostgresqlEngine, relation: str) -> None:
        run(change)
        held(engine, relation)

    assert count("TRUE").rows == 3
    monkeypatch.setattr(PostgresqlEngine, "hold", changed)
    with pytest.raises(error):
        count("TRUE")


@pytest.mark.parametrize(
    "change",
    [
        "CREATE OR REPLACE VIEW seen AS SELECT id, age FROM people LIMIT 1",
        "ALTER TABLE people ENABLE ROW LEVEL SECURITY",
        "DROP VIEW seen",
    ],
)
def test_a_view_stays_as_it_is_while_it_is_open(url: str, run: Run, change: str) -> None:
    run("CREATE VIEW middle AS SELECT id, age FROM people", "CREATE VIEW seen AS SELECT id, age FROM middle")
    with OpenTable(url, "age >= 65", VIEW) as table:
        assert table.count_rows() == 3
        with pytest.raises(psycopg.errors.LockNotAvailable):
            run("SET lock_timeout = '50ms'", change)
        run("INSERT INTO people (age) VALUES (80)")  # data may change: one state is seen
        assert table.tally().matching == 2
    run(change)


def test_no_more_is_allowed_after_a_view_was_opened(url: str, run: Run) -> None:
    run("CREATE VIEW seen AS SELECT age FROM people")
    with PostgresqlEngine(place_of(url)) as engine:
        engine.hold("public.seen")
        assert engine.rows("SELECT current_setting('search_path'), current_setting('TimeZone')") == [
            ("pg_catalog", "UTC")
        ]
        assert engine.rows("SELECT current_setting('transaction_isolation')") == [("repeatable read",)]
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            engine.rows("DELETE FROM public.people RETURNING age")


@pytest.mark.parametrize(
    "change",
    [
        "CREATE OR REPLACE VIEW seen AS SELECT id, age FROM people WHERE ok",
        "CREATE OR REPLACE VIEW seen AS SELECT id, age, town FROM people",
        "ALTER VIEW seen RENAME COLUMN age TO years",
        "DROP VIEW seen",
    ],
)
def test_a_listed_view_that_was_changed(url: str, run: Run, change: str) -> None:
    run("CREATE VIEW seen AS SELECT id, age FROM people")
    schema = read_schema(url, VIEW, unit=Unit("id"))
    assert Schema.from_dict(schema.to_dict()) == schema
    with OpenTable(url, "age >= 65", VIEW, unit=Unit("id"), schema=schema) as table:
        table.check_fits()
        assert table.tally().matching == 2
    run(change)
    with pytest.raises(BadData) as caught, OpenTable(url, "TRUE", VIEW, unit=Unit("id"), schema=schema) as table:
        table.check_fits()
    assert str(caught.value).startswith(f"{place_of(url).shown} cannot be read as its columns are listed")


_TREE = (
    '({QUERY :rtable ({RANGETBLENTRY :alias <> :eref {ALIAS :aliasname t :colnames ("a")} :rtekind 0 :relid 7 '
    ":inh true :relkind r}) :jointree {FROMEXPR :fromlist ({RANGETBLREF :rtindex 1}) :quals <>} :targetList ("
    "{TARGETENTRY :expr {VAR :varno 1 :varattno 2 :vartype 23} :resno 1 :resname x :resorigcol 2 :resjunk false}) "
    ":limitCount <>})"
)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (":limitCount <>", ":limitCount {NEWCOMER :a 1}"),
        (":quals <>", ":quals {VAR :varno 1 :varattno 2}"),
        ("{VAR :varno 1", "{VAR :varno 2"),
        (":varattno 2", ":varattno -1"),
        (":resjunk false", ":resjunk true"),
        (":resno 1", ":resno 2"),
        (":inh true", ":inh false"),
        (":rtekind 0", ":rtekind 3"),
        ("{RANGETBLREF :rtindex 1}", "{RANGETBLREF :rtindex 1} {RANGETBLREF :rtindex 1}"),
        (":limitCount <>", ":limitCount {VAR :varno 1}"),
        (":limitCount <>", ":limitCount {QUERY :a 1}"),
        (":limitCount <>", ":limitCount {}"),
    ],
)
def test_a_tree_with_anything_unknown_is_not_plain(old: str, new: str) -> None:
    assert projection_of(_TREE) == Projection(7, (2,))
    assert old in _TREE
    with pytest.raises(NotPlain):
        projection_of(_TREE.replace(old, new))
