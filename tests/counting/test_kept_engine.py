"""An engine that is kept from count to count: made once, locked to its file, with nothing of the data in between."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hushcount.counting import OpenTable, ReadOptions, Tally, count_matching
from hushcount.counting.declared.place import place_of
from hushcount.counting.engines.duckdb import DuckdbEngine, KeptEngine
from hushcount.counting.sources import formats
from hushcount.errors import BadData, PredicateRefused
from hushcount.ledger import create_budget
from hushcount.release.session import Session


def write_csv(path: Path, ages: list[int]) -> None:
    path.write_text("age\n" + "".join(f"{age}\n" for age in ages))


def write_parquet(path: Path, ages: list[int]) -> None:
    pq.write_table(pa.table({"age": ages}), path)


def write_duckdb(path: Path, ages: list[int]) -> None:
    path.unlink(missing_ok=True)
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE people AS SELECT unnest({ages}) AS age")


def write_sqlite(path: Path, ages: list[int]) -> None:
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE people (age INTEGER)")
        connection.executemany("INSERT INTO people VALUES (?)", [(age,) for age in ages])


WRITERS = {"csv": write_csv, "parquet": write_parquet, "duckdb": write_duckdb, "sqlite": write_sqlite}
Writer = Callable[[Path, list[int]], None]


@pytest.fixture
def kept() -> Iterator[KeptEngine]:
    kept = KeptEngine()
    yield kept
    kept.close()


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[DuckdbEngine]:
    """The engines that were made since."""
    engines: list[DuckdbEngine] = []
    make = DuckdbEngine.__init__

    def noted(engine: DuckdbEngine, *args: object) -> None:
        make(engine, *args)  # type: ignore[arg-type]
        engines.append(engine)

    monkeypatch.setattr(DuckdbEngine, "__init__", noted)
    return engines


def matching(path: Path, kept: KeptEngine, where: str = "age >= 65") -> int:
    with OpenTable(path, where, kept=kept) as table:
        table.count_rows()
        return table.tally().matching


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_one_engine_reads_a_changed_file_anew(
    tmp_path: Path, kept: KeptEngine, made: list[DuckdbEngine], write: Writer
) -> None:
    path = tmp_path / "people"
    for ages in ([70, 30], [70, 30, 80], [65] * 5000, [1]):
        write(path, ages)
        assert matching(path, kept) == sum(age >= 65 for age in ages)
    assert len(made) == 1


def test_one_engine_follows_a_file_of_another_format(
    tmp_path: Path, kept: KeptEngine, made: list[DuckdbEngine]
) -> None:
    path = tmp_path / "people"
    for at, write in enumerate([*WRITERS.values(), *WRITERS.values()]):
        path.unlink(missing_ok=True)
        write(path, [70] * at + [30])
        assert matching(path, kept) == at
    assert len(made) == 1


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_between_two_counts_there_are_no_data_and_no_setting_can_change(
    tmp_path: Path, kept: KeptEngine, write: Writer
) -> None:
    path, other = tmp_path / "people", tmp_path / "other.parquet"
    write(path, [70, 30])
    write_parquet(other, [1])
    assert matching(path, kept) == 1
    write(path, [2])  # no lock is left, such as DuckDB has on an attached file
    with kept.engine(place_of(path)) as engine:
        assert engine.rows("SELECT count(*) FROM duckdb_views() WHERE NOT internal") == [(0,)]
        for sql in (
            "SELECT * FROM source",
            "SELECT * FROM file.people",
            f"SELECT * FROM read_parquet('{other}')",
            f"ATTACH '{tmp_path / 'new'}' AS new",
            "SET enable_external_access = true",
            f"SET allowed_paths = ['{other}']",
        ):
            with pytest.raises(duckdb.Error):
                engine.rows(sql)


@pytest.mark.parametrize("name", ["people", "a?b.db", "it's a[b]*"])
def test_changes_that_a_duckdb_file_has_beside_it_are_read(tmp_path: Path, kept: KeptEngine, name: str) -> None:
    """Through a link too: they are beside what it leads to."""
    path = tmp_path / name
    write_duckdb(path, [70, 30])
    statements = ("PRAGMA disable_checkpoint_on_shutdown", "INSERT INTO people VALUES (80)")
    code = f"import duckdb, os\nc = duckdb.connect({str(path)!r})\n"
    code += "".join(f"c.execute({statement!r})\n" for statement in statements) + "os._exit(0)"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert len(list(tmp_path.iterdir())) == 2
    assert [matching(path, kept) for _ in range(2)] == [2, 2]
    (tmp_path / "link").symlink_to(path)
    assert [matching(tmp_path / "link", kept) for _ in range(2)] == [2, 2]


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
@pytest.mark.parametrize("name", ["people", "a?b.db", "it's a[b]*"])
def test_a_link_is_followed_wherever_it_leads_at_the_time(
    tmp_path: Path, kept: KeptEngine, write: Writer, name: str
) -> None:
    path, folders = tmp_path / name, [tmp_path / "monday", tmp_path / "tuesday"]
    for at, folder in enumerate(folders, 1):
        folder.mkdir()
        write(folder / name, [70] * at)
        path.unlink(missing_ok=True)
        path.symlink_to(folder / name)
        assert [matching(path, kept) for _ in range(2)] == [at, at]
    path.unlink()
    write(path, [70] * 3)
    assert matching(path, kept) == 3
    path.unlink()
    for at, folder in enumerate(folders, 1):
        path.unlink(missing_ok=True)
        path.symlink_to(folder)
        assert matching(path / name, kept) == at


def test_an_error_leaves_later_counts_as_they_were(tmp_path: Path, kept: KeptEngine, made: list[DuckdbEngine]) -> None:
    path = tmp_path / "people.csv"
    write_csv(path, [70, 30])
    with pytest.raises(PredicateRefused):
        matching(path, kept, "age LIKE 'x'")
    path.write_text("age\n1,2\n")
    with pytest.raises(BadData, match="line 2"):
        matching(path, kept)
    path.unlink()
    with pytest.raises(BadData, match="does not exist"):
        matching(path, kept)
    write_csv(path, [70, 30])
    assert matching(path, kept) == 1
    assert len(made) == 1
    with OpenTable(path, "age >= 65", kept=kept) as table:
        made[0]._connection.close()  # as after a failure within DuckDB
        with pytest.raises(BadData):
            table.tally()
    assert matching(path, kept) == 1
    assert len(made) == 2


def test_another_file_has_another_engine(tmp_path: Path, kept: KeptEngine, made: list[DuckdbEngine]) -> None:
    for name in ("a", "b", "b"):
        write_parquet(tmp_path / name, [70])
        assert matching(tmp_path / name, kept) == 1
    assert [Path(engine.path).name for engine in made] == ["a", "b"]


def test_a_relative_path_is_that_of_the_folder_at_the_time(
    tmp_path: Path, kept: KeptEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    for at, name in enumerate(("one", "two"), 1):
        (tmp_path / name).mkdir()
        write_parquet(tmp_path / name / "people", [70] * at)
        monkeypatch.chdir(tmp_path / name)
        assert matching(Path("people"), kept) == at


def test_threads_count_at_once(tmp_path: Path, kept: KeptEngine) -> None:
    path, found = tmp_path / "people", []
    write_parquet(path, list(range(100)))

    def count(least: int) -> None:
        for _ in range(5):
            found.append((least, matching(path, kept, f"age >= {least}")))

    threads = [threading.Thread(target=count, args=(least,)) for least in (10, 40, 70)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [(least, 100 - least) for least in (10, 40, 70) for _ in range(5)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks on this system")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_fork_takes_no_connection_along(tmp_path: Path, kept: KeptEngine) -> None:
    path = tmp_path / "people"
    write_parquet(path, [70, 30])
    assert matching(path, kept) == 1
    child = os.fork()
    if child == 0:
        os._exit(0 if kept._idle == [] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert matching(path, kept) == 1


def test_what_is_closed_keeps_nothing(tmp_path: Path, kept: KeptEngine, made: list[DuckdbEngine]) -> None:
    path = tmp_path / "people"
    write_parquet(path, [70])
    with OpenTable(path, "age >= 65", kept=kept) as table:
        kept.close()
        assert table.tally().matching == 1
    for engine in made:
        with pytest.raises(duckdb.ConnectionException):
            engine.rows("SELECT 1")


def test_a_session_makes_one_engine_and_closes_it(tmp_path: Path, made: list[DuckdbEngine]) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age;name\n70;Ann\n30;Bob\n")
    create_budget(tmp_path / "people.ledger", "people", 5000)
    options = ReadOptions(delimiter=";")
    with Session(path, tmp_path / "people.ledger", "people", options=options) as session:
        assert [session.count(f"age >= {least}", 1000).released for least in (65, 20, 99)] == [1, 2, 0]
        assert session.table("name", ["Ann", "Bob"], 1000).released == (1, 1, 0)
    assert len(made) == 1
    with pytest.raises(duckdb.ConnectionException):
        made[0].rows("SELECT 1")


# --- the engine that all files share which DuckDB need not open ---


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> Iterator[KeptEngine]:
    """That engine, not yet made."""
    shared = KeptEngine()
    monkeypatch.setattr(formats, "_FOR_TABLES", shared)
    yield shared
    shared.close()


def test_counts_in_all_files_that_duckdb_need_not_open_share_one(
    tmp_path: Path, shared: KeptEngine, made: list[DuckdbEngine]
) -> None:
    for at, write in enumerate([write_csv, write_sqlite, write_csv]):
        write(tmp_path / str(at), [70] * at + [30])
        assert count_matching(tmp_path / str(at), "age >= 65") == Tally(at + 1, at, "age >= 65")
    assert count_matching(pa.table({"age": [70, 70]}), "age >= 65").matching == 2
    assert len(made) == 1
    for at, write in enumerate([write_parquet, write_duckdb], 2):
        write(tmp_path / "opened", [70, 30])
        assert count_matching(tmp_path / "opened", "age >= 65").matching == 1
        assert len(made) == at


@pytest.mark.parametrize("write", [write_csv, write_sqlite])
def test_the_shared_one_holds_no_data_and_opens_no_file(tmp_path: Path, shared: KeptEngine, write: Writer) -> None:
    path, other = tmp_path / "people", tmp_path / "other.parquet"
    write(path, [70, 30])
    write_parquet(other, [1])
    with OpenTable(path, "age >= 65") as table:
        table.count_rows()
        table.tally()
        for reader in (f"read_parquet('{other}')", f"read_csv('{path}')", f"read_text('{path}')"):
            with pytest.raises(duckdb.Error):
                table._engine.rows(f"SELECT * FROM {reader}")
    (engine,) = shared._idle
    assert engine.rows("SELECT count(*) FROM duckdb_views() WHERE NOT internal") == [(0,)]
    for sql in ("SELECT * FROM source", "SET enable_external_access = true", "SET allowed_paths = ['/']"):
        with pytest.raises(duckdb.Error):
            engine.rows(sql)


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_a_closed_table_never_meets_the_next_one(
    tmp_path: Path, shared: KeptEngine, kept: KeptEngine, write: Writer
) -> None:
    path = tmp_path / "people"
    write(path, [70, 30])
    for at_hand in (None, kept):
        with OpenTable(path, "age >= 65", kept=at_hand) as closed:
            assert closed.tally().matching == 1
        with OpenTable(path, "age >= 30", kept=at_hand) as table:
            with pytest.raises(BadData, match="ConnectionException"):
                closed.tally()
            assert table.tally().matching == 2


def test_a_file_that_turns_into_one_that_duckdb_opens(
    tmp_path: Path, shared: KeptEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "people"
    really = formats.is_opened_by_duckdb
    for write in (write_parquet, write_duckdb):
        path.unlink(missing_ok=True)
        write_csv(path, [70])

        def turned(head: bytes, write: Writer = write) -> bool:
            opened = really(head)
            path.unlink()
            write(path, [70])
            return opened

        monkeypatch.setattr(formats, "is_opened_by_duckdb", turned)
        with pytest.raises(BadData, match=r"cannot be (read|opened)"):
            count_matching(path, "age >= 65")
