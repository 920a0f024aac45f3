"""Ctrl-C while a library reads data is an interruption, not bad data."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import duckdb
import pyarrow as pa
import pytest

from hushcount.counting.faults import foreign_code, foreign_errors, telling_no_cell
from hushcount.errors import BadData

ENDLESS = "select count(*) from range(1000000000000) t(a) where a % 7 = 3"


def by_duckdb() -> None:
    """Interrupt a query from another thread."""
    connection = duckdb.connect()
    timer = threading.Timer(0.1, connection.interrupt)
    timer.start()
    try:
        connection.execute(ENDLESS).fetchall()
    finally:
        timer.join()


def while_waiting() -> None:
    """Raise what DuckDB raises for a signal while Python waits for it."""
    raise RuntimeError("Query interrupted")


def in_a_stream() -> None:
    """Interrupt what DuckDB reads from Python."""

    def batches() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"a": [1]})
        raise KeyboardInterrupt

    rows = pa.RecordBatchReader.from_batches(pa.schema({"a": pa.int64()}), batches())
    duckdb.connect().register("rows_here", rows).execute("select count(a) from rows_here").fetchall()


def as_a_cause() -> None:
    """Wrap an interruption."""
    raise duckdb.InvalidInputException("a cell") from KeyboardInterrupt()


@pytest.mark.parametrize("interrupted", [by_duckdb, while_waiting, in_a_stream, as_a_cause])
@pytest.mark.parametrize("turned", [foreign_errors, foreign_code])
def test_an_interruption_is_one(turned: Callable[..., object], interrupted: Callable[[], None]) -> None:
    @telling_no_cell
    def read() -> None:
        with turned("the rows could not be read"):  # type: ignore[attr-defined]
            interrupted()

    with pytest.raises(KeyboardInterrupt) as caught:
        read()
    assert caught.value.__context__ is caught.value.__cause__ is None


@pytest.mark.parametrize(
    "error", [duckdb.InvalidInputException("KeyboardInterrupt"), duckdb.Error("Query interrupted"), OSError("x")]
)
def test_other_errors_are_bad_data(error: Exception) -> None:
    with pytest.raises(BadData, match=f"^it failed .{type(error).__name__}.$"), foreign_errors("it failed"):
        raise error


def test_other_errors_of_the_program_go_through() -> None:
    with pytest.raises(RuntimeError, match="a bug"), foreign_errors("it failed"):
        raise RuntimeError("a bug")
