"""Counting in Spark: which data sets and tables can be a source, and what its settings have no say in."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hushcount import release_count
from hushcount.counting import ReadOptions, count_matching
from hushcount.counting.declared.place import place_of
from hushcount.errors import BadData, InvalidParameter, NoSuchColumn, PredicateRefused

pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")


@pytest.fixture
def people(spark: Any, tmp_path: Path) -> Iterator[Path]:
    """A Parquet data set of 3 rows, which is also the table `people`; and what is made of it."""
    folder = tmp_path / "a*b {c}"
    folder.mkdir()
    table = pa.table({"a": pa.array([1, 2, None], pa.int32()), "s": ["x", "\u00e9", ""], "bytes": [b"", b"", b""]})
    pq.write_table(table, folder / "part [0].parquet")
    spark.createDataFrame([(1, "x"), (2, "y"), (2, "z")], "a int, s string").write.saveAsTable("people")
    yield folder
    for name in ("people", "lines"):
        spark.sql(f"DROP TABLE IF EXISTS {name}")
    spark.sql("DROP VIEW IF EXISTS seen")
    spark.catalog.dropTempView("passing")


def test_sources(spark: Any, people: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert count_matching(f"spark:{people}", "a = 1").rows == 3
    assert count_matching(f"spark:{people / 'part [0].parquet'}", "a is null").matching == 1
    assert count_matching("spark:people", "a = 2").matching == 2
    assert count_matching("spark:default.people", "a = 2").matching == 2

    spark.sql("CREATE VIEW seen AS SELECT max(a) AS a FROM people")
    spark.table("people").createOrReplaceTempView("passing")
    spark.sql("CREATE TABLE lines (a int) USING csv")
    for source, error, message in [
        ("spark:seen", BadData, "a view may compute rows from other rows"),
        ("spark:passing", BadData, "no such table"),
        ("spark:nosuch", BadData, "no such table"),
        ("spark:nosuch.parquet", BadData, r"a folder or file needs a slash, as in spark:./nosuch.parquet \("),
        (f"spark:{people}/nosuch", BadData, "no such table"),
        ("spark:lines", BadData, "not kept in Parquet or ORC files"),
        ("spark:people; DROP TABLE people", InvalidParameter, "spark: and a table"),
        ("spark:", InvalidParameter, "spark: and a table"),
    ]:
        with pytest.raises(error, match=message):
            count_matching(source, "a = 1")
    with pytest.raises(InvalidParameter, match="write spark:TABLE"):
        count_matching(f"spark:{people}", "a = 1", ReadOptions(table="people"))
    with pytest.raises(InvalidParameter, match="format must be left out for a table in Spark"):
        count_matching(f"spark:{people}", "a = 1", ReadOptions(format="parquet"))
    with pytest.raises(NoSuchColumn, match="did you mean 'a'"):
        count_matching(f"spark:{people}", "A = 1")
    with pytest.raises(PredicateRefused, match="has the type binary, which no predicate can use"):
        count_matching(f"spark:{people}", "bytes is null")
    receipt = release_count(f"spark:{people}", "a = 1", 1)
    assert (receipt.source, receipt.maximum) == (f"spark:{people.name}", 3)
    assert "nosuch" not in capfd.readouterr().err


def test_what_another_row_must_not_change(spark: Any, tmp_path: Path) -> None:
    for name in ("2023", "2024"):
        spark.createDataFrame([(1,)], "a int").write.parquet(f"{tmp_path}/years/year={name}")
    # Found in the names of folders, where one named otherwise would make texts of all: so they are texts
    assert count_matching(f"spark:{tmp_path}/years", "year = '2023'").matching == 1
    with pytest.raises(PredicateRefused, match="cannot be compared"):
        count_matching(f"spark:{tmp_path}/years", "year = 2023")
    for name, kind in [("one", "a int"), ("two", "a string")]:
        spark.createDataFrame([], kind).write.parquet(f"{tmp_path}/mixed/part={name}")
    with pytest.raises(BadData, match="cannot read"):
        count_matching(f"spark:{tmp_path}/mixed", "a = 1")


def test_settings_have_no_say(spark: Any, tmp_path: Path) -> None:
    path = str(tmp_path / "times.parquet")
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT TIMESTAMPTZ '2024-01-01 00:30:00+00' AS z, TIMESTAMP '2024-01-01 00:30:00' AS t, "
            f"DATE '1500-03-01' AS d, DATE '5000000-01-01' AS far, 'a' AS \"A b\") TO '{path}' (FORMAT parquet)"
        )
    settings = {
        "spark.sql.session.timeZone": "Asia/Kolkata",
        "spark.sql.caseSensitive": "false",
        "spark.sql.ansi.enabled": "false",
        "spark.sql.sources.partitionColumnTypeInference.enabled": "true",
    }
    before = {name: spark.conf.get(name) for name in settings}
    for name, value in settings.items():
        spark.conf.set(name, value)
    try:
        for where in (
            "extract(day from z) = 1",
            "z = '2024-01-01 00:30:00+00:00'",
            "t = timestamp '2024-01-01 00:30:00'",
            "extract(year from d) = 1500 and d = date '1500-03-01'",
            "\"A b\" = 'a'",
            "coalesce(far, timestamp '2024-01-01 00:00:00') = '2024-01-01'",
        ):
            assert count_matching(f"spark:{path}", where).matching == 1, where
        assert {name: spark.conf.get(name) for name in settings} == settings
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)


def test_nanoseconds_are_cut_or_refused(spark: Any, tmp_path: Path) -> None:
    moments = pa.table({"t": pa.array([-1, -500, -1500, 1_704_067_199_999_999_999], pa.timestamp("ns"))})
    pq.write_table(moments, tmp_path / "int96.parquet", use_deprecated_int96_timestamps=True)
    where = "t = '1969-12-31 23:59:59.999999' or extract(year from t) = 2023"
    assert count_matching(f"spark:{tmp_path}/int96.parquet", where).matching == 3
    pq.write_table(moments, tmp_path / "ns.parquet")
    spark.conf.set("spark.sql.legacy.parquet.nanosAsLong", "true")
    try:
        with pytest.raises(BadData, match="cannot read"):
            count_matching(f"spark:{tmp_path}/ns.parquet", "t > 0")
    finally:
        spark.conf.unset("spark.sql.legacy.parquet.nanosAsLong")


def test_addresses() -> None:
    for source, shown, name in [
        ("spark:people", "spark:people", "spark:people"),
        ("SPARK:main.people", "spark:main.people", "spark:main.people"),
        ("spark:/data/people/", "spark:/data/people", "spark:people"),
        ("spark:s3a://bucket/people", "spark:s3a://bucket/people", "spark:s3a://bucket/people"),
    ]:
        place = place_of(source)
        assert (place.kind, place.shown, place.name) == ("spark", shown, name)
    for source in ("spark:s3a://key:s3cret@bucket/people", "spark:s3a://bucket/people?token=s3cret", "spark:a\nb"):
        with pytest.raises(InvalidParameter) as caught:
            place_of(source)
        assert "s3cret" not in str(caught.value)
    assert place_of("./spark:people").kind == "file"
    assert place_of(Path("spark:people")).kind == "file"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("missing", "message"),
    [
        ("sys.modules['pyspark'] = None", "needs the package pyspark: pip install 'hushcount[pyspark]'"),
        ("os.environ |= {'PATH': '/nowhere', 'JAVA_HOME': '/nowhere'}", "Spark cannot be started: it needs Java 17"),
    ],
    ids=["pyspark", "java"],
)
def test_what_spark_needs(missing: str, message: str) -> None:
    pytest.importorskip("pyspark")
    code = f"import os, sys; {missing}\nfrom hushcount.cli import main\n"
    code += "sys.exit(main(['release', 'spark:people', '--where', 'a = 1', '--epsilon', '1']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("hushcount: error: ")
    assert done.stderr.count("\n") == 1
    assert message in done.stderr


@pytest.mark.slow
def test_a_spark_of_its_own_leaves_nothing_behind(tmp_path: Path) -> None:
    """Spark makes a folder for tables where it runs, as soon as it looks at its catalog."""
    arguments = ["release", "--source", "spark:nosuch", "--where", "a > 1", "--epsilon", "1"]
    command = [sys.executable, "-m", "hushcount", *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "no such table" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_declared_texts(spark: Any, people: Path) -> None:
    spark.sql("DROP TABLE people")
    spark.sql(
        "CREATE TABLE people (a char(5), b varchar(5), c string COMMENT 'a note', d string COLLATE UNICODE_CI) "
        "USING parquet"
    )
    spark.sql("INSERT INTO people VALUES ('ab', 'ab', 'ab', 'ab')")
    assert count_matching("spark:people", "b = 'ab' and c = 'ab' and c <> 'longer than five'").matching == 1
    with pytest.raises(
        PredicateRefused, match=r"column 'b' \(text\) has at most 5 characters: no row can have 'abcdef'"
    ):
        count_matching("spark:people", "b in ('ab', 'abcdef')")
    with pytest.raises(PredicateRefused, match="has the type char, which no predicate can use"):
        count_matching("spark:people", "a = 'ab'")
    with pytest.raises(PredicateRefused, match="has the type string collate"):
        count_matching("spark:people", "d = 'AB'")


# --- every file that a folder holds is counted, or the folder is refused ----------------------------------------------


def _put(path: Path, **columns: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)


def _counted(source: object, where: str = "x = 1") -> tuple[int, int]:
    tally = count_matching(f"spark:{source}", where)
    return tally.rows, tally.matching


def test_files_in_folders_below(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _put(tmp_path / "sub" / "a.parquet", x=[1])
    _put(tmp_path / "sub" / "more" / "c.parquet", x=[1, 1])
    assert _counted(tmp_path / "sub") == (3, 3)
    assert _counted(f"file://{tmp_path}/sub") == (3, 3)
    assert release_count(f"spark:{tmp_path}/sub", "x = 1", 1).maximum == 3
    for name in ("_SUCCESS", "_metadata", ".a.parquet.crc", ".staging/a.parquet", "more/_temporary/0/b.parquet"):
        _put(tmp_path / "sub" / name, x=[1])  # no data, as everywhere in Spark
    (tmp_path / "sub" / "nothing").mkdir()
    assert _counted(tmp_path / "sub") == (3, 3)
    with monkeypatch.context() as patched:  # what Hadoop lists of other machines
        patched.setattr("hushcount.counting.sources.spark.data_set.local_path", lambda _: None)
        patched.setattr("hushcount.counting.sources.spark.files.local_path", lambda _: None)
        assert _counted(f"file://{tmp_path}/sub") == (3, 3)
        _put(tmp_path / "sub" / "year=1" / "d.parquet", x=[1])
        with pytest.raises(BadData, match=r"in folders that name a partition \(year=1\), and others are not"):
            _counted(f"file://{tmp_path}/sub")


def test_partitions(spark: Any, tmp_path: Path) -> None:
    _put(tmp_path / "deep" / "year=2024" / "a.parquet", x=[1])
    _put(tmp_path / "deep" / "_x=1" / "more" / "b.parquet", x=[1])
    assert _counted(tmp_path / "deep" / "year=2024") == (1, 1)
    with pytest.raises(BadData, match="or in one of other columns"):
        _counted(tmp_path / "deep")
    (tmp_path / "deep" / "_x=1").rename(tmp_path / "deep" / "year=2025")
    assert _counted(tmp_path / "deep") == (2, 2)
    assert _counted(tmp_path / "deep", "year = '2025'") == (2, 1)
    _put(tmp_path / "deep" / "plain" / "b.parquet", x=[1, 2])
    with pytest.raises(BadData, match="and others are not"):
        _counted(tmp_path / "deep")
    (tmp_path / "deep" / "plain" / "b.parquet").rename(tmp_path / "deep" / "b.parquet")
    with pytest.raises(BadData, match=r"in folders that name a partition \(year=202[45]\), and others are not"):
        _counted(tmp_path / "deep")
    _put(tmp_path / "own" / "x=1" / "a.parquet", x=[2], y=[1])
    _put(tmp_path / "case" / "X=1" / "a.parquet", x=[2], y=[1])
    with pytest.raises(BadData, match="column 'x' is in the files and in the names of folders too"):
        _counted(tmp_path / "own", "y = 1")
    with pytest.raises(BadData, match="differ only in case"):
        _counted(tmp_path / "case", "y = 1")


def test_folders_that_are_refused(spark: Any, tmp_path: Path) -> None:
    def made(name: str) -> Path:
        _put(tmp_path / name / "a.parquet", x=[1])
        return tmp_path / name

    (made("astray") / "b.parquet").symlink_to(tmp_path / "nowhere.parquet")
    (made("twice") / "b.parquet").symlink_to(tmp_path / "twice" / "a.parquet")
    (made("hard") / "b.parquet").hardlink_to(tmp_path / "hard" / "a.parquet")
    (made("loop") / "b").symlink_to(tmp_path / "loop")
    _put(made("copying") / "b.parquet._COPYING_", x=[1])
    (made("empty") / "b.parquet").write_bytes(b"")
    (made("other") / "b.csv").write_text("x\n1\n")
    _put(made("case") / "b.parquet", X=[1])
    for name, message in [
        ("astray", "holds a link that leads nowhere"),
        ("twice", "holds a file or a folder twice, by a link"),
        ("hard", "holds a file or a folder twice, by a link"),
        ("loop", "holds a file or a folder twice, by a link"),
        ("copying", "a file that is still being copied"),
        ("empty", "cannot read"),
        ("other", "cannot read"),
        ("case", "differ only in case"),
        ("*", "cannot read"),
        ("{hard,case}", "cannot read"),
    ]:
        with pytest.raises(BadData, match=message):
            _counted(tmp_path / name)
    with pytest.raises(BadData, match="cannot read"):
        _counted(f"file://{tmp_path}/*")
    _put(tmp_path / "_a.parquet", x=[1])
    with pytest.raises(BadData, match="cannot read"):
        _counted(tmp_path / "_a.parquet")
    (made("linked") / "b.parquet").symlink_to(tmp_path / "case" / "a.parquet")
    assert _counted(tmp_path / "linked") == (2, 2)
    _put(made("columns") / "b.parquet", y=[1])
    assert _counted(tmp_path / "columns") == (2, 1)
    assert _counted(tmp_path / "columns", "x is null") == (2, 1)


def test_files_of_tables(spark: Any, tmp_path: Path) -> None:
    _put(tmp_path / "t" / "a.parquet", x=[1])
    _put(tmp_path / "t" / "b.parquet", x=[1], z=[0])
    spark.sql("DROP TABLE IF EXISTS held")
    try:
        for columns, message in [
            ("(x bigint)", None),
            ("(x bigint, y bigint)", None),
            ("(X bigint)", "column 'X' is 'x' in its files, where Spark would not find it"),
            ("(x bigint) OPTIONS (ignoreCorruptFiles 'true')", "has the option ignorecorruptfiles"),
            ("(x bigint) OPTIONS (pathGlobFilter 'a*')", "has the option pathglobfilter"),
        ]:
            declared, _, options = columns.partition(" OPTIONS")
            spark.sql(
                f"CREATE TABLE held {declared} USING parquet {'OPTIONS' + options if options else ''} "
                f"LOCATION 'file://{tmp_path}/t'"
            )
            if message is None:
                assert _counted("held") == (2, 2)
            else:
                with pytest.raises(BadData, match=message):
                    _counted("held")
            spark.sql("DROP TABLE held")
        _put(tmp_path / "t" / "more" / "c.parquet", x=[1])
        spark.sql(f"CREATE TABLE held (x bigint) USING parquet LOCATION 'file://{tmp_path}/t'")
        with pytest.raises(BadData, match="leave out 1 of the 3 files that the folder of the table holds"):
            _counted("held")
        spark.sql("DROP TABLE held")
        spark.sql(
            f"CREATE TABLE held (x bigint, y string) USING parquet PARTITIONED BY (y) LOCATION 'file://{tmp_path}/p'"
        )
        spark.sql("INSERT INTO held VALUES (1, 'a b%'), (2, NULL)")
        assert _counted("held", "x = 1 and y = 'a b%'") == (2, 1)
        _put(tmp_path / "p" / "y=c" / "c.parquet", x=[1])
        with pytest.raises(BadData, match=r"leave out 1 of the 3 files .* must be registered"):
            _counted("held")
        spark.sql("MSCK REPAIR TABLE held")
        assert _counted("held") == (3, 2)
        _put(tmp_path / "p" / "y=c" / "d.parquet", x=[1], y=["d"])
        with pytest.raises(BadData, match="column 'y' is in the files and in the names of folders too"):
            _counted("held")
    finally:
        spark.sql("DROP TABLE IF EXISTS held")
