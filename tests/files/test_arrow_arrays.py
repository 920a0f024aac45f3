import math
import subprocess
import sys
from itertools import product
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

from hushcount.files.arrow_arrays import arrow_array, arrow_scalar, row_numbers

EXAMPLE = Path(__file__).parents[2] / "examples" / "hiv_results.csv"
VALUES = {
    pa.int64(): st.integers(-(2**63), 2**63 - 1),
    pa.float64(): st.floats(),
    pa.bool_(): st.booleans(),
    pa.string(): st.text(),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", VALUES, ids=str)
@given(st.data())
def test_an_array_is_what_pyarrow_makes_of_the_values(kind, data):
    values = data.draw(st.lists(st.none() | VALUES[kind]))
    found = arrow_array(values, kind)
    found.validate(full=True)
    assert (found.type, len(found)) == (kind, len(values))
    assert list(map(told, found.to_pylist())) == list(map(told, values))
    assert found.null_count == values.count(None)


def told(value):
    """A value, told from all others: -0.0 from 0.0, and NaN equal to itself."""
    return (math.copysign(1, value), str(value)) if isinstance(value, float) else value


def test_texts_may_come_as_bytes():
    assert arrow_array([b"caf\xc3\xa9", None, "\0"], pa.string()).to_pylist() == ["café", None, "\0"]
    assert arrow_array([bytearray(b"a"), "é"], pa.string()).to_pylist() == ["a", "é"]


@pytest.mark.parametrize(
    ("values", "kind", "error"),
    [
        ([2**63], pa.int64(), OverflowError),
        (["\ud800"], pa.string(), UnicodeEncodeError),
        ([b"\xff"], pa.string(), pa.ArrowInvalid),
    ],
)
def test_what_does_not_fit_is_an_error(values, kind, error):
    with pytest.raises(error):
        arrow_array(values, kind)


def test_a_scalar():
    assert arrow_scalar("a", pa.string()).equals(pa.scalar("a"))
    assert arrow_scalar(None, pa.bool_()).as_py() is None


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from(["a", "", None]), st.sampled_from([0, 1, None])), min_size=1))
def test_equal_rows_have_equal_numbers(rows):
    texts, numbers = zip(*rows, strict=True)
    found = row_numbers([arrow_array(texts, pa.string()), arrow_array(numbers, pa.int64())])
    for (i, one), (j, other) in product(enumerate(rows), repeat=2):
        assert (found[i] == found[j]) == (one == other)


def test_numbers_of_rows_do_not_overflow():
    columns = [arrow_array(range(100_000), pa.int64())] * 6
    assert len(set(row_numbers(columns).tolist())) == 100_000


# --- pandas -----------------------------------------------------------------------------------------------------------

COUNT = ["release", EXAMPLE, "--where", "got = 1 and tinc > 1.5", "--epsilon", "0.5"]
TABLE = ["table", EXAMPLE, "--by", "villnum,got", "--keys", "keys.csv", "--epsilon", "0.5"]
PROCESSES = {
    "count": [COUNT],
    "table": [[*TABLE, "--output", "table.csv", "--receipt", "t.json"], [*TABLE, "--output", "table.parquet"]],
    "listed keys": [["table", EXAMPLE, "--by", "got", "--keys", "0,1,nan", "--epsilon", "0.5"]],
    "ledger": [
        ["budget", "create", "hiv", "--source", EXAMPLE, "--protects", "person", "--epsilon", "1", "--ledger", "l"],
        ["release", *COUNT[2:], "--ledger", "l", "--budget", "hiv"],
        ["table", *TABLE[2:-1], "0.25", "--ledger", "l", "--budget", "hiv"],
    ],
    "SQLite": [["release", "people.sqlite", "--where", "born > '2001-01-01' or s = 'a'", "--epsilon", "1"]],
    "Parquet": [["release", "people.parquet", "--where", "lower(s) = 'a'", "--epsilon", "1"]],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PROCESSES)
def test_no_release_imports_pandas(tmp_path, name):
    """pyarrow does so behind many of its functions, and it takes longer than all the rest of a release."""
    import pandas  # noqa: F401 (it is here)
    from pyarrow import parquet

    (tmp_path / "keys.csv").write_text("villnum,got\n1,1\n2,0\n3,\n")
    parquet.write_table(pa.table({"s": ["a", "B", None]}), tmp_path / "people.parquet")
    sqlite(tmp_path / "people.sqlite")
    program = f"""
import sys
from hushcount.cli import main
for arguments in {[[*map(str, arguments)] for arguments in PROCESSES[name]]}:
    assert main(arguments) == 0, arguments
print("pandas" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr, done.stdout.splitlines()[-1:]) == (0, "", ["False"])


def sqlite(path):
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (born DATE, s TEXT)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", [("2001-02-03", "a"), (None, None), ("1999-01-01", "é")])
        connection.commit()
